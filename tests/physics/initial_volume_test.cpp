// V⁰ of sampled snow: what its mass fills, or what the grid sees (M5).
#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

#include "support/random_snow.h"

namespace firn::test {
namespace {

constexpr double kRadius = 0.1;
constexpr double kContent = 4.0 / 3 * std::numbers::pi * kRadius * kRadius * kRadius;

Frame start_of(InitialVolume kind, double h) {
  Scene scene = empty_scene(3, h);
  scene.snow.push_back(ball({0, 0, 0}, kRadius));
  scene.snow[0].initial_volume = kind;
  return Simulation(scene).frame(true);
}

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(InitialVolume, OfTheShapeGivesEveryParticleTheDensityOfItsMaterial) {
  EXPECT_EQ(Snow{}.initial_volume, InitialVolume::kShape) << "the default";
  for (const double h : {0.02, 0.01}) {
    const Frame frame = start_of(InitialVolume::kShape, h);
    for (std::size_t i = 0; i < frame.size(); ++i) EXPECT_NEAR(frame.mass[i] / (frame.volume[i] * frame.jp[i] * frame.je[i]), 400, 0.01);
  }
}

// The grid sees half-empty cells at the surface: a body is too light on paper, the more the coarser the grid is.
TEST(InitialVolume, OfTheGridDependsOnTheResolutionAndThatOfTheShapeDoesNot) {
  const auto excess = [](InitialVolume kind, double h) { return total(start_of(kind, h).volume) / kContent - 1; };
  EXPECT_GT(excess(InitialVolume::kGrid, 0.02), 0.12);
  EXPECT_GT(excess(InitialVolume::kGrid, 0.02), 1.5 * excess(InitialVolume::kGrid, 0.01));
  for (const double h : {0.02, 0.01}) EXPECT_NEAR(excess(InitialVolume::kShape, h), 0, 1e-5) << h;
}

TEST(InitialVolume, OfVariedSnowIsItsOwnMassOverItsOwnDensity) {
  Scene scene = empty_scene(3, 0.02);
  scene.snow.push_back(ball({0, 0, 0}, kRadius));
  scene.snow[0].shell = SnowShell{0.03, {1, 1, 1, 1, 0.5}, {}};
  const Frame frame = Simulation(scene).frame(true);
  for (std::size_t i = 0; i < frame.size(); ++i) EXPECT_NEAR(frame.volume[i], frame.volume[0], 1e-6 * frame.volume[0]);
  EXPECT_NEAR(total(frame.volume), kContent, 1e-5 * kContent);
}

TEST(InitialVolume, OfParticleFilesWithoutVolumeIsThatOfTheGrid) {
  const TempFolder folder;
  RandomSnow points;
  points.count = 500;
  Frame frame = Simulation(thrown_snow(points, folder)).frame(true);
  const auto [least, most] = std::minmax_element(frame.volume.begin(), frame.volume.end());
  EXPECT_GT(*most, 1.5 * *least) << "they fill a cube at random";
}

}  // namespace
}  // namespace firn::test
