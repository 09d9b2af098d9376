// Snow that comes and goes: sources, sinks and the domain. (The moving window: window_test.cpp.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "support/flow_scenes.h"

namespace firn::test {
namespace {

Scene falling(int dimension, double rate) {
  Scene scene = empty_scene(dimension, 0.02);
  scene.sources.push_back(spout({0, 0.5, 0}, 0.1, rate));
  return scene;
}

TEST(Source, GivesOutItsRateWhateverTheSteps) {
  for (const Backend backend : {Backend::kCpu, Backend::kReference})
    for (const std::optional<double> step : {std::optional<double>(), std::optional(1e-3), std::optional(3.7e-4)}) {
      Scene scene = falling(3, 0.5);
      scene.solver.time_step = step;
      scene.sources[0].start = 0.05;
      scene.sources[0].end = 0.15;
      Simulation simulation(scene, backend, 2);
      for (const double time : {0.04, 0.1, 0.2}) {
        simulation.advance_to(time);
        const double expected = 0.5 * std::clamp(time - 0.05, 0.0, 0.1);
        EXPECT_NEAR(simulation.statistics().mass, expected, 0.005 * 0.05) << time;
      }
      EXPECT_EQ(simulation.emitted(), static_cast<std::int64_t>(simulation.particles()));
      EXPECT_EQ(simulation.emitted(), 125) << "0.05 kg of 0.4 g each";
    }
}

TEST(Source, GivesItsParticlesTheVolumeOfTheirMass) {
  for (const int dimension : {2, 3}) {
    Scene scene = falling(dimension, dimension == 3 ? 2 : 20);
    scene.materials[0].density = 250;
    scene.solver.precision = Precision::kDouble;
    Simulation simulation(scene);
    simulation.advance_to(0.05);
    const Frame frame = simulation.frame(false);
    ASSERT_GT(frame.size(), 50u);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      EXPECT_DOUBLE_EQ(frame.volume[i], frame.mass[i] / 250);
      EXPECT_DOUBLE_EQ(frame.volume[i], std::pow(0.02, dimension) / 8);
    }
  }
}

// Each on its way since its own time, not since the end of its step.
TEST(Source, LetsParticlesStartWithinTheStep) {
  Scene scene = falling(3, 0.5);
  scene.simulation.gravity = {0, 0, 0};
  scene.materials[0].young_modulus = 1e-3;  // so that nobody pushes
  scene.solver.precision = Precision::kDouble;
  const auto after = [&](double step) {
    scene.solver.time_step = step;
    Simulation simulation(scene);
    simulation.advance_to(0.1);
    return simulation.frame(false);
  };
  const Frame fine = after(1e-3), coarse = after(5e-3);
  ASSERT_EQ(fine.size(), coarse.size());
  for (std::size_t i = 0; i < fine.size(); ++i)
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(fine.position[i][d], coarse.position[i][d], 1e-6) << i;
}

TEST(Source, FillsItsShapeEvenly) {
  Scene scene = falling(3, 1);
  scene.simulation.gravity = {0, 0, 0};
  scene.sources[0].velocity = {0, 0, 0};
  scene.sources[0].shape.size = {0.2, 0.1, 0.1};
  scene.materials[0].young_modulus = 1e-3;  // so that what piles up stays where it came in
  scene.solver.time_step = 0.05;
  Simulation simulation(scene);
  simulation.advance_to(4);  // 10000 particles, a shape of 2000 places: five rounds
  std::map<std::pair<int, int>, int> count;
  std::set<double> different;
  const Frame frame = simulation.frame(false);
  for (const auto& x : frame.position) {
    ++count[{static_cast<int>(std::floor(x[0] / 0.05)), static_cast<int>(std::floor((x[1] - 0.5) / 0.05))}];
    different.insert(x[0]);
  }
  ASSERT_EQ(frame.size(), 10000u);
  ASSERT_EQ(count.size(), 8u);
  for (const auto& [place, n] : count) EXPECT_NEAR(n, 1250, 60);
  EXPECT_GT(different.size(), 9900u) << "rounds do not repeat";
}

TEST(LateSnow, ComesInWithItsVelocityAtTheEndOfTheStepThatReachesItsStart) {
  for (const Backend backend : {Backend::kCpu, Backend::kReference})
    for (const std::optional<double> step : {std::optional<double>(), std::optional(7e-4)}) {
      Scene scene = empty_scene(3, 0.02);
      scene.simulation.gravity = {0, 0, 0};
      scene.solver.time_step = step;
      scene.snow = {ball({0, 0, 0}, 0.05), ball({1, 0, 0}, 0.05), ball({0, 1, 0}, 0.05)};
      scene.snow[1].start = 0.0153;
      scene.snow[1].velocity = {1, 2, 0};
      scene.snow[1].particles_per_cell = 5;
      Simulation simulation(scene, backend, 2);
      const std::size_t at_start = simulation.particles();
      double came = 0;
      while (simulation.time() < 0.0152 || simulation.emitted() == 0) {
        simulation.step(step.value_or(1.0 / 24));
        if (simulation.emitted() > 0) came = simulation.time();
      }
      EXPECT_GE(came, 0.0153 - 1e-9);
      EXPECT_LE(came, 0.0153 + step.value_or(1e-9)) << "automatic steps end there";
      EXPECT_EQ(simulation.particles(), at_start + static_cast<std::size_t>(simulation.emitted()));
      const Frame frame = simulation.frame(false, at_start, simulation.ids());
      ASSERT_EQ(frame.size(), static_cast<std::size_t>(simulation.emitted())) << "their ids go on after the others";
      double mass = 0;
      for (std::size_t i = 0; i < frame.size(); ++i) {
        EXPECT_NEAR(frame.position[i][0], 1, 0.051);
        EXPECT_EQ(frame.velocity[i], (Vector{1, 2, 0}));
        EXPECT_NEAR(frame.mass[i] / frame.volume[i], 400, 1e-3);
        mass += frame.mass[i];
      }
      EXPECT_NEAR(mass, 400 * 4.0 / 3 * std::numbers::pi * std::pow(0.05, 3), 1e-5);
      simulation.advance_to(0.03);
      EXPECT_EQ(balance(simulation, at_start), 0);
    }
}

TEST(LateSnow, MayBeAllThereIsAndMayBeAFile) {
  const TempFolder folder;
  RandomSnow points;
  points.count = 100;
  Scene scene = thrown_snow(points, folder);
  scene.snow[0].start = 0.01;
  Simulation simulation(scene);
  EXPECT_EQ(simulation.particles(), 0u);
  simulation.advance_to(0.02);
  EXPECT_EQ(simulation.particles(), 100u);
  for (const double volume : simulation.frame(false).volume) EXPECT_GT(volume, 0);
  EXPECT_EQ(check(scene).particles, 0u);
  EXPECT_FALSE(check(scene).seconds);
  EXPECT_EQ(check(scene).snow.at(0).start, 0.01);
}

TEST(LateSnow, FallsAsIfItHadStartedThen) {
  const auto height_after = [](double start, double end) {
    Scene scene = empty_scene(3, 0.02);
    scene.solver.precision = Precision::kDouble;
    scene.snow = {ball({0, 1, 0}, 0.06)};
    scene.snow[0].start = start;
    Simulation simulation(scene);
    simulation.advance_to(end);
    return simulation.statistics().lower[1];
  };
  EXPECT_NEAR(height_after(0, 0.1), height_after(0.25, 0.35), 1e-9);
}

TEST(LateSnow, InAWindowLiesWhereTheWindowIsThen) {
  Scene whole = plough(3, 3), late = whole;
  whole.snow.push_back(whole.snow[0]);
  whole.snow[1].shape.center[1] = 0.25;
  late = whole;
  late.snow[1].start = 0.2;
  Simulation a(whole), b(late);
  EXPECT_LT(b.particles(), a.particles());
  a.advance_to(0.1);
  b.advance_to(0.1);
  const auto upper = [](const Simulation& s) {
    const Frame frame = s.frame(false);
    return std::count_if(frame.position.begin(), frame.position.end(), [](const Vector& x) { return x[1] > 0.18; });
  };
  EXPECT_EQ(upper(b), 0);
  b.advance_to(0.2001);
  const Frame frame = b.frame(false);
  double least = 1, most = 0;
  for (const Vector& x : frame.position)
    if (x[1] > 0.2) {
      least = std::min(least, x[0]);
      most = std::max(most, x[0]);
    }
  EXPECT_NEAR(least, 0.0, 0.09) << "the window has come from -0.3 to -0.1, and the layer begins at 0";
  EXPECT_NEAR(most, -0.05 + 0.2 + 0.5, 0.09);
}

TEST(Sink, EmptiesEverythingAndTheRunGoesOn) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit})
    for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
      Scene scene = empty_scene(3, 0.02);
      scene.solver.integrator = integrator;
      scene.snow.push_back(ball({0, 0.2, 0}, 0.06));
      scene.snow[0].velocity = {0, -3, 0};
      scene.sinks.push_back(drain({0, 0, 0}, {0, 1, 0}));
      Simulation simulation(scene, backend, 2);
      const std::size_t initial = simulation.particles();
      simulation.advance_to(0.2);
      EXPECT_EQ(simulation.particles(), 0u);
      EXPECT_EQ(simulation.killed(), static_cast<std::int64_t>(initial));
      EXPECT_EQ(simulation.frame(true).size(), 0u);
      EXPECT_DOUBLE_EQ(simulation.time(), 0.2);
    }
}

