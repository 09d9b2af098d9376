// Light in snow: nothing is gained, nothing is lost that is not absorbed, and a slab is what an independent calculation says.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "render/path/deep_snow.h"
#include "render/path/tracer.h"
#include "scenes.h"

namespace firn {
namespace {

using test::make_plane;

// From y = 0 to 1, much wider than thick. Half a voxel is left out on both sides, where the snow falls to nothing within one: the
// optical thickness is right.
Medium wide_slab(float extinction) {
  constexpr float kVoxel = 0.05f, kWide = 6;
  return Medium(Float3{-kWide, kVoxel / 2, -kWide}, Float3{kWide, 1 - kVoxel / 2, kWide}, extinction, static_cast<int>(2 * kWide / kVoxel));
}

Colour mean_light(const PathTracer& tracer, const Ray& ray, int samples) {
  Colour sum = Colour::zero();
  for (int s = 0; s < samples; ++s) {
    Rng rng(Rng::cell_key(7, s, 0, 0));
    sum += tracer.trace(ray, 1e-3f, rng).light;
  }
  return (1 / static_cast<float>(samples)) * sum;
}

TEST(WhiteFurnace, SnowThatAbsorbsNothingCannotBeSeenInEvenLight) {
  const Medium medium(Float3{-0.5f, -0.5f, -0.5f}, Float3{0.5f, 0.5f, 0.5f}, 30, 16);
  const Stage nothing;
  const PathTracer tracer(medium, nothing, Daylight::even({1, 1, 1}), {{1, 1, 1}, 0.5f});
  for (const Ray& ray :
       {Ray{{-3, 0.1f, 0}, {1, 0, 0}}, Ray{{-3, 0.45f, 0.45f}, {1, 0, 0}}, Ray{{0, 0, 0}, {0, 1, 0}}, Ray{{-3, 2, 0}, {1, 0, 0}}}) {
    const Colour light = mean_light(tracer, ray, 20000);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(light[c], 1, 0.02);
  }
}

TEST(EvenLight, IsNeverGainedAndMoreIsLostWhereMoreIsAbsorbed) {
  const Medium medium(Float3{-0.5f, -0.5f, -0.5f}, Float3{0.5f, 0.5f, 0.5f}, 30, 16);
  const Stage nothing;
  const PathTracer tracer(medium, nothing, Daylight::even({1, 1, 1}), {{0.9f, 0.95f, 1.0f}, 0.5f});
  const Colour light = mean_light(tracer, {{-3, 0.1f, 0}, {1, 0, 0}}, 20000);
  EXPECT_LT(light[0], light[1]);
  EXPECT_LT(light[1], light[2]);
  EXPECT_LT(light[2], 1.02f);
  EXPECT_GT(light[0], 0.2f);
}

// The same slab calculated in one dimension, by other means: distances along y alone, directions by rejection, absorption by chance.
class OtherSlab {
 public:
  OtherSlab(double extinction, double albedo, double g) : extinction_(extinction), albedo_(albedo), g_(g) {}

  // Of photons that start on the top face along `way`: the mean of light.sky() where they leave; in red.
  double mean_sky(const Daylight& light, std::array<double, 3> start, int photons) {
    double sum = 0;
    for (int i = 0; i < photons; ++i) sum += one(light, start);
    return sum / photons;
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>()(random_); }

  std::array<double, 3> any_direction() {
    for (;;) {
      std::array<double, 3> w{2 * uniform() - 1, 2 * uniform() - 1, 2 * uniform() - 1};
      const double length = std::hypot(w[0], w[1], w[2]);
      if (length > 1 || length < 1e-3) continue;
      for (double& x : w) x /= length;
      return w;
    }
  }

