// Skies from pictures: what they shine, how directions are chosen, and that bright spots are found.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "firn/error.h"
#include "render/path/lights.h"

namespace firn {
namespace {

constexpr double kPi = std::numbers::pi;

HdrImage even_image(int height, const Colour& colour) {
  return {2 * height, height, std::vector<Colour>(static_cast<std::size_t>(2 * height * height), colour)};
}

// Darker towards the right, with a bright pixel and black ones.
HdrImage rough_image() {
  HdrImage image = even_image(8, {0, 0, 0});
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 12; ++x) image.pixels[image.at(x, y)] = (1.0f / (1 + x)) * Colour{1, 0.5f, 0.25f};
  image.pixels[image.at(5, 2)] = {50, 40, 30};
  return image;
}

Float3 any_direction(Rng& rng) { return direction_about({0, 1, 0}, 1 - 2 * random_float(rng), random_float(rng)); }

TEST(SkyImage, ItsMiddleIsAtMinusZAndXToTheRight) {
  HdrImage image = even_image(4, {0, 0, 0});
  for (int y = 0; y < 4; ++y) {
    for (const int x : {3, 4}) image.pixels[image.at(x, y)][0] = 1;  // red in the middle
    for (const int x : {5, 6}) image.pixels[image.at(x, y)][1] = 1;  // green right of it
  }
  for (int x = 0; x < 8; ++x) image.pixels[image.at(x, 0)] = {0, 0, 1};  // blue above
  const SkyImage sky(image, 0, 1);
  EXPECT_NEAR(sky.radiance({0, 0, -1})[0], 1, 1e-5);
  EXPECT_NEAR(sky.radiance({1, 0, 0})[1], 1, 1e-5);
  EXPECT_NEAR(sky.radiance({0, 1, 0})[2], 1, 1e-5);
  EXPECT_EQ(luminance(sky.radiance({0, 0, 1})), 0);
  const SkyImage turned(image, 90, 2);
  EXPECT_NEAR(turned.radiance({-1, 0, 0})[0], 2, 1e-4) << "from -z a quarter about +y, and twice as bright";
  EXPECT_NEAR(turned.radiance({0, 0, -1})[1], 2, 1e-4);
}

TEST(SkyImage, IsSmoothAcrossItsSeamAndAtThePoles) {
  const SkyImage sky(rough_image(), 77, 1);
  for (const Float3& d : {Float3{0, 1, 0}, Float3{0, -1, 0}, Float3{-0.0f, 0, 1}, Float3{0.0f, 0, 1}}) {
    const Colour here = sky.radiance(d), beside = sky.radiance(normalized(d + Float3{1e-5f, 1e-5f, 0}));
    for (int c = 0; c < 3; ++c) EXPECT_TRUE(std::isfinite(here[c]) && here[c] >= 0);
    for (int c = 0; c < 3 && d[1] == 0; ++c) EXPECT_NEAR(here[c], beside[c], 1e-3);
    EXPECT_TRUE(std::isfinite(sky.pdf(d)));
  }
}

// Pictures of more pixels than cells: the pdf still is that of the directions which are chosen, and bright spots are found.
TEST(SkyImage, OfALargePictureChoosesByCellsOfSeveralPixels) {
  HdrImage image = even_image(2304, {0.5f, 0.5f, 0.5f});  // 4608 across
  for (int y = 600; y < 606; ++y)
    for (int x = 1001; x < 1007; ++x) image.pixels[image.at(x, y)] = {1e5f, 1e5f, 1e5f};
  const SkyImage sky(std::move(image), 30, 1);
  Rng rng(4);
  int bright = 0;
  double mean = 0;  // of 1 / pdf: the whole sphere
  constexpr int kTries = 20000;
  for (int i = 0; i < kTries; ++i) {
    const Float3 direction = sky.choose(rng);
    ASSERT_GT(sky.pdf(direction), 0);
    bright += luminance(sky.radiance(direction)) > 1e3f;
    mean += luminance(sky.radiance(direction)) / sky.pdf(direction) / kTries;
  }
  EXPECT_GT(bright, kTries / 20);
  EXPECT_NEAR(mean, sky.fluence(), 0.02 * sky.fluence());
}

// Bands of height and sectors of all directions: as many as their pdf says.
TEST(SkyImage, ChoosesDirectionsAsOftenAsItsPdfSays) {
  const SkyImage sky(rough_image(), 30, 1);
  constexpr int kBands = 12, kSectors = 20, kSamples = 400000;
  const auto bin_of = [](const Float3& d) {
    const int band = std::min(static_cast<int>((d[1] + 1) / 2 * kBands), kBands - 1);
    const int sector = std::min(static_cast<int>((std::atan2(d[0], d[2]) / (2 * kPi) + 0.5) * kSectors), kSectors - 1);
    return band * kSectors + sector;
  };
  std::vector<double> expected(kBands * kSectors, 0), drawn(kBands * kSectors, 0);
  Rng rng(5);
  constexpr int kProbes = 4000000;
  for (int i = 0; i < kProbes; ++i) {
    const Float3 d = any_direction(rng);
    expected[bin_of(d)] += sky.pdf(d) * 4 * kPi / kProbes;
  }
  for (int i = 0; i < kSamples; ++i) drawn[bin_of(sky.choose(rng))] += 1;
  double whole = 0;
  for (int bin = 0; bin < kBands * kSectors; ++bin) {
    whole += expected[bin];
    const double mean = expected[bin] * kSamples;
    EXPECT_NEAR(drawn[bin], mean, 5 * std::sqrt(mean + 1) + 0.02 * mean) << bin;
  }
  EXPECT_NEAR(whole, 1, 0.01);
}

TEST(SkyImage, FluenceIsTheIntegralOfItsLuminance) {
  const SkyImage sky(rough_image(), 0, 3);
  Rng rng(9);
  double sum = 0;
  constexpr int kProbes = 2000000;
  for (int i = 0; i < kProbes; ++i) sum += luminance(sky.radiance(any_direction(rng)));
  EXPECT_NEAR(sum * 4 * kPi / kProbes / sky.fluence(), 1, 0.02);
}

TEST(SkyImage, SamplesHaveLightInProportionToTheirPdfUpToTheSlopesOfAPixel) {
  const SkyImage sky(rough_image(), 0, 1);
  const Lights lights(Daylight::even({0, 0, 0}), &sky);
  Rng rng(2);
  float most = 0;
  for (int i = 0; i < 100000; ++i) most = std::max(most, luminance(lights.sample({0, 0, 0}, rng).light));
  EXPECT_LT(most, 16 * sky.fluence()) << "a corner beside a bright pixel has a quarter of its light, the mean over that pixel 1/64";
}

TEST(SkyImage, WithoutAnyLightIsDark) {
  const SkyImage sky(even_image(2, {0, 0, 0}), 0, 1);
  EXPECT_EQ(sky.fluence(), 0);
  const Lights lights(Daylight::even({0, 0, 0}), &sky);
  Rng rng(1);
  EXPECT_EQ(luminance(lights.sample({0, 0, 0}, rng).light), 0);
  EXPECT_EQ(luminance(lights.found({{0, 0, 0}, {0, 1, 0}}, {}).radiance), 0);
}

TEST(SkyImage, MustBeTwiceAsWideAsHigh) {
  try {
    SkyImage({3, 2, std::vector<Colour>(6)}, 0, 1);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "3 x 2 pixels; a sky is twice as wide as high");
  }
}

TEST(AliasTable, DrawsInProportion) {
  const AliasTable table({1, 0, 3, 1e-3f, 6});
  std::vector<int> drawn(5, 0);
  Rng rng(3);
  constexpr int kDraws = 1000000;
  for (int i = 0; i < kDraws; ++i) ++drawn[table.draw(rng)];
  for (std::size_t i = 0; i < drawn.size(); ++i)
    EXPECT_NEAR(drawn[i], kDraws * table.chance(i), 5 * std::sqrt(kDraws * table.chance(i))) << i;
  EXPECT_NEAR(table.chance(4), 6 / 10.001, 1e-6);
  EXPECT_NEAR(table.sum(), 10.001, 1e-6);
}

}  // namespace
}  // namespace firn
