// Identities of vectors and matrices.
#include "math/vec.h"

#include <gtest/gtest.h>

#include <limits>

#include "math/random.h"

namespace firn {
namespace {

constexpr int kTrials = 1000;
constexpr double kTolerance = 40 * std::numeric_limits<double>::epsilon();  // entries are at most 1: sums of a few products

template <int N>
Vec<double, N> random_vector(Rng& rng) {
  Vec<double, N> x;
  for (double& value : x.a) value = 2 * rng.uniform() - 1;
  return x;
}
template <int N>
Mat<double, N> random_matrix(Rng& rng) {
  Mat<double, N> x;
  for (double& value : x.a) value = 2 * rng.uniform() - 1;
  return x;
}

template <int N>
void expect_same(const Mat<double, N>& x, const Mat<double, N>& y, double tolerance = kTolerance) {
  for (int i = 0; i < N * N; ++i) EXPECT_NEAR(x.a[i], y.a[i], tolerance) << "entry " << i;
}
template <int N>
void expect_same(const Vec<double, N>& x, const Vec<double, N>& y) {
  for (int i = 0; i < N; ++i) EXPECT_NEAR(x[i], y[i], kTolerance) << "entry " << i;
}

template <class Size>
class Algebra : public testing::Test {
 public:
  static constexpr int N = Size::value;
  Rng rng{31};
};
using Sizes = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Algebra, Sizes);

TYPED_TEST(Algebra, VectorOperatorsActOnEveryComponent) {
  constexpr int N = TestFixture::N;
  const Vec<double, N> x = random_vector<N>(this->rng), y = random_vector<N>(this->rng);
  Vec<double, N> sum = x, difference = x;
  sum += y;
  difference -= y;
  double product = 0;
  for (int i = 0; i < N; ++i) {
    EXPECT_EQ((x + y)[i], x[i] + y[i]);
    EXPECT_EQ((x - y)[i], x[i] - y[i]);
    EXPECT_EQ((-x)[i], -x[i]);
    EXPECT_EQ((2.5 * x)[i], 2.5 * x[i]);
    EXPECT_EQ(sum[i], x[i] + y[i]);
    EXPECT_EQ(difference[i], x[i] - y[i]);
    product += x[i] * y[i];
  }
  EXPECT_NEAR(dot(x, y), product, kTolerance);
  EXPECT_NEAR(norm(x) * norm(x), dot(x, x), kTolerance);
  expect_same(Vec<double, N>::zero(), x - x);
}

TYPED_TEST(Algebra, ProductsAssociateAndTranspose) {
  constexpr int N = TestFixture::N;
  for (int t = 0; t < kTrials; ++t) {
    const auto A = random_matrix<N>(this->rng), B = random_matrix<N>(this->rng), C = random_matrix<N>(this->rng);
    const auto x = random_vector<N>(this->rng);
    expect_same((A * B) * C, A * (B * C));
    expect_same(transpose(A * B), transpose(B) * transpose(A));
    expect_same((A * B) * x, A * (B * x));
    expect_same(A * (B + C), A * B + A * C);
    expect_same(A * Mat<double, N>::identity(), A);
    expect_same(A - A, Mat<double, N>::zero());
  }
}

TYPED_TEST(Algebra, ContractionIsTheTraceOfTheProduct) {
  constexpr int N = TestFixture::N;
  for (int t = 0; t < kTrials; ++t) {
    const auto A = random_matrix<N>(this->rng), B = random_matrix<N>(this->rng);
    const auto product = transpose(A) * B;
    double trace = 0;
    for (int i = 0; i < N; ++i) trace += product(i, i);
    EXPECT_NEAR(contract(A, B), trace, kTolerance);
  }
}

TYPED_TEST(Algebra, OuterProductsProject) {
  constexpr int N = TestFixture::N;
  for (int t = 0; t < kTrials; ++t) {
    const auto x = random_vector<N>(this->rng), y = random_vector<N>(this->rng), z = random_vector<N>(this->rng);
    expect_same(outer(x, y) * z, dot(y, z) * x);
    EXPECT_NEAR(contract(outer(x, y), outer(x, y)), dot(x, x) * dot(y, y), kTolerance);
  }
}

TYPED_TEST(Algebra, ColumnsAreImagesOfTheAxes) {
  constexpr int N = TestFixture::N;
  const auto A = random_matrix<N>(this->rng);
  Mat<double, N> copy = Mat<double, N>::zero();
  for (int j = 0; j < N; ++j) {
    Vec<double, N> axis = Vec<double, N>::zero();
    axis[j] = 1;
    expect_same(column(A, j), A * axis);
    set_column(copy, j, column(A, j));
  }
  expect_same(copy, A, 0);
}

TYPED_TEST(Algebra, DeterminantsMultiply) {
  constexpr int N = TestFixture::N;
  for (int t = 0; t < kTrials; ++t) {
    const auto A = random_matrix<N>(this->rng), B = random_matrix<N>(this->rng);
    EXPECT_NEAR(determinant(A * B), determinant(A) * determinant(B), 2 * kTolerance);
    EXPECT_NEAR(determinant(transpose(A)), determinant(A), kTolerance);
  }
  EXPECT_EQ(determinant((Mat<double, N>::diagonal(Vec<double, N>::filled(2)))), N == 3 ? 8 : 4);
}

// F cof(F)ᵀ = det(F) I says cof(F) = det(F) F⁻ᵀ without the inverse, so it holds for singular F too.
TYPED_TEST(Algebra, CofactorIsTheDeterminantTimesTheInverseTransposed) {
  constexpr int N = TestFixture::N;
  for (int t = 0; t < kTrials; ++t) {
    auto F = random_matrix<N>(this->rng);
    if (t % 2 == 1) set_column(F, 1, -0.5 * column(F, 0));  // singular
    const auto scaled = determinant(F) * Mat<double, N>::identity();
    expect_same(F * transpose(cofactor(F)), scaled);
    expect_same(transpose(cofactor(F)) * F, scaled);
  }
}

TYPED_TEST(Algebra, CofactorIsTheGradientOfTheDeterminant) {
  constexpr int N = TestFixture::N;
  constexpr double e = 1e-4;  // the determinant is linear in each entry: differences are exact but for rounding
  for (int t = 0; t < kTrials; ++t) {
    const auto F = random_matrix<N>(this->rng);
    for (int k = 0; k < N * N; ++k) {
      auto up = F, down = F;
      up.a[k] += e;
      down.a[k] -= e;
      EXPECT_NEAR(cofactor(F).a[k], (determinant(up) - determinant(down)) / (2 * e), kTolerance / e);
    }
  }
}

TEST(Cross, IsPerpendicularRightHandedAndAsLongAsTheArea) {
  Rng rng(37);
  for (int t = 0; t < kTrials; ++t) {
    const auto x = random_vector<3>(rng), y = random_vector<3>(rng), z = random_vector<3>(rng);
    const auto c = cross(x, y);
    EXPECT_NEAR(dot(c, x), 0, kTolerance);
    EXPECT_NEAR(dot(c, y), 0, kTolerance);
    EXPECT_NEAR(dot(c, c), dot(x, x) * dot(y, y) - dot(x, y) * dot(x, y), kTolerance);
    Mat<double, 3> columns;
    set_column(columns, 0, x);
    set_column(columns, 1, y);
    set_column(columns, 2, z);
    EXPECT_NEAR(dot(c, z), determinant(columns), kTolerance);
  }
  expect_same(cross<double>({1, 0, 0}, {0, 1, 0}), Vec<double, 3>{0, 0, 1});
}

}  // namespace
}  // namespace firn
