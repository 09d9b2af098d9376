// A group of particles that goes through the formulas together, and its stencils, particle by particle.
#pragma once

#include "grid/block.h"
#include "math/bspline.h"
#include "particles/storage.h"
#include "solver/cpu/row.h"
#include "solver/model.h"

namespace firn::cpu {

template <class T>
inline constexpr int kGroup = sizeof(T) == 4 ? 16 : 8;
template <class T>
using Lanes = Pack<T, kGroup<T>>;
template <class T>
using LaneMask = Mask<T, kGroup<T>>;

template <class T, int D>
inline Vec<Lanes<T>, D> load_vec(const std::array<Column<T>, D>& columns, std::size_t at) {
  Vec<Lanes<T>, D> v;
  for (int d = 0; d < D; ++d) v[d] = Lanes<T>::load(columns[d].data() + at);
  return v;
}

template <int D, class T, std::size_t N>
inline Mat<Lanes<T>, D> load_mat(const std::array<Column<T>, N>& columns, std::size_t at) {
  Mat<Lanes<T>, D> m;
  for (int k = 0; k < D * D; ++k) m.a[k] = Lanes<T>::load(columns[k].data() + at);
  return m;
}

template <class T, std::size_t N>
inline void store_all(std::array<Column<T>, N>& columns, std::size_t at, int n, const Lanes<T>* values) {
  for (std::size_t k = 0; k < N; ++k) values[k].store_first(columns[k].data() + at, n);
}

// The lanes of a group that hold particles of its block.
template <class T>
inline LaneMask<T> first_lanes(int n) {
  return lane_numbers<T, kGroup<T>>() < Lanes<T>(T(n));
}

// The material parameters of each lane.
template <class T>
inline SnowParameters<Lanes<T>> load_materials(const std::vector<SnowParameters<T>>& table, const std::uint16_t* index, int n) {
  const SnowParameters<T>& s = table[index[0]];
  SnowParameters<Lanes<T>> r{s.mu0, s.lambda0, s.hardening, s.stretch_min, s.stretch_max, s.log_limit};
  for (int l = 1; l < n; ++l) {
    if (index[l] == index[0]) continue;
    const SnowParameters<T>& other = table[index[l]];
    r.mu0.set(l, other.mu0);
    r.lambda0.set(l, other.lambda0);
    r.hardening.set(l, other.hardening);
    r.stretch_min.set(l, other.stretch_min);
    r.stretch_max.set(l, other.stretch_max);
    r.log_limit.set(l, other.log_limit);
  }
  return r;
}

// Weights of a group's particles. The last axis always has four: a quadratic stencil ends with a zero.
template <class T, int D, class Kernel>
struct Stencils {
  alignas(64) T w[kGroup<T>][D][kRowNodes];
  alignas(64) T g[kGroup<T>][D][kRowNodes];  // derivatives, per cell
  T delta[kGroup<T>][D];                     // distance from the stencil's first node, cells
  int start[kGroup<T>];                      // that node in the tile

  // `first`: the first cell of the block.
  void compute(const Particles<T, D>& particles, std::size_t at, int n, const Cell<D>& first) {
    int node[kGroup<T>] = {};
    for (int d = 0; d < D; ++d) {
      const Lanes<T> offset = Lanes<T>::load(particles.offset[d].data() + at);
      const Lanes<T> shift = Kernel::base_shift(offset);
      const Lanes<T> distance = offset - shift;
      Lanes<T> weight[kRowNodes], slope[kRowNodes];
      for (int k = Kernel::kSupport; k < kRowNodes; ++k) weight[k] = slope[k] = Lanes<T>(T(0));
      Kernel::weights(distance, weight, slope);
      const std::int32_t* cell = particles.cell[d].data() + at;
      for (int l = 0; l < n; ++l) {
        for (int k = 0; k < kRowNodes; ++k) {
          w[l][d][k] = weight[k][l];
          g[l][d][k] = slope[k][l];
        }
        delta[l][d] = distance[l];
        const int edge = d == D - 1 ? BlockShape<D>::kTileRow : BlockShape<D>::kTileEdge;
        node[l] = node[l] * edge + (cell[l] - first[d]) + static_cast<int>(shift[l]) + 1;
      }
    }
    for (int l = 0; l < n; ++l) start[l] = node[l];
  }
};

// The weights of one row of a stencil on the axes before the last.
template <class T, int D>
struct RowWeight {
  T w;         // their product
  T g[D - 1];  // the same with one factor replaced by its derivative
  T r[D - 1];  // x_i − x_p on these axes, cells
  int node;    // first node of the row, from the stencil's start
};

// f(RowWeight) for the rows of lane l.
template <class T, int D, class Kernel, class F>
inline void for_rows(const Stencils<T, D, Kernel>& s, int l, F f) {
  using Shape = BlockShape<D>;
#pragma GCC unroll 4
  for (int i = 0; i < Kernel::kSupport; ++i) {
    const T wi = s.w[l][0][i], gi = s.g[l][0][i], ri = T(i) - s.delta[l][0];
    if constexpr (D == 2) {
      f(RowWeight<T, 2>{wi, {gi}, {ri}, i * Shape::kTileRow});
    } else {
#pragma GCC unroll 4
      for (int j = 0; j < Kernel::kSupport; ++j) {
        const T wj = s.w[l][1][j], gj = s.g[l][1][j], rj = T(j) - s.delta[l][1];
        f(RowWeight<T, 3>{wi * wj, {gi * wj, wi * gj}, {ri, rj}, (i * Shape::kTileEdge + j) * Shape::kTileRow});
      }
    }
  }
}

// x_i − x_p along the row, cells, in every channel of node k.
template <class T, int D, class Kernel>
inline Row<T> row_distance(const Stencils<T, D, Kernel>& s, int l) {
  T r[kRowNodes];
  for (int k = 0; k < kRowNodes; ++k) r[k] = T(k) - s.delta[l][D - 1];
  return spread_nodes(r);
}

}  // namespace firn::cpu
