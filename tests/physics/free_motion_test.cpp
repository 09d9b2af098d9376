// Snow that touches nothing: free fall, shifts of the whole scene, conservation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random_snow.h"

namespace firn::test {
namespace {

// A ball whose particles come in mirrored pairs on every axis.
Frame symmetric_ball(int dimension, double radius, double spacing, const Vector& center) {
  Frame frame;
  Rng rng(3);
  const int n = static_cast<int>(radius / spacing) + 1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < (dimension == 3 ? n : 1); ++k) {
        const Vector r{(i + rng.uniform()) * spacing, (j + rng.uniform()) * spacing, dimension == 3 ? (k + rng.uniform()) * spacing : 0};
        if (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] > radius * radius) continue;
        for (int mirror = 0; mirror < (1 << dimension); ++mirror) {
          Vector x = center;
          for (int d = 0; d < dimension; ++d) x[d] += mirror >> d & 1 ? -r[d] : r[d];
          frame.position.push_back(x);
          frame.mass.push_back(400 * std::pow(spacing, dimension));
        }
      }
  return frame;
}

struct Extent {
  Vector lower, upper, middle;
};

Extent extent(const Frame& frame) {
  Extent e{{1e9, 1e9, 1e9}, {-1e9, -1e9, -1e9}, {0, 0, 0}};
  for (const auto& x : frame.position)
    for (int d = 0; d < 3; ++d) {
      e.lower[d] = std::min(e.lower[d], x[d]);
      e.upper[d] = std::max(e.upper[d], x[d]);
      e.middle[d] += x[d] / static_cast<double>(frame.size());
    }
  return e;
}

struct FallCase {
  int dimension;
  Precision precision;
  Kernel kernel;
  Transfer transfer;
};

class FreeFall : public testing::TestWithParam<FallCase> {};

TEST_P(FreeFall, KeepsShapeAndSpeedOver1000Steps) {
  const FallCase c = GetParam();
  const TempFolder folder;
  const double radius = 0.05, h = 0.01, dt = 1e-4;
  const std::string file = folder.file("ball.ply");
  write_ply(file, in_double(symmetric_ball(c.dimension, radius, h / 2, {0.003, 1.0, c.dimension == 3 ? -0.001 : 0})));
  Scene scene = empty_scene(c.dimension, h);
  scene.snow.push_back(particle_file(file));
  scene.solver.precision = c.precision;
  scene.solver.kernel = c.kernel;
  scene.solver.transfer = c.transfer;
  scene.solver.time_step = dt;
  Simulation simulation(scene);
  const Extent before = extent(simulation.frame(false));
  constexpr int kSteps = 1000;
  for (int k = 0; k < kSteps; ++k) simulation.step(dt);
  const Frame frame = simulation.frame(true);
  const Extent after = extent(frame);

  const double bound = c.precision == Precision::kFloat ? 1e-4 : 1e-10;
  const double speed = kGravity * kSteps * dt, fall = kGravity * dt * dt * kSteps * (kSteps + 1) / 2;
  for (const auto& v : frame.velocity) {
    ASSERT_NEAR(v[1], -speed, bound * speed);
    ASSERT_NEAR(v[0], 0, bound * speed);
    ASSERT_NEAR(v[2], 0, bound * speed);
  }
  for (const double jp : frame.jp) ASSERT_EQ(jp, 1);
  for (int d = 0; d < c.dimension; ++d) EXPECT_NEAR(after.upper[d] - after.lower[d], before.upper[d] - before.lower[d], bound * 2 * radius);
  EXPECT_NEAR(before.middle[1] - after.middle[1], fall, bound * fall);
  EXPECT_NEAR(after.middle[0], before.middle[0], bound * radius);
  EXPECT_NEAR(after.middle[2], before.middle[2], bound * radius);
}

INSTANTIATE_TEST_SUITE_P(All, FreeFall,
                         testing::Values(FallCase{3, Precision::kFloat, Kernel::kCubic, Transfer::kFlip},
                                         FallCase{3, Precision::kFloat, Kernel::kQuadratic, Transfer::kApic},
                                         FallCase{3, Precision::kDouble, Kernel::kCubic, Transfer::kFlip},
                                         FallCase{3, Precision::kDouble, Kernel::kQuadratic, Transfer::kFlip},
                                         FallCase{2, Precision::kFloat, Kernel::kCubic, Transfer::kApic},
                                         FallCase{2, Precision::kDouble, Kernel::kCubic, Transfer::kApic}));

