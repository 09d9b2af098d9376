// The surface of particles.
#include "geometry/surface.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "firn/error.h"
#include "geometry/mesh.h"
#include "math/random.h"

namespace firn {
namespace {

using Point = Vec<double, 3>;

constexpr double kSpacing = 0.01;  // m between particles
constexpr double kBall = 0.1;      // m, its radius
const double kRadius = std::cbrt(kSpacing * kSpacing * kSpacing * 3 / (4 * std::numbers::pi));

double sphere_volume(double radius) { return 4.0 / 3 * std::numbers::pi * radius * radius * radius; }

SurfaceOptions usual() {
  SurfaceOptions options;
  options.voxel = 0.9 * kRadius;
  return options;
}

// One particle at a random place in every cell, as snow is sampled.
template <class Inside>
std::vector<Point> jittered(double half_edge, const Inside& inside) {
  Rng random(3);
  std::vector<Point> points;
  const int n = static_cast<int>(half_edge / kSpacing) + 1;
  for (int i = -n; i < n; ++i)
    for (int j = -n; j < n; ++j)
      for (int k = -n; k < n; ++k) {
        const Point x{kSpacing * (i + random.uniform()), kSpacing * (j + random.uniform()), kSpacing * (k + random.uniform())};
        if (inside(x)) points.push_back(x);
      }
  return points;
}

std::vector<Point> ball(const Point& center) {
  std::vector<Point> points = jittered(kBall, [](const Point& x) { return norm(x) < kBall; });
  for (Point& x : points) x += center;
  return points;
}

SnowSurface surface_of(const std::vector<Point>& points, const SurfaceOptions& options = usual()) {
  return make_surface(points, std::vector<double>(points.size(), kRadius), options);
}

void expect_closed(const Mesh& mesh) {
  const std::vector<EdgeUse> uses = sorted_edge_uses(mesh);
  std::size_t wrong = 0;
  for_each_edge(uses, [&](std::span<const EdgeUse> edge) {
    const auto forward = std::count_if(edge.begin(), edge.end(), [&](const EdgeUse& use) { return use.forward(mesh); });
    if (2 * static_cast<std::size_t>(forward) != edge.size()) ++wrong;
  });
  EXPECT_EQ(wrong, 0u) << "edges where as many triangles run one way as the other are what closes a surface";
}

std::size_t count_components(const Mesh& mesh) {
  std::vector<std::uint32_t> parent(mesh.points.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t p) {
    while (parent[p] != p) p = parent[p] = parent[parent[p]];
    return p;
  };
  std::size_t components = mesh.points.size();
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t corner : {t[1], t[2]}) {
      const std::uint32_t a = root(t[0]), b = root(corner);
      if (a != b) --components;
      parent[a] = b;
    }
  return components;
}

TEST(Surface, OfAPackedBallIsTheBall) {
  const Point center{0.3, -0.2, 1.1};
  const SnowSurface surface = surface_of(ball(center));
  expect_closed(surface.mesh);
  EXPECT_EQ(count_components(surface.mesh), 1u);
  EXPECT_EQ(surface.left_out, 0u);
  EXPECT_NEAR(signed_volume(surface.mesh), sphere_volume(kBall), 0.05 * sphere_volume(kBall));
  EXPECT_NEAR(surface_area(surface.mesh), 4 * std::numbers::pi * kBall * kBall, 0.05 * 4 * std::numbers::pi * kBall * kBall);
  const std::vector<Point> normals = vertex_normals(surface.mesh);
  double farthest = 0, angles = 0;
  for (std::size_t p = 0; p < normals.size(); ++p) {
    const Point out = surface.mesh.points[p] - center;
    farthest = std::max(farthest, std::abs(norm(out) - kBall));
    angles += std::acos(std::min(dot(normals[p], out) / norm(out), 1.0)) * 180 / std::numbers::pi;
  }
  EXPECT_LT(farthest, 0.75 * kSpacing);  // particles lie that far from where they would be in a lattice
  EXPECT_LT(angles / static_cast<double>(normals.size()), 10);
}

TEST(Surface, IsSmootherWithMoreSmoothing) {
  const auto roughness = [](double smoothing) {
    SurfaceOptions options = usual();
    options.smoothing = smoothing;
    const Mesh mesh = surface_of(ball({0, 0, 0}), options).mesh;
    const double count = static_cast<double>(mesh.points.size());
    double mean = 0, deviation = 0;
    for (const Point& x : mesh.points) mean += norm(x) / count;
    for (const Point& x : mesh.points) deviation += std::pow(norm(x) - mean, 2) / count;
    return std::sqrt(deviation);
  };
  EXPECT_LT(roughness(4), 0.7 * roughness(2.5));
  EXPECT_LT(roughness(6), 0.9 * roughness(4));
}

TEST(Surface, OfABlockKeepsItsEdges) {
  const Mesh mesh = surface_of(jittered(kBall, [](const Point& x) {
                      return std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])}) < kBall;
                    })).mesh;
  const double block = 8 * kBall * kBall * kBall;
  EXPECT_NEAR(signed_volume(mesh), block, 0.05 * block);
  double edge = 0;  // how far out the surface comes along the diagonal of two axes
  for (const Point& x : mesh.points)
    if (std::abs(x[2]) < kBall / 2) edge = std::max(edge, (x[0] + x[1]) / std::sqrt(2.0));
  EXPECT_GT(edge, std::sqrt(2.0) * kBall - 0.8 * kSpacing);
}

