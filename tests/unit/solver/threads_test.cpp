#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "solver/cpu/parallel.h"

namespace firn::cpu {
namespace {

TEST(Threads, EveryWorkerFlushesDenormalsAndTheCallerDoesNot) {
  volatile float tiny = std::numeric_limits<float>::min();
  for (const int count : {1, 2, 5}) {
    Threads threads(count);
    std::atomic<int> kept{0};
    threads.run([&] {
      parallel_for(10000, [&](std::size_t) {
        volatile float half = tiny * 0.5f;
        if (half != 0) ++kept;
      });
    });
    EXPECT_EQ(kept, 0) << count << " threads";
    volatile float half = tiny * 0.5f;
    EXPECT_NE(half, 0.0f);
  }
}

TEST(Threads, CountIsWhatWasAskedFor) {
  EXPECT_EQ(Threads(3).count(), 3);
  EXPECT_GE(Threads(0).count(), 1);
}

}  // namespace
}  // namespace firn::cpu
