// No energy comes from nothing, whatever the snow is made of, and no run ends on J_P.
#include <gtest/gtest.h>

#include <cmath>

#include "math/random.h"
#include "scene/rules.h"
#include "support/flow_scenes.h"

namespace firn::test {
namespace {

// The most energy the snow has at any step, potential energy counted, over what it has at the start; a fall to the floor is counted in.
double largest_rise(const Scene& scene, double time) {
  Simulation simulation(scene);
  const auto energy = [&] {
    const Statistics s = simulation.statistics();
    return s.kinetic_energy + s.elastic_energy;
  };
  const Statistics start = simulation.statistics();
  const double available = energy() + start.mass * 9.81 * std::max(start.upper[1] - scene.colliders[0].shape.point[1], 0.0);
  double most = 0;
  simulation.advance_to(time, [&](const StepInfo&) {
    if (simulation.steps() % 8 == 0) most = std::max(most, energy());
    EXPECT_TRUE(std::isfinite(most));
    return true;
  });
  EXPECT_TRUE(std::isfinite(simulation.statistics().jp_max));
  return most / available;
}

Scene hard_impact() {
  Scene scene = empty_scene(2, 0.02);
  scene.snow.push_back(ball({0, 0.13, 0}, 0.1));
  scene.snow[0].velocity = {0, -2, 0};
  scene.materials[0].hardening = 100;
  scene.materials[0].hardening_limit = 1e6;
  scene.colliders.push_back(ground(0.5));
  scene.solver.integrator = Integrator::kSemiImplicit;
  return scene;
}

TEST(Energy, OfStronglyHardeningSnowDoesNotGrow) {
  for (const double speed : {2.0, 3.0, 4.0})
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      Scene scene = hard_impact();
      scene.snow[0].velocity = {0, -speed, 0};
      scene.solver.precision = precision;
      EXPECT_LT(largest_rise(scene, 0.1), 1.01) << speed;
    }
}

// Shorter steps do not help a law that makes energy: as printed 887, 9,767, 65,133 J of 116.
TEST(Energy, OfExplicitStepsDoesNotGrowHoweverShort) {
  for (const double courant : {0.5, 0.1}) {
    Scene scene = hard_impact();
    scene.solver.integrator = Integrator::kExplicit;
    scene.solver.courant = courant;
    scene.materials[0].critical_compression = 0.3;
    scene.materials[0].hardening_limit = 1e5;
    scene.materials[0].poisson_ratio = 0;
    scene.snow[0].velocity = {0, -8, 0};
    EXPECT_LT(largest_rise(scene, 0.03), 1.01) << courant;
  }
}

TEST(Energy, OfRandomSnowDoesNotGrow) {
  Rng rng(77);
  const auto one_of = [&rng](std::initializer_list<double> values) {
    return values.begin()[static_cast<std::size_t>(rng.uniform() * static_cast<double>(values.size()))];
  };
  for (int k = 0; k < 24; ++k) {
    Scene scene = hard_impact();
    Material& m = scene.materials[0];
    m.hardening = one_of({0, 5, 30, 70, 100});
    m.hardening_limit = one_of({1, 100, 1e5});
    m.poisson_ratio = one_of({0, 0.2, 0.45, 0.49});
    m.critical_compression = one_of({0.005, 0.025, 0.1, 0.3});
    m.critical_stretch = one_of({0.001, 0.0075, 0.1});
    scene.solver.integrator = rng.uniform() < 0.5 ? Integrator::kExplicit : Integrator::kSemiImplicit;
    scene.solver.transfer = rng.uniform() < 0.5 ? Transfer::kFlip : Transfer::kApic;
    scene.solver.kernel = rng.uniform() < 0.5 ? Kernel::kCubic : Kernel::kQuadratic;
    scene.solver.flip_ratio = one_of({0, 0.95, 1});
    scene.solver.beta = one_of({0.5, 1});
    scene.snow[0].velocity = {0, -one_of({1, 3, 8}), 0};
    scene.snow[0].particles_per_cell = one_of({2, 8});
    scene.snow[0].shape.radius = 0.06;
    scene.colliders[0].sticky = rng.uniform() < 0.3;
    EXPECT_LT(largest_rise(scene, 0.03), 1.01) << k;
  }
}

TEST(Energy, OfTornSnowStaysFinite) {
  Scene scene = empty_scene(2, 0.02);
  scene.snow.push_back(ball({0, 0.3, 0}, 0.15));
  scene.snow[0].velocity = {6, -6, 0};
  for (const Material& preset : presets())
    if (preset.name == "powder") scene.materials[0] = preset;
  scene.materials[0].name = "default";
  Collider stone;
  stone.shape.center = {0.2, -0.2, 0};
  stone.shape.radius = 0.3;
  scene.colliders.push_back(stone);
  scene.solver.transfer = Transfer::kApic;
  Simulation simulation(scene);
  std::int64_t capped = 0;
  simulation.advance_to(1.2, [&](const StepInfo& info) {
    capped += info.capped;
    return true;
  });
  EXPECT_GT(capped, 0);
  EXPECT_LE(simulation.statistics().jp_max, 130);
}

// A piston that presses and retreats does work on the snow: that is no energy from nothing.
TEST(Energy, OfAPistonCutsNoStep) {
  Scene scene = empty_scene(2, 0.02);
  scene.snow.push_back(block({0, 0.083, 0}, {0.3, 0.16, 0}));
  scene.colliders.push_back(ground(0.5));
  Collider piston;
  piston.shape = box_shape({0, 0.28, 0}, {0.5, 0.2, 0});
  piston.keys = {{0, {0, 0.28, 0}, {1, 0, 0, 0}}, {0.1, {0, 0.2, 0}, {1, 0, 0, 0}}, {0.2, {0, 0.28, 0}, {1, 0, 0, 0}}};
  scene.colliders.push_back(piston);
  scene.solver.integrator = Integrator::kSemiImplicit;
  Simulation simulation(scene);
  int rejected = 0;
  double work = 0;
  simulation.advance_to(0.2, [&](const StepInfo& info) {
    rejected += info.rejected;
    work -= info.loads[1].work;
    return true;
  });
  EXPECT_EQ(rejected, 0);
  EXPECT_GT(work, 1);
}

}  // namespace
}  // namespace firn::test
