// Triangles from distances.
#include "geometry/contour.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/mesh.h"

namespace firn {
namespace {

using Point = Vec<double, 3>;

double box_distance(const Point& p, const Point& half) {
  double outside = 0, inside = -1e30;
  for (int d = 0; d < 3; ++d) {
    const double q = std::abs(p[d]) - half[d];
    outside += q > 0 ? q * q : 0;
    inside = std::max(inside, q);
  }
  return inside > 0 ? std::sqrt(outside) : inside;
}

// A cube of edge 2 with a round hole of radius 0.5 along z.
double drilled_cube(const Point& p) { return std::max(box_distance(p, {1, 1, 1}), 0.5 - std::hypot(p[0], p[1])); }

const Bounds kBox{{-1, -1, -1}, {1, 1, 1}};

bool is_closed(const Mesh& mesh) {
  bool closed = true;
  for_each_edge(sorted_edge_uses(mesh), [&](std::span<const EdgeUse> uses) { closed = closed && uses.size() == 2; });
  return closed;
}

TEST(Contour, OfABallIsRoundClosedAndFacesOutwards) {
  const Mesh mesh = contour(kBox, [](const Point& p) { return norm(p) - 0.9; }, {0.05});
  const double volume = 4.0 / 3 * std::numbers::pi * std::pow(0.9, 3);
  EXPECT_NEAR(signed_volume(mesh), volume, 0.01 * volume);
  EXPECT_TRUE(is_closed(mesh));
  for (const Point& p : mesh.points) EXPECT_NEAR(norm(p), 0.9, 1e-3);
}

TEST(Contour, KeepsTheEdgesAndCornersOfACubeAndTheRimOfAHole) {
  const Mesh mesh = contour(kBox, drilled_cube, {0.05});
  EXPECT_TRUE(is_closed(mesh));
  EXPECT_NEAR(signed_volume(mesh), 8 - 2 * std::numbers::pi * 0.25, 0.02);
  int corners = 0, on_rim = 0;
  for (const Point& p : mesh.points) {
    EXPECT_LT(std::abs(drilled_cube(p)), 2e-3) << "no point is off the surface";
    corners += norm(Point{std::abs(p[0]) - 1, std::abs(p[1]) - 1, std::abs(p[2]) - 1}) < 1e-3;
    on_rim += std::abs(std::abs(p[2]) - 1) < 2e-3 && std::abs(std::hypot(p[0], p[1]) - 0.5) < 2e-3;
  }
  EXPECT_EQ(corners, 8);
  EXPECT_GT(on_rim, 2 * 2 * std::numbers::pi * 0.5 / 0.05) << "a point for every cell that the rims go through";
}

// The middle of every side of a triangle lies on the surface, too: no teeth.
TEST(Contour, HasNoTeethAlongItsEdges) {
  const Mesh mesh = contour(kBox, drilled_cube, {0.05});
  double farthest = 0;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      farthest = std::max(farthest, std::abs(drilled_cube(0.5 * (mesh.points[t[k]] + mesh.points[t[(k + 1) % 3]]))));
  EXPECT_LT(farthest, 0.1 * 0.05);
}

TEST(Contour, GetsCoarserRatherThanTakeTooManyBlocks) {
  const auto ball = [](const Point& p) { return norm(p) - 0.9; };
  const Mesh fine = contour(kBox, ball, {1e-7, 200}), coarse = contour(kBox, ball, {0.05, 200});
  EXPECT_LT(fine.points.size(), 200u * 8 * 8 * 4);
  EXPECT_GT(fine.points.size(), coarse.points.size() / 4);
  EXPECT_TRUE(is_closed(fine));
}

TEST(Contour, OfNothingIsEmpty) {
  EXPECT_TRUE(contour(kBox, [](const Point& p) { return norm(p) + 0.1; }, {0.1}).triangles.empty());
}

TEST(Contour, DoesNotDependOnTheNumberOfThreads) {
  std::vector<Mesh> meshes;
  for (const std::size_t threads : {1u, 3u}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    meshes.push_back(contour(kBox, drilled_cube, {0.1}));
  }
  EXPECT_EQ(meshes[0].triangles, meshes[1].triangles);
  for (std::size_t i = 0; i < meshes[0].points.size(); ++i)
    for (int d = 0; d < 3; ++d) ASSERT_EQ(meshes[0].points[i][d], meshes[1].points[i][d]);
}

}  // namespace
}  // namespace firn
