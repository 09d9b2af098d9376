// The collision rule (M19), branch by branch.
#include "collide/body.h"
#include "solids.h"

namespace firn::collide_tests {
namespace {

constexpr int kTrials = 20000;

template <class C>
class ContactIn : public InDimension<C> {
 public:
  using V = Vec<double, C::value>;

  // n and a unit tangent.
  struct Frame {
    V n, t;
  };
  static Frame frame(Rng& rng) {
    const V n = random_direction<C::value>(rng);
    V t;
    do {
      t = random_direction<C::value>(rng);
      t -= dot(t, n) * n;
    } while (norm(t) < 0.1);
    return {n, (1 / norm(t)) * t};
  }
  static void expect_near(const V& got, const V& expected, double tolerance = 1e-13) {
    for (int d = 0; d < C::value; ++d) EXPECT_NEAR(got[d], expected[d], tolerance);
  }
};
TYPED_TEST_SUITE(ContactIn, Dimensions);

TYPED_TEST(ContactIn, SeparatingPointsAreLeftAlone) {
  Rng rng(161);
  for (int i = 0; i < kTrials; ++i) {
    const auto f = TestFixture::frame(rng);
    const auto v_co = random_vector<TestFixture::D>(rng);
    const auto v = v_co + between(rng, 1e-12, 2) * f.n + between(rng, -2, 2) * f.t;
    const auto r = respond(v, f.n, v_co, between(rng, 0, 2), false);
    EXPECT_EQ(r.contact, Contact::kNone);
    for (int d = 0; d < TestFixture::D; ++d) EXPECT_EQ(r.v[d], v[d]);
  }
}

TYPED_TEST(ContactIn, TouchingWithoutApproachingIsSeparating) {
  typename TestFixture::V n = TestFixture::V::zero(), v = n, still = n;
  n[1] = 1;
  v[0] = 3;
  const auto r = respond(v, n, still, 0.5, false);
  EXPECT_EQ(r.contact, Contact::kNone);
  EXPECT_EQ(r.v[0], 3);
}

TYPED_TEST(ContactIn, FrictionTakesItsShareOfTheNormalSpeed) {
  Rng rng(163);
  for (int i = 0; i < kTrials; ++i) {
    const auto f = TestFixture::frame(rng);
    const auto v_co = random_vector<TestFixture::D>(rng);
    const double mu = between(rng, 0, 1.5), v_n = -between(rng, 0.01, 2), v_t = -mu * v_n + between(rng, 0.001, 2);
    const auto r = respond(v_co + v_n * f.n + v_t * f.t, f.n, v_co, mu, false);
    EXPECT_EQ(r.contact, Contact::kSliding);
    TestFixture::expect_near(r.v, v_co + (v_t + mu * v_n) * f.t);
  }
}

TYPED_TEST(ContactIn, WithoutFrictionOnlyTheNormalPartGoes) {
  Rng rng(167);
  for (int i = 0; i < kTrials; ++i) {
    const auto f = TestFixture::frame(rng);
    const auto v_co = random_vector<TestFixture::D>(rng);
    const double v_t = i % 10 == 0 ? 0 : between(rng, 0, 2);  // head on: stops, but is free to slide
    const auto r = respond(v_co - between(rng, 0.01, 2) * f.n + v_t * f.t, f.n, v_co, 0.0, false);
    EXPECT_EQ(r.contact, Contact::kSliding);
    TestFixture::expect_near(r.v, v_co + v_t * f.t);
  }
}

TYPED_TEST(ContactIn, InsideTheCoulombConePointsStick) {
  Rng rng(173);
  for (int i = 0; i < kTrials; ++i) {
    const auto f = TestFixture::frame(rng);
    const auto v_co = random_vector<TestFixture::D>(rng);
    const double mu = between(rng, 0.01, 1.5), v_n = -between(rng, 0.01, 2), v_t = between(rng, 0, 0.999) * -mu * v_n;
    const auto r = respond(v_co + v_n * f.n + v_t * f.t, f.n, v_co, mu, false);
    EXPECT_EQ(r.contact, Contact::kStuck);
    for (int d = 0; d < TestFixture::D; ++d) EXPECT_EQ(r.v[d], v_co[d]);
  }
}

// 3 along, 4 towards, friction 3/4: exactly the limit, and every number is exact. A little more slides.
TYPED_TEST(ContactIn, ExactlyAtTheCoulombLimitPointsStick) {
  typename TestFixture::V n = TestFixture::V::zero(), v = n, still = n;
  n[1] = 1;
  v[0] = 3;
  v[1] = -4;
  EXPECT_EQ(respond(v, n, still, 0.75, false).contact, Contact::kStuck);
  v[0] = std::nextafter(3.0, 4.0);
  EXPECT_EQ(respond(v, n, still, 0.75, false).contact, Contact::kSliding);
}

TYPED_TEST(ContactIn, StickyBodiesHoldEvenSeparatingPoints) {
  Rng rng(179);
  for (int i = 0; i < kTrials; ++i) {
    const auto f = TestFixture::frame(rng);
    const auto v_co = random_vector<TestFixture::D>(rng);
    const auto r = respond(random_vector<TestFixture::D>(rng, 3), f.n, v_co, between(rng, 0, 1), true);
    EXPECT_EQ(r.contact, Contact::kStuck);
    for (int d = 0; d < TestFixture::D; ++d) EXPECT_EQ(r.v[d], v_co[d]);
  }
}

TYPED_TEST(ContactIn, NoEnergyIsGainedAndNothingPenetrates) {
  Rng rng(181);
  for (int i = 0; i < kTrials; ++i) {
    const auto n = random_direction<TestFixture::D>(rng);
    const auto v_co = random_vector<TestFixture::D>(rng), v = random_vector<TestFixture::D>(rng, 3);
    const auto r = respond(v, n, v_co, between(rng, 0, 2), i % 5 == 0);
    const auto before = v - v_co, after = r.v - v_co;
    EXPECT_LE(dot(after, after), dot(before, before) * (1 + 1e-14));
    EXPECT_GE(dot(after, n), -1e-14);
    // What is left points the way the point was going.
    EXPECT_GE(dot(after, before), -1e-14);
  }
}

// Physics does not depend on the frame: adding one velocity to point and body adds it to the answer.
TYPED_TEST(ContactIn, AMovingObserverSeesTheSame) {
  Rng rng(191);
  for (int i = 0; i < kTrials; ++i) {
    const auto n = random_direction<TestFixture::D>(rng);
    const auto v = random_vector<TestFixture::D>(rng), u = random_vector<TestFixture::D>(rng, 5);
    const double mu = between(rng, 0, 1);
    const auto still = TestFixture::V::zero();
    TestFixture::expect_near(respond(v + u, n, u, mu, false).v, respond(v, n, still, mu, false).v + u, 1e-13);
  }
}

}  // namespace
}  // namespace firn::collide_tests
