// What one particle does with the rows of its stencil in a tile: adds to them or sums them up. The last axis runs along a Row; the
// axes before it are loops, and everything that does not depend on the inner one is taken out of it.
#pragma once

#include "solver/cpu/group.h"

namespace firn::cpu {

// One particle's contribution, channel by channel, with one column per axis of grad w or of x_i − x_p.
template <class T, int D>
struct Source {
  const T* momentum;    // m, m v
  const T* force[D];    // −V⁰ P F_Eᵀ, per cell
  const T* affine[D];   // APIC: m D⁻¹ B, per cell
};

template <int D>
constexpr int row_stride() {
  return BlockShape<D>::kTileRow * kChannels;
}
constexpr int plane_stride() { return BlockShape<3>::kTileEdge * row_stride<3>(); }

// f_i += A grad w (M6), for any A: also the rows of the implicit operator.
template <class T, int D, class Kernel>
inline void scatter_force(const Stencils<T, D, Kernel>& s, int l, const T* const* force, T* tile) {
  const Row<T> w = spread_nodes(s.w_last[l]);
  const Row<T> last = repeat_channels(force[D - 1]) * spread_nodes(s.g_last[l]);
  const Row<T> x = repeat_channels(force[0]) * w;
  T* plane = tile + s.start[l] * kChannels;
  if constexpr (D == 2) {
    for (int i = 0; i < Kernel::kSupport; ++i, plane += row_stride<2>())
      (Row<T>::load(plane) + last * Row<T>(s.w[0][i][l]) + x * Row<T>(s.g[0][i][l])).store(plane);
  } else {
    const Row<T> y = repeat_channels(force[1]) * w;
    for (int i = 0; i < Kernel::kSupport; ++i, plane += plane_stride()) {
      const Row<T> wi(s.w[0][i][l]), u = last * wi + x * Row<T>(s.g[0][i][l]), v = y * wi;
      T* at = plane;
#pragma GCC unroll 4
      for (int j = 0; j < Kernel::kSupport; ++j, at += row_stride<3>())
        (Row<T>::load(at) + u * Row<T>(s.w[1][j][l]) + v * Row<T>(s.g[1][j][l])).store(at);
    }
  }
}

// m_i += w m, (m v)_i += w m (v + D⁻¹ B (x_i − x_p)) (M4)
template <class T, int D, class Kernel, bool Apic>
inline void scatter_momentum(const Stencils<T, D, Kernel>& s, int l, const Source<T, D>& source, T* tile) {
  const Row<T> w = spread_nodes(s.w_last[l]);
  Row<T> base = repeat_channels(source.momentum) * w, x(T(0)), y(T(0));
  if constexpr (Apic) {
    base = base + repeat_channels(source.affine[D - 1]) * s.row_distance(l) * w;
    x = repeat_channels(source.affine[0]) * w;
    if constexpr (D == 3) y = repeat_channels(source.affine[1]) * w;
  }
  T* plane = tile + s.start[l] * kChannels;
  for (int i = 0; i < Kernel::kSupport; ++i) {
    Row<T> u = base;
    if constexpr (Apic) u = u + x * Row<T>(s.distance(0, i, l));
    u = u * Row<T>(s.w[0][i][l]);
    if constexpr (D == 2) {
      (Row<T>::load(plane) + u).store(plane);
      plane += row_stride<2>();
    } else {
      const Row<T> v = y * Row<T>(s.w[0][i][l]);
      T* at = plane;
#pragma GCC unroll 4
      for (int j = 0; j < Kernel::kSupport; ++j, at += row_stride<3>()) {
        Row<T> sum = Row<T>::load(at) + u * Row<T>(s.w[1][j][l]);
        if constexpr (Apic) sum = sum + v * Row<T>(s.distance(1, j, l) * s.w[1][j][l]);
        sum.store(at);
      }
      plane += plane_stride();
    }
  }
}

// Channel 0 of the force tile: k |grad w|², what the particle's stiffness adds to the diagonal of (M18).
template <class T, int D, class Kernel>
inline void scatter_stiffness(const Stencils<T, D, Kernel>& s, int l, T stiffness, T* tile) {
  const T only_first[kChannels] = {stiffness, T(0), T(0), T(0)};
  const Row<T> w = spread_nodes(s.w_last[l]), g = spread_nodes(s.g_last[l]), k = repeat_channels(only_first);
  const Row<T> k_w = k * w * w, k_g = k * g * g;
  const auto square = [](T a) { return a * a; };
  T* plane = tile + s.start[l] * kChannels;
  for (int i = 0; i < Kernel::kSupport; ++i) {
    const T wi = square(s.w[0][i][l]), gi = square(s.g[0][i][l]);
    if constexpr (D == 2) {
      (Row<T>::load(plane) + k_w * Row<T>(gi) + k_g * Row<T>(wi)).store(plane);
      plane += row_stride<2>();
    } else {
      T* at = plane;
      for (int j = 0; j < Kernel::kSupport; ++j, at += row_stride<3>()) {
        const T wj = square(s.w[1][j][l]), gj = square(s.g[1][j][l]);
        (Row<T>::load(at) + k_w * Row<T>(gi * wj + wi * gj) + k_g * Row<T>(wi * wj)).store(at);
      }
      plane += plane_stride();
    }
  }
}

// Sums over the rows of a stencil, before the last axis is summed.
template <class T, int D>
struct RowSums {
  Row<T> value = Row<T>(T(0));   // of w u on the axes before the last
  Row<T> slope[D - 1];           // with one w replaced by its derivative
  Row<T> arm[D - 1];             // of w u (x_i − x_p), when asked for

