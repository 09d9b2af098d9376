// Which backend is compared with the reference: the CPU's, or the GPU's where FIRN_TEST_BACKEND=cuda says so (`make cuda-test`).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "firn/simulation.h"

namespace firn::test {

inline Backend fast_backend() {
  const char* const name = std::getenv("FIRN_TEST_BACKEND");
  return name != nullptr && std::string_view(name) == "cuda" ? Backend::kCuda : Backend::kCpu;
}

inline constexpr const char* kNoSameBits = "sums by atomics: no two runs on a GPU have the same bits";

// Without a GPU nothing is compared, and the program says so.
class NeedsItsBackend : public testing::Environment {
 public:
  void SetUp() override {
    if (fast_backend() == Backend::kCuda && cuda_device().empty()) GTEST_SKIP() << "no GPU here";
  }
};

}  // namespace firn::test
