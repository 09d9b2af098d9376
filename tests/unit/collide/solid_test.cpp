// Level sets: distances, signs and normals.
#include "solids.h"

namespace firn::collide_tests {
namespace {

template <class C>
class SolidIn : public InDimension<C> {};
TYPED_TEST_SUITE(SolidIn, Dimensions);

TYPED_TEST(SolidIn, NormalsAreUnitGradientsAwayFromEdges) {
  constexpr int D = TestFixture::D;
  constexpr double e = 1e-6;
  for (const Named<D>& s : every_solid<D>()) {
    Rng rng(111);
    int smooth = 0;
    for (int i = 0; i < kPoints; ++i) {
      const auto q = random_vector<D>(rng, 1.5);
      const Surface<double, D> at = evaluate(s.solid, q);
      ASSERT_NEAR(norm(at.n), 1, 1e-12) << s.name;
      Vec<double, D> slope;
      bool kink = false;
      for (int d = 0; d < D; ++d) {
        Vec<double, D> up = q, down = q;
        up[d] += e;
        down[d] -= e;
        const double forward = (evaluate(s.solid, up).phi - at.phi) / e, backward = (at.phi - evaluate(s.solid, down).phi) / e;
        kink = kink || std::abs(forward - backward) > 1e-3;
        slope[d] = (forward + backward) / 2;
      }
      if (kink) continue;
      ++smooth;
      ASSERT_LE(norm(slope - at.n), 1e-8) << s.name << " at " << q[0] << ' ' << q[1] << ' ' << q[D - 1];
    }
    EXPECT_GT(smooth, kPoints * 99 / 100) << s.name;
  }
}

TYPED_TEST(SolidIn, PhiChangesByNoMoreThanTheDistance) {
  constexpr int D = TestFixture::D;
  for (const Named<D>& s : every_solid<D>()) {
    Rng rng(113);
    for (int i = 0; i < kPoints; ++i) {
      const auto q = random_vector<D>(rng, 1.5), p = random_vector<D>(rng, 1.5);
      ASSERT_LE(std::abs(evaluate(s.solid, q).phi - evaluate(s.solid, p).phi), norm(q - p) * (1 + 1e-12)) << s.name;
    }
  }
}

// Following the normal by phi ends on the surface, from inside always and from outside where phi is the distance.
TYPED_TEST(SolidIn, ProjectionsEndOnTheSurface) {
  constexpr int D = TestFixture::D;
  for (const Named<D>& s : every_solid<D>()) {
    Rng rng(117);
    for (int i = 0; i < kPoints; ++i) {
      const auto q = random_vector<D>(rng, 1.5);
      const Surface<double, D> at = evaluate(s.solid, q);
      if (at.phi > 0 && s.solid.kind == SolidKind::kWedge) continue;  // a lower bound there
      ASSERT_NEAR(evaluate(s.solid, q - at.phi * at.n).phi, 0, 1e-12) << s.name << " from " << at.phi;
    }
  }
}

TYPED_TEST(SolidIn, TheMiddleIsInsideAndFarAwayIsOutside) {
  constexpr int D = TestFixture::D;
  Rng rng(119);
  for (const Named<D>& s : every_solid<D>()) {
    const auto middle = evaluate(s.solid, Vec<double, D>::zero());
    if (s.name == "plane") {
      EXPECT_EQ(middle.phi, 0);
      EXPECT_LT(evaluate(s.solid, -0.1 * s.solid.axis).phi, 0);
      EXPECT_GT(evaluate(s.solid, 0.1 * s.solid.axis).phi, 0);
      continue;
    }
    EXPECT_LT(middle.phi, 0) << s.name;
    for (int i = 0; i < 100; ++i) EXPECT_GT(evaluate(s.solid, 3.0 * random_direction<D>(rng)).phi, 0) << s.name;
  }
}

// Centres, axes, edges and corners have no single normal: any unit vector will do, but no division by zero.
TYPED_TEST(SolidIn, PointsWithoutASingleNormalGiveAUnitVector) {
  constexpr int D = TestFixture::D;
  for (const Named<D>& s : every_solid<D>()) {
    std::vector<Vec<double, D>> points{Vec<double, D>::zero(), s.solid.axis, s.solid.half, -s.solid.half};
    Vec<double, D> top = Vec<double, D>::zero();
    top[1] = s.solid.half[1];
    points.push_back(top);
    points.push_back(-top);
    for (const auto& q : points) {
      const auto at = evaluate(s.solid, q);
      EXPECT_TRUE(std::isfinite(at.phi)) << s.name;
      EXPECT_NEAR(norm(at.n), 1, 1e-12) << s.name << " at " << q[0] << ' ' << q[1];
    }
  }
}

TYPED_TEST(SolidIn, FloatsAgreeWithDoubles) {
  constexpr int D = TestFixture::D;
  const auto all = every_solid<D>();
  Rng rng(121);
  for (const Named<D>& s : all) {
    Solid<float, D> f{s.solid.kind, convert_vec<float, D>(s.solid.axis), convert_vec<float, D>(s.solid.half)};
    f.radius = float(s.solid.radius);
    f.side_cos = float(s.solid.side_cos);
    f.side_sin = float(s.solid.side_sin);
    for (int i = 0; i < 1000; ++i) {
      const auto q = random_vector<D>(rng, 1.5);
      EXPECT_NEAR(evaluate(f, convert_vec<float, D>(q)).phi, evaluate(s.solid, q).phi, 1e-6) << s.name;
    }
  }
}

}  // namespace
}  // namespace firn::collide_tests
