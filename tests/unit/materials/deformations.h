// Deformation gradients for tests of the material: F = Q₁ diag(stretches) Q₂ᵀ, with how well its rotation is determined.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "materials/snow.h"
#include "math/random.h"
#include "solver/model.h"

namespace firn::material_tests {

inline constexpr int kTrials = 2000;
inline const SnowParameters<double> kPaper = snow_parameters(Material{});

inline double between(Rng& rng, double low, double high) { return low + (high - low) * rng.uniform(); }

template <int D>
Mat<double, D> random_matrix(Rng& rng) {
  Mat<double, D> F;
  for (double& x : F.a) x = between(rng, -1, 1);
  return F;
}

template <int D>
Mat<double, D> random_rotation(Rng& rng) {
  return polar(random_matrix<D>(rng)).R;
}

template <int D>
Mat<double, D> with_stretches(Rng& rng, const Vec<double, D>& sigma) {
  return random_rotation<D>(rng) * (Mat<double, D>::diagonal(sigma) * transpose(random_rotation<D>(rng)));
}

template <int D>
struct Deformation {
  Mat<double, D> F;
  // The smallest sum of two stretches: (M15) divides by it, so F must move by far less than it in a difference.
  double gap;
};

template <int D>
Deformation<D> deformation(Rng& rng, Vec<double, D> sigma) {
  std::sort(sigma.a, sigma.a + D, [](double x, double y) { return std::abs(x) > std::abs(y); });
  return {with_stretches(rng, sigma), sigma[D - 1] + sigma[D - 2]};
}

template <int D>
Deformation<D> near_identity(Rng& rng) {
  Vec<double, D> sigma;
  for (double& s : sigma.a) s = between(rng, 0.95, 1.05);
  return deformation(rng, sigma);
}
template <int D>
Deformation<D> large_strain(Rng& rng) {
  Vec<double, D> sigma;
  for (double& s : sigma.a) s = between(rng, 0.2, 3);
  return deformation(rng, sigma);
}
// Two (in 2D: all) stretches nearly equal and nearly zero.
template <int D>
Deformation<D> near_degenerate(Rng& rng) {
  Vec<double, D> sigma = Vec<double, D>::filled(between(rng, 0.5, 1.5));
  sigma[D - 2] = between(rng, 1e-3, 2e-3);
  sigma[D - 1] = sigma[D - 2] * (1 + between(rng, 0, 1e-9));
  return deformation(rng, sigma);
}
template <int D>
Deformation<D> equal_stretches(Rng& rng) {
  return deformation(rng, Vec<double, D>::filled(between(rng, 0.9, 1.1)));
}
// The last stretch is negative and clearly the smallest.
template <int D>
Deformation<D> inverted(Rng& rng) {
  Vec<double, D> sigma;
  for (double& s : sigma.a) s = between(rng, 0.6, 2);
  sigma[D - 1] = -between(rng, 0.01, 0.5);
  return deformation(rng, sigma);
}

template <int D>
struct Family {
  const char* name;
  Deformation<D> (*make)(Rng&);
};
template <int D>
inline constexpr Family<D> kFamilies[] = {{"near the identity", near_identity<D>},
                                          {"large strain", large_strain<D>},
                                          {"near degenerate", near_degenerate<D>},
                                          {"equal stretches", equal_stretches<D>},
                                          {"inverted", inverted<D>}};

inline constexpr Lame<double> kLame{0.7, 1.3};  // Pa; of order 1, so that tolerances are relative to the stiffness

template <int D>
double largest(const Mat<double, D>& A) {
  double m = 0;
  for (const double x : A.a) m = std::max(m, std::abs(x));
  return m;
}

template <int D>
Mat<double, D> stress(const Mat<double, D>& F) {
  return first_piola(F, polar(F).R, kLame);
}
template <int D>
double energy(const Mat<double, D>& F) {
  return energy_density(F, polar(F).R, kLame);
}

template <class Size>
class InDimension : public testing::Test {
 public:
  static constexpr int D = Size::value;
  using Matrix = Mat<double, D>;

  // visit(deformation, rng) `count` times for each family.
  template <class Visit>
  static void for_each(int count, Visit visit) {
    for (const Family<D>& family : kFamilies<D>) {
      SCOPED_TRACE(family.name);
      Rng rng(71);
      for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) visit(family.make(rng), rng);
    }
  }
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;

}  // namespace firn::material_tests
