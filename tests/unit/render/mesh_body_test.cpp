// Bodies made of triangles are seen as these triangles, wherever and whenever they are.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cstring>
#include <filesystem>
#include <list>

#include "render/path/tracer.h"
#include "scenes.h"
#include "support/mesh_files.h"
#include "support/meshes.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

const Camera kWorld;  // at the world's origin, its unit a metre: the view is the world
constexpr float kFar = 100;

Collider mesh_body(const std::string& file) {
  Collider body;
  body.shape.kind = ShapeKind::kMesh;
  body.shape.file = file;
  return body;
}

class MeshBody : public ::testing::Test {
 protected:
  // The unit cube in [0, 1]³, sampled so coarsely that its level set is round.
  Scene cube_scene(const Mesh& mesh = test::cube()) {
    Scene scene;
    scene.simulation.spacing = 0.2;
    scene.colliders.push_back(mesh_body(folder_.write("cube.obj", test::obj(mesh))));
    return scene;
  }
  // In a second the cube grows to three times its height.
  Scene growing_scene() {
    Mesh tall = test::cube();
    for (Vec<double, 3>& point : tall.points) point[1] *= 3;
    folder_.write("grow_1.obj", test::obj(test::cube()));
    folder_.write("grow_2.obj", test::obj(tall));
    Scene scene;
    scene.simulation.spacing = 0.2;
    scene.colliders.push_back(mesh_body(folder_.file("grow_#.obj")));
    scene.colliders[0].shape.kind = ShapeKind::kSequence;
    scene.colliders[0].shape.fps = 1;
    return scene;
  }
  Stage stage_of(const Scene& scene, double time = 0) { return Stage(&sceneries_.emplace_back(scene), kWorld, time); }

  test::TempFolder folder_;
  std::list<Scenery> sceneries_;  // what stages point at
};

TEST_F(MeshBody, IsMetInThePlanesOfItsTriangles) {
  const Stage stage = stage_of(cube_scene());
  const std::optional<StageHit> front = stage.trace({{0.5f, 0.3f, 5}, {0, 0, -1}}, kFar);
  ASSERT_TRUE(front);
  EXPECT_NEAR(front->t, 4, 1e-5);
  EXPECT_NEAR(front->normal[2], 1, 1e-6);
  EXPECT_FALSE(stage.trace({{0.5f, 0.3f, 5}, {0, 0, -1}}, 3.99f)) << "it ends before";
  EXPECT_FALSE(stage.trace({{0.5f, 1.01f, 5}, {0, 0, -1}}, kFar));
}

TEST_F(MeshBody, KeepsItsSharpEdgesAndSoDoesACompound) {
  Scene mesh = cube_scene();
  mesh.colliders[0].shape.scale = {1.05, 1.05, 1.05};  // its edges lie in the middle of voxels
  Scene compound;                                      // the same cube, of a part
  compound.simulation.spacing = mesh.simulation.spacing;
  Collider body;
  body.shape.kind = ShapeKind::kUnion;
  body.shape.parts.push_back(test::make_box({0.525, 0.525, 0.525}, {1.05, 1.05, 1.05}).shape);
  compound.colliders.push_back(body);
  for (const Stage& stage : {stage_of(mesh), stage_of(compound)})
    for (const float in : {0.002f, 0.01f, 0.02f}) {
      const std::optional<StageHit> hit = stage.trace({{0.5f, 1.05f - in, 5}, {0, 0, -1}}, kFar);
      ASSERT_TRUE(hit) << in;
      EXPECT_NEAR(hit->t, 3.95, 1e-3);
      EXPECT_NEAR(hit->normal[2], 1, 1e-3);
    }
}

