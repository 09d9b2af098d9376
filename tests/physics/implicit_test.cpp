// The semi-implicit step against the explicit one, and on its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/random_snow.h"

namespace firn::test {
namespace {

Scene small_impact(Integrator integrator, double beta, double dt) {
  Scene scene = empty_scene(2, 0.01);
  scene.snow.push_back(ball({0, 0.0611, 0}, 0.05));
  scene.snow[0].velocity = {0.3, -1.5, 0};
  scene.colliders.push_back(ground(0.3));
  // Elastic: plastic yield is a switch, and switches spoil the order.
  scene.materials[0].critical_compression = 0.5;
  scene.materials[0].critical_stretch = 0.5;
  scene.solver.precision = Precision::kDouble;
  scene.solver.transfer = Transfer::kApic;
  scene.solver.integrator = integrator;
  scene.solver.tangent = Tangent::kElastic;  // all of it in the solve, however short the step is
  scene.solver.beta = beta;
  scene.solver.tolerance = 1e-11;
  scene.solver.time_step = dt;
  return scene;
}

Frame at_time(const Scene& scene, double time) {
  Simulation simulation(scene);
  simulation.advance_to(time);
  return simulation.frame(true);
}

double rms_difference(const Frame& a, const Frame& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int d = 0; d < 3; ++d) sum += std::pow(a.velocity[i][d] - b.velocity[i][d], 2);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

class Convergence : public testing::TestWithParam<double> {};

TEST_P(Convergence, ImplicitAndExplicitMeetAtFirstOrder) {
  const double beta = GetParam(), end = 0.008;
  std::vector<double> error;
  for (const double dt : {4e-5, 2e-5, 1e-5})
    error.push_back(rms_difference(at_time(small_impact(Integrator::kSemiImplicit, beta, dt), end),
                                   at_time(small_impact(Integrator::kExplicit, beta, dt), end)));
  const double order = std::log2(error[0] / error[2]) / 2;
  printf("    beta %.1f: differences %.2e %.2e %.2e m/s, order %.2f\n", beta, error[0], error[1], error[2], order);
  EXPECT_GT(order, 0.8);
  EXPECT_LT(order, 1.3);
  EXPECT_LT(error[2], 0.02);
}

INSTANTIATE_TEST_SUITE_P(TrapezoidalAndBackwardEuler, Convergence, testing::Values(0.5, 1.0));

class FrictionlessFloor : public testing::TestWithParam<std::tuple<double, Transfer>> {};

// Freezing sliding nodes in the solve made this explode.
TEST_P(FrictionlessFloor, SlidingBallKeepsItsSpeed) {
  const auto [dt, transfer] = GetParam();
  Scene scene = empty_scene(3, 0.01);
  scene.snow.push_back(ball({0, 0.0511, 0}, 0.05));
  scene.snow[0].velocity = {2, 0, 0};
  scene.colliders.push_back(ground(0));
  scene.solver.integrator = Integrator::kSemiImplicit;
  scene.solver.transfer = transfer;
  scene.solver.time_step = dt;
  Simulation simulation(scene);
  const Statistics before = simulation.statistics();
  for (double t = 0; t < 0.25; t += dt) simulation.step(dt);
  const Statistics after = simulation.statistics();
  EXPECT_NEAR(after.momentum[0] / before.momentum[0], 1, 1e-4);
  EXPECT_LT(std::abs(after.momentum[1]), 0.05 * before.momentum[0]) << "it rests on the floor";
}

INSTANTIATE_TEST_SUITE_P(All, FrictionlessFloor,
                         testing::Combine(testing::Values(5e-4, 1e-3), testing::Values(Transfer::kFlip, Transfer::kApic)));

TEST(Implicit, ReportsIterationsAndMeetsItsTolerance) {
  Scene scene = small_impact(Integrator::kSemiImplicit, 1, 2e-4);
  scene.solver.tolerance = 1e-6;
  Simulation simulation(scene);
  int iterations = 0;
  for (int k = 0; k < 60; ++k) {
    const StepInfo info = simulation.step(2e-4);
    iterations += info.iterations;
    if (info.iterations > 0) EXPECT_LE(info.residual, 1e-6);  // before it hits there is nothing to solve
  }
  EXPECT_GT(iterations, 60);
}

// Two discs with nothing between them: a soft one, and one that is stiffer a hundred times or as soft.
Scene pair_of_discs(Integrator integrator, double second_stiffness, double dt) {
  Scene scene = empty_scene(2, 0.01);
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "other";
  scene.materials[1].young_modulus *= second_stiffness;
  for (const double side : {-1.0, 1.0}) {
    scene.snow.push_back(ball({side * 0.12, 0.5, 0}, 0.05));
    scene.snow.back().velocity = {0, 0, 0};
    scene.snow.back().spin = {0, 0, 40};
  }
  scene.snow[1].material = "other";
  scene.solver.precision = Precision::kDouble;
  scene.solver.integrator = integrator;
  scene.solver.time_step = dt;
  return scene;
}

TEST(Implicit, TakesExplicitStepsWhereTheseWillDo) {
  const double dt = 1e-4;  // fresh snow: a fifth of a cell
  Simulation solved(pair_of_discs(Integrator::kSemiImplicit, 1, dt)), stepped(pair_of_discs(Integrator::kExplicit, 1, dt));
  for (int k = 0; k < 50; ++k) {
    EXPECT_EQ(solved.step(dt).iterations, 0);
    stepped.step(dt);
  }
  EXPECT_LT(rms_difference(solved.frame(true), stepped.frame(true)), 1e-12);
}

TEST(Implicit, SolvesForWhatIsStiffAndLeavesTheRestAlone) {
  const double dt = 1e-4;
  Simulation solved(pair_of_discs(Integrator::kSemiImplicit, 100, dt)), stepped(pair_of_discs(Integrator::kExplicit, 1, dt));
  int iterations = 0;
  for (int k = 0; k < 50; ++k) {
    iterations += solved.step(dt).iterations;
    stepped.step(dt);
  }
  EXPECT_GT(iterations, 50);
  const Frame a = solved.frame(true), b = stepped.frame(true);
  double soft = 0, stiff = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int d = 0; d < 2; ++d) {
      double& most = a.position[i][0] < 0 ? soft : stiff;
      most = std::max(most, std::abs(static_cast<double>(a.velocity[i][d] - b.velocity[i][d])));
    }
  EXPECT_LT(soft, 1e-12);
  EXPECT_GT(stiff, 1e-3);
}

// The short form of the tables that `make soak` prints.
TEST(Implicit, ConjugateResidualsNeedAtMost30IterationsAtThePapersTimeStep) {
  Scene scene = load_scene("snowball_drop");
  scene.simulation.spacing = 0.02;
  scene.solver.time_step = 5e-4;
  Simulation simulation(scene);
  int most = 0;
  for (int k = 0; k < 280; ++k) most = std::max(most, simulation.step(5e-4).iterations);
  printf("    at most %d iterations\n", most);
  EXPECT_LE(most, 30);
  EXPECT_GT(most, 5) << "the ball must have hit the ground";
}

TEST(Implicit, AFailedSolveStopsAFixedStepAndCutsAnAutomaticOne) {
  Scene scene = small_impact(Integrator::kSemiImplicit, 1, 5e-4);
  scene.snow[0].velocity = {0.3, -6, 0};
  scene.solver.tolerance = 1e-10;
  scene.solver.max_iterations = 4;
  EXPECT_THROW(at_time(scene, 0.02), RunError);
  scene.solver.time_step.reset();
  scene.solver.max_iterations = 12;
  Simulation simulation(scene);
  int rejected = 0;
  for (int k = 0; k < 60; ++k) rejected += simulation.step(1).rejected;
  EXPECT_GT(rejected, 0);
}

class Retry : public testing::TestWithParam<Tangent> {};

// A step that was tried in vain before must come out as if it had been the first try.
TEST_P(Retry, LeavesNothingOfTheFailedTryBehind) {
  Scene scene = empty_scene(3, 0.02);
  scene.snow.push_back(ball({0, 0.13, 0}, 0.1));
  scene.snow[0].velocity = {0.5, -8, 0};
  scene.snow[0].stretch = {0.97, 1, 1.005};
  scene.colliders.push_back(ground(0.4));
  scene.solver.integrator = Integrator::kSemiImplicit;
  scene.solver.tangent = GetParam();
  scene.solver.max_iterations = 4;
  Simulation retried(scene), straight(scene);
  int rejected = 0;
  for (int k = 0; k < 40; ++k) {
    const StepInfo info = retried.step(1);
    rejected += info.rejected;
    ASSERT_EQ(straight.step(info.dt).rejected, 0) << "step " << k;
  }
  EXPECT_GT(rejected, 0);
  EXPECT_EQ(retried.frame(true).position, straight.frame(true).position);
  EXPECT_EQ(retried.frame(true).velocity, straight.frame(true).velocity);
}

INSTANTIATE_TEST_SUITE_P(BothTangents, Retry, testing::Values(Tangent::kElastic, Tangent::kPlastic));

// The largest difference, in cells, of mirrored snow from its mirror image, 0.15 s after it was thrown at a body that is its own.
double asymmetry(const Collider& body, double speed, const std::function<void(SolverSettings&)>& set) {
  constexpr double h = 1.0 / 64;  // and positions that are their own mirror images to the bit
  Rng rng(3);
  Frame mirrored;
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 32; ++j) {
      const double x = std::ldexp(std::round(std::ldexp(0.5 * h * (i + 0.2 + 0.6 * rng.uniform()), 26)), -26);
      const double y = 0.05 + 0.5 * h * (j + 0.2 + 0.6 * rng.uniform());
      for (const double side : {-1.0, 1.0}) mirrored.position.push_back({side * x, y, 0});
    }
  const TempFolder folder;
  write_ply(folder.file("mirrored.ply"), in_double(mirrored));
  Scene scene = empty_scene(2, h);
  scene.snow.push_back(particle_file(folder.file("mirrored.ply")));
  scene.snow[0].velocity = {0, -speed, 0};
  scene.colliders.push_back(body);
  scene.solver.precision = Precision::kDouble;
  set(scene.solver);
  const Frame end = at_time(scene, 0.15);
  double largest = 0;
  for (std::size_t i = 0; i + 1 < end.size(); i += 2) {
    largest = std::max(largest, std::abs(end.position[i][0] + end.position[i + 1][0]));
    largest = std::max(largest, std::abs(end.position[i][1] - end.position[i + 1][1]));
  }
  return largest / h;
}

