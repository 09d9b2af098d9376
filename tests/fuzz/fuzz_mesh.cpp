#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

#include <cstddef>
#include <cstdint>

#include "checks.h"
#include "support/temp_folder.h"

// A child that dies while it reads a damaged file is what the parent is there for; the fuzzer must not take it for a crash of its own.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return ::pthread_atfork(nullptr, nullptr, [] { __sanitizer_set_death_callback(nullptr); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const firn::test::TempFolder folder;
  firn::fuzz::check_mesh_bytes({reinterpret_cast<const char*>(data), size}, folder.path());
  return 0;
}
