// The density-limited integrator: what Battad and Dong say their scenes show, and what its rule (M21) does when worked out by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "math/bspline.h"
#include "support/random_snow.h"

namespace firn::test {
namespace {

constexpr double kH = 0.01, kStep = 1e-3;

Scene gallery_scene(const std::string& name, std::vector<std::string> keys = {}) {
  keys.push_back("solver.precision=double");
  return load_scene(name, keys);
}

void go_to(Simulation& simulation, double time) {
  while (simulation.time() < time - kStep / 2) simulation.step(kStep);
}

Frame at(const Scene& scene, Backend backend, double time) {
  Simulation simulation(scene, backend, 2);
  go_to(simulation, time);
  return simulation.frame(true);
}

Snow lattice_ball(const Vector& center, double radius, int per_axis, int dimension) {
  Snow snow = ball(center, radius);
  snow.sampling = Sampling::kRegular;
  snow.particles_per_cell = std::pow(per_axis, dimension);
  return snow;
}

Scene density_limited(int dimension) {
  Scene scene = empty_scene(dimension, kH);
  scene.solver.integrator = Integrator::kDensityLimited;
  scene.solver.precision = Precision::kDouble;
  scene.solver.time_step = kStep;
  return scene;
}

// kg/m³, of all nodes (M4).
double largest_node_density(const Frame& frame, int dimension) {
  std::map<std::array<int, 3>, double> nodes;
  for (std::size_t p = 0; p < frame.size(); ++p) {
    double w[3][4] = {}, g[4];
    int first[3] = {0, 0, 0};
    for (int d = 0; d < dimension; ++d) {
      const double cell = std::floor(frame.position[p][d] / kH), offset = frame.position[p][d] / kH - cell;
      CubicKernel::weights(offset + 1, w[d], g);
      first[d] = static_cast<int>(cell) - 1;
    }
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < (dimension == 3 ? 4 : 1); ++k)
          nodes[{first[0] + i, first[1] + j, first[2] + k}] += w[0][i] * w[1][j] * (dimension == 3 ? w[2][k] : 1) * frame.mass[p];
  }
  double most = 0;
  for (const auto& [node, mass] : nodes) most = std::max(most, mass / std::pow(kH, dimension));
  return most;
}

constexpr double kCritical = 4 * 400 / 3.0;

// Of all particles, in cells.
double centre(const Frame& frame) {
  double sum = 0;
  for (const Vector& x : frame.position) sum += x[1] / kH;
  return sum / static_cast<double>(frame.size());
}
double top(const Frame& frame) {
  double most = -1e9;
  for (const Vector& x : frame.position) most = std::max(most, x[1] / kH);
  return most;
}

template <class Test>
double share(const Frame& frame, Test test) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < frame.size(); ++p) count += test(p);
  return static_cast<double>(count) / static_cast<double>(frame.size());
}

// m/s², downwards, in the mean of particles [begin, end) since the start.
double acceleration(const Frame& frame, std::size_t begin, std::size_t end, double time) {
  double sum = 0;
  for (std::size_t p = begin; p < end; ++p) sum -= frame.velocity[p][1];
  return sum / static_cast<double>(end - begin) / time;
}

class DensityLimited : public testing::TestWithParam<Backend> {};

INSTANTIATE_TEST_SUITE_P(Backends, DensityLimited, testing::Values(Backend::kCpu, Backend::kReference),
                         [](const auto& info) { return std::string(info.param == Backend::kCpu ? "cpu" : "reference"); });

TEST_P(DensityLimited, LatticesHaveTheParticlesOfTable1) {
  for (const auto& [name, particles] : {std::pair{"density_drop", 76},
                                        {"density_column", 216},
                                        {"density_column_ball", 290},
                                        {"density_thrown_ball", 290},
                                        {"density_thrown_half_ball", 290},
                                        {"density_colliding_balls", 148}})
    EXPECT_EQ(Simulation(gallery_scene(name), GetParam()).particles(), particles) << name;
  EXPECT_EQ(Simulation(gallery_scene("density_thrown_ball", {"snow.0.particles_per_cell=4", "snow.1.particles_per_cell=4"})).particles(),
            32 + 96);
}

