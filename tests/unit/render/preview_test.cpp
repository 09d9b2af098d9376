#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cstdlib>

#include "render/shared/palette.h"
#include "scenes.h"

namespace firn {
namespace {

using namespace test;

// A ball just above the floor, seen and lit as usual.
class BallOverFloor : public ::testing::Test {
 protected:
  // Beside the ball, on the side of the sun.
  Vec<double, 3> lit_ground() const {
    const Vec<double, 3> shadow = in_shadow();
    const double side = camera.right[0] * shadow[0] + camera.right[2] * shadow[2] > 0 ? -0.16 : 0.16;
    return {side * camera.right[0], 0, side * camera.right[2]};
  }
  // Where the ball's shadow falls.
  Vec<double, 3> in_shadow() const {
    const Float3 sun = choose_sun(camera, Stage(Staged(scene), camera, 0));
    const double t = 0.12 / sun[1];
    return {-t * sun[0], 0, -t * sun[2]};
  }

  Scene scene = make_floor();
  Frame frame = make_ball({0, 0.12, 0});
  Camera camera = camera_for(frame, &scene);
  Image image = render_preview(frame, Staged(scene), camera, {0, kWidth, kHeight});
};

TEST_F(BallOverFloor, SnowIsBrighterThanTheGround) {
  const int snow = pixel_of(image, camera, {0, 0.12, 0}).brightness();
  const int ground = pixel_of(image, camera, lit_ground()).brightness();
  EXPECT_GT(snow, ground + 60);
}

TEST_F(BallOverFloor, ShadowOnTheGroundIsDarkerThanLitGround) {
  const int dark = pixel_of(image, camera, in_shadow()).brightness();
  const int lit = pixel_of(image, camera, lit_ground()).brightness();
  EXPECT_LT(dark, 0.75 * lit);
  EXPECT_GT(dark, 10);
}

TEST_F(BallOverFloor, ShadedSnowIsBluerThanLitSnow) {
  const Float3 sun = choose_sun(camera, Stage(Staged(scene), camera, 0));
  const auto side = [&](double towards_sun) {
    const Float3 across = normalized(sun - dot(sun, camera.forward) * camera.forward);
    return pixel_of(image, camera, {0.08 * towards_sun * across[0], 0.12 + 0.08 * towards_sun * across[1], 0.08 * towards_sun * across[2]});
  };
  const Pixel lit = side(1), shaded = side(-1);
  EXPECT_GT(lit.brightness(), shaded.brightness() + 20);
  EXPECT_GT(shaded.b - shaded.r, lit.b - lit.r + 5);
  EXPECT_GT(lit.brightness(), 200);
}

TEST_F(BallOverFloor, ThreadsDoNotChangeThePicture) {
  for (const int threads : {1, 2, 5}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    EXPECT_EQ(render_preview(frame, Staged(scene), camera, {0, kWidth, kHeight}).rgb, image.rgb) << threads;
  }
}

TEST_F(BallOverFloor, OrderOfTheParticlesDoesNotMatter) {
  Frame reversed;
  for (std::size_t p = frame.size(); p-- > 0;) add_particle(reversed, frame.position[p], frame.volume[p]);
  for (std::size_t p = 0; p < frame.size(); ++p) reversed.id[p] = frame.id[frame.size() - 1 - p];
  const Image other = render_preview(reversed, Staged(scene), camera, {0, kWidth, kHeight});
  long difference = 0;
  for (std::size_t i = 0; i < image.rgb.size(); ++i) difference += std::abs(image.rgb[i] - other.rgb[i]);
  EXPECT_LT(difference / static_cast<double>(image.rgb.size()), 0.02);
}

TEST(Preview, LooksTheSameFarFromTheOrigin) {
  Scene scene = make_floor();
  Frame frame = make_ball({0, 0.12, 0});
  const Image here = picture_of(frame, &scene);
  constexpr double kFar = 262144;  // exact in binary: the particles keep their places to a nanometre
  for (auto& x : frame.position)
    for (double& c : x) c += kFar;
  scene.colliders[0].shape.point = {kFar, kFar, kFar};
  const Image there = picture_of(frame, &scene);
  long difference = 0;
  for (std::size_t i = 0; i < here.rgb.size(); ++i) difference += std::abs(here.rgb[i] - there.rgb[i]);
  EXPECT_LT(difference / static_cast<double>(here.rgb.size()), 3);
}

TEST(Preview, EmptyFrameShowsTheScene) {
  const Scene scene = make_floor(), flat = make_floor(2);
  for (const Scene* s : {&scene, &flat, static_cast<const Scene*>(nullptr)}) {
    const Image image = picture_of(Frame{}, s);
    EXPECT_EQ(image.rgb.size(), std::size_t(3) * kWidth * kHeight);
    EXPECT_EQ(count_white(image), 0);
  }
}

TEST(Preview, OddFramesGiveAPicture) {
  const Scene scene = make_floor();
  Frame one;
  add_particle(one, {0, 0.05, 0}, 1e-6);
  EXPECT_GT(count_white(picture_of(one, &scene)), 5);
  Frame same = one;
  for (int i = 0; i < 2000; ++i) add_particle(same, {0, 0.05, 0}, 1e-6);
  EXPECT_GT(count_white(picture_of(same, nullptr)), 5);
  Frame stray = make_ball({0, 0.12, 0});
  add_particle(stray, {1e300, -1e308, 1e308}, 1e-6);
  EXPECT_GT(count_white(picture_of(stray, nullptr)), 500);
  Frame extreme = one;
  add_particle(extreme, {1.7e308, 1.7e308, -1.7e308}, 1e300);
  add_particle(extreme, {-1.7e308, 0, 1e-308}, 1e-300);
  EXPECT_EQ(picture_of(extreme, nullptr).width, kWidth);
}

TEST(Preview, FrameWithPositionsOnlyIsDrawn) {
  Frame bare;
  bare.position = make_ball({0, 0.12, 0}).position;
  EXPECT_GT(count_white(picture_of(bare, nullptr)), 500);
}

TEST(Preview, BodiesMoveWithTime) {
  Scene scene = make_floor();
  const Frame frame = make_ball({0, 0.12, 0});
  scene.colliders.push_back(make_box({0.2, 0.05, 0.1}, {0.08, 0.08, 0.08}));
  scene.colliders.back().velocity = {-1, 0, 0};
  const Camera camera = camera_for(frame, &scene);
  const auto at = [&](double time) { return render_preview(frame, Staged(scene), camera, {time, kWidth, kHeight}); };
  const Pixel before = pixel_of(at(0), camera, {0.2, 0.05, 0.1}), after = pixel_of(at(0.1), camera, {0.2, 0.05, 0.1});
  EXPECT_GT(before.r, before.b) << "the box is brown";
  EXPECT_LE(after.r, after.b) << "the ground is not";
}

TEST(Preview, FlatSceneShowsSnowAndBodies) {
  const Scene scene = make_floor(2);
  const Frame frame = make_ball({0, 0.15, 0}, 2);
  const Camera camera = camera_for(frame, &scene);
  ASSERT_TRUE(camera.orthographic());
  const Image image = render_preview(frame, Staged(scene), camera, {0, kWidth, kHeight});
  const Pixel snow = pixel_of(image, camera, {0, 0.15, 0}), paper = pixel_of(image, camera, {0.15, 0.15, 0});
  EXPECT_GT(snow.brightness(), 190);
  EXPECT_LT(paper.brightness(), 100);
  EXPECT_GT(paper.b, paper.r);
}

TEST(Preview, FlatSnowColourTellsCompaction) {
  const Scene scene = make_floor(2);
  Frame frame = make_ball({0, 0.15, 0}, 2);
  for (double& jp : frame.jp) jp = 0.85;
  const Camera camera = camera_for(frame, &scene);
  const Pixel packed = pixel_of(render_preview(frame, Staged(scene), camera, {0, kWidth, kHeight}), camera, {0, 0.15, 0});
  for (double& jp : frame.jp) jp = 1.15;
  const Pixel loose = pixel_of(render_preview(frame, Staged(scene), camera, {0, kWidth, kHeight}), camera, {0, 0.15, 0});
  EXPECT_GT(packed.r, loose.r + 20);
}

}  // namespace
}  // namespace firn