  std::array<double, 3> turned(const std::array<double, 3>& way) {
    const double most = (1 - g_ * g_) / std::pow(1 - g_, 3);
    for (;;) {
      const std::array<double, 3> w = any_direction();
      const double cosine = w[0] * way[0] + w[1] * way[1] + w[2] * way[2];
      if (uniform() * most < (1 - g_ * g_) / std::pow(1 + g_ * g_ - 2 * g_ * cosine, 1.5)) return w;
    }
  }

  double one(const Daylight& light, std::array<double, 3> way) {
    double y = 1;
    for (;;) {
      y += way[1] * -std::log(1 - uniform()) / extinction_;
      if (y < 0 || y > 1) return light.sky({static_cast<float>(way[0]), static_cast<float>(way[1]), static_cast<float>(way[2])})[0];
      if (uniform() > albedo_) return 0;
      way = turned(way);
    }
  }

  std::mt19937_64 random_{12};
  double extinction_, albedo_, g_;
};

class SlabOf : public ::testing::TestWithParam<std::array<float, 3>> {};

TEST_P(SlabOf, SnowReflectsWhatAnIndependentCalculationSays) {
  const auto [extinction, albedo, g] = GetParam();
  const Medium medium = wide_slab(extinction);
  const Stage nothing;
  Daylight light;  // bright above, dark below
  light.zenith = light.horizon = {1, 1, 1};
  light.below = {0, 0, 0};
  light.sunlight = Colour::zero();
  const PathTracer tracer(medium, nothing, light, {{albedo, albedo, albedo}, g});
  const Float3 way = normalized(Float3{0.5f, -1, 0.2f});
  const double ours = mean_light(tracer, {Float3{0, 1, 0} - 2.0f * way, way}, 40000)[0];
  const double other = OtherSlab(extinction, albedo, g).mean_sky(light, {way[0], way[1], way[2]}, 40000);
  EXPECT_NEAR(ours, other, 0.02);
}
INSTANTIATE_TEST_SUITE_P(Kinds, SlabOf,
                         ::testing::Values(std::array{2.0f, 0.9f, 0.5f}, std::array{6.0f, 0.95f, 0.5f}, std::array{6.0f, 1.0f, 0.0f},
                                           std::array{10.0f, 0.99f, 0.8f}),
                         [](const auto& info) { return std::to_string(info.index); });

// The sun is looked for at every scattering, the sky is met where paths end: both ways must bring the same.
TEST(Sunlight, IsTheSameAsTheSkyThatShinesAsMuch) {
  const Medium medium(Float3{-0.5f, -0.5f, -0.5f}, Float3{0.5f, 0.5f, 0.5f}, 4, 16);
  const Stage nothing;
  // A sun that stands anywhere shines, in the mean, like an even sky.
  Daylight sun = Daylight::even(Colour::zero());
  sun.sunlight = 4 * std::numbers::pi_v<float> * Colour{1, 1, 1};
  double sum = 0;
  constexpr int kDirections = 4000;
  for (int i = 0; i < kDirections; ++i) {
    Rng rng(Rng::cell_key(3, i, 0, 0));
    sun.sun = direction_about({0, 1, 0}, 1 - 2 * random_float(rng), random_float(rng));
    const PathTracer tracer(medium, nothing, sun, {{1, 1, 1}, 0.5f});
    sum += tracer.trace({{-3, 0.1f, 0.2f}, {1, 0, 0}}, 1e-3f, rng).light[0];
  }
  // Even light of radiance 1 brings 1 along every path; what comes straight through unscattered is the sky's alone.
  const double unscattered = std::exp(-4.0);
  EXPECT_NEAR(sum / kDirections, 1 - unscattered, 0.06);
}

TEST(WhiteBalance, MakesDeepSnowInWhiteLightWhite) {
  const Medium medium = wide_slab(400);
  const Stage nothing;
  const SnowLook plain{{0.9f, 0.95f, 1.0f}, 0.5f};
  const Ray ray{{-1, 2, 0}, normalized(Float3{1, -1, 0})};
  const auto hue = [&](float part) {
    const SnowLook look{white_balanced(plain.albedo, plain.anisotropy, part), plain.anisotropy};
    const Colour light = mean_light(PathTracer(medium, nothing, Daylight::even({1, 1, 1}), look), ray, 4000);
    return light[0] / light[2];
  };
  EXPECT_LT(hue(0), 0.5);
  EXPECT_NEAR(hue(0.9f), 0.9, 0.05) << "0.36 to the power of a tenth";
  EXPECT_NEAR(hue(1), 1, 1e-3);
}

TEST(WhiteBalance, OfNothingAndOfGreySnowLeavesTheAlbedo) {
  const Colour paper{0.9f, 0.95f, 1.0f}, grey{0.7f, 0.7f, 0.7f}, soot{0.01f, 0.3f, 0.3f};
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(white_balanced(paper, 0.5f, 0)[c], paper[c]);
    EXPECT_EQ(white_balanced(grey, 0.5f, 1)[c], grey[c]);
    EXPECT_EQ(white_balanced(soot, 0.5f, 1)[c], soot[c]) << "what is nearly black stays so";
  }
}

// Else spray looks like straw, or bluer than the heap it comes from.
TEST(WhiteBalance, LeavesLooseSnowAsWhiteAsDeepSnow) {
  const Stage nothing;
  const SnowLook look{white_balanced({0.9f, 0.95f, 1.0f}, 0.5f, 0.9f), 0.5f};
  const Ray ray{{-1, 2, 0}, normalized(Float3{1, -1, 0})};
  const auto hue = [&](float extinction) {
    const Colour light = mean_light(PathTracer(wide_slab(extinction), nothing, Daylight::even({1, 1, 1}), look), ray, 8000);
    return light[0] / light[2];
  };
  EXPECT_NEAR(hue(0.5f), 1, 0.02);
  EXPECT_LT(hue(400), hue(0.5f)) << "what blue there is comes from the depth";
}

class ProgressivePictureOfABox : public ::testing::Test {
 protected:
  static constexpr int kWidth = 50, kHeight = 34;  // not a whole number of tiles

