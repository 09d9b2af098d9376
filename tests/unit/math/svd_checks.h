// How far a decomposition is from what it promises, in units of the number type's epsilon and, where lengths matter, of ‖F‖.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "math/decompose.h"
#include "matrices.h"

namespace firn::math_tests {

// One type wider than T, so that checking adds no error.
template <class T>
using Wider = std::conditional_t<sizeof(T) == 4, double, long double>;

template <class W, int D>
double largest_entry(const Mat<W, D>& A) {
  W m = 0;
  for (const W x : A.a) m = std::fmax(m, std::fabs(x));
  for (const W x : A.a)
    if (!std::isfinite(x)) return std::numeric_limits<double>::infinity();
  return static_cast<double>(m);
}

template <class W, int D>
double distance_from_rotation(const Mat<W, D>& Q) {
  const double orthogonal = largest_entry(transpose(Q) * Q - Mat<W, D>::identity());
  return std::fmax(orthogonal, std::fabs(static_cast<double>(determinant(Q) - 1)));
}

struct Errors {
  double rebuild = 0;   // U Σ Vᵀ or R S against F
  double rotation = 0;  // U, V or R: orthogonal with determinant +1
  double order = 0;     // of sigma, largest first
  double symmetry = 0;  // of S
  int wrong_signs = 0;  // det F against the product of sigma; a negative value before the last

  void include(const Errors& e) {
    rebuild = std::fmax(rebuild, e.rebuild);
    rotation = std::fmax(rotation, e.rotation);
    order = std::fmax(order, e.order);
    symmetry = std::fmax(symmetry, e.symmetry);
    wrong_signs += e.wrong_signs;
  }
};

inline double ratio_or_zero(double x, double scale) { return scale > 0 ? x / scale : (x > 0 ? INFINITY : 0); }

template <class T, int D>
Errors check(const Mat<T, D>& F, const Svd<T, D>& d) {
  using W = Wider<T>;
  constexpr double eps = std::numeric_limits<T>::epsilon();
  const Mat<W, D> U = cast<W>(d.U), V = cast<W>(d.V), G = cast<W>(F);
  const double size = largest_entry(G);
  Vec<W, D> sigma;
  W product = 1;
  for (int i = 0; i < D; ++i) {
    sigma[i] = d.sigma[i];
    product *= size > 0 ? sigma[i] / size : 0;
  }
  Errors e;
  e.rebuild = ratio_or_zero(largest_entry(U * (Mat<W, D>::diagonal(sigma) * transpose(V)) - G), size) / eps;
  e.rotation = std::fmax(distance_from_rotation(U), distance_from_rotation(V)) / eps;
  for (int i = 0; i + 1 < D; ++i) {
    e.order = std::fmax(e.order, ratio_or_zero(static_cast<double>(std::fabs(sigma[i + 1]) - sigma[i]), size) / eps);
    e.wrong_signs += sigma[i] < 0;
  }
  constexpr double kExact = 100 * std::numeric_limits<W>::epsilon();  // of a determinant in the wider type
  const bool well_away = std::fabs(product) > kExact && std::fabs(sigma[D - 1]) > 100 * eps * size;
  e.wrong_signs += well_away && (product < 0) != (determinant(G) < 0);
  return e;
}

template <class T, int D>
Errors check(const Mat<T, D>& F, const Polar<T, D>& p) {
  using W = Wider<T>;
  constexpr double eps = std::numeric_limits<T>::epsilon();
  const Mat<W, D> R = cast<W>(p.R), S = cast<W>(p.S), G = cast<W>(F);
  const double size = largest_entry(G);
  Errors e;
  e.rebuild = ratio_or_zero(largest_entry(R * S - G), size) / eps;
  e.rotation = distance_from_rotation(R) / eps;
  e.symmetry = ratio_or_zero(largest_entry(S - transpose(S)), size) / eps;
  return e;
}

// What "a few" means; the worst of 1.3 million matrices each, with and without fused multiply-adds: 17, 12, 4.1 and 2.5.
inline constexpr double kRebuild = 24, kRotation = 16, kOrder = 6, kSymmetry = 4;

inline void expect_few(const Errors& worst, const std::string& what) {
  EXPECT_LE(worst.rebuild, kRebuild) << what;
  EXPECT_LE(worst.rotation, kRotation) << what;
  EXPECT_LE(worst.order, kOrder) << what;
  EXPECT_LE(worst.symmetry, kSymmetry) << what;
  EXPECT_EQ(worst.wrong_signs, 0) << what;
}

template <class T, int D>
struct Case {
  using Number = T;
  static constexpr int kDimension = D;
};
using Cases = testing::Types<Case<float, 2>, Case<double, 2>, Case<float, 3>, Case<double, 3>>;

}  // namespace firn::math_tests
