// What one particle does with the nodes of its stencil in a tile of eight channels a node: adds to them or sums them up. A node is one
// aligned vector, so nothing straddles cache lines; what does not depend on the inner axes is taken out of their loops.
#pragma once

#include "solver/cpu/group.h"

namespace firn::cpu {

inline constexpr int kNodeChannels = 8;  // two quads

template <class T>
using Node = Pack<T, kNodeChannels>;

// Nodes from one value of the first axis (or of the second, in 3D) to the next.
template <int D>
inline constexpr int kRowStep = BlockShape<D>::kTileRow * kNodeChannels;
inline constexpr int kPlaneStep = BlockShape<3>::kTileEdge * kRowStep<3>;

// One particle's contribution. Low quad: (m, m v); high quad: (0, f). Slopes go with grad w, arms with x_i − x_p.
template <class T, int D>
struct Source {
  Node<T> value;
  Node<T> slope[D];
  Node<T> arm[D];  // APIC only
};

// The quad x in one half of a node, zeros in the other: put together in registers, because a wide load of what two narrower
// stores have just written would wait for them.
template <class T, bool High>
inline Node<T> half_node(const T* x) {
  using Layout = typename Node<T>::Layout;
  const auto quad = detail::load_quad(x);
  const decltype(quad) zero{};
  Node<T> r;
  if constexpr (Layout::kPart == kNodeChannels) {
    r.p[0] = High ? __builtin_shufflevector(zero, quad, 0, 1, 2, 3, 4, 5, 6, 7) : __builtin_shufflevector(quad, zero, 0, 1, 2, 3, 4, 5, 6, 7);
  } else if constexpr (Layout::kPart == kChannels) {
    r.p[0] = High ? zero : quad;
    r.p[1] = High ? quad : zero;
  } else {
    r = Node<T>(T(0));
    for (int c = 0; c < kChannels; ++c) r.set(c + (High ? kChannels : 0), x[c]);
  }
  return r;
}
template <class T>
inline Node<T> low_quad(const T* x) {
  return half_node<T, false>(x);
}
template <class T>
inline Node<T> high_quad(const T* x) {
  return half_node<T, true>(x);
}

// Along the last axis: node += value w + slope w′ (+ arm w (x_i − x_p)).
template <class T, int D, class Kernel, bool Apic>
inline void scatter_line(const Stencils<T, D, Kernel>& s, int l, const Node<T>& value, const Node<T>& slope, const Node<T>& arm, T* at) {
#pragma GCC unroll 4
  for (int k = 0; k < Kernel::kSupport; ++k, at += kNodeChannels) {
    Node<T> sum = Node<T>::load(at) + value * Node<T>(s.w_last[l][k]) + slope * Node<T>(s.g_last[l][k]);
    if constexpr (Apic) sum = sum + arm * Node<T>(s.w_last[l][k] * s.distance(D - 1, k, l));
    sum.store(at);
  }
}

// Mass, momentum and force: m_i += w m, (m v)_i += w m (v + D⁻¹ B (x_i − x_p)) (M4), f_i += A grad w (M6).
template <class T, int D, class Kernel, bool Apic>
inline void scatter(const Stencils<T, D, Kernel>& s, int l, const Source<T, D>& p, T* tile) {
  T* plane = tile + s.start[l] * kNodeChannels;
  for (int i = 0; i < Kernel::kSupport; ++i) {
    const Node<T> wi(s.w[0][i][l]);
    Node<T> value = p.value * wi + p.slope[0] * Node<T>(s.g[0][i][l]);
    if constexpr (Apic) value = value + p.arm[0] * Node<T>(s.w[0][i][l] * s.distance(0, i, l));
    const Node<T> last = p.slope[D - 1] * wi, last_arm = Apic ? p.arm[D - 1] * wi : last;
    if constexpr (D == 2) {
      scatter_line<T, D, Kernel, Apic>(s, l, value, last, last_arm, plane);
      plane += kRowStep<2>;
    } else {
      const Node<T> slope = p.slope[1] * wi, arm = Apic ? p.arm[1] * wi : slope;
      T* at = plane;
#pragma GCC unroll 4
      for (int j = 0; j < Kernel::kSupport; ++j, at += kRowStep<3>) {
        const Node<T> wj(s.w[1][j][l]);
        Node<T> v = value * wj + slope * Node<T>(s.g[1][j][l]);
        if constexpr (Apic) v = v + arm * Node<T>(s.w[1][j][l] * s.distance(1, j, l));
        scatter_line<T, D, Kernel, Apic>(s, l, v, last * wj, last_arm * wj, at);
      }
      plane += kPlaneStep;
    }
  }
}

// k |grad w|² into channel 4: what the particle's stiffness adds to the diagonal of (M18).
template <class T, int D, class Kernel>
inline void scatter_stiffness(const Stencils<T, D, Kernel>& s, int l, T stiffness, T* tile) {
  const auto square = [](T a) { return a * a; };
  const auto line = [&](T w, T g, T* at) {  // w: product of squared weights so far, g: with one of them replaced
    for (int k = 0; k < Kernel::kSupport; ++k)
      at[k * kNodeChannels + kChannels] += g * square(s.w_last[l][k]) + w * square(s.g_last[l][k]);
  };
  T* plane = tile + s.start[l] * kNodeChannels;
  for (int i = 0; i < Kernel::kSupport; ++i) {
    const T wi = stiffness * square(s.w[0][i][l]), gi = stiffness * square(s.g[0][i][l]);
    if constexpr (D == 2) {
      line(wi, gi, plane + i * kRowStep<2>);
    } else {
      for (int j = 0; j < Kernel::kSupport; ++j) {
        const T wj = square(s.w[1][j][l]), gj = square(s.g[1][j][l]);
        line(wi * wj, gi * wj + wi * gj, plane + i * kPlaneStep + j * kRowStep<3>);
      }
    }
  }
}

// Sums over a stencil: of w u, of grad w u, of w u (x_i − x_p) in cells.
template <class T, int D>
struct Sums {
  Node<T> value{T(0)};
  Node<T> slope[D];
  Node<T> arm[D];