  TracedPicture picture(std::uint32_t seed, const std::vector<int>& passes) const {
    ProgressivePicture picture({{tracer_, Camera{}}}, {kWidth, kHeight, seed});
    for (const int samples : passes) EXPECT_TRUE(picture.add(samples, nullptr));
    return picture.picture();
  }

  static bool same(const std::vector<Colour>& a, const std::vector<Colour>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Colour)) == 0;
  }

  const Medium medium_{Float3{-0.5f, -0.5f, -0.5f}, Float3{0.5f, 0.5f, 0.5f}, 10, 16};
  const Stage nothing_;
  const PathTracer tracer_{medium_, nothing_, Daylight{}, {}};
};

TEST_F(ProgressivePictureOfABox, DoesNotDependOnThreadsOrPasses) {
  const TracedPicture whole = picture(5, {4});
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const TracedPicture parts = picture(5, {1, 1, 2});
  EXPECT_TRUE(same(whole.light, parts.light));
  EXPECT_TRUE(same(whole.variance, parts.variance));
  EXPECT_FALSE(same(whole.light, picture(6, {4}).light)) << "another seed";
  EXPECT_FALSE(same(whole.light, picture(5, {3}).light)) << "fewer samples";
}

TEST_F(ProgressivePictureOfABox, StoppedItKeepsWhatItHas) {
  ProgressivePicture picture({{tracer_, Camera{}}}, {kWidth, kHeight, 1});
  EXPECT_FALSE(picture.add(1, [](double) { return false; }));
  EXPECT_EQ(picture.samples(), 0) << "most tiles have none";
  EXPECT_TRUE(picture.add(2, nullptr));
  EXPECT_FALSE(picture.add(4, [](double) { return false; }));
  EXPECT_EQ(picture.samples(), 2);
  double sum = 0;
  for (const Colour& light : picture.picture().light) sum += light[0];
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace
}  // namespace firn
