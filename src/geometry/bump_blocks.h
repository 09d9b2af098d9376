// Sums of many small bumps on the values of a sparse lattice, block by block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "math/vec.h"

namespace firn {

// height (1 − (distance/reach)²)³, and 0 beyond its reach. Lengths are in steps of the lattice.
struct Bump {
  Vec<double, 3> center;
  double reach = 0;
  double height = 0;

  double at(double distance) const {
    const double rest = 1 - distance * distance / (reach * reach);
    return rest > 0 ? height * rest * rest * rest : 0;
  }
};

// The blocks of 8×8×8 values that some bump reaches, and which bumps reach which.
class BumpBlocks {
 public:
  static constexpr int kEdge = 8, kValues = kEdge * kEdge * kEdge;
  // Block numbers must fit into their share of a key.
  static constexpr double kFarthest = double(kEdge) * (1 << 20);
  // Bytes while the blocks are made, for each pair of a bump and a block it reaches.
  static constexpr double kBytesPerPair = 16;

  // Pairs of a bump and a block it reaches.
  static double count_pairs(std::span<const Bump> bumps);

  // The bumps must stay where they are, and be nowhere beyond kFarthest.
  explicit BumpBlocks(std::span<const Bump> bumps);

  std::size_t size() const { return first_.size() - 1; }
  // The index of the block's first value.
  std::array<std::int32_t, 3> origin(std::size_t block) const;
  // Takes the bumps away from the block's values, z running fastest. Always in the bumps' order, whichever thread does it.
  void subtract_from(std::size_t block, std::span<float, kValues> values) const;

 private:
  struct Pair {
    std::uint64_t block;
    std::uint32_t bump;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };

  std::span<const Bump> bumps_;
  std::vector<Pair> pairs_;         // by block, then by bump
  std::vector<std::size_t> first_;  // pair of every block, and the end
};

}  // namespace firn
