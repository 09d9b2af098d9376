#include "solver/time_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"

namespace firn {
namespace {

// Semi-implicit steps are bounded for accuracy, not stability: this many cells per step at the unhardened wave speed. With the
// paper's snow and h = 5 mm that is its time step, 5e-4 s.
constexpr double kImplicitCells = 2.0;

}  // namespace

std::string describe(Fault fault, std::uint32_t particle) {
  switch (fault) {
    case Fault::kNone: return "";
    case Fault::kNotFinite: return fmt::format("particle {} has a value that is not finite", particle);
    case Fault::kTooFar: return fmt::format("particle {} would cross more than a cell", particle);
    case Fault::kInverted: return fmt::format("the flow at particle {} would turn inside out", particle);
    case Fault::kPlastic: return fmt::format("J_P of particle {} is not positive", particle);
    case Fault::kSolve: return "the implicit solve did not converge";
  }
  return "";
}

StepLimits with_inflow(StepLimits limits, const Model& model, double time, double longest) {
  for (const InflowModel& inflow : model.inflows) {
    if (time >= inflow.end || time + longest <= inflow.start) continue;
    limits.wave = std::max(limits.wave, inflow.wave + inflow.speed);
    limits.soft_wave = std::max(limits.soft_wave, inflow.wave);
    limits.speed = std::max(limits.speed, inflow.speed);
  }
  return limits;
}

ChosenStep choose_time_step(const Model& model, const StepLimits& limits, const SnowExtent& snow, double longest) {
  const SolverSettings& s = model.solver;
  if (s.time_step) return {longest, StepRule::kFixed};
  ChosenStep step{longest, StepRule::kFrameEnd};
  const auto limit = [&step](double dt, StepRule rule) {
    if (dt < step.dt) step = {dt, rule};
  };
  if (limits.speed > 0) limit(s.cell_fraction * model.h / limits.speed, StepRule::kSnowSpeed);
  const bool is_explicit = !model.implicit();
  const double wave = is_explicit ? limits.wave : limits.soft_wave;
  if (wave > 0) limit((is_explicit ? s.courant : kImplicitCells) * model.h / wave, is_explicit ? StepRule::kElasticWave : StepRule::kAccuracy);
  limit(limit_by_bodies(model, snow, step.dt), StepRule::kMovingBody);
  step.dt = longest / std::ceil(longest / step.dt * (1 - 1e-12));
  return step;
}

const char* name_of(StepRule rule) {
  switch (rule) {
    case StepRule::kFrameEnd: return "frame_end";
    case StepRule::kFixed: return "fixed";
    case StepRule::kElasticWave: return "elastic_wave";
    case StepRule::kAccuracy: return "accuracy";
    case StepRule::kSnowSpeed: return "snow_speed";
    case StepRule::kMovingBody: return "moving_body";
    case StepRule::kCut: return "cut";
  }
  return "";
}

const char* advice_of(StepRule rule) {
  switch (rule) {
    case StepRule::kFrameEnd: return "the next frame; a smaller simulation.fps or output.subframes makes steps longer";
    case StepRule::kFixed: return "solver.time_step";
    case StepRule::kElasticWave:
      return "elastic waves in hardened snow; solver.integrator = \"semi-implicit\", a larger simulation.spacing or a smaller "
             "young_modulus or hardening_limit makes steps longer";
    case StepRule::kAccuracy:
      return "accuracy of semi-implicit steps in stiff snow; a larger simulation.spacing or a smaller young_modulus makes them longer";
    case StepRule::kSnowSpeed:
      return "the fastest snow, which may cross solver.cell_fraction of a cell; a larger one, or a larger simulation.spacing, makes steps longer";
    case StepRule::kMovingBody:
      return "the fastest collider among the snow, which may cross solver.cell_fraction of a cell; a larger one makes steps longer";
    case StepRule::kCut: return "longer steps that went wrong; a fixed solver.time_step or integrator = \"explicit\" may need fewer tries";
  }
  return "";
}

void stop_run(const Model& model, const State& state, double dt, const std::string& why) {
  const char* advice = model.solver.time_step ? "use a shorter solver.time_step or \"auto\"" : "the step could not be cut any further";
  throw RunError(fmt::format("step {} (t = {:.6g} s, time step {:.3g} s) failed: {}; {}", state.steps + 1, state.time, dt, why, advice));
}

}  // namespace firn
