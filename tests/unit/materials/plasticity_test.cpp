// What exceeds the critical stretches becomes plastic, and nothing else does (M8), (M9).
#include "deformations.h"
#include "math/pack.h"

namespace firn::material_tests {
namespace {

template <class C>
class Plasticity : public InDimension<C> {};
TYPED_TEST_SUITE(Plasticity, Dimensions);

TYPED_TEST(Plasticity, NothingYieldsInsideTheLimits) {
  constexpr int D = TestFixture::D;
  Rng rng(91);
  for (int i = 0; i < kTrials; ++i) {
    Vec<double, D> sigma;
    for (double& s : sigma.a) s = between(rng, kPaper.stretch_min + 1e-12, kPaper.stretch_max - 1e-12);
    const auto F = with_stretches(rng, sigma);
    const auto result = yield(F, 1.0, kPaper);
    EXPECT_LE(largest(result.F_E - F), 1e-14);
    EXPECT_EQ(result.J_P, 1);
  }
}

TYPED_TEST(Plasticity, StretchesEndInTheLimits) {
  constexpr int D = TestFixture::D;
  TestFixture::for_each(kTrials, [](const auto& x, Rng&) {
    const auto result = yield(x.F, 1.0, kPaper);
    const auto sigma = svd(x.F).sigma, left = svd(result.F_E).sigma;
    for (int d = 0; d < D; ++d)
      EXPECT_NEAR(left[d], 1 + result.kept * (std::clamp(sigma[d], kPaper.stretch_min, kPaper.stretch_max) - 1), 4e-15);
  });
}

TYPED_TEST(Plasticity, TheAxesOfStretchDoNotTurn) {
  TestFixture::for_each(kTrials, [](const auto& x, Rng&) {
    const auto F_E = yield(x.F, 1.0, kPaper).F_E;
    // F Fᵀ and F_E F_Eᵀ have the same axes exactly when they commute.
    const auto A = x.F * transpose(x.F), B = F_E * transpose(F_E);
    EXPECT_LE(largest(A * B - B * A), 1e-14 * (1 + largest(A)));
    const double turned = determinant(x.F) > 0 ? largest(polar(F_E).R - polar(x.F).R) : 0;
    EXPECT_LE(turned, 1e-14 / x.gap);
  });
}

TYPED_TEST(Plasticity, PlasticVolumeTakesWhatTheElasticLoses) {
  TestFixture::for_each(kTrials, [](const auto& x, Rng&) {
    const auto result = yield(x.F, 1.0, kPaper);
    if (result.kept < 1) return;                                         // what is dropped goes nowhere
    const double expected = determinant(x.F) / determinant(result.F_E);  // (M9)
    EXPECT_NEAR(result.J_P, expected, 1e-13 * (1 + std::abs(expected)));
  });
}

TYPED_TEST(Plasticity, YieldingTwiceIsYieldingOnce) {
  TestFixture::for_each(kTrials, [](const auto& x, Rng&) {
    const auto once = yield(x.F, 1.0, kPaper), twice = yield(once.F_E, 1.0, kPaper);
    EXPECT_LE(largest(twice.F_E - once.F_E), 1e-14);
    EXPECT_NEAR(twice.J_P, 1, 1e-14);
  });
}

template <int D>
Mat<double, D> inverse(const Mat<double, D>& F) {
  return (1 / determinant(F)) * transpose(cofactor(F));
}

// Carries F_P in full, as (M8) says, next to J_P alone, as the solvers do.
template <int D>
struct BothViews {
  Mat<double, D> F_E = Mat<double, D>::identity(), F_P = Mat<double, D>::identity(), F = Mat<double, D>::identity();
  double J_P = 1;

