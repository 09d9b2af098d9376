// Particles that touch nobody else's nodes: they fly like stones, cost little, and are the same in both backends.
#include <gtest/gtest.h>

#include <cmath>

#include "support/random_snow.h"

namespace firn::test {
namespace {

constexpr double kSpacing = 0.02;

// Particles on a coarse lattice, `cells` apart, with velocities that differ a little. deformed: with F_E and B that are not at rest.
Frame loose_particles(int dimension, int per_axis, double cells, bool deformed) {
  Frame frame;
  Rng rng(5);
  for (int k = 0; k < (dimension == 3 ? per_axis * per_axis * per_axis : per_axis * per_axis); ++k) {
    const int at[3] = {k % per_axis, k / per_axis % per_axis, k / (per_axis * per_axis)};
    Vector x{0, 0, 0}, v{0, 0, 0};
    for (int d = 0; d < dimension; ++d) {
      x[d] = kSpacing * (cells * at[d] + 0.9 * rng.uniform());
      v[d] = 0.4 * (rng.uniform() - 0.5);
    }
    x[1] += 0.05;
    v[1] -= 1;
    frame.id.push_back(static_cast<std::uint32_t>(k));
    frame.position.push_back(x);
    frame.velocity.push_back(v);
    frame.mass.push_back(4e-4);
    frame.volume.push_back(1e-6);
    frame.jp.push_back(deformed ? 1.2 : 1);
    const double s = deformed ? 1.004 : 1, shear = deformed ? 0.003 : 0;
    frame.fe.push_back({s, shear, 0, 0, 1 / s, 0, 0, 0, 1});
    if (deformed) frame.b.push_back({1e-4, 2e-4, 0, -1e-4, 5e-5, 0, 0, 0, 0});
  }
  frame.double_precision = true;
  return frame;
}

Scene scene_of(const Frame& frame, int dimension, const TempFolder& folder) {
  write_ply(folder.file("loose.ply"), frame);
  Scene scene = empty_scene(dimension, kSpacing);
  scene.solver.precision = Precision::kDouble;
  scene.snow.push_back(particle_file(folder.file("loose.ply")));
  return scene;
}

TEST(AloneParticle, FliesLikeAStoneWhateverItsStrain) {
  const TempFolder folder;
  for (const Transfer transfer : {Transfer::kFlip, Transfer::kApic})
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit}) {
      Scene scene = scene_of(loose_particles(3, 1, 1, true), 3, folder);
      scene.solver.transfer = transfer;
      scene.solver.integrator = integrator;
      Simulation simulation(scene);
      const Frame before = simulation.frame(true);
      simulation.advance_to(5, [](const StepInfo& info) { return info.alone == 1; });
      ASSERT_EQ(simulation.time(), 5);
      const Frame after = simulation.frame(true);
      EXPECT_EQ(after.fe, before.fe);
      EXPECT_EQ(after.jp, before.jp);
      EXPECT_EQ(after.b, before.b);
      EXPECT_NEAR(after.velocity[0][1], before.velocity[0][1] - 9.81 * 5, 1e-9);
      EXPECT_NEAR(after.velocity[0][0], before.velocity[0][0], 1e-12);
      EXPECT_NEAR(after.position[0][0], before.position[0][0] + 5 * before.velocity[0][0], 1e-9);
    }
}

void expect_alike(const Simulation& fast, const Simulation& slow, int dimension) {
  const Frame a = fast.frame(true), b = slow.frame(true);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
      ASSERT_NEAR(a.position[i][d], b.position[i][d], 1e-8) << i;
      ASSERT_NEAR(a.velocity[i][d], b.velocity[i][d], 1e-6) << i;
      ASSERT_NEAR(a.fe[i][4 * d], b.fe[i][4 * d], 1e-7) << i;
    }
}

class LooseSnow : public testing::TestWithParam<std::tuple<int, Integrator, Transfer, Kernel>> {};

// Falls on a slope and a moving ball; some meet on the way, so that they are no longer alone.
TEST_P(LooseSnow, EqualsTheReference) {
  const auto [dimension, integrator, transfer, kernel] = GetParam();
  const TempFolder folder;
  Scene scene = scene_of(loose_particles(dimension, dimension == 3 ? 4 : 8, dimension == 3 ? 4.6 : 9, true), dimension, folder);
  scene.solver.integrator = integrator;
  scene.solver.transfer = transfer;
  scene.solver.kernel = kernel;
  scene.solver.tolerance = 1e-12;
  scene.colliders.push_back(ground(0.3));
  scene.colliders[0].shape.normal = {0.2, 1, 0};
  Collider ball;
  ball.shape.center = {0.1, 0.03, 0.1};
  ball.shape.radius = 0.05;
  ball.velocity = {0.5, 1, 0};
  scene.colliders.push_back(ball);
  Simulation fast(scene, Backend::kCpu, 2), slow(scene, Backend::kReference);
  std::int64_t alone = 0, least = 1000;
  for (int k = 0; k < 60; ++k) {
    const StepInfo a = fast.step(2e-3), b = slow.step(2e-3);
    ASSERT_EQ(a.alone, b.alone) << k;
    ASSERT_NEAR(a.dt, b.dt, 1e-9 * b.dt) << k;
    for (std::size_t c = 0; c < 2; ++c)
      for (int d = 0; d < 3; ++d) ASSERT_NEAR(a.loads[c].impulse[d], b.loads[c].impulse[d], 1e-9) << k;
    alone = std::max(alone, a.alone);
    least = std::min(least, a.alone);
  }
  EXPECT_GT(alone, 20);
  EXPECT_LT(least, alone) << "none met another";
  expect_alike(fast, slow, dimension);
}