// A cube with a hole through it, far too coarse for the rim if it were sampled.
TEST_F(MeshBody, ThatIsACompoundHasASmoothRimWhereItsPartsMeet) {
  Scene scene;
  scene.simulation.spacing = 0.2;
  Collider body;
  body.shape.kind = ShapeKind::kDifference;
  body.shape.parts.push_back(test::make_box({0, 0, 0}, {2, 2, 2}).shape);
  Shape hole;
  hole.kind = ShapeKind::kCylinder;
  hole.radius = 0.5;
  hole.height = 3;
  body.shape.parts.push_back(hole);
  scene.colliders.push_back(body);
  const Stage stage = stage_of(scene);
  for (int k = 0; k < 90; ++k) {
    const float angle = 0.07f * static_cast<float>(k);
    const auto height = [&](float radius) {
      const std::optional<StageHit> hit = stage.trace({{radius * std::cos(angle), 5, radius * std::sin(angle)}, {0, -1, 0}}, kFar);
      return hit ? 5 - hit->t : -9.0f;
    };
    EXPECT_NEAR(height(0.505f), 1, 2e-3) << angle;
    EXPECT_EQ(height(0.495f), -9) << angle;
  }
}

TEST_F(MeshBody, IsSeenFromInside) {
  const std::optional<StageHit> hit = stage_of(cube_scene()).trace({{0.5f, 0.5f, 0.5f}, {1, 0, 0}}, kFar);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->t, 0.5, 1e-5);
  EXPECT_NEAR(hit->normal[0], -1, 1e-6);
}

TEST_F(MeshBody, StandsWhereItsKeysPutIt) {
  Scene scene = cube_scene();
  const double half = std::sqrt(0.5);
  scene.colliders[0].keys = {{0, {0, 0, 0}, {1, 0, 0, 0}}, {2, {4, 0, 0}, {half, 0, 0, half}}};
  const std::optional<StageHit> before = stage_of(scene, 0).trace({{-5, 0.4f, 0.5f}, {1, 0, 0}}, kFar);
  ASSERT_TRUE(before);
  EXPECT_NEAR(before->t, 5, 1e-5);
  // A quarter turn about z: the cube is in [3, 4] × [0, 1].
  const std::optional<StageHit> after = stage_of(scene, 2).trace({{-5, 0.4f, 0.5f}, {1, 0, 0}}, kFar);
  ASSERT_TRUE(after);
  EXPECT_NEAR(after->t, 8, 1e-5);
  EXPECT_NEAR(after->normal[0], -1, 1e-5);
}

// In single precision points are a sixteenth apart out there.
TEST_F(MeshBody, FarFromItsOwnOriginIsAsSharp) {
  Scene scene = cube_scene(test::moved(test::cube(), {500000, 0, 0}));
  scene.colliders[0].shape.translate = {-500000, 0, 0};
  const std::optional<StageHit> hit = stage_of(scene).trace({{-5, 0.4f, 0.5f}, {1, 0, 0}}, kFar);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->t, 5, 1e-5);
  EXPECT_NEAR(hit->normal[0], -1, 1e-5);
}

TEST_F(MeshBody, DeformsBetweenTheFramesOfASequence) {
  const test::Staged staged(growing_scene());
  for (const double time : {-1.0, 0.0, 0.25, 0.5, 1.0, 7.0}) {
    const std::optional<StageHit> hit = Stage(staged, kWorld, time).trace({{0.5f, 9, 0.5f}, {0, -1, 0}}, kFar);
    ASSERT_TRUE(hit) << time;
    EXPECT_NEAR(9 - hit->t, 1 + 2 * std::clamp(time, 0.0, 1.0), 1e-4) << time;
  }
}

// For every frame that is looked at it would be read from two files, and sorted for rays, all for a rough answer.
TEST_F(MeshBody, ThatDeformsIsKnownByItsDistancesWhereTheCameraIsFitted) {
  const test::Staged staged(growing_scene());
  for (const char* file : {"grow_1.obj", "grow_2.obj"}) std::filesystem::remove(folder_.file(file));
  EXPECT_THROW(Stage(staged, kWorld, 0.5), UserError) << "else this test shows nothing";
  const std::optional<StageHit> hit = Stage(staged, kWorld, 0.5, Triangles::kAtHand).trace({{0.5f, 9, 0.5f}, {0, -1, 0}}, kFar);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(9 - hit->t, 2, 0.1);
  Subject subject;
  for (const double time : {0.0, 0.5, 1.0}) subject.add(test::make_ball({0.5, 3.2, 0.5}), staged, time);
  EXPECT_NO_THROW(fit_camera(subject, staged, 1.5));
}

