// What comes before a scatter of the fused step, and in its place where only blocks have changed; apart because it is over nodes and
// blocks, not over particles.
#pragma once

#include "solver/cuda/alone.h"

namespace firn::cuda {

// Before a fused scatter: nodes without anything, layers that are there already as if new, and who is alone. `layers`: below 0 where the
// next kernel finds them.
template <class T, int D>
__global__ void prepare_scatter(StepArgs<T, D> a, StepArgs<T, D> next, int layers) {
  const std::size_t first = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x, stride = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t block = first / 32; block < static_cast<std::size_t>(a.blocks.count); block += stride / 32)
    find_alone(a, static_cast<int>(block));
  const Quad<T> nothing{};
  for (std::size_t at = first; at < next.blocks.nodes(); at += stride) next.grid.momentum[at] = next.grid.force[at] = nothing;
  if (layers < 0) return;
  for (std::size_t at = first; at < std::size_t(layers) * Layout<D>::kNodes; at += stride) {
    next.contact.gap[at] = std::numeric_limits<T>::infinity();
    next.contact.memory[at] = next.contact.held[at] = nothing;
  }
}

// A scatter's sums to where their nodes are after a sort. A thread for each node of a block, which had the key `before` if it was there.
template <class T, int D>
__global__ void carry_nodes(StepArgs<T, D> a, const Key* keys, const Key* before, int count_before, GridView<T> grid,
                            ContactView<T> contact) {
  constexpr int kNodes = Layout<D>::kNodes;
  __shared__ int block;
  if (threadIdx.x == 0) block = find_key(before, count_before, keys[blockIdx.x]);
  __syncthreads();
  const std::size_t at = std::size_t(blockIdx.x) * kNodes + threadIdx.x, old = std::size_t(block < 0 ? 0 : block) * kNodes + threadIdx.x;
  a.grid.momentum[at] = block < 0 ? Quad<T>{} : grid.momentum[old];
  a.grid.force[at] = block < 0 ? Quad<T>{} : grid.force[old];
  if (!a.c.holds || block < 0) return;
  const int layer = a.contact.first[blockIdx.x], layer_before = contact.first[block];
  if (layer < 0 || layer_before < 0) return;
  for (int k = 0; k < ::min(a.contact.count[blockIdx.x], contact.count[block]); ++k) {
    const std::size_t here = std::size_t(layer + k) * kNodes + threadIdx.x, there = std::size_t(layer_before + k) * kNodes + threadIdx.x;
    a.contact.gap[here] = contact.gap[there];
    a.contact.memory[here] = contact.memory[there];
  }
}

}  // namespace firn::cuda