TEST(Sink, WorksBetweenItsStartAndItsEndOnly) {
  Scene scene = empty_scene(3, 0.02);
  scene.simulation.gravity = {0, 0, 0};
  scene.snow.push_back(ball({0, 0, 0}, 0.06));
  scene.sinks.push_back(drain({0, 0, 0}, {0, 1, 0}));
  scene.sinks[0].start = 0.05;
  scene.sinks[0].end = 0.1;
  scene.snow.push_back(ball({0, 0.5, 0}, 0.06));
  scene.snow[1].velocity = {0, -4, 0};  // its last part comes too late
  Simulation simulation(scene);
  const auto initial = static_cast<std::int64_t>(simulation.particles());
  simulation.advance_to(0.04);
  EXPECT_EQ(simulation.killed(), 0);
  simulation.advance_to(0.3);
  EXPECT_GT(simulation.killed(), initial / 8);
  EXPECT_LT(simulation.killed(), initial * 3 / 4);
}

TEST(EmptySpace, LetsTimePassAndTakesInWhatComes) {
  for (const int dimension : {2, 3})
    for (const Backend backend : {Backend::kCpu, Backend::kReference})
      for (const Transfer transfer : {Transfer::kFlip, Transfer::kApic}) {
        Scene scene = falling(dimension, dimension == 3 ? 0.5 : 5);
        scene.solver.transfer = transfer;
        scene.solver.integrator = Integrator::kSemiImplicit;
        scene.sources[0].start = 0.1;
        Simulation simulation(scene, backend, 2);
        EXPECT_EQ(simulation.particles(), 0u);
        EXPECT_EQ(simulation.statistics().mass, 0);
        simulation.advance_to(0.08);
        EXPECT_EQ(simulation.particles(), 0u);
        EXPECT_DOUBLE_EQ(simulation.time(), 0.08);
        simulation.advance_to(0.15);
        EXPECT_GT(simulation.particles(), 10u);
        EXPECT_LT(simulation.statistics().momentum[1], 0);
      }
}

