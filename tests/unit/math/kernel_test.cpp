// The shape functions against (M2), (M3) written plainly, and the sums that the method relies on.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "math/bspline.h"
#include "math/pack.h"
#include "math/random.h"
#include "math/vec.h"

namespace firn {
namespace {

template <class T, class K>
struct KernelIn {
  using Number = T;
  using Kernel = K;
};

double plain_weight(CubicKernel, double s) {
  const double a = std::abs(s);
  if (a < 1) return 0.5 * a * a * a - a * a + 2.0 / 3;
  if (a < 2) return -a * a * a / 6 + a * a - 2 * a + 4.0 / 3;
  return 0;
}
double plain_slope(CubicKernel, double s) {
  const double a = std::abs(s), sign = s < 0 ? -1 : 1;
  if (a < 1) return sign * (1.5 * a * a - 2 * a);
  if (a < 2) return sign * (-0.5 * a * a + 2 * a - 2);
  return 0;
}
double plain_weight(QuadraticKernel, double s) {
  const double a = std::abs(s);
  if (a < 0.5) return 0.75 - a * a;
  if (a < 1.5) return 0.5 * (1.5 - a) * (1.5 - a);
  return 0;
}
double plain_slope(QuadraticKernel, double s) {
  const double a = std::abs(s), sign = s < 0 ? -1 : 1;
  if (a < 0.5) return -2 * s;
  if (a < 1.5) return -sign * (1.5 - a);
  return 0;
}

template <class C>
class KernelOf : public testing::Test {
 public:
  using T = typename C::Number;
  using Kernel = typename C::Kernel;
  static constexpr int kSupport = Kernel::kSupport;

  struct Axis {
    T delta;
    T w[kSupport], g[kSupport];
  };

  static Axis axis(T f) {
    Axis a;
    a.delta = f - Kernel::base_shift(f);
    Kernel::weights(a.delta, a.w, a.g);
    return a;
  }

