// Threads of the CPU solver. Work is cut by block, so results never depend on how many threads there are.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <optional>

#include "core/parallel.h"

namespace firn::cpu {

// While it lives, denormals count as zero on this thread: they cost many times a normal number.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned before_;
};

// An arena of a given number of threads that all flush denormals: TBB gives its workers the floating-point settings of the thread
// that set the arena up.
class Threads {
 public:
  explicit Threads(int count);  // 0: all cores

  int count() const { return arena_.max_concurrency(); }

  template <class F>
  auto run(F f) {
    const FlushDenormals flush;
    return arena_.execute(f);
  }

 private:
  std::optional<tbb::global_control> more_;  // than there are cores, where so many were asked for
  tbb::task_arena arena_;
};

}  // namespace firn::cpu
