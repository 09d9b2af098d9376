// What nodes may still do after their collisions.
#include "solver/constraint.h"

#include <gtest/gtest.h>

#include <limits>

#include "math/random.h"

namespace firn {
namespace {

template <class T, int D>
struct Case {
  using Number = T;
  static constexpr int kDimension = D;
};

template <class C>
class ConstraintOf : public testing::Test {
 public:
  using T = typename C::Number;
  static constexpr int D = C::kDimension;
  using V = Vec<T, D>;
  using Rule = Constraint<T, D>;
  static constexpr double kFew = 8 * std::numeric_limits<T>::epsilon();

  static V random(Rng& rng) {
    V v;
    for (T& x : v.a) x = static_cast<T>(2 * rng.uniform() - 1);
    return v;
  }
  static V direction(Rng& rng) {
    V v;
    do {
      v = random(rng);
    } while (norm(v) < T(0.2));
    return (T(1) / norm(v)) * v;
  }
  static void expect_near(const V& a, const V& b, double tolerance) {
    for (int d = 0; d < D; ++d) EXPECT_NEAR(a[d], b[d], tolerance);
  }
  // Normals at least this far apart keep the second one accurate.
  static Rule with_normals(Rng& rng, int count) {
    for (;;) {
      Rule rule{};
      std::vector<V> normals;
      for (int k = 0; k < count; ++k) {
        normals.push_back(direction(rng));
        rule.slide(normals.back());
      }
      bool apart = true;
      for (int a = 0; a < count; ++a)
        for (int b = 0; b < a; ++b) apart = apart && abs(dot(normals[a], normals[b])) < T(0.95);
      if (apart) return rule;
    }
  }
};
using Cases = testing::Types<Case<float, 2>, Case<double, 2>, Case<float, 3>, Case<double, 3>>;
TYPED_TEST_SUITE(ConstraintOf, Cases);

constexpr int kTrials = 1000;

TYPED_TEST(ConstraintOf, AFreeNodeKeepsEverything) {
  Rng rng(441);
  const typename TestFixture::Rule rule{};
  EXPECT_TRUE(rule.free());
  const auto u = TestFixture::random(rng);
  TestFixture::expect_near(rule.project(u), u, 0);
}

TYPED_TEST(ConstraintOf, AStuckNodeKeepsNothing) {
  Rng rng(443);
  typename TestFixture::Rule rule;
  rule.slide(TestFixture::direction(rng));
  rule.stick();
  EXPECT_FALSE(rule.free());
  TestFixture::expect_near(rule.project(TestFixture::random(rng)), TestFixture::V::zero(), 0);
}

TYPED_TEST(ConstraintOf, OneContactTakesTheNormalPartOnly) {
  Rng rng(449);
  for (int i = 0; i < kTrials; ++i) {
    typename TestFixture::Rule rule;
    const auto n = TestFixture::direction(rng);
    const auto u = TestFixture::random(rng);
    rule.slide(n);
    EXPECT_FALSE(rule.free());
    EXPECT_FALSE(rule.stuck);
    TestFixture::expect_near(rule.project(u), u - dot(u, n) * n, TestFixture::kFew);
  }
}

// In 3D the edge between the two surfaces stays free; in 2D there is nothing left.
TYPED_TEST(ConstraintOf, TwoContactsLeaveTheEdgeBetweenThem) {
  constexpr int D = TestFixture::D;
  Rng rng(457);
  for (int i = 0; i < kTrials; ++i) {
    const auto rule = TestFixture::with_normals(rng, 2);
    EXPECT_EQ(rule.stuck, D == 2);
    if constexpr (D == 3) {
      const auto edge = cross(rule.normal[0], rule.normal[1]);
      const auto u = TestFixture::random(rng);
      TestFixture::expect_near(rule.project(u), dot(u, edge) * edge, 8 * TestFixture::kFew);
    }
  }
}

TYPED_TEST(ConstraintOf, AsManyContactsAsDimensionsHoldTheNode) {
  Rng rng(461);
  for (int i = 0; i < kTrials; ++i) {
    typename TestFixture::Rule rule;
    for (int d = 0; d < TestFixture::D; ++d) {
      EXPECT_FALSE(rule.stuck);
      auto axis = TestFixture::V::zero();
      axis[d] = i % 2 ? 1 : -1;
      rule.slide(axis);
    }
    EXPECT_TRUE(rule.stuck);
    TestFixture::expect_near(rule.project(TestFixture::random(rng)), TestFixture::V::zero(), 0);
  }
}

TYPED_TEST(ConstraintOf, ParallelNormalsCountOnce) {
  Rng rng(463);
  for (int i = 0; i < kTrials; ++i) {
    typename TestFixture::Rule rule;
    const auto n = TestFixture::direction(rng);
    rule.slide(n);
    rule.slide(n);
    rule.slide(-n);
    auto nearly = n + typename TestFixture::T(1e-4) * TestFixture::random(rng);
    rule.slide((1 / norm(nearly)) * nearly);
    EXPECT_EQ(rule.count, 1);
    EXPECT_FALSE(rule.stuck);
  }
}

// In 3D a third surface through the same edge adds nothing.
TEST(Constraint, ThreeSurfacesThroughOneEdgeLeaveItFree) {
  Constraint<double, 3> rule;
  rule.slide({1, 0, 0});
  rule.slide({0, 1, 0});
  rule.slide({0.6, 0.8, 0});
  EXPECT_FALSE(rule.stuck);
  EXPECT_EQ(rule.project({1, 2, 3})[2], 3);
  rule.slide({0, 0, 1});
  EXPECT_TRUE(rule.stuck);
}

TYPED_TEST(ConstraintOf, NormalsAreOrthonormal) {
  Rng rng(467);
  for (int i = 0; i < kTrials; ++i) {
    const auto rule = TestFixture::with_normals(rng, TestFixture::D - 1);
    ASSERT_EQ(rule.count, TestFixture::D - 1);
    for (int a = 0; a < rule.count; ++a)
      for (int b = 0; b <= a; ++b) EXPECT_NEAR(dot(rule.normal[a], rule.normal[b]), a == b ? 1 : 0, 4 * TestFixture::kFew);
  }
}

TYPED_TEST(ConstraintOf, ProjectingIsIdempotentAndSymmetric) {
  Rng rng(479);
  for (int i = 0; i < kTrials; ++i) {
    const auto rule = TestFixture::with_normals(rng, i % (TestFixture::D + 1));
    const auto u = TestFixture::random(rng), w = TestFixture::random(rng);
    const auto once = rule.project(u);
    TestFixture::expect_near(rule.project(once), once, 4 * TestFixture::kFew);
    EXPECT_NEAR(dot(w, rule.project(u)), dot(rule.project(w), u), 8 * TestFixture::kFew);
    EXPECT_LE(norm(once), norm(u) * (1 + TestFixture::kFew));
  }
}

// Surfaces that meet at a small angle: the second normal is the small difference of two large ones.
TYPED_TEST(ConstraintOf, ProjectingIsSymmetricForNormalsOfASmallAngle) {
  Rng rng(487);
  for (int i = 0; i < kTrials; ++i) {
    typename TestFixture::Rule rule;
    const auto n = TestFixture::direction(rng);
    auto other = n + typename TestFixture::T(3e-3) * TestFixture::direction(rng);
    rule.slide(n);
    rule.slide((1 / norm(other)) * other);
    const auto u = TestFixture::random(rng), w = TestFixture::random(rng);
    EXPECT_NEAR(dot(w, rule.project(u)), dot(rule.project(w), u), 8 * TestFixture::kFew);
  }
}

// Two planes at a right angle: a node in the corner may only move along the edge, and its velocity does.
TEST(Collide, ACornerLeavesTheEdgeFree) {
  std::vector<Body<double, 3>> bodies;
  for (int d = 0; d < 2; ++d) {
    BodyModel m;
    m.solid = {SolidKind::kPlane, {0, 0, 0}, {0, 0, 0}};
    m.solid.axis[d] = 1;
    m.anchor = {{0, 0, 0}, {0, 0, 0}};
    bodies.push_back(freeze<double, 3>(m, 0));
  }
  Constraint<double, 3> rule;
  const auto v = collide<double, 3>(bodies, {{-1, -1, 0}, {0, 0, 0}}, {-1, -2, 3}, 0.1, &rule, [](auto...) {});
  EXPECT_EQ(v[0], 0);
  EXPECT_EQ(v[1], 0);
  EXPECT_EQ(v[2], 3);
  EXPECT_EQ(rule.count, 2);
  EXPECT_FALSE(rule.stuck);
  Constraint<double, 3> outside;
  const auto same = collide<double, 3>(bodies, {{1, 1, 0}, {0, 0, 0}}, {-1, -2, 3}, 0.1, &outside, [](auto...) {});
  EXPECT_EQ(same[0], -1);
  EXPECT_TRUE(outside.free());
}

}  // namespace
}  // namespace firn
