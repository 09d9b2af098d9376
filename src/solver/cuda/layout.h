// How particles and nodes lie in the GPU's memory, apart because every kernel reads it: blocks of cells, the tile of nodes that a block's
// particles touch, and what a launch is told of both.
//
// A particle's base is the first node of its stencil. A block holds the particles whose bases are among kEdge^D nodes, and blocks of nodes
// are the same kEdge^D nodes: in this lattice, that of the kernel's bases, particle and node blocks have the same keys. A block's tile
// begins one node before it and serves particles whose bases are up to one node outside: blocks are made anew only when one has gone
// farther.
#pragma once

#include <cstdint>

#include "math/bspline.h"
#include "math/lattice.h"
#include "solver/cuda/device.h"

namespace firn::cuda {

template <int D>
struct Layout {
  static constexpr int kEdge = 4;
  static constexpr int kNodes = D == 3 ? 64 : 16;    // of a block
  static constexpr int kOverlap = D == 3 ? 27 : 9;   // blocks of nodes under a tile: the block's own and all around
  static constexpr int kKeyBits = D == 3 ? 19 : 29;  // of a block, per axis
  static constexpr int kCellBits = 2 * D;

  // The node's place from the first of its block, and back.
  FIRN_HD static Vec<std::int32_t, D> node_of(int at) {
    Vec<std::int32_t, D> n;
    for (int d = D - 1; d >= 0; --d, at /= kEdge) n[d] = at % kEdge;
    return n;
  }
  // Of a node counted from the block's first one, −1 … 7: which of the blocks around has it, and where there.
  FIRN_HD static int overlap_of(const Vec<int, D>& n) {
    int k = 0;
    for (int d = 0; d < D; ++d) k = 3 * k + (n[d] >> 2) + 1;
    return k;
  }
  FIRN_HD static int node_in_block(const Vec<int, D>& n) {
    int at = 0;
    for (int d = 0; d < D; ++d) at = at * kEdge + (n[d] & 3);
    return at;
  }
};

template <int D, class Kernel>
struct Tile {
  static constexpr int kEdge = Layout<D>::kEdge + Kernel::kSupport + 1;
  static constexpr int kNodes = D == 3 ? kEdge * kEdge * kEdge : kEdge * kEdge;

  // Nodes are counted from the block's first one.
  FIRN_HD static int index(const Vec<int, D>& n) {
    int at = n[0] + 1;
    for (int d = 1; d < D; ++d) at = at * kEdge + n[d] + 1;
    return at;
  }
  FIRN_HD static Vec<int, D> node(int at) {
    Vec<int, D> n;
    for (int d = D - 1; d >= 0; --d, at /= kEdge) n[d] = at % kEdge - 1;
    return n;
  }
};

// The first cell, as places count them, and the first node of a block.
template <int D>
FIRN_HD inline Cell<D> first_cell(const Cell<D>& block, const Cell<D>& origin) {
  return origin + std::int32_t(Layout<D>::kEdge) * block;
}
template <int D>
FIRN_HD inline Cell<D> first_node(const Cell<D>& block, const Cell<D>& origin) {
  return first_cell<D>(block, origin) - Cell<D>::filled(1);
}

// Blocks in the order of x, then y, then z.
using Key = std::uint64_t;

template <int D>
FIRN_HD inline Key key_of(const Cell<D>& block) {
  Key key = 0;
  for (int d = 0; d < D; ++d)
    key = key << Layout<D>::kKeyBits | static_cast<Key>(std::int64_t(block[d]) + (std::int64_t(1) << (Layout<D>::kKeyBits - 1)));
  return key;
}
template <int D>
FIRN_HD inline Cell<D> block_of(Key key) {
  Cell<D> block;
  for (int d = D - 1; d >= 0; --d, key >>= Layout<D>::kKeyBits)
    block[d] = static_cast<std::int32_t>(std::int64_t(key & ((Key(1) << Layout<D>::kKeyBits) - 1)) -
                                         (std::int64_t(1) << (Layout<D>::kKeyBits - 1)));
  return block;
}

// Where a key is among increasing ones; −1: it is not.
__device__ inline int find_key(const Key* keys, int count, Key key) {
  int from = 0, to = count;
  while (from < to) {
    const int middle = (from + to) / 2;
    if (keys[middle] < key)
      from = middle + 1;
    else
      to = middle;
  }
  return from < count && keys[from] == key ? from : -1;
}

// A particle's place: the cell from its block's first one, eight bits an axis, and the offset in it; and whether bodies are in reach
// (touching_reach) or come there in the step, since the last scatter. What it remembers of bodies (`held`) is nothing where they are not,
// whatever the column says.
template <class T, int D>
struct alignas(D == 3 && sizeof(T) == 4 ? 16 : alignof(T)) Place {
  Vec<T, D> offset;
  std::int32_t packed;

