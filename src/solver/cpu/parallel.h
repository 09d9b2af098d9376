// Threads of the CPU solver. Work is cut by block, so results never depend on how many threads there are.
#pragma once

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

namespace firn::cpu {

template <class F>
void parallel_for(std::size_t n, F f) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) f(i);
  });
}

// An arena of a given number of threads in which denormals count as zero (they cost many times a normal number).
class Threads {
 public:
  explicit Threads(int count);  // 0: all cores

  int count() const { return arena_.max_concurrency(); }

  template <class F>
  auto run(F f) {
    return arena_.execute(f);
  }

 private:
  class FlushDenormals : public tbb::task_scheduler_observer {
   public:
    explicit FlushDenormals(tbb::task_arena& arena);
    ~FlushDenormals() override { observe(false); }
    void on_scheduler_entry(bool) override;
    void on_scheduler_exit(bool) override;
  };

  tbb::global_control limit_;
  tbb::task_arena arena_;
  FlushDenormals flush_;
};

}  // namespace firn::cpu