TEST(Surface, OfTwoBallsFarApartAreTwo) {
  std::vector<Point> points = ball({-0.2, 0, 0});
  for (const Point& x : ball({50, 0, 0})) points.push_back(x);
  const Mesh mesh = surface_of(points).mesh;
  expect_closed(mesh);
  EXPECT_EQ(count_components(mesh), 2u);
  EXPECT_NEAR(signed_volume(mesh), 2 * sphere_volume(kBall), 0.1 * sphere_volume(kBall));
}

TEST(Surface, OfOneParticleIsASmallSphereWhereverItLies) {
  double mean = 0;
  for (int k = 0; k < 20; ++k) {
    const Point center{0.37 * kRadius * k, 0.11 * kRadius * k, -0.23 * kRadius * k};
    const Mesh mesh = surface_of({center}).mesh;
    ASSERT_FALSE(mesh.triangles.empty()) << k;
    expect_closed(mesh);
    EXPECT_EQ(count_components(mesh), 1u);
    EXPECT_GT(signed_volume(mesh), 0.3 * sphere_volume(0.8 * kRadius)) << k;  // few voxels make a coarse sphere
    for (const Point& x : mesh.points) EXPECT_LT(norm(x - center), 0.8 * kRadius + 0.5 * usual().voxel) << k;
    mean += signed_volume(mesh) / 20;
  }
  EXPECT_NEAR(mean, sphere_volume(0.8 * kRadius), 0.25 * sphere_volume(0.8 * kRadius));
  SurfaceOptions fine = usual();
  fine.voxel = kRadius / 10;
  EXPECT_NEAR(signed_volume(surface_of({{0, 0, 0}}, fine).mesh), sphere_volume(0.8 * kRadius), 0.05 * sphere_volume(0.8 * kRadius));
}

TEST(Surface, LeavesOutAndCountsLooseParticlesSmallerThanAVoxel) {
  SurfaceOptions coarse = usual();
  coarse.voxel = 2.1 * kRadius;
  const SnowSurface surface = surface_of({{0, 0, 0}, {1, 0, 0}}, coarse);
  EXPECT_EQ(surface.left_out, 2u);
  EXPECT_TRUE(surface.mesh.triangles.empty());
  EXPECT_EQ(surface_of(ball({0, 0, 0}), coarse).mesh.triangles.empty(), false);
}

TEST(Surface, OfNothingIsEmpty) {
  const SnowSurface surface = surface_of({});
  EXPECT_TRUE(surface.mesh.points.empty());
  EXPECT_TRUE(surface.mesh.triangles.empty());
}

TEST(Surface, WithAdaptivityHasFewerTrianglesAndTheSameVolume) {
  SurfaceOptions adaptive = usual();
  adaptive.adaptivity = 0.1;
  const Mesh mesh = surface_of(ball({0, 0, 0}), adaptive).mesh, uniform = surface_of(ball({0, 0, 0})).mesh;
  EXPECT_LT(mesh.triangles.size(), 0.9 * static_cast<double>(uniform.triangles.size()));
  EXPECT_NEAR(signed_volume(mesh), signed_volume(uniform), 0.02 * signed_volume(uniform));
}

TEST(Surface, IsTheSameForAnyNumberOfThreads) {
  std::vector<Point> points = ball({0, 0, 0});
  for (int k = 0; k < 100; ++k) points.push_back({0.2 + 0.001 * k * k, 0.013 * k, 0});  // loose ones
  const auto with = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return surface_of(points).mesh;
  };
  const Mesh one = with(1), four = with(4);
  ASSERT_EQ(one.points.size(), four.points.size());
  EXPECT_EQ(one.triangles, four.triangles);
  for (std::size_t p = 0; p < one.points.size(); ++p)
    for (int d = 0; d < 3; ++d) ASSERT_EQ(one.points[p][d], four.points[p][d]);
}

TEST(Surface, InVoxelsTooSmallForTheMemoryIsRefused) {
  SurfaceOptions tiny = usual();
  tiny.voxel = kRadius / 5000;
  EXPECT_THROW(surface_of(ball({0, 0, 0}), tiny), UserError);
  EXPECT_THROW(surface_of({{1e6, 0, 0}}, tiny), UserError);
}

}  // namespace
}  // namespace firn
