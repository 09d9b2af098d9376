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
  T softening;     // instead of xi where J_P > 1
};

// The softening of a particle whose hardening is its own: in the proportion that its material has.
template <class T>
FIRN_HD inline T own_softening(const T& hardening, const T& softening, const T& own_hardening) {
  const auto hardens = hardening > T(0);
  return select(hardens, softening / select(hardens, hardening, T(1)) * own_hardening, softening);
}

template <class T>
struct Lame {
  T mu, lambda;
};

// (M13)
template <class T>
FIRN_HD inline Lame<T> lame_from_young(const T& young, const T& poisson) {
  return {young / (T(2) * (T(1) + poisson)), young * poisson / ((T(1) + poisson) * (T(1) - T(2) * poisson))};
}

// The exponent of (M12) before the limit; at or beyond ±log_limit the limit acts. Torn snow has a rate of its own, so that a crack costs
// the same energy however narrow the grid makes it.
template <class T>
FIRN_HD inline T hardening_exponent(const SnowParameters<T>& s, const T& J_P) {
  return select(J_P > T(1), s.softening, s.hardening) * (T(1) - J_P);
}

template <class T>
FIRN_HD inline T limited_exponent(const SnowParameters<T>& s, const T& J_P) {
  return clamp(hardening_exponent(s, J_P), -s.log_limit, s.log_limit);
}

// (M12)
template <class T>
FIRN_HD inline Lame<T> hardened(const SnowParameters<T>& s, const T& J_P) {
  const T factor = exponential(limited_exponent(s, J_P));
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

// Where no stretch can exceed its limits: |sigma² − 1| <= |FᵀF − I| for every one of them. A mirrored F has the same FᵀF.
template <class T, int D>
FIRN_HD inline auto surely_elastic(const Mat<T, D>& F, const SnowParameters<T>& s) {
  const Mat<T, D> C = transpose(F) * F - Mat<T, D>::identity();
  const T room = min(s.stretch_max * s.stretch_max - T(1), T(1) - s.stretch_min * s.stretch_min);
  return (contract(C, C) <= room * room) & (determinant(F) > T(0));
}

// What becomes of a stretch S that may exceed the critical ones.
template <class T, int D>
struct ClampedStretch {
  Vec<T, D> values, clamped;  // along the same axes
  Mat<T, D> S;                // with the clamped ones
};
template <class T, int D>
FIRN_HD inline ClampedStretch<T, D> clamp_stretch(const Mat<T, D>& S, const SnowParameters<T>& s) {
  const SymmetricEigen<T, D> e = symmetric_eigen(S);
  ClampedStretch<T, D> c;
  c.values = e.values;
  for (int i = 0; i < D; ++i) c.clamped[i] = clamp(e.values[i], s.stretch_min, s.stretch_max);
  Mat<T, D> scaled = e.V;  // V diag(clamped)
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) scaled(i, j) = scaled(i, j) * c.clamped[j];
  c.S = scaled * transpose(e.V);
  return c;
}

// (M11) of principal stretches, unhardened.
template <class T, int D>
FIRN_HD inline T strain_energy(const Vec<T, D>& stretches, const SnowParameters<T>& s) {
  T squares = T(0), J = T(1);
  for (int i = 0; i < D; ++i) {
    squares = squares + (stretches[i] - T(1)) * (stretches[i] - T(1));
    J = J * stretches[i];
  }
  return s.mu0 * squares + T(0.5) * s.lambda0 * (J - T(1)) * (J - T(1));
}

// The part of its strain that snow may keep when it yields and hardens: as much as leaves it no more energy than it brought. 1 in all snow
// that hardens as slowly as the paper's; where xi theta_c is large, or snow hardly changes its volume, the law alone would make energy.
// harder: the new hardening factor over the old one.
template <class T, int D>
FIRN_HD inline T affordable_strain(const ClampedStretch<T, D>& stretch, const T& brought, const T& harder, const SnowParameters<T>& s) {
  T kept = T(1), energy = harder * strain_energy(stretch.clamped, s);
  // Strains near the limits are known to a few units of the last place of 1. Snow whose law makes no energy need not pay for that; of other
  // snow it would be a gain in every step.
  const auto tame = (s.hardening * (T(1) - s.stretch_min) < T(1)) & (s.lambda0 < T(4) * s.mu0);
  const T rounding = T(16 * kEpsilon<T>) / min(T(1) - s.stretch_min, s.stretch_max - T(1));
  const T slack = T(1) + T(1e-6) + select(tame, rounding, T(0));
  constexpr int kMost = 8;  // one or two will do: the energy is nearly quadratic
  for (int k = 0; k < kMost; ++k) {
    const auto too_much = energy > brought * slack;
    if (!any(too_much)) break;
    kept = select(too_much, kept * sqrt(brought / energy), kept);
    Vec<T, D> relaxed;
    for (int i = 0; i < D; ++i) relaxed[i] = T(1) + kept * (stretch.clamped[i] - T(1));
    energy = harder * strain_energy(relaxed, s);
  }
  return kept;
}

template <class T, int D>
struct PlasticResult {
  Mat<T, D> F_E;
  T J_P;         // (M9)
  T kept;        // of the elastic strain, see affordable_strain
  T dissipated;  // J/m³ of the undeformed snow
};

