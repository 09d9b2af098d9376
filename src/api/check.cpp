#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/frame_writer.h"
#include "firn/simulation.h"
#include "scene/build.h"
#include "scene/schema.h"
#include "solver/time_step.h"

namespace firn {
namespace {

// Speed and stiffness of the first particles, with the V⁰ a run would start with.
StepLimits first_limits(const Model& model, ParticleTable particles) {
  const std::unique_ptr<Solver> solver = make_solver(model, Backend::kCpu, 0);
  const std::unique_ptr<State> state = solver->create(model, std::move(particles));
  StepLimits limits;
  constexpr std::size_t kPiece = 32768;
  for (std::size_t at = 0; at < state->next_id; at += kPiece)
    for (const ParticleRow& row : solver->rows(model, *state, at, std::min(state->next_id, at + kPiece))) {
      const SnowParameters<double> s = snow_parameters(model, row.material, row.own);
      const double compliance = row.volume / row.mass;
      const Lame<double> l = hardened(s, row.J_P);
      const double speed = norm(Vec<double, 3>{row.velocity[0], row.velocity[1], row.velocity[2]});
      limits.wave = std::max(limits.wave, std::sqrt((l.lambda + 2 * l.mu) * compliance) + speed);
      limits.soft_wave = std::max(limits.soft_wave, std::sqrt((s.lambda0 + 2 * s.mu0) * compliance));
      limits.speed = std::max(limits.speed, speed);
    }
  return limits;
}

SnowExtent first_extent(const Model& model, const ParticleTable& particles) {
  SnowExtent extent(0);
  for (const ParticleRow& row : particles) {
    if (model.dimension == 3) {
      extent.include(Cell<3>{row.cell[0], row.cell[1], row.cell[2]}, 1);
    } else {
      extent.include(Cell<2>{row.cell[0], row.cell[1]}, 1);
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
      warnings.push_back(fmt::format("{}: collider {} may move {:.2g} cells in one solver.time_step and jump over snow; use a shorter one or \"auto\"",
                                     to_string(scene.colliders[c].location), c, cells));
  }
}

}  // namespace

CheckReport check(const Scene& scene, const SetupProgress&) {
  check_formats(scene);
  Built built = build(scene, read_ply);
  CheckReport report;
  report.warnings = built.warnings;
  for (std::size_t i = 0; i < built.snow.size(); ++i)
    report.snow.push_back({std::string(schema::name_of(scene.snow[i].shape.kind)), built.snow[i].particles, built.snow[i].mass, built.snow[i].content});
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const BodyModel& body = built.model.bodies[i];
    const Vec<double, 3> size = body.upper - body.lower;
    report.colliders.push_back({std::string(schema::name_of(scene.colliders[i].shape.kind)), {size[0], size[1], size[2]},
                                body.motion.moves() || body.deformation != nullptr});
  }
  for (std::size_t i = 0; i < scene.sources.size(); ++i) {
    const Emitter& emitter = built.population.emitters()[i];
    const double particles = static_cast<double>(emitter.count(scene.simulation.duration));
    report.sources.push_back(
        {std::string(schema::name_of(scene.sources[i].shape.kind)), emitter.particles_per_second(), particles, particles * emitter.particle_mass()});
  }
  for (const Sink& sink : scene.sinks) report.sinks.emplace_back(schema::name_of(sink.shape.kind));
  report.particles = built.particles.size();
  report.blocks = built.grid.blocks;
  report.bytes = estimate_bytes(scene, particles_at_most(scene, built), built.grid, built.model.varied);
  const double frame = 1 / scene.simulation.fps;
  Model automatic = built.model;
  automatic.solver.time_step.reset();
  if (scene.solver.time_step) automatic.bodies.clear();  // they have a warning of their own
  const SnowExtent snow = first_extent(built.model, built.particles);
  check_speeds(scene, built.model, snow, report.warnings);
  // With every source at work: the steps to expect.
  const StepLimits limits = with_inflow(first_limits(built.model, std::move(built.particles)), automatic, 0, scene.simulation.duration);
  const double safe = choose_time_step(automatic, limits, snow, frame);
  report.time_step = scene.solver.time_step.value_or(safe);
  report.steps = std::ceil(scene.simulation.duration / report.time_step);
  if (scene.solver.integrator == Integrator::kExplicit && report.time_step > safe)
    report.warnings.push_back("solver.time_step is longer than the elastic limit of fresh snow: an explicit run will most likely fail; use \"auto\"");
  return report;
}

}  // namespace firn
