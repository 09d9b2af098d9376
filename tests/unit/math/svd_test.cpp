// Singular values and polar parts of numbers, on half a million matrices; svd_pack_test.cpp does as many in Packs.
#include "svd_checks.h"

namespace firn::math_tests {
namespace {

constexpr int kPerFamily = 10000;  // × 13 families × 4 cases: 520,000
constexpr int kSlow = 500;         // of them, also by the slow method

template <class C>
class SvdOf : public testing::Test {
 public:
  using T = typename C::Number;
  static constexpr int D = C::kDimension;

  // visit(F) for `count` matrices of each family; after(name) when a family is through.
  template <class Visit, class After>
  static void for_each(int count, Visit visit, After after) {
    for (const Family<D>& family : kFamilies<D>) {
      Rng rng(Rng::cell_key(51, D, sizeof(T), &family - kFamilies<D>.data()));
      for (int i = 0; i < count; ++i) visit(cast<T>(family.make(rng)));
      after(std::string(family.name));
    }
  }
};
TYPED_TEST_SUITE(SvdOf, Cases);

TYPED_TEST(SvdOf, IsTwoRotationsAboutSortedStretches) {
  Errors worst;
  TestFixture::for_each(
      kPerFamily, [&](const auto& F) { worst.include(check(F, svd(F))); },
      [&](const std::string& family) {
        expect_few(worst, family);
        worst = {};
      });
}

TYPED_TEST(SvdOf, PolarPartsAreARotationAndSymmetric) {
  Errors worst;
  TestFixture::for_each(
      kPerFamily, [&](const auto& F) { worst.include(check(F, polar(F))); },
      [&](const std::string& family) {
        expect_few(worst, family);
        worst = {};
      });
}

TYPED_TEST(SvdOf, SingularValuesAreThoseOfASlowMethod) {
  constexpr int D = TestFixture::D;
  constexpr double eps = std::numeric_limits<typename TestFixture::T>::epsilon();
  double worst = 0;
  TestFixture::for_each(
      kSlow,
      [&](const auto& F) {
        const auto d = svd(F);
        const std::array<double, D> slow = slow_singular_values<D>(F);
        for (int i = 0; i < D; ++i)
          worst = std::fmax(worst, ratio_or_zero(std::fabs(std::fabs(double(d.sigma[i])) - slow[i]), slow[0]) / eps);
      },
      [&](const std::string& family) {
        EXPECT_LE(worst, 8) << family;
        worst = 0;
      });
}

// 2D takes R from F directly, 3D from U Vᵀ: either way it is the rotation nearest to F, where that is unique.
TYPED_TEST(SvdOf, PolarRotationIsThatOfTheSvd) {
  using T = typename TestFixture::T;
  constexpr int D = TestFixture::D;
  double worst = 0;
  TestFixture::for_each(
      kPerFamily / 10,
      [&](const auto& F) {
        const auto d = svd(F);
        const double gap = ratio_or_zero(d.sigma[D - 1] + d.sigma[D - 2], d.sigma[0]);  // R turns by 1/gap as fast as F
        if (!(gap > 1e-2)) return;
        const Mat<double, D> difference = cast<double>(polar(F).R - d.U * transpose(d.V));
        worst = std::fmax(worst, gap * largest_entry(difference) / std::numeric_limits<T>::epsilon());
      },
      [&](const std::string& family) {
        EXPECT_LE(worst, 16) << family;
        worst = 0;
      });
}

TYPED_TEST(SvdOf, ZeroHasTheIdentityForItsRotation) {
  using T = typename TestFixture::T;
  constexpr int D = TestFixture::D;
  const auto F = Mat<T, D>::zero();
  expect_few(check(F, svd(F)), "svd");
  expect_few(check(F, polar(F)), "polar");
  for (int i = 0; i < D; ++i) EXPECT_EQ(svd(F).sigma[i], 0);
}

TYPED_TEST(SvdOf, TheIdentityIsExact) {
  using T = typename TestFixture::T;
  constexpr int D = TestFixture::D;
  const auto I = Mat<T, D>::identity();
  for (int i = 0; i < D; ++i) EXPECT_EQ(svd(I).sigma[i], 1);
  for (int i = 0; i < D * D; ++i) {
    EXPECT_EQ(polar(I).R.a[i], I.a[i]);
    EXPECT_EQ(polar(I).S.a[i], I.a[i]);
  }
}

// An inverted F keeps a proper rotation: the sign goes to the smallest stretch.
TYPED_TEST(SvdOf, TheSmallestStretchTakesTheSign) {
  using T = typename TestFixture::T;
  constexpr int D = TestFixture::D;
  for (int flipped = 0; flipped < D; ++flipped) {
    Vec<T, D> stretch;
    for (int i = 0; i < D; ++i) stretch[i] = T(1 + i) * (i == flipped ? -1 : 1);
    const auto d = svd(Mat<T, D>::diagonal(stretch));
    for (int i = 0; i < D; ++i) EXPECT_NEAR(d.sigma[i], (D - i) * (i == D - 1 ? -1 : 1), 1e-6) << flipped;
  }
}

// Stretches so small, against the largest, that their squares vanish in the number type.
TYPED_TEST(SvdOf, VanishingStretchesStayInOrder) {
  using T = typename TestFixture::T;
  constexpr int D = TestFixture::D;
  const double floor = sizeof(T) == 4 ? 1e-30 : 1e-300;
  Rng rng(57);
  for (int i = 0; i < 2000; ++i) {
    Vec<double, D> stretch;
    for (int d = 0; d < D; ++d) stretch[d] = std::pow(floor, rng.uniform()) * (rng.uniform() < 0.5 ? -1 : 1);
    stretch[whole(rng, 0, D - 1)] = 1;
    const auto F = cast<T>(Mat<double, D>::diagonal(stretch));
    const auto d = svd(F);
    expect_few(check(F, d), "diagonal");
    ASSERT_GE(d.sigma[D - 2], std::fabs(d.sigma[D - 1]) * (1 - kEpsilon<T>)) << stretch[0] << ' ' << stretch[1] << ' ' << stretch[D - 1];
  }
}

}  // namespace
}  // namespace firn::math_tests