// No particle crosses more than its part of a cell, from the very first step with the source on.
TEST(TimeSteps, RespectTheSourceBeforeItsFirstParticle) {
  Scene scene = falling(3, 0.5);
  scene.sources[0].velocity = {0, -8, 0};
  scene.sources[0].start = 0.01;
  Simulation simulation(scene);
  simulation.advance_to(1.0 / 24, [&](const StepInfo& info) {
    EXPECT_LE(info.dt, 0.25 * 0.02 / 8 * (1 + 1e-9));
    return true;
  });
}

TEST(Bookkeeping, IsExactAfterEveryStepWithEverythingAtWork) {
  for (const int dimension : {2, 3}) {
    Simulation simulation(everything_flows(dimension));
    const std::size_t initial = simulation.particles();
    simulation.advance_to(0.3, [&](const StepInfo&) {
      EXPECT_EQ(balance(simulation, initial), 0);
      const Frame frame = simulation.frame(false);
      EXPECT_EQ(frame.size(), simulation.particles());
      EXPECT_TRUE(std::is_sorted(frame.id.begin(), frame.id.end(), std::less_equal<>())) << "an id twice, or out of order";
      return !testing::Test::HasFailure();
    });
    EXPECT_GT(simulation.emitted(), 300);
    EXPECT_GT(simulation.killed(), 30);
    EXPECT_GT(simulation.left(), 100);
  }
}

