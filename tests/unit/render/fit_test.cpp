#include <gtest/gtest.h>

#include "render/shared/stage.h"
#include "scenes.h"

namespace firn {
namespace {

using namespace test;

double aspect() { return static_cast<double>(kWidth) / kHeight; }

TEST(FitCamera, AllSnowOfAllFramesIsInThePicture) {
  const Scene scene = make_floor();
  Subject subject;
  const Frame frames[] = {make_ball({-0.4, 0.5, 0}), make_ball({0, 0.3, 0.2}), make_ball({0.5, 0.1, 0.1})};
  for (const Frame& frame : frames) subject.add(frame, Staged(scene), 0);
  const Projection p = projection_of(fit_camera(subject, Staged(scene), aspect()), kWidth, kHeight);
  const Camera camera = fit_camera(subject, Staged(scene), aspect());
  for (const Frame& frame : frames)
    for (const auto& x : frame.position) {
      const Splat s = p.project({camera.to_view({x[0], x[1], x[2]}), 0});
      EXPECT_GT(s.depth, 0);
      EXPECT_TRUE(s.x > 0 && s.x < kWidth && s.y > 0 && s.y < kHeight) << s.x << " " << s.y;
    }
}

TEST(FitCamera, FewStraysDoNotWidenTheView) {
  Frame frame = make_ball({0, 0.2, 0});
  const double radius = camera_for(frame, nullptr).radius;
  add_particle(frame, {30, 10, -20}, 1e-6);
  EXPECT_NEAR(camera_for(frame, nullptr).radius, radius, 0.1 * radius);
}

// More than one in a hundred, on one side.
TEST(FitCamera, ShowsWhatNearlyAllOfTheMassDoes) {
  Frame frame = make_ball({0, 0.2, 0});
  const double radius = camera_for(frame, nullptr).radius;
  const std::size_t few = frame.size() / 60;
  for (std::size_t k = 0; k < few; ++k) add_particle(frame, {3.0 + 0.01 * static_cast<double>(k), 0.2, 0}, frame.volume[0]);
  EXPECT_NEAR(camera_for(frame, nullptr).radius, radius, 0.1 * radius);
  for (std::size_t k = 0; k < 3 * few; ++k) add_particle(frame, {3.0 + 0.01 * static_cast<double>(k), 0.2, 0}, frame.volume[0]);
  EXPECT_GT(camera_for(frame, nullptr).radius, 5 * radius) << "one in fifteen belongs to the picture";
}

TEST(FitCamera, GoesByMassAndNotByTheNumberOfParticles) {
  Frame frame = make_ball({0, 0.2, 0});
  const double radius = camera_for(frame, nullptr).radius;
  const std::size_t many = frame.size() / 10;
  for (std::size_t k = 0; k < many; ++k) add_particle(frame, {3, 0.2 + 0.01 * static_cast<double>(k), 0}, 0.01 * frame.volume[0]);
  EXPECT_NEAR(camera_for(frame, nullptr).radius, radius, 0.1 * radius);
}

TEST(FitCamera, StandsOnTheFreeSideOfEveryWall) {
  for (const Vector& normal : {Vector{1, 0, 0}, Vector{-1, 0, 0}, Vector{0, 0, 1}, Vector{0, 0, -1}, Vector{-1, 1, -1}}) {
    Scene scene = make_floor();
    scene.colliders.push_back(make_plane({-0.11 * normal[0], -0.11 * normal[1], -0.11 * normal[2]}, normal));
    const Frame frame = make_ball({0, 0.12, 0});
    const Camera camera = camera_for(frame, &scene);
    EXPECT_TRUE(Stage(Staged(scene), camera, 0).is_free(camera.eye)) << normal[0] << normal[2];
    EXPECT_GT(count_white(picture_of(frame, &scene)), 500);
  }
}

TEST(FitCamera, LooksPastABodyThatStandsInTheWay) {
  const Frame frame = make_ball({0, 0.12, 0});
  Scene scene = make_floor();
  const Camera usual = camera_for(frame, &scene);
  const Float3 towards = -0.35f * Float3{usual.forward[0], 0, usual.forward[2]};
  Collider screen = make_box({towards[0], 0.15, towards[2]}, {0.2, 0.4, 0.2});
  scene.colliders.push_back(screen);
  const Camera other = camera_for(frame, &scene);
  EXPECT_LT(dot(other.forward, usual.forward), 0.99f);
  EXPECT_GT(count_white(picture_of(frame, &scene)), 150);
}

TEST(FitCamera, ClosedRoomIsSeenThroughItsWalls) {
  Scene scene = make_floor();
  for (const Vector& normal : {Vector{1, 0, 0}, Vector{-1, 0, 0}, Vector{0, 0, 1}, Vector{0, 0, -1}, Vector{0, -1, 0}}) {
    const double away = normal[1] < 0 ? 0.4 : 0.15;
    scene.colliders.push_back(make_plane({-away * normal[0], -away * normal[1], -away * normal[2]}, normal));
  }
  EXPECT_GT(count_white(picture_of(make_ball({0, 0.12, 0}), &scene)), 300);
}

TEST(FitCamera, FlatSnowIsSeenFromTheFront) {
  const Scene flat = make_floor(2);
  EXPECT_TRUE(camera_for(make_ball({0, 0.2, 0}, 2), &flat).orthographic());
  EXPECT_TRUE(camera_for(make_ball({0, 0.2, 0}, 2), nullptr).orthographic());
  EXPECT_FALSE(camera_for(make_ball({0, 0.2, 0}), nullptr).orthographic());
}

}  // namespace
}  // namespace firn
