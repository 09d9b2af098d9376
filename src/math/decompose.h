// Eigenvalues of symmetric matrices and singular values of any. Branch-free, so that both run on Packs.
#pragma once

#include "math/vec.h"

namespace firn {

// Eigenvalues and vectors of a symmetric matrix, S = V diag(values) Vᵀ with V a rotation, in no special order: cyclic Jacobi.
// Branch-free, so that it runs on Packs.

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
  const T a = S(0, 0) - low, b = S(1, 1) - low, c = S(2, 2) - low;
  const T bc = b * c - S(1, 2) * S(2, 1), ca = c * a - S(2, 0) * S(0, 2), ab = a * b - S(0, 1) * S(1, 0);
  const T det = a * bc + S(0, 1) * (S(1, 2) * S(2, 0) - S(1, 0) * c) + S(0, 2) * (S(1, 0) * S(2, 1) - b * S(2, 0));
  // All principal minors, because leading ones alone cannot tell zero from negative.
  return (a >= T(0)) & (b >= T(0)) & (c >= T(0)) & (bc >= T(0)) & (ca >= T(0)) & (ab >= T(0)) & (det >= T(0));
}

// Singular value decomposition F = U diag(sigma) Vᵀ with U and V proper rotations: sigma is sorted by magnitude and only its last
// (smallest) entry is negative, when det F < 0. Branch-free, so that it runs on Packs.

template <class T, int D>
struct Svd {
  Mat<T, D> U;
  Vec<T, D> sigma;
  Mat<T, D> V;
};

namespace detail {

template <class T>
FIRN_HD inline T max_abs(const T* a, int n) {
  T m = abs(a[0]);
  for (int i = 1; i < n; ++i) m = max(m, abs(a[i]));
  return m;
}

// One rotation of the one-sided Jacobi method; returns which lanes still had work to do.
template <class T>
FIRN_HD inline auto orthogonalize(Vec<T, 3>& a_p, Vec<T, 3>& a_q, Vec<T, 3>& v_p, Vec<T, 3>& v_q) {
  const T alpha = dot(a_p, a_p), beta = dot(a_q, a_q), gamma = dot(a_p, a_q);
  const T limit = T(kEpsilon<T> * kEpsilon<T>) * alpha * beta;
  const auto active = gamma * gamma > limit;
  const T t = select(active, jacobi_tangent(alpha, beta, gamma), T(0));
  const T c = T(1) / sqrt(T(1) + t * t);
  const T s = c * t;
  rotate_pair(a_p, a_q, c, s);
  rotate_pair(v_p, v_q, c, s);
  return active;
}

// Puts the longer of two columns first; one of them changes sign so that V stays a rotation.
template <class T>
FIRN_HD inline void order_pair(Vec<T, 3>& a_p, Vec<T, 3>& a_q, Vec<T, 3>& v_p, Vec<T, 3>& v_q) {
  const auto swap = dot(a_p, a_p) < dot(a_q, a_q);
  for (int i = 0; i < 3; ++i) {
    const T a = a_p[i], v = v_p[i];
    a_p[i] = select(swap, a_q[i], a);
    a_q[i] = select(swap, -a, a_q[i]);
    v_p[i] = select(swap, v_q[i], v);
    v_q[i] = select(swap, -v, v_q[i]);
  }
}

template <class T>
FIRN_HD inline Vec<T, 3> any_perpendicular(const Vec<T, 3>& u) {
  const auto x_large = abs(u[0]) > T(0.6);
  const Vec<T, 3> axis{select(x_large, T(0), T(1)), select(x_large, T(1), T(0)), T(0)};
  const Vec<T, 3> w = cross(u, axis);
  return (T(1) / norm(w)) * w;
}

// Columns this short, against the largest entry, count as zero: its square is still a normal number.
template <class T>
inline constexpr Scalar<T> kShort = sizeof(Scalar<T>) == 4 ? Scalar<T>(1e-17) : Scalar<T>(1e-150);

// x/|x|, or `fallback` where x is too short to have a direction.
template <class T>
FIRN_HD inline Vec<T, 3> direction(const Vec<T, 3>& x, const Vec<T, 3>& fallback) {
  const T length = norm(x);
  const auto long_enough = length > T(kShort<T>);
  const T inverse = T(1) / select(long_enough, length, T(1));
  Vec<T, 3> r;
  for (int i = 0; i < 3; ++i) r[i] = select(long_enough, x[i] * inverse, fallback[i]);
  return r;
}

// Without this, values below kShort would come in any order and with any sign.
template <class T>
FIRN_HD inline T zero_if_short(const T& x) {
  return select(abs(x) > T(kShort<T>), x, T(0));
}

}  // namespace detail

