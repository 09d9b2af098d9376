// A group of particles that goes through the formulas together, and its stencils, particle by particle.
#pragma once

#include "grid/block.h"
#include "math/bspline.h"
#include "particles/storage.h"
#include "solver/cpu/row_tile.h"
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
  for (int d = 0; d < D; ++d) v[d] = Lanes<T>::load(columns[d].at(at));
  return v;
}

template <int D, class T, std::size_t N>
inline Mat<Lanes<T>, D> load_mat(const std::array<Column<T>, N>& columns, std::size_t at) {
  Mat<Lanes<T>, D> m;
  for (int k = 0; k < D * D; ++k) m.a[k] = Lanes<T>::load(columns[k].at(at));
  return m;
}

template <class T, std::size_t N>
inline void store_all(std::array<Column<T>, N>& columns, std::size_t at, const Lanes<T>* values) {
  for (std::size_t k = 0; k < N; ++k) values[k].store(columns[k].at(at));
}

// Step 10 on one axis, in cells: the place in the cell, and whether the cell is the next one. A step of more than a cell is rejected.
template <class N>
struct Moved {
  N offset, cells;
};
template <class N>
inline Moved<N> move_offset(const N& offset, const N& way) {
  using T = Scalar<N>;
  const N zero(T(0)), one(T(1)), below_one(T(1) - kEpsilon<N>), moved = offset + way;
  const N cells = select(moved >= one, one, select(moved < zero, -one, zero));
  return {min(moved - cells, below_one), cells};  // −tiny + 1 rounds to 1
}

// The lanes of a group that hold particles of its block.
template <class T>
inline LaneMask<T> first_lanes(int n) {
  return lane_numbers<T, kGroup<T>>() < Lanes<T>(T(n));
}

// The material parameters of each lane.
template <class T, int D>
inline SnowParameters<Lanes<T>> load_materials(const std::vector<SnowParameters<T>>& table, const Particles<T, D>& particles, std::size_t at,
                                               int n) {
  const std::uint16_t* index = particles.material.at(at);
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
  if (particles.stiffness.empty()) return r;
  const Lanes<T> stiffness = Lanes<T>::load(particles.stiffness.at(at));
  r.mu0 = r.mu0 * stiffness;
  r.lambda0 = r.lambda0 * stiffness;
  r.hardening = Lanes<T>::load(particles.hardening.at(at));
  r.stretch_min = T(1) - Lanes<T>::load(particles.critical_compression.at(at));
  r.stretch_max = T(1) + Lanes<T>::load(particles.critical_stretch.at(at));
  return r;
}

// Weights of a group's particles: on the last axis four per particle (one of a quadratic stencil's is zero), side by side as Rows want
// them; on the axes before it lane by lane.
template <class T, int D, class Kernel, class Tile = RowTile<T, D>>
struct Stencils {
  static constexpr int kSupport = Kernel::kSupport;
  alignas(64) T w_last[kGroup<T>][kRowNodes];
  alignas(64) T g_last[kGroup<T>][kRowNodes];  // derivatives, per cell
  alignas(64) T w[D - 1][kSupport][kGroup<T>];
  alignas(64) T g[D - 1][kSupport][kGroup<T>];
  alignas(64) T delta[D][kGroup<T>];  // distance from the first node, cells
  alignas(64) int start[kGroup<T>];   // the first Row in a Tile

  // `first`: the first cell of the block.
  void compute(const Particles<T, D>& particles, std::size_t at, const Cell<D>& first) {
    for (int l = 0; l < kGroup<T>; ++l) start[l] = 0;
    for (int d = 0; d < D; ++d) {
      const Lanes<T> offset = Lanes<T>::load(particles.offset[d].at(at));
      const Lanes<T> shift = Kernel::base_shift(offset), distance = offset - shift;
      Lanes<T> weight[kRowNodes], slope[kRowNodes];
      Kernel::weights(distance, weight, slope);
      const std::int32_t* cell = particles.cell[d].at(at);
      if (d == D - 1) {  // a Row starts one node below the cell
        if constexpr (kSupport < kRowNodes) {
          const LaneMask<T> later = shift > Lanes<T>(T(-1));
          place_later(later, weight);
          place_later(later, slope);
        }
        (offset + T(1)).store(delta[d]);
        lanes_to_quads(weight[0], weight[1], weight[2], weight[3], w_last[0]);
        lanes_to_quads(slope[0], slope[1], slope[2], slope[3], g_last[0]);
        for (int l = 0; l < kGroup<T>; ++l) start[l] = start[l] * Tile::kLine + (cell[l] - first[d]) * Tile::kRow;
      } else {
        distance.store(delta[d]);
        for (int k = 0; k < kSupport; ++k) {
          weight[k].store(w[d][k]);
          slope[k].store(g[d][k]);
        }
        T shifts[kGroup<T>];
        shift.store(shifts);
        for (int l = 0; l < kGroup<T>; ++l)
          start[l] = start[l] * BlockShape<D>::kTileEdge + (cell[l] - first[d]) + static_cast<int>(shifts[l]) + 1;
      }
    }
  }

  // x_i − x_p of node k on axis d, cells.
  T distance(int d, int k, int l) const { return T(k) - delta[d][l]; }

 private:
  // Three values at places 0 … 2, or 1 … 3 in some lanes, of four.
  static void place_later(const LaneMask<T>& later, Lanes<T>* x) {
    const Lanes<T> zero(T(0));
    x[3] = select(later, x[2], zero);
    x[2] = select(later, x[1], x[2]);
    x[1] = select(later, x[0], x[1]);
    x[0] = select(later, zero, x[0]);
  }
};

}  // namespace firn::cpu
