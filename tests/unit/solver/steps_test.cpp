// A few steps of every kind of the 3D float cubic solver: here for the sanitizers, which build no other variant.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_snow.h"

namespace firn::test {
namespace {

class Steps : public testing::TestWithParam<std::tuple<Transfer, Integrator>> {};

TEST_P(Steps, KeepMassAndStopAtTheGround) {
  const auto [transfer, integrator] = GetParam();
  Scene scene = empty_scene(3, 0.02);
  scene.materials.push_back({});
  scene.materials.back().name = "soft";
  scene.materials.back().young_modulus = 5e4;
  scene.snow.push_back(ball({0, 0.13, 0}, 0.1));
  scene.snow.push_back(ball({0.21, 0.13, 0.03}, 0.1));
  scene.snow[1].material = "soft";
  for (Snow& snow : scene.snow) snow.velocity = {0, -4, 0};
  scene.colliders.push_back(ground(0.3));
  Collider post;
  post.shape.kind = ShapeKind::kCapsule;
  post.shape.a = {0.1, 0, -0.1};
  post.shape.b = {0.1, 0.1, 0.1};
  post.shape.radius = 0.03;
  post.spin = {0, 5, 0};
  scene.colliders.push_back(post);
  scene.solver.transfer = transfer;
  scene.solver.integrator = integrator;
  Simulation simulation(scene, Backend::kCpu, 3);
  const Statistics before = simulation.statistics();
  const int steps = integrator == Integrator::kExplicit ? 150 : 30;
  for (int k = 0; k < steps; ++k) simulation.step(1);
  const Statistics after = simulation.statistics();
  EXPECT_DOUBLE_EQ(after.mass, before.mass);
  EXPECT_GT(after.lower[1], -0.02) << "nothing below the ground";
  EXPECT_LT(after.jp_min, 0.99) << "packed";
  EXPECT_LT(after.kinetic_energy, before.kinetic_energy);
}

INSTANTIATE_TEST_SUITE_P(All, Steps,
                         testing::Combine(testing::Values(Transfer::kFlip, Transfer::kApic),
                                          testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit)));

}  // namespace
}  // namespace firn::test
