#include "scene/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/memory.h"
#include "grid/block.h"
#include "scene/bodies.h"
#include "scene/load_particles.h"
#include "scene/sampler.h"
#include "scene/scene_checks.h"
#include "scene/variation.h"

namespace firn {
namespace {

void refuse_beyond_memory(const Scene& scene, double particles, const GridSize& grid, bool varied) {
  const double need = estimate_bytes(scene, particles, grid, varied), have = available_memory();
  constexpr double kMostParticles = std::numeric_limits<std::uint32_t>::max();  // ids are 32 bits
  if (need <= have && particles < kMostParticles) return;
  throw UserError(scene.simulation.spacing_location,
                  fmt::format("spacing = {}: about {:.3g} particles need {:.3g} GB, this machine has {:.3g} GB free; use a larger spacing or "
                              "smaller bodies",
                              scene.simulation.spacing, particles, need / 1e9, have / 1e9));
}

// Before anything is sampled: from what the shapes hold.
void check_contents(const Scene& scene, const std::vector<Form>& forms) {
  double particles = 0;
  for (std::size_t s = 0; s < forms.size(); ++s)
    particles += forms[s].content / std::pow(scene.simulation.spacing, scene.simulation.dimension) * scene.snow[s].particles_per_cell;
  refuse_beyond_memory(scene, particles, {}, is_varied(scene));
}

// Per [[snow]]; particles from a file have none.
std::vector<Form> make_forms(const Scene& scene, std::vector<std::string>& warnings) {
  std::vector<Form> forms;
  for (const Snow& snow : scene.snow)
    forms.push_back(snow.shape.kind == ShapeKind::kParticles ? Form{} : make_form_at(snow.shape, scene, snow.location, warnings));
  return forms;
}

// A body's particles before they become rows of the table: points of a shape, or a file.
struct Source {
  std::vector<LatticePoint<double, 3>> points;
  Frame frame;

  std::size_t size() const { return points.size() + frame.size(); }
};

Source read_source(const Scene& scene, const Snow& snow, const Form& form, const ParticleLoader& load) {
  Source source;
  if (snow.shape.kind != ShapeKind::kParticles) {
    source.points = sample_form(form, snow, scene.simulation.spacing);
    if (source.points.empty())
      throw UserError(snow.location, "this snow has no particles: it is much smaller than a grid cell; use a smaller simulation.spacing");
    return source;
  }
  try {
    source.frame = load(snow.shape.file);
  } catch (const UserError& e) {
    throw UserError(snow.location, e.what());
  }
  return source;
}

// Particles of a sampled shape: each has the same part of the volume, so that a uniform body weighs density × volume.
void add_shape(const Scene& scene, const Snow& snow, const Form& form, const Source& source, ParticleTable& table) {
  const double h = scene.simulation.spacing;
  const double count = static_cast<double>(source.points.size());
  const SnowField field(scene, snow);
  ParticleRow row;
  for (int d = 0; d < scene.simulation.dimension; ++d) row.F_E[4 * d] = snow.stretch[d];
  const LatticePoint<double, 3> origin = to_lattice<double, 3>(form.origin, h, true);
  for (const LatticePoint<double, 3>& x : source.points) {
    const Vec<double, 3> from_origin = difference(x.cell, x.offset, origin, h);
    const Vec<double, 3> v = to_vec(snow.velocity) + cross(to_vec(snow.spin), from_origin);
    for (int d = 0; d < 3; ++d) {
      row.cell[d] = x.cell[d];
      row.offset[d] = x.offset[d];
      row.velocity[d] = v[d];
    }
    const SnowAt snow_here = field.at({row.position(0, h), row.position(1, h), row.position(2, h)}, snow.shell ? form.distance(from_origin) : 0);
    row.material = snow_here.material;
    row.mass = snow_here.density * form.content / count;
    row.own = snow_here.own;
    table.push_back(row);
  }
}

void add_snow(const Scene& scene, const std::vector<Form>& forms, const ParticleLoader& load, Built& built) {
  std::vector<Source> sources;
  std::size_t total = 0;
  for (std::size_t s = 0; s < scene.snow.size(); ++s) {
    sources.push_back(read_source(scene, scene.snow[s], forms[s], load));
    total += sources.back().size();
  }
  built.particles.reserve(total);  // rows are large: growing by copies would double the peak
  for (std::size_t s = 0; s < scene.snow.size(); ++s) {
    const Snow& snow = scene.snow[s];
    const std::size_t before = built.particles.size();
    if (snow.shape.kind == ShapeKind::kParticles) {
      add_particles(scene, snow, sources[s].frame, built.particles);
      built.model.varied |= has_variation(sources[s].frame);
    } else {
      add_shape(scene, snow, forms[s], sources[s], built.particles);
    }
    sources[s] = {};
    BodySummary summary{built.particles.size() - before, 0, forms[s].content};
    for (std::size_t i = before; i < built.particles.size(); ++i) summary.mass += built.particles[i].mass;
    built.snow.push_back(summary);
  }
}

void finish_model(const Scene& scene, Built& built) {
  double lightest = std::numeric_limits<double>::max();
  Cell<3> lowest = Cell<3>::filled(std::numeric_limits<std::int32_t>::max()), highest = Cell<3>::filled(std::numeric_limits<std::int32_t>::min());
  for (const ParticleRow& row : built.particles) {
    lightest = std::min(lightest, row.mass);
    for (int d = 0; d < 3; ++d) {
      lowest[d] = std::min(lowest[d], row.cell[d]);
      highest[d] = std::max(highest[d], row.cell[d]);
    }
  }
  built.model.origin = lowest;
  built.model.mass_floor = kMassFloor * lightest;
  constexpr std::int64_t kFarthest = std::int64_t(kMaxBlock<3> - 2) * BlockShape<3>::kEdge / 2;  // room to fly apart
  for (int d = 0; d < 3; ++d)
    if (std::int64_t(highest[d]) - lowest[d] > kFarthest)
      throw UserError(scene.snow.back().location, fmt::format("particles lie {} cells apart, at most {} are allowed; use a larger spacing or "
                                                              "bring the bodies closer together",
                                                              std::int64_t(highest[d]) - lowest[d], kFarthest));
}

}  // namespace

Built build(const Scene& scene, const ParticleLoader& load) {
  Built built;
  const std::vector<Form> forms = make_forms(scene, built.warnings);
  check_contents(scene, forms);
  Model& model = built.model;
  model.dimension = scene.simulation.dimension;
  model.h = scene.simulation.spacing;
  model.gravity = to_vec(scene.simulation.gravity);
  model.solver = scene.solver;
  for (const Material& material : scene.materials) model.materials.push_back(snow_parameters(material));
  model.bodies = make_bodies(scene, built.warnings);
  model.varied = is_varied(scene);
  add_snow(scene, forms, load, built);
  finish_model(scene, built);
  built.grid = count_blocks(built.model, built.particles);
  refuse_beyond_memory(scene, static_cast<double>(built.particles.size()), built.grid, model.varied);
  check_bodies(scene, forms, built);
  return built;
}

}  // namespace firn
