#include "solver/cpu/parallel.h"

#include <immintrin.h>

#include <algorithm>
#include <thread>

namespace firn::cpu {
namespace {

constexpr unsigned kFlushBits = 0x8040;  // MXCSR: flush results to zero, denormals are zero

int cores() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

}  // namespace

FlushDenormals::FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushBits); }
FlushDenormals::~FlushDenormals() { _mm_setcsr(before_); }

Threads::Threads(int count) : arena_(count > 0 ? count : cores()) {
  if (count > cores()) more_.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
  const FlushDenormals flush;
  arena_.initialize();
}

}  // namespace firn::cpu
