// Eigenvalues and vectors of a symmetric matrix, S = V diag(values) Vᵀ with V a rotation, in no special order: cyclic Jacobi.
// Branch-free, so that it runs on Packs.
#pragma once

#include "math/vec.h"

namespace firn {

template <class T, int D>
struct SymmetricEigen {
  Vec<T, D> values;
  Mat<T, D> V;
};

namespace detail {

// The tangent of the rotation that makes [alpha gamma; gamma beta] diagonal.
template <class T>
FIRN_HD inline T jacobi_tangent(const T& alpha, const T& beta, const T& gamma) {
  const T d = beta - alpha;
  const T denominator = abs(d) + sqrt(d * d + T(4) * gamma * gamma);
  const T t = T(2) * gamma / select(denominator > T(0), denominator, T(1));
  return select(d < T(0), -t, t);
}

template <class T>
FIRN_HD inline void rotate_numbers(T& p, T& q, const T& c, const T& s) {
  const T old = p;
  p = c * old - s * q;
  q = s * old + c * q;
}

template <class T>
FIRN_HD inline void rotate_pair(Vec<T, 3>& p, Vec<T, 3>& q, const T& c, const T& s) {
  for (int i = 0; i < 3; ++i) rotate_numbers(p[i], q[i], c, s);
}

// Makes entry (p, q) zero where it is more than `small`; r is the third axis.
template <class T>
FIRN_HD inline void diagonalize_pair(const T& small, T& pp, T& qq, T& pq, T& pr, T& qr, Vec<T, 3>& v_p, Vec<T, 3>& v_q) {
  const auto active = abs(pq) > small;
  const T d = qq - pp;
  const T double_angle = inverse_sqrt(d * d + T(4) * pq * pq);  // abs(d) times this is the cosine of twice the angle
  const T cosine2 = T(0.5) + T(0.5) * abs(d) * double_angle;
  const T secant = inverse_sqrt(cosine2);
  const T sine = select(d < T(0), -pq, pq) * double_angle * secant;
  const T c = select(active, cosine2 * secant, T(1)), s = select(active, sine, T(0)), t = select(active, sine * secant, T(0));
  pp = pp - t * pq;
  qq = qq + t * pq;
  pq = select(active, T(0), pq);
  rotate_numbers(pr, qr, c, s);
  rotate_pair(v_p, v_q, c, s);
}

}  // namespace detail

// Reads the upper triangle.
template <class T>
FIRN_HD inline SymmetricEigen<T, 3> symmetric_eigen(const Mat<T, 3>& S) {
  T a00 = S(0, 0), a11 = S(1, 1), a22 = S(2, 2), a01 = S(0, 1), a02 = S(0, 2), a12 = S(1, 2);
  Vec<T, 3> v[3];
  for (int j = 0; j < 3; ++j) {
    v[j] = Vec<T, 3>::zero();
    v[j][j] = T(1);
  }
  constexpr int kMaxSweeps = sizeof(Scalar<T>) == 4 ? 6 : 8;  // typical: 2 or 3
  const T small = T(kEpsilon<T> / 8) * (abs(a00) + abs(a11) + abs(a22));
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    if (!any(max(max(abs(a01), abs(a02)), abs(a12)) > small)) break;  // finished lanes do not change, so neighbours never matter
    detail::diagonalize_pair(small, a00, a11, a01, a02, a12, v[0], v[1]);
    detail::diagonalize_pair(small, a00, a22, a02, a01, a12, v[0], v[2]);
    detail::diagonalize_pair(small, a11, a22, a12, a01, a02, v[1], v[2]);
  }
  SymmetricEigen<T, 3> r{{a00, a11, a22}, {}};
  for (int j = 0; j < 3; ++j) set_column(r.V, j, v[j]);
  return r;
}

template <class T>
FIRN_HD inline SymmetricEigen<T, 2> symmetric_eigen(const Mat<T, 2>& S) {
  const T t = detail::jacobi_tangent(S(0, 0), S(1, 1), S(0, 1));
  const T c = inverse_sqrt(T(1) + t * t);
  const T s = c * t;
  return {{S(0, 0) - t * S(0, 1), S(1, 1) + t * S(0, 1)}, {{c, s, -s, c}}};
}

// Whether every eigenvalue of symmetric S is at least `low`: by the leading minors of S − low.
template <class T>
FIRN_HD inline auto eigenvalues_at_least(const Mat<T, 2>& S, const T& low) {
  const T a = S(0, 0) - low, d = S(1, 1) - low;
  return (a >= T(0)) & (a * d - S(0, 1) * S(0, 1) >= T(0)) & (d >= T(0));
}
template <class T>
FIRN_HD inline auto eigenvalues_at_least(const Mat<T, 3>& S, const T& low) {
  Mat<T, 3> A = S;
  for (int i = 0; i < 3; ++i) A(i, i) = A(i, i) - low;
  const Mat<T, 3> C = cofactor(A);
  const T det = A(0, 0) * C(0, 0) + A(0, 1) * C(0, 1) + A(0, 2) * C(0, 2);
  // All principal minors, because leading ones alone cannot tell zero from negative.
  return (A(0, 0) >= T(0)) & (A(1, 1) >= T(0)) & (A(2, 2) >= T(0)) & (C(0, 0) >= T(0)) & (C(1, 1) >= T(0)) & (C(2, 2) >= T(0)) &
         (det >= T(0));
}

}  // namespace firn
