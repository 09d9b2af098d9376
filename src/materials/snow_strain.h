// Snow in 3D by its strain E = F Fᵀ − 1 alone, apart because only GPUs gain by it: there rotations and eigenvalues are dear, and what most
// particles need of them, series and minors of E tell; the others need no rotation either. The law is that of snow.h.
#pragma once

#include "materials/snow.h"

namespace firn {

// A symmetric matrix: its upper triangle.
template <class T>
struct Symmetric {
  T xx, xy, xz, yy, yz, zz;
};

// F Fᵀ − 1
template <class T>
FIRN_HD inline Symmetric<T> left_strain(const Mat<T, 3>& F) {
  const auto rows = [&F](int i, int j, T from) { return F(i, 0) * F(j, 0) + (F(i, 1) * F(j, 1) + (F(i, 2) * F(j, 2) + from)); };
  return {rows(0, 0, T(-1)), rows(0, 1, T(0)), rows(0, 2, T(0)), rows(1, 1, T(-1)), rows(1, 2, T(0)), rows(2, 2, T(-1))};
}

template <class T>
FIRN_HD inline T squared_size(const Symmetric<T>& E) {
  return E.xx * E.xx + E.yy * E.yy + E.zz * E.zz + T(2) * (E.xy * E.xy + E.xz * E.xz + E.yz * E.yz);
}

template <class T>
FIRN_HD inline bool is_positive_definite(const Symmetric<T>& A) {
  const T minor = A.xx * A.yy - A.xy * A.xy;
  const T det = A.zz * minor + (A.xz * (A.xy * A.yz - A.xz * A.yy) + A.yz * (A.xy * A.xz - A.yz * A.xx));
  return (A.xx > T(0)) & (minor > T(0)) & (det > T(0));
}

// Whether every stretch is strictly within its limits: sigma² − 1 are the eigenvalues of E. What it cannot tell by rounding, yield() can.
template <class T>
FIRN_HD inline bool stays_elastic(const Symmetric<T>& E, const SnowParameters<T>& s) {
  const T low = s.stretch_min * s.stretch_min - T(1), high = s.stretch_max * s.stretch_max - T(1);
  const bool above = is_positive_definite(Symmetric<T>{E.xx - low, E.xy, E.xz, E.yy - low, E.yz, E.zz - low});
  const bool below = is_positive_definite(Symmetric<T>{high - E.xx, -E.xy, -E.xz, high - E.yy, -E.yz, high - E.zz});
  return above && below;
}

namespace detail {

// diagonal + A B, of matrices that commute
template <class T>
FIRN_HD inline Symmetric<T> product_and(T diagonal, const Symmetric<T>& A, const Symmetric<T>& B) {
  return {A.xx * B.xx + (A.xy * B.xy + (A.xz * B.xz + diagonal)),
          A.xx * B.xy + (A.xy * B.yy + A.xz * B.yz),
          A.xx * B.xz + (A.xy * B.yz + A.xz * B.zz),
          A.xy * B.xy + (A.yy * B.yy + (A.yz * B.yz + diagonal)),
          A.xy * B.xz + (A.yy * B.yz + A.yz * B.zz),
          A.xz * B.xz + (A.yz * B.yz + (A.zz * B.zz + diagonal))};
}
template <class T>
FIRN_HD inline Symmetric<T> scaled_and(T diagonal, T scale, const Symmetric<T>& A) {
  return {scale * A.xx + diagonal, scale * A.xy, scale * A.xz, scale * A.yy + diagonal, scale * A.yz, scale * A.zz + diagonal};
}

}  // namespace detail

// Up to here the series below ends at rounding: its next term is 21/512 |E|⁵ of the first one.
template <class T>
inline constexpr T kLargestSeriesStrain = T(0.06);

// The Kirchhoff stress P F_Eᵀ of (M11), 2 mu (b − √b) + lambda (J − 1) J with b = 1 + E, for strains up to kLargestSeriesStrain. J: of F_E.
template <class T>
FIRN_HD inline Symmetric<T> kirchhoff_by_series(const Symmetric<T>& E, const T& J, const Lame<T>& l) {
  // b − √b = E (1/2 + E (1/8 − E (1/16 − E (5/128 − 7/256 E))))
  Symmetric<T> sum = detail::scaled_and(T(-5.0 / 128), T(7.0 / 256), E);
  sum = detail::product_and(T(1.0 / 16), E, sum);
  sum = detail::product_and(T(-1.0 / 8), E, sum);
  sum = detail::product_and(T(-1.0 / 2), E, sum);
  sum = detail::product_and(T(0), E, sum);
  return detail::scaled_and(l.lambda * (J - T(1)) * J, T(-2) * l.mu, sum);
}

// What becomes of snow that may yield, and its stress; F is no reflection.
template <class T>
struct StrainResult {
  PlasticResult<T, 3> plastic;
  Symmetric<T> kirchhoff;  // unhardened
};

namespace detail {

// V diag(d) Vᵀ
template <class T>
FIRN_HD inline Symmetric<T> along(const Mat<T, 3>& V, const Vec<T, 3>& d) {
  const auto entry = [&](int i, int j) { return V(i, 0) * d[0] * V(j, 0) + (V(i, 1) * d[1] * V(j, 1) + V(i, 2) * d[2] * V(j, 2)); };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

}  // namespace detail

// As yield() does it, and (M11): with the left stretch, whose axes are those of E.
template <class T>
FIRN_HD inline StrainResult<T> yield_by_strain(const Mat<T, 3>& F_trial, const T& J_P, const SnowParameters<T>& s) {
  const Symmetric<T> E = left_strain(F_trial);
  const SymmetricEigen<T, 3> e = symmetric_eigen(Mat<T, 3>{{E.xx, E.xy, E.xz, E.xy, E.yy, E.yz, E.xz, E.yz, E.zz}});
  ClampedStretch<T, 3> stretch;
  bool inside = true;
  T ratio = T(1), J = T(1);
  for (int i = 0; i < 3; ++i) {
    stretch.values[i] = sqrt(max(T(1) + e.values[i], T(1e-12)));
    stretch.clamped[i] = clamp(stretch.values[i], s.stretch_min, s.stretch_max);
    inside = inside && stretch.values[i] == stretch.clamped[i];
    ratio = ratio * (stretch.values[i] / stretch.clamped[i]);
  }
  StrainResult<T> result{{F_trial, J_P, T(1), T(0)}, {}};
  Vec<T, 3> left = stretch.values;
  if (!inside) {
    PlasticResult<T, 3>& plastic = result.plastic;
    plastic.J_P = J_P * ratio;
    const T before = limited_exponent(s, J_P), harder = exponential(limited_exponent(s, plastic.J_P) - before);
    const T brought = strain_energy(stretch.values, s);
    plastic.kept = affordable_strain(stretch, brought, harder, s);
    Vec<T, 3> shrink;
    for (int i = 0; i < 3; ++i) {
      left[i] = T(1) + plastic.kept * (stretch.clamped[i] - T(1));
      shrink[i] = left[i] / stretch.values[i];
    }
    plastic.dissipated = exponential(before) * (brought - harder * strain_energy(left, s));
    const Symmetric<T> M = detail::along(e.V, shrink);
    plastic.F_E = Mat<T, 3>{{M.xx, M.xy, M.xz, M.xy, M.yy, M.yz, M.xz, M.yz, M.zz}} * F_trial;
  }
  for (int i = 0; i < 3; ++i) J = J * left[i];
  Vec<T, 3> tau;
  for (int i = 0; i < 3; ++i) tau[i] = T(2) * s.mu0 * left[i] * (left[i] - T(1)) + s.lambda0 * (J - T(1)) * J;
  result.kirchhoff = detail::along(e.V, tau);
  return result;
}

}  // namespace firn