// One-sided Jacobi: small singular values keep their relative accuracy, which F^T F would lose.
template <class T>
FIRN_HD inline Svd<T, 3> svd(const Mat<T, 3>& F) {
  const T largest = detail::max_abs(F.a, 9);
  const T scale = select(largest > T(0), largest, T(1));
  const T inverse_scale = T(1) / scale;
  Vec<T, 3> a[3], v[3];
  for (int j = 0; j < 3; ++j) {
    a[j] = inverse_scale * column(F, j);
    v[j] = Vec<T, 3>::zero();
    v[j][j] = T(1);
  }
  constexpr int kMaxSweeps = sizeof(Scalar<T>) == 4 ? 8 : 10;  // typical: 3 to 5
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    const auto m0 = detail::orthogonalize(a[0], a[1], v[0], v[1]);
    const auto m1 = detail::orthogonalize(a[0], a[2], v[0], v[2]);
    const auto m2 = detail::orthogonalize(a[1], a[2], v[1], v[2]);
    if (!any(m0 | m1 | m2)) break;  // finished lanes no longer change, so neighbours never matter
  }
  detail::order_pair(a[0], a[1], v[0], v[1]);
  detail::order_pair(a[0], a[2], v[0], v[2]);
  detail::order_pair(a[1], a[2], v[1], v[2]);

  const Vec<T, 3> u0 = detail::direction(a[0], Vec<T, 3>{T(1), T(0), T(0)});
  const Vec<T, 3> u1 = detail::direction(a[1] - dot(u0, a[1]) * u0, detail::any_perpendicular(u0));
  const Vec<T, 3> u2 = cross(u0, u1);
  Svd<T, 3> r;
  r.sigma = {scale * dot(u0, a[0]), scale * detail::zero_if_short(dot(u1, a[1])), scale * detail::zero_if_short(dot(u2, a[2]))};
  const Vec<T, 3> u[3] = {u0, u1, u2};
  for (int j = 0; j < 3; ++j) {
    set_column(r.U, j, u[j]);
    set_column(r.V, j, v[j]);
  }
  return r;
}

// F = R S with R a proper rotation and S symmetric.
template <class T, int D>
struct Polar {
  Mat<T, D> R;
  Mat<T, D> S;
};

template <class T>
FIRN_HD inline Polar<T, 2> polar(const Mat<T, 2>& F) {
  const T largest = detail::max_abs(F.a, 4);
  const T inverse_scale = T(1) / select(largest > T(0), largest, T(1));
  const T x = (F(0, 0) + F(1, 1)) * inverse_scale;
  const T y = (F(1, 0) - F(0, 1)) * inverse_scale;
  const T length = sqrt(x * x + y * y);
  const auto turned = length > T(0);
  const T inverse = T(1) / select(turned, length, T(1));
  const T c = select(turned, x * inverse, T(1));
  const T s = select(turned, y * inverse, T(0));
  Polar<T, 2> r{{{c, -s, s, c}}, {}};
  r.S = transpose(r.R) * F;
  const T off = T(0.5) * (r.S(0, 1) + r.S(1, 0));
  r.S(0, 1) = off;
  r.S(1, 0) = off;
  return r;
}

template <class T>
FIRN_HD inline Svd<T, 2> svd(const Mat<T, 2>& F) {
  const Polar<T, 2> p = polar(F);
  const SymmetricEigen<T, 2> e = symmetric_eigen(p.S);
  const T first = e.values[0], second = e.values[1], c = e.V(0, 0), s = e.V(0, 1);
  const auto swap = first < second;  // R is the nearest rotation, so first + second >= 0 and the larger one is the larger in size
  Svd<T, 2> r;
  // Columns (c, −s) and (s, c), exchanged with a sign when the second value is the larger one.
  r.V = {{select(swap, s, c), select(swap, -c, s), select(swap, c, -s), select(swap, s, c)}};
  r.sigma = {select(swap, second, first), select(swap, first, second)};
  r.U = p.R * r.V;
  return r;
}

template <class T>
FIRN_HD FIRN_RARE Polar<T, 3> polar(Mat<T, 3> F) {
  const Svd<T, 3> d = svd(F);
  const Mat<T, 3> Vt = transpose(d.V);
  return {d.U * Vt, d.V * (Mat<T, 3>::diagonal(d.sigma) * Vt)};
}

// The rotation of F for F not far from one, by Newton's iteration R ← (R + R⁻ᵀ)/2: a tenth of the cost of polar(). Lanes that are
// far, singular or inverted take polar() instead.
template <class T>
FIRN_HD inline Mat<T, 3> rotation_near(const Mat<T, 3>& F) {
  constexpr Scalar<T> kFarDeterminant = Scalar<T>(0.3);
  constexpr int kSteps = sizeof(Scalar<T>) == 4 ? 4 : 6;  // to rounding from a stretch of 0.45: 1.33, 1.04, 1 + 8e-4, 3e-7, 5e-14, 1e-27
  constexpr Scalar<T> kClose = sizeof(Scalar<T>) == 4 ? Scalar<T>(2e-4) : Scalar<T>(1e-8);  // one step from here ends at rounding
  Mat<T, 3> R = F;
  const T det = determinant(F);
  const T size = contract(F, F);
  // Near: |det F − 1| and |F|² − 3 both small bound every stretch within about 0.45 … 1.55.
  const auto far = (abs(det - T(1)) > T(kFarDeterminant)) | (abs(size - T(3)) > T(kFarDeterminant));
  auto unfinished = !far;
  for (int k = 0; k < kSteps; ++k) {
    const Mat<T, 3> C = cofactor(R);
    const T d = R(0, 0) * C(0, 0) + R(0, 1) * C(0, 1) + R(0, 2) * C(0, 2);
    const T half_inverse = T(0.5) / d;
    for (int i = 0; i < 9; ++i) R.a[i] = select(unfinished, T(0.5) * R.a[i] + half_inverse * C.a[i], R.a[i]);
    // A step leaves no stretch below 1, so d bounds them all from the second on.
    if (k > 0) unfinished = unfinished & (d - T(1) > T(kClose));
    if (!any(unfinished)) break;
  }
  if (any(far)) {
    const Mat<T, 3> exact = polar(F).R;
    for (int i = 0; i < 9; ++i) R.a[i] = select(far, exact.a[i], R.a[i]);
  }
  return R;
}
template <class T>
FIRN_HD inline Mat<T, 2> rotation_near(const Mat<T, 2>& F) {
  return polar(F).R;
}

}  // namespace firn
