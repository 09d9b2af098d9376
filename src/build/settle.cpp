// simulation.settle: before a run begins, its snow comes to rest under gravity.
#include <fmt/format.h>

#include <algorithm>

#include "build/build.h"
#include "solver/solver.h"

namespace firn {
namespace {

constexpr double kDamping = 40;        // 1/s: a metre of snow swings at about that rate, and should not
constexpr double kRampTime = 0.5;      // of the time, in which gravity comes up: dropped at once, snow would feel twice its weight
constexpr double kStillMoving = 0.02;  // m/s, at the end: it would go on
constexpr int kReports = 10;           // of progress

bool is_still(const ParticleRow& row) { return row.velocity == std::array<double, 3>{0, 0, 0}; }

// Whether each row takes part: those of bodies without any velocity do.
std::vector<bool> who_settles(const Built& built) {
  std::vector<bool> settles(built.particles.size());
  std::size_t begin = 0;
  for (const BodySummary& body : built.snow) {
    if (body.start > 0) continue;  // it comes later, and is not among them
    const std::size_t end = std::min(begin + body.particles, built.particles.size());
    bool still = true;
    for (std::size_t i = begin; i < end && still; ++i) still = is_still(built.particles[i]);
    std::fill(settles.begin() + static_cast<std::ptrdiff_t>(begin), settles.begin() + static_cast<std::ptrdiff_t>(end), still);
    begin = end;
  }
  return settles;
}

void stand_still(BodyModel& body) {
  if (!body.motion.keys.empty()) {
    const Pose pose = body.motion.at(0);
    body.motion.keys = {{0, body.motion.origin + pose.displacement, pose.rotation}};
  }
  body.motion.velocity = body.motion.spin = {0, 0, 0};
  if (!body.deformation) return;
  body.level_set = body.deformation->at(0).from;
  body.solid.bricks = &body.level_set->bricks;
  body.deformation.reset();
}

// Nothing comes, goes or moves but the snow.
Model quiet_model(const Model& model) {
  Model quiet = model;
  for (BodyModel& body : quiet.bodies) stand_still(body);
  quiet.inflows.clear();
  quiet.sinks.clear();
  quiet.domain.reset();
  quiet.window.reset();
  quiet.damping = kDamping;
  return quiet;
}

// Steps until `duration`; returns the speed of the fastest particle then.
double come_to_rest(Solver& solver, Model model, State& state, double duration, const SetupProgress& setup) {
  const Vec<double, 3> gravity = model.gravity;
  int told = 0;
  for (double t = 0; t < duration; t = state.time) {
    if (setup && t * kReports >= told * duration) setup(fmt::format("snow settles, {:.3g} of {:.3g} s", t, duration)), ++told;
    model.gravity = std::min(1.0, t / (kRampTime * duration)) * gravity;
    const double left = duration - t;
    const double longest = left * kReports > duration ? duration / kReports : left;  // for gravity and progress
    solver.step(model, state, model.solver.time_step ? std::min(*model.solver.time_step, left) : longest);
    if (duration - state.time < 1e-9 * duration) break;
  }
  double fastest = 0;
  for (const ParticleRow& row : solver.rows(model, state, 0, state.next_id))
    fastest = std::max(fastest, norm(Vec<double, 3>{row.velocity[0], row.velocity[1], row.velocity[2]}));
  return fastest;
}

}  // namespace

void settle(const Scene& scene, Backend backend, int threads, const SetupProgress& setup, Built& built) {
  const double duration = scene.simulation.settle;
  const std::vector<bool> settles = who_settles(built);
  ParticleTable resting;
  for (std::size_t i = 0; i < settles.size(); ++i)
    if (settles[i]) resting.push_back(built.particles[i]);
  if (duration <= 0 || resting.empty()) return;
  const Model model = quiet_model(built.model);
  const std::unique_ptr<Solver> solver = make_solver(model, backend, threads);
  State state = solver->create(model, std::move(resting));
  const double fastest = come_to_rest(*solver, model, state, duration, setup);
  if (fastest > kStillMoving)
    built.warnings.push_back(
        fmt::format("after settling for {:.3g} s some snow still moves at {:.2g} m/s; it may need a longer simulation.settle, "
                    "a wider foot or stiffer snow",
                    duration, fastest));
  const ParticleTable settled = solver->rows(model, state, 0, state.next_id);
  ParticleTable all;
  all.reserve(settles.size());
  for (std::size_t i = 0, next = 0; i < settles.size(); ++i) {
    if (!settles[i]) {
      all.push_back(built.particles[i]);
      continue;
    }
    ParticleRow row = settled[next++];
    row.velocity = {0, 0, 0};
    row.B = ParticleRow{}.B;
    all.push_back(row);
  }
  built.particles = std::move(all);
}

}  // namespace firn
