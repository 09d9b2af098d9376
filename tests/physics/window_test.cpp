// The moving window: what it meets is the snow of the whole layer, each piece of it once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "support/error_of.h"
#include "support/flow_scenes.h"

namespace firn::test {
namespace {

// Every particle where it was when it came in.
std::multiset<std::array<double, 3>> first_places(const Scene& scene, double until) {
  Simulation simulation(scene, Backend::kCpu, 2);
  std::multiset<std::array<double, 3>> places;
  std::size_t seen = 0;
  const auto look = [&](const StepInfo&) {
    const Frame newcomers = simulation.frame(false, seen, simulation.ids());
    places.insert(newcomers.position.begin(), newcomers.position.end());
    seen = simulation.ids();
    return true;
  };
  look({});
  simulation.advance_to(until, look);
  return places;
}

TEST(Window, SeedsExactlyThePointsOfTheWholeLayer) {
  for (const int dimension : {2, 3}) {
    Scene scene = plough(dimension, 1.2);
    scene.solver.precision = Precision::kDouble;
    scene.solver.time_step = 2e-3;
    scene.materials[0].young_modulus = 10;  // long steps will do
    const auto pieces = first_places(scene, 1.0);
    scene.window.reset();
    const auto whole = first_places(scene, 0);
    EXPECT_GT(whole.size(), dimension == 3 ? 5000u : 900u);
    EXPECT_TRUE(pieces == whole) << pieces.size() << " and " << whole.size();
  }
}

TEST(Window, FreshSnowHasTheLayersOfItsBody) {
  Scene scene = plough(2, 3);
  scene.solver.precision = Precision::kDouble;
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "crust";
  scene.materials[1].density = 300;
  scene.snow[0].layers.push_back({.above = 0.05, .below = {}, .material = "crust"});
  Simulation simulation(scene);
  std::size_t seen = 0;
  const auto look = [&](const StepInfo&) {
    const Frame fresh = simulation.frame(false, seen, simulation.ids());
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      const bool is_crust = fresh.position[i][1] >= 0.05;
      EXPECT_EQ(fresh.material[i], is_crust ? 1 : 0);
      EXPECT_DOUBLE_EQ(fresh.mass[i] / fresh.volume[i], is_crust ? 300 : 400);
    }
    seen = simulation.ids();
    return true;
  };
  look({});
  simulation.advance_to(0.4, look);
  EXPECT_GT(simulation.emitted(), 100);
}

TEST(Window, KeepsTheNumberOfParticlesAboutConstant) {
  Scene scene = plough(2, 30);
  Simulation simulation(scene);
  const double initial = static_cast<double>(simulation.particles());
  simulation.advance_to(1.5);
  const double early = static_cast<double>(simulation.particles());
  simulation.advance_to(2.0);
  EXPECT_NEAR(static_cast<double>(simulation.particles()) / early, 1, 0.25);
  EXPECT_LT(early, 2.5 * initial);
  EXPECT_GT(simulation.left(), static_cast<std::int64_t>(initial));
  for (const auto& x : simulation.frame(false).position) {
    EXPECT_GT(x[0], 1.95 - 0.25 - 0.17) << "a block is 0.16 m";
    EXPECT_LT(x[0], 1.95 + 0.5 + 0.17);
  }
}

TEST(Window, FillsABlockOnceOnly) {
  Scene scene = plough(2, 3);
  scene.colliders[0].velocity = {0, 0, 0};
  scene.colliders[0].keys = {{0, {0.5, 0.5, 0}, {1, 0, 0, 0}}, {0.3, {1.5, 0.5, 0}, {1, 0, 0, 0}}, {0.6, {0.5, 0.5, 0}, {1, 0, 0, 0}}};
  scene.window->lower = {-0.2, -0.6, 0};
  scene.window->upper = {0.2, 0.6, 0};
  Simulation simulation(scene);
  simulation.advance_to(0.3);
  const std::int64_t there = simulation.emitted();
  EXPECT_GT(there, 0);
  simulation.advance_to(0.6);
  EXPECT_EQ(simulation.emitted(), there);
  EXPECT_LT(simulation.particles(), 100u) << "where it has been there is nothing any more";
}

TEST(Window, WantsSnowThatCanBeMadePieceByPiece) {
  Scene scene = plough(2, 3);
  scene.snow[0].sampling = Sampling::kPoisson;
  EXPECT_THROW(Simulation{scene}, UserError);
}

TEST(Window, ThatTravelsBeyondTheBlocksThereAreIsRefused) {
  Scene scene = plough(2, 3);
  scene.simulation.duration = 1e4;
  scene.colliders[0].velocity = {1e4, 0, 0};
  EXPECT_THROW(Simulation{scene}, UserError);
}

TEST(Window, ALayerFarLongerThanTheMemoryRuns) {
  Scene scene = plough(3, 20000);
  const CheckReport report = check(scene);
  EXPECT_LT(report.bytes, 100e6);
  EXPECT_LT(report.particles, 20000u);
  EXPECT_GT(report.particles, 1000u);
}

}  // namespace
}  // namespace firn::test
