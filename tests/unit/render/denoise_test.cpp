#include "render/path/denoise.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstring>

#include "lit_sphere.h"
#include "math/random.h"

namespace firn {
namespace {

using namespace test;

constexpr int kWidth = 320, kHeight = 180;
constexpr Fireflies kFireflies{2000, 100};

const TracedPicture& truth() {
  static const TracedPicture picture = lit_sphere(kWidth, kHeight);
  return picture;
}

double mean(const std::vector<Colour>& light) {
  double sum = 0;
  for (const Colour& c : light) sum += c[0] + c[1] + c[2];
  return sum / (3.0 * static_cast<double>(light.size()));
}

double squared_error(const Colour& a, const Colour& b) { return dot(a - b, a - b) / 3; }

double mean_squared_error(const std::vector<Colour>& light, const std::vector<Colour>& right) {
  double sum = 0;
  for (std::size_t p = 0; p < light.size(); ++p) sum += squared_error(light[p], right[p]);
  return sum / static_cast<double>(light.size());
}

bool same_bits(const std::vector<Colour>& a, const std::vector<Colour>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Colour)) == 0;
}

// Pixels that differ much from one beside or below them in the noise-free picture: silhouettes, shadow, chequers.
std::vector<std::size_t> edge_pixels(const TracedPicture& picture) {
  constexpr float kContrast = 0.2f;
  std::vector<std::size_t> edges;
  for (int y = 0; y + 1 < picture.height; ++y)
    for (int x = 0; x + 1 < picture.width; ++x) {
      const Colour& c = picture.light[picture.at(x, y)];
      if (norm(c - picture.light[picture.at(x + 1, y)]) > kContrast || norm(c - picture.light[picture.at(x, y + 1)]) > kContrast)
        edges.push_back(picture.at(x, y));
    }
  return edges;
}

// Bright snow that six samples see through with a chance of 0.3: the dark ground behind it is seen in some of them.
TracedPicture thin_snow(int samples) {
  TracedPicture picture = empty_picture(96, 54);
  picture.albedo_variance.assign(picture.light.size(), 0);
  picture.depth_variance.assign(picture.light.size(), 0);
  Rng random(5);
  for (std::size_t p = 0; p < picture.light.size(); ++p) {
    float ground = 0;
    for (int s = 0; s < samples; ++s) ground += random.uniform() < 0.3 ? 1.0f : 0.0f;
    const float part = ground / static_cast<float>(samples), variance = part * (1 - part) / static_cast<float>(samples - 1);
    picture.light[p] = Colour::filled(mix(0.9f, 0.02f, part));
    picture.variance[p] = Colour::filled(0.88f * 0.88f * variance);
    picture.albedo[p] = Colour::filled(mix(0.95f, 0.12f, part));
    picture.normal[p] = (1 - part) * Float3{0, 0, 1} + part * Float3{0, 1, 0};
    picture.depth[p] = mix(4.0f, 5.0f, part);
    picture.albedo_variance[p] = 3 * 0.83f * 0.83f * variance;
    picture.depth_variance[p] = variance;
  }
  return picture;
}

TEST(Denoise, LeavesNoSpecksWherePixelsShowSeveralThings) {
  const float right = mix(0.9f, 0.02f, 0.3f);
  const std::vector<Colour> light = denoise(thin_snow(6));
  EXPECT_NEAR(mean(light), right, 0.03 * right);
  float darkest = 1;
  for (const Colour& c : light) darkest = min(darkest, c[0]);
  EXPECT_GT(darkest, 0.4f * right) << "not as dark as the ground";
}

class DenoiseSamples : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Few, DenoiseSamples, ::testing::Values(4, 16));

TEST_P(DenoiseSamples, NoiseFallsTwentyfold) {
  const TracedPicture picture = noisy(truth(), GetParam());
  EXPECT_LT(mean_squared_error(denoise(picture), truth().light), mean_squared_error(picture.light, truth().light) / 20);
}

TEST_P(DenoiseSamples, FirefliesGo) {
  const std::vector<Colour> calm = denoise(noisy(truth(), GetParam(), kFireflies));
  EXPECT_LT(mean_squared_error(calm, truth().light), 2 * mean_squared_error(denoise(noisy(truth(), GetParam())), truth().light));
  float worst = 0;
  for (std::size_t p = 0; p < calm.size(); ++p) worst = std::max(worst, norm(calm[p] - truth().light[p]));
  EXPECT_LT(worst, 2) << "one firefly is 100 / samples times the light";
}

