// Eigenvalues of symmetric matrices: S = V diag(values) Vᵀ, V a rotation, for numbers and Packs.
#include "math/decompose.h"
#include "math/pack.h"
#include "svd_checks.h"

namespace firn::math_tests {
namespace {

template <class C>
class Eigen : public testing::Test {
 public:
  using T = typename C::Number;
  static constexpr int D = C::kDimension;
  using M = Mat<T, D>;

  static M symmetric(Rng& rng, const Vec<double, D>& values) {
    const Mat<double, D> V = random_rotation<D>(rng);
    M S = cast<T>(V * (Mat<double, D>::diagonal(values) * transpose(V)));
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < i; ++j) S(i, j) = S(j, i);
    return S;
  }

  // How far it is from an eigen-decomposition, in units of epsilon times |S|.
  static double error(const M& S, const SymmetricEigen<T, D>& e) {
    const Mat<double, D> V = cast<double>(e.V);
    Vec<double, D> values;
    for (int d = 0; d < D; ++d) values[d] = e.values[d];
    const double size = std::fmax(largest_entry(cast<double>(S)), std::numeric_limits<double>::min());
    const double split = largest_entry(V * (Mat<double, D>::diagonal(values) * transpose(V)) - cast<double>(S)) / size;
    const double turn = largest_entry(transpose(V) * V - Mat<double, D>::identity());
    const double mirror = std::abs(determinant(V) - 1);
    return std::fmax(split, std::fmax(turn, mirror)) / std::numeric_limits<T>::epsilon();
  }

  static Vec<double, D> random_values(Rng& rng, int kind) {
    Vec<double, D> values;
    for (double& x : values.a) {
      if (kind == 0) x = between(rng, 0.95, 1.05);                                   // snow
      if (kind == 1) x = between(rng, -2, 2);                                        // anything
      if (kind == 2) x = power_of_ten(rng, -8, 8);                                   // far apart
      if (kind == 3) x = 1 + (rng.uniform() < 0.5 ? 0 : power_of_ten(rng, -9, -5));  // almost the same
      if (kind == 4) x = whole(rng, -1, 1);                                          // exactly the same, or zero
    }
    return values;
  }
};
TYPED_TEST_SUITE(Eigen, Cases);

constexpr double kFew = 16;

TYPED_TEST(Eigen, SplitsEveryKindOfSymmetricMatrix) {
  Rng rng(401);
  for (int kind = 0; kind < 5; ++kind) {
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
      const auto S = TestFixture::symmetric(rng, TestFixture::random_values(rng, kind));
      worst = std::fmax(worst, TestFixture::error(S, symmetric_eigen(S)));
    }
    EXPECT_LE(worst, kFew) << "kind " << kind;
  }
}

TYPED_TEST(Eigen, LanesOfAPackDoNotDisturbEachOther) {
  using T = typename TestFixture::T;
  constexpr int D = TestFixture::D, W = 16;
  Rng rng(403);
  for (int round = 0; round < 500; ++round) {
    Mat<Pack<T, W>, D> all;
    std::vector<typename TestFixture::M> each;
    for (int l = 0; l < W; ++l) {
      each.push_back(TestFixture::symmetric(rng, TestFixture::random_values(rng, (l + round) % 5)));
      for (int k = 0; k < D * D; ++k) all.a[k].set(l, each[l].a[k]);
    }
    const auto e = symmetric_eigen(all);
    for (int l = 0; l < W; ++l) {
      Mat<Pack<T, W>, D> alone;  // every lane the same
      for (int k = 0; k < D * D; ++k) alone.a[k] = Pack<T, W>(each[l].a[k]);
      const auto single = symmetric_eigen(alone);
      SymmetricEigen<T, D> lane;
      for (int d = 0; d < D; ++d) {
        lane.values[d] = e.values[d][l];
        EXPECT_EQ(lane.values[d], single.values[d][0]);
      }
      for (int k = 0; k < D * D; ++k) lane.V.a[k] = e.V.a[k][l];
      EXPECT_LE(TestFixture::error(each[l], lane), kFew);
    }
  }
}

// Against the values themselves, where rounding cannot decide.
TYPED_TEST(Eigen, AtLeastTellsWhereTheSmallestIs) {
  using T = typename TestFixture::T;
  Rng rng(407);
  for (int i = 0; i < 20000; ++i) {
    const auto values = TestFixture::random_values(rng, i % 2);
    const auto S = TestFixture::symmetric(rng, values);
    const double smallest = *std::min_element(std::begin(values.a), std::end(values.a));
    EXPECT_TRUE(eigenvalues_at_least(S, T(smallest - 1e-3)));
    EXPECT_FALSE(eigenvalues_at_least(S, T(smallest + 1e-3)));
  }
}

}  // namespace
}  // namespace firn::math_tests