TEST_F(MeshBody, ThatKeepsItsShapeIsAsSharpWhereTheCameraIsFitted) {
  const test::Staged staged(cube_scene());
  const Ray ray{{0.5f, 0.999f, 5}, {0, 0, -1}};
  const std::optional<StageHit> hit = Stage(staged, kWorld, 0, Triangles::kAtHand).trace(ray, kFar);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->t, Stage(staged, kWorld, 0).trace(ray, kFar)->t);
}

TEST_F(MeshBody, IsSmoothWhereItIsRoundAndSharpWhereItIsCut) {
  // Half a sphere with a flat bottom; triangles of 11 degrees.
  const Scene scene = cube_scene(test::dome(16, std::numbers::pi / 2));
  const Stage stage = stage_of(scene);
  for (const float x : {0.1f, 0.23f, 0.37f, 0.5f}) {
    const std::optional<StageHit> hit = stage.trace({{x, 5, 0.21f}, {0, -1, 0}}, kFar);
    ASSERT_TRUE(hit);
    const Float3 p{x, 5 - hit->t, 0.21f};
    EXPECT_GT(dot(hit->normal, normalized(p)), 0.999f) << "as on a true sphere";
    EXPECT_LT(dot(hit->face, hit->normal), 1);
  }
  const std::optional<StageHit> below = stage.trace({{0.9f, -5, 0.2f}, {0, 1, 0}}, kFar);
  ASSERT_TRUE(below);
  EXPECT_NEAR(below->normal[1], -1, 1e-5);
}

TEST_F(MeshBody, PathsLeaveItAndDoNotSlipBehindThePlaneItLiesOn) {
  Scene scene = cube_scene();
  scene.colliders.push_back(test::make_plane({0, -1e-6, 0}, {0, 1, 0}));
  const Stage stage = stage_of(scene);
  const Ray down{{0.5f, 5, 0.5f}, {0, -1, 0}}, up{{0.5f, 0.5f, 0.5f}, {0, -1, 0}};
  const std::optional<StageHit> top = stage.trace(down, kFar), bottom = stage.trace(up, kFar);
  ASSERT_TRUE(top && bottom);
  const Float3 start = stage.departure(*top, down.origin + top->t * down.direction);
  EXPECT_FALSE(stage.trace({start, {0, 1, 0}}, kFar));
  EXPECT_FALSE(stage.trace({start, normalized(Float3{1, 1e-3f, 0})}, kFar));
  EXPECT_LT(start[1] - 1, 1e-3f);
  StageHit outside = *bottom;
  outside.face = {0, -1, 0};
  EXPECT_GT(stage.departure(outside, {0.5f, 0, 0.5f})[1], -1e-6f);
}

// Planes are not seen from behind, so a path that started behind one would see the light there.
TEST_F(MeshBody, NoLightComesFromBelowTheGroundWhereABodyTouchesIt) {
  Daylight below = Daylight::even(Colour::zero());
  below.below = {1000, 1000, 1000};
  Scene scene = cube_scene(test::moved(test::dome(24, 3), {0, 1 - 1e-4, 0}));
  scene.colliders.push_back(test::make_plane({0, 0, 0}, {0, 1, 0}));
  Collider ball;
  ball.shape.center = {2, 0.5, 0};
  ball.shape.radius = 0.5;
  scene.colliders.push_back(ball);
  scene.colliders.push_back(test::make_box({4, 0.5, 0}, {1, 1, 1}));
  const Stage stage = stage_of(scene);
  const Medium nothing(Float3{8, 8, 8}, Float3{9, 9, 9}, 1, 4);
  const PathTracer tracer(nothing, stage, below, {});
  for (int i = 0; i < 20000; ++i) {
    Rng rng(Rng::cell_key(8, i, 0, 0));
    const Float3 eye{static_cast<float>(2 * (i % 3)), 0.3f, 3};
    // All around where the bodies touch the ground.
    const Float3 target{eye[0] + 1.2f * (random_float(rng) - 0.5f), 0.02f * random_float(rng), 0.5f * random_float(rng)};
    ASSERT_EQ(tracer.trace({eye, normalized(target - eye)}, 1e-3f, rng).light[0], 0) << i;
  }
}