TEST_P(DenoiseSamples, MeanStaysWithinOnePercent) {
  const TracedPicture picture = noisy(truth(), GetParam());
  EXPECT_NEAR(mean(denoise(picture)), mean(picture.light), 0.01 * mean(picture.light));
  EXPECT_NEAR(mean(denoise(noisy(truth(), GetParam(), kFireflies))), mean(truth().light), 0.01 * mean(truth().light));
}

TEST_P(DenoiseSamples, EdgesGetBetterToo) {
  const TracedPicture picture = noisy(truth(), GetParam());
  const std::vector<Colour> calm = denoise(picture);
  const std::vector<std::size_t> edges = edge_pixels(truth());
  ASSERT_GT(edges.size(), 500u);
  double before = 0, after = 0;
  for (const std::size_t p : edges) {
    before += squared_error(picture.light[p], truth().light[p]);
    after += squared_error(calm[p], truth().light[p]);
  }
  EXPECT_LT(after, 0.5 * before);
}

TEST(Denoise, ShadowOnOneSurfaceKeepsItsEdge) {
  TracedPicture floor = empty_picture(64, 64);
  for (std::size_t p = 0; p < floor.light.size(); ++p) {
    floor.light[p] = Colour::filled(p % 64 < 32 ? 0.25f : 1.0f);
    floor.normal[p] = {0, 1, 0};
    floor.depth[p] = 4;
  }
  const std::vector<Colour> calm = denoise(noisy(floor, 16));
  const auto column = [&](int x) {
    double sum = 0;
    for (int y = 0; y < 64; ++y) sum += calm[floor.at(x, y)][1];
    return sum / 64;
  };
  EXPECT_NEAR(column(30), 0.25, 0.06);
  EXPECT_NEAR(column(33), 1, 0.06);
}

TEST(Denoise, EvenLightHasNoBlotches) {
  TracedPicture wall = empty_picture(96, 96);
  std::fill(wall.depth.begin(), wall.depth.end(), 4.0f);
  std::fill(wall.normal.begin(), wall.normal.end(), Float3{0, 0, 1});
  const std::vector<Colour> calm = denoise(noisy(wall, 4));
  EXPECT_LT(mean_squared_error(calm, wall.light), 0.25 / 60) << "1/4 is the variance of four such samples";
  for (const Colour& c : calm) EXPECT_NEAR(c[1], 1, 0.35);
}

TEST(Denoise, WithoutVarianceNothingChanges) { EXPECT_TRUE(same_bits(denoise(truth()), truth().light)); }

TEST(Denoise, NoiseFreeSkyBehindNoiseStaysBitByBit) {
  const std::vector<Colour> calm = denoise(noisy(truth(), 4));
  std::size_t changed = 0;
  for (std::size_t p = 0; p < calm.size(); ++p)
    changed += truth().depth[p] == 0 && std::memcmp(&calm[p], &truth().light[p], sizeof(Colour)) != 0;
  EXPECT_EQ(changed, 0u);
}

TEST(Denoise, NumberOfThreadsDoesNotMatter) {
  const TracedPicture picture = noisy(truth(), 4, kFireflies);
  const auto with_threads = [&](int n) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, n);
    return denoise(picture);
  };
  EXPECT_TRUE(same_bits(with_threads(1), with_threads(4)));
}

TEST(Denoise, AnySizeWorks) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 1}, {1, 9}, {16, 16}, {5, 40}, {300, 3}}) {
    const TracedPicture picture = noisy(lit_sphere(width, height), 4);
    const std::vector<Colour> calm = denoise(picture);
    ASSERT_EQ(calm.size(), picture.light.size());
    for (const Colour& c : calm)
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(c[i] >= 0 && c[i] < 100) << width << " × " << height;
  }
}

TEST(Denoise, BlackThingsStayBlack) {
  TracedPicture picture = noisy(lit_sphere(32, 32), 4);
  std::fill(picture.albedo.begin(), picture.albedo.end(), Colour::zero());
  std::fill(picture.light.begin(), picture.light.end(), Colour::zero());
  EXPECT_EQ(mean(denoise(picture)), 0);
}

}  // namespace
}  // namespace firn