TEST_P(DensityLimited, FreeFallIsExact) {
  for (const int dimension : {2, 3}) {
    Scene scene = gallery_scene("density_drop");
    if (dimension == 3) {
      scene = density_limited(3);
      scene.snow.push_back(lattice_ball({0.05, 0.10, 0.05}, 0.016, 3, 3));
      scene.colliders.push_back(ground(0));
    }
    const double time = 0.131;  // the first contact is at √(2 · 0.085/9.81) = 0.132 s
    const Frame before = at(scene, GetParam(), 0), after = at(scene, GetParam(), time);
    const double fall = after.position[0][1] - before.position[0][1];
    double worst = 0, bend = 0;
    for (std::size_t p = 0; p < after.size(); ++p) {
      worst = std::max(worst, std::abs(after.velocity[p][1] / (-kGravity * time) - 1));
      bend = std::max(bend, std::abs(after.position[p][1] - before.position[p][1] - fall));
    }
    const double density = largest_node_density(before, dimension) / kCritical;
    printf("    %dD: v off by %.1e, extents by %.1e m, largest node density %.3f of the critical\n", dimension, worst, bend, density);
    EXPECT_LT(worst, 1e-12);
    EXPECT_LT(bend, 1e-14);
    EXPECT_NEAR(density, dimension == 2 ? 0.74 : 0.71, 0.03);
  }
}

TEST_P(DensityLimited, TheDensityOfAllSnowTogetherChangesNothing) {
  for (const int dimension : {2, 3}) {
    Scene scene = gallery_scene("density_thrown_ball");
    if (dimension == 3) {
      scene = density_limited(3);
      scene.snow.push_back(lattice_ball({0.035, 0.02, 0.025}, 0.02, 2, 3));
      scene.snow[0].velocity = {1, -1, 0.3};
      scene.colliders.push_back(ground(0));
    }
    const double time = dimension == 2 ? 0.3 : 0.1;
    const Frame light = at(scene, GetParam(), time);
    scene.materials[0].density = 800;
    const Frame heavy = at(scene, GetParam(), time);
    EXPECT_EQ(light.position, heavy.position);
    EXPECT_EQ(light.velocity, heavy.velocity);
    EXPECT_EQ(2 * light.mass[0], heavy.mass[0]);
  }
}

// Two balls in one scene, the second `ratio` times as dense.
Scene two_balls(int dimension, double ratio) {
  Scene scene = density_limited(dimension);
  scene.materials.push_back({.name = "dense", .density = 400 * ratio});
  for (const double x : {0.045, 0.135}) scene.snow.push_back(lattice_ball({x, 0.1, 0}, 0.016, 3, dimension));
  scene.snow[1].material = "dense";
  return scene;
}

TEST_P(DensityLimited, InOneSceneDenserSnowFallsSlower) {
  const auto speed = [&](int dimension, double ratio, double time) {
    const Frame frame = at(two_balls(dimension, ratio), GetParam(), time);
    if (dimension == 2) EXPECT_EQ(frame.size(), 148u);
    const std::size_t half = frame.size() / 2;
    const double light = acceleration(frame, 0, half, time) / kGravity, dense = acceleration(frame, half, frame.size(), time) / kGravity;
    printf("    %dD, density ratio %.2f, %.3f s: %.10f and %.4f g\n", dimension, ratio, time, light, dense);
    EXPECT_NEAR(light, 1, 1e-12);
    return dense;
  };
  // By hand: node densities beside the axis are 2.7, 150.0, 592.4, 758.1, 592.4, 150.0, 2.7; the force at 758.1 points at a packed node
  // and is cut to that at 592.4, in two columns: 1 − 2 · 165.7/6577.6.
  EXPECT_NEAR(speed(2, 2, kStep), 0.9496, 1e-4);
  EXPECT_NEAR(speed(2, 2, 0.05), 0.963, 0.01);
  EXPECT_NEAR(speed(2, 4, 0.05), 0.865, 0.02);
  EXPECT_NEAR(speed(2, 8, 0.05), 0.579, 0.02);
  EXPECT_NEAR(speed(2, 1.25, 0.05), 1, 1e-12);
  EXPECT_LT(speed(3, 4, 0.05), 0.95);
  EXPECT_NEAR(speed(3, 1.25, 0.05), 1, 1e-12);
}

