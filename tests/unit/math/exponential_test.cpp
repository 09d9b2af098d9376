// exponential() against the standard library.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "math/pack.h"
#include "math/random.h"
#include "math/scalar.h"

namespace firn {
namespace {

constexpr int kArguments = 100000;
constexpr double kLargest = 80;

template <class T>
class ExponentialOf : public testing::Test {
 public:
  // In units of the last place.
  static double error(T got, T x) {
    const long double exact = std::exp(static_cast<long double>(x));
    return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / (exact * std::numeric_limits<T>::epsilon()));
  }
  static T random(Rng& rng) { return static_cast<T>(kLargest * (2 * rng.uniform() - 1)); }
};

using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(ExponentialOf, Numbers);

TYPED_TEST(ExponentialOf, IsExactToTwoUnitsInTheLastPlace) {
  Rng rng(11);
  double worst = 0;
  for (int i = 0; i < kArguments; ++i) {
    const TypeParam x = TestFixture::random(rng);
    worst = std::fmax(worst, TestFixture::error(exponential(x), x));
  }
  EXPECT_LE(worst, 2);
}

TYPED_TEST(ExponentialOf, IsExactToTwoUnitsNearZeroAndAtTheEnds) {
  for (const double x : {1e-30, 1e-8, 1e-3, 0.3465, 0.34657359, 0.3466, 0.6931, 0.6932, 1.0, 79.999, 80.0})
    for (const double sign : {-1.0, 1.0}) {
      const TypeParam value = static_cast<TypeParam>(sign * x);
      EXPECT_LE(TestFixture::error(exponential(value), value), 2) << value;
    }
}

TYPED_TEST(ExponentialOf, ZeroGivesExactlyOne) {
  EXPECT_EQ(exponential(TypeParam(0)), TypeParam(1));
  EXPECT_EQ(exponential(TypeParam(-0.0)), TypeParam(1));
}

template <class T, int W>
void expect_lanes_equal_numbers() {
  Rng rng(13);
  for (int i = 0; i < kArguments / W; ++i) {
    Pack<T, W> x;
    for (int lane = 0; lane < W; ++lane) x.set(lane, ExponentialOf<T>::random(rng));
    const Pack<T, W> y = exponential(x);
    for (int lane = 0; lane < W; ++lane) {
      ASSERT_LE(ExponentialOf<T>::error(y[lane], x[lane]), 2) << x[lane];
      ASSERT_NEAR(y[lane] / exponential(x[lane]), 1, std::numeric_limits<T>::epsilon()) << x[lane];
    }
  }
}

TYPED_TEST(ExponentialOf, PacksGiveTheSameAsNumbers) {
  expect_lanes_equal_numbers<TypeParam, 4>();
  expect_lanes_equal_numbers<TypeParam, 8>();
  expect_lanes_equal_numbers<TypeParam, 16>();
}

TYPED_TEST(ExponentialOf, SumsBecomeProducts) {
  Rng rng(17);
  const double tolerance = 60 * std::numeric_limits<TypeParam>::epsilon();  // a + b rounds: |a + b| / 2 units at most
  for (int i = 0; i < kArguments / 10; ++i) {
    const TypeParam a = TestFixture::random(rng) / 2, b = TestFixture::random(rng) / 2;
    ASSERT_NEAR(exponential(TypeParam(a + b)) / (exponential(a) * exponential(b)), 1, tolerance) << a << ' ' << b;
  }
}

}  // namespace
}  // namespace firn