namespace detail {

// Of snow that may exceed them; `elastic`: lanes that do not. By values: what is called by reference has to be in memory.
template <class T, int D, class Mask>
FIRN_HD FIRN_RARE PlasticResult<T, D> yield_beyond(Mat<T, D> F_trial, T J_P, SnowParameters<T> s, Mask elastic) {
  PlasticResult<T, D> result{F_trial, J_P, T(1), T(0)};
  const Mat<T, D> R = rotation_near(F_trial);
  const Mat<T, D> S = transpose(R) * F_trial;
  // `elastic` once more, because rounding may see it otherwise here, and lanes must not depend on each other.
  const auto inside = elastic | (eigenvalues_at_least(S, s.stretch_min) & eigenvalues_at_least(-S, -s.stretch_max));
  if (!any(!inside)) return result;
  const ClampedStretch<T, D> stretch = clamp_stretch(S, s);
  T ratio = T(1);
  for (int i = 0; i < D; ++i) ratio = ratio * (stretch.values[i] / stretch.clamped[i]);
  const T next = J_P * ratio;
  const T before = limited_exponent(s, J_P), harder = exponential(limited_exponent(s, next) - before);
  const T brought = strain_energy(stretch.values, s);
  const T kept = affordable_strain(stretch, brought, harder, s);
  Mat<T, D> F_E = R * stretch.S;
  const auto relaxed = kept < T(1);
  if (any(relaxed))
    for (int k = 0; k < D * D; ++k) F_E.a[k] = select(relaxed, R.a[k] + kept * (F_E.a[k] - R.a[k]), F_E.a[k]);
  for (int k = 0; k < D * D; ++k) result.F_E.a[k] = select(inside, F_trial.a[k], F_E.a[k]);
  result.J_P = select(inside, J_P, next);
  result.kept = select(inside, T(1), kept);
  Vec<T, D> left;
  for (int i = 0; i < D; ++i) left[i] = T(1) + kept * (stretch.clamped[i] - T(1));
  result.dissipated = select(inside, T(0), exponential(before) * (brought - harder * strain_energy(left, s)));
  return result;
}

}  // namespace detail

// Step 7: what exceeds the critical stretches moves from the elastic to the plastic part (M8).
template <class T, int D>
FIRN_HD inline PlasticResult<T, D> yield(const Mat<T, D>& F_trial, const T& J_P, const SnowParameters<T>& s) {
  const auto elastic = surely_elastic(F_trial, s);
  if (!any(!elastic)) return {F_trial, J_P, T(1), T(0)};
  return detail::yield_beyond(F_trial, J_P, s, elastic);
}

// A particle that has grown beyond all the space its nodes see, or shrunk as much, has a J_P that means nothing. support: the volume of a
// stencil; volume: V⁰.
template <class T>
FIRN_HD inline T capped_plastic(const T& J_P, const T& support, const T& volume) {
  const T most = max(T(2), support / volume);
  return clamp(J_P, T(1) / most, most);
}

// Whether the wave of a particle goes no further in a step than explicit steps let it: then its force from the beginning of the step will
// do, and nothing damps it. cells_per_speed: dt/h; courant: C of explicit steps.
template <class T>
FIRN_HD inline auto takes_explicit_steps(const Lame<T>& l, const T& volume, const T& mass, const T& cells_per_speed, const T& courant) {
  return (l.lambda + T(2) * l.mu) * volume * cells_per_speed * cells_per_speed <= courant * courant * mass;
}

// How much of the elastic change of stress the return of step 7 will leave when F_E becomes F_trial: the factor of H that makes a
// semi-implicit step resist as snow that yields does, not as if it could not. R: the rotation of F_E.
template <class T, int D>
FIRN_HD inline T plastic_tangent(const Mat<T, D>& F_E, const Mat<T, D>& R, const Mat<T, D>& F_trial, const SnowParameters<T>& s) {
  const auto elastic = surely_elastic(F_trial, s);
  if (!any(!elastic)) return T(1);
  // Kirchhoff stress in the frame of the stretch.
  const auto stress = [&s](const Mat<T, D>& S) {
    const T J = determinant(S);
    return (T(2) * s.mu0) * (S * S - S) + (s.lambda0 * (J - T(1)) * J) * Mat<T, D>::identity();
  };
  const Mat<T, D> trial = transpose(rotation_near(F_trial)) * F_trial;
  const ClampedStretch<T, D> stretch = clamp_stretch(trial, s);
  const Mat<T, D> now = stress(transpose(R) * F_E);
  const Mat<T, D> elastic_change = stress(trial) - now, change = stress(stretch.S) - now;
  const T size = contract(elastic_change, elastic_change);
  const auto changes = size > T(0);
  const T part = sqrt(contract(change, change) / select(changes, size, T(1)));
  T smallest = stretch.values[0], largest = stretch.values[0];
  for (int i = 1; i < D; ++i) {
    smallest = min(smallest, stretch.values[i]);
    largest = max(largest, stretch.values[i]);
  }
  // Packing hardens: that much of its stiffness is left whatever the step.
  const T least = select(smallest < s.stretch_min, s.hardening * (T(1) - s.stretch_min), T(0));
  const auto yields = (!elastic) & changes & ((smallest < s.stretch_min) | (largest > s.stretch_max));
  return select(yields, min(max(part, least), T(1)), T(1));
}

}  // namespace firn
