#include "solver/time_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "firn/error.h"

namespace firn {
namespace {

using V = Vec<double, 3>;

// Cells around the snow in which a body counts as among it: nodes two cells from a particle feel it, and the snow moves as well.
constexpr double kNear = 3;

// The snow's box as the body sees it, m.
struct Box {
  V middle;  // from the body's origin
  V half;
};

Box box_from(const Model& model, const Body<double, 3>& body, const SnowExtent& snow) {
  const V half = 0.5 * convert_vec<double, 3>(snow.upper - snow.lower);  // in cells
  return {difference(snow.lower, half, body.anchor, model.h) - body.displacement, model.h * half};
}

double farthest_corner(const Box& box) {
  V corner;
  for (int d = 0; d < 3; ++d) corner[d] = std::abs(box.middle[d]) + box.half[d];
  return norm(corner);
}

double distance_to(const Box& box) {
  V outside;
  for (int d = 0; d < 3; ++d) outside[d] = std::max(std::abs(box.middle[d]) - box.half[d], 0.0);
  return norm(outside);
}

// Never more than the distance between the body and the snow's box: phi and the ball around the body both tell something.
double gap(const BodyModel& model, const Body<double, 3>& body, const Box& box, double t) {
  const double beyond_ball = distance_to(box) - bounding_radius(model, t);
  if (model.deformation) return beyond_ball;
  const Surface<double, 3> s = evaluate(body.solid, transpose(body.rotation) * box.middle);
  double extent = norm(box.half);
  if (body.solid.kind == SolidKind::kPlane) {
    const V n = body.rotation * s.n;
    extent = std::abs(n[0]) * box.half[0] + std::abs(n[1]) * box.half[1] + std::abs(n[2]) * box.half[2];
  }
  return std::max(s.phi - extent, beyond_ball);
}

double surface_speed(const BodyModel& body, const Box& box, double begin, double end) {
  const Speeds speeds = body.motion.fastest(begin, end);
  double speed = speeds.origin;
  if (speeds.spin > 0) speed += speeds.spin * std::min(bounding_radius(body, begin), farthest_corner(box));
  if (body.deformation) speed += std::max(body.deformation->at(begin).top_speed, body.deformation->at(end).top_speed);
  return speed;
}

}  // namespace

double surface_speed(const Model& model, const BodyModel& body, const SnowExtent& snow, double end) {
  return surface_speed(body, box_from(model, freeze<double, 3>(body, snow.time), snow), snow.time, end);
}

double limit_by_bodies(const Model& model, const SnowExtent& snow, double dt) {
  if (snow.empty()) return dt;
  for (const BodyModel& body : model.bodies) {
    if (!body.motion.moves() && !body.deformation) continue;
    const Body<double, 3> frozen = freeze<double, 3>(body, snow.time);
    const Box box = box_from(model, frozen, snow);
    const double speed = surface_speed(body, box, snow.time, snow.time + dt);
    // A body away from the snow may come up to it in one step.
    const double travel = std::max(model.solver.cell_fraction * model.h, gap(body, frozen, box, snow.time) - kNear * model.h);
    if (speed * dt > travel) dt = travel / speed;
  }
  return dt;
}

namespace {

// Semi-implicit steps are bounded for accuracy, not stability: cells per step at the unhardened wave speed. With the paper's snow and
// h = 5 mm two are its time step, 5e-4 s. The plastic tangent guesses what will yield, which holds for one at most; steps that would be
// explicit ones if snow never hardened leave only hardened snow to the solve (takes_explicit_steps), and cost no more than longer ones.
double cells_per_implicit_step(const SolverSettings& s) { return s.tangent == Tangent::kPlastic ? s.courant : 2; }

// s; the density-limited method has no stiffness, but what it shows depends on the step: this is the one it was made with.
constexpr double kDensityLimitedStep = 1e-3;

}  // namespace

std::string describe(Fault fault, std::uint32_t particle, int most_cells) {
  switch (fault) {
    case Fault::kNone: return "";
    case Fault::kNotFinite: return fmt::format("particle {} has a value that is not finite", particle);
    case Fault::kTooFar:
      return fmt::format("particle {} would cross more than {}", particle,
                         most_cells == 1 ? "a cell" : fmt::format("{} cells", most_cells));
    case Fault::kInverted: return fmt::format("the flow at particle {} would turn inside out", particle);
    case Fault::kPlastic: return fmt::format("J_P of particle {} is not positive", particle);
    case Fault::kSolve: return "the implicit solve did not converge";
    case Fault::kUntrusted: return "the implicit solve left more errors than velocities";
    case Fault::kEnergy: return "the step would make energy from nothing";
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
  if (s.integrator == Integrator::kExplicit && limits.wave > 0) limit(s.courant * model.h / limits.wave, StepRule::kElasticWave);
  if (s.integrator == Integrator::kSemiImplicit && limits.soft_wave > 0)
    limit(cells_per_implicit_step(s) * model.h / limits.soft_wave, StepRule::kAccuracy);
  if (s.integrator == Integrator::kDensityLimited) limit(kDensityLimitedStep, StepRule::kAccuracy);
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
      return "accuracy: of semi-implicit steps in stiff snow, which a larger simulation.spacing or a smaller young_modulus makes longer, "
             "or "
             "of density-limited ones, of 1e-3 s";
    case StepRule::kSnowSpeed:
      return "the fastest snow, which may cross solver.cell_fraction of a cell; a larger one, or a larger simulation.spacing, makes steps "
             "longer";
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
