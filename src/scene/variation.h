// Snow that is not the same everywhere in a body: which material, how heavy, with what parameters of its own.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "math/noise.h"
#include "math/vec.h"
#include "particles/table.h"

namespace firn {

// The material's place in the scene's table, which is its number in particles and files.
std::uint16_t material_index(const Scene& scene, const std::string& name);

// The parameters of a particle that has them from its material.
Variation as_material(const Material& material);

// What is wrong with a particle's own parameters: "hardening = 120: must be ..."; empty when nothing is.
std::string fault_of(const Material& material, const Variation& own);

// Whether there are keys that give particles parameters of their own; density needs none, particles have a mass anyway.
bool is_varied(const Snow& snow);
bool is_varied(const Scene& scene);

struct SnowAt {
  std::uint16_t material = 0;
  double density = 0;  // kg/m³
  Variation own;
};

// A body's snow as a function of position alone: layers choose the material, then the shell acts, then the noise.
class SnowField {
 public:
  SnowField(const Scene& scene, const Snow& snow);

  // x in the world, m; phi: distance from the body's surface, negative inside; it matters only where there is a shell. Throws
  // UserError at the key that takes a parameter out of its range.
  SnowAt at(const Vec<double, 3>& x, double phi) const;

 private:
  struct Layer {
    double above = -std::numeric_limits<double>::infinity();
    double below = std::numeric_limits<double>::infinity();
    std::uint16_t material = 0;
  };

  std::vector<Material> materials_;
  Snow snow_;
  std::uint16_t material_;
  std::vector<Layer> layers_;
  std::vector<FractalNoise> noises_;  // of snow_.noise
};

}  // namespace firn
