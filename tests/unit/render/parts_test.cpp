// The parts a picture is made of: splats, density, bodies, shadows.
#include <gtest/gtest.h>

#include <algorithm>

#include "render/preview/painter.h"
#include "render/shared/stage.h"
#include "scenes.h"

namespace firn {
namespace {

using namespace test;

// 100 × 80 pixels, 10 to a view unit, looking along -z.
Projection simple_projection() {
  Projection p{{0, 0, 10}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
  p.scale = 10;
  p.width = 100;
  p.height = 80;
  return p;
}

std::vector<Sphere> packed_cube() {
  std::vector<Sphere> spheres;
  constexpr float kSpacing = 0.05f;
  for (int i = -9; i <= 9; ++i)
    for (int j = -9; j <= 9; ++j)
      for (int k = -9; k <= 9; ++k) spheres.push_back({{kSpacing * i, kSpacing * j, kSpacing * k}, 0.62f * kSpacing});
  return spheres;
}

TEST(Splat, NearerSphereCoversTheOther) {
  const DepthMap map = splat({{{0, 0, 0}, 1}, {{0.5f, 0, 2}, 0.5f}}, simple_projection());
  EXPECT_EQ(map.index[map.at(55, 40)], 1u);
  EXPECT_NEAR(map.depth[map.at(55, 40)], 7.5, 0.02);
  EXPECT_EQ(map.index[map.at(44, 40)], 0u);
  EXPECT_EQ(map.depth[map.at(75, 40)], kFarAway);
}

TEST(Splat, OfEqualSpheresTheFirstCounts) {
  const DepthMap map = splat(std::vector<Sphere>(5, {{0, 0, 0}, 1}), simple_projection());
  EXPECT_EQ(map.index[map.at(50, 40)], 0u);
}

TEST(Splat, SmallestSphereStillCoversAPixel) {
  const DepthMap map = splat({{{0.013f, 0.027f, 0}, 1e-9f}}, simple_projection());
  EXPECT_LT(*std::min_element(map.depth.begin(), map.depth.end()), kFarAway);
}

TEST(Splat, SphereAcrossTilesAndEdgesIsWhole) {
  const DepthMap map = splat({{{0, 0, 0}, 20}}, simple_projection());
  EXPECT_EQ(std::count(map.depth.begin(), map.depth.end(), kFarAway), 0);
}

TEST(Splat, WhatIsOutsideOrBehindIsNotDrawn) {
  Projection p = simple_projection();
  p.perspective = true;
  const DepthMap map = splat({{{1e6f, 0, 0}, 1}, {{0, -1e20f, 0}, 1}, {{0, 0, 50}, 1}, {{0, 0, 10}, 1}}, p);
  EXPECT_EQ(std::count(map.depth.begin(), map.depth.end(), kFarAway), static_cast<long>(map.depth.size()));
}

TEST(Density, IsOneInPackedSnowAndZeroOutside) {
  const DensityField field(packed_cube(), 0.031f);
  EXPECT_NEAR(field.at({0, 0, 0}, 0), 1, 0.1);
  EXPECT_NEAR(field.at({0.1f, 0.1f, 0}, 1), 1, 0.1);
  EXPECT_EQ(field.at({0.9f, 0, 0}, 0), 0);
  EXPECT_EQ(field.at({1e30f, 0, 0}, 0), 0);
}

TEST(Density, GradientPointsIntoTheSnow) {
  const DensityField field(packed_cube(), 0.031f);
  const Float3 g = field.gradient({0.45f, 0, 0});
  EXPECT_LT(g[0], -0.1f);
  EXPECT_NEAR(g[1], 0, 0.02);
}

TEST(Density, SnowHidesTheSkyBehindIt) {
  const DensityField field(packed_cube(), 0.031f);
  EXPECT_GT(field.visibility({0.6f, 0, 0}, {1, 0, 0}), 0.99f);
  EXPECT_LT(field.visibility({0.6f, 0, 0}, {-1, 0, 0}), 0.3f);
}

TEST(Density, OnlyTheInsideIsBuried) {
  const DensityField field(packed_cube(), 0.031f);
  EXPECT_TRUE(field.is_buried({0, 0, 0}));
  EXPECT_FALSE(field.is_buried({0.43f, 0, 0}));
  const DensityField heap(std::vector<Sphere>(10000, {{0, 0, 0}, 0.03f}), 0.03f);
  EXPECT_FALSE(heap.is_buried({0, 0, 0})) << "a dense spot is not a closed shell";
}

TEST(Shadow, FallsBehindTheSnowAndNotBeside) {
  const Float3 sun{0, 1, 0};
  const ShadowMap shadow(packed_cube(), sun);
  EXPECT_EQ(shadow.light({0, -1, 0}, 0.01f, 0.3f), 0);
  EXPECT_EQ(shadow.light({0, 1, 0}, 0.01f, 0.3f), 1);
  EXPECT_EQ(shadow.light({2, -1, 0}, 0.01f, 0.3f), 1);
  const float edge = shadow.light({0.48f, -1, 0}, 0.01f, 0.3f);
  EXPECT_TRUE(edge > 0 && edge < 1) << edge;
}

TEST(Shadow, WithoutSnowAllIsLit) { EXPECT_EQ(ShadowMap({}, {0, 1, 0}).light({0, 0, 0}, 0, 0.5f), 1); }

TEST(Stage, RaysHitBodiesWhereTheyAre) {
  Scene scene = make_floor();
  scene.colliders.push_back(make_box({0, 2, 0}, {1, 1, 1}));
  const Stage stage(Staged(scene), Camera{}, 0);
  const auto top = stage.trace({{0, 5, 0}, {0, -1, 0}}, 100);
  ASSERT_TRUE(top);
  EXPECT_NEAR(top->t, 2.5, 1e-3);
  EXPECT_NEAR(top->normal[1], 1, 1e-5);
  EXPECT_FALSE(top->is_plane);
  const auto floor = stage.trace({{2, 5, 0}, {0, -1, 0}}, 100);
  ASSERT_TRUE(floor && floor->is_plane);
  EXPECT_NEAR(floor->t, 5, 1e-5);
  EXPECT_FALSE(stage.trace({{2, 5, 0}, {0, -1, 0}}, 4));
}

TEST(Stage, PlaneIsNotSeenFromBehind) {
  const Scene scene = make_floor();
  EXPECT_FALSE(Stage(Staged(scene), Camera{}, 0).trace({{0, -1, 0}, {0, 1, 0}}, 100));
}

TEST(Stage, BodiesThrowShadowsAndPlanesDoNot) {
  Scene scene = make_floor();
  scene.colliders.push_back(make_box({0, 2, 0}, {1, 1, 1}));
  const Stage stage(Staged(scene), Camera{}, 0);
  EXPECT_EQ(stage.light({0, 0, 0}, {0, 1, 0}), 0);
  EXPECT_EQ(stage.light({3, 0, 0}, {0, 1, 0}), 1);
  EXPECT_EQ(stage.light({3, -1, 0}, {0, 1, 0}), 1);
}

TEST(Stage, ViewUnitsScaleTheBodies) {
  Scene scene;
  scene.simulation.spacing = 0.1;
  scene.colliders.push_back(make_box({10, 10, 10}, {2, 2, 2}));
  Camera camera;
  camera.focus = {10, 10, 10};
  camera.radius = 4;
  EXPECT_NEAR(Stage(Staged(scene), camera, 0).distance({1, 0, 0}), 0.75, 1e-6);
}

}  // namespace
}  // namespace firn
