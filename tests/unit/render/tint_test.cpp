// What colours stand for, and the legend that tells it.
#include "render/shared/tint.h"

#include <gtest/gtest.h>

#include <functional>

#include "firn/error.h"
#include "render/shared/canvas.h"
#include "render/shared/vector.h"
#include "scenes.h"

namespace firn {
namespace {

using namespace test;

Frame ball_at_speed(double speed) {
  Frame frame = make_ball({0, 0.2, 0}, 3, 0.02);
  for (auto& v : frame.velocity) v = {0, -speed, 0};
  return frame;
}

Frame ball_of_jp(double jp) {
  Frame frame = make_ball({0, 0.2, 0}, 3, 0.02);
  frame.jp.assign(frame.size(), jp);
  return frame;
}

Tint tint_of(ColourBy by, const std::vector<Frame>& frames, const Scenery* scenery = nullptr) {
  Tint tint(by, scenery);
  for (const Frame& frame : frames) tint.include(frame, "a.ply");
  return tint;
}

Colour colour_of(const Tint& tint, const Frame& frame) { return tint.colours(frame, "a.ply").front(); }

bool is_same(const Colour& a, const Colour& b) { return norm(a - b) < 1e-5f; }

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ColourMaps, GetBrighterWithTheNumberAndStayWithinWhatPicturesShow) {
  for (const ColourMap map : {ember, lagoon}) {
    float before = 0;
    for (int i = 0; i <= 100; ++i) {
      const Colour colour = map(static_cast<float>(i) / 100);
      EXPECT_GT(luminance(colour), before) << i;
      before = luminance(colour);
      for (int c = 0; c < 3; ++c) EXPECT_TRUE(colour[c] >= 0 && colour[c] <= 1) << i;
    }
  }
  EXPECT_TRUE(is_same(ember(-3), ember(0)));
  EXPECT_TRUE(is_same(ember(7), ember(1)));
}

TEST(ColourMaps, KindsAreFarApart) {
  for (std::size_t i = 0; i < 2 * kHues; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      float difference = 0;
      for (int c = 0; c < 3; ++c) difference += std::abs(encode_srgb(distinct(i)[c]) - encode_srgb(distinct(j)[c]));
      EXPECT_GT(difference, 0.2f) << i << " and " << j;
    }
}

TEST(Tint, FramesOfAFilmShareOneScale) {
  const Frame slow = ball_at_speed(1), fast = ball_at_speed(4);
  const Tint both = tint_of(ColourBy::kSpeed, {slow, fast}), alone = tint_of(ColourBy::kSpeed, {slow});
  EXPECT_EQ(both.legend().low, "0");
  EXPECT_EQ(both.legend().high, "4");
  EXPECT_EQ(alone.legend().high, "1");
  EXPECT_TRUE(is_same(colour_of(both, fast), ember(1)));
  EXPECT_TRUE(is_same(colour_of(both, slow), ember(0.25f)));
  EXPECT_TRUE(is_same(colour_of(tint_of(ColourBy::kSpeed, {fast, slow}), slow), ember(0.25f))) << "in any order";
}

TEST(Tint, OneFastParticleDoesNotTakeTheScale) {
  Frame frame = ball_at_speed(1);
  frame.velocity[7] = {500, 0, 0};
  const Tint tint = tint_of(ColourBy::kSpeed, {frame});
  EXPECT_EQ(tint.legend().high, "1");
  EXPECT_TRUE(is_same(tint.colours(frame, "a.ply")[7], ember(1))) << "it gets the colour of the end";
}

TEST(Tint, SnowAtRestHasAScaleToo) {
  const Tint tint = tint_of(ColourBy::kSpeed, {ball_at_speed(0)});
  EXPECT_EQ(tint.legend().high, "0.01");
  EXPECT_TRUE(is_same(colour_of(tint, ball_at_speed(0)), ember(0)));
  EXPECT_EQ(tint_of(ColourBy::kDensity, {Frame{}}).colours(Frame{}, "a.ply").size(), 0u);
}

TEST(Tint, JpOfOneIsWhiteAndTheScaleReachesAsFarToBothSides) {
  const Tint tint = tint_of(ColourBy::kJp, {ball_of_jp(0.7), ball_of_jp(1.1)});
  const Colour white = colour_of(tint, ball_of_jp(1));
  EXPECT_NEAR(white[0], white[2], 0.01f);
  EXPECT_GT(luminance(white), 0.8f);
  const Legend legend = tint.legend();
  EXPECT_EQ(legend.low, "0.667");
  EXPECT_EQ(legend.middle, "1");
  EXPECT_EQ(legend.high, "1.5");
  EXPECT_TRUE(is_same(colour_of(tint, ball_of_jp(1 / 1.5)), red_to_blue(0)));
  EXPECT_TRUE(is_same(colour_of(tint, ball_of_jp(1.5)), red_to_blue(1)));
  EXPECT_EQ(tint_of(ColourBy::kJp, {ball_of_jp(40)}).legend().high, "2") << "torn snow is stretched without end";
}

TEST(Tint, DensityIsMassOverPresentVolume) {
  Frame packed = ball_of_jp(0.8);
  const Tint tint = tint_of(ColourBy::kDensity, {ball_of_jp(1), packed});
  EXPECT_EQ(tint.legend().low, "400");
  EXPECT_EQ(tint.legend().high, "500");
  EXPECT_TRUE(is_same(colour_of(tint, ball_of_jp(1)), lagoon(0)));
  EXPECT_TRUE(is_same(colour_of(tint, packed), lagoon(1)));
}

TEST(Tint, SnowOfOneDensityIsInTheMiddleOfItsScale) {
  const Frame fresh = ball_of_jp(1);  // of 400 kg/m³
  const Tint tint = tint_of(ColourBy::kDensity, {fresh});
  EXPECT_EQ(tint.legend().low, "390");
  EXPECT_EQ(tint.legend().high, "410");
  for (const Colour& colour : tint.colours(fresh, "a.ply")) EXPECT_TRUE(is_same(colour, lagoon(0.5f))) << "at the surface as well";
}

TEST(Tint, MaterialsHaveTheColoursOfTheirNames) {
  Scene scene = make_floor();
  scene.materials.resize(2);
  scene.materials[1].name = "crust";
  const Staged staged(scene);
  Frame frame = make_ball({0, 0.2, 0}, 3, 0.02);
  frame.material[5] = 1;
  const Tint tint = tint_of(ColourBy::kMaterial, {frame}, staged);
  EXPECT_TRUE(is_same(tint.colours(frame, "a.ply")[0], tint.legend().kinds[0].colour));
  EXPECT_TRUE(is_same(tint.colours(frame, "a.ply")[5], tint.legend().kinds[1].colour));
  EXPECT_EQ(tint.legend().kinds[1].name, "crust");
  frame.material[5] = 2;
  EXPECT_EQ(error_of([&] { tint.colours(frame, "a.ply"); }), "a.ply: material 2 is not in the scene.toml beside it, which has 2: 0 to 1");
}

TEST(Tint, WhatAFrameLacksIsNamed) {
  const auto error = [](ColourBy by, const std::function<void(Frame&)>& spoil) {
    Frame frame = ball_at_speed(1);
    spoil(frame);
    return error_of([&] { tint_of(by, {frame}); });
  };
  EXPECT_EQ(error(ColourBy::kSpeed, [](Frame& f) { f.velocity.clear(); }),
            "a.ply: to colour the snow by speed takes its velocity (how it moves), which the file does not have");
  EXPECT_EQ(error(ColourBy::kJp, [](Frame& f) { f.jp.clear(); }),
            "a.ply: to colour the snow by jp takes its jp (J_P, plastic volume: below 1 it is packed), which the file does not have");
  for (const auto& spoil : std::vector<std::function<void(Frame&)>>{[](Frame& f) { f.mass.clear(); }, [](Frame& f) { f.volume.clear(); },
                                                                    [](Frame& f) { f.jp.clear(); }, [](Frame& f) { f.je.clear(); }})
    EXPECT_NE(error(ColourBy::kDensity, spoil).find("to colour the snow by density takes its "), std::string::npos);
  EXPECT_NE(error(ColourBy::kMaterial, [](Frame& f) { f.material.clear(); }).find("takes its material"), std::string::npos);
  EXPECT_EQ(error(ColourBy::kMaterial, [](Frame&) {}),
            "a.ply: to colour the snow by material takes the scene.toml of its run beside it, which names them");
}

TEST(Legend, ShowsEveryColourOfTheMapAndLeavesTheRestOfThePicture) {
  const Image grey{320, 180, std::vector<std::uint8_t>(320 * 180 * 3, 90)};
  Image image = grey;
  draw_legend(tint_of(ColourBy::kSpeed, {ball_at_speed(3)}).legend(), image);
  for (const float t : {0.05f, 0.3f, 0.5f, 0.7f, 0.95f}) {
    bool found = false;
    for (int y = 90; y < 180 && !found; ++y)
      for (int x = 0; x < 160 && !found; ++x) {
        const Pixel p = pixel_at(image, x, y);
        const Colour wanted = ember(t);
        found = std::abs(p.r - to_byte(wanted[0])) + std::abs(p.g - to_byte(wanted[1])) + std::abs(p.b - to_byte(wanted[2])) < 12;
      }
    EXPECT_TRUE(found) << t;
  }
  int changed = 0;
  for (int y = 0; y < 180; ++y)
    for (int x = 0; x < 320; ++x) changed += (x >= 160 || y < 90) && pixel_at(image, x, y).brightness() != 90;
  EXPECT_EQ(changed, 0);
  Image tiny{16, 16, std::vector<std::uint8_t>(16 * 16 * 3, 90)};
  draw_legend(tint_of(ColourBy::kSpeed, {ball_at_speed(3)}).legend(), tiny);
  EXPECT_EQ(tiny.rgb.size(), 16u * 16 * 3);
}

TEST(Legend, NumbersAreWrittenInIt) {
  Legend legend{"speed", ember, "1", "", "2", {}};
  const auto drawn = [&] {
    Image image{320, 180, std::vector<std::uint8_t>(320 * 180 * 3, 90)};
    draw_legend(legend, image);
    return image.rgb;
  };
  const auto before = drawn();
  legend.high = "3";
  EXPECT_NE(drawn(), before);
}

TEST(StrokeText, EveryLetterStaysOnItsPlace) {
  std::vector<StrokeText> seen;
  for (char c = '!'; c <= '~'; ++c) {
    const StrokeText text = set_text(std::string(1, c));
    ASSERT_FALSE(text.strokes.empty()) << c;
    for (const Stroke& s : text.strokes)
      for (const auto& p : {s.from, s.to}) {
        EXPECT_TRUE(p[0] >= 0 && p[0] <= text.width + 1e-6f) << c;
        EXPECT_TRUE(p[1] >= -kDescent && p[1] <= 1.2f) << c;
      }
    EXPECT_LE(text.width, 1.0f) << c;
  }
  EXPECT_GT(set_text("snow").width, set_text("sno").width);
  EXPECT_GT(set_text("a b").width, set_text("ab").width);
  EXPECT_EQ(set_text("").width, 0);
  EXPECT_NE(set_text("m³").strokes.size(), set_text("mé").strokes.size()) << "a cube is a letter, others are boxes";
}

}  // namespace
}  // namespace firn
