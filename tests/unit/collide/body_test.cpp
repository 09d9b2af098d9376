// Bodies as the solver meets them: frozen at a moment and probed at lattice points.
#include "collide/body.h"

#include "build/bodies.h"
#include "solids.h"

namespace firn::collide_tests {
namespace {

constexpr double kH = 1.0 / 64;

// Moves only in the plane when D == 2.
template <int D>
BodyModel spinning(Rng& rng) {
  BodyModel m;
  m.solid = box(kHalf);
  m.anchor = to_lattice<double, 3>({0.37, -1.2, D == 3 ? 0.8 : 0}, kH, true);
  m.motion.velocity = random_vector<3>(rng);
  m.motion.spin = random_vector<3>(rng, 2);
  m.motion.origin_from_pivot = random_vector<3>(rng);
  m.motion.rest_rotation = from_rotation_vector(random_vector<3>(rng));
  if (D == 2) {
    m.motion.velocity[2] = 0;
    m.motion.spin = {0, 0, m.motion.spin[2]};
    m.motion.origin_from_pivot[2] = 0;
    m.motion.rest_rotation = from_rotation_vector({0, 0, between(rng, -3, 3)});
  }
  return m;
}

template <int D>
BodyModel keyed(Rng& rng) {
  BodyModel m = spinning<D>(rng);
  for (const double t : {0.0, 1.0, 1.5}) {
    const Vec<double, 3> turn = D == 3 ? random_vector<3>(rng, 1.5) : Vec<double, 3>{0, 0, between(rng, -3, 3)};
    m.motion.keys.push_back({t, random_vector<3>(rng), from_rotation_vector(turn)});
    if (D == 2) m.motion.keys.back().position[2] = 0;
  }
  return m;
}

// Where the body's point q is in the world at t.
template <int D>
Vec<double, D> world(const Body<double, D>& b, const Vec<double, D>& q) {
  Vec<double, D> anchor;
  for (int d = 0; d < D; ++d) anchor[d] = (b.anchor.cell[d] + b.anchor.offset[d]) * kH;
  return anchor + b.displacement + b.rotation * q;
}

template <int D>
BodyContact<double, D> probe_at(const Body<double, D>& b, const Vec<double, D>& x) {
  const auto p = to_lattice<double, D>(x, kH, false);
  return probe(b, p.cell, p.offset, kH);
}

template <class C>
class BodyIn : public InDimension<C> {};
TYPED_TEST_SUITE(BodyIn, Dimensions);

template <int D>
void expect_velocity_of_points(const BodyModel& m, double t, Rng& rng) {
  constexpr double e = 1e-5;  // s; accelerations change by |spin|³ r: truncation below 1e-8
  const auto now = freeze<double, D>(m, t), before = freeze<double, D>(m, t - e), after = freeze<double, D>(m, t + e);
  const auto q = random_vector<D>(rng);
  const auto expected = (0.5 / e) * (world(after, q) - world(before, q));
  const auto got = probe_at(now, world(now, q)).v_co;
  for (int d = 0; d < D; ++d) EXPECT_NEAR(got[d], expected[d], 1e-8) << "axis " << d << ", t " << t;
}

TYPED_TEST(BodyIn, SurfaceVelocityIsThatOfBodyFixedPoints) {
  Rng rng(211);
  for (int i = 0; i < 200; ++i) expect_velocity_of_points<TestFixture::D>(spinning<TestFixture::D>(rng), between(rng, 0, 5), rng);
}

TYPED_TEST(BodyIn, SurfaceVelocityBetweenKeysIsThatOfBodyFixedPoints) {
  Rng rng(223);
  for (int i = 0; i < 200; ++i) {
    const BodyModel m = keyed<TestFixture::D>(rng);
    for (const double t : {0.3, 0.9, 1.2, 1.49, 2.0}) expect_velocity_of_points<TestFixture::D>(m, t, rng);
  }
}

TYPED_TEST(BodyIn, PhiAndNormalTravelWithTheBody) {
  constexpr int D = TestFixture::D;
  Rng rng(227);
  for (int i = 0; i < 500; ++i) {
    const auto b = freeze<double, D>(spinning<D>(rng), between(rng, 0, 5));
    const auto q = random_vector<D>(rng);
    const auto got = probe_at(b, world(b, q));
    const auto own = evaluate(b.solid, q);
    EXPECT_NEAR(got.phi, own.phi, 1e-13);
    const auto n = b.rotation * own.n;
    for (int d = 0; d < D; ++d) EXPECT_NEAR(got.n[d], n[d], 1e-13);
  }
}

TYPED_TEST(BodyIn, FloatsProbeLikeDoublesFarFromTheWorldsOrigin) {
  constexpr int D = TestFixture::D;
  Rng rng(229);
  for (int i = 0; i < 500; ++i) {
    BodyModel m = spinning<D>(rng);
    for (int d = 0; d < D; ++d) m.anchor.cell[d] += 1'000'000;  // 16 km away: a float position would be off by a millimetre
    const auto exact = freeze<double, D>(m, 0.2);
    const auto p = to_lattice<double, D>(world(exact, random_vector<D>(rng)), kH, false);
    Vec<float, D> offset;
    for (int d = 0; d < D; ++d) offset[d] = static_cast<float>(p.offset[d]);
    const auto rough = probe(freeze<float, D>(m, 0.2), p.cell, offset, static_cast<float>(kH));
    EXPECT_NEAR(rough.phi, probe(exact, p.cell, p.offset, kH).phi, 2e-6);
  }
}

Collider collider(int kind, const Vec<double, 3>& at) {
  Collider c;
  const Vector center{at[0], at[1], at[2]};
  const ShapeKind kinds[] = {ShapeKind::kSphere,  ShapeKind::kBox,   ShapeKind::kCylinder,
                             ShapeKind::kCapsule, ShapeKind::kWedge, ShapeKind::kPlane};
  c.shape.kind = kinds[kind];
  c.shape.center = c.shape.point = c.shape.a = c.shape.b = center;
  c.shape.a[0] -= 0.25;
  c.shape.b[0] += 0.25;
  c.shape.radius = 0.3;
  c.shape.height = 0.6;
  c.shape.size = {0.5, 0.4, 0.3};
  c.shape.normal = {0.6, 0.8, 0};
  c.shape.rotation = {std::cos(0.2), 0, 0, std::sin(0.2)};
  c.velocity = {0.3, 0.1, 0};
  c.spin = {0, 0, 2};
  return c;
}

template <class T, int D>
void expect_same_probes(const Body<T, D>& a, const Body<T, D>& b, const Cell<D>& shift, T h) {
  Rng rng(233);
  for (int i = 0; i < 300; ++i) {
    Cell<D> cell;
    Vec<T, D> offset;
    for (int d = 0; d < D; ++d) {
      cell[d] = static_cast<int>(between(rng, -100, 100));
      offset[d] = static_cast<T>(between(rng, 0, 0.999));
    }
    const auto p = probe(a, cell, offset, h), q = probe(b, cell + shift, offset, h);
    ASSERT_EQ(p.phi, q.phi);
    for (int d = 0; d < D; ++d) {
      ASSERT_EQ(p.n[d], q.n[d]);
      ASSERT_EQ(p.v_co[d], q.v_co[d]);
    }
  }
}

BodyModel body_of(const Collider& collider, double h) {
  std::vector<std::string> warnings;
  return make_body(collider, make_form(collider.shape, {3, h}, warnings), h);
}

template <class T, int D>
void expect_moved_bodies_probe_alike(double h, const Vec<double, 3>& at, const Vec<double, 3>& moved, const Cell<D>& shift) {
  for (int kind = 0; kind < 6; ++kind) {
    if (D == 2 && kind == 2) continue;  // no cylinders in 2D
    SCOPED_TRACE(kind);
    const auto a = freeze<T, D>(body_of(collider(kind, at), h), 0.25), b = freeze<T, D>(body_of(collider(kind, moved), h), 0.25);
    expect_same_probes(a, b, shift, static_cast<T>(h));
  }
}

TEST(Body, FarFromItsStartItProbesAsPreciselyAsThere) {
  const double h = 0.005;
  Collider far = collider(0, {0, 0, 0});
  far.velocity = {20, 0.3, 0};
  const BodyModel model = body_of(far, h);
  constexpr double kTime = 60;  // 1.2 km, 240 000 cells
  const auto exact = freeze<double, 3>(model, kTime);
  const auto rough = freeze<float, 3>(model, kTime);
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    Cell<3> cell{static_cast<int>(20 * kTime / h), static_cast<int>(0.3 * kTime / h), 0};
    for (int d = 0; d < 3; ++d) cell[d] += static_cast<int>(between(rng, -60, 60));
    const double a = probe(exact, cell, Vec<double, 3>{0.25, 0.5, 0.75}, h).phi;
    const float b = probe(rough, cell, Vec<float, 3>{0.25f, 0.5f, 0.75f}, static_cast<float>(h)).phi;
    ASSERT_NEAR(a, b, 1e-4 * h);
  }
}

TEST(Body, MovedByWholeCellsItProbesBitForBitTheSame) {
  const double h = 1.0 / 128;
  expect_moved_bodies_probe_alike<float, 3>(h, {0.25, 0.5, 0.125}, {100.25, -49.5, 3.125}, {12800, -6400, 384});
  expect_moved_bodies_probe_alike<double, 3>(h, {0.25, 0.5, 0.125}, {100.25, -49.5, 3.125}, {12800, -6400, 384});
  expect_moved_bodies_probe_alike<float, 2>(h, {0.2578125, 0.5, 0}, {100.2578125, -49.5, 0}, {12800, -6400});
}

// Nodes of a decimal grid: 0.015 and 1.015 are no multiples of 0.005 in binary, but both are on a node.
TEST(Body, OnNodesOfADecimalGridItProbesBitForBitTheSame) {
  expect_moved_bodies_probe_alike<float, 3>(0.005, {0.015, 0.3, 0.07}, {1.015, 0.7, -0.035}, {200, 80, -21});
  expect_moved_bodies_probe_alike<float, 2>(0.005, {0.015, 0.3, 0}, {1.015, 0.7, 0}, {200, 80});
}

TEST(BoundingRadius, HoldsAllOfTheBodyAndLittleMore) {
  for (const Named<3>& s : every_solid<3>()) {
    BodyModel body;
    body.solid = s.solid;
    const double radius = bounding_radius(body, 0);
    if (s.name == "plane") {
      EXPECT_EQ(radius, std::numeric_limits<double>::infinity());
      continue;
    }
    Rng rng(117);
    double farthest = 0;
    for (int i = 0; i < 100000; ++i) {
      const auto q = random_vector<3>(rng, 1.5);
      if (evaluate(s.solid, q).phi <= 0) farthest = std::max(farthest, norm(q));
    }
    EXPECT_LE(farthest, radius) << s.name;
    EXPECT_GT(farthest, 0.8 * radius) << s.name;
  }
}

TEST(BoundingRadius, OfASampledBodyIsThatOfItsBox) {
  BodyModel body;
  body.solid.kind = SolidKind::kSampled;
  body.lower = {-1, -2, 0};
  body.upper = {0.5, 1, 2};
  EXPECT_DOUBLE_EQ(bounding_radius(body, 0), 3);
}

}  // namespace
}  // namespace firn::collide_tests
