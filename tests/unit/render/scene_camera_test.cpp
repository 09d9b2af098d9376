#include <gtest/gtest.h>

#include "firn/error.h"
#include "render/shared/shoot.h"
#include "scenes.h"

namespace firn {
namespace {

using namespace test;

// Of a ball, as a scene without [render] sees it.
Camera fitted_camera() { return camera_for(make_ball({0.3, 0.2, -0.1}), nullptr); }

RenderSettings looking(const Vector& position, const Vector& target) {
  RenderSettings settings;
  settings.position = position;
  settings.target = target;
  return settings;
}

RenderSettings moving(Interpolation interpolation) {
  RenderSettings settings;
  settings.interpolation = interpolation;
  settings.keys = {{0, {0, 1, 4}, {0, 0, 0}, 20}, {1, {4, 1, 4}, {0, 0, 0}, 40}, {2, {4, 1, 0}, {0, 2, 0}, 40}};
  return settings;
}

Vec<double, 3> eye_of(const Camera& camera) {
  Vec<double, 3> x;
  for (int d = 0; d < 3; ++d) x[d] = camera.focus[d] + camera.radius * camera.eye[d];
  return x;
}

void expect_near(const Float3& a, const Float3& b, float tolerance = 1e-5f) {
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(a[d], b[d], tolerance) << d;
}

TEST(SceneCamera, WithoutKeysIsTheFittedOne) {
  const Camera fitted = fitted_camera(), camera = scene_camera({}, 0.5, fitted);
  expect_near(camera.eye, fitted.eye, 0);
  expect_near(camera.forward, fitted.forward, 0);
  expect_near(camera.sun, fitted.sun, 0);
  EXPECT_EQ(camera.tangent, fitted.tangent);
}

TEST(SceneCamera, TargetIsInTheMiddleOfThePictureAndUpIsUp) {
  const Vector target{0.3, 0.25, -0.1};
  for (const Vector& position :
       {Vector{2, 1, 3}, Vector{-2, 0.25, -0.1}, Vector{0.3, -4, 0}, Vector{0.3, 9, -0.1}, Vector{0.3, -9, -0.1}}) {
    const Camera camera = scene_camera(looking(position, target), 0, fitted_camera());
    const Vec<double, 3> eye = eye_of(camera);
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(eye[d], position[d], 1e-5);
    const Projection p = projection_of(camera, kWidth, kHeight);
    const Splat middle = p.project({camera.to_view({target[0], target[1], target[2]}), 0});
    EXPECT_NEAR(middle.x, 0.5 * kWidth, 1e-2);
    EXPECT_NEAR(middle.y, 0.5 * kHeight, 1e-2);
    EXPECT_GT(middle.depth, 0);
    expect_near(cross(camera.right, camera.up), -camera.forward);
    EXPECT_NEAR(norm(camera.right), 1, 1e-6);
    EXPECT_NEAR(camera.right[1], 0, 1e-6) << "the horizon is level";
    EXPECT_GE(camera.up[1], -1e-6);
  }
}

TEST(SceneCamera, StraightDownHasXToTheRight) {
  expect_near(scene_camera(looking({0, 5, 0}, {0, 0, 0}), 0, fitted_camera()).right, {1, 0, 0});
  expect_near(scene_camera(looking({0, 5, 0}, {0, 0, 0}), 0, fitted_camera()).up, {0, 0, -1});
  expect_near(scene_camera(looking({0, -5, 0}, {0, 0, 0}), 0, fitted_camera()).up, {0, 0, 1});
}

TEST(SceneCamera, FieldOfViewReachesFromEdgeToEdge) {
  RenderSettings settings = looking({0, 0, 1}, {0, 0, 0});
  settings.fov = 90;
  const Camera camera = scene_camera(settings, 0, fitted_camera());
  EXPECT_NEAR(projection_of(camera, kWidth, kHeight).project({camera.to_view({0, 1, 0}), 0}).y, 0, 1e-2) << "1 m up, 1 m away";
}

TEST(SceneCamera, FittedOneHasTheLensOfTheScene) {
  const Frame frame = make_ball({0, 0.2, 0});
  Scene scene = make_floor();
  const float usual = norm(camera_for(frame, &scene).eye);
  scene.render.fov = 80;
  const Camera wide = camera_for(frame, &scene);
  EXPECT_NEAR(wide.tangent, std::tan(40 * std::numbers::pi / 180), 1e-6);
  EXPECT_LT(norm(wide.eye), 0.6f * usual) << "it stands nearer";
}

TEST(SceneCamera, SunOfTheSceneStandsAboveTheFittedOne) {
  RenderSettings settings;
  settings.sun = {0, 3, 4};
  expect_near(scene_camera(settings, 0, fitted_camera()).sun, {0, 0.6f, 0.8f});
}

TEST(SceneCamera, KeysAreMetAtTheirTimesAndHeldOutsideThem) {
  for (const Interpolation interpolation : {Interpolation::kLinear, Interpolation::kSmooth}) {
    const RenderSettings settings = moving(interpolation);
    for (const double shift : {-5.0, 0.0, 1.0, 2.0, 7.0}) {
      const CameraKey& key = settings.keys[static_cast<std::size_t>(std::clamp(shift, 0.0, 2.0))];
      const Camera camera = scene_camera(settings, shift, fitted_camera());
      const Vec<double, 3> eye = eye_of(camera);
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(eye[d], key.position[d], 1e-5) << shift;
      EXPECT_NEAR(camera.tangent, half_tangent(key.fov), 1e-6);
    }
  }
}

TEST(SceneCamera, BetweenKeysItGoesStraightOrSmoothly) {
  const RenderSettings straight = moving(Interpolation::kLinear), smooth = moving(Interpolation::kSmooth);
  EXPECT_NEAR(eye_of(scene_camera(straight, 0.25, fitted_camera()))[0], 1, 1e-5);
  EXPECT_NEAR(scene_camera(straight, 0.5, fitted_camera()).tangent, std::sqrt(half_tangent(20) * half_tangent(40)), 1e-6) << "an even zoom";
  EXPECT_LT(eye_of(scene_camera(smooth, 0.1, fitted_camera()))[0], 0.2) << "it starts from rest";
  const double step = 1e-3;
  const auto velocity = [&](const RenderSettings& settings, double t) {
    return (1 / step) * (eye_of(scene_camera(settings, t + step, fitted_camera())) - eye_of(scene_camera(settings, t, fitted_camera())));
  };
  EXPECT_LT(norm(velocity(smooth, 1) - velocity(smooth, 1 - step)), 0.1) << "no jump at a key";
  EXPECT_GT(norm(velocity(straight, 1) - velocity(straight, 1 - step)), 3);
}

TEST(SceneCamera, ThatMeetsItsTargetOnTheWayIsAnErrorAtTheKeys) {
  RenderSettings settings;
  settings.location = {"scene.toml", 9, 1};
  settings.keys = {{0, {-1, 0, 0}, {0, 0, 0}, 30}, {1, {1, 0, 0}, {0, 0, 0}, 30}};
  EXPECT_NO_THROW(scene_camera(settings, 0.4, fitted_camera()));
  try {
    scene_camera(settings, 0.5, fitted_camera());
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "scene.toml:9:1: at 0.5 s the camera stands on its target, and cannot tell where to look");
  }
}

TEST(SceneCamera, FlatPicturesAreTakenFromTheFront) {
  const Scene flat = make_floor(2);
  const Camera fitted = camera_for(make_ball({0, 0.2, 0}, 2), &flat);
  const Camera camera = scene_camera(looking({5, 5, 5}, {0, 0, 0}), 0, fitted);
  EXPECT_TRUE(camera.orthographic());
  expect_near(camera.eye, fitted.eye, 0);
}

// A telephoto lens from far away shows the snow as clearly as the usual one from near.
TEST(SceneCamera, DistanceDoesNotHazeWhatIsToBeSeen) {
  const Frame frame = make_ball({0, 0.12, 0});
  Scene scene = make_floor();
  scene.render = looking({0, 2, 20}, {0, 0.12, 0});
  scene.render.fov = 1.5;
  const Staged staged(scene);
  const Camera camera = scene_camera(scene.render, 0, camera_for(frame, &scene));
  EXPECT_GT(norm(camera.eye), 50);
  EXPECT_GT(count_white(render_preview(frame, staged, camera, {0, kWidth, kHeight})), 300);
}

}  // namespace
}  // namespace firn
