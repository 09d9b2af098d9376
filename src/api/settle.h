// simulation.settle: before a run begins, its snow comes to rest under gravity.
#pragma once

#include "firn/simulation.h"
#include "scene/build.h"

namespace firn {

// Lets the snow of `built` that is not thrown settle for the scene's time: gravity comes up slowly, velocities fade, bodies stand as at t = 0.
// The other snow is not there meanwhile. Adds a warning when that was not long enough.
void settle(const Scene& scene, Backend backend, int threads, const SetupProgress& setup, Built& built);

}  // namespace firn