TEST_P(DensityLimited, NothingSpreadsSideways) {
  for (const char* name : {"density_drop", "density_column", "density_column_ball"}) {
    const Scene scene = gallery_scene(name);
    const Frame before = at(scene, GetParam(), 0), after = at(scene, GetParam(), 1);
    for (std::size_t p = 0; p < after.size(); ++p) ASSERT_EQ(after.position[p][0], before.position[p][0]) << name;
  }
  Scene in_space = density_limited(3);
  in_space.snow.push_back(lattice_ball({0.04, 0.03, 0.035}, 0.02, 2, 3));
  in_space.colliders.push_back(ground(0));
  const Frame before = at(in_space, GetParam(), 0), after = at(in_space, GetParam(), 0.3);
  EXPECT_LT(top(after), top(before) - 1);
  for (std::size_t p = 0; p < after.size(); ++p)
    for (const int d : {0, 2}) ASSERT_EQ(after.position[p][d], before.position[p][d]);
}

// By little after so low a fall: three parts in ten thousand.
TEST(DensityLimitedBesideSnow, SnowWithStressOfTheSameDropWidens) {
  const auto width = [](const Simulation& simulation) {
    const Statistics s = simulation.statistics();
    return (s.upper[0] - s.lower[0]) / kH;
  };
  Simulation simulation(gallery_scene("density_drop", {"solver.integrator=semi-implicit"}), Backend::kCpu, 2);
  const double before = width(simulation);
  go_to(simulation, 1);
  const double after = width(simulation);
  printf("    semi-implicit: from %.4f to %.4f cells wide\n", before, after);
  EXPECT_GT(after, before * (1 + 1e-4));
}

TEST_P(DensityLimited, AColumnSinksForeverAndTheCriticalDensityDoesNotHold) {
  struct Moment {
    double time, below, density, moving;  // s; shares; of the critical density
  };
  Simulation simulation(gallery_scene("density_column"), GetParam(), 2);
  for (const Moment& moment : {Moment{0.5, 0.44, 1.9, 0.63}, {1, 0.63, 2.7, 0.44}, {2, 0.83, 0, 0.19}, {4, 0, 0, 0}, {5, 1, 5.5, 0}}) {
    go_to(simulation, moment.time);
    const Frame frame = simulation.frame(false);
    const double below = share(frame, [&](std::size_t p) { return frame.position[p][1] < kH; });
    const double moving = share(frame, [&](std::size_t p) { return std::hypot(frame.velocity[p][0], frame.velocity[p][1]) > 1e-3; });
    const double density = largest_node_density(frame, 2) / kCritical;
    printf("    %.1f s: %.3f below a cell, %.3f of the critical density, %.3f faster than 1 mm/s\n", moment.time, below, density, moving);
    if (moment.below > 0) EXPECT_NEAR(below, moment.below, moment.below < 1 ? 0.03 : 0);
    if (moment.density > 0) EXPECT_NEAR(density, moment.density, 0.1);
    EXPECT_NEAR(moving, moment.moving, moment.time < 4 ? 0.03 : 0);
  }
}

TEST_P(DensityLimited, ADroppedBallEndsAsALineOnTheGround) {
  const Frame frame = at(gallery_scene("density_drop"), GetParam(), 0.5), later = at(gallery_scene("density_drop"), GetParam(), 0.6);
  double low = 1, high = -1;
  for (const Vector& x : frame.position) {
    low = std::min(low, x[1] / kH);
    high = std::max(high, x[1] / kH);
  }
  printf("    at 0.5 s between %.4f and %.4f cells\n", low, high);
  EXPECT_GE(low, -0.13);
  EXPECT_LE(high, 0);
  EXPECT_EQ(frame.position, later.position);
}