  Sums() {
    for (int d = 0; d < D; ++d) slope[d] = arm[d] = Node<T>(T(0));
  }
};

// The last axis alone: value, slope[D − 1] and arm[D − 1].
template <class T, int D, class Kernel, bool Apic>
inline void gather_line(const Stencils<T, D, Kernel>& s, int l, const T* at, Node<T>& value, Node<T>& slope, Node<T>& arm) {
  value = slope = arm = Node<T>(T(0));
#pragma GCC unroll 4
  for (int k = 0; k < Kernel::kSupport; ++k, at += kNodeChannels) {
    const Node<T> u = Node<T>::load(at);
    value = value + u * Node<T>(s.w_last[l][k]);
    slope = slope + u * Node<T>(s.g_last[l][k]);
    if constexpr (Apic) arm = arm + u * Node<T>(s.w_last[l][k] * s.distance(D - 1, k, l));
  }
}

template <class T, int D, class Kernel, bool Apic>
inline Sums<T, D> gather(const Stencils<T, D, Kernel>& s, int l, const T* tile) {
  Sums<T, D> sums;
  const T* plane = tile + s.start[l] * kNodeChannels;
  for (int i = 0; i < Kernel::kSupport; ++i) {
    const Node<T> wi(s.w[0][i][l]);
    Node<T> value, last, last_arm;
    if constexpr (D == 2) {
      gather_line<T, D, Kernel, Apic>(s, l, plane, value, last, last_arm);
      plane += kRowStep<2>;
    } else {
      Node<T> slope(T(0)), arm(T(0));
      value = last = last_arm = Node<T>(T(0));
      const T* at = plane;
#pragma GCC unroll 4
      for (int j = 0; j < Kernel::kSupport; ++j, at += kRowStep<3>) {
        Node<T> v, z, z_arm;
        gather_line<T, D, Kernel, Apic>(s, l, at, v, z, z_arm);
        const Node<T> wj(s.w[1][j][l]);
        value = value + v * wj;
        slope = slope + v * Node<T>(s.g[1][j][l]);
        last = last + z * wj;
        if constexpr (Apic) {
          arm = arm + v * Node<T>(s.w[1][j][l] * s.distance(1, j, l));
          last_arm = last_arm + z_arm * wj;
        }
      }
      sums.slope[1] = sums.slope[1] + slope * wi;
      if constexpr (Apic) sums.arm[1] = sums.arm[1] + arm * wi;
      plane += kPlaneStep;
    }
    sums.value = sums.value + value * wi;
    sums.slope[0] = sums.slope[0] + value * Node<T>(s.g[0][i][l]);
    sums.slope[D - 1] = sums.slope[D - 1] + last * wi;
    if constexpr (Apic) {
      sums.arm[0] = sums.arm[0] + value * Node<T>(s.w[0][i][l] * s.distance(0, i, l));
      sums.arm[D - 1] = sums.arm[D - 1] + last_arm * wi;
    }
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

template <class T>
inline void store_low(const Node<T>& x, T* to) {
  std::memcpy(to, &x, kChannels * sizeof(T));
}
template <class T>
inline void store_high(const Node<T>& x, T* to) {
  std::memcpy(to, reinterpret_cast<const T*>(&x) + kChannels, kChannels * sizeof(T));
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