// The whole scene moved by (i, j, k) cells of h.
Scene shifted_drop(double h, int i, int j, int k, Integrator integrator) {
  Scene scene = empty_scene(3, h);
  scene.snow.push_back(ball({i * h + 0.00123, 6.3 * h + j * h, k * h - 0.0007}, 5.2 * h));
  scene.snow[0].velocity = {0.7, -4, 0.2};
  scene.colliders.push_back(ground(0.3, j * h));
  Collider post;
  post.shape.kind = ShapeKind::kSphere;
  post.shape.center = {i * h + 2 * h, j * h + 0.00077, k * h};
  post.shape.radius = 1.5 * h;
  post.friction = 0.1;
  post.velocity = {-0.5, 0, 0};
  scene.colliders.push_back(post);
  scene.solver.integrator = integrator;
  scene.solver.time_step = integrator == Integrator::kExplicit ? 5e-5 : 2e-4;
  return scene;
}

Frame run_steps(const Scene& scene, int steps, int threads = 0) {
  Simulation simulation(scene, Backend::kCpu, threads);
  for (int k = 0; k < steps; ++k) simulation.step(*scene.solver.time_step);
  return simulation.frame(true);
}

class Shift : public testing::TestWithParam<double> {};

TEST_P(Shift, ByWholeCellsGivesTheSameBits) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit}) {
    const double h = GetParam();
    const Frame here = run_steps(shifted_drop(h, 0, 0, 0, integrator), 60);
    const Frame there = run_steps(shifted_drop(h, 7, -3, 1001, integrator), 60);
    ASSERT_EQ(here.size(), there.size());
    ASSERT_EQ(here.velocity, there.velocity);
    ASSERT_EQ(here.fe, there.fe);
    ASSERT_EQ(here.jp, there.jp);
    for (std::size_t p = 0; p < here.size(); ++p) ASSERT_NEAR(there.position[p][2] - here.position[p][2], 1001 * h, 1e-12);
    EXPECT_LT(*std::min_element(here.jp.begin(), here.jp.end()), 0.999) << "the ball must have hit something";
  }
}

INSTANTIATE_TEST_SUITE_P(DyadicAndDecimalSpacing, Shift, testing::Values(1.0 / 128, 0.01));

// Two spinning balls that collide off centre, no gravity, no bodies.
Scene collision(Precision precision, Transfer transfer) {
  Scene scene = empty_scene(3, 0.01);
  scene.simulation.gravity = {0, 0, 0};
  scene.snow.push_back(ball({-0.06, 0, 0}, 0.05));
  scene.snow.push_back(ball({0.06, 0.03, 0.01}, 0.05));
  scene.snow[0].velocity = {3, 0, 0};
  scene.snow[1].velocity = {-1, 0.5, 0};
  scene.snow[0].spin = {0, 0, 15};
  scene.snow[1].spin = {10, 0, 5};
  scene.solver.precision = precision;
  scene.solver.transfer = transfer;
  return scene;
}

class Momentum : public testing::TestWithParam<std::tuple<Precision, Transfer, Integrator>> {};

TEST_P(Momentum, IsConservedToRoundingWithoutColliders) {
  const auto [precision, transfer, integrator] = GetParam();
  Scene scene = collision(precision, transfer);
  scene.solver.integrator = integrator;
  scene.solver.tolerance = precision == Precision::kFloat ? 1e-6 : 1e-13;
  Simulation simulation(scene);
  const Statistics before = simulation.statistics();
  const int steps = integrator == Integrator::kExplicit ? 500 : 50;
  for (int k = 0; k < steps; ++k) simulation.step(1);
  const Statistics after = simulation.statistics();
  const double scale = before.mass * 3;
  const double bound = precision == Precision::kFloat ? 1e-5 : 1e-13;
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(after.momentum[d], before.momentum[d], bound * scale) << d;
  EXPECT_DOUBLE_EQ(after.mass, before.mass);
  EXPECT_LT(after.jp_min, 0.99) << "the balls must have met";
}

INSTANTIATE_TEST_SUITE_P(All, Momentum,
                         testing::Combine(testing::Values(Precision::kFloat, Precision::kDouble),
                                          testing::Values(Transfer::kFlip, Transfer::kApic),
                                          testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit)));

TEST(AngularMomentum, IsConservedByExplicitApicOver1000Steps) {
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    for (const Kernel kernel : {Kernel::kCubic, Kernel::kQuadratic}) {
      Scene scene = collision(precision, Transfer::kApic);
      scene.solver.kernel = kernel;
      Simulation simulation(scene);
      const Statistics before = simulation.statistics();
      for (int k = 0; k < 1000; ++k) simulation.step(1);
      const Statistics after = simulation.statistics();
      double size = 0;
      for (int d = 0; d < 3; ++d) size += before.angular_momentum[d] * before.angular_momentum[d];
      size = std::sqrt(size);
      const double bound = precision == Precision::kFloat ? 1e-4 : 1e-11;
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(after.angular_momentum[d], before.angular_momentum[d], bound * size) << d;
      EXPECT_LT(after.jp_min, 0.99) << "the balls must have met";
    }
  }
}

}  // namespace
}  // namespace firn::test
