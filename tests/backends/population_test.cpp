// With snow that comes and goes, the CPU solver still equals the textbook one: the same particles, in the same places.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/fast_backend.h"
#include "support/flow_scenes.h"

namespace firn::test {
namespace {

class Flow : public testing::TestWithParam<std::tuple<int, Integrator, Transfer>> {};

TEST_P(Flow, EqualsTheReference) {
  const auto [dimension, integrator, transfer] = GetParam();
  constexpr double kStep = 2e-4;
  Scene scene = everything_flows(dimension);
  scene.snow[0].shape.size[2] = 0.06;
  scene.window->lower[0] = -0.02;
  scene.window->upper[0] = 0.3;
  scene.colliders[0].velocity = {16, 0, 0};
  scene.solver.precision = Precision::kDouble;
  scene.solver.integrator = integrator;
  scene.solver.transfer = transfer;
  scene.solver.sleep = false;
  scene.solver.tolerance = 1e-10;
  scene.solver.time_step = kStep;
  Simulation fast(scene, fast_backend(), 2), slow(scene, Backend::kReference);
  ASSERT_EQ(fast.particles(), slow.particles());
  for (int k = 0; k < 50; ++k) {
    fast.step(kStep);
    slow.step(kStep);
    ASSERT_EQ(fast.emitted(), slow.emitted()) << k;
    ASSERT_EQ(fast.killed(), slow.killed()) << k;
    ASSERT_EQ(fast.left(), slow.left()) << k;
  }
  EXPECT_GT(fast.emitted(), 0);
  EXPECT_GT(fast.killed(), 0);
  EXPECT_GT(fast.left(), 0);
  const Frame a = fast.frame(true), b = slow.frame(true);
  ASSERT_EQ(a.id, b.id);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int d = 0; d < 3; ++d) {
      ASSERT_NEAR(a.position[i][d], b.position[i][d], 1e-9) << i;
      ASSERT_NEAR(a.velocity[i][d], b.velocity[i][d], 1e-6) << i;
      ASSERT_NEAR(a.fe[i][4 * d], b.fe[i][4 * d], 1e-8) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Flow,
                         testing::Combine(testing::Values(2, 3), testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit),
                                          testing::Values(Transfer::kFlip, Transfer::kApic)));

}  // namespace
}  // namespace firn::test