TEST_P(DensityLimited, MultipliersOrderTheHeap) {
  struct Heap {
    int multiplier;
    double centre, centre_room, top, top_room;
  };
  for (const Heap& heap : {Heap{2, 3.7, 0.1, 9.8, 0.3}, {4, 1.77, 0.05, 5.4, 0.2}, {8, 0.37, 0.03, 1.5, 0.1}}) {
    const Frame frame = at(gallery_scene("density_column", {fmt::format("solver.critical_density={}", heap.multiplier)}), GetParam(), 0.5);
    printf("    x%d: centre %.3f, top %.2f cells\n", heap.multiplier, centre(frame), top(frame));
    EXPECT_NEAR(centre(frame), heap.centre, heap.centre_room);
    EXPECT_NEAR(top(frame), heap.top, heap.top_room);
  }
  const double early = top(at(gallery_scene("density_column"), GetParam(), 0.2));
  const double sparse = centre(at(gallery_scene("density_column", {"snow.particles_per_cell=4"}), GetParam(), 0.5));
  printf("    x4 at 0.2 s: top %.2f; with 4 particles a cell: centre %.3f\n", early, sparse);
  EXPECT_NEAR(early, 6.2, 0.2) << "0 where (M10) takes v^n after the cut";
  EXPECT_NEAR(sparse, 1.78, 0.05);
}

// A column of 3 x 8 x 3 cells.
Scene column_in_space(double multiplier) {
  Scene scene = density_limited(3);
  scene.solver.critical_density = multiplier;
  Snow column = lattice_ball({}, 0, 2, 3);
  column.shape.kind = ShapeKind::kBox;
  column.shape.center = {0.02, 0.04, 0.02};
  column.shape.size = {0.03, 0.08, 0.03};
  scene.snow.push_back(column);
  scene.colliders.push_back(ground(0));
  return scene;
}

TEST_P(DensityLimited, MultipliersOrderAHeapInSpace) {
  double lower = 1e9;
  for (const double multiplier : {2.0, 4.0, 8.0}) {
    const Frame frame = at(column_in_space(multiplier), GetParam(), 0.3);
    printf("    x%.0f: centre %.3f, top %.2f cells\n", multiplier, centre(frame), top(frame));
    EXPECT_LT(centre(frame), 0.8 * lower);
    lower = centre(frame);
  }
}

TEST_P(DensityLimited, AColumnInSpaceSinksAsWell) {
  Simulation simulation(column_in_space(4), GetParam(), 2);
  double share_before = 0;
  for (const double time : {0.2, 0.5, 1.0, 2.0}) {
    go_to(simulation, time);
    const Frame frame = simulation.frame(false);
    const double below = share(frame, [&](std::size_t p) { return frame.position[p][1] < kH; });
    const double density = largest_node_density(frame, 3) / kCritical;
    printf("    %.1f s: %.3f below a cell, %.3f of the critical density\n", time, below, density);
    EXPECT_GT(below, time < 2 ? share_before : 0.99);
    EXPECT_GT(density, 1);
    share_before = below;
  }
}

TEST_P(DensityLimited, FixedStepsMayCrossTwoCellsAndNoMore) {
  const auto thrown = [&](double speed) {
    return gallery_scene("density_thrown_ball", {fmt::format("snow.1.velocity=[{}, 0]", speed), "solver.time_step=0.01"});
  };
  Simulation simulation(thrown(1.6), GetParam(), 2);
  for (int k = 0; k < 100; ++k) simulation.step(0.01);
  EXPECT_EQ(simulation.particles(), 290u);
  Simulation too_fast(thrown(2.1), GetParam(), 2);
  try {
    too_fast.step(0.01);
    ADD_FAILURE() << "a way of 2.1 cells";
  } catch (const RunError& e) {
    EXPECT_NE(std::string(e.what()).find("would cross more than 2 cells"), std::string::npos) << e.what();
  }
}

// Figure 8: with steps of 0.01 s a ball passes through the column.
TEST_P(DensityLimited, LongStepsLetABallPassThrough) {
  const auto farthest = [&](double step) {
    Scene scene = gallery_scene("density_thrown_ball", {fmt::format("solver.time_step={}", step)});
    Simulation simulation(scene, GetParam(), 2);
    for (int k = 0; k < std::lround(0.06 / step); ++k) simulation.step(step);
    const Frame frame = simulation.frame(false);
    double sum = 0;
    for (std::size_t p = 216; p < frame.size(); ++p) sum += frame.position[p][0] / kH;
    return sum / 74;
  };
  const double usual = farthest(1e-3), long_steps = farthest(0.01);
  printf("    after 0.06 s the ball is at %.2f cells, with long steps at %.2f\n", usual, long_steps);
  EXPECT_GT(long_steps, usual + 0.5);
}