  RowSums() {
    for (int d = 0; d < D - 1; ++d) slope[d] = arm[d] = Row<T>(T(0));
  }
};

template <class T, int D, class Kernel, bool Slopes, bool Arms>
inline RowSums<T, D> sum_rows(const Stencils<T, D, Kernel>& s, int l, const T* tile) {
  RowSums<T, D> sums;
  const T* plane = tile + s.start[l] * kChannels;
  for (int i = 0; i < Kernel::kSupport; ++i) {
    Row<T> c, slope(T(0)), arm(T(0));
    if constexpr (D == 2) {
      c = Row<T>::load(plane);
      plane += row_stride<2>();
    } else {
      c = Row<T>(T(0));
      const T* at = plane;
#pragma GCC unroll 4
      for (int j = 0; j < Kernel::kSupport; ++j, at += row_stride<3>()) {
        const Row<T> u = Row<T>::load(at);
        c = c + u * Row<T>(s.w[1][j][l]);
        if constexpr (Slopes) slope = slope + u * Row<T>(s.g[1][j][l]);
        if constexpr (Arms) arm = arm + u * Row<T>(s.w[1][j][l] * s.distance(1, j, l));
      }
      plane += plane_stride();
    }
    const Row<T> wi(s.w[0][i][l]);
    sums.value = sums.value + c * wi;
    if constexpr (Slopes) sums.slope[0] = sums.slope[0] + c * Row<T>(s.g[0][i][l]);
    if constexpr (Arms) sums.arm[0] = sums.arm[0] + c * Row<T>(s.w[0][i][l] * s.distance(0, i, l));
    if constexpr (D == 3 && Slopes) sums.slope[1] = sums.slope[1] + slope * wi;
    if constexpr (D == 3 && Arms) sums.arm[1] = sums.arm[1] + arm * wi;
  }
  return sums;
}

// What a group gathers, a quad of channels per particle: column d of the gradient (per cell), the value, column d of B (cells).
template <class T, int D>
struct Gathered {
  alignas(64) T gradient[D][kGroup<T>][kChannels];
  alignas(64) T value[kGroup<T>][kChannels];
  alignas(64) T affine[D][kGroup<T>][kChannels];
};

template <class T, int D, class Kernel>
inline void store_gradient(const Stencils<T, D, Kernel>& s, int l, const RowSums<T, D>& sums, Gathered<T, D>& to) {
  const Row<T> w = spread_nodes(s.w_last[l]);
  store_sum_of_nodes(sums.value * spread_nodes(s.g_last[l]), to.gradient[D - 1][l]);
  for (int d = 0; d < D - 1; ++d) store_sum_of_nodes(sums.slope[d] * w, to.gradient[d][l]);
}

// The columns of a group's matrices: row i of column d is channel i + 1 of quads[d].
template <class T, int D>
inline Mat<Lanes<T>, D> load_columns(const T (*quads)[kGroup<T>][kChannels]) {
  Mat<Lanes<T>, D> m;
  for (int d = 0; d < D; ++d) {
    Lanes<T> x[kChannels];
    quads_to_lanes(quads[d][0], x);
    for (int i = 0; i < D; ++i) m(i, d) = x[i + 1];
  }
  return m;
}

// The inverse, with `first` in channel 0.
template <class T, int D>
inline void store_columns(const Mat<Lanes<T>, D>& m, T (*quads)[kGroup<T>][kChannels]) {
  const Lanes<T> zero(T(0));
  for (int d = 0; d < D; ++d) {
    if constexpr (D == 2) lanes_to_quads(zero, m(0, d), m(1, d), zero, quads[d][0]);
    if constexpr (D == 3) lanes_to_quads(zero, m(0, d), m(1, d), m(2, d), quads[d][0]);
  }
}

}  // namespace firn::cpu
