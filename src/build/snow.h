// From shapes and files to particles: where the points are, how the snow varies, the rows that are made of them.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "build/form.h"
#include "firn/frame.h"
#include "firn/scene.h"
#include "math/lattice.h"
#include "math/random.h"
#include "math/vec.h"
#include "particles/table.h"

namespace firn {

// Snow that is not the same everywhere in a body: which material, how heavy, with what parameters of its own.

// The material's place in the scene's table, which is its number in particles and files.
std::uint16_t material_index(const Scene& scene, const std::string& name);

// Where a material is used first; nullptr: nowhere.
const Location* first_use(const Scene& scene, const std::string& material);

// The parameters of a particle that has them from its material.
Variation as_material(const Material& material);

// What `softening` is where the material does not say: the energy of a crack is that of the reference spacing, whatever the scene's is. A
// band as wide as a cell cannot lose it more abruptly than it is stored.
inline double steepest_softening(const Material& material) { return 2 / material.critical_stretch; }
double default_softening(const Scene& scene, const Material& material);

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

class RowMaker {
 public:
  // share: the volume that a particle stands for, m³ (2D: m²): it weighs density times that. Its V⁰ is that too, unless the
  // snow says that it is to be estimated from the grid (M5).
  RowMaker(const Scene& scene, const Snow& snow, const Form& form, double share);

  ParticleRow at(const LatticePoint<double, 3>& x) const;

 private:
  SnowField field_;
  Form form_;
  ParticleRow common_;
  LatticePoint<double, 3> origin_;
  Vec<double, 3> velocity_, spin_;
  bool has_shell_, is_varied_;
  double h_, share_;
};

// What a particle of fresh snow fills, m³ (2D: m²).
double particle_volume(const Scene& scene, const Snow& snow);

// Particles that fill that, wherever the shape ends.
RowMaker fresh_rows(const Scene& scene, const Snow& snow, const Form& form);

// Points inside a shape: uniform in volume, the same for the same seed wherever in the grid the shape stands.

inline constexpr CellBox<3> kEverywhere{Cell<3>::filled(std::numeric_limits<std::int32_t>::min()),
                                        Cell<3>::filled(std::numeric_limits<std::int32_t>::max())};

// particles_per_cell points per cell of spacing h on average, where snow of this form is; z is 0 in 2D. With jittered sampling, boxes of
// cells side by side get together exactly the points of the whole.
std::vector<LatticePoint<double, 3>> sample_form(const Form& form, const Snow& snow, double h, const CellBox<3>& cells = kEverywhere);

// Particles that come from a file rather than from a shape.

// Whether the file's particles have parameters of their own.
bool has_variation(const Frame& frame);

// Appends the frame's particles. What the file has wins: mass and volume over the material's density and (M5), parameters over the
// material's. The snow's velocity is added to theirs, its material is for files without one.
void add_particles(const Scene& scene, const Snow& snow, const Frame& frame, ParticleTable& table);

}  // namespace firn
