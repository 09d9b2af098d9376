// Particles as grains: packed snow is even, its surface sharp, and a lone particle stays one.
#include "render/path/snow_grains.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/random.h"

namespace firn {
namespace {

constexpr double kEdge = 0.01;  // of a particle, m

// Particles at random, one for each cube of a block of n³ of them.
Frame block(int n) {
  Rng rng(4);
  Frame frame;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        frame.position.push_back({kEdge * (i + rng.uniform()), kEdge * (j + rng.uniform()), kEdge * (k + rng.uniform())});
        frame.mass.push_back(0.4e-3);
        frame.id.push_back(static_cast<std::uint32_t>(frame.id.size()));
      }
  return frame;
}

// Standard deviation over the mean of how much lies in cubes of `width` in the block's middle.
double unevenness(const Frame& points, double low, double high, double width) {
  const int n = static_cast<int>(std::lround((high - low) / width));
  std::vector<double> bins(static_cast<std::size_t>(n) * n * n);
  for (const std::array<double, 3>& x : points.position) {
    int at[3];
    bool inside = true;
    for (std::size_t d = 0; d < 3; ++d) {
      at[d] = static_cast<int>(std::floor((x[d] - low) / width));
      inside = inside && at[d] >= 0 && at[d] < n;
    }
    if (inside) ++bins[(static_cast<std::size_t>(at[0]) * n + static_cast<std::size_t>(at[1])) * n + static_cast<std::size_t>(at[2])];
  }
  const double mean = std::accumulate(bins.begin(), bins.end(), 0.0) / static_cast<double>(bins.size());
  double squares = 0;
  for (const double b : bins) squares += (b - mean) * (b - mean);
  return std::sqrt(squares / static_cast<double>(bins.size())) / mean;
}

TEST(Grains, OfPackedSnowLieMoreEvenlyThanItsParticles) {
  const Frame frame = block(16), grains = as_grains(frame, kEdge, kEdge / 4);
  const double low = 4.5 * kEdge, high = 11.5 * kEdge;
  const double before = unevenness(frame, low, high, kEdge), after = unevenness(grains, low, high, kEdge);
  EXPECT_GT(before, 0.5);
  EXPECT_LT(after, 0.3);
}

TEST(Grains, KeepTheMassAndStayWithTheirParticle) {
  const Frame frame = block(8), grains = as_grains(frame, kEdge, kEdge / 4);
  ASSERT_EQ(grains.size(), 64 * frame.size());
  EXPECT_NEAR(std::accumulate(grains.mass.begin(), grains.mass.end(), 0.0), 512 * 0.4e-3, 1e-9);
  for (std::size_t g = 0; g < grains.size(); ++g)
    for (std::size_t d = 0; d < 3; ++d) ASSERT_NEAR(grains.position[g][d], frame.position[g / 64][d], 3 * kEdge);
}

TEST(Grains, DoNotReachFarBeyondTheSurfaceOfPackedSnow) {
  const Frame grains = as_grains(block(16), kEdge, kEdge / 4);
  std::vector<double> heights;
  for (const std::array<double, 3>& x : grains.position)
    if (std::min({x[0], x[2]}) > 4 * kEdge && std::max({x[0], x[2]}) < 12 * kEdge) heights.push_back(x[1]);
  std::sort(heights.begin(), heights.end());
  const double total = static_cast<double>(heights.size());
  const auto beyond = [&](double y) {
    return static_cast<double>(heights.end() - std::lower_bound(heights.begin(), heights.end(), y)) / total;
  };
  EXPECT_LT(beyond(16.75 * kEdge), 0.002) << "of the whole block";
  EXPECT_GT(beyond(15.25 * kEdge), 0.02) << "a third of its uppermost layer is still there";
}

double distance(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

TEST(Grains, OfALoneParticleAreAPuffOfCrumbs) {
  Frame frame = block(1);
  frame.position[0] = {3, -2, 1};
  const Frame grains = as_grains(frame, kEdge, kEdge / 4);
  double farthest = 0, across_crumb = 0;
  for (std::size_t k = 0; k < grains.size(); ++k) {
    EXPECT_LT(distance(grains.position[k], frame.position[0]), 1.5 * kEdge);
    farthest = std::max(farthest, distance(grains.position[k], grains.position[0]));
    if (k % 5 == 1) across_crumb = std::max(across_crumb, distance(grains.position[k], grains.position[k - 1]));
  }
  EXPECT_GT(farthest, kEdge) << "they are apart";
  EXPECT_LT(across_crumb, 0.25 * kEdge) << "but those of a crumb are within a voxel";
}

TEST(Grains, AreTheSameForAnyNumberOfThreadsAndOrderOfTheParticles) {
  const Frame frame = block(8), grains = as_grains(frame, kEdge, kEdge / 2);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(as_grains(frame, kEdge, kEdge / 2).position, grains.position);
  Frame turned = frame;
  std::reverse(turned.position.begin(), turned.position.end());
  std::reverse(turned.id.begin(), turned.id.end());
  const Frame again = as_grains(turned, kEdge, kEdge / 2);
  for (std::size_t p = 0; p < frame.size(); ++p)
    for (std::size_t d = 0; d < 3; ++d)
      ASSERT_NEAR(again.position[8 * (frame.size() - 1 - p)][d], grains.position[8 * p][d], 1e-4 * kEdge)
          << "sums differ in their last bits";
}

TEST(Grains, OnCoarseVoxelsAreTheParticlesThemselves) {
  const Frame frame = block(4);
  EXPECT_EQ(as_grains(frame, kEdge, 2 * kEdge).position, frame.position);
}

TEST(Grains, OfNothingAreNothing) { EXPECT_EQ(as_grains({}, kEdge, kEdge / 4).size(), 0u); }

TEST(Grains, AreAboutOneForAVoxelButNotMoreThanTheMemoryHasRoomFor) {
  EXPECT_EQ(grains_of_particle(kEdge, kEdge / 3, 1000), 27u);
  EXPECT_EQ(grains_of_particle(kEdge, kEdge / 100, 1000), 64u) << "more do not make a cloud smoother";
  EXPECT_EQ(grains_of_particle(kEdge, kEdge, 1000), 8u) << "fewer do not fill one";
  EXPECT_EQ(grains_of_particle(kEdge, 2 * kEdge, 1000), 1u);
  // Though the scene asks for voxels as fine as that.
  EXPECT_EQ(grains_of_particle(kEdge, kEdge / 4, 1'000'000), 12u);
  EXPECT_EQ(grains_of_particle(kEdge, kEdge / 4, 1'400'000), 8u);
  EXPECT_EQ(grains_of_particle(kEdge, kEdge / 4, 1'600'000), 1u);
}

TEST(Grains, OfAllFramesOfAFilmAreAsManyAParticle) { EXPECT_EQ(as_grains(block(2), kEdge, kEdge / 4, 1'000'000).size(), 8u * 12u); }

TEST(Blur, SpreadsGrainsEvenlyAlongTheWayWhileTheShutterIsOpen) {
  Frame frame = block(6);
  frame.velocity.assign(frame.size(), {3, 0, -1});
  Frame grains = as_grains(frame, kEdge, kEdge / 2);
  const Frame before = grains;
  constexpr double kSeconds = 0.02;
  blur(grains, frame, kSeconds);
  const double speed = std::hypot(3, 1), apart = 0.08 * kSeconds * speed;  // m, the most that grains fly apart
  const std::size_t count = grains.size() / frame.size();
  double sum = 0;
  for (std::size_t k = 0; k < grains.size(); ++k) {
    const double x = grains.position[k][0] - before.position[k][0], z = grains.position[k][2] - before.position[k][2];
    const double moment = (3 * x - z) / (speed * speed), part = static_cast<double>(k % count) / static_cast<double>(count);
    EXPECT_NEAR(x + 3 * z, 0, 4 * apart) << "hardly beside the way";
    EXPECT_NEAR(std::abs(grains.position[k][1] - before.position[k][1]), 0, apart);
    EXPECT_GE(moment, kSeconds * (part - 0.5) - 2 * apart / speed) << "each has its part of the time";
    EXPECT_LE(moment, kSeconds * (part + 1.0 / static_cast<double>(count) - 0.5) + 2 * apart / speed);
    sum += moment;
  }
  EXPECT_NEAR(sum / static_cast<double>(grains.size()), 0, 1e-4);
}

TEST(UsualVoxel, IsAQuarterOfAParticleUntilGrainsGetTooMany) {
  EXPECT_DOUBLE_EQ(usual_voxel(kEdge, 0), kEdge / 4);
  EXPECT_DOUBLE_EQ(usual_voxel(kEdge, 100'000), kEdge / 4);
  EXPECT_DOUBLE_EQ(usual_voxel(kEdge, 1'000'000), kEdge / 2);
  EXPECT_DOUBLE_EQ(usual_voxel(kEdge, 10'000'000), kEdge);
}

TEST(Neighbours, AreAllWithinReachAndEachIsFoundOnce) {
  const Frame frame = block(6);
  constexpr double kReach = 0.023;
  const Neighbours neighbours(frame, kReach);
  std::size_t points = 0;
  std::vector<Float3> around;
  for (std::size_t cube = 0; cube < neighbours.cubes(); ++cube) {
    neighbours.gather(cube, around);
    for (const Neighbours::Point* p = neighbours.begin(cube); p != neighbours.end(cube); ++p, ++points) {
      const auto near = std::count_if(around.begin(), around.end(), [&](const Float3& x) { return norm(x - p->place) < 1; });
      const auto& here = frame.position[p->index];
      const auto expected = std::count_if(frame.position.begin(), frame.position.end(), [&](const std::array<double, 3>& x) {
        return std::hypot(x[0] - here[0], x[1] - here[1], x[2] - here[2]) < kReach;
      });
      ASSERT_EQ(near, expected);
    }
  }
  EXPECT_EQ(points, frame.size());
}

TEST(Neighbours, AreFoundAlthoughAnotherPointIsFarAway) {
  Frame frame = block(4);
  frame.position.front() = {-1e6, 0, 0};
  const Neighbours neighbours(frame, kEdge);
  std::vector<Float3> around;
  for (std::size_t cube = 0; cube < neighbours.cubes(); ++cube) {
    neighbours.gather(cube, around);
    EXPECT_LE(around.size(), 40u) << "27 cubes, some with two points";
  }
}

}  // namespace
}  // namespace firn
