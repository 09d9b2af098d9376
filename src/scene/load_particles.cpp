#include "scene/load_particles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/lattice.h"
#include "scene/bodies.h"
#include "scene/variation.h"

namespace firn {
namespace {

constexpr double kFarthestCell = 1e9;  // cells are 32-bit numbers

[[noreturn]] void refuse(const Snow& snow, std::size_t row, const std::string& what) {
  throw UserError(snow.location, fmt::format("{}: particle {}: {}", snow.shape.file, row, what));
}

void place(const Scene& scene, const Snow& snow, const Frame& frame, std::size_t i, ParticleRow& row) {
  const double h = scene.simulation.spacing;
  for (int d = 0; d < 3; ++d) {
    const double x = frame.position[i][d];
    if (scene.simulation.dimension == 2 && d == 2) {
      if (x != 0) refuse(snow, i, fmt::format("z = {} in a 2D scene, must be 0", x));
      continue;
    }
    if (std::abs(x / h) > kFarthestCell) refuse(snow, i, fmt::format("coordinate {} is too far from the origin for spacing {}", x, h));
    split_coordinate(x / h, false, row.cell[d], row.offset[d]);
  }
}

// The particles' default mass without `mass` or `volume` in the file: as if they filled cells like sampled snow.
double default_mass(const Scene& scene, const Snow& snow, const Material& material) {
  return material.density * std::pow(scene.simulation.spacing, scene.simulation.dimension) / snow.particles_per_cell;
}

// f(what the row or `own` has, the file's column of it, whether it is the particle's own) for all that a state has as files do.
template <class F>
void for_each_field(const Frame& frame, ParticleRow& row, Variation& own, F f) {
#define FIRN_OF_ROW(member, type, shape, change, needs, initial, frames, field, name, ...) f(row.member, frame.name, false);
#define FIRN_OWN(member, type, shape, change, needs, initial, frames, field, name, ...) f(own.member, frame.name, true);
  FIRN_CORE_FIELDS(FIRN_NO_FIELD, FIRN_NO_FIELD, FIRN_OF_ROW)
  FIRN_AFFINE_FIELDS(FIRN_NO_FIELD, FIRN_NO_FIELD, FIRN_OF_ROW)
  FIRN_VARIED_FIELDS(FIRN_NO_FIELD, FIRN_NO_FIELD, FIRN_OWN)
#undef FIRN_OF_ROW
#undef FIRN_OWN
}

}  // namespace

bool has_variation(const Frame& frame) {
  bool some = !frame.young_modulus.empty();
  ParticleRow row;
  Variation own;
  for_each_field(frame, row, own, [&](auto&, const auto& column, bool is_own) { some |= is_own && !column.empty(); });
  return some;
}

void add_particles(const Scene& scene, const Snow& snow, const Frame& frame, ParticleTable& table) {
  if (frame.size() == 0) throw UserError(snow.location, fmt::format("{}: the file has no particles", snow.shape.file));
  table.reserve(table.size() + frame.size());
  const std::uint16_t material = material_index(scene, snow.material);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    ParticleRow row;
    row.material = material;
    if (!frame.material.empty()) row.material = frame.material[i];
    if (row.material >= scene.materials.size())
      refuse(snow, i, fmt::format("material {} does not exist: the scene has {}", row.material, scene.materials.size()));
    const Material& m = scene.materials[row.material];
    Variation own = as_material(m);
    for_each_field(frame, row, own, [&](auto& value, const auto& column, bool) {
      if (!column.empty()) value = column[i];
    });
    row.id = 0;  // the solver numbers it
    place(scene, snow, frame, i, row);
    for (int d = 0; d < 3; ++d) row.velocity[d] += snow.velocity[d];
    if (scene.simulation.dimension == 2 && row.velocity[2] != 0) refuse(snow, i, "vz must be 0 in a 2D scene");
    if (frame.mass.empty()) row.mass = row.volume > 0 ? m.density * row.volume : default_mass(scene, snow, m);
    if (snow.start > 0 && row.volume == 0) row.volume = row.mass / m.density;  // the grid of the start does not know it
    if (!frame.young_modulus.empty()) own.stiffness = frame.young_modulus[i] / m.young_modulus;
    if (has_variation(frame)) {
      if (const std::string fault = fault_of(m, own); !fault.empty()) refuse(snow, i, fault);
      row.own = own;
    }
    table.push_back(row);
  }
}

}  // namespace firn
