// simulation.settle: snow that is put down comes to rest before the run, and snow that is thrown does not take part.
#include <gtest/gtest.h>

#include <cmath>

#include "support/random_snow.h"

namespace firn::test {
namespace {

double mean_height(const Frame& frame, std::size_t first, std::size_t end) {
  double sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += frame.position[i][1];
  return sum / static_cast<double>(end - first);
}

// Two balls on each other, and a third that flies by.
Scene small_snowman(double settle) {
  Scene scene = empty_scene(3, 0.03);
  scene.solver.integrator = Integrator::kSemiImplicit;
  scene.simulation.settle = settle;
  scene.snow.push_back(ball({0, 0.24, 0}, 0.25));
  scene.snow.push_back(ball({0, 0.62, 0}, 0.18));
  scene.snow.push_back(ball({-3, 0.9, 0}, 0.08));
  scene.snow[2].velocity = {4, 1, 0};
  scene.colliders.push_back(ground(1));
  return scene;
}

// How far its head sinks in a quarter of a second.
double sinks(double settle) {
  Simulation simulation(small_snowman(settle));
  const Frame before = simulation.frame(false);
  std::size_t head = 0, end = before.size();
  while (std::hypot(before.position[head][0], before.position[head][1] - 0.24, before.position[head][2]) < 0.26) ++head;
  while (before.position[end - 1][0] < -1) --end;
  simulation.advance_to(0.25);
  return mean_height(before, head, end) - mean_height(simulation.frame(false), head, end);
}

TEST(Settle, ASnowmanStandsAfterIt) {
  const double loose = sinks(0), settled = sinks(0.4);
  printf("    the head sinks by %.4f m, settled %.5f m\n", loose, settled);
  EXPECT_GT(loose, 0.01) << "without it";
  EXPECT_LT(std::abs(settled), 0.0005);
}

TEST(Settle, ThrownSnowKeepsItsPlaceAndSpeed) {
  const Frame plain = Simulation(small_snowman(0)).frame(true), settled = Simulation(small_snowman(0.2)).frame(true);
  ASSERT_EQ(plain.size(), settled.size());
  EXPECT_EQ(plain.id, settled.id);
  std::size_t thrown = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain.position[i][0] > -1) {
      EXPECT_EQ(settled.velocity[i], (Vector{0, 0, 0}));
      continue;
    }
    ++thrown;
    EXPECT_EQ(plain.position[i], settled.position[i]);
    EXPECT_EQ(plain.velocity[i], settled.velocity[i]);
  }
  EXPECT_GT(thrown, 50u);
}

TEST(Settle, MovingBodiesStandAndBothBackendsAgree) {
  Scene scene = empty_scene(2, 0.03);
  scene.solver.precision = Precision::kDouble;
  scene.snow.push_back(ball({0, 0.1, 0}, 0.1));
  scene.colliders.push_back(ground(0.5));
  Collider plough = ground(0);
  plough.shape.point = {-0.12, 0, 0};
  plough.shape.normal = {1, 0, 0};
  plough.velocity = {2, 0, 0};
  scene.colliders.push_back(plough);
  scene.simulation.settle = 0.05;
  const Frame fast = Simulation(scene).frame(true), slow = Simulation(scene, Backend::kReference).frame(true);
  double middle = 0;
  for (std::size_t i = 0; i < fast.size(); ++i) {
    middle += fast.position[i][0] / static_cast<double>(fast.size());
    for (int d = 0; d < 2; ++d) ASSERT_NEAR(fast.position[i][d], slow.position[i][d], 1e-8);
  }
  EXPECT_NEAR(middle, 0, 0.01) << "the plough has pushed it";
}

}  // namespace
}  // namespace firn::test