TEST_P(DensityLimited, LimitedCountsParticlesInPackedCells) {
  Simulation simulation(gallery_scene("density_column"), GetParam(), 2);
  EXPECT_EQ(simulation.step(kStep).limited, 0);
  StepInfo info;
  while (simulation.time() < 0.5) info = simulation.step(kStep);
  printf("    %ld of 216 at 0.5 s\n", static_cast<long>(info.limited));
  EXPECT_GT(info.limited, 100);
  EXPECT_LT(info.limited, 216);
}

TEST(DensityLimitedSteps, AutomaticOnesAreAMillisecondOrLess) {
  Scene scene = density_limited(2);
  scene.solver.time_step.reset();
  scene.snow.push_back(lattice_ball({0.05, 0.1, 0}, 0.016, 3, 2));
  EXPECT_NEAR(Simulation(scene).step(1.0 / 24).dt, 1e-3, 2e-5);
  scene.snow[0].velocity = {10, 0, 0};
  EXPECT_NEAR(Simulation(scene).step(1.0 / 24).dt, 0.25 * kH / 10, 1e-5);
}

TEST(DensityLimitedScenes, TheCriticalDensityIsOfTheLightestSnow) {
  Scene scene = two_balls(2, 0.5);
  EXPECT_DOUBLE_EQ(*Simulation(scene).critical_density(), 4 * 200 / 3.0);
  scene.solver.critical_density = 2;
  EXPECT_DOUBLE_EQ(*check(scene).critical_density, 2 * 200 / 3.0);
  scene.solver.integrator = Integrator::kExplicit;
  EXPECT_FALSE(Simulation(scene).critical_density());
  const TempFolder folder;
  Frame frame;
  frame.position = {{0.01, 0.01, 0}, {0.02, 0.01, 0}};
  frame.mass = {0.01, 0.02};
  frame.volume = {1e-4, 1e-4};
  write_ply(folder.file("two.ply"), in_double(frame));
  Scene from_file = density_limited(2);
  from_file.snow.push_back(particle_file(folder.file("two.ply")));
  EXPECT_NEAR(*Simulation(from_file).critical_density(), 4 * 100 / 3.0, 1e-9);
}

TEST(DensityLimitedScenes, KeysThatDoNothingAreNamedOnce) {
  const auto warnings = [](std::vector<std::string> keys) { return Simulation(gallery_scene("density_drop", std::move(keys))).warnings(); };
  EXPECT_TRUE(warnings({}).empty());
  const auto some = warnings({"solver.beta=0.5", "solver.courant=0.3", "snow.material=powder"});
  ASSERT_EQ(some.size(), 1u);
  EXPECT_TRUE(
      some[0].ends_with("integrator = \"density-limited\": these keys do nothing with it: solver.beta, solver.courant, "
                        "all of materials.powder but density"))
      << some[0];
}

// All that a state has, for any number of threads, and across a stop.
TEST(DensityLimitedBits, AreTheSameForAnyNumberOfThreads) {
  for (const int dimension : {2, 3})
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      const TempFolder folder;
      RandomSnow snow;
      snow.dimension = dimension;
      snow.cells = dimension == 2 ? 30 : 10;
      Scene scene = thrown_snow(snow, folder);
      scene.solver.integrator = Integrator::kDensityLimited;
      scene.solver.precision = precision;
      scene.solver.time_step = kStep;
      const auto hash = [&](int threads) {
        Simulation simulation(scene, Backend::kCpu, threads);
        for (int k = 0; k < 100; ++k) simulation.step(kStep);
        return simulation.hash();
      };
      const std::string one = hash(1);
      EXPECT_EQ(one, hash(2));
      EXPECT_EQ(one, hash(7));
    }
}

TEST(DensityLimitedTimes, FiveSecondsOfEveryGallerySceneTakeLessThanTwo) {
  for (const char* name : {"density_drop", "density_column", "density_column_ball", "density_thrown_ball", "density_thrown_half_ball",
                           "density_colliding_balls"}) {
    const auto begin = std::chrono::steady_clock::now();
    Simulation simulation(load_scene(name), Backend::kCpu, 2);
    go_to(simulation, 5);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    printf("    %s: %.2f s\n", name, seconds);
    EXPECT_LT(seconds, 2) << name;
  }
}

}  // namespace
}  // namespace firn::test
