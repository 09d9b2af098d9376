// The noise: smooth, centred, spread over its range, and different for every seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "math/random.h"

namespace firn {
namespace {

constexpr int kSamples = 100000;

struct Point {
  double x, y, z;
};

std::vector<Point> random_points(bool flat) {
  Rng rng(5);
  std::vector<Point> points(kSamples);
  for (Point& p : points) p = {1000 * rng.uniform() - 500, 1000 * rng.uniform() - 500, flat ? 0 : 1000 * rng.uniform() - 500};
  return points;
}

class Octaves : public testing::TestWithParam<int> {};

TEST_P(Octaves, ValuesAreCentredAndFillTheRangeEvenly) {
  for (const bool flat : {false, true}) {
    const FractalNoise noise(7, GetParam());
    double sum = 0;
    std::vector<double> bins(10);
    for (const Point& p : random_points(flat)) {
      const double n = noise(p.x, p.y, p.z);
      ASSERT_LT(std::abs(n), 1);
      sum += n;
      bins[static_cast<std::size_t>(5 * (n + 1))] += 10.0 / kSamples;
    }
    EXPECT_NEAR(sum / kSamples, 0, 0.02);
    for (std::size_t b = 1; b < 9; ++b) EXPECT_NEAR(bins[b], 1, 0.4) << "from " << 0.2 * static_cast<double>(b) - 1;
    EXPECT_GT(bins[0], 0.3);
    EXPECT_GT(bins[9], 0.3);
  }
}

// The steepest slope of an octave is bounded, and the octaves together have as many times that.
TEST_P(Octaves, ValuesChangeByLittleOverLittle) {
  const FractalNoise noise(3, GetParam());
  constexpr double kStep = 1e-5, kSteepest = 9;
  for (const Point& p : random_points(false)) {
    const double n = noise(p.x, p.y, p.z);
    ASSERT_LT(std::abs(noise(p.x + kStep, p.y, p.z) - n), kSteepest * GetParam() * kStep);
    ASSERT_LT(std::abs(noise(p.x, p.y - kStep, p.z) - n), kSteepest * GetParam() * kStep);
  }
}

INSTANTIATE_TEST_SUITE_P(Noise, Octaves, testing::Values(1, 2, 3, 8));

TEST(Noise, HasNoStepWhereLatticeCellsMeet) {
  const FractalNoise noise(11, 4);
  double last = noise(-3, 0.4, 0.9);
  for (double x = -3; x < 3; x += 1e-4) {
    const double n = noise(x, 0.4, 0.9);
    ASSERT_LT(std::abs(n - last), 0.005) << x;
    last = n;
  }
}

double correlation(const FractalNoise& a, const FractalNoise& b, double shift) {
  double aa = 0, bb = 0, ab = 0;
  for (const Point& p : random_points(false)) {
    const double n = a(p.x, p.y, p.z), m = b(p.x + shift, p.y, p.z);
    aa += n * n;
    bb += m * m;
    ab += n * m;
  }
  return ab / std::sqrt(aa * bb);
}

TEST(Noise, OfAnotherSeedHasNothingToDoWithIt) {
  for (const std::uint32_t seed : {0u, 2u, 1000000u, 0xffffffffu}) EXPECT_NEAR(correlation({1, 3}, {seed, 3}, 0), 0, 0.03) << seed;
}

TEST(Noise, IsAlikeWithinAFeatureAndForgetsBeyond) {
  const FractalNoise noise(1, 3);
  EXPECT_GT(correlation(noise, noise, 0.1), 0.8);
  EXPECT_NEAR(correlation(noise, noise, 5), 0, 0.03);
}

TEST(Noise, MoreOctavesAreFiner) {
  const FractalNoise smooth(1, 1), rough(1, 6);
  EXPECT_GT(correlation(smooth, smooth, 0.05), correlation(rough, rough, 0.05) + 0.01);
}

// Integer hashing: these values hold on any machine, up to rounding.
TEST(Noise, IsTheSameEverywhere) {
  const FractalNoise noise(7, 3);
  EXPECT_NEAR(noise(0, 0, 0), -0.310164995984028, 1e-12);
  EXPECT_NEAR(noise(0.3, -1.7, 2.9), 0.814342609460927, 1e-12);
  EXPECT_NEAR(noise(12.25, 1e6, -0.1), -0.553141532239407, 1e-9);
}

}  // namespace
}  // namespace firn
