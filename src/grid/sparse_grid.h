// Which node blocks exist for a set of particle blocks, and how the two overlap.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/block.h"

namespace firn {

template <int D>
class SparseGrid {
 public:
  static constexpr std::int32_t kNone = -1;
  static constexpr BlockKey kNoNodes = ~BlockKey(0);  // no block has this key
  using Overlap = std::array<std::int32_t, BlockShape<D>::kNeighbors>;

  // particle_blocks: sorted keys, with kNoNodes for those that need none.
  void build(std::span<const BlockKey> particle_blocks);

  std::size_t node_block_count() const { return node_keys_.size(); }
  BlockKey node_key(std::size_t node_block) const { return node_keys_[node_block]; }
  // Node block k of 2^D under a particle block: the one at +neighbor_offset(k), or kNone.
  const Overlap& nodes_of(std::size_t particle_block) const { return nodes_of_[particle_block]; }
  // Particle block k of 2^D that reaches a node block, the one at −neighbor_offset(k), or kNone.
  const Overlap& tiles_of(std::size_t node_block) const { return tiles_of_[node_block]; }
  std::size_t bytes() const;

 private:
  std::vector<BlockKey> particle_keys_, node_keys_;
  std::vector<Overlap> nodes_of_, tiles_of_;
};

}  // namespace firn
