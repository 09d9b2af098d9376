// Chance that is the same everywhere: random numbers that depend on a key alone, and smooth noise made of them.
#pragma once

#include <cmath>
#include <cstdint>

namespace firn {

// A counter-based generator: the numbers depend on the key alone, never on the order in which they are asked for.

class Rng {
 public:
  explicit Rng(std::uint64_t key) : state_(mix(key)) {}

  // The key of a cell (or any lattice index) under a seed.
  static std::uint64_t cell_key(std::uint64_t seed, std::int64_t i, std::int64_t j, std::int64_t k) {
    std::uint64_t h = mix(seed ^ 0x6a09e667f3bcc909u);
    h = mix(h ^ static_cast<std::uint64_t>(i));
    h = mix(h ^ static_cast<std::uint64_t>(j));
    return mix(h ^ static_cast<std::uint64_t>(k));
  }

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
  // Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  // The finalizer of splitmix64.
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

// Smooth random values of a position: gradient noise, several octaves of it, the same on every machine.

// The value lies in (-1, 1), is 0 on average and about equally frequent from -0.9 to 0.9. Features of the first octave are about
// one unit of the coordinates wide; each further octave halves their size and their strength.
class FractalNoise {
 public:
  FractalNoise(std::uint32_t seed, int octaves) : seed_(seed), octaves_(octaves) {}

  double operator()(double x, double y, double z) const {
    double sum = 0, variance = 0, frequency = 1, strength = 1;
    for (int octave = 0; octave < octaves_; ++octave, frequency *= 2, strength /= 2) {
      const std::uint64_t key = Rng::cell_key(seed_, octave, 0, 0);
      Rng shift(key);  // every octave is 0 at the points of its lattice: they must not coincide
      const double u = frequency * x + shift.uniform(), v = frequency * y + shift.uniform(), w = frequency * z + shift.uniform();
      sum += strength * gradient_noise(key, u, v, w);
      variance += strength * strength;
    }
    // Sums of octaves are close to normally distributed; this takes them to (-1, 1), nearly evenly, without kinks.
    const double s = kSpread / kDeviation * sum / std::sqrt(variance);
    return s / std::sqrt(1 + s * s);
  }

 private:
  static constexpr double kDeviation = 0.27;  // of gradient_noise, root mean square over all positions and keys
  static constexpr double kSpread = 0.8;      // standard deviation before the last map; this one makes the outcome the most even

  // Perlin's: at each corner of a lattice cell a random direction, whose slopes are blended.
  static double gradient_noise(std::uint64_t key, double x, double y, double z) {
    const double corner[3] = {std::floor(x), std::floor(y), std::floor(z)};
    const double at[3] = {x - corner[0], y - corner[1], z - corner[2]};
    const double blend[3] = {fade(at[0]), fade(at[1]), fade(at[2])};
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
      double weight = 1, from_corner[3];
      std::int64_t cell[3];
      for (int d = 0; d < 3; ++d) {
        const int upper = k >> d & 1;
        weight *= upper ? blend[d] : 1 - blend[d];
        from_corner[d] = at[d] - upper;
        cell[d] = static_cast<std::int64_t>(corner[d]) + upper;
      }
      sum += weight * slope(Rng::cell_key(key, cell[0], cell[1], cell[2]), from_corner);
    }
    return sum;
  }

  // From 0 to 1 with t, with continuous first and second derivatives where cells meet.
  static double fade(double t) { return t * t * t * (t * (6 * t - 15) + 10); }

  // The product of r and one of the twelve directions from a cube's centre to its edges.
  static double slope(std::uint64_t hash, const double r[3]) {
    const int first = static_cast<int>(hash % 3), second = (first + 1) % 3;
    const double a = hash >> 32 & 1 ? r[first] : -r[first], b = hash >> 33 & 1 ? r[second] : -r[second];
    return a + b;
  }

  std::uint64_t seed_;
  int octaves_;
};

}  // namespace firn
