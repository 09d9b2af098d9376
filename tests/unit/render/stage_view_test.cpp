// What is left of the bodies in a picture: nothing that the camera is behind of, and nothing that shuts out all light.
#include <gtest/gtest.h>

#include <numeric>

#include "falling_ball.h"
#include "firn/picture.h"
#include "png_files.h"
#include "render/shared/stage.h"

namespace firn {
namespace {

using namespace test;

constexpr float kFar = 100;

// The ground and four walls around the ball of make_run(), with a lid where asked for.
std::string room(bool lid) {
  std::string text = kFallingBall;
  const auto add = [&](const std::string& point, const std::string& normal) {
    text += "[[collider]]\nshape = \"plane\"\npoint = " + point + "\nnormal = " + normal + "\n";
  };
  add("[-0.15, 0, 0]", "[1, 0, 0]");
  add("[0.15, 0, 0]", "[-1, 0, 0]");
  add("[0, 0, -0.15]", "[0, 0, 1]");
  add("[0, 0, 0.15]", "[0, 0, -1]");
  if (lid) add("[0, 9, 0]", "[0, -1, 0]");
  return text;
}

// Of the brightest tenth of a picture, 0 to 255: of snow in the sun.
double brightest_tenth(const Image& image) {
  std::vector<int> values;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) values.push_back(pixel_at(image, x, y).brightness());
  std::sort(values.rbegin(), values.rend());
  const auto count = static_cast<std::ptrdiff_t>(values.size() / 10);
  return std::accumulate(values.begin(), values.begin() + count, 0.0) / static_cast<double>(count);
}

double brightness_of_snow(const std::string& scene) {
  const TempFolder folder;
  make_run(folder, 1);
  write_bytes(folder / "scene.toml", scene);
  RenderOptions options;
  options.samples = 8;
  options.width = 64;
  options.height = 36;
  return brightest_tenth(read_png(render(folder.path(), options).pictures[0]));
}

TEST(RenderedRoom, OfPlanesIsNearlyAsBrightAsTheOpenGround) {
  const double open = brightness_of_snow(kFallingBall);
  EXPECT_GT(open, 180) << "else this test shows nothing";
  EXPECT_GT(brightness_of_snow(room(false)), 0.8 * open);
}

TEST(RenderedRoom, HasLightUnderALidAndAroundACameraInIt) {
  const double open = brightness_of_snow(kFallingBall);
  EXPECT_GT(brightness_of_snow(room(true)), 0.7 * open);
  const std::string inside = "[render]\nposition = [0.12, 0.45, 0.12]\ntarget = [0, 0.3, 0]\nfov = 60\n";
  EXPECT_GT(brightness_of_snow(room(true) + inside), 0.6 * open);
}

TEST(RenderedRoom, IsDarkWhenTheSunIsBelowTheGround) {
  const std::string night = "[render]\nsun = [0.5, -1, 0.3]\nsky_strength = 0\n";
  EXPECT_LT(brightness_of_snow(kFallingBall + night), 20);
  EXPECT_LT(brightness_of_snow(room(true) + night), 20);
}

TEST(RenderedBody, AroundTheCameraIsNotThere) {
  const std::string ball = "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0.6, 1]\nradius = 0.3\n";
  const std::string camera = "[render]\nposition = [0, 0.6, 1]\ntarget = [0, 0.3, 0]\n";
  EXPECT_NEAR(brightness_of_snow(kFallingBall + ball + camera), brightness_of_snow(kFallingBall + camera), 1);
}

class OpenStage : public ::testing::Test {
 protected:
  Stage stage(const Camera& camera) {
    scenery_.emplace(scene_);
    Stage stage(&*scenery_, camera, 0);
    stage.open_to(camera);
    return stage;
  }
  Scene scene_ = make_floor();

 private:
  std::optional<Scenery> scenery_;
};

TEST_F(OpenStage, HasNoPlaneThatTheEyeIsBehindOf) {
  scene_.colliders.push_back(make_plane({0, 0, 1}, {0, 0, -1}));
  Camera camera;
  camera.eye = {0, 1, 4};
  camera.sun = {0, 0.8f, 0.6f};
  const Ray from_snow{{0, 0.5f, 0}, {0, 0, 1}};
  EXPECT_FALSE(stage(camera).trace(from_snow, kFar));
  EXPECT_EQ(stage(camera).distance({0, 0.5f, 2}), 0.5f) << "it does not count in any way";
  camera.eye = {0, 1, 0.5f};
  EXPECT_TRUE(stage(camera).trace(from_snow, kFar));
}

TEST_F(OpenStage, LetsLightThroughWallsBeforeTheSunButNotThroughTheOthers) {
  scene_.colliders.push_back(make_plane({0, 0, 1}, {0, 0, -1}));
  scene_.colliders.push_back(make_plane({0, 0, -1}, {0, 0, 1}));
  Camera camera;
  camera.eye = {0, 1, 0.5f};
  camera.sun = {0, 0.8f, 0.6f};
  const Stage opened = stage(camera);
  const Ray to_sun{{0, 0.5f, 0}, {0, 0, 1}}, away{{0, 0.5f, 0}, {0, 0, -1}}, down{{0, 0.5f, 0}, {0, -1, 0}};
  EXPECT_TRUE(opened.trace(to_sun, kFar)) << "it is seen";
  EXPECT_FALSE(opened.trace(to_sun, kFar, Rays::kLight));
  EXPECT_TRUE(opened.trace(away, kFar, Rays::kLight));
  EXPECT_TRUE(opened.trace(down, kFar, Rays::kLight));
}

TEST_F(OpenStage, HasOnlyBodiesThatAreVisible) {
  scene_.colliders.push_back(make_box({0, 0.5, 0}, {1, 1, 1}));
  scene_.colliders.push_back(make_box({3, 0.5, 0}, {1, 1, 1}));
  scene_.colliders[1].visible = false;
  scene_.colliders[2].colour = {1, 0, 0};
  Camera camera;
  camera.eye = {0, 1, 4};
  const Stage opened = stage(camera);
  const std::optional<StageHit> ground = opened.trace({{0, 5, 0}, {0, -1, 0}}, kFar);
  ASSERT_TRUE(ground);
  EXPECT_NEAR(ground->t, 5, 1e-3);
  EXPECT_EQ(opened.light({0, 0.1f, 0}, {0, 1, 0}), 1) << "no shadow";
  const std::optional<StageHit> other = opened.trace({{3, 5, 0}, {0, -1, 0}}, kFar);
  ASSERT_TRUE(other);
  EXPECT_NEAR(other->t, 4, 1e-3);
  EXPECT_FLOAT_EQ(other->look->colour[0], 1);
  EXPECT_GT(opened.departure(*other, {3, 1, 0})[1], 1) << "it leaves the box, not the ground";
}

TEST(InvisibleBody, IsMissingFromPicturesOfTwoAndThreeDimensions) {
  for (const int dimension : {2, 3}) {
    const Frame snow = make_ball({0, 0.12, 0}, dimension);
    Scene scene = make_floor(dimension);
    const Image without = picture_of(snow, &scene);
    scene.colliders.push_back(make_box({0.25, 0.1, 0}, {0.1, 0.2, 0.1}));
    EXPECT_NE(picture_of(snow, &scene).rgb, without.rgb) << dimension;
    scene.colliders.back().visible = false;
    EXPECT_EQ(picture_of(snow, &scene).rgb, without.rgb) << dimension;
  }
}

}  // namespace
}  // namespace firn