  // Both ends of a cell, both sides of its middle, and anywhere.
  static std::vector<T> offsets() {
    const T eps = std::numeric_limits<T>::epsilon();
    std::vector<T> f{
        0, std::numeric_limits<T>::min(), eps, T(0.25), T(0.5) - eps / 4, T(0.5), T(0.5) + eps / 2, T(1) - eps, T(1) - eps / 2};
    Rng rng(3);
    for (int i = 0; i < 10000; ++i) f.push_back(min(static_cast<T>(rng.uniform()), T(1) - eps / 2));
    return f;
  }
};

using Kernels = testing::Types<KernelIn<float, CubicKernel>, KernelIn<double, CubicKernel>, KernelIn<float, QuadraticKernel>,
                               KernelIn<double, QuadraticKernel>>;
TYPED_TEST_SUITE(KernelOf, Kernels);

TYPED_TEST(KernelOf, WeightsSumToOneAndSlopesToZero) {
  const double tolerance = 4 * std::numeric_limits<typename TestFixture::T>::epsilon();
  for (const auto f : TestFixture::offsets()) {
    const auto a = TestFixture::axis(f);
    double sum_w = 0, sum_g = 0;
    for (int i = 0; i < TestFixture::kSupport; ++i) {
      sum_w += a.w[i];
      sum_g += a.g[i];
    }
    EXPECT_NEAR(sum_w, 1, tolerance) << f;
    EXPECT_NEAR(sum_g, 0, tolerance) << f;
  }
}

// What is lost or made in one step is lost again in the next: the sums must be right on average to far less than rounding.
TYPED_TEST(KernelOf, SumsOfWeightsDoNotDrift) {
  using T = typename TestFixture::T;
  long double drift = 0;
  const std::vector<T> offsets = TestFixture::offsets();
  for (const auto f : offsets) {
    const auto a = TestFixture::axis(f);
    for (int i = 0; i < TestFixture::kSupport; ++i) drift += a.w[i];
    drift -= 1;
  }
  EXPECT_LE(std::abs(double(drift)) / static_cast<double>(offsets.size()), 0.05 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(KernelOf, WeightedNodesGiveBackTheParticle) {
  const double tolerance = 8 * std::numeric_limits<typename TestFixture::T>::epsilon();
  for (const auto f : TestFixture::offsets()) {
    const auto a = TestFixture::axis(f);
    double x = TestFixture::Kernel::base_shift(f), slope = 0;
    for (int i = 0; i < TestFixture::kSupport; ++i) {
      x += double(a.w[i]) * i;
      slope += double(a.g[i]) * i;
    }
    EXPECT_NEAR(x, f, tolerance);
    EXPECT_NEAR(slope, 1, tolerance) << "the gradient of x is not 1 at " << f;
  }
}

TYPED_TEST(KernelOf, AgreesWithTheFormulasWrittenPlainly) {
  const typename TestFixture::Kernel kernel;
  const double tolerance = 4 * std::numeric_limits<typename TestFixture::T>::epsilon();
  for (const auto f : TestFixture::offsets()) {
    const auto a = TestFixture::axis(f);
    for (int i = 0; i < TestFixture::kSupport; ++i) {
      EXPECT_NEAR(a.w[i], plain_weight(kernel, double(a.delta) - i), tolerance) << f << " node " << i;
      EXPECT_NEAR(a.g[i], plain_slope(kernel, double(a.delta) - i), tolerance) << f << " node " << i;
    }
  }
}

// In double, inside a cell and off the middle, where the pieces of both kernels join.
TYPED_TEST(KernelOf, SlopesAreTheDerivativesOfTheWeights) {
  using Kernel = typename TestFixture::Kernel;
  constexpr int kSupport = TestFixture::kSupport;
  constexpr double e = 1e-5;  // the third derivative is at most 3: truncation 5e-11, rounding 1e-11
  for (const double f : {2 * e, 0.1, 0.3, 0.5 - 2 * e, 0.5 + 2 * e, 0.77, 1 - 2 * e}) {
    const double delta = f - Kernel::base_shift(f);
    double low[kSupport], high[kSupport], w[kSupport], g[kSupport], unused[kSupport];
    Kernel::weights(delta - e, low, unused);
    Kernel::weights(delta + e, high, unused);
    Kernel::weights(delta, w, g);
    for (int i = 0; i < kSupport; ++i) EXPECT_NEAR(g[i], (high[i] - low[i]) / (2 * e), 2e-10) << f << " node " << i;
  }
}

TYPED_TEST(KernelOf, SecondMomentIsThatOfApic) {
  using T = typename TestFixture::T;
  constexpr int kSupport = TestFixture::kSupport;
  Rng rng(5);
  for (int trial = 0; trial < 200; ++trial) {
    typename TestFixture::Axis a[3];
    for (auto& axis : a) axis = TestFixture::axis(static_cast<T>(0.999 * rng.uniform()));
    Mat<double, 3> D = Mat<double, 3>::zero();
    for (int i = 0; i < kSupport; ++i)
      for (int j = 0; j < kSupport; ++j)
        for (int k = 0; k < kSupport; ++k) {
          const Vec<double, 3> r{i - double(a[0].delta), j - double(a[1].delta), k - double(a[2].delta)};
          D += (double(a[0].w[i]) * double(a[1].w[j]) * double(a[2].w[k])) * outer(r, r);
        }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(D(i, j), i == j ? 1 / TestFixture::Kernel::kInverseD : 0, 16 * std::numeric_limits<T>::epsilon());
  }
}

TYPED_TEST(KernelOf, WeightsAreNeverNegative) {
  using T = typename TestFixture::T;
  for (T start : {T(1), T(0.5), T(0.25)}) {
    T f = start;
    for (int i = 0; i < 20000; ++i) {
      f = std::nextafter(f, T(0));
      const auto a = TestFixture::axis(f);
      for (int k = 0; k < TestFixture::kSupport; ++k) ASSERT_GE(a.w[k], T(0)) << f << " node " << k;
    }
  }
  for (const T f : TestFixture::offsets()) {
    const auto a = TestFixture::axis(f);
    for (int k = 0; k < TestFixture::kSupport; ++k) ASSERT_GE(a.w[k], T(0)) << f << " node " << k;
  }
}

TYPED_TEST(KernelOf, MovesSmoothlyIntoTheNextCell) {
  using T = typename TestFixture::T;
  const T before = T(1) - std::numeric_limits<T>::epsilon() / 2;
  const auto last = TestFixture::axis(before), first = TestFixture::axis(T(0));
  const double shift = 1 + TestFixture::Kernel::base_shift(T(0)) - TestFixture::Kernel::base_shift(before);  // in nodes
  for (int i = 0; i < TestFixture::kSupport; ++i) {
    const int same_node = i + static_cast<int>(shift);
    const double then = same_node < TestFixture::kSupport ? last.w[same_node] : 0;
    EXPECT_NEAR(first.w[i], then, 4 * std::numeric_limits<T>::epsilon()) << i;
  }
}

TYPED_TEST(KernelOf, PacksGiveEveryLaneItsOwnWeights) {
  using T = typename TestFixture::T;
  using Kernel = typename TestFixture::Kernel;
  using P = Pack<T, 8>;
  const std::vector<T> offsets = TestFixture::offsets();
  for (std::size_t i = 0; i + 8 <= 800; i += 8) {
    const P f = P::load(&offsets[i]);
    P w[TestFixture::kSupport], g[TestFixture::kSupport];
    Kernel::weights(f - Kernel::base_shift(f), w, g);
    for (int lane = 0; lane < 8; ++lane) {
      const auto a = TestFixture::axis(offsets[i + lane]);
      for (int k = 0; k < TestFixture::kSupport; ++k) {
        EXPECT_NEAR(w[k][lane], a.w[k], std::numeric_limits<T>::epsilon());
        EXPECT_NEAR(g[k][lane], a.g[k], std::numeric_limits<T>::epsilon());
      }
    }
  }
}

}  // namespace
}  // namespace firn
