// A group of particles that goes through the formulas together, its stencils, and what one particle does with their nodes: adds to them,
// or sums them up. The last axis runs along a Row; the axes before it are loops, and what does not depend on the inner one is taken out.
#pragma once

#include "grid/block.h"
#include "math/bspline.h"
#include "particles/storage.h"
#include "solver/cpu/row_tile.h"
#include "solver/model.h"

namespace firn::cpu {

// A group of particles that goes through the formulas together, and its stencils, particle by particle.

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

// The lanes of a group that hold particles of its block.
template <class T>
inline LaneMask<T> first_lanes(int n) {
  return lane_numbers<T, kGroup<T>>() < Lanes<T>(T(n));
}

// The material parameters of each lane.
template <class T, int D>
inline SnowParameters<Lanes<T>> load_materials(const std::vector<SnowParameters<T>>& table, const Particles<T, D>& particles,
                                               std::size_t at, int n) {
  const std::uint16_t* index = particles.material.at(at);
  const SnowParameters<T>& s = table[index[0]];
  SnowParameters<Lanes<T>> r{s.mu0, s.lambda0, s.hardening, s.stretch_min, s.stretch_max, s.log_limit, s.softening};
  for (int l = 1; l < n; ++l) {
    if (index[l] == index[0]) continue;
    const SnowParameters<T>& other = table[index[l]];
    r.mu0.set(l, other.mu0);
    r.lambda0.set(l, other.lambda0);
    r.hardening.set(l, other.hardening);
    r.stretch_min.set(l, other.stretch_min);
    r.stretch_max.set(l, other.stretch_max);
    r.log_limit.set(l, other.log_limit);
    r.softening.set(l, other.softening);
  }
  if (particles.stiffness.empty()) return r;
  const Lanes<T> stiffness = Lanes<T>::load(particles.stiffness.at(at));
  r.mu0 = r.mu0 * stiffness;
  r.lambda0 = r.lambda0 * stiffness;
  const Lanes<T> hardening = Lanes<T>::load(particles.hardening.at(at));
  r.softening = own_softening(r.hardening, r.softening, hardening);
  r.hardening = hardening;
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
    int begin[kGroup<T>] = {};  // `start`; nothing else can lie there, so that its loops become a few instructions
    for (int d = 0; d < D; ++d) {
      const Lanes<T> offset = Lanes<T>::load(particles.offset[d].at(at));
      const Lanes<T> shift = Kernel::base_shift(offset), distance = offset - shift;
      Lanes<T> weight[kRowNodes], slope[kRowNodes];
      Kernel::weights(distance, weight, slope);
      const std::int32_t* cell = particles.cell[d].at(at);
      const std::int32_t first_cell = first[d];
      if (d == D - 1) {  // a Row starts one node below the cell
        if constexpr (kSupport < kRowNodes) {
          const LaneMask<T> later = shift > Lanes<T>(T(-1));
          place_later(later, weight);
          place_later(later, slope);
        }
        (offset + T(1)).store(delta[d]);
        lanes_to_quads(weight[0], weight[1], weight[2], weight[3], w_last[0]);
        lanes_to_quads(slope[0], slope[1], slope[2], slope[3], g_last[0]);
        for (int l = 0; l < kGroup<T>; ++l) begin[l] = begin[l] * Tile::kLine + (cell[l] - first_cell) * Tile::kRow;
      } else {
        distance.store(delta[d]);
        for (int k = 0; k < kSupport; ++k) {
          weight[k].store(w[d][k]);
          slope[k].store(g[d][k]);
        }
        T shifts[kGroup<T>];
        shift.store(shifts);
        for (int l = 0; l < kGroup<T>; ++l)
          begin[l] = begin[l] * BlockShape<D>::kTileEdge + (cell[l] - first_cell) + static_cast<int>(shifts[l]) + 1;
      }
    }
    std::memcpy(start, begin, sizeof start);
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

// Calls f(offset of the Row in the tile, j) for the lines of one value of the first axis (2D: the only line, j = 0).
template <class Tile, int D, class Kernel, class F>
inline void for_each_line(F f) {
  if constexpr (D == 2) {
    f(0, 0);
  } else {
#pragma GCC unroll 4
    for (int j = 0; j < Kernel::kSupport; ++j) f(j * Tile::kLine, j);
  }
}
template <class Tile, int D>
inline constexpr int kFirstAxisStep = D == 3 ? Tile::kPlane : Tile::kLine;

// A quad of channels per axis, for one lane: column d of a matrix with one row per channel.
template <class T>
using Quads = const T (*)[kGroup<T>][kChannels];

// f_i += A grad w (M6), for any A: forces, and the rows of the implicit operator.
template <class T, int D, class Kernel, class Tile>
inline void scatter_force(const Stencils<T, D, Kernel, Tile>& s, int l, Quads<T> A, T* tile) {
  const Row<T> w = spread_nodes(s.w_last[l]);
  const Row<T> last = repeat_channels(A[D - 1][l]) * spread_nodes(s.g_last[l]), x = repeat_channels(A[0][l]) * w;
  const Row<T> y = D == 3 ? repeat_channels(A[1][l]) * w : x;
  T* plane = tile + s.start[l];
  for (int i = 0; i < Kernel::kSupport; ++i, plane += kFirstAxisStep<Tile, D>) {
    const Row<T> wi(s.w[0][i][l]), u = last * wi + x * Row<T>(s.g[0][i][l]), v = y * wi;
    for_each_line<Tile, D, Kernel>([&](int at, int j) {
      Row<T> sum = Row<T>::load(plane + at);
      if constexpr (D == 2) sum = sum + u;
      if constexpr (D == 3) sum = sum + u * Row<T>(s.w[1][j][l]) + v * Row<T>(s.g[1][j][l]);
      sum.store(plane + at);
    });
  }
}

// m_i += w m, (m v)_i += w m (v + D⁻¹ B (x_i − x_p)) (M4). value: (m, m v); affine: m D⁻¹ B, for APIC.
template <class T, int D, class Kernel, bool Apic, class Tile>
inline void scatter_momentum(const Stencils<T, D, Kernel, Tile>& s, int l, const T* value, Quads<T> affine, T* tile) {
  const Row<T> w = spread_nodes(s.w_last[l]);
  Row<T> u = repeat_channels(value) * w, x = u, y = u;
  if constexpr (Apic) {
    T arm[kRowNodes];
    for (int k = 0; k < kRowNodes; ++k) arm[k] = s.w_last[l][k] * s.distance(D - 1, k, l);
    u = u + repeat_channels(affine[D - 1][l]) * spread_nodes(arm);
    x = repeat_channels(affine[0][l]) * w;
    if constexpr (D == 3) y = repeat_channels(affine[1][l]) * w;
  }
  T* plane = tile + s.start[l];
  for (int i = 0; i < Kernel::kSupport; ++i, plane += kFirstAxisStep<Tile, D>) {
    const Row<T> wi(s.w[0][i][l]);
    Row<T> v = u * wi;
    if constexpr (Apic) v = v + x * Row<T>(s.w[0][i][l] * s.distance(0, i, l));
    for_each_line<Tile, D, Kernel>([&](int at, int j) {
      Row<T> sum = Row<T>::load(plane + at);
      if constexpr (D == 2) sum = sum + v;
      if constexpr (D == 3) sum = sum + v * Row<T>(s.w[1][j][l]);
      if constexpr (D == 3 && Apic) sum = sum + (y * wi) * Row<T>(s.w[1][j][l] * s.distance(1, j, l));
      sum.store(plane + at);
    });
  }
}

// k |grad w|² into channel 0: what the particle's stiffness adds to the diagonal of (M18).
template <class T, int D, class Kernel, class Tile>
inline void scatter_stiffness(const Stencils<T, D, Kernel, Tile>& s, int l, T stiffness, T* tile) {
  const auto square = [](T a) { return a * a; };
  T* plane = tile + s.start[l];
  for (int i = 0; i < Kernel::kSupport; ++i, plane += kFirstAxisStep<Tile, D>)
    for_each_line<Tile, D, Kernel>([&](int at, int j) {
      T w = stiffness * square(s.w[0][i][l]), g = stiffness * square(s.g[0][i][l]);  // g: with one weight replaced by its derivative
      if constexpr (D == 3) {
        g = g * square(s.w[1][j][l]) + w * square(s.g[1][j][l]);
        w = w * square(s.w[1][j][l]);
      }
      for (int k = 0; k < kRowNodes; ++k) plane[at + k * kChannels] += g * square(s.w_last[l][k]) + w * square(s.g_last[l][k]);
    });
}

// Sums over the Rows of a stencil, before the last axis is summed.
template <class T, int D>
struct RowSums {
  Row<T> value{T(0)};   // of w u on the axes before the last
  Row<T> slope[D - 1];  // with one w replaced by its derivative
  Row<T> arm[D - 1];    // with one w times x_i − x_p, cells: for APIC

  RowSums() {
    for (int d = 0; d < D - 1; ++d) slope[d] = arm[d] = Row<T>(T(0));
  }
};

template <class T, int D, class Kernel, bool Slopes, bool Arms, class Tile>
inline RowSums<T, D> sum_rows(const Stencils<T, D, Kernel, Tile>& s, int l, const T* tile) {
  RowSums<T, D> sums;
  const T* plane = tile + s.start[l];
  for (int i = 0; i < Kernel::kSupport; ++i, plane += kFirstAxisStep<Tile, D>) {
    const Row<T> wi(s.w[0][i][l]);
    Row<T> c(T(0)), slope(T(0)), arm(T(0));
    for_each_line<Tile, D, Kernel>([&](int at, int j) {
      const Row<T> u = Row<T>::load(plane + at);
      if constexpr (D == 2) {
        c = u;
      } else {
        c = c + u * Row<T>(s.w[1][j][l]);
        if constexpr (Slopes) slope = slope + u * Row<T>(s.g[1][j][l]);
        if constexpr (Arms) arm = arm + u * Row<T>(s.w[1][j][l] * s.distance(1, j, l));
      }
    });
    sums.value = sums.value + c * wi;
    if constexpr (Slopes) sums.slope[0] = sums.slope[0] + c * Row<T>(s.g[0][i][l]);
    if constexpr (Arms) sums.arm[0] = sums.arm[0] + c * Row<T>(s.w[0][i][l] * s.distance(0, i, l));
    if constexpr (D == 3 && Slopes) sums.slope[1] = sums.slope[1] + slope * wi;
    if constexpr (D == 3 && Arms) sums.arm[1] = sums.arm[1] + arm * wi;
  }
  return sums;
}

// What a group gathers, a quad of channels per particle: the value, and columns of the gradient (per cell) and of B (cells).
template <class T, int D>
struct Gathered {
  alignas(64) T value[kGroup<T>][kChannels];
  alignas(64) T gradient[D][kGroup<T>][kChannels];
  alignas(64) T affine[D][kGroup<T>][kChannels];
};

// The sum of w u at lane l.
template <class T, int D, class Kernel, class Tile>
inline void gather_value(const Stencils<T, D, Kernel, Tile>& s, int l, const T* tile, T* value) {
  store_sum_of_nodes(sum_rows<T, D, Kernel, false, false>(s, l, tile).value * spread_nodes(s.w_last[l]), value);
}

template <class T, int D>
inline void store_gradient(const RowSums<T, D>& sums, const Row<T>& w, const Row<T>& g, int l, T (*gradient)[kGroup<T>][kChannels]) {
  store_sum_of_nodes(sums.value * g, gradient[D - 1][l]);
  for (int d = 0; d < D - 1; ++d) store_sum_of_nodes(sums.slope[d] * w, gradient[d][l]);
}

// grad u at lane l, column by column.
template <class T, int D, class Kernel, class Tile>
inline void gather_gradient(const Stencils<T, D, Kernel, Tile>& s, int l, const T* tile, T (*gradient)[kGroup<T>][kChannels]) {
  store_gradient<T, D>(sum_rows<T, D, Kernel, true, false>(s, l, tile), spread_nodes(s.w_last[l]), spread_nodes(s.g_last[l]), l, gradient);
}

// For APIC all of them from the same nodes.
template <class T, int D, class Kernel, class Tile>
inline void gather_affine(const Stencils<T, D, Kernel, Tile>& s, int l, const T* tile, Gathered<T, D>& to) {
  const RowSums<T, D> sums = sum_rows<T, D, Kernel, true, true>(s, l, tile);
  const Row<T> w = spread_nodes(s.w_last[l]);
  store_gradient<T, D>(sums, w, spread_nodes(s.g_last[l]), l, to.gradient);
  store_sum_of_nodes(sums.value * w, to.value[l]);
  T arm[kRowNodes];
  for (int k = 0; k < kRowNodes; ++k) arm[k] = s.w_last[l][k] * s.distance(D - 1, k, l);
  store_sum_of_nodes(sums.value * spread_nodes(arm), to.affine[D - 1][l]);
  for (int d = 0; d < D - 1; ++d) store_sum_of_nodes(sums.arm[d] * w, to.affine[d][l]);
}

// The columns of a group's matrices: row i of column d is channel i + 1 of quads[d].
template <class T, int D>
inline Mat<Lanes<T>, D> load_columns(Quads<T> quads) {
  Mat<Lanes<T>, D> m;
  for (int d = 0; d < D; ++d) {
    Lanes<T> x[kChannels];
    quads_to_lanes(quads[d][0], x);
    for (int i = 0; i < D; ++i) m(i, d) = x[i + 1];
  }
  return m;
}

// The inverse, with zero in channel 0.
template <class T, int D>
inline void store_columns(const Mat<Lanes<T>, D>& m, T (*quads)[kGroup<T>][kChannels]) {
  const Lanes<T> zero(T(0));
  for (int d = 0; d < D; ++d) {
    if constexpr (D == 2) lanes_to_quads(zero, m(0, d), m(1, d), zero, quads[d][0]);
    if constexpr (D == 3) lanes_to_quads(zero, m(0, d), m(1, d), m(2, d), quads[d][0]);
  }
}

}  // namespace firn::cpu
