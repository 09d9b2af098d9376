// A counter-based generator: the numbers depend on the key alone, never on the order in which they are asked for.
#pragma once

#include <cstdint>

namespace firn {

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

}  // namespace firn
