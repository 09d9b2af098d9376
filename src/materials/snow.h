// Snow of Stomakhin et al. 2013, apart because a law is one header: fixed corotated elasticity (M11), hardening (M12), plasticity by
// clamped stretches (M8, M9). Pure functions over numbers or Packs, in 2D and 3D, for host and device.
#pragma once

#include "math/decompose.h"
#include "math/scalar.h"

namespace firn {

template <class T>
struct SnowParameters {
  T mu0, lambda0;  // Pa, unhardened (M13)
  T hardening;     // xi
  T stretch_min;   // 1 − theta_c
  T stretch_max;   // 1 + theta_s
  T log_limit;     // ln of the hardening limit
};

template <class T>
struct Lame {
  T mu, lambda;
};

// (M13)
template <class T>
FIRN_HD inline Lame<T> lame_from_young(const T& young, const T& poisson) {
  return {young / (T(2) * (T(1) + poisson)), young * poisson / ((T(1) + poisson) * (T(1) - T(2) * poisson))};
}

// The exponent of (M12) before the limit; at or beyond ±log_limit the limit acts.
template <class T>
FIRN_HD inline T hardening_exponent(const SnowParameters<T>& s, const T& J_P) {
  return s.hardening * (T(1) - J_P);
}

// (M12)
template <class T>
FIRN_HD inline Lame<T> hardened(const SnowParameters<T>& s, const T& J_P) {
  const T factor = exponential(clamp(hardening_exponent(s, J_P), -s.log_limit, s.log_limit));
  return {s.mu0 * factor, s.lambda0 * factor};
}

// (M11), R the rotation of F_E
template <class T, int D>
FIRN_HD inline T energy_density(const Mat<T, D>& F_E, const Mat<T, D>& R, const Lame<T>& l) {
  const Mat<T, D> E = F_E - R;
  const T dilation = determinant(F_E) - T(1);
  return l.mu * contract(E, E) + T(0.5) * l.lambda * dilation * dilation;
}

// P of (M11)
template <class T, int D>
FIRN_HD inline Mat<T, D> first_piola(const Mat<T, D>& F_E, const Mat<T, D>& R, const Lame<T>& l) {
  return (T(2) * l.mu) * (F_E - R) + (l.lambda * (determinant(F_E) - T(1))) * cofactor(F_E);
}

// (M15): the derivative of the rotation along dF, given R and S of F = R S.
template <class T>
FIRN_HD inline Mat<T, 2> rotation_derivative(const Mat<T, 2>& R, const Mat<T, 2>& S, const Mat<T, 2>& dF) {
  const Mat<T, 2> M = transpose(R) * dF;
  const T trace = S(0, 0) + S(1, 1);
  const auto solvable = abs(trace) > T(kEpsilon<T>);
  const T a = select(solvable, (M(0, 1) - M(1, 0)) / select(solvable, trace, T(1)), T(0));
  return R * Mat<T, 2>{{T(0), a, -a, T(0)}};
}

template <class T>
FIRN_HD inline Mat<T, 3> rotation_derivative(const Mat<T, 3>& R, const Mat<T, 3>& S, const Mat<T, 3>& dF) {
  const Mat<T, 3> M = transpose(R) * dF;
  const Vec<T, 3> r{M(0, 1) - M(1, 0), M(0, 2) - M(2, 0), M(1, 2) - M(2, 1)};
  const Mat<T, 3> K{{S(0, 0) + S(1, 1), S(1, 2), -S(0, 2),  //
                     S(1, 2), S(0, 0) + S(2, 2), S(0, 1),   //
                     -S(0, 2), S(0, 1), S(1, 1) + S(2, 2)}};
  const Mat<T, 3> C = cofactor(K);
  const T det = K(0, 0) * C(0, 0) + K(0, 1) * C(0, 1) + K(0, 2) * C(0, 2);
  const auto solvable = abs(det) > T(kEpsilon<T>);
  const T inverse = select(solvable, T(1) / select(solvable, det, T(1)), T(0));
  const Vec<T, 3> y = inverse * (C * r);  // K is symmetric, so is its cofactor matrix
  return R * Mat<T, 3>{{T(0), y[0], y[1], -y[0], T(0), y[2], -y[1], -y[2], T(0)}};
}

// (M16)
template <class T>
FIRN_HD inline Mat<T, 2> cofactor_derivative(const Mat<T, 2>&, const Mat<T, 2>& dF) {
  return cofactor(dF);
}
template <class T>
FIRN_HD inline Mat<T, 3> cofactor_derivative(const Mat<T, 3>& F, const Mat<T, 3>& dF) {
  Mat<T, 3> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      r(i, j) = dF(i1, j1) * F(i2, j2) + F(i1, j1) * dF(i2, j2) - dF(i1, j2) * F(i2, j1) - F(i1, j2) * dF(i2, j1);
    }
  return r;
}

