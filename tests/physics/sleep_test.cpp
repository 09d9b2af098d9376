// Snow that lies still sleeps: nobody can tell from the result, and what happens near it wakes it.
#include <gtest/gtest.h>

#include <cmath>

#include "support/flow_scenes.h"

namespace firn::test {
namespace {

// A slab 30 cells wide and 8 high on rough ground; 2D, because a second of it must be cheap.
Scene lying_slab(bool sleep) {
  Scene scene = empty_scene(2, 0.02);
  scene.snow.push_back(block({0, 0.083, 0}, {0.6, 0.16, 0}));
  scene.snow[0].particles_per_cell = 4;
  scene.colliders.push_back(ground(0.6));
  scene.solver.sleep = sleep;
  return scene;
}

struct Outcome {
  Frame frame;
  Statistics statistics;
  std::int64_t most_asleep = 0, asleep = 0;
};
Outcome run_to(const Scene& scene, double time, int threads = 1) {
  Simulation simulation(scene, Backend::kCpu, threads);
  Outcome outcome;
  simulation.advance_to(time, [&](const StepInfo& info) {
    outcome.asleep = info.asleep;
    outcome.most_asleep = std::max(outcome.most_asleep, info.asleep);
    return true;
  });
  outcome.frame = simulation.frame(true);
  outcome.statistics = simulation.statistics();
  return outcome;
}

// In cells: the mean and the largest distance between the same particles.
struct Distance {
  double mean = 0, largest = 0;
};
Distance distance(const Frame& a, const Frame& b, double h) {
  Distance d;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = std::hypot(a.position[i][0] - b.position[i][0], a.position[i][1] - b.position[i][1]) / h;
    d.mean += x / static_cast<double>(a.size());
    d.largest = std::max(d.largest, x);
  }
  return d;
}

TEST(Sleep, ASlabThatHasSettledSleepsWithTheSameShapeAndEnergy) {
  const Outcome awake = run_to(lying_slab(false), 1.2), asleep = run_to(lying_slab(true), 1.2);
  EXPECT_EQ(awake.most_asleep, 0);
  EXPECT_EQ(asleep.asleep, static_cast<std::int64_t>(asleep.frame.size()));
  const Distance d = distance(awake.frame, asleep.frame, 0.02);
  EXPECT_LT(d.mean, 0.002);
  EXPECT_LT(d.largest, 0.01);
  EXPECT_NEAR(asleep.statistics.elastic_energy / awake.statistics.elastic_energy, 1, 0.005);
  EXPECT_NEAR(asleep.statistics.jp_mean, awake.statistics.jp_mean, 1e-4);
  EXPECT_EQ(asleep.statistics.kinetic_energy, 0);
}

TEST(Sleep, SnowThatFallsOnASleeperWakesIt) {
  const auto with_ball = [](bool sleep) {
    Scene scene = lying_slab(sleep);
    scene.snow[0].initial_volume = InitialVolume::kGrid;  // stiffer: it lies still by then
    scene.snow.push_back(ball({0, 6.4, 0}, 0.1));         // lands after 1.13 s
    scene.snow[1].particles_per_cell = 4;
    return scene;
  };
  const Outcome before = run_to(with_ball(true), 1.1);
  EXPECT_GT(before.asleep, 500);
  const Outcome awake = run_to(with_ball(false), 1.4), asleep = run_to(with_ball(true), 1.4);
  EXPECT_LT(asleep.asleep, before.asleep);
  const Distance moved = distance(before.frame, asleep.frame, 0.02), d = distance(awake.frame, asleep.frame, 0.02);
  EXPECT_GT(moved.mean, 1);
  EXPECT_LT(d.mean, 0.01);
  EXPECT_NEAR(asleep.statistics.jp_mean, awake.statistics.jp_mean, 2e-3);
}

TEST(Sleep, AMovingBodyWakesWhatItComesNear) {
  const auto with_plate = [](bool sleep) {
    Scene scene = lying_slab(sleep);
    Collider plate;
    plate.shape.kind = ShapeKind::kBox;
    plate.shape.center = {-0.9, 0.2, 0};
    plate.shape.size = {0.1, 0.36, 0};
    plate.keys = {{0, {-0.9, 0.2, 0}, {1, 0, 0, 0}}, {0.7, {-0.9, 0.2, 0}, {1, 0, 0, 0}}, {1.2, {-0.2, 0.2, 0}, {1, 0, 0, 0}}};
    scene.colliders.push_back(plate);
    return scene;
  };
  const Outcome awake = run_to(with_plate(false), 1.2), asleep = run_to(with_plate(true), 1.2);
  EXPECT_GT(asleep.most_asleep, 500);
  EXPECT_LT(distance(awake.frame, asleep.frame, 0.02).mean, 0.01);
}

// A press at 0.8 mm/s moves everything more slowly than what counts as quiet; its force must pass through sleepers all the same.
TEST(Sleep, ASlowPressIsFeltThroughAWholeColumn) {
  const auto pressed = [](bool sleep, double descent) {
    Scene scene = lying_slab(sleep);
    scene.snow[0] = block({0, 0.243, 0}, {0.24, 0.474, 0});
    scene.solver.flip_ratio = 0;  // damps the column's swinging, so that it does go to sleep
    Collider press;
    press.shape.kind = ShapeKind::kBox;
    press.shape.center = {0, 0.583, 0};
    press.shape.size = {0.8, 0.2, 0};
    press.keys = {{0, {0, 0.583, 0}, {1, 0, 0, 0}},
                  {0.4, {0, 0.572, 0}, {1, 0, 0, 0}},
                  {1.2, {0, 0.572, 0}, {1, 0, 0, 0}},
                  {2.2, {0, 0.572 - descent, 0}, {1, 0, 0, 0}}};
    scene.colliders.push_back(press);
    return scene;
  };
  const Outcome unpressed = run_to(pressed(false, 0), 2.2), awake = run_to(pressed(false, 8e-4), 2.2),
                asleep = run_to(pressed(true, 8e-4), 2.2);
  EXPECT_GT(asleep.most_asleep, 500);
  const double felt = awake.statistics.elastic_energy - unpressed.statistics.elastic_energy;
  EXPECT_GT(felt, 0.1 * awake.statistics.elastic_energy);
  EXPECT_NEAR(asleep.statistics.elastic_energy, awake.statistics.elastic_energy, 0.05 * felt);
  EXPECT_LT(distance(awake.frame, asleep.frame, 0.02).largest, 0.01);
}

TEST(Sleep, TheResultDoesNotDependOnThreads) {
  Scene scene = lying_slab(true);
  scene.snow.push_back(ball({0.1, 4.1, 0}, 0.1));  // lands after 0.89 s
  const Outcome one = run_to(scene, 1, 1), three = run_to(scene, 1, 3);
  EXPECT_GT(one.most_asleep, 500);
  EXPECT_EQ(one.most_asleep, three.most_asleep);
  EXPECT_EQ(one.frame.position, three.frame.position);
  EXPECT_EQ(one.frame.velocity, three.frame.velocity);
}

TEST(Sleep, SemiImplicitStepsSleepToo) {
  const auto implicit = [](bool sleep) {
    Scene scene = lying_slab(sleep);
    scene.solver.integrator = Integrator::kSemiImplicit;
    scene.solver.time_step = 5e-4;
    scene.snow.push_back(ball({0.1, 6.4, 0}, 0.1));  // lands after 1.13 s
    return scene;
  };
  const Outcome awake = run_to(implicit(false), 1.3), asleep = run_to(implicit(true), 1.3);
  EXPECT_GT(asleep.most_asleep, 500);
  EXPECT_LT(asleep.asleep, asleep.most_asleep);
  EXPECT_LT(distance(awake.frame, asleep.frame, 0.02).mean, 0.01);
}

// Nothing in the air sleeps, whatever the scale of things.
TEST(Sleep, SnowInFlightDoesNot) {
  Scene asteroid = empty_scene(2, 0.02);  // falls 0.2 mm in 0.6 s
  asteroid.simulation.gravity = {0, -1e-3, 0};
  Scene coarse = empty_scene(2, 100);
  Scene drifting = empty_scene(2, 0.02);
  drifting.simulation.gravity = {0, 0, 0};
  Scene thrown = empty_scene(2, 0.02);  // at its top after 0.3 s
  for (Scene* scene : {&asteroid, &drifting, &thrown}) scene->snow.push_back(ball({0, 0.3, 0}, 0.1));
  coarse.snow.push_back(ball({0, 2000, 0}, 400));
  drifting.snow[0].velocity = {3e-4, 0, 0};
  thrown.snow[0].velocity = {0, 2.943, 0};
  for (const Scene& scene : {asteroid, coarse, drifting, thrown}) {
    const Outcome outcome = run_to(scene, 0.6);
    EXPECT_EQ(outcome.most_asleep, 0);
    const Vector& g = scene.simulation.gravity;
    for (const Vector& v : outcome.frame.velocity) ASSERT_NEAR(v[1], scene.snow[0].velocity[1] + 0.6 * g[1], 1e-3 * std::abs(g[1]) + 1e-6);
  }
}

}  // namespace
}  // namespace firn::test