  void step(const Mat<double, D>& increment) {
    const Mat<double, D> trial = increment * F_E;
    F = trial * F_P;  // F^{n+1}
    const Svd<double, D> d = svd(trial);
    Vec<double, D> inverse_sigma;
    for (int i = 0; i < D; ++i) inverse_sigma[i] = 1 / std::clamp(d.sigma[i], kPaper.stretch_min, kPaper.stretch_max);
    const PlasticResult<double, D> result = yield(trial, J_P, kPaper);
    F_E = result.F_E;
    F_P = d.V * (Mat<double, D>::diagonal(inverse_sigma) * (transpose(d.U) * F));
    J_P = result.J_P;
  }
};

TYPED_TEST(Plasticity, CarryingTheVolumeAgreesWithCarryingThePlasticPart) {
  constexpr int D = TestFixture::D;
  Rng rng(97);
  double farthest = 0;
  for (int sequence = 0; sequence < 100; ++sequence) {
    BothViews<D> both;
    for (int step = 0; step < 100; ++step) {
      both.step(Mat<double, D>::identity() + 0.02 * random_matrix<D>(rng));
      ASSERT_NEAR(both.J_P, determinant(both.F_P), 1e-12 * both.J_P);
      ASSERT_LE(largest(both.F_E * both.F_P - both.F), 1e-12 * largest(both.F));
      ASSERT_NEAR(determinant(both.F), determinant(both.F_E) * both.J_P, 1e-12 * determinant(both.F));
      ASSERT_LE(largest(both.F_P - inverse(both.F_E) * both.F), 1e-12 * largest(both.F));
    }
    farthest = std::max(farthest, std::abs(both.J_P - 1));
  }
  EXPECT_GT(farthest, 0.1) << "the sequences hardly yielded";
}

TYPED_TEST(Plasticity, PackingLowersThePlasticVolumeAndStretchingRaisesIt) {
  constexpr int D = TestFixture::D;
  const auto I = Mat<double, D>::identity();
  const double squeezed = std::pow(0.9 / kPaper.stretch_min, D), stretched = std::pow(1.1 / kPaper.stretch_max, D);
  EXPECT_NEAR(yield(0.9 * I, 1.0, kPaper).J_P, squeezed, 1e-14);
  EXPECT_NEAR(yield(1.1 * I, 1.0, kPaper).J_P, stretched, 1e-14);
  EXPECT_LT(squeezed, 1);
  EXPECT_GT(stretched, 1);
}

// The short cut: what it calls elastic is, and comes back bit for bit; small strains always take it.
TYPED_TEST(Plasticity, SurelyElasticIsElastic) {
  constexpr int D = TestFixture::D;
  Rng rng(107);
  int sure = 0, small = 0;
  for (int i = 0; i < 20000; ++i) {
    const double size = between(rng, 0, 0.03);
    Vec<double, D> sigma;
    for (double& s : sigma.a) s = 1 + between(rng, -size, size);
    const auto F = with_stretches(rng, sigma);
    small += size < 0.002;
    if (!surely_elastic(F, kPaper)) {
      EXPECT_GT(size, 0.002);
      continue;
    }
    ++sure;
    for (const double s : sigma.a) EXPECT_TRUE(s >= kPaper.stretch_min && s <= kPaper.stretch_max) << s;
    const auto result = yield(F, 1.0, kPaper);
    for (int k = 0; k < D * D; ++k) EXPECT_EQ(result.F_E.a[k], F.a[k]);
    EXPECT_EQ(result.J_P, 1);
  }
  EXPECT_GT(sure, small);
  EXPECT_GT(small, 0);
}

// A mirror image has stretches of size 1 and the same FᵀF as a rotation; it is as far from elastic as can be.
TYPED_TEST(Plasticity, MirrorImagesAreNotElastic) {
  constexpr int D = TestFixture::D;
  Rng rng(109);
  for (int i = 0; i < kTrials; ++i) {
    Vec<double, D> sigma = Vec<double, D>::filled(1);
    sigma[D - 1] = -1;
    const auto F = with_stretches(rng, sigma);
    EXPECT_FALSE(surely_elastic(F, kPaper));
    EXPECT_NEAR(yield(F, 1.0, kPaper).J_P, -1 / kPaper.stretch_min, 1e-12);
  }
}

// Never silently: an inverted trial gives a ratio at or below zero, which the solver rejects.
TYPED_TEST(Plasticity, AnInvertedTrialShowsInTheRatio) {
  Rng rng(101);
  for (int i = 0; i < kTrials; ++i) EXPECT_LT(yield(inverted<TestFixture::D>(rng).F, 1.0, kPaper).J_P, 0);
}

TYPED_TEST(Plasticity, PacksAndFloatsYieldLikeNumbers) {
  constexpr int D = TestFixture::D;
  using P = Pack<float, 16>;
  const SnowParameters<float> s = convert<float>(kPaper);
  const SnowParameters<P> packed{s.mu0, s.lambda0, s.hardening, s.stretch_min, s.stretch_max, s.log_limit, s.softening};
  Rng rng(103);
  for (int i = 0; i < 100; ++i) {
    Mat<P, D> F;
    for (int lane = 0; lane < 16; ++lane) {
      const auto one = near_identity<D>(rng).F;
      for (int k = 0; k < D * D; ++k) F.a[k].set(lane, static_cast<float>(one.a[k]));
    }
    const auto result = yield(F, P(1.0f), packed);
    for (int lane = 0; lane < 16; ++lane) {
      Mat<double, D> one;
      for (int k = 0; k < D * D; ++k) one.a[k] = F.a[k][lane];
      const auto exact = yield(one, 1.0, kPaper);
      EXPECT_NEAR(result.J_P[lane], exact.J_P, 2e-6);
      for (int k = 0; k < D * D; ++k) EXPECT_NEAR(result.F_E.a[k][lane], exact.F_E.a[k], 3e-6);
    }
  }
}

}  // namespace
}  // namespace firn::material_tests
