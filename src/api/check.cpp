#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/measure.h"
#include "api/run_files.h"
#include "build/build.h"
#include "core/clock.h"
#include "firn/simulation.h"
#include "frame/rasterize.h"
#include "scene/schema.h"
#include "solver/time_step.h"

namespace firn {
namespace {

void include(const Model& model, const ParticleTable& particles, StepLimits& limits) {
  for (const ParticleRow& row : particles) {
    const SnowParameters<double> s = snow_parameters(model, row.material, row.own);
    const double compliance = row.volume / row.mass;
    const Lame<double> l = hardened(s, row.J_P);
    const double speed = norm(Vec<double, 3>{row.velocity[0], row.velocity[1], row.velocity[2]});
    limits.wave = std::max(limits.wave, std::sqrt((l.lambda + 2 * l.mu) * compliance) + speed);
    limits.soft_wave = std::max(limits.soft_wave, std::sqrt((s.lambda0 + 2 * s.mu0) * compliance));
    limits.speed = std::max(limits.speed, speed);
  }
}

// Speed and stiffness of the first particles, with the V⁰ a run starts with, and of those that come at once later.
StepLimits first_limits(const Model& model, const Solver& solver, const State& state, const Population& population) {
  StepLimits limits;
  constexpr std::size_t kPiece = 32768;
  for (std::size_t at = 0; at < state.next_id; at += kPiece)
    include(model, solver.rows(model, state, at, std::min(state.next_id, at + kPiece)), limits);
  for (const LateSnow& late : population.late()) include(model, late.rows, limits);
  return limits;
}

// What the solve costs in iterations for all of the snow. In the gallery it is 0.2 to 4: fresh and torn snow are no part of it with the
// plastic tangent; 4 to 16 with the elastic one.
int usual_iterations(const Model& model) {
  if (!model.implicit()) return 0;
  return model.solver.tangent == Tangent::kPlastic ? 3 : 12;
}

// How much snow there is on average over the run, of what is there at the start. Where snow is taken away, what sources give out does not
// count: how long it stays nobody knows.
double growth(const Scene& scene, const Built& built, std::size_t at_start) {
  const double duration = scene.simulation.duration;
  double more = 0;
  for (const LateSnow& late : built.population.late())
    more += static_cast<double>(late.rows.size()) * std::max(0.0, 1 - late.start / duration);
  constexpr int kMoments = 20;
  const bool some_go = !scene.sinks.empty() || scene.domain || scene.window;
  for (const Emitter& emitter : built.population.emitters())
    for (int k = 0; k < kMoments && !some_go; ++k) more += static_cast<double>(emitter.count(duration * (k + 0.5) / kMoments)) / kMoments;
  return 1 + more / static_cast<double>(at_start);
}

// What a step will cost, s, from one that was timed. Semi-implicit steps of snow that flies free solve nothing, and such are most first
// steps; an iteration for all of the snow takes 0.46 times scatter and gather.
double expected_seconds(const Model& model, const StepInfo& step, double seconds) {
  const auto phase = [&](Phase p) { return step.seconds[static_cast<std::size_t>(p)]; };
  const double solve = phase(Phase::kSolve), iteration = 0.46 * (phase(Phase::kScatter) + phase(Phase::kGather));
  return seconds - solve + std::max(solve, usual_iterations(model) * iteration);
}

// Takes some of the run's first steps, a second or two of them, and says from those how long all will take. Wants report.steps.
void time_steps(const Scene& scene, const Built& built, Solver& solver, State& state, CheckReport& report) {
  constexpr int kMostSteps = 10;
  constexpr double kLongest = 1.5;  // s
  if (state.particle_count == 0) return;
  report.least_iterations = usual_iterations(built.model);
  const double factor = growth(scene, built, state.particle_count) * (1 + scene.simulation.settle / scene.simulation.duration);
  std::vector<double> seconds;
  try {
    for (double sum = 0; report.timed_steps < kMostSteps && sum < kLongest; ++report.timed_steps) {
      const auto begin = Clock::now();
      const StepInfo step = solver.step(built.model, state, scene.solver.time_step.value_or(1 / scene.simulation.fps));
      const double taken = seconds_since(begin);
      seconds.push_back(expected_seconds(built.model, step, taken));
      sum += taken;
    }
  } catch (const RunError& e) {
    report.warnings.push_back(fmt::format("the run will stop early: {}", e.what()));
    return;
  }
  // The first one finds memory and caches cold; of the others the middle one counts.
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  report.seconds = factor * report.steps * median(std::move(seconds));
}

SnowExtent first_extent(const Model& model, const ParticleTable& particles) {
  SnowExtent extent(0);
  for (const ParticleRow& row : particles) {
    if (model.dimension == 3) {
      extent.include_block_of(model, place_of<3>(row).cell);
    } else {
      extent.include_block_of(model, place_of<2>(row).cell);
    }
  }
  return extent;
}

// Fixed steps are not shortened for bodies that move far in one.
void check_speeds(const Scene& scene, const Model& model, const SnowExtent& snow, std::vector<std::string>& warnings) {
  if (!scene.solver.time_step) return;
  for (std::size_t c = 0; c < model.bodies.size(); ++c) {
    const double cells = surface_speed(model, model.bodies[c], snow, scene.simulation.duration) * *scene.solver.time_step / model.h;
    if (cells > 1)
      warnings.push_back(
          fmt::format("{}: collider {} may move {:.2g} cells in one solver.time_step and jump over snow; use a shorter one or \"auto\"",
                      to_string(scene.colliders[c].location), c, cells));
  }
}

}  // namespace

CheckReport check(const Scene& scene, const SetupProgress& setup, int threads, bool timed) {
  check_formats(scene);
  Built built = build(scene, setup);
  CheckReport report;
  report.warnings = built.warnings;
  for (std::size_t i = 0; i < built.snow.size(); ++i)
    report.snow.push_back({std::string(schema::name_of(scene.snow[i].shape.kind)), built.snow[i].particles, built.snow[i].mass,
                           built.snow[i].content, built.snow[i].start});
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const BodyModel& body = built.model.bodies[i];
    const Vec<double, 3> size = body.upper - body.lower;
    report.colliders.push_back({std::string(schema::name_of(scene.colliders[i].shape.kind)),
                                {size[0], size[1], size[2]},
                                body.motion.moves() || body.deformation != nullptr});
  }
  for (std::size_t i = 0; i < scene.sources.size(); ++i) {
    const Emitter& emitter = built.population.emitters()[i];
    const double particles = static_cast<double>(emitter.count(scene.simulation.duration));
    report.sources.push_back({std::string(schema::name_of(scene.sources[i].shape.kind)), emitter.particles_per_second(), particles,
                              particles * emitter.particle_mass()});
  }
  for (const Sink& sink : scene.sinks) report.sinks.emplace_back(schema::name_of(sink.shape.kind));
  report.particles = built.particles.size();
  report.blocks = built.grid.blocks;
  if (built.model.limits_density()) report.critical_density = built.model.critical_density;
  report.bytes = estimate_bytes(scene, particles_at_most(scene, built), built.grid, built.model.varied);
  const double frame = 1 / scene.simulation.fps;
  Model automatic = built.model;
  automatic.solver.time_step.reset();
  if (scene.solver.time_step) automatic.bodies.clear();  // they have a warning of their own
  const SnowExtent snow = first_extent(built.model, built.particles);
  check_speeds(scene, built.model, snow, report.warnings);
  const std::unique_ptr<Solver> solver = make_solver(built.model, Backend::kCpu, threads);
  State state = solver->create(built.model, std::move(built.particles));
  // With every source at work: the steps to expect.
  const StepLimits limits =
      with_inflow(first_limits(built.model, *solver, state, built.population), automatic, 0, scene.simulation.duration);
  const double safe = choose_time_step(automatic, limits, snow, frame).dt;
  report.time_step = scene.solver.time_step.value_or(safe);
  report.steps = std::ceil(scene.simulation.duration / report.time_step);
  if (scene.solver.integrator == Integrator::kExplicit && report.time_step > safe)
    report.warnings.emplace_back(
        "solver.time_step is longer than the elastic limit of fresh snow: an explicit run will most likely fail; use \"auto\"");
  report.threads = thread_count(threads);
  if (!timed) return report;
  if (setup) setup("timing the first steps");
  time_steps(scene, built, *solver, state, report);
  return report;
}

}  // namespace firn
