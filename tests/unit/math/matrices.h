// Matrices that are easy, and matrices that are hard, for singular value decompositions; and a slow way to the singular values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "math/random.h"
#include "math/vec.h"

namespace firn::math_tests {

inline double between(Rng& rng, double low, double high) { return low + (high - low) * rng.uniform(); }
inline double power_of_ten(Rng& rng, double low, double high) { return std::pow(10.0, between(rng, low, high)); }
inline int whole(Rng& rng, int low, int high) { return low + static_cast<int>(rng.uniform() * (high - low + 1)); }

template <int D>
Mat<double, D> random_rotation(Rng& rng) {
  if constexpr (D == 2) {
    const double angle = between(rng, -std::numbers::pi, std::numbers::pi);
    return {{std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)}};
  } else {
    Vec<double, 4> q;
    do {
      for (double& x : q.a) x = between(rng, -1, 1);
    } while (norm(q) < 0.1 || norm(q) > 1);
    q = (1 / norm(q)) * q;
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
             2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),  //
             2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  }
}

template <int D>
Mat<double, D> random_matrix(Rng& rng) {
  Mat<double, D> F;
  for (double& x : F.a) x = between(rng, -1, 1);
  return F;
}

template <int D>
Mat<double, D> with_stretches(Rng& rng, const Vec<double, D>& sigma) {
  return random_rotation<D>(rng) * (Mat<double, D>::diagonal(sigma) * transpose(random_rotation<D>(rng)));
}

// The last `small` of the stretches are tiny.
template <int D>
Mat<double, D> near_singular(Rng& rng, int small) {
  Vec<double, D> sigma;
  for (int d = 0; d < D; ++d)
    sigma[d] = (d < D - small ? between(rng, 0.1, 2) : power_of_ten(rng, -12, -3)) * (rng.uniform() < 0.3 ? -1 : 1);
  return with_stretches(rng, sigma);
}

// Small whole numbers: the products are exact, so the rank is too.
template <int D>
Mat<double, D> of_rank(Rng& rng, int rank) {
  Mat<double, D> F = Mat<double, D>::zero();
  for (int r = 0; r < rank; ++r) {
    Vec<double, D> x, y;
    for (int d = 0; d < D; ++d) {
      x[d] = whole(rng, -3, 3);
      y[d] = whole(rng, -3, 3);
    }
    F += outer(x, y);
  }
  return F;
}

template <int D>
Mat<double, D> inverted(Rng& rng) {
  Vec<double, D> sigma;
  for (int d = 0; d < D; ++d) sigma[d] = between(rng, 0.05, 2) * (d == D - 1 ? -1 : 1);
  return with_stretches(rng, sigma);
}

// All or all but one of the stretches the same, exactly or nearly, perhaps but for the sign of one.
template <int D>
Mat<double, D> repeated(Rng& rng) {
  Vec<double, D> sigma = Vec<double, D>::filled(between(rng, 0.1, 2));
  if (rng.uniform() < 0.5) sigma[whole(rng, 0, D - 1)] = between(rng, 0, 2);
  if (rng.uniform() < 0.5) sigma[whole(rng, 0, D - 1)] *= 1 + power_of_ten(rng, -16, -4);
  if (rng.uniform() < 0.3) sigma[D - 1] *= -1;
  return with_stretches(rng, sigma);
}

template <int D>
Mat<double, D> near_identity(Rng& rng) {
  return Mat<double, D>::identity() + power_of_ten(rng, -16, -1) * random_matrix<D>(rng);
}

template <int D>
Mat<double, D> any_scale(Rng& rng) {
  return power_of_ten(rng, -15, 15) * (rng.uniform() < 0.5 ? random_matrix<D>(rng) : near_singular<D>(rng, 1));
}

// Diagonal, or diagonal with its columns exchanged; signs, zeros and ties.
template <int D>
Mat<double, D> axis_aligned(Rng& rng) {
  constexpr std::array<double, 6> kValues{0, 1, 1, 2, 0.5, 1e-9};
  Mat<double, D> F = Mat<double, D>::zero();
  const int shift = whole(rng, 0, D - 1);
  const bool mirrored = rng.uniform() < 0.5;
  for (int d = 0; d < D; ++d)
    F(d, ((mirrored ? D - d : d) + shift) % D) = kValues[static_cast<std::size_t>(whole(rng, 0, 5))] * (rng.uniform() < 0.5 ? -1 : 1);
  return F;
}

