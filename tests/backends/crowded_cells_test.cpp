// Cells with one particle and with two hundred.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/fast_backend.h"
#include "support/random_snow.h"

namespace firn::test {
namespace {

// `crowd` particles in one cell, and single ones in cells apart from each other and from it.
Frame lonely_and_crowded(int dimension, int crowd, double h) {
  Rng rng(11);
  Frame frame;
  const auto add = [&](const Vector& corner) {
    Vector x{0, 0, 0};
    for (int d = 0; d < dimension; ++d) x[d] = corner[d] + rng.uniform() * h;
    frame.position.push_back(x);
    frame.velocity.push_back({rng.uniform(), -2 - rng.uniform(), dimension == 3 ? rng.uniform() : 0});
    frame.mass.push_back(400 * std::pow(h, dimension) / 8);
    frame.volume.push_back(std::pow(h, dimension) / 8);
  };
  for (int k = 0; k < crowd; ++k) add({0, 2 * h, 0});
  for (int k = 1; k < 20; ++k) add({k * 5 * h, (2 + k % 3) * h, dimension == 3 ? -k * 7 * h : 0});
  return frame;
}

class Crowd : public testing::TestWithParam<std::tuple<int, int, Kernel>> {};

TEST_P(Crowd, OfAnySizeEqualsTheReference) {
  const auto [dimension, crowd, kernel] = GetParam();
  const TempFolder folder;
  const double h = 0.01;
  write_ply(folder.file("cells.ply"), in_double(lonely_and_crowded(dimension, crowd, h)));
  Scene scene = empty_scene(dimension, h);
  scene.snow.push_back(particle_file(folder.file("cells.ply")));
  scene.colliders.push_back(ground(0.3));
  scene.solver.kernel = kernel;
  scene.solver.time_step = 5e-5;
  scene.solver.precision = Precision::kDouble;
  Simulation fast(scene, fast_backend()), slow(scene, Backend::kReference);
  for (int k = 0; k < 150; ++k) {
    fast.step(5e-5);
    slow.step(5e-5);
  }
  const Frame a = fast.frame(true), b = slow.frame(true);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int d = 0; d < 3; ++d) {
      ASSERT_NEAR(a.velocity[i][d], b.velocity[i][d], 1e-9) << i;
      ASSERT_NEAR(a.fe[i][4 * d], b.fe[i][4 * d], 1e-9) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Crowd,
                         testing::Combine(testing::Values(2, 3), testing::Values(1, 16, 17, 200),
                                          testing::Values(Kernel::kCubic, Kernel::kQuadratic)));

// A particle alone feels nothing but gravity, wherever in its cell it is.
TEST(LonelyParticle, FallsFreely) {
  const TempFolder folder;
  Frame one;
  one.position.push_back({0.0049999999, 1, 0.01});
  one.velocity.push_back({1, 2, 3});
  one.mass.push_back(1e-4);
  write_ply(folder.file("one.ply"), in_double(one));
  Scene scene = empty_scene(3, 0.01);
  scene.snow.push_back(particle_file(folder.file("one.ply")));
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    scene.solver.precision = precision;
    Simulation simulation(scene, fast_backend());
    simulation.advance_to(0.1);
    const Frame frame = simulation.frame(false);
    EXPECT_NEAR(frame.velocity[0][0], 1, 1e-4);
    EXPECT_NEAR(frame.velocity[0][1], 2 - 0.981, 1e-4);
    EXPECT_NEAR(frame.position[0][2], 0.01 + 0.3, 1e-5);
  }
}

}  // namespace
}  // namespace firn::test
