// How a benchmark is taken: steps in parts of which the middle one counts, and the machine's own speed beside them.
#pragma once

#include <functional>

#include "firn/simulation.h"

namespace firn {

// What a solver makes of a number of threads, where 0 means all cores.
int thread_count(int wanted);

// Takes `steps` (at least one) with `one_step` and fills in what was measured: steps, times, phases, iterations, calibration.
// report.particles must be set.
void measure(int steps, const std::function<StepInfo()>& one_step, BenchReport& report);

}  // namespace firn
