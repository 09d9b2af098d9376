// What the CPU solver keeps: two particle buffers, the sorted blocks, and the values on the sparse grid.
#pragma once

#include <algorithm>

#include "core/aligned.h"
#include "grid/sparse_grid.h"
#include "particles/migration.h"
#include "solver/constraint.h"
#include "solver/cpu/transfer.h"
#include "solver/solver.h"
#include "solver/time_step.h"

namespace firn::cpu {

// What a particle pass found in one block; combined in block order.
struct BlockReport {
  StepLimits limits;
  Attempt attempt;
  std::int64_t limited = 0;
};

template <class T, int D>
struct CpuState : State {
  using Shape = BlockShape<D>;
  static constexpr std::size_t kTileValues = std::size_t(Shape::kTileNodes) * kNodeChannels;
  static constexpr std::size_t kRowTileValues = std::size_t(Shape::kTileNodes) * kChannels;
  static constexpr std::size_t kBlockValues = std::size_t(Shape::kNodes) * kChannels;

  Particles<T, D> particles, next;       // a step reads the first and writes what it changes to the second
  std::vector<ParticleBlock<D>> blocks;  // by key
  GroupPool pool;
  Migration<T, D> migration;
  std::vector<SnowParameters<T>> materials;
  SparseGrid<D> grid;
  std::vector<BlockReport> reports;  // per particle block
  std::vector<std::uint32_t> slot_of_id;

  // Per particle block, what its particles add to the nodes they touch: (m, m v | stiffness, f).
  Array<T> tiles;
  // Per node block and node: (mass, v^n) and (preconditioner, v^{n+1}).
  Array<T> mass_velocity, velocity;

  // Semi-implicit steps only: per node, and per particle what does not change within a step.
  std::vector<Constraint<T, D>> constraints;
  Array<T> operator_tiles;
  Array<T> r, p, Ar, Ap;
  std::array<Column<T>, D * D> rotation;
  std::array<Column<T>, 2> lame;
  GroupMemory solve_memory;
  std::vector<double> partial;  // sums per node block
};

// Where a particle block's tile and node block k of 2^D under it overlap: f(tile node, block node, nodes in the row) row by row.
template <int D, class F>
inline void for_overlap(int k, F f) {
  using Shape = BlockShape<D>;
  const Vec<int, D> o = neighbor_offset<D>(k);
  Vec<int, D> count;
  for (int d = 0; d < D; ++d) count[d] = o[d] ? Shape::kHalo : Shape::kEdge;
  Vec<int, D> at = Shape::kEdge * o;
  for (int i = 0; i < count[0]; ++i) {
    at[0] = Shape::kEdge * o[0] + i;
    if constexpr (D == 2) {
      f(Shape::tile_index(at), i * Shape::kEdge, count[1]);
    } else {
      for (int j = 0; j < count[1]; ++j) {
        at[1] = Shape::kEdge * o[1] + j;
        f(Shape::tile_index(at), (i * Shape::kEdge + j) * Shape::kEdge, count[2]);
      }
    }
  }
}

// Copies the node values under a particle block into a contiguous tile: quad `part` of nodes that have `Channels` there.
template <int Channels, class T, int D>
inline void load_tile(const CpuState<T, D>& state, std::size_t block, const Array<T>& nodes, T* tile, int part = 0) {
  const auto& overlap = state.grid.nodes_of(block);
  for (int k = 0; k < BlockShape<D>::kNeighbors; ++k) {
    const T* from = nodes.data() + overlap[k] * CpuState<T, D>::kBlockValues;
    for_overlap<D>(k, [&](int tile_node, int node, int count) {
      T* to = tile + tile_node * Channels + part * kChannels;
      for (int i = 0; i < count; ++i) std::memcpy(to + i * Channels, from + (node + i) * kChannels, kChannels * sizeof(T));
    });
  }
}

// Sums into one node block what the tiles over it hold, in the order of their keys.
template <int Channels, class T, int D>
inline void sum_tiles(const CpuState<T, D>& state, std::size_t node_block, const Array<T>& tiles, T* nodes) {
  using Shape = BlockShape<D>;
  std::fill_n(nodes, Shape::kNodes * Channels, T(0));
  const auto& overlap = state.grid.tiles_of(node_block);
  for (int k = Shape::kNeighbors - 1; k >= 0; --k) {
    if (overlap[k] == SparseGrid<D>::kNone) continue;
    const T* tile = tiles.data() + overlap[k] * std::size_t(Shape::kTileNodes) * Channels;
    for_overlap<D>(k, [&](int tile_node, int node, int count) {
      for (int c = 0; c < count * Channels; ++c) nodes[node * Channels + c] += tile[tile_node * Channels + c];
    });
  }
}

}  // namespace firn::cpu
