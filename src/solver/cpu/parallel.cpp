#include "solver/cpu/parallel.h"

#include <immintrin.h>

#include <thread>

namespace firn::cpu {
namespace {

constexpr unsigned kFlushBits = 0x8040;  // MXCSR: flush results to zero, denormals are zero

int thread_count(int wanted) { return wanted > 0 ? wanted : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

}  // namespace

Threads::Threads(int count)
    : limit_(tbb::global_control::max_allowed_parallelism, thread_count(count)), arena_(thread_count(count)), flush_(arena_) {}

Threads::FlushDenormals::FlushDenormals(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }

void Threads::FlushDenormals::on_scheduler_entry(bool) { _mm_setcsr(_mm_getcsr() | kFlushBits); }

void Threads::FlushDenormals::on_scheduler_exit(bool) { _mm_setcsr(_mm_getcsr() & ~kFlushBits); }

}  // namespace firn::cpu