  FIRN_HD int cell(int d) const { return static_cast<std::int8_t>(packed >> (8 * d)); }
  FIRN_HD bool in_reach() const { return (packed >> 24 & 1) != 0; }
  FIRN_HD void set_in_reach(bool yes) { packed = (packed & 0xffffff) | (yes ? 1 << 24 : 0); }
  FIRN_HD void set_cell(int d, int cell) { packed = (packed & ~(0xff << (8 * d))) | (cell & 0xff) << (8 * d); }
};

// The particles' columns; entry k of a vector or matrix begins at k · room.
template <class T, int D>
struct ParticleView {
  Place<T, D>* place;
  T *velocity, *F_E, *J_P;
  T* B;  // nullptr without APIC
  // What steps leave alone.
  T *mass, *volume;
  std::uint16_t* material;
  std::uint32_t* id;
  T* own;   // stiffness, hardening, critical compression and stretch; nullptr: none has
  T* held;  // push, touch, credit; nullptr: bodies hold nobody
  std::size_t room;
};

// Who is where.
template <int D>
struct BlockView {
  const int* begin;      // particles of block b: [begin[b], begin[b + 1])
  const Key* key;        // increasing
  const Cell<D>* place;  // in blocks, from the origin
  const int* overlap;    // kOverlap blocks of nodes under each
  int count;
  const Cell<D>* node_place;  // of blocks of nodes
  int node_count;
  Cell<D> origin;

  FIRN_HD std::size_t nodes() const { return std::size_t(node_count) * Layout<D>::kNodes; }
};

// Nodes: block after block.
template <class T>
struct GridView {
  Quad<T>* momentum;  // mass; momentum
  Quad<T>* force;     // stiffness of the preconditioner; force
  Quad<T>* velocity;  // scale of the preconditioner; v*, then v^{n+1}
};

// A particle's nodes and weights; the gradient is per cell.
template <class T, int D, class Kernel>
struct Stencil {
  static constexpr int S = Kernel::kSupport;
  using OwnTile = Tile<D, Kernel>;

  __device__ explicit Stencil(const Place<T, D>& place) {
    for (int d = 0; d < D; ++d) {
      const T f = place.offset[d], shift = Kernel::base_shift(f);
      base[d] = place.cell(d) + static_cast<int>(shift) + 1;
      delta[d] = f - shift;
      Kernel::weights(delta[d], w[d], g[d]);
    }
  }
  __device__ bool fits() const {
    bool inside = true;
    for (int d = 0; d < D; ++d) inside = inside && base[d] >= -1 && base[d] <= Layout<D>::kEdge;
    return inside;
  }

  // f(place in the tile, w, grad w per cell, x_i − x_p in cells)
  template <class F>
  __device__ void for_each(F f) const {
    constexpr int E = OwnTile::kEdge;
    const int start = OwnTile::index(base);
    Vec<T, D> grad, arm;
#pragma unroll
    for (int i = 0; i < S; ++i) {
      arm[0] = T(i) - delta[0];
#pragma unroll
      for (int j = 0; j < S; ++j) {
        arm[1] = T(j) - delta[1];
        const T ww = w[0][i] * w[1][j], gw = g[0][i] * w[1][j], wg = w[0][i] * g[1][j];
        if constexpr (D == 2) {
          grad[0] = gw;
          grad[1] = wg;
          f(start + i * E + j, ww, grad, arm);
        } else {
#pragma unroll
          for (int k = 0; k < S; ++k) {
            arm[2] = T(k) - delta[2];
            grad[0] = gw * w[2][k];
            grad[1] = wg * w[2][k];
            grad[2] = ww * g[2][k];
            f(start + (i * E + j) * E + k, ww * w[2][k], grad, arm);
          }
        }
      }
    }
  }

  // f(node from the block's first one, w): a loop of few instructions, for what few particles come to.
  template <class F>
  __device__ void for_each_node(F f) const {
#pragma unroll 1
    for (int k = 0; k < (D == 3 ? S * S * S : S * S); ++k) {
      Vec<int, D> at;
      for (int d = D - 1, left = k; d >= 0; --d, left /= S) at[d] = left % S;
      T weight(1);
      for (int d = 0; d < D; ++d) weight *= w[d][at[d]];
      f(base + at, weight);
    }
  }

  Vec<int, D> base;  // from the block's first node
  Vec<T, D> delta;
  T w[D][S], g[D][S];
};

// Where a node counted from the block's first one is among all nodes.
template <int D>
__device__ inline std::size_t node_number(const BlockView<D>& blocks, int block, const Vec<int, D>& n) {
  const int nodes = blocks.overlap[std::size_t(block) * Layout<D>::kOverlap + Layout<D>::overlap_of(n)];
  return std::size_t(nodes) * Layout<D>::kNodes + Layout<D>::node_in_block(n);
}

// Columns of one particle.
template <class T, int N>
__device__ inline void load_column(const T* column, std::size_t room, int i, T (&to)[N]) {
#pragma unroll
  for (int k = 0; k < N; ++k) to[k] = column[k * room + i];
}
template <class T, int N>
__device__ inline void store_column(const T (&from)[N], std::size_t room, int i, T* column) {
#pragma unroll
  for (int k = 0; k < N; ++k) column[k * room + i] = from[k];
}

}  // namespace firn::cuda