// (M14): the change of P along dF.
template <class T, int D>
FIRN_HD inline Mat<T, D> piola_derivative(const Mat<T, D>& F_E, const Mat<T, D>& R, const Lame<T>& l, const Mat<T, D>& dF) {
  const Mat<T, D> S = transpose(R) * F_E;
  const Mat<T, D> C = cofactor(F_E);
  return (T(2) * l.mu) * (dF - rotation_derivative(R, S, dF)) + (l.lambda * contract(C, dF)) * C +
         (l.lambda * (determinant(F_E) - T(1))) * cofactor_derivative(F_E, dF);
}

template <class T, int D>
struct PlasticResult {
  Mat<T, D> F_E;
  T J_P_ratio;  // new J_P over old (M9)
};

// Where no stretch can exceed its limits: |sigma² − 1| <= |FᵀF − I| for every one of them. A mirrored F has the same FᵀF.
template <class T, int D>
FIRN_HD inline auto surely_elastic(const Mat<T, D>& F, const SnowParameters<T>& s) {
  const Mat<T, D> C = transpose(F) * F - Mat<T, D>::identity();
  const T room = min(s.stretch_max * s.stretch_max - T(1), T(1) - s.stretch_min * s.stretch_min);
  return (contract(C, C) <= room * room) & (determinant(F) > T(0));
}

// Step 7: what exceeds the critical stretches moves from the elastic to the plastic part (M8).
template <class T, int D>
FIRN_HD inline PlasticResult<T, D> yield(const Mat<T, D>& F_trial, const SnowParameters<T>& s) {
  PlasticResult<T, D> result{F_trial, T(1)};
  const auto elastic = surely_elastic(F_trial, s);
  if (!any(!elastic)) return result;
  const Mat<T, D> R = rotation_near(F_trial);
  const Mat<T, D> S = transpose(R) * F_trial;
  // `elastic` once more, because rounding may see it otherwise here, and lanes must not depend on each other.
  const auto inside = elastic | (eigenvalues_at_least(S, s.stretch_min) & eigenvalues_at_least(-S, -s.stretch_max));
  if (!any(!inside)) return result;
  const SymmetricEigen<T, D> e = symmetric_eigen(S);
  Vec<T, D> sigma;
  T ratio = T(1);
  for (int i = 0; i < D; ++i) {
    sigma[i] = clamp(e.values[i], s.stretch_min, s.stretch_max);
    ratio = ratio * (e.values[i] / sigma[i]);
  }
  Mat<T, D> scaled = e.V;  // V diag(sigma)
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) scaled(i, j) = scaled(i, j) * sigma[j];
  const Mat<T, D> clamped = R * (scaled * transpose(e.V));
  for (int k = 0; k < D * D; ++k) result.F_E.a[k] = select(inside, F_trial.a[k], clamped.a[k]);
  result.J_P_ratio = select(inside, T(1), ratio);
  return result;
}

}  // namespace firn
