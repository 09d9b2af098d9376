#include "scene/variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

}  // namespace firn
