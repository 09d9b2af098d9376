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

// The material's parameters but for those the file has.
Variation own_of(const Snow& snow, const Material& material, const Frame& frame, std::size_t i) {
  Variation own = as_material(material);
  if (!frame.stiffness.empty()) own.stiffness = frame.stiffness[i];
  if (!frame.young_modulus.empty()) own.stiffness = frame.young_modulus[i] / material.young_modulus;
  if (!frame.hardening.empty()) own.hardening = frame.hardening[i];
  if (!frame.critical_compression.empty()) own.critical_compression = frame.critical_compression[i];
  if (!frame.critical_stretch.empty()) own.critical_stretch = frame.critical_stretch[i];
  const std::string fault = fault_of(material, own);
  if (!fault.empty()) refuse(snow, i, fault);
  return own;
}

}  // namespace

bool has_variation(const Frame& frame) {
  return !(frame.stiffness.empty() && frame.young_modulus.empty() && frame.hardening.empty() && frame.critical_compression.empty() &&
           frame.critical_stretch.empty());
}

void add_particles(const Scene& scene, const Snow& snow, const Frame& frame, ParticleTable& table) {
  if (frame.size() == 0) throw UserError(snow.location, fmt::format("{}: the file has no particles", snow.shape.file));
  table.reserve(table.size() + frame.size());
  const std::uint16_t material = material_index(scene, snow.material);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    ParticleRow row;
    place(scene, snow, frame, i, row);
    row.velocity = snow.velocity;
    for (int d = 0; d < 3 && !frame.velocity.empty(); ++d) row.velocity[d] += frame.velocity[i][d];
    if (scene.simulation.dimension == 2 && row.velocity[2] != 0) refuse(snow, i, "vz must be 0 in a 2D scene");
    row.material = frame.material.empty() ? material : frame.material[i];
    if (row.material >= scene.materials.size())
      refuse(snow, i, fmt::format("material {} does not exist: the scene has {}", row.material, scene.materials.size()));
    if (!frame.volume.empty()) row.volume = frame.volume[i];
    const Material& m = scene.materials[row.material];
    row.mass = !frame.mass.empty() ? frame.mass[i] : row.volume > 0 ? m.density * row.volume : default_mass(scene, snow, m);
    if (snow.start > 0 && row.volume == 0) row.volume = row.mass / m.density;  // the grid of the start does not know it
    if (has_variation(frame)) row.own = own_of(snow, m, frame, i);
    if (!frame.jp.empty()) row.J_P = frame.jp[i];
    if (!frame.fe.empty()) row.F_E = frame.fe[i];
    if (!frame.b.empty()) row.B = frame.b[i];
    table.push_back(row);
  }
}

}  // namespace firn
