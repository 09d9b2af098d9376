#include "build/snow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "build/bodies.h"
#include "math/lattice.h"
#include "scene/schema.h"

namespace firn {
namespace {

bool touches_parameters(const SnowFactors& f, double neutral) {
  return f.stiffness != neutral || f.hardening != neutral || f.critical_compression != neutral || f.critical_stretch != neutral;
}

void multiply(const SnowFactors& f, SnowAt& s) {
  s.own.stiffness *= f.stiffness;
  s.own.hardening *= f.hardening;
  s.own.critical_compression *= f.critical_compression;
  s.own.critical_stretch *= f.critical_stretch;
  s.density *= f.density;
}

SnowFactors raised(const SnowFactors& amplitude, double n) {
  const auto factor = [n](double a) { return std::pow(1 + a, n); };
  return {factor(amplitude.stiffness), factor(amplitude.hardening), factor(amplitude.critical_compression),
          factor(amplitude.critical_stretch), factor(amplitude.density)};
}

std::string fault(const char* name, double value, const schema::Range& range) {
  return range.contains(value) ? "" : fmt::format("{} = {:.6g}: must be {}", name, value, range.text());
}

// Names the key that did it and where in the body.
void refuse_faults(const Material& material, const SnowAt& s, const Vec<double, 3>& x, const char* key, const Location& location) {
  std::string what = fault_of(material, s.own);
  if (what.empty()) what = fault("density", s.density, schema::kDensity);
  if (!what.empty()) throw UserError(location, fmt::format("at [{:.4g}, {:.4g}, {:.4g}] the {} makes {}", x[0], x[1], x[2], key, what));
}

}  // namespace

std::uint16_t material_index(const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.materials.size(); ++i)
    if (scene.materials[i].name == name) return static_cast<std::uint16_t>(i);
  throw UserError("unknown material '" + name + "'");
}

Variation as_material(const Material& m) { return {1, m.hardening, m.critical_compression, m.critical_stretch}; }

const Location* first_use(const Scene& scene, const std::string& material) {
  const auto has_it = [&](const SnowLayer& layer) { return layer.material == material; };
  for (const Snow& snow : scene.snow)
    if (snow.material == material || std::any_of(snow.layers.begin(), snow.layers.end(), has_it)) return &snow.location;
  for (const Source& source : scene.sources)
    if (source.material == material) return &source.location;
  return nullptr;
}

double default_softening(const Scene& scene, const Material& material) {
  const double h = scene.simulation.spacing, coarser = h / scene.solver.reference_spacing.value_or(h);
  const double steepest = std::max(material.hardening, steepest_softening(material));
  return std::min(material.hardening * coarser, steepest);
}

std::string fault_of(const Material& material, const Variation& own) {
  for (const std::string& what : {fault("young_modulus", material.young_modulus * own.stiffness, schema::kStiffness),
                                  fault("hardening", own.hardening, schema::kHardening),
                                  fault("critical_compression", own.critical_compression, schema::kCompression),
                                  fault("critical_stretch", own.critical_stretch, schema::kStretch)})
    if (!what.empty()) return what;
  return {};
}

bool is_varied(const Snow& snow) {
  const auto by_noise = [](const SnowNoise& noise) { return touches_parameters(noise.amplitude, 0); };
  return (snow.shell && touches_parameters(snow.shell->factor, 1)) || std::any_of(snow.noise.begin(), snow.noise.end(), by_noise);
}

bool is_varied(const Scene& scene) {
  return std::any_of(scene.snow.begin(), scene.snow.end(), [](const Snow& snow) { return is_varied(snow); });
}

SnowField::SnowField(const Scene& scene, const Snow& snow)
    : materials_(scene.materials), snow_(snow), material_(material_index(scene, snow.material)) {
  for (const SnowLayer& layer : snow.layers) {
    layers_.push_back({.material = material_index(scene, layer.material)});
    if (layer.above) layers_.back().above = *layer.above;
    if (layer.below) layers_.back().below = *layer.below;
  }
  for (const SnowNoise& noise : snow.noise) noises_.emplace_back(noise.seed, noise.octaves);
}

SnowAt SnowField::at(const Vec<double, 3>& x, double phi) const {
  SnowAt s{material_, 0, {}};
  for (const Layer& layer : layers_)
    if (x[1] >= layer.above && x[1] < layer.below) s.material = layer.material;
  const Material& material = materials_[s.material];
  s.density = material.density;
  s.own = as_material(material);
  if (snow_.shell && phi > -snow_.shell->depth) {
    multiply(snow_.shell->factor, s);
    refuse_faults(material, s, x, "shell", snow_.shell->location);
  }
  for (std::size_t i = 0; i < noises_.size(); ++i) {
    const SnowNoise& noise = snow_.noise[i];
    multiply(raised(noise.amplitude, noises_[i](x[0] / noise.scale, x[1] / noise.scale, x[2] / noise.scale)), s);
    refuse_faults(material, s, x, "noise", noise.location);
  }
  return s;
}

RowMaker::RowMaker(const Scene& scene, const Snow& snow, const Form& form, double share)
    : field_(scene, snow),
      form_(form),
      origin_(to_lattice<double, 3>(form.origin, scene.simulation.spacing, true)),
      velocity_(to_vec(snow.velocity)),
      spin_(to_vec(snow.spin)),
      has_shell_(snow.shell.has_value()),
      is_varied_(is_varied(snow)),
      h_(scene.simulation.spacing),
      share_(share) {
  for (int d = 0; d < scene.simulation.dimension; ++d) common_.F_E[4 * d] = snow.stretch[d];
  if (snow.initial_volume == InitialVolume::kShape || snow.start > 0) common_.volume = share;
}

ParticleRow RowMaker::at(const LatticePoint<double, 3>& x) const {
  ParticleRow row = common_;
  const Vec<double, 3> from_origin = difference(x.cell, x.offset, origin_, h_);
  const Vec<double, 3> v = velocity_ + cross(spin_, from_origin);
  for (int d = 0; d < 3; ++d) {
    row.cell[d] = x.cell[d];
    row.offset[d] = x.offset[d];
    row.velocity[d] = v[d];
  }
  const SnowAt here =
      field_.at({row.position(0, h_), row.position(1, h_), row.position(2, h_)}, has_shell_ ? form_.distance(from_origin) : 0);
  row.material = here.material;
  row.mass = here.density * share_;
  if (is_varied_) row.own = here.own;
  return row;
}

double particle_volume(const Scene& scene, const Snow& snow) {
  return std::pow(scene.simulation.spacing, scene.simulation.dimension) / snow.particles_per_cell;
}

RowMaker fresh_rows(const Scene& scene, const Snow& snow, const Form& form) {
  Snow fresh = snow;
  fresh.initial_volume = InitialVolume::kShape;  // what comes in finds a grid that does not know it
  return RowMaker(scene, fresh, form, particle_volume(scene, snow));
}

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
  FIRN_HELD_FIELDS(FIRN_NO_FIELD, FIRN_NO_FIELD, FIRN_OF_ROW)
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
