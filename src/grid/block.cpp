#include "grid/block.h"

#include <algorithm>

#include "core/parallel.h"

namespace firn {

template <int D>
void SparseGrid<D>::build(std::span<const BlockKey> particle_blocks) {
  constexpr int kNeighbors = BlockShape<D>::kNeighbors;
  const std::size_t n = particle_blocks.size();
  if (std::equal(particle_blocks.begin(), particle_blocks.end(), particle_keys_.begin(), particle_keys_.end())) return;
  particle_keys_.assign(particle_blocks.begin(), particle_blocks.end());

  std::vector<BlockKey> touched(n * kNeighbors);
  parallel_for(n, [&](std::size_t b) {
    const bool has_nodes = particle_blocks[b] != kNoNodes;
    const Vec<std::int32_t, D> block = has_nodes ? block_of_key<D>(particle_blocks[b]) : Vec<std::int32_t, D>::zero();
    for (int k = 0; k < kNeighbors; ++k) touched[b * kNeighbors + k] = has_nodes ? block_key<D>(block + neighbor_offset<D>(k)) : kNoNodes;
  });
  node_keys_ = touched;
  std::erase(node_keys_, kNoNodes);
  parallel_sort(node_keys_.begin(), node_keys_.end());
  node_keys_.erase(std::unique(node_keys_.begin(), node_keys_.end()), node_keys_.end());

  nodes_of_.resize(n);
  tiles_of_.assign(node_keys_.size(), {});
  for (Overlap& tiles : tiles_of_) tiles.fill(kNone);
  parallel_for(n, [&](std::size_t b) {
    nodes_of_[b].fill(kNone);
    for (int k = 0; k < kNeighbors && particle_blocks[b] != kNoNodes; ++k) {
      const auto at = std::lower_bound(node_keys_.begin(), node_keys_.end(), touched[b * kNeighbors + k]);
      const auto node_block = at - node_keys_.begin();
      nodes_of_[b][k] = static_cast<std::int32_t>(node_block);
      tiles_of_[node_block][k] = static_cast<std::int32_t>(b);  // each (node block, k) has one particle block: no race
    }
  });
}

template <int D>
std::int32_t SparseGrid<D>::find(BlockKey node_key) const {
  const auto at = std::lower_bound(node_keys_.begin(), node_keys_.end(), node_key);
  return at != node_keys_.end() && *at == node_key ? static_cast<std::int32_t>(at - node_keys_.begin()) : kNone;
}

template <int D>
std::size_t SparseGrid<D>::bytes() const {
  return (particle_keys_.capacity() + node_keys_.capacity()) * sizeof(BlockKey) +
         (nodes_of_.capacity() + tiles_of_.capacity()) * sizeof(Overlap);
}

template class SparseGrid<2>;
template class SparseGrid<3>;

}  // namespace firn
