// Bodies that move among snow, at random: both solvers take the same steps, as long as they are, and take away the same particles.
#include <gtest/gtest.h>

#include <cmath>

#include "support/fast_backend.h"
#include "support/flow_scenes.h"

namespace firn::test {
namespace {

Scene random_scene(std::uint64_t seed) {
  Rng rng(seed);
  const auto between = [&](double a, double b) { return a + (b - a) * rng.uniform(); };
  const int dimension = seed % 4 == 0 ? 3 : 2;
  const double h = dimension == 3 ? between(0.03, 0.05) : between(0.02, 0.04);
  const auto point = [&](double reach) {
    Vector x{0, 0, 0};
    for (int d = 0; d < dimension; ++d) x[d] = between(-reach, reach);
    return x;
  };
  Scene scene = empty_scene(dimension, h);
  scene.solver.precision = Precision::kDouble;
  scene.solver.integrator = seed % 2 == 0 ? Integrator::kExplicit : Integrator::kSemiImplicit;
  scene.solver.sleep = false;  // the reference knows none
  scene.solver.tolerance = 1e-9;
  for (int k = 0; k < 2; ++k) {
    scene.snow.push_back(ball(point(0.2), between(2.2, 3.5) * h));
    scene.snow.back().velocity = point(3);
  }
  for (int k = 0; k < 2; ++k) {
    Collider body;
    body.shape = k == 0 ? box_shape(point(0.6), {between(0.04, 0.3), between(0.04, 0.3), between(0.04, 0.3)})
                        : ball(point(0.6), between(0.03, 0.2)).shape;
    body.velocity = point(15);  // sooner than the snow's own waves the bodies decide how long steps are
    body.spin = {0, 0, between(-20, 20)};
    body.friction = between(0, 1);
    scene.colliders.push_back(body);
  }
  Sink sink;
  sink.shape = box_shape(point(0.3), {0.2, 0.2, 0.2});
  scene.sinks.push_back(sink);
  return scene;
}

TEST(MovingBodies, GiveBothSolversTheSameStepsAndTakeTheSameParticles) {
  int limited = 0, killed = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Scene scene = random_scene(seed);
    Simulation fast(scene, fast_backend()), slow(scene, Backend::kReference);
    while (fast.time() < 0.05) {
      const StepInfo a = fast.step(0.05 - fast.time()), b = slow.step(0.05 - slow.time());
      ASSERT_NEAR(a.dt / b.dt, 1, 1e-6) << "seed " << seed << ", step " << fast.steps();
      ASSERT_EQ(a.rule, b.rule) << "seed " << seed << ", step " << fast.steps();
      ASSERT_EQ(fast.killed(), slow.killed()) << "seed " << seed << ", step " << fast.steps();
      limited += a.rule == StepRule::kMovingBody;
    }
    killed += static_cast<int>(fast.killed());
  }
  EXPECT_GT(limited, 50) << "bodies must have been among the snow";
  EXPECT_GT(killed, 100);
}

}  // namespace
}  // namespace firn::test
