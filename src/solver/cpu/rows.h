// The implicit operator's transfers: one vector in, one out, four channels a node, a Row at a time. The last axis runs along the Row;
// the axes before it are loops, and what does not depend on the inner one is taken out of it.
#pragma once

#include "solver/cpu/transfer.h"

namespace firn::cpu {

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

// Sums over the rows of a stencil, before the last axis is summed.
template <class T, int D>
struct RowSums {
  Row<T> value;         // of w u on the axes before the last
  Row<T> slope[D - 1];  // with one w replaced by its derivative
};

template <class T, int D, class Kernel>
inline RowSums<T, D> sum_rows(const Stencils<T, D, Kernel>& s, int l, const T* tile) {
  const Row<T> zero(T(0));
  RowSums<T, D> sums;
  sums.value = zero;
  for (Row<T>& slope : sums.slope) slope = zero;
  const T* plane = tile + s.start[l] * kChannels;
  for (int i = 0; i < Kernel::kSupport; ++i) {
    const Row<T> wi(s.w[0][i][l]);
    Row<T> c = zero;
    if constexpr (D == 2) {
      c = Row<T>::load(plane);
      plane += row_stride<2>();
    } else {
      Row<T> slope = zero;
      const T* at = plane;
#pragma GCC unroll 4
      for (int j = 0; j < Kernel::kSupport; ++j, at += row_stride<3>()) {
        const Row<T> u = Row<T>::load(at);
        c = c + u * Row<T>(s.w[1][j][l]);
        slope = slope + u * Row<T>(s.g[1][j][l]);
      }
      sums.slope[1] = sums.slope[1] + slope * wi;
      plane += plane_stride();
    }
    sums.value = sums.value + c * wi;
    sums.slope[0] = sums.slope[0] + c * Row<T>(s.g[0][i][l]);
  }
  return sums;
}

// grad u at lane l, column by column.
template <class T, int D, class Kernel>
inline void gather_gradient(const Stencils<T, D, Kernel>& s, int l, const T* tile, T (*gradient)[kGroup<T>][kChannels]) {
  const RowSums<T, D> sums = sum_rows(s, l, tile);
  const Row<T> w = spread_nodes(s.w_last[l]);
  store_sum_of_nodes(sums.value * spread_nodes(s.g_last[l]), gradient[D - 1][l]);
  for (int d = 0; d < D - 1; ++d) store_sum_of_nodes(sums.slope[d] * w, gradient[d][l]);
}

}  // namespace firn::cpu
