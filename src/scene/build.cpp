#include "scene/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/memory.h"
#include "scene/bodies.h"
#include "scene/load_particles.h"
#include "scene/sampler.h"
#include "scene/scene_checks.h"

namespace firn {
namespace {

std::uint16_t material_index(const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.materials.size(); ++i)
    if (scene.materials[i].name == name) return static_cast<std::uint16_t>(i);
  throw UserError("unknown material '" + name + "'");
}

void check_memory(const Scene& scene) {
  const double h = scene.simulation.spacing;
  double particles = 0;
  for (const Snow& snow : scene.snow)
    particles += shape_volume(snow.shape, scene.simulation.dimension) / std::pow(h, scene.simulation.dimension) * snow.particles_per_cell;
  const double need = estimate_bytes(scene, particles), have = available_memory();
  constexpr double kMostParticles = std::numeric_limits<std::uint32_t>::max();  // ids are 32 bits
  if (need <= have && particles < kMostParticles) return;
  throw UserError(scene.simulation.spacing_location,
                  fmt::format("spacing = {}: about {:.3g} particles need {:.3g} GB, this machine has {:.3g} GB free; use a larger spacing or "
                              "smaller bodies",
                              h, particles, need / 1e9, have / 1e9));
}

// Particles of a sampled shape: mass so that the whole body weighs density × volume.
void add_shape(const Scene& scene, const Snow& snow, ParticleTable& table) {
  const int dimension = scene.simulation.dimension;
  const double h = scene.simulation.spacing;
  const std::vector<LatticePoint<double, 3>> points = sample_shape(snow, dimension, h);
  if (points.empty())
    throw UserError(snow.location, "this snow has no particles: it is much smaller than a grid cell; use a smaller simulation.spacing");
  ParticleRow row;
  row.material = material_index(scene, snow.material);
  row.mass = scene.materials[row.material].density * shape_volume(snow.shape, dimension) / static_cast<double>(points.size());
  const LatticePoint<double, 3> origin = to_lattice<double, 3>(shape_origin(snow.shape), h, true);
  for (const LatticePoint<double, 3>& x : points) {
    const Vec<double, 3> v = to_vec(snow.velocity) + cross(to_vec(snow.spin), difference(x.cell, x.offset, origin, h));
    for (int d = 0; d < 3; ++d) {
      row.cell[d] = x.cell[d];
      row.offset[d] = x.offset[d];
      row.velocity[d] = v[d];
    }
    table.push_back(row);
  }
}

void add_snow(const Scene& scene, const ParticleLoader& load, Built& built) {
  for (const Snow& snow : scene.snow) {
    const std::size_t before = built.particles.size();
    if (snow.shape.kind == ShapeKind::kParticles) {
      add_particles(scene, snow, material_index(scene, snow.material), load(snow.shape.file), built.particles);
    } else {
      add_shape(scene, snow, built.particles);
    }
    BodySummary summary{built.particles.size() - before, 0};
    for (std::size_t i = before; i < built.particles.size(); ++i) summary.mass += built.particles[i].mass;
    built.snow.push_back(summary);
  }
}

void finish_model(Built& built) {
  double lightest = std::numeric_limits<double>::max();
  Cell<3> lowest = Cell<3>::filled(std::numeric_limits<std::int32_t>::max());
  for (const ParticleRow& row : built.particles) {
    lightest = std::min(lightest, row.mass);
    for (int d = 0; d < 3; ++d) lowest[d] = std::min(lowest[d], row.cell[d]);
  }
  built.model.origin = lowest;
  built.model.mass_floor = kMassFloor * lightest;
}

}  // namespace

double estimate_bytes(const Scene& scene, double particles) {
  const bool is_double = scene.solver.precision == Precision::kDouble;
  double per_particle = scene.simulation.dimension == 3 ? 260 : 190;  // two buffers, sorting, tiles of half-filled blocks
  if (scene.solver.transfer == Transfer::kApic) per_particle += 2 * 4 * scene.simulation.dimension * scene.simulation.dimension;
  if (scene.solver.integrator == Integrator::kSemiImplicit) per_particle += 80;
  constexpr double kProgram = 30e6;  // code, libraries, thread stacks
  return kProgram + particles * std::max(per_particle * (is_double ? 2 : 1), 1.2 * sizeof(ParticleRow));
}

Built build(const Scene& scene, const ParticleLoader& load) {
  check_memory(scene);
  Built built;
  Model& model = built.model;
  model.dimension = scene.simulation.dimension;
  model.h = scene.simulation.spacing;
  model.gravity = to_vec(scene.simulation.gravity);
  model.solver = scene.solver;
  for (const Material& material : scene.materials) model.materials.push_back(snow_parameters(material));
  for (const Collider& collider : scene.colliders) model.bodies.push_back(make_body(collider, model.h));
  add_snow(scene, load, built);
  finish_model(built);
  check_bodies(scene, built);
  return built;
}

}  // namespace firn
