// From light to 8 bits: the sRGB code, tone curves, exposure.
#include <gtest/gtest.h>

#include "render/path/picture.h"
#include "render/shared/vector.h"
#include "scenes.h"

namespace firn {
namespace {

using namespace test;

Colour grey(float light) { return Colour::filled(light); }

Pixel shown(const Colour& light, const ToneCurve& tone) { return pixel_at(develop({light}, 1, 1, 1, tone), 0, 0); }

TEST(Srgb, BytesSurviveTheWayToLightAndBack) {
  for (int i = 0; i < 256; ++i) EXPECT_EQ(to_byte(from_byte(static_cast<std::uint8_t>(i))), i);
}

TEST(Srgb, CodeIsThatOfTheStandard) {
  EXPECT_EQ(to_byte(0.18f), 118);
  EXPECT_EQ(to_byte(0.5f), 188);
  EXPECT_EQ(to_byte(-1), 0);
  EXPECT_EQ(to_byte(7), 255);
}

TEST(Filmic, SunlitSnowIsJustUnderWhiteAndMiddleGreyStays) {
  EXPECT_EQ(shown(grey(0.18f), filmic).g, 118);
  EXPECT_GT(shown(grey(1), filmic).g, 235);
  EXPECT_LT(shown(grey(1), filmic).g, 245);
  EXPECT_GT(shown(grey(1.5f), filmic).g, shown(grey(1), filmic).g + 5) << "brighter snow still has form";
  EXPECT_EQ(shown(grey(0), filmic).g, 0);
  EXPECT_EQ(shown(grey(1e30f), filmic).g, 255);
}

TEST(Filmic, CurveRisesSmoothlyWithAToeAndAShoulder) {
  constexpr float kStep = 1e-3f;
  const auto slope = [](float x) { return (filmic(grey(x + kStep))[0] - filmic(grey(x))[0]) / kStep; };
  for (float x = 0; x < 3; x += kStep) {
    EXPECT_GT(slope(x), 0) << x;
    EXPECT_NEAR(slope(x + kStep), slope(x), 0.02) << x;
  }
  EXPECT_LT(slope(0), 0.7f);
  EXPECT_NEAR(slope(0.18f), 1, 0.01);
  EXPECT_LT(slope(1), 0.5f);
}

// The place of the middle channel between the least and the greatest.
float hue(const Colour& c) { return (c[1] - c[2]) / (c[0] - c[2]); }

TEST(Filmic, HueStaysAndBrightColoursBleach) {
  const Colour orange{1, 0.5f, 0.2f};
  for (const float light : {0.05f, 0.3f, 1.0f, 2.0f}) EXPECT_NEAR(hue(filmic(light * orange)), hue(orange), 0.2) << light;
  const Colour dim = filmic(0.2f * orange), bright = filmic(8.0f * orange);
  EXPECT_GT(bright[2] / bright[0], 2 * dim[2] / dim[0]);
}

TEST(Filmic, GreyStaysGrey) {
  for (const float light : {0.01f, 0.1f, 0.9f, 4.0f}) {
    const Colour c = filmic(grey(light));
    EXPECT_TRUE(c[0] == c[1] && c[1] == c[2]);
  }
}

TEST(Clipped, ShowsLightAsItIsUpToWhite) {
  const Pixel p = shown({0.5f, 1, 3}, clipped);
  EXPECT_EQ(p.r, 188);
  EXPECT_EQ(p.g, 255);
  EXPECT_EQ(p.b, 255);
}

TEST(Exposure, AStopDoublesTheLight) {
  EXPECT_EQ(shown(grey(0.1f), exposed(2, clipped)).g, shown(grey(0.4f), clipped).g);
  EXPECT_EQ(shown(grey(0.8f), exposed(-1, filmic)).g, shown(grey(0.4f), filmic).g);
  EXPECT_EQ(shown(grey(0.3f), exposed(0, filmic)).g, shown(grey(0.3f), filmic).g);
}

TEST(Develop, SamplesOfAPixelAreAveragedBeforeTheCurve) {
  const Image image = develop({grey(0), grey(0), grey(0), grey(2)}, 1, 1, 2, clipped);
  EXPECT_EQ(pixel_at(image, 0, 0).g, 188);
}

}  // namespace
}  // namespace firn