// Columns or rows of very different size.
template <int D>
Mat<double, D> graded(Rng& rng) {
  Vec<double, D> size;
  for (double& x : size.a) x = power_of_ten(rng, -9, 0);
  const auto scale = Mat<double, D>::diagonal(size);
  const auto F = random_matrix<D>(rng);
  return rng.uniform() < 0.5 ? F * scale : scale * F;
}

template <int D>
struct Family {
  const char* name;
  Mat<double, D> (*make)(Rng&);
};

template <int D>
inline const std::array<Family<D>, 13> kFamilies{{
    {"random", random_matrix<D>},
    {"one small stretch", [](Rng& rng) { return near_singular<D>(rng, 1); }},
    {"all but one small", [](Rng& rng) { return near_singular<D>(rng, D - 1); }},
    {"one stretch zero", [](Rng& rng) { return of_rank<D>(rng, D - 1); }},
    {"rank one", [](Rng& rng) { return of_rank<D>(rng, 1); }},
    {"inverted", inverted<D>},
    {"repeated", repeated<D>},
    {"rotations", random_rotation<D>},
    {"reflections", [](Rng& rng) { return -1.0 * (random_rotation<D>(rng) * axis_aligned<D>(rng)); }},
    {"near the identity", near_identity<D>},
    {"any scale", any_scale<D>},
    {"axis aligned", axis_aligned<D>},
    {"graded", graded<D>},
}};

template <class T, int D, class S>
Mat<T, D> cast(const Mat<S, D>& F) {
  Mat<T, D> r;
  for (int i = 0; i < D * D; ++i) r.a[i] = static_cast<T>(F.a[i]);
  return r;
}

// Four times the bits of a float's product: the square of a stretch 1e-17 of the largest still shows in FᵀF.
using Quadruple = __float128;

inline Quadruple root(Quadruple x) {
  if (!(x > 0)) return 0;
  Quadruple r = std::sqrt(static_cast<long double>(x));
  for (int i = 0; i < 2 && r > 0; ++i) r = (r + x / r) / 2;
  return r;
}

// Makes entry (p, q) of the symmetric A zero.
template <int D>
void jacobi_rotation(Mat<Quadruple, D>& A, int p, int q) {
  constexpr double kNothing = 1e-36;  // of the trace: below rounding
  Quadruple trace = 0;
  for (int d = 0; d < D; ++d) trace += A(d, d);
  if (A(p, q) <= kNothing * trace && -A(p, q) <= kNothing * trace) return;
  const Quadruple theta = (A(q, q) - A(p, p)) / (2 * A(p, q));
  const Quadruple t = (theta < 0 ? -1 : 1) / ((theta < 0 ? -theta : theta) + root(theta * theta + 1));
  const Quadruple c = 1 / root(t * t + 1), s = t * c;
  for (int k = 0; k < D; ++k) {
    const Quadruple x = A(k, p), y = A(k, q);
    A(k, p) = c * x - s * y;
    A(k, q) = s * x + c * y;
  }
  for (int k = 0; k < D; ++k) {
    const Quadruple x = A(p, k), y = A(q, k);
    A(p, k) = c * x - s * y;
    A(q, k) = s * x + c * y;
  }
}

// Singular values, largest first, from the eigenvalues of FᵀF by cyclic Jacobi.
template <int D, class T>
std::array<double, D> slow_singular_values(const Mat<T, D>& F) {
  const Mat<Quadruple, D> Q = cast<Quadruple>(F);
  Mat<Quadruple, D> A = transpose(Q) * Q;
  constexpr int kSweeps = D == 2 ? 2 : 7;
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (int p = 0; p < D; ++p)
      for (int q = p + 1; q < D; ++q) jacobi_rotation(A, p, q);
  std::array<double, D> sigma;
  for (int d = 0; d < D; ++d) sigma[d] = static_cast<double>(root(A(d, d)));
  std::sort(sigma.begin(), sigma.end(), std::greater<>());
  return sigma;
}

}  // namespace firn::math_tests
