// Distances by another way, and by hand at chosen points.
#include <algorithm>

#include "solids.h"

namespace firn::collide_tests {
namespace {

template <int D>
double phi(const Solid<double, 3>& s, const Vec<double, D>& q) {
  return evaluate(convert_solid<double, D>(s), q).phi;
}

// Outside: to the nearest point of the box. Inside: to the nearest face.
template <int D>
double box_distance(const Vec<double, D>& q) {
  Vec<double, D> nearest;
  double to_face = 1e300;
  for (int d = 0; d < D; ++d) {
    nearest[d] = std::clamp(q[d], -kHalf[d], kHalf[d]);
    to_face = std::min({to_face, q[d] + kHalf[d], kHalf[d] - q[d]});
  }
  return to_face >= 0 ? -to_face : norm(q - nearest);
}

// The distance to a segment is convex along it: thirds close in on the nearest point.
template <int D>
double capsule_distance(const Vec<double, D>& q, const Vec<double, D>& axis, double radius) {
  double low = -1, high = 1;
  for (int i = 0; i < 100; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (norm(q - a * axis) < norm(q - b * axis) ? high : low) = norm(q - a * axis) < norm(q - b * axis) ? b : a;
  }
  return norm(q - (0.5 * (low + high)) * axis) - radius;
}

double cylinder_distance(const Vec<double, 3>& q, double radius, double half_height) {
  const double r = std::hypot(q[0], q[2]), side = r - radius, lid = std::abs(q[1]) - half_height;
  if (side <= 0 && lid <= 0) return std::max(side, lid);
  if (side <= 0) return lid;
  if (lid <= 0) return side;
  return std::hypot(side, lid);
}

template <class C>
class DistanceIn : public InDimension<C> {};
TYPED_TEST_SUITE(DistanceIn, Dimensions);

TYPED_TEST(DistanceIn, AreExact) {
  constexpr int D = TestFixture::D;
  Rng rng(131);
  for (int i = 0; i < kPoints; ++i) {
    const auto q = random_vector<D>(rng, 1.5);
    EXPECT_NEAR(phi(sphere(0.7), q), norm(q) - 0.7, 1e-14);
    EXPECT_NEAR(phi(plane({0.6, 0.8, 0}), q), 0.6 * q[0] + 0.8 * q[1], 1e-14);
    EXPECT_NEAR(phi(box(kHalf), q), box_distance<D>(q), 1e-14);
    EXPECT_NEAR(phi(capsule(kAxis, 0.25), q), (capsule_distance<D>(q, convert_vec<double, D>(kAxis), 0.25)), 1e-12);
  }
}

TEST(Distance, CylindersAreExact) {
  Rng rng(137);
  for (int i = 0; i < kPoints; ++i) {
    const auto q = random_vector<3>(rng, 1.5);
    EXPECT_NEAR(phi(cylinder(0.6, 0.4), q), cylinder_distance(q, 0.6, 0.4), 1e-14);
  }
}

TEST(Distance, ACapsuleWithoutLengthIsASphere) {
  Rng rng(139);
  for (int i = 0; i < 100; ++i) {
    const auto q = random_vector<3>(rng, 1.5);
    EXPECT_EQ(phi(capsule({0, 0, 0}, 0.7), q), phi(sphere(0.7), q));
  }
}

TEST(Distance, ChosenPointsByHand) {
  EXPECT_NEAR(phi<3>(box({1, 2, 3}), {4, 6, 3}), 5, 1e-15);  // 3 and 4 beyond an edge
  EXPECT_NEAR(phi<3>(box({1, 2, 3}), {2, 4, 5}), 3, 1e-15);  // 1, 2 and 2 beyond a corner
  EXPECT_NEAR(phi<3>(box({1, 2, 3}), {0.75, 0, 0}), -0.25, 1e-15);
  EXPECT_NEAR(phi<2>(box({1, 2, 3}), {-4, -6}), 5, 1e-15);
  EXPECT_NEAR(phi<3>(cylinder(1, 2), {4, 6, 0}), 5, 1e-15);  // 3 and 4 beyond the rim
  EXPECT_NEAR(phi<3>(cylinder(1, 2), {0.6, 0, 0.8}), 0, 1e-15);
  EXPECT_NEAR(phi<3>(capsule({0, 2, 0}, 1), {3, 6, 0}), 4, 1e-15);  // 3 and 4 from the end of the axis
  EXPECT_NEAR(phi<3>(capsule({0, 2, 0}, 1), {3, 1, 0}), 2, 1e-15);
  EXPECT_NEAR(phi<3>(sphere(2), {2, 3, 6}), 5, 1e-15);
}

// Half edges 0.5 × 0.8, sides from the top edge (0, 0.8) to the bottom edges (±0.5, −0.8): at height y the half width is
// (0.8 − y) · 0.5/1.6.
TYPED_TEST(DistanceIn, AWedgeIsTheTriangleUnderItsTopEdge) {
  constexpr int D = TestFixture::D;
  Rng rng(149);
  for (int i = 0; i < kPoints; ++i) {
    const auto q = random_vector<D>(rng, 1.2);
    const bool in_section = q[1] > -0.8 && q[1] < 0.8 && std::abs(q[0]) < (0.8 - q[1]) * 0.5 / 1.6;
    const bool inside = in_section && (D == 2 || std::abs(q[D - 1]) < 0.3);
    EXPECT_EQ(phi(wedge(kHalf, kOpening), q) < 0, inside) << q[0] << ' ' << q[1];
  }
}

// Inside, the distance to the nearest of the faces: bottom, two sides, two ends.
TYPED_TEST(DistanceIn, InsideAWedgeTheDistanceIsExact) {
  constexpr int D = TestFixture::D;
  const double slant = std::hypot(0.5, 1.6);
  Rng rng(151);
  int inside = 0;
  for (int i = 0; i < kPoints; ++i) {
    const auto q = random_vector<D>(rng, 0.8);
    const double got = phi(wedge(kHalf, kOpening), q);
    if (got > 0) continue;
    ++inside;
    const double side = (std::abs(q[0]) * 1.6 + (q[1] - 0.8) * 0.5) / slant;
    const double ends = D == 2 ? -1e300 : std::abs(q[D - 1]) - 0.3;
    EXPECT_NEAR(got, std::max({-0.8 - q[1], side, ends}), 1e-14);
  }
  EXPECT_GT(inside, kPoints / 20);
}

// Outside, phi must not exceed the distance to any point of the wedge, or nodes in contact would be missed.
TYPED_TEST(DistanceIn, OutsideAWedgePhiIsALowerBound) {
  constexpr int D = TestFixture::D;
  const auto solid = wedge(kHalf, 0.6);
  Rng rng(157);
  std::vector<Vec<double, D>> points;
  while (points.size() < 300) {
    const auto q = random_vector<D>(rng, 0.8);
    if (phi(solid, q) <= 0) points.push_back(q);
  }
  for (int i = 0; i < 300; ++i) {
    const auto q = random_vector<D>(rng, 1.5);
    for (const auto& p : points) ASSERT_LE(phi(solid, q), norm(q - p));
  }
}

TEST(Distance, WedgeNormalsPointAwayFromTheSides) {
  const auto s = evaluate(wedge(kHalf, kOpening), Vec<double, 3>{0.4, 0.2, 0});
  EXPECT_NEAR(s.n[0], 1.6 / std::hypot(0.5, 1.6), 1e-15);
  EXPECT_NEAR(s.n[1], 0.5 / std::hypot(0.5, 1.6), 1e-15);
  EXPECT_NEAR(evaluate(wedge(kHalf, kOpening), Vec<double, 3>{-0.4, 0.2, 0}).n[0], -s.n[0], 1e-15);
}

}  // namespace
}  // namespace firn::collide_tests
