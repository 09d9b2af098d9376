// Particles with parameters of their own: the CPU solver equals the reference, and what changes nothing changes no bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "support/fast_backend.h"
#include "support/random_snow.h"

namespace firn::test {
namespace {

constexpr double kStep = 1e-4;  // s

Frame after(const Scene& scene, int steps, Backend backend = fast_backend(), int threads = 2) {
  Simulation simulation(scene, backend, threads);
  for (int k = 0; k < steps; ++k) simulation.step(kStep);
  return simulation.frame(true);
}

// A ball of varied snow that hits the ground; its particles change blocks on the way.
Scene varied_ball(int dimension) {
  Scene scene = empty_scene(dimension, 0.01);
  scene.materials.push_back({.name = "top", .young_modulus = 3e5, .hardening = 5});
  Snow snow = ball({0.013, dimension == 3 ? 0.035 : 0.05, 0}, dimension == 3 ? 0.03 : 0.045);
  snow.velocity = {2, -4, 0};
  snow.layers = {{.above = 0.04, .below = {}, .material = "top"}};
  snow.shell = SnowShell{.depth = 0.012, .factor = {2, 1.2, 0.5, 1, 1.3}, .location = {}};
  snow.noise = {{.scale = 0.03, .amplitude = {1, 0.3, 0.5, 1, 0.2}, .location = {}}};
  scene.snow.push_back(snow);
  scene.colliders.push_back(ground(0.3));
  scene.solver.time_step = kStep;
  scene.solver.tolerance = 1e-11;
  return scene;
}

double largest_difference(const Frame& a, const Frame& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a.jp[i] - b.jp[i]));
    for (int d = 0; d < 3; ++d)
      largest = std::max({largest, std::abs(a.velocity[i][d] - b.velocity[i][d]), std::abs(a.fe[i][4 * d] - b.fe[i][4 * d])});
  }
  return largest;
}

void expect_same_bits(const Frame& a, const Frame& b) {
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.jp, b.jp);
  EXPECT_EQ(a.fe, b.fe);
  EXPECT_EQ(a.mass, b.mass);
}

class Varied : public testing::TestWithParam<std::tuple<int, Integrator>> {};

TEST_P(Varied, SnowOnTheCpuEqualsTheReference) {
  Scene scene = varied_ball(std::get<0>(GetParam()));
  scene.solver.integrator = std::get<1>(GetParam());
  constexpr int kSteps = 40;
  scene.solver.precision = Precision::kDouble;
  const Frame slow = after(scene, kSteps, Backend::kReference);
  EXPECT_LT(largest_difference(after(scene, kSteps), slow), 1e-8);
  Scene plain = scene;
  plain.snow[0].shell.reset();
  plain.snow[0].noise.clear();
  EXPECT_GT(largest_difference(after(plain, kSteps), slow), 0.1) << "the variation must matter";
  scene.solver.precision = Precision::kFloat;
  EXPECT_LT(largest_difference(after(scene, kSteps), slow), 5e-3);
}

INSTANTIATE_TEST_SUITE_P(All, Varied,
                         testing::Combine(testing::Values(2, 3), testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit)));

TEST(VariedSnow, IsTheSameForAnyNumberOfThreads) {
  if (fast_backend() == Backend::kCuda) GTEST_SKIP() << kNoSameBits;
  const Scene scene = varied_ball(3);
  expect_same_bits(after(scene, 100, fast_backend(), 1), after(scene, 100, fast_backend(), 2));
}

// Varied in name only: the columns exist, every value is the material's.
TEST(VariedSnow, WithTheMaterialsValuesIsPlainSnowToTheBit) {
  if (fast_backend() == Backend::kCuda) GTEST_SKIP() << kNoSameBits;
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const TempFolder folder;
    Scene plain = thrown_snow({}, folder);
    plain.solver.precision = precision;
    plain.solver.time_step = kStep;
    Frame frame = read_ply(plain.snow[0].shape.file);
    const Material& m = plain.materials[0];
    frame.stiffness.assign(frame.size(), 1);
    frame.hardening.assign(frame.size(), m.hardening);
    frame.critical_compression.assign(frame.size(), m.critical_compression);
    frame.critical_stretch.assign(frame.size(), m.critical_stretch);
    frame.fe.assign(frame.size(), {1, 0, 0, 0, 1, 0, 0, 0, 1});
    write_ply(folder.file("same.ply"), in_double(frame));
    Scene same = plain;
    same.snow[0].shape.file = folder.file("same.ply");
    const Frame a = after(plain, 100), b = after(same, 100);
    EXPECT_TRUE(a.stiffness.empty());
    ASSERT_EQ(b.stiffness.size(), b.size()) << "the run must be a varied one";
    expect_same_bits(a, b);
  }
}

