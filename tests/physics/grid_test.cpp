// The grid as data: what the particles have, spread over nodes by the step's own code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "support/random_snow.h"

namespace firn::test {
namespace {

constexpr int kSteps = 30;
constexpr double kStep = 1e-4;  // s

struct Sums {
  double mass = 0, force_sizes = 0;
  Vector momentum{0, 0, 0}, force{0, 0, 0};
};

Sums sums_of(const GridFields& grid) {
  Sums sums;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    sums.mass += grid.mass[i];
    for (int d = 0; d < 3; ++d) {
      sums.momentum[d] += grid.mass[i] * grid.velocity[i][d];
      sums.force[d] += grid.force[i][d];
      sums.force_sizes += std::abs(grid.force[i][d]);
    }
  }
  return sums;
}

Scene snow_on_its_way(int dimension, const TempFolder& folder) {
  RandomSnow snow;
  snow.dimension = dimension;
  snow.cells = dimension == 2 ? 30 : 8;
  Scene scene = thrown_snow(snow, folder);
  scene.solver.integrator = Integrator::kExplicit;
  scene.solver.time_step = kStep;
  return scene;
}

using Variant = std::tuple<int, Backend, Kernel, Transfer, Precision>;
class GridOf : public testing::TestWithParam<Variant> {};

TEST_P(GridOf, HasTheMassAndTheMomentumOfTheParticlesAndForcesThatAddUpToNothing) {
  const auto [dimension, backend, kernel, transfer, precision] = GetParam();
  const TempFolder folder;
  Scene scene = snow_on_its_way(dimension, folder);
  scene.solver.kernel = kernel;
  scene.solver.transfer = transfer;
  scene.solver.precision = precision;
  Simulation simulation(scene, backend, 2);
  StepInfo last;
  for (int k = 0; k < kSteps; ++k) last = simulation.step(kStep);
  ASSERT_EQ(last.alone, 0);
  const Statistics particles = simulation.statistics();
  const GridFields grid = simulation.grid();
  const Sums nodes = sums_of(grid);
  const double rounding = backend == Backend::kReference || precision == Precision::kDouble ? 1e-12 : 1e-5;
  EXPECT_EQ(grid.spacing, scene.simulation.spacing);
  EXPECT_NEAR(nodes.mass, particles.mass, rounding * particles.mass);
  const double speed = std::sqrt(2 * particles.kinetic_energy / particles.mass);
  EXPECT_GT(nodes.force_sizes, particles.mass) << "N: far more than the rounding of nothing";
  for (int d = 0; d < 3; ++d) {
    EXPECT_NEAR(nodes.momentum[d], particles.momentum[d], rounding * particles.mass * speed);
    EXPECT_NEAR(nodes.force[d], 0, rounding * nodes.force_sizes);
  }
  EXPECT_TRUE(std::is_sorted(grid.node.begin(), grid.node.end()));
  if (dimension == 2) {
    for (std::size_t i = 0; i < grid.size(); ++i) EXPECT_TRUE(grid.node[i][2] == 0 && grid.velocity[i][2] == 0 && grid.force[i][2] == 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, GridOf,
                         testing::Combine(testing::Values(2, 3), testing::Values(Backend::kCpu, Backend::kReference),
                                          testing::Values(Kernel::kCubic, Kernel::kQuadratic),
                                          testing::Values(Transfer::kFlip, Transfer::kApic),
                                          testing::Values(Precision::kFloat, Precision::kDouble)));

// Largest difference of two columns of vectors over the largest component.
double difference(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int d = 0; d < 3; ++d) {
      most = std::max(most, std::abs(a[i][d] - b[i][d]));
      size = std::max(size, std::abs(b[i][d]));
    }
  return most / size;
}

TEST(GridFields, OfTheCpuSolverAreThoseOfTheReference) {
  for (const int dimension : {2, 3})
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit}) {
      const TempFolder folder;
      Scene scene = snow_on_its_way(dimension, folder);
      scene.solver.integrator = integrator;
      scene.solver.precision = Precision::kDouble;
      scene.solver.tolerance = 1e-11;
      const int steps = integrator == Integrator::kExplicit ? kSteps : 3;
      Simulation fast(scene, Backend::kCpu, 2), slow(scene, Backend::kReference);
      for (int k = 0; k < steps; ++k) {
        fast.step(kStep);
        slow.step(kStep);
      }
      const GridFields a = fast.grid(), b = slow.grid();
      ASSERT_EQ(a.node, b.node);
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a.mass[i], b.mass[i], 1e-10 * (a.mass[i] + b.mass[i]) + 1e-18);
      std::vector<Vector> p, q;
      for (std::size_t i = 0; i < a.size(); ++i) {
        p.push_back({a.mass[i] * a.velocity[i][0], a.mass[i] * a.velocity[i][1], a.mass[i] * a.velocity[i][2]});
        q.push_back({b.mass[i] * b.velocity[i][0], b.mass[i] * b.velocity[i][1], b.mass[i] * b.velocity[i][2]});
      }
      EXPECT_LT(difference(p, q), 1e-9);
      EXPECT_LT(difference(a.force, b.force), 1e-7);
    }
}

TEST(GridFields, AreLookedAtWithoutAnyChangeOfTheResult) {
  for (const int dimension : {2, 3}) {
    const TempFolder folder;
    Scene scene = snow_on_its_way(dimension, folder);
    scene.solver.integrator = Integrator::kSemiImplicit;
    Simulation seen(scene, Backend::kCpu, 2), unseen(scene, Backend::kCpu, 2);
    for (int k = 0; k < kSteps; ++k) {
      seen.step(kStep);
      unseen.step(kStep);
      seen.grid();
    }
    unseen.grid();  // which puts particles into their blocks, as the next step would
    EXPECT_EQ(seen.hash(), unseen.hash());
  }
}

TEST(GridFields, HaveSleepingSnowInThem) {
  Scene scene = empty_scene(3, 0.02);
  scene.simulation.gravity = {0, 0, 0};
  scene.snow.push_back(ball({0, 0, 0}, 0.1));
  Simulation simulation(scene);
  std::int64_t asleep = 0;
  simulation.advance_to(0.4, [&](const StepInfo& info) {
    asleep = info.asleep;
    return true;
  });
  ASSERT_EQ(asleep, static_cast<std::int64_t>(simulation.particles()));
  const double mass = simulation.statistics().mass;
  EXPECT_NEAR(sums_of(simulation.grid()).mass, mass, 1e-5 * mass);
}

TEST(GridFields, HaveNoNodesForParticlesThatAreAlone) {
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    const TempFolder folder;
    Frame frame;
    for (const double x : {0.0, 0.001, 1.0}) frame.position.push_back({x, 0, 0});
    frame.id = {0, 1, 2};
    frame.mass = {1e-3, 1e-3, 1e-3};
    frame.velocity = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    frame.volume = {1e-6, 1e-6, 1e-6};
    write_ply(folder.file("three.ply"), frame);
    Scene scene = empty_scene(3, 0.02);
    scene.snow.push_back(particle_file(folder.file("three.ply")));
    Simulation simulation(scene, backend);
    const GridFields grid = simulation.grid();
    EXPECT_NEAR(sums_of(grid).mass, 2e-3, 1e-8);
    EXPECT_LT(grid.node.back()[0], 10);
  }
}

}  // namespace
}  // namespace firn::test
