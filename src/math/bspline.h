// The grid's shape functions (M2), (M3) on one axis, in units of cells. A particle at offset f in its cell meets kSupport nodes, the
// first at cell + base_shift(f); delta is its distance from that node.
#pragma once

#include "math/scalar.h"

namespace firn {

struct CubicKernel {
  static constexpr int kSupport = 4;
  static constexpr double kInverseD = 3;  // APIC's D⁻¹, times h²

  template <class T>
  FIRN_HD static T base_shift(const T&) {
    return T(-1);
  }
  // w: N, g: N′, at nodes 0…3 from the base; delta in [1, 2).
  template <class T>
  FIRN_HD static void weights(const T& delta, T* w, T* g) {
    const T f = delta - T(1), e = T(2) - delta;
    constexpr Scalar<T> kSixth = Scalar<T>(1) / 6, kTwoThirds = Scalar<T>(2) / 3;
    w[0] = e * e * e * T(kSixth);  // (2 − |s|)³/6: the expanded form goes wrong near |s| = 2
    w[1] = (T(0.5) * f - T(1)) * f * f + T(kTwoThirds);
    w[3] = f * f * f * T(kSixth);
    w[2] = T(1) - (w[0] + w[1] + w[3]);  // 2/3 is not a float: without this, sums of weights drift by 1e-7 a step
    g[0] = T(-0.5) * e * e;
    g[1] = (T(1.5) * f - T(2)) * f;
    g[2] = (T(2) - T(1.5) * e) * e;
    g[3] = T(0.5) * f * f;
  }
};

struct QuadraticKernel {
  static constexpr int kSupport = 3;
  static constexpr double kInverseD = 4;

  template <class T>
  FIRN_HD static T base_shift(const T& f) {
    return select(f < T(0.5), T(-1), T(0));
  }
  // delta in [0.5, 1.5).
  template <class T>
  FIRN_HD static void weights(const T& delta, T* w, T* g) {
    const T a = T(1.5) - delta, b = delta - T(1), c = delta - T(0.5);
    w[0] = T(0.5) * a * a;
    w[1] = T(0.75) - b * b;
    w[2] = T(0.5) * c * c;
    g[0] = -a;
    g[1] = T(-2) * b;
    g[2] = c;
  }
};

}  // namespace firn