TEST(SemiImplicit, MirroredSnowStaysMirrored) {
  Collider ridge;
  ridge.shape.kind = ShapeKind::kWedge;
  ridge.shape.center = {0, -0.1, 0};
  ridge.shape.size = {0.2, 0.2, 0};
  ridge.friction = 0.5;
  for (const Collider& body : {ground(0.5), ridge})
    for (const Kernel kernel : {Kernel::kCubic, Kernel::kQuadratic})
      for (const double speed : {3.0, 8.0})
        EXPECT_LT(asymmetry(body, speed, [&](SolverSettings& s) { s.kernel = kernel; }), 1e-8)
            << static_cast<int>(body.shape.kind) << ", " << static_cast<int>(kernel) << ", " << speed << " m/s";
}

// With the elastic tangent the matrix of packed snow is not definite: rounding grows in the solve until the tolerance stops it.
TEST(SemiImplicit, WithTheElasticTangentMirroredSnowIsAsMirroredAsTheSolveIsAccurate) {
  const auto elastic = [](double tolerance) {
    return asymmetry(ground(0.5), 8, [&](SolverSettings& s) {
      s.tangent = Tangent::kElastic;
      s.contact = ContactRule::kPaper;
      s.flip_step = 0;
      s.kernel = Kernel::kQuadratic;
      s.tolerance = tolerance;
      s.max_iterations = 500;
    });
  };
  EXPECT_LT(elastic(1e-10), 1e-8);
  EXPECT_LT(elastic(1e-4), 1e-2);
}

}  // namespace
}  // namespace firn::test
