#include <cstddef>
#include <cstdint>

#include "checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  firn::fuzz::check_protocol({reinterpret_cast<const char*>(data), size});
  return 0;
}
