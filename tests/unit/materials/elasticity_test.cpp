// Energy, stress and its derivative agree with each other by differences, everywhere snow can get to and beyond.
#include "deformations.h"

namespace firn::material_tests {
namespace {

// The slope of f along dF by central differences of fourth order.
template <int D, class F>
auto slope(const Deformation<D>& x, const Mat<double, D>& dF, F f) {
  const double e = 1e-3 * x.gap;  // R bends on the scale of the gap
  return (8 / (12 * e)) * (f(x.F + e * dF) - f(x.F - e * dF)) - (1 / (12 * e)) * (f(x.F + (2 * e) * dF) - f(x.F - (2 * e) * dF));
}
// Truncation (|dF| e/gap)⁴, |dF| up to 3, and rounding 1e-16/e = 1e-13/gap, times what the values are large.
double tolerance(double gap, double size) { return 5e-9 / gap * (1 + size); }

template <class C>
class Elasticity : public InDimension<C> {};
TYPED_TEST_SUITE(Elasticity, Dimensions);

TYPED_TEST(Elasticity, StressIsTheEnergyGradient) {
  using Matrix = typename TestFixture::Matrix;
  TestFixture::for_each(kTrials, [](const auto& x, Rng& rng) {
    const Matrix dF = random_matrix<TestFixture::D>(rng);
    EXPECT_NEAR(contract(stress(x.F), dF), slope(x, dF, energy<TestFixture::D>), tolerance(x.gap, energy(x.F)));
  });
}

TYPED_TEST(Elasticity, PiolaDerivativeIsTheStressDerivative) {
  using Matrix = typename TestFixture::Matrix;
  TestFixture::for_each(kTrials, [](const auto& x, Rng& rng) {
    const Matrix dF = random_matrix<TestFixture::D>(rng);
    const Matrix got = piola_derivative(x.F, polar(x.F).R, kLame, dF);
    EXPECT_LE(largest(got - slope(x, dF, stress<TestFixture::D>)), tolerance(x.gap, largest(got))) << largest(got);
  });
}

TYPED_TEST(Elasticity, RotationDerivativeIsThatOfThePolarRotation) {
  using Matrix = typename TestFixture::Matrix;
  TestFixture::for_each(kTrials, [](const auto& x, Rng& rng) {
    const Matrix dF = random_matrix<TestFixture::D>(rng);
    const auto p = polar(x.F);
    const Matrix got = rotation_derivative(p.R, p.S, dF), expected = slope(x, dF, [](const Matrix&F) { return polar(F).R; });
    EXPECT_LE(largest(got - expected), tolerance(x.gap, largest(got))) << largest(got);
  });
}

TYPED_TEST(Elasticity, RotationDerivativeStaysARotation) {
  TestFixture::for_each(kTrials, [](const auto& x, Rng& rng) {
    const auto p = polar(x.F);
    const auto Y = transpose(p.R) * rotation_derivative(p.R, p.S, random_matrix<TestFixture::D>(rng));
    EXPECT_LE(largest(Y + transpose(Y)), 1e-14 * (1 + largest(Y)));
  });
}

TYPED_TEST(Elasticity, CofactorDerivativeIsThatOfTheCofactor) {
  TestFixture::for_each(kTrials, [](const auto& x, Rng& rng) {
    const auto dF = random_matrix<TestFixture::D>(rng);
    constexpr double e = 1e-3;  // the cofactor is quadratic at most: central differences are exact but for rounding
    const auto expected = (0.5 / e) * (cofactor(x.F + e * dF) - cofactor(x.F - e * dF));
    EXPECT_LE(largest(cofactor_derivative(x.F, dF) - expected), 1e-11);
  });
}

TYPED_TEST(Elasticity, TheSecondDerivativeIsSymmetric) {
  TestFixture::for_each(kTrials, [](const auto& x, Rng& rng) {
    const auto R = polar(x.F).R;
    const auto A = random_matrix<TestFixture::D>(rng), B = random_matrix<TestFixture::D>(rng);
    const double AHB = contract(A, piola_derivative(x.F, R, kLame, B)), BHA = contract(B, piola_derivative(x.F, R, kLame, A));
    EXPECT_NEAR(AHB, BHA, 1e-13 * (1 + std::abs(AHB) + 1 / (x.gap * x.gap)));  // S is known to rounding, and divided by the gap twice
  });
}

TYPED_TEST(Elasticity, TurningTheWorldTurnsTheStress) {
  TestFixture::for_each(kTrials, [](const auto& x, Rng& rng) {
    const auto Q = random_rotation<TestFixture::D>(rng);
    const double rounding = 2e-13 / x.gap * (1 + largest(x.F) * largest(x.F) * largest(x.F));
    EXPECT_NEAR(energy(Q * x.F), energy(x.F), rounding * (1 + energy(x.F)));
    EXPECT_LE(largest(stress(Q * x.F) - Q * stress(x.F)), rounding);
  });
}

TYPED_TEST(Elasticity, TurningTheMaterialTurnsTheStress) {
  TestFixture::for_each(kTrials, [](const auto& x, Rng& rng) {
    const auto Q = random_rotation<TestFixture::D>(rng);
    const double rounding = 2e-13 / x.gap * (1 + largest(x.F) * largest(x.F) * largest(x.F));
    EXPECT_NEAR(energy(x.F * Q), energy(x.F), rounding * (1 + energy(x.F)));
    EXPECT_LE(largest(stress(x.F * Q) - stress(x.F) * Q), rounding);
  });
}

TYPED_TEST(Elasticity, RotationsStoreNoEnergyAndPullNowhere) {
  Rng rng(73);
  for (int i = 0; i < kTrials; ++i) {
    const auto Q = random_rotation<TestFixture::D>(rng);
    EXPECT_NEAR(energy(Q), 0, 1e-28);
    EXPECT_LE(largest(stress(Q)), 1e-14);
  }
}

// (M11) by hand, for stretches along the axes.
TYPED_TEST(Elasticity, StretchesAlongTheAxesFollowTheFormula) {
  constexpr int D = TestFixture::D;
  Rng rng(79);
  for (int i = 0; i < kTrials; ++i) {
    Vec<double, D> s;
    double J = 1, squares = 0;
    for (double& x : s.a) {
      x = between(rng, 0.3, 2);
      J *= x;
      squares += (x - 1) * (x - 1);
    }
    const auto F = Mat<double, D>::diagonal(s);
    EXPECT_NEAR(energy(F), kLame.mu * squares + 0.5 * kLame.lambda * (J - 1) * (J - 1), 1e-13);
    const auto P = stress(F);
    for (int r = 0; r < D; ++r)
      for (int c = 0; c < D; ++c) EXPECT_NEAR(P(r, c), r == c ? 2 * kLame.mu * (s[r] - 1) + kLame.lambda * (J - 1) * J / s[r] : 0, 1e-13);
  }
}

// Linear elasticity: near rest the stress is 2μ ε + λ tr(ε) I.
TYPED_TEST(Elasticity, SmallStrainsFollowHooke) {
  constexpr int D = TestFixture::D;
  Rng rng(83);
  constexpr double kSmall = 1e-6;
  for (int i = 0; i < kTrials; ++i) {
    const auto G = random_matrix<D>(rng);
    const auto strain = 0.5 * (G + transpose(G));
    double trace = 0;
    for (int d = 0; d < D; ++d) trace += strain(d, d);
    const auto hooke = (2 * kLame.mu) * strain + (kLame.lambda * trace) * Mat<double, D>::identity();
    const auto got = (1 / kSmall) * stress(Mat<double, D>::identity() + kSmall * G);
    EXPECT_LE(largest(got - hooke), 20 * kSmall);
  }
}

// Where R is not determined (2D: no trace, 3D: two stretches cancel) the derivative is cut off instead of dividing by zero.
TYPED_TEST(Elasticity, DerivativesAreFiniteWhereTheRotationIsUndetermined) {
  using Matrix = typename TestFixture::Matrix;
  Rng rng(89);
  Vec<double, TestFixture::D> mirrored = Vec<double, TestFixture::D>::filled(1);
  mirrored[0] = -1;
  for (const Matrix& F : {Matrix::zero(), Matrix::diagonal(mirrored)}) {
    const auto dP = piola_derivative(F, polar(F).R, kLame, random_matrix<TestFixture::D>(rng));
    for (const double x : dP.a) EXPECT_TRUE(std::isfinite(x));
  }
}

}  // namespace
}  // namespace firn::material_tests
