// Loops and sorts on all threads of the caller's arena. They note how long they took on the calling thread, so that a step can tell
// what it spends outside of them: that part does not get faster with more cores.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <cstddef>

#include "core/clock.h"

namespace firn {

class ParallelTime {
 public:
  ParallelTime() { ++depth_; }
  ~ParallelTime() {
    if (--depth_ == 0) seconds_ += seconds_since(begin_);
  }
  ParallelTime(const ParallelTime&) = delete;
  ParallelTime& operator=(const ParallelTime&) = delete;

  // The seconds that this thread has spent so far in loops that all threads share.
  static double seconds() { return seconds_; }

 private:
  inline static thread_local double seconds_ = 0;
  inline static thread_local int depth_ = 0;
  Clock::time_point begin_ = Clock::now();
};

// One copy of the loop in the program: TBB calls it from several places, and the compiler would fuse multiplications and additions in
// each in another way. Then the last bits would depend on how the work was split.
template <class N, class F>
[[gnu::noinline, gnu::noclone]] void run_range(const F& f, N begin, N end) {
  for (N i = begin; i != end; ++i) f(i);
}

// f(i) for i in [0, n), in any order.
template <class N, class F>
void parallel_for(N n, F f) {
  const ParallelTime time;
  tbb::parallel_for(tbb::blocked_range<N>(0, n), [&](const tbb::blocked_range<N>& range) { run_range<N>(f, range.begin(), range.end()); });
}

// Elements that compare equal end up in any order.
template <class Iterator>
void parallel_sort(Iterator begin, Iterator end) {
  const ParallelTime time;
  tbb::parallel_sort(begin, end);
}

}  // namespace firn