TEST(VariedSnow, WithNoiseOfNoAmplitudeIsPlainSnowToTheBit) {
  if (fast_backend() == Backend::kCuda) GTEST_SKIP() << kNoSameBits;
  Scene plain = varied_ball(3);
  plain.snow[0].shell.reset();
  plain.snow[0].noise.clear();
  Scene still = plain;
  still.snow[0].noise = {{.scale = 0.03, .location = {}}};
  still.snow[0].shell = SnowShell{.depth = 0.01, .location = {}};
  expect_same_bits(after(plain, 100), after(still, 100));
}

// The state with its parameters goes through final.ply; the run goes on as if nothing had been.
TEST(VariedSnow, GoesOnFromItsFinalState) {
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const TempFolder folder;
    Scene scene = varied_ball(3);
    scene.solver.precision = precision;
    const Frame middle = after(scene, 60);
    write_ply(folder.file("final.ply"), middle);
    Scene rest = scene;
    rest.snow = {particle_file(folder.file("final.ply"))};
    const Frame again = Simulation(rest).frame(true);
    EXPECT_EQ(again.stiffness, middle.stiffness);
    EXPECT_EQ(again.hardening, middle.hardening);
    EXPECT_EQ(again.critical_compression, middle.critical_compression);
    EXPECT_EQ(again.critical_stretch, middle.critical_stretch);
    EXPECT_GT(*std::max_element(middle.stiffness.begin(), middle.stiffness.end()), 2);
    EXPECT_LT(largest_difference(after(rest, 60), after(scene, 120)), precision == Precision::kDouble ? 1e-6 : 0.05);
  }
}

// 1 + 1e-9 is 1 in single precision; the file must not say 0, which is out of the key's range.
TEST(VariedSnow, GoesOnWithThresholdsThatAreLostInRounding) {
  const TempFolder folder;
  Scene scene = varied_ball(2);
  scene.solver.precision = Precision::kFloat;
  for (Material& material : scene.materials) material.critical_stretch = material.critical_compression = 1e-9;
  const Frame middle = after(scene, 2);
  write_ply(folder.file("final.ply"), middle);
  Scene rest = scene;
  rest.snow = {particle_file(folder.file("final.ply"))};
  const Frame again = Simulation(rest).frame(true);
  EXPECT_GT(*std::min_element(middle.critical_stretch.begin(), middle.critical_stretch.end()), 0);
  EXPECT_EQ(again.critical_stretch, middle.critical_stretch);
  EXPECT_EQ(again.critical_compression, middle.critical_compression);
}

// A file with a stiff end: after two steps the other end, out of reach, has not noticed.
TEST(VariedSnow, FromAFileIsStifferWhereTheFileSaysSo) {
  const TempFolder folder;
  Scene scene = thrown_snow({}, folder);
  scene.solver.time_step = kStep;
  const Frame plain = after(scene, 2);
  Frame frame = read_ply(scene.snow[0].shape.file);
  for (const auto& x : frame.position) frame.young_modulus.push_back(x[0] > 0.083 ? 1.4e6 : 1.4e5);
  frame.fe.assign(frame.size(), {1, 0, 0, 0, 1, 0, 0, 0, 1});
  write_ply(folder.file("end.ply"), in_double(frame));
  scene.snow[0].shape.file = folder.file("end.ply");
  const Frame stiff = after(scene, 2);
  const double same = fast_backend() == Backend::kCuda ? 1e-5 : 0;  // m/s: two runs on a GPU have other last bits
  std::size_t changed = 0;
  for (std::size_t i = 0; i < stiff.size(); ++i) {
    const double x = frame.position[i][0];
    EXPECT_EQ(stiff.stiffness[i], x > 0.083 ? 10 : 1);
    double change = 0;
    for (int d = 0; d < 3; ++d) change = std::max(change, std::abs(stiff.velocity[i][d] - plain.velocity[i][d]));
    if (x < 0.03) {
      EXPECT_LE(change, same);
    }
    changed += change > same;
  }
  EXPECT_GT(changed, stiff.size() / 5);
}

}  // namespace
}  // namespace firn::test
