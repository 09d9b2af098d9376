// Snow as a medium: how far light gets and which way it goes on.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "render/path/scattering.h"
#include "render/path/tracer.h"

namespace firn {
namespace {

Float3 direction_of(float x, float y, float z) { return normalized(Float3{x, y, z}); }

class PhaseFunction : public ::testing::TestWithParam<float> {};

TEST_P(PhaseFunction, SumsToOneOverAllDirections) {
  const float g = GetParam();
  double sum = 0;
  constexpr int kSteps = 200000;
  for (int i = 0; i < kSteps; ++i) sum += henyey_greenstein(-1 + 2 * (static_cast<float>(i) + 0.5f) / kSteps, g);
  EXPECT_NEAR(sum * 2 / kSteps * 2 * std::numbers::pi, 1, 1e-3);
}

TEST_P(PhaseFunction, SamplesHaveItsMeanCosineAndItsShape) {
  const float g = GetParam();
  const Float3 way = direction_of(0.3f, -0.8f, 0.5f);
  constexpr int kSamples = 400000, kBins = 20;
  Rng rng(5);
  double cosines = 0;
  std::array<int, kBins> bins{};
  for (int i = 0; i < kSamples; ++i) {
    const float cosine = dot(way, scatter(way, g, random_float(rng), random_float(rng)));
    cosines += cosine;
    ++bins[static_cast<std::size_t>(std::clamp(static_cast<int>((cosine + 1) / 2 * kBins), 0, kBins - 1))];
  }
  EXPECT_NEAR(cosines / kSamples, g, 4e-3);
  for (int b = 0; b < kBins; ++b) {
    double expected = 0;
    constexpr int kSteps = 200;
    for (int i = 0; i < kSteps; ++i)
      expected += henyey_greenstein(-1 + 2 * (static_cast<float>(b) + (static_cast<float>(i) + 0.5f) / kSteps) / kBins, g) / kSteps;
    expected *= 2.0 / kBins * 2 * std::numbers::pi;
    EXPECT_NEAR(bins[static_cast<std::size_t>(b)] / double(kSamples), expected, 5 * std::sqrt(expected / kSamples) + 1e-5) << b;
  }
}

INSTANTIATE_TEST_SUITE_P(Anisotropies, PhaseFunction, ::testing::Values(-0.5f, 0.0f, 0.5f, 0.85f),
                         [](const auto& info) { return std::to_string(static_cast<int>(std::lround(100 * info.param) + 100)); });

// A slab from y = 0 to 1, wide enough that rays do not leave through its sides.
Medium slab(float extinction) { return Medium(Float3{-4, 0, -4}, Float3{4, 1, 4}, extinction, 64); }

class Slab : public ::testing::TestWithParam<float> {};

TEST_P(Slab, LetsThroughWhatTheLawOfBeerSays) {
  const Medium medium = slab(GetParam());
  constexpr int kSamples = 100000;
  for (const Float3& way : {Float3{0, 1, 0}, direction_of(0.4f, 0.9f, -0.2f)}) {
    // The snow's edge falls to nothing within a voxel, so start and end inside.
    const Ray ray{Float3{0.01f, 0.1f, 0.02f}, way};
    const float length = 0.8f / way[1];
    const double expected = std::exp(-double(GetParam()) * length);
    Rng rng(11);
    double through = 0, ratio = 0;
    for (int i = 0; i < kSamples; ++i) {
      through += medium.collide(ray, length, rng) ? 0 : 1;
      ratio += medium.transmittance(ray, length, rng);
    }
    EXPECT_NEAR(through / kSamples, expected, 5 * std::sqrt(expected / kSamples)) << "delta tracking";
    EXPECT_NEAR(ratio / kSamples, expected, 5 * std::sqrt(expected / kSamples)) << "ratio tracking";
  }
}

TEST_P(Slab, IsMetAtExponentialDistances) {
  const Medium medium = slab(GetParam());
  const Ray ray{Float3{0, 0.05f, 0}, Float3{0, 1, 0}};
  constexpr int kSamples = 200000;
  Rng rng(3);
  double sum = 0, count = 0;
  for (int i = 0; i < kSamples; ++i)
    if (const auto t = medium.collide(ray, 0.9f, rng)) {
      sum += *t;
      ++count;
    }
  const double s = GetParam(), d = 0.9, lost = std::exp(-s * d);
  const double mean = 1 / s - d * lost / (1 - lost);  // of an exponential cut at d
  EXPECT_NEAR(sum / count, mean, 5 * d / std::sqrt(count));
}

INSTANTIATE_TEST_SUITE_P(Extinctions, Slab, ::testing::Values(0.3f, 2.0f, 7.0f),
                         [](const auto& info) { return std::to_string(static_cast<int>(10 * info.param)); });

// A lump of particles of uneven density, as a run would make it.
Frame lump(std::size_t particles) {
  Rng rng(9);
  Frame frame;
  while (frame.size() < particles) {
    const std::array<double, 3> x{rng.uniform() - 0.5, rng.uniform() - 0.5, rng.uniform() - 0.5};
    if (rng.uniform() < 1 - 2 * std::hypot(x[0], x[1], x[2])) {
      frame.position.push_back({0.2 * x[0] + 7, 0.2 * x[1] - 3, 0.2 * x[2] + 1});
      frame.mass.push_back(400 * 1e-6 / 8);
      frame.id.push_back(static_cast<std::uint32_t>(frame.size()));
    }
  }
  return frame;
}

Camera camera_at(const Vec<double, 3>& focus) {
  Camera camera;
  camera.focus = focus;
  camera.radius = 0.2;
  return camera;
}

Medium medium_of(const Frame& frame, const Camera& camera, const MediumSettings& settings) {
  return Medium(snow_voxels(frame, settings), camera, settings);
}

TEST(Medium, OfUnevenSnowLetsThroughTheIntegralOfItsExtinction) {
  const Medium medium = medium_of(lump(3000), camera_at({7, -3, 1}), {0.01, 0.01, 40});
  for (const Ray& ray : {Ray{Float3{-2, 0.05f, 0.1f}, direction_of(1, 0.02f, -0.04f)},
                         Ray{Float3{0.1f, 2, -0.1f}, direction_of(0.01f, -1, 0.03f)}, Ray{Float3{0, 0, 0}, direction_of(1, 1, 1)}}) {
    double depth = 0;
    constexpr int kSteps = 40000;
    constexpr float kLength = 4;
    for (int i = 0; i < kSteps; ++i) {
      const float t = (static_cast<float>(i) + 0.5f) * kLength / kSteps;
      depth += medium.extinction(ray.origin + t * ray.direction) * kLength / kSteps;
    }
    ASSERT_GT(depth, 0.1) << "the ray misses the snow";
    constexpr int kSamples = 60000;
    Rng rng(1);
    double through = 0, ratio = 0;
    for (int i = 0; i < kSamples; ++i) {
      through += medium.collide(ray, kLength, rng) ? 0 : 1;
      ratio += medium.transmittance(ray, kLength, rng);
    }
    const double expected = std::exp(-depth), tolerance = 5 * std::sqrt(expected / kSamples) + 1e-4;
    EXPECT_NEAR(through / kSamples, expected, tolerance);
    EXPECT_NEAR(ratio / kSamples, expected, tolerance);
  }
}

// The optical depth of all of it, summed over a grid of rays, is the extinction of its mass whatever the voxels.
TEST(Medium, HasTheExtinctionOfItsMassAtEveryResolution) {
  const Frame frame = lump(3000);
  const Camera camera = camera_at({7, -3, 1});
  for (const double voxel : {0.02, 0.01, 0.005}) {
    const Medium medium = medium_of(frame, camera, {voxel, 0.01, 40});
    double sum = 0;
    constexpr int kAcross = 90;
    constexpr double kWidth = 2.4;  // view units
    const double cell = kWidth / kAcross;
    for (int i = 0; i < kAcross; ++i)
      for (int j = 0; j < kAcross; ++j)
        for (int k = 0; k < kAcross; ++k)
          sum += medium.extinction({static_cast<float>((i + 0.5) * cell - kWidth / 2), static_cast<float>((j + 0.5) * cell - kWidth / 2),
                                    static_cast<float>((k + 0.5) * cell - kWidth / 2)}) *
                 cell * cell * cell;
    // kg · m²/kg, in view units.
    const double expected = 40.0 / 400 * 3000 * 400 * 1e-6 / 8 / std::pow(camera.radius, 2);
    EXPECT_NEAR(sum, expected, 0.02 * expected) << voxel;
  }
}

TEST(Medium, OfNothingLetsEverythingThrough) {
  Frame none;
  const Medium medium = medium_of(none, camera_at({0, 0, 0}), {0.01, 0.01, 724});
  Rng rng(1);
  EXPECT_FALSE(medium.collide({{-5, 0, 0}, {1, 0, 0}}, 100, rng));
  EXPECT_EQ(medium.transmittance({{-5, 0, 0}, {1, 0, 0}}, 100, rng), 1);
  EXPECT_EQ(medium.extinction({0, 0, 0}), 0);
}

}  // namespace
}  // namespace firn
