// How a benchmark is taken; apart because `check` times its few steps in the same way. Steps in parts of which the middle one counts, and
// the machine's own speed beside them.
#pragma once

#include <functional>

#include "firn/simulation.h"

namespace firn {

// What a solver makes of a number of threads, where 0 means all cores.
int thread_count(int wanted);

// Takes `steps` (at least one) with `one_step` and fills in what was measured: steps, times, phases, iterations, calibration.
// report.particles must be set.
void measure(int steps, const std::function<StepInfo()>& one_step, BenchReport& report);

// How quick this machine is at the moment: two loops that every benchmark report carries, so that figures from noisy or different
// machines can be compared.

struct Calibration {
  double fma_gflops = 0;  // fused multiply-adds in registers, float, one thread; an FMA counts as two operations
  double copy_gb_s = 0;   // copying memory far larger than the caches, one thread; bytes read plus bytes written
};

// Takes about a third of a second and, for as long, 256 MiB.
Calibration calibrate();

// The better figure of each: a neighbour who disturbed one of the two does not count.
Calibration better(const Calibration& a, const Calibration& b);

}  // namespace firn