TEST(Domain, HoldsWhatIsInsideAndLosesTheRest) {
  Scene scene = empty_scene(3, 0.02);
  scene.simulation.gravity = {0, 0, 0};
  for (const double x : {-1.0, 1.0}) {
    scene.snow.push_back(ball({0, x, 0}, 0.06));
    scene.snow.back().velocity = {0, 3 * x, 0};
  }
  scene.snow.push_back(ball({0, 0, 0}, 0.06));
  scene.domain = Domain{{-0.5, -1.2, -0.5}, {0.5, 1.2, 0.5}};
  Simulation simulation(scene);
  const std::size_t third = simulation.particles() / 3;
  simulation.advance_to(0.2);
  EXPECT_EQ(simulation.particles(), third);
  EXPECT_EQ(simulation.left(), static_cast<std::int64_t>(2 * third));
  for (const auto& x : simulation.frame(false).position) EXPECT_LT(std::abs(x[1]), 0.1);
}

Scene slab_on_the_ground() {
  Scene scene = empty_scene(2, 0.02);
  Snow slab;
  slab.shape = box_shape({0, 0.083, 0}, {0.6, 0.16, 0});
  slab.particles_per_cell = 4;
  scene.snow.push_back(slab);
  scene.colliders.push_back(ground(0.6));
  return scene;
}

TEST(SleepingSnow, WakesBesideASource) {
  Scene scene = slab_on_the_ground();
  scene.sources.push_back(spout({0, 0.24, 0}, 0.06, 20));
  scene.sources[0].start = 1;
  Simulation simulation(scene);
  StepInfo last;
  const auto keep = [&](const StepInfo& info) {
    last = info;
    return true;
  };
  simulation.advance_to(0.99, keep);
  const std::int64_t before = last.asleep;
  ASSERT_GT(before, 500);
  simulation.advance_to(1.2, keep);
  EXPECT_LT(last.asleep, before - 200);
}

TEST(SleepingSnow, FallsWhenWhatCarriedItIsTakenAway) {
  Scene scene = slab_on_the_ground();
  Sink gap;
  gap.shape = box_shape({0, 0.07, 0}, {2, 0.06, 0});
  gap.start = 1;
  scene.sinks.push_back(gap);
  Simulation simulation(scene);
  StepInfo last;
  simulation.advance_to(0.99, [&](const StepInfo& info) {
    last = info;
    return true;
  });
  ASSERT_GT(last.asleep, 500);
  const double before = simulation.statistics().upper[1];
  simulation.advance_to(1.2);
  EXPECT_LT(simulation.statistics().upper[1], before - 0.03);
  EXPECT_GT(simulation.killed(), 100);
}

TEST(Threads, DoNotChangeWhatComesAndGoes) {
  for (const int dimension : {2, 3}) {
    Scene scene = everything_flows(dimension);
    scene.solver.integrator = Integrator::kSemiImplicit;
    Simulation one(scene, Backend::kCpu, 1), two(scene, Backend::kCpu, 2);
    one.advance_to(0.15);
    two.advance_to(0.15);
    const Frame a = one.frame(true), b = two.frame(true);
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.fe, b.fe);
  }
}

}  // namespace
}  // namespace firn::test