TEST_F(MeshBody, LooksTheSameWithAnyNumberOfThreads) {
  Scene scene = cube_scene(test::dome(60, std::numbers::pi / 2));
  scene.colliders.push_back(test::make_plane({0, 0, 0}, {0, 1, 0}));
  const Medium snow(Float3{-0.2f, 1, -0.2f}, Float3{0.2f, 1.2f, 0.2f}, 30, 16);
  std::vector<TracedPicture> pictures;
  for (const std::size_t threads : {1u, 4u}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    const Stage stage = stage_of(scene);
    const PathTracer tracer(snow, stage, Daylight{}, {});
    ProgressivePicture picture({{tracer, Camera{}}}, {64, 36, 5});
    ASSERT_TRUE(picture.add(2, nullptr));
    pictures.push_back(picture.picture());
  }
  EXPECT_EQ(std::memcmp(pictures[0].light.data(), pictures[1].light.data(), pictures[0].light.size() * sizeof(Colour)), 0);
}

TEST_F(MeshBody, WhoseFileIsGoneOrDamagedIsAnErrorAtItsCollider) {
  Scene scene = cube_scene();
  scene.colliders[0].location = {"scene.toml", 7, 1};
  folder_.write("cube.obj", "nothing");
  try {
    const Scenery scenery(scene);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("scene.toml:7:1"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("cube.obj"), std::string::npos) << e.what();
  }
}

TEST(BodyLooks, FollowTheScene) {
  Scene scene = test::make_floor();
  scene.colliders.push_back(test::make_box({0, 0.5, 0}, {1, 1, 1}));
  scene.colliders[1].look = Look::kMetal;
  scene.colliders[1].colour = {0.1, 0.2, 0.3};
  const test::Staged staged(scene);
  const Stage stage(staged, kWorld, 0);
  const std::optional<StageHit> box = stage.trace({{0, 5, 0}, {0, -1, 0}}, kFar), floor = stage.trace({{3, 5, 0}, {0, -1, 0}}, kFar);
  ASSERT_TRUE(box && floor);
  EXPECT_TRUE(box->look->is_metal);
  EXPECT_FLOAT_EQ(box->look->colour[2], 0.3f);
  EXPECT_FALSE(floor->look->is_metal);
  EXPECT_GT(floor->look->colour[0], floor->look->colour[2]) << "earth";
}

// In the preview as well.
TEST(BodyLooks, ColourTheirPictures) {
  const Frame snow = test::make_ball({0, 0.3, 0});
  Scene scene = test::make_floor();
  scene.colliders.push_back(test::make_box({0.3, 0.1, 0}, {0.2, 0.2, 0.2}));
  for (const Look look : {Look::kMatte, Look::kMetal}) {
    scene.colliders[1].look = look;
    scene.colliders[1].colour = {0.7, 0.02, 0.02};
    const test::Pixel red = test::pixel_of(test::picture_of(snow, &scene), test::camera_for(snow, &scene), {0.3, 0.19, 0.1});
    EXPECT_GT(red.r, 2 * red.g);
    scene.colliders[1].colour = {0.02, 0.02, 0.7};
    const test::Pixel blue = test::pixel_of(test::picture_of(snow, &scene), test::camera_for(snow, &scene), {0.3, 0.19, 0.1});
    EXPECT_GT(blue.b, 2 * blue.r);
  }
}

}  // namespace
}  // namespace firn
