// Particles between the parts of the program: row by row, in id order, double precision, always three components.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace firn {

// What a particle of a varied run has of its own, instead of its material's.
struct Variation {
  double stiffness = 1;             // times the material's young_modulus
  double hardening = 0;             // xi
  double critical_compression = 0;  // theta_c
  double critical_stretch = 0;      // theta_s
};

struct ParticleRow {
  std::array<std::int32_t, 3> cell{0, 0, 0};
  std::uint16_t material = 0;
  std::array<double, 3> offset{0, 0, 0};
  std::array<double, 3> velocity{0, 0, 0};
  std::array<double, 9> F_E{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<double, 9> B{0, 0, 0, 0, 0, 0, 0, 0, 0};
  double J_P = 1;
  double mass = 0;
  double volume = 0;  // 0: to be estimated from the grid (M5)
  Variation own;      // varied runs only
  std::uint32_t id = 0;  // of rows that a solver gives out; it numbers those it takes in by itself

  double position(int axis, double h) const { return (cell[axis] + offset[axis]) * h; }
};

using ParticleTable = std::vector<ParticleRow>;  // in id order

}  // namespace firn
