// Normals for shading.
#include <gtest/gtest.h>

#include "geometry/mesh.h"
#include "support/meshes.h"

namespace firn {
namespace {

constexpr double kFortyDegrees = 0.766;

TEST(CornerNormals, OfACubeAreThoseOfItsFaces) {
  const Mesh cube = test::cube();
  const std::vector<CornerNormals> normals = corner_normals(cube, kFortyDegrees);
  ASSERT_EQ(normals.size(), cube.triangles.size());
  for (const CornerNormals& corners : normals)
    for (const Vec<float, 3>& n : corners) {
      EXPECT_EQ(n[0], corners[0][0]);
      EXPECT_NEAR(std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]), 1, 1e-6) << "along an axis";
    }
}

TEST(CornerNormals, OfACubeAreItsDiagonalsWhenNothingIsSharp) {
  const Mesh cube = test::cube();
  const std::vector<CornerNormals> normals = corner_normals(cube, -1);
  for (std::size_t t = 0; t < normals.size(); ++t)
    for (std::size_t i = 0; i < 3; ++i)
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(normals[t][i][d], (2 * cube.points[cube.triangles[t][i]][d] - 1) / std::sqrt(3.0), 1e-6);
}

TEST(CornerNormals, OfASphereAreItsRadii) {
  const Mesh dome = test::dome(32, 2);
  const std::vector<CornerNormals> normals = corner_normals(dome, kFortyDegrees);
  for (std::size_t t = 0; t < normals.size(); ++t)
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec<double, 3>& p = dome.points[dome.triangles[t][i]];
      if (p[1] < -0.3) continue;  // the rim, with triangles on one side only
      EXPECT_GT(normals[t][i][0] * p[0] + normals[t][i][1] * p[1] + normals[t][i][2] * p[2], 0.998);
    }
}

// As after a repair that could not make neighbours agree.
TEST(CornerNormals, AreNotSmoothBetweenTrianglesThatFaceOppositeWays) {
  Mesh pair;
  pair.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  pair.triangles = {{0, 1, 2}, {0, 3, 2}};
  const std::vector<CornerNormals> normals = corner_normals(pair, -1);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(normals[0][i][2], 1);
    EXPECT_EQ(normals[1][i][2], -1);
  }
}

}  // namespace
}  // namespace firn
