// Every Pack operation against a loop over its lanes.
#include "math/pack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "math/random.h"

namespace firn {
namespace {

template <class T, int W>
struct Width {
  using Number = T;
  static constexpr int kLanes = W;
};

template <class C>
class PackOf : public testing::Test {
 public:
  using T = typename C::Number;
  static constexpr int W = C::kLanes;
  using P = Pack<T, W>;

  // Random numbers with some pairs of equal ones.
  PackOf() {
    Rng rng(21);
    for (int i = 0; i < W; ++i) {
      a_[i] = static_cast<T>(4 * rng.uniform() - 2);
      b_[i] = i % 3 == 2 ? a_[i] : static_cast<T>(4 * rng.uniform() - 2);
    }
    a = P::load(a_);
    b = P::load(b_);
  }

  template <class F>
  void expect_lanes(const P& got, F expected) {
    for (int i = 0; i < W; ++i) EXPECT_EQ(got[i], expected(a_[i], b_[i])) << "lane " << i;
  }
  template <class F>
  void expect_mask(const Mask<T, W>& got, F expected) {
    for (int i = 0; i < W; ++i) EXPECT_EQ(got[i], expected(a_[i], b_[i])) << "lane " << i;
  }

  T a_[W], b_[W];
  P a, b;
};

using Widths = testing::Types<Width<float, 4>, Width<float, 8>, Width<float, 16>, Width<float, 32>, Width<double, 2>, Width<double, 4>,
                              Width<double, 8>, Width<double, 16>>;
TYPED_TEST_SUITE(PackOf, Widths);

TYPED_TEST(PackOf, ArithmeticActsOnEveryLane) {
  using T = typename TestFixture::T;
  this->expect_lanes(this->a + this->b, [](T x, T y) { return x + y; });
  this->expect_lanes(this->a - this->b, [](T x, T y) { return x - y; });
  this->expect_lanes(this->a * this->b, [](T x, T y) { return x * y; });
  this->expect_lanes(this->a / this->b, [](T x, T y) { return x / y; });
  this->expect_lanes(-this->a, [](T x, T) { return -x; });
}

TYPED_TEST(PackOf, NumbersStandForThemselvesInEveryLane) {
  using T = typename TestFixture::T;
  this->expect_lanes(T(3) - this->a, [](T x, T) { return T(3) - x; });
  this->expect_lanes(this->a / T(3), [](T x, T) { return x / T(3); });
  this->expect_lanes(2 * this->a + 1, [](T x, T) { return 2 * x + 1; });
  this->expect_lanes(typename TestFixture::P(T(-0.1)), [](T, T) { return T(-0.1); });
}

TYPED_TEST(PackOf, ComparisonsActOnEveryLane) {
  using T = typename TestFixture::T;
  this->expect_mask(this->a < this->b, [](T x, T y) { return x < y; });
  this->expect_mask(this->a <= this->b, [](T x, T y) { return x <= y; });
  this->expect_mask(this->a > this->b, [](T x, T y) { return x > y; });
  this->expect_mask(this->a >= this->b, [](T x, T y) { return x >= y; });
}

TYPED_TEST(PackOf, ComparisonsWithNotANumberAreFalse) {
  const typename TestFixture::P nan(std::numeric_limits<typename TestFixture::T>::quiet_NaN());
  EXPECT_FALSE(any(nan < this->a));
  EXPECT_FALSE(any(nan >= this->a));
  EXPECT_FALSE(any(nan <= nan));
}

TYPED_TEST(PackOf, MasksCombineLikeTruthValues) {
  using T = typename TestFixture::T;
  const auto less = this->a<this->b, positive = this->a> typename TestFixture::P(T(0));
  this->expect_mask(less & positive, [](T x, T y) { return x < y && x > 0; });
  this->expect_mask(less | positive, [](T x, T y) { return x < y || x > 0; });
  this->expect_mask(!less, [](T x, T y) { return !(x < y); });
}

TYPED_TEST(PackOf, AnyFindsASingleLane) {
  using P = typename TestFixture::P;
  const P zero(0);
  EXPECT_FALSE(any(zero > zero));
  EXPECT_TRUE(any(zero <= zero));
  for (int lane = 0; lane < TestFixture::W; ++lane) {
    P one = zero;
    one.set(lane, 1);
    EXPECT_TRUE(any(one > zero)) << lane;
  }
}

TYPED_TEST(PackOf, SelectTakesEachLaneFromItsSide) {
  using T = typename TestFixture::T;
  this->expect_lanes(select(this->a < this->b, this->a, T(5) * this->b), [](T x, T y) { return x < y ? x : 5 * y; });
}

TYPED_TEST(PackOf, MinMaxAbsClampAndSqrtAreThoseOfNumbers) {
  using T = typename TestFixture::T;
  using P = typename TestFixture::P;
  this->expect_lanes(min(this->a, this->b), [](T x, T y) { return firn::min(x, y); });
  this->expect_lanes(max(this->a, this->b), [](T x, T y) { return firn::max(x, y); });
  this->expect_lanes(abs(this->a), [](T x, T) { return firn::abs(x); });
  this->expect_lanes(clamp(this->a, P(T(-0.5)), P(T(0.7))), [](T x, T) { return firn::clamp(x, T(-0.5), T(0.7)); });
  this->expect_lanes(sqrt(abs(this->a)), [](T x, T) { return firn::sqrt(firn::abs(x)); });
}

TYPED_TEST(PackOf, HorizontalMaxIsTheLargestLane) {
  for (int lane = 0; lane < TestFixture::W; ++lane) {
    auto x = this->a;
    x.set(lane, 7);
    EXPECT_EQ(horizontal_max(x), 7) << lane;
  }
  EXPECT_EQ(horizontal_max(typename TestFixture::P(-3)), -3);
}

TYPED_TEST(PackOf, LoadAndStoreKeepTheOrderOfLanes) {
  using T = typename TestFixture::T;
  constexpr int W = TestFixture::W;
  T numbers[W + 1], out[W + 2];
  for (int i = 0; i <= W; ++i) numbers[i] = T(10 + i);
  const auto x = Pack<T, W>::load(numbers + 1);  // not aligned
  for (T& value : out) value = -1;
  x.store(out + 1);
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(out[W + 1], -1);
  const auto lanes = lane_numbers<T, W>();
  for (int i = 0; i < W; ++i) {
    EXPECT_EQ(x[i], T(11 + i));
    EXPECT_EQ(out[i + 1], T(11 + i));
    EXPECT_EQ(lanes[i], T(i));
  }
}

TYPED_TEST(PackOf, AddWholeAddsToIntegers) {
  using T = typename TestFixture::T;
  constexpr int W = TestFixture::W;
  std::int32_t cell[W], moved[W];
  Pack<T, W> shift;
  for (int i = 0; i < W; ++i) {
    cell[i] = (i % 2 ? 1 : -1) * (1 << 29) + i;  // more digits than a float has
    shift.set(i, T(i % 3 - 1));
  }
  add_whole(cell, shift, moved);
  for (int i = 0; i < W; ++i) EXPECT_EQ(moved[i], cell[i] + i % 3 - 1);
}

TYPED_TEST(PackOf, InverseSqrtIsGoodToTwoUlps) {
  using T = typename TestFixture::T;
  constexpr int W = TestFixture::W;
  for (double x = 1e-30; x < 1e30; x *= 1.37) {
    Pack<T, W> a;
    for (int i = 0; i < W; ++i) a.set(i, T(x * (1 + 0.1 * i)));
    const Pack<T, W> r = inverse_sqrt(a);
    for (int i = 0; i < W; ++i) EXPECT_NEAR(double(r[i]) * std::sqrt(double(a[i])), 1, 2 * double(kEpsilon<T>));
  }
}

TYPED_TEST(PackOf, SetChangesOneLane) {
  using T = typename TestFixture::T;
  for (int lane = 0; lane < TestFixture::W; ++lane) {
    auto x = this->a;
    x.set(lane, T(42));
    for (int i = 0; i < TestFixture::W; ++i) EXPECT_EQ(x[i], i == lane ? T(42) : this->a_[i]);
  }
}

TYPED_TEST(PackOf, RoundSmallIsTheNearestWholeNumber) {
  using T = typename TestFixture::T;
  const auto many = T(1000) * this->a;
  const auto rounded = round_small(many);
  for (int i = 0; i < TestFixture::W; ++i) EXPECT_EQ(rounded[i], std::nearbyint(many[i]));
  for (const T x : {T(0), T(0.5), T(-0.5), T(1.5), T(-2.5), T(4194303)})
    EXPECT_EQ(round_small(typename TestFixture::P(x))[0], std::nearbyint(x)) << x;
}

TYPED_TEST(PackOf, PowersOfTwoAreExact) {
  using T = typename TestFixture::T;
  const int largest = sizeof(T) == 4 ? 126 : 1022;
  for (int n = -largest; n <= largest; ++n) {
    const auto x = exp2_whole(typename TestFixture::P(static_cast<T>(n)));
    ASSERT_EQ(x[0], std::ldexp(T(1), n));
    ASSERT_EQ(x[TestFixture::W - 1], std::ldexp(T(1), n));
  }
}

}  // namespace
}  // namespace firn
