// The same decompositions in Packs, on another half million matrices: every lane keeps the promises and equals the number's result.
#include "math/pack.h"
#include "svd_checks.h"

namespace firn::math_tests {
namespace {

constexpr int kPacked = 800000 / 13 / 5;  // matrices per family and case: 13 families, 5 cases

template <class T, int W, int D>
struct PackCase {
  using Number = T;
  static constexpr int kLanes = W;
  static constexpr int kDimension = D;
};

template <class T, int W, int D>
Mat<T, D> lane_of(const Mat<Pack<T, W>, D>& F, int lane) {
  Mat<T, D> r;
  for (int k = 0; k < D * D; ++k) r.a[k] = F.a[k][lane];
  return r;
}
template <class T, int W, int D>
void set_lane(Mat<Pack<T, W>, D>& F, int lane, const Mat<T, D>& value) {
  for (int k = 0; k < D * D; ++k) F.a[k].set(lane, value.a[k]);
}
template <class T, int W, int D>
Svd<T, D> lane_of(const Svd<Pack<T, W>, D>& d, int lane) {
  Svd<T, D> r{lane_of(d.U, lane), {}, lane_of(d.V, lane)};
  for (int i = 0; i < D; ++i) r.sigma[i] = d.sigma[i][lane];
  return r;
}
template <class T, int W, int D>
Polar<T, D> lane_of(const Polar<Pack<T, W>, D>& p, int lane) {
  return {lane_of(p.R, lane), lane_of(p.S, lane)};
}

template <class C>
class PackedSvdOf : public testing::Test {
 public:
  using T = typename C::Number;
  static constexpr int W = C::kLanes, D = C::kDimension;
  using Packed = Mat<Pack<T, W>, D>;

  template <class Visit, class After>
  static void for_each(int count, Visit visit, After after) {
    for (const Family<D>& family : kFamilies<D>) {
      Rng rng(Rng::cell_key(61, D, W * int(sizeof(T)), &family - kFamilies<D>.data()));
      for (int i = 0; i < count; i += W) {
        Packed F;
        for (int lane = 0; lane < W; ++lane) set_lane(F, lane, cast<T>(family.make(rng)));
        visit(F);
      }
      after(std::string(family.name));
    }
  }
};
using PackCases =
    testing::Types<PackCase<float, 16, 3>, PackCase<double, 8, 3>, PackCase<float, 4, 3>, PackCase<float, 16, 2>, PackCase<double, 8, 2>>;
TYPED_TEST_SUITE(PackedSvdOf, PackCases);

TYPED_TEST(PackedSvdOf, EveryLaneIsTwoRotationsAboutSortedStretches) {
  Errors worst;
  TestFixture::for_each(
      kPacked,
      [&](const auto& F) {
        const auto d = svd(F);
        for (int lane = 0; lane < TestFixture::W; ++lane) worst.include(check(lane_of(F, lane), lane_of(d, lane)));
      },
      [&](const std::string& family) {
        expect_few(worst, family);
        worst = {};
      });
}

TYPED_TEST(PackedSvdOf, EveryLaneHasItsPolarParts) {
  Errors worst;
  TestFixture::for_each(
      kPacked / 2,
      [&](const auto& F) {
        const auto p = polar(F);
        for (int lane = 0; lane < TestFixture::W; ++lane) worst.include(check(lane_of(F, lane), lane_of(p, lane)));
      },
      [&](const std::string& family) {
        expect_few(worst, family);
        worst = {};
      });
}

// sigma always; R where F determines it (U and V are free where stretches repeat, so they are compared through R).
TYPED_TEST(PackedSvdOf, LanesEqualTheNumbersResult) {
  using T = typename TestFixture::T;
  constexpr int D = TestFixture::D;
  double sigma_error = 0, R_error = 0;
  const auto compare = [&](const Mat<T, D>& F, const Svd<T, D>& packed, const Mat<T, D>& packed_R) {
    const auto alone = svd(F);
    if (!(alone.sigma[0] > 0)) return;
    for (int i = 0; i < D; ++i) sigma_error = std::fmax(sigma_error, std::fabs(packed.sigma[i] - alone.sigma[i]) / alone.sigma[0]);
    const double gap = (alone.sigma[D - 1] + alone.sigma[D - 2]) / alone.sigma[0];
    if (gap > 1e-2) R_error = std::fmax(R_error, gap * largest_entry(cast<double>(packed_R - polar(F).R)));
  };
  TestFixture::for_each(
      kPacked / 10,
      [&](const auto& F) {
        const auto d = svd(F);
        const auto p = polar(F);
        for (int lane = 0; lane < TestFixture::W; ++lane) compare(lane_of(F, lane), lane_of(d, lane), lane_of(p, lane).R);
      },
      [&](const std::string& family) {
        EXPECT_LE(sigma_error / kEpsilon<T>, 8) << family;
        EXPECT_LE(R_error / kEpsilon<T>, 16) << family;
        sigma_error = R_error = 0;
      });
}

// One matrix at a time goes from lane to lane among changing neighbours: the bits of its result stay.
TYPED_TEST(PackedSvdOf, NeighboursNeverMatter) {
  using T = typename TestFixture::T;
  constexpr int D = TestFixture::D, W = TestFixture::W;
  Rng rng(67);
  for (const Family<D>& family : kFamilies<D>) {
    const Mat<T, D> F = cast<T>(family.make(rng));
    typename TestFixture::Packed alone;
    for (int lane = 0; lane < W; ++lane) set_lane(alone, lane, F);
    const Svd<T, D> expected = lane_of(svd(alone), 0);
    for (int lane = 0; lane < W; ++lane) {
      typename TestFixture::Packed crowd;
      for (int other = 0; other < W; ++other) set_lane(crowd, other, cast<T>(kFamilies<D>[whole(rng, 0, 12)].make(rng)));
      set_lane(crowd, lane, F);
      const Svd<T, D> got = lane_of(svd(crowd), lane);
      for (int i = 0; i < D * D; ++i) {
        EXPECT_EQ(got.U.a[i], expected.U.a[i]) << family.name;
        EXPECT_EQ(got.V.a[i], expected.V.a[i]) << family.name;
      }
      for (int i = 0; i < D; ++i) EXPECT_EQ(got.sigma[i], expected.sigma[i]) << family.name;
    }
  }
}

}  // namespace
}  // namespace firn::math_tests
