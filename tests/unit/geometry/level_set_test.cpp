// Level sets of meshes: distances, normals, contents, and what is known far away.
#include "geometry/level_set.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>

#include "firn/error.h"
#include "geometry/volume_builder.h"
#include "math/random.h"
#include "support/meshes.h"

namespace firn {
namespace {

using V = Vec<double, 3>;

constexpr double kVoxel = 0.05, kBand = 0.2;

Volume unit_ball() { return mesh_to_volume(test::dome(96, std::numbers::pi), {kVoxel, kBand, 0}); }

V random_point(Rng& rng, double reach) {
  return {reach * (2 * rng.uniform() - 1), reach * (2 * rng.uniform() - 1), reach * (2 * rng.uniform() - 1)};
}

TEST(MeshToVolume, GivesDistancesAndNormalsNearTheSurfaceAndInside) {
  const Volume ball = unit_ball();
  Rng rng(3);
  for (int i = 0; i < 20000; ++i) {
    const V x = random_point(rng, 1.2);
    const double exact = norm(x) - 1;
    if (exact > 0.7 * kBand || norm(x) < 0.2) continue;
    const BrickSample<double> s = sample_phi(ball.view(), x);
    ASSERT_NEAR(s.phi, exact, 0.2 * kVoxel);
    ASSERT_GT(dot(s.gradient, x) / (norm(s.gradient) * norm(x)), 0.9);
  }
}

TEST(MeshToVolume, NeverPromisesMoreThanTheDistance) {
  const Volume ball = unit_ball();
  Rng rng(5);
  for (int i = 0; i < 20000; ++i) {
    const V x = random_point(rng, 6);
    ASSERT_LE(sample_phi(ball.view(), x).phi, norm(x) - 1 + 0.2 * kVoxel);
    if (norm(x) > 1.1) {
      ASSERT_GT(sample_phi(ball.view(), x).phi, 0);
    }
  }
}

TEST(MeshToVolume, HoldsTheMeshsVolume) {
  EXPECT_NEAR(inside_volume(unit_ball()), 4.0 / 3 * std::numbers::pi, 0.005 * 4.2);
  EXPECT_NEAR(inside_volume(mesh_to_volume(test::cube(), {kVoxel, kBand, 0})), 1, 0.005);
}

TEST(MeshToVolume, DoesNotCareWhichWayTrianglesFaceOrWhetherTheyShareCorners) {
  Mesh cube = test::soup(test::cube());
  std::swap(cube.triangles[3][0], cube.triangles[3][1]);
  EXPECT_NEAR(inside_volume(mesh_to_volume(cube, {kVoxel, kBand, 0})), 1, 0.005);
}

TEST(MeshToVolume, MakesASheetOfItsThicknessFromAnOpenMesh) {
  const Mesh open = test::dome(48, std::numbers::pi / 2);
  constexpr double kThickness = 0.2;
  const Volume sheet = mesh_to_volume(open, {kVoxel, kBand, kThickness});
  EXPECT_LT(sample_phi(sheet.view(), V{0, 1, 0}).phi, -0.4 * kThickness);
  EXPECT_GT(sample_phi(sheet.view(), V{0, 0.5, 0}).phi, 0);
  EXPECT_NEAR(sample_phi(sheet.view(), V{0, 1 + 0.75 * kThickness, 0}).phi, 0.25 * kThickness, 0.3 * kVoxel);
  // Area times thickness, and half a tube around the rim.
  EXPECT_NEAR(inside_volume(sheet), 2 * std::numbers::pi * (kThickness + std::numbers::pi * kThickness * kThickness / 8), 0.03);
}

TEST(MeshToVolume, GivesTheSameBitsOnAnyNumberOfThreads) {
  const auto made = [](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return unit_ball();
  };
  const Volume one = made(1), two = made(2);
  EXPECT_EQ(one.phi, two.phi);
  EXPECT_EQ(one.number, two.number);
  EXPECT_EQ(one.bound, two.bound);
}

TEST(MeshToVolume, RefusesWhatWouldFillTheMemory) {
  Mesh huge = test::cube();
  for (V& x : huge.points) x = 1e5 * x;
  EXPECT_THROW(mesh_to_volume(huge, {1e-3, 1e-2, 0}), UserError);
}

SurfaceFrame frame_of(const Mesh& mesh) {
  SurfaceFrame frame;
  frame.volume = mesh_to_volume(mesh, {kVoxel, 2 * kBand, 0}, &frame.nearest);
  frame.mesh = mesh;
  return frame;
}

V mean_velocity_near_surface(const SurfaceFrame& at, std::vector<float> velocity) {
  Volume volume = at.volume;
  volume.velocity = std::move(velocity);
  V sum{0, 0, 0};
  Rng rng(7);
  constexpr int kPoints = 2000;
  for (int i = 0; i < kPoints; ++i) {
    const V x = random_point(rng, 1);
    sum += (1.0 / kPoints) * sample_velocity(volume.view(), (1 / norm(x)) * x);
  }
  return sum;
}

TEST(SurfaceMotion, OfPointsIsTheirOwn) {
  const Mesh ball = test::dome(64, std::numbers::pi);
  const V by{0.05, -0.1, 0.02};
  const SurfaceFrame from = frame_of(ball), to = frame_of(test::moved(ball, by));
  for (const double span : {0.5, 2.0}) {
    const V v = mean_velocity_near_surface(from, surface_velocities(from, to, from, span));
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(v[d], by[d] / span, 1e-5 / span);
  }
  EXPECT_NEAR(top_speed(surface_velocities(from, to, to, 1)), norm(by), 1e-4);
}

// Along the normal only: over a ball, a third of it is left on average.
TEST(SurfaceMotion, OfLevelSetsIsAlongTheNormal) {
  Mesh ball = test::dome(64, std::numbers::pi);
  const V by{0.05, -0.1, 0.02};
  const SurfaceFrame from = frame_of(ball);
  SurfaceFrame to = frame_of(test::moved(ball, by));
  std::swap(to.mesh.triangles.front(), to.mesh.triangles.back());
  ASSERT_FALSE(has_same_topology(from.mesh, to.mesh));
  const V v = mean_velocity_near_surface(from, surface_velocities(from, to, from, 1));
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(v[d], by[d] / 3, 0.01);
}

}  // namespace
}  // namespace firn
