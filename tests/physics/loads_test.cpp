// What bodies feel of the snow: weight, momentum, torque and work.
#include <gtest/gtest.h>

#include <cmath>

#include "support/flow_scenes.h"

namespace firn::test {
namespace {

Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }
double size(const Vector& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

Collider plate(const Vector& center, const Vector& size) {
  Collider box;
  box.shape.kind = ShapeKind::kBox;
  box.shape.center = center;
  box.shape.size = size;
  box.friction = 0.5;
  return box;
}

// The mean of what every collider feels from now on for `seconds`.
std::vector<BodyLoad> mean_loads(Simulation& simulation, double seconds) {
  std::vector<BodyLoad> sum;
  simulation.advance_to(simulation.time() + seconds, [&](const StepInfo& info) {
    sum.resize(info.loads.size());
    for (std::size_t b = 0; b < sum.size(); ++b) {
      sum[b].impulse = sum[b].impulse + (1 / seconds) * info.loads[b].impulse;
      sum[b].turning = sum[b].turning + (1 / seconds) * info.loads[b].turning;
      sum[b].work += info.loads[b].work;
    }
    return true;
  });
  return sum;
}

struct Way {
  int dimension;
  Integrator integrator;
  Transfer transfer;
  bool sleep;
};

class RestingSnow : public testing::TestWithParam<Way> {};

TEST_P(RestingSnow, WeighsItsMassOnAPlate) {
  const Way way = GetParam();
  Scene scene = empty_scene(way.dimension, 0.02);
  scene.snow.push_back(block({0.03, 0.07, 0}, {0.16, 0.12, 0.12}));
  scene.colliders.push_back(plate({0, -0.033, 0}, {0.6, 0.08, 0.6}));
  scene.solver.integrator = way.integrator;
  scene.solver.transfer = way.transfer;
  scene.solver.sleep = way.sleep;
  scene.simulation.settle = 0.3;
  Simulation simulation(scene);
  simulation.advance_to(0.4);
  const std::vector<BodyLoad> loads = mean_loads(simulation, 0.2);
  const double weight = kGravity * simulation.statistics().mass;
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_NEAR(loads[0].impulse[1], -weight, 0.01 * weight);
  EXPECT_NEAR(loads[0].impulse[0], 0, 0.01 * weight);
  EXPECT_NEAR(loads[0].turning[2], -0.03 * weight, 0.05 * 0.03 * weight);  // it stands 3 cm off the plate's middle
  EXPECT_EQ(loads[0].work, 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, RestingSnow,
                         testing::Values(Way{2, Integrator::kExplicit, Transfer::kFlip, false},
                                         Way{2, Integrator::kSemiImplicit, Transfer::kFlip, true},
                                         Way{2, Integrator::kSemiImplicit, Transfer::kApic, false},
                                         Way{3, Integrator::kSemiImplicit, Transfer::kFlip, true}));

// Snow thrown into a corner of a floor with friction, a sticky wall and a plate that comes towards it.
Scene corner(int dimension, Integrator integrator, Transfer transfer, const TempFolder& folder) {
  RandomSnow random;
  random.dimension = dimension;
  random.count = dimension == 3 ? 700 : 500;
  random.cells = dimension == 3 ? 7 : 10;
  random.lower = {0.04, 0.005, 0.001};
  Scene scene = thrown_snow(random, folder);
  scene.solver.integrator = integrator;
  scene.solver.transfer = transfer;
  scene.solver.precision = Precision::kDouble;
  scene.solver.tolerance = 1e-10;
  Collider wall = ground(0);
  wall.shape.point = {0.12, 0, 0};
  wall.shape.normal = {-1, 0, 0};
  wall.sticky = true;
  scene.colliders.push_back(wall);
  Collider press = plate({0.05, 0.17, 0.05}, {0.4, 0.04, 0.4});
  press.velocity = {0.3, -2, 0};
  scene.colliders.push_back(press);
  return scene;
}

class Contacts : public testing::TestWithParam<std::tuple<int, Integrator, Transfer>> {};

TEST_P(Contacts, TakeTheMomentumThatTheSnowLoses) {
  const auto [dimension, integrator, transfer] = GetParam();
  const TempFolder folder;
  Simulation simulation(corner(dimension, integrator, transfer, folder));
  const Statistics before = simulation.statistics();
  Vector given{0, 0, 0};
  double felt = 0;
  for (int k = 0; k < 60; ++k)
    for (const BodyLoad& load : simulation.step(5e-4).loads) {
      given = given + load.impulse;
      felt += size(load.impulse);
    }
  const Statistics after = simulation.statistics();
  EXPECT_GT(felt, 0.2 * size(before.momentum));
  const Vector gravity{0, -kGravity * before.mass * simulation.time(), 0};
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(after.momentum[d] + given[d], before.momentum[d] + gravity[d], 1e-7 * felt) << d;
}

TEST_P(Contacts, FeelTheSameInBothBackends) {
  const auto [dimension, integrator, transfer] = GetParam();
  const TempFolder folder;
  const Scene scene = corner(dimension, integrator, transfer, folder);
  Simulation fast(scene, Backend::kCpu, 2), slow(scene, Backend::kReference);
  for (int k = 0; k < 12; ++k) {
    const StepInfo a = fast.step(3e-4), b = slow.step(3e-4);
    ASSERT_EQ(a.loads.size(), b.loads.size());
    EXPECT_EQ(a.rule, b.rule);
    for (std::size_t c = 0; c < a.loads.size(); ++c) {
      const double scale = 1e-6 * (size(b.loads[c].impulse) + 1e-6);
      for (int d = 0; d < 3; ++d) {
        ASSERT_NEAR(a.loads[c].impulse[d], b.loads[c].impulse[d], scale) << k << ": " << c;
        ASSERT_NEAR(a.loads[c].turning[d], b.loads[c].turning[d], scale) << k << ": " << c;
      }
      ASSERT_NEAR(a.loads[c].work, b.loads[c].work, 3 * scale) << k << ": " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Contacts,
                         testing::Combine(testing::Values(2, 3), testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit),
                                          testing::Values(Transfer::kFlip, Transfer::kApic)));

// APIC keeps angular momentum, so what contacts take of it must be the torque; the floor's own origin is the world's.
TEST(Contacts, TakeTheAngularMomentumThatTheSnowLoses) {
  const TempFolder folder;
  Scene scene = thrown_snow({}, folder);
  scene.solver.transfer = Transfer::kApic;
  scene.solver.precision = Precision::kDouble;
  scene.colliders[0].friction = 0.6;
  Simulation simulation(scene);
  const Vector before = simulation.statistics().angular_momentum;
  Vector change{0, 0, 0};
  double felt = 0;
  for (int k = 0; k < 80; ++k) {
    const Frame frame = simulation.frame(false);
    Vector moment{0, 0, 0};  // of the mass, about the origin
    for (std::size_t i = 0; i < frame.size(); ++i) moment = moment + frame.mass[i] * frame.position[i];
    const StepInfo info = simulation.step(2e-4);
    change = change + cross(moment, {0, -kGravity * info.dt, 0}) + -1.0 * info.loads[0].turning;
    felt += size(info.loads[0].turning);
  }
  const Vector after = simulation.statistics().angular_momentum;
  EXPECT_GT(felt, 0.1 * size(before));
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(after[d], before[d] + change[d], 1e-7 * felt) << d;
}

TEST(Contacts, DoTheWorkOfTheirForceOnABodyThatMoves) {
  Scene scene = empty_scene(3, 0.02);
  scene.snow.push_back(block({0, 0.1, 0}, {0.2, 0.2, 0.2}));
  scene.colliders.push_back(ground(0.5));
  scene.colliders.push_back(plate({0, 0.26, 0}, {0.6, 0.08, 0.6}));
  scene.colliders[1].velocity = {0.1, -0.5, 0};
  scene.colliders[1].name = "press";
  Simulation simulation(scene);
  const std::vector<BodyLoad> loads = mean_loads(simulation, 0.2);
  EXPECT_GT(loads[1].impulse[1], 10 * kGravity);  // it is pushed up by more than the snow weighs
  EXPECT_NEAR(loads[1].work, 0.2 * (0.1 * loads[1].impulse[0] - 0.5 * loads[1].impulse[1]), 1e-6 * std::abs(loads[1].work));
  EXPECT_LT(loads[1].work, 0);
  EXPECT_EQ(loads[0].work, 0);
}

}  // namespace
}  // namespace firn::test