INSTANTIATE_TEST_SUITE_P(All, LooseSnow,
                         testing::Combine(testing::Values(2, 3), testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit),
                                          testing::Values(Transfer::kFlip, Transfer::kApic),
                                          testing::Values(Kernel::kCubic, Kernel::kQuadratic)));

TEST(AloneParticles, NeedNoTiles) {
  const TempFolder folder;
  Simulation simulation(scene_of(loose_particles(3, 20, 8, false), 3, folder));
  simulation.step(1e-3);
  EXPECT_LT(static_cast<double>(simulation.bytes()) / static_cast<double>(simulation.particles()), 8000);  // a tile in double: 25 kB
}

TEST(AloneParticles, GiveTheSameBitsForAnyNumberOfThreads) {
  const TempFolder folder;
  Scene scene = scene_of(loose_particles(3, 6, 5, true), 3, folder);
  scene.colliders.push_back(ground(0.3));
  Simulation one(scene, Backend::kCpu, 1), three(scene, Backend::kCpu, 3);
  one.advance_to(0.2);
  three.advance_to(0.2);
  EXPECT_EQ(one.frame(true).position, three.frame(true).position);
  EXPECT_EQ(one.frame(true).fe, three.frame(true).fe);
}

// Clusters of `count` particles, far from each other: each particle in a block of its own, all of a cluster with nodes in common.
Frame small_clusters(int dimension, int clusters, int count) {
  const double edge = dimension == 3 ? 4 : 8;  // of a block, cells
  Frame frame = loose_particles(dimension, 1, 1, true);
  const Frame one = frame;
  frame.position = {{0, 0, 0}};  // in the corner of the first block, so that all others are counted from there
  Rng rng(11);
  for (int k = 0; k < clusters * count; ++k) {
    const int cluster = k / count, side = k % count, column = cluster % 20, row = cluster / 20;
    Vector x{0, 0, 0}, v{0, -1, 0};
    for (int d = 0; d < dimension; ++d) {
      x[d] = kSpacing * (edge + (side >> d & 1 ? 0.4 : -0.6) + 0.3 * rng.uniform());
      v[d] += 0.2 * (rng.uniform() - 0.5);
    }
    x[0] += kSpacing * 4 * edge * (1 + column);
    x[1] += kSpacing * 4 * edge * (1 + row);
    frame.id.push_back(static_cast<std::uint32_t>(k + 1));
    frame.position.push_back(x);
    frame.velocity.push_back(v);
    frame.mass.push_back(4e-4);
    frame.volume.push_back(1e-6);
    frame.jp.push_back(one.jp[0]);
    frame.fe.push_back(one.fe[0]);
    frame.b.push_back(one.b[0]);
  }
  return frame;
}

TEST(SingleParticlesOfBlocks, NeedNoWholeTiles) {
  const TempFolder folder;
  Scene scene = scene_of(small_clusters(3, 400, 8), 3, folder);
  scene.solver.precision = Precision::kFloat;
  Simulation simulation(scene);
  ASSERT_EQ(simulation.step(1e-5).alone, 1);
  // Two buffers of 16 places, the nodes of 27 blocks for 8 particles, two small tiles. Whole tiles: 12.5 kB.
  EXPECT_LT(static_cast<double>(simulation.bytes()) / static_cast<double>(simulation.particles()), 14000);
}

class SmallClusters : public testing::TestWithParam<std::tuple<int, Integrator, Transfer, Kernel>> {};

TEST_P(SmallClusters, EqualTheReferenceWithAnyNumberOfThreads) {
  const auto [dimension, integrator, transfer, kernel] = GetParam();
  const TempFolder folder;
  Scene scene = scene_of(small_clusters(dimension, 6, dimension == 3 ? 8 : 4), dimension, folder);
  scene.solver.integrator = integrator;
  scene.solver.transfer = transfer;
  scene.solver.kernel = kernel;
  scene.solver.tolerance = 1e-12;
  Collider ball;  // under the first of them
  const double middle = kSpacing * 5 * (dimension == 3 ? 4 : 8);
  ball.shape.center = {middle, middle - 0.07, dimension == 3 ? kSpacing * 4 : 0};
  ball.shape.radius = 0.05;
  scene.colliders.push_back(ball);
  Simulation one(scene, Backend::kCpu, 1), two(scene, Backend::kCpu, 2), seven(scene, Backend::kCpu, 7), slow(scene, Backend::kReference);
  double pushed = 0;
  for (int k = 0; k < 60; ++k) {
    const StepInfo a = one.step(1e-3), b = slow.step(1e-3);
    two.step(1e-3);
    seven.step(1e-3);
    pushed -= a.loads[0].impulse[1];
    ASSERT_NEAR(a.dt, b.dt, 1e-9 * b.dt) << k;
    ASSERT_LT(a.alone, 8) << "they are to share nodes";
    ASSERT_EQ(a.alone, b.alone);
  }
  EXPECT_GT(pushed, 0);
  EXPECT_EQ(one.hash(), two.hash());
  EXPECT_EQ(one.hash(), seven.hash());
  expect_alike(one, slow, dimension);
}

INSTANTIATE_TEST_SUITE_P(All, SmallClusters,
                         testing::Combine(testing::Values(2, 3), testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit),
                                          testing::Values(Transfer::kFlip, Transfer::kApic),
                                          testing::Values(Kernel::kCubic, Kernel::kQuadratic)));

}  // namespace
}  // namespace firn::test
