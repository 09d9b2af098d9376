// Which particles go to the grid together: those whose first node is in one leaf. With a reach of at most four nodes they meet that leaf
// and the next on every axis, never more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/rasterize.h"
#include "math/vec.h"

namespace firn {

// A leaf, in leaves from the origin.
using Block = Vec<std::int32_t, 3>;

// The blocks there are lie in a box; their numbers in it ascend with x, then y, then z.
class BlockBox {
 public:
  // There is at least one block.
  explicit BlockBox(const std::vector<Block>& blocks);

  bool can_be_numbered() const {
    return static_cast<double>(extent_[0]) * static_cast<double>(extent_[1]) * static_cast<double>(extent_[2]) < 0x1p63;
  }
  std::uint64_t size() const { return extent_[0] * extent_[1] * extent_[2]; }

  std::uint64_t number(const Block& b) const {
    const auto along = [&](int d) { return static_cast<std::uint64_t>(std::int64_t{b[d]} - lower_[d]); };
    return number_of_step(along(0), along(1), along(2));
  }
  std::uint64_t number_of_step(std::uint64_t x, std::uint64_t y, std::uint64_t z) const { return (x * extent_[1] + y) * extent_[2] + z; }
  std::array<std::int32_t, 3> first_node(std::uint64_t number) const;

 private:
  Block lower_;
  Vec<std::uint64_t, 3> extent_{};
};

// A particle and the number of its block.
struct BlockEntry {
  std::uint64_t block;
  std::size_t particle;
};

// By block, and in one block as before. All blocks are below `end`.
void sort_by_block(std::vector<BlockEntry>& entries, std::uint64_t end);

}  // namespace firn
