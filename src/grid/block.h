// How the infinite grid is cut into blocks, and which node blocks exist for a set of particle blocks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "math/lattice.h"

namespace firn {

// How the infinite grid is cut into blocks. A particle block holds kEdge^D cells. Its particles touch the nodes from one below its
// first cell to two above its last; node blocks are shifted by that one node, so these nodes lie in 2^D node blocks, never more.

template <int D>
struct BlockShape {
  static constexpr int kEdge = D == 3 ? 4 : 8;
  static constexpr int kLog2Edge = D == 3 ? 2 : 3;
  static constexpr int kNodes = D == 3 ? 64 : 64;  // also cells
  static constexpr int kNeighbors = 1 << D;        // node blocks under a particle block, and the reverse
  static constexpr int kHalo = 3;                  // nodes of the next blocks a stencil reaches
  static constexpr int kTileEdge = kEdge + kHalo;
  static constexpr int kTileRow = D == 3 ? 8 : 12;  // the last axis, padded to whole groups of four nodes
  static constexpr int kTileNodes = D == 3 ? kTileEdge * kTileEdge * kTileRow : kTileEdge * kTileRow;
  static constexpr int kKeyBits = D == 3 ? 19 : 28;  // per axis

  // Index of a node in a tile.
  static constexpr int tile_index(const Vec<int, D>& n) {
    if constexpr (D == 3) return (n[0] * kTileEdge + n[1]) * kTileRow + n[2];
    return n[0] * kTileRow + n[1];
  }
};

using BlockKey = std::uint64_t;

// Blocks may lie this far from the first one on either side.
template <int D>
inline constexpr std::int32_t kMaxBlock = std::int32_t(1) << (BlockShape<D>::kKeyBits - 1);

// Morton order: neighbours in space are near in memory, and a sorted list can be cut among machines.
template <int D>
inline BlockKey block_key(const Vec<std::int32_t, D>& block) {
  BlockKey key = 0;
  for (int bit = 0; bit < BlockShape<D>::kKeyBits; ++bit)
    for (int d = 0; d < D; ++d) {
      const BlockKey biased = static_cast<BlockKey>(static_cast<std::int64_t>(block[d]) + kMaxBlock<D>);
      key |= ((biased >> bit) & 1u) << (bit * D + (D - 1 - d));
    }
  return key;
}

template <int D>
inline Vec<std::int32_t, D> block_of_key(BlockKey key) {
  Vec<std::int32_t, D> block;
  for (int d = 0; d < D; ++d) {
    std::int64_t biased = 0;
    for (int bit = 0; bit < BlockShape<D>::kKeyBits; ++bit)
      biased |= static_cast<std::int64_t>((key >> (bit * D + (D - 1 - d))) & 1u) << bit;
    block[d] = static_cast<std::int32_t>(biased - kMaxBlock<D>);
  }
  return block;
}

// The first node of a node block: one below the first cell of the particle block with the same key. `origin`: the cell where block 0
// starts.
template <int D>
inline Cell<D> first_node(BlockKey key, const Cell<D>& origin) {
  return origin + BlockShape<D>::kEdge * block_of_key<D>(key) - Cell<D>::filled(1);
}

// Node i of the block whose first is `first`.
template <int D>
inline Cell<D> node_of_block(Cell<D> first, int i) {
  for (int d = D - 1; d >= 0; --d, i /= BlockShape<D>::kEdge) first[d] += i % BlockShape<D>::kEdge;
  return first;
}

// Offsets 0/1 per axis of neighbour k of 2^D, in key order.
template <int D>
constexpr Vec<int, D> neighbor_offset(int k) {
  Vec<int, D> r{};
  for (int d = 0; d < D; ++d) r[d] = (k >> (D - 1 - d)) & 1;
  return r;
}

// Which node blocks exist for a set of particle blocks, and how the two overlap.

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
  // The number of the node block with this key, or kNone.
  std::int32_t find(BlockKey node_key) const;
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
