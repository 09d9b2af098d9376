// The quick way to the rotation of F gives what polar() gives, near a rotation and far from one.
#include "math/pack.h"
#include "svd_checks.h"

namespace firn::math_tests {
namespace {

template <class C>
class RotationNear : public testing::Test {
 public:
  using T = typename C::Number;
  static constexpr int D = C::kDimension;
  using M = Mat<T, D>;

  // |R − polar(F).R| times how well F determines it, in units of epsilon; 0 where F hardly does.
  static double error(const M& F, const M& R) {
    const auto exact = svd(cast<double>(F));
    const double gap = ratio_or_zero(exact.sigma[D - 1] + exact.sigma[D - 2], exact.sigma[0]);
    if (!(gap > 1e-2)) return 0;
    return gap * largest_entry(cast<double>(R) - exact.U * transpose(exact.V)) / std::numeric_limits<T>::epsilon();
  }
};
TYPED_TEST_SUITE(RotationNear, Cases);

constexpr double kFew = 16;

TYPED_TEST(RotationNear, IsThePolarRotationOfEveryFamily) {
  for (const auto& family : kFamilies<TestFixture::D>) {
    Rng rng(301);
    double worst = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto F = cast<typename TestFixture::T>(family.make(rng));
      worst = std::fmax(worst, TestFixture::error(F, rotation_near(F)));
    }
    EXPECT_LE(worst, kFew) << family.name;
  }
}

// Where the quick way ends is inside this range of stretches: it must be exact up to there.
TYPED_TEST(RotationNear, IsExactForEveryStretchTheQuickWayTakes) {
  constexpr int D = TestFixture::D;
  Rng rng(303);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    Vec<double, D> sigma;
    for (double& s : sigma.a) s = between(rng, 0.4, 1.6);
    const auto F = cast<typename TestFixture::T>(with_stretches(rng, sigma));
    worst = std::fmax(worst, TestFixture::error(F, rotation_near(F)));
  }
  EXPECT_LE(worst, kFew);
}

TYPED_TEST(RotationNear, LanesTakeTheirOwnWay) {
  using T = typename TestFixture::T;
  constexpr int D = TestFixture::D, W = 8;
  Rng rng(307);
  double worst = 0;
  for (int i = 0; i < 2000; ++i) {
    Mat<Pack<T, W>, D> F;
    for (int lane = 0; lane < W; ++lane) {  // quick and slow ones side by side
      const auto one = lane % 2 ? kFamilies<D>[static_cast<std::size_t>(whole(rng, 0, 12))].make(rng) : near_identity<D>(rng);
      for (int k = 0; k < D * D; ++k) F.a[k].set(lane, static_cast<T>(one.a[k]));
    }
    const auto R = rotation_near(F);
    for (int lane = 0; lane < W; ++lane) {
      Mat<T, D> one, rotation;
      for (int k = 0; k < D * D; ++k) {
        one.a[k] = F.a[k][lane];
        rotation.a[k] = R.a[k][lane];
      }
      ASSERT_LE(distance_from_rotation(cast<double>(rotation)), 16 * std::numeric_limits<T>::epsilon());
      worst = std::fmax(worst, TestFixture::error(one, rotation));
    }
  }
  EXPECT_LE(worst, kFew);
}

}  // namespace
}  // namespace firn::math_tests
