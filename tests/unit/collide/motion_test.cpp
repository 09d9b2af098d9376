// Rotations and the motion of rigid bodies through time.
#include "collide/motion.h"

#include "solids.h"

namespace firn::collide_tests {
namespace {

constexpr double kPi = std::numbers::pi;

double distance(const Mat<double, 3>& A, const Mat<double, 3>& B) {
  double m = 0;
  for (int i = 0; i < 9; ++i) m = std::max(m, std::abs(A.a[i] - B.a[i]));
  return m;
}
void expect_near(const Vec<double, 3>& got, const Vec<double, 3>& expected, double tolerance = 1e-14) {
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(got[d], expected[d], tolerance) << "axis " << d;
}
Quat turn(double x, double y, double z) { return from_rotation_vector({x, y, z}); }

TEST(Quaternion, MatricesAreProperRotationsAndMultiplyAlike) {
  Rng rng(201);
  for (int i = 0; i < 1000; ++i) {
    const Quat a = from_rotation_vector(random_vector<3>(rng, 3)), b = from_rotation_vector(random_vector<3>(rng, 3));
    const auto A = to_matrix(a), B = to_matrix(b);
    EXPECT_LE(distance(transpose(A) * A, Mat<double, 3>::identity()), 1e-14);
    EXPECT_NEAR(determinant(A), 1, 1e-14);
    EXPECT_LE(distance(to_matrix(a * b), A * B), 1e-14);
    EXPECT_LE(distance(to_matrix(conjugate(a)), transpose(A)), 1e-14);
  }
}

TEST(Quaternion, AQuarterTurnAboutZTakesXToY) {
  const auto R = to_matrix(turn(0, 0, kPi / 2));
  expect_near(R * Vec<double, 3>{1, 0, 0}, {0, 1, 0});
  expect_near(R * Vec<double, 3>{0, 1, 0}, {-1, 0, 0});
}

TEST(Quaternion, RotationVectorsComeBack) {
  Rng rng(203);
  for (int i = 0; i < 1000; ++i) {
    const auto r = between(rng, 0, 3.14) * random_direction<3>(rng);
    expect_near(to_rotation_vector(from_rotation_vector(r)), r, 1e-13);
  }
  for (const double tiny : {0.0, 1e-300, 1e-160, 1e-12}) expect_near(to_rotation_vector(turn(tiny, 0, 0)), {tiny, 0, 0}, 1e-16 * tiny);
}

TEST(Quaternion, TheShorterWayRoundIsTaken) {
  expect_near(to_rotation_vector(turn(0, 1.5 * kPi, 0)), {0, -0.5 * kPi, 0});
  const Quat q = turn(0.3, 0.2, 0.1);
  expect_near(to_rotation_vector({-q.w, -q.x, -q.y, -q.z}), {0.3, 0.2, 0.1});
}

TEST(Motion, RestIsRest) {
  RigidMotion m;
  m.rest_rotation = turn(0.4, 0, 0);
  EXPECT_FALSE(m.moves());
  const Pose p = m.at(7);
  expect_near(p.displacement, {0, 0, 0}, 0);
  expect_near(p.velocity, {0, 0, 0}, 0);
  EXPECT_LE(distance(to_matrix(p.rotation), to_matrix(m.rest_rotation)), 1e-15);
}

TEST(Motion, VelocityIsAStraightLine) {
  RigidMotion m;
  m.velocity = {1, -2, 3};
  EXPECT_TRUE(m.moves());
  expect_near(m.at(0.5).displacement, {0.5, -1, 1.5});
  expect_near(m.at(0.5).velocity, {1, -2, 3});
}

TEST(Motion, SpinAboutAPivotCarriesTheOriginRoundIt) {
  RigidMotion m;
  m.spin = {0, 0, kPi};
  m.origin_from_pivot = {2, 0, 0};
  const Pose p = m.at(0.5);  // a quarter turn: from (2, 0) to (0, 2) about the pivot
  expect_near(p.displacement, {-2, 2, 0});
  expect_near(p.velocity, {-2 * kPi, 0, 0});
  expect_near(p.spin, {0, 0, kPi});
  EXPECT_LE(distance(to_matrix(p.rotation), to_matrix(turn(0, 0, kPi / 2))), 1e-15);
}

TEST(Motion, SpinTurnsWhatTheRestRotationHasTurned) {
  RigidMotion m;
  m.rest_rotation = turn(kPi / 2, 0, 0);
  m.spin = {0, 0, kPi / 2};
  EXPECT_LE(distance(to_matrix(m.at(1).rotation), to_matrix(turn(0, 0, kPi / 2)) * to_matrix(m.rest_rotation)), 1e-15);
}

RigidMotion keyed() {
  RigidMotion m;
  m.origin = {1, 1, 1};
  m.velocity = {100, 0, 0};  // must not count when there are keys
  m.keys = {{1, {1, 1, 1}, turn(0, 0, 0)}, {3, {5, 1, -1}, turn(0, 0, 1.2)}, {4, {5, 2, -1}, turn(0.4, 0, 1.2)}};
  return m;
}

TEST(Keys, ThePositionsAndRotationsAtTheKeysAreTheKeys) {
  const RigidMotion m = keyed();
  for (const PoseKey& key : m.keys) {
    expect_near(m.at(key.t).displacement, key.position - m.origin);
    EXPECT_LE(distance(to_matrix(m.at(key.t).rotation), to_matrix(key.rotation)), 1e-15);
  }
}

TEST(Keys, BetweenThemPositionsMoveStraightAndRotationsTurnEvenly) {
  const RigidMotion m = keyed();
  for (const double gamma : {0.0, 0.1, 0.25, 0.5, 0.9}) {
    const Pose p = m.at(1 + 2 * gamma);
    expect_near(p.displacement, {4 * gamma, 0, -2 * gamma});
    expect_near(p.velocity, {2, 0, -1});
    expect_near(p.spin, {0, 0, 0.6});
    EXPECT_LE(distance(to_matrix(p.rotation), to_matrix(turn(0, 0, 1.2 * gamma))), 1e-15);
  }
}

TEST(Keys, BeforeTheFirstAndAfterTheLastTheBodyStandsStill) {
  const RigidMotion m = keyed();
  for (const double t : {-5.0, 0.0, 0.999, 4.0, 4.001, 1e9}) {
    const PoseKey& key = t < 2 ? m.keys.front() : m.keys.back();
    expect_near(m.at(t).displacement, key.position - m.origin);
    expect_near(m.at(t).velocity, {0, 0, 0}, 0);
    expect_near(m.at(t).spin, {0, 0, 0}, 0);
    EXPECT_LE(distance(to_matrix(m.at(t).rotation), to_matrix(key.rotation)), 1e-15);
  }
}

TEST(Keys, OneKeyIsAPlaceToStand) {
  RigidMotion m;
  m.keys = {{0, {1, 2, 3}, turn(0, 0.5, 0)}};
  EXPECT_FALSE(m.moves());
  expect_near(m.at(2).displacement, {1, 2, 3});
}

TEST(Keys, OppositeQuaternionsAreTheSameRotation) {
  RigidMotion m;
  const Quat q = turn(0, 0.3, 0);
  m.keys = {{0, {0, 0, 0}, turn(0, 0.1, 0)}, {1, {0, 0, 0}, {-q.w, -q.x, -q.y, -q.z}}};
  expect_near(m.at(0.5).spin, {0, 0.2, 0});
  EXPECT_LE(distance(to_matrix(m.at(0.5).rotation), to_matrix(turn(0, 0.2, 0))), 1e-15);
}

// Uneven times, turns about changing axes, one of them nearly half a round.
RigidMotion winding() {
  RigidMotion m;
  m.origin = {1, 1, 1};
  m.smooth = true;
  m.keys = {{0, {1, 1, 1}, turn(0, 0, 0)},
            {0.5, {2, 1, 0}, turn(0.4, 0.1, 0)},
            {0.6, {2, 1.2, 0}, turn(0.4, 0.3, -0.2)},
            {2, {0, 3, 1}, turn(0, 3.0, 0.4)},
            {3, {0, 3, 1}, turn(-0.5, 2.5, 0.4)}};
  return m;
}

TEST(SmoothKeys, ThePositionsAndRotationsAtTheKeysAreTheKeys) {
  const RigidMotion m = winding();
  for (const PoseKey& key : m.keys)
    for (const double before : {0.0, 1e-15}) {
      expect_near(m.at(key.t - before).displacement, key.position - m.origin, 1e-13);
      EXPECT_LE(distance(to_matrix(m.at(key.t - before).rotation), to_matrix(key.rotation)), 1e-13);
    }
}

// What a difference over 2e finds, for linear motion and smooth.
TEST(SmoothKeys, VelocityAndSpinAreTheDerivativesOfThePose) {
  constexpr double e = 1e-5;
  for (const bool smooth : {false, true}) {
    RigidMotion m = winding();
    m.smooth = smooth;
    for (double t = 0.0123; t < 3; t += 0.0371) {
      const Pose before = m.at(t - e), now = m.at(t), after = m.at(t + e);
      expect_near((1 / (2 * e)) * (after.displacement - before.displacement), now.velocity, 1e-6);
      expect_near((1 / (2 * e)) * to_rotation_vector(after.rotation * conjugate(before.rotation)), now.spin, 1e-6);
    }
  }
}

TEST(SmoothKeys, VelocityAndSpinDoNotJumpAndAreZeroAtTheEnds) {
  const RigidMotion m = winding();
  for (const PoseKey& key : m.keys) {
    const Pose before = m.at(key.t - 1e-9), after = m.at(key.t + 1e-9);
    expect_near(before.velocity, after.velocity, 1e-6);
    expect_near(before.spin, after.spin, 1e-6);
  }
  for (const double t : {-1.0, 0.0, 3.0, 4.0}) {
    expect_near(m.at(t).velocity, {0, 0, 0}, 0);
    expect_near(m.at(t).spin, {0, 0, 0}, 0);
  }
}

TEST(SmoothKeys, EvenMotionStaysEvenAwayFromTheEnds) {
  RigidMotion m;
  m.smooth = true;
  for (int k = 0; k < 6; ++k) m.keys.push_back({0.5 * k, {1.0 * k, 0, 0}, turn(0, 0.8 * k, 0)});
  for (double t = 0.5; t < 2; t += 0.03) {
    expect_near(m.at(t).displacement, {2 * t, 0, 0}, 1e-13);
    expect_near(m.at(t).velocity, {2, 0, 0}, 1e-13);
    expect_near(m.at(t).spin, {0, 1.6, 0}, 1e-13);
  }
}

TEST(Speeds, AreNeverExceeded) {
  RigidMotion steady;
  steady.velocity = {3, 0, 0};
  steady.spin = {0, 0, 2};
  steady.origin_from_pivot = {0.5, 0, 0};
  RigidMotion linear = winding();
  linear.smooth = false;
  for (const RigidMotion& m : {steady, linear, winding()})
    for (double begin = -0.2; begin < 3.2; begin += 0.17)
      for (const double length : {0.0, 0.05, 0.9}) {
        const Speeds most = m.fastest(begin, begin + length);
        for (int i = 0; i <= 20; ++i) {
          const Pose pose = m.at(begin + length * i / 20);
          EXPECT_LE(norm(pose.velocity), most.origin * (1 + 1e-12));
          EXPECT_LE(norm(pose.spin), most.spin * (1 + 1e-12));
        }
      }
}

TEST(Speeds, OfLinearKeysAreThoseOfTheStretchesInTheInterval) {
  const RigidMotion m = keyed();
  EXPECT_NEAR(m.fastest(1.5, 2).origin, std::sqrt(5.0), 1e-14);
  EXPECT_NEAR(m.fastest(1.5, 2).spin, 0.6, 1e-14);
  EXPECT_NEAR(m.fastest(3.5, 9).origin, 1, 1e-14);
  EXPECT_EQ(m.fastest(4.5, 9).origin, 0);
  EXPECT_EQ(m.fastest(-1, 0.9).origin, 0);
}

}  // namespace
}  // namespace firn::collide_tests
