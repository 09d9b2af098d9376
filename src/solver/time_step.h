// How long a step may be, and what to do when one goes wrong.
#pragma once

#include <cstdint>
#include <string>

#include "solver/moving_bodies.h"
#include "solver/solver.h"

namespace firn {

// The largest of what limits a step, over all particles.
struct StepLimits {
  double wave = 0;        // hardened elastic wave speed + speed, m/s
  double soft_wave = 0;   // the same wave unhardened, without the speed
  double speed = 0;       // m/s
};

// With the snow that comes in during the next `longest` seconds.
StepLimits with_inflow(StepLimits limits, const Model& model, double time, double longest);

// What can be wrong with a tried step.
enum class Fault : std::uint8_t { kNone, kNotFinite, kTooFar, kInverted, kPlastic, kSolve };
std::string describe(Fault fault, std::uint32_t particle);

struct ChosenStep {
  double dt;  // s
  StepRule rule;
};

// A safe step for these limits and the bodies that move near the snow, at most `longest`; splits the time left into equal steps rather
// than leave a sliver.
ChosenStep choose_time_step(const Model& model, const StepLimits& limits, const SnowExtent& snow, double longest);

// Tries `attempt(dt)`, which returns Fault and particle, halving the step until it works. Fixed steps are not cut: RunError.
struct Attempt {
  Fault fault = Fault::kNone;
  std::uint32_t particle = 0;
};
template <class F>
void take_step(const Model& model, const State& state, const ChosenStep& chosen, StepReport& report, F attempt);

[[noreturn]] void stop_run(const Model& model, const State& state, double dt, const std::string& why);

inline constexpr int kMaxHalvings = 30;

template <class F>
void take_step(const Model& model, const State& state, const ChosenStep& chosen, StepReport& report, F attempt) {
  double dt = chosen.dt;
  report.rule = chosen.rule;
  for (;; dt /= 2) {
    const Attempt result = attempt(dt);
    if (result.fault == Fault::kNone) break;
    report.rejection = describe(result.fault, result.particle);
    if (model.solver.time_step || report.rejected >= kMaxHalvings) stop_run(model, state, dt, report.rejection);
    ++report.rejected;
    report.rule = StepRule::kCut;
  }
  report.dt = dt;
}

}  // namespace firn
