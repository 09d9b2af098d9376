// The distance to the ground of a height field.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "geometry/heightfield.h"
#include "geometry/volume_builder.h"
#include "math/random.h"
#include "support/error_of.h"

namespace firn {
namespace {

using V = Vec<double, 3>;

const GroundArea kArea{-1, -0.6, 1.2, 0.8};
constexpr double kBase = -0.4;

HeightMap hills(double spacing) { return height_map_from_formula("0.2*sin(4*x)*cos(5*z) + 0.1*noise(7*x, 7*z)", kArea, spacing); }

double to_nearest_triangle(const Mesh& mesh, const V& q) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Triangle& t : mesh.triangles) {
    const V &a = mesh.points[t[0]], &b = mesh.points[t[1]], &c = mesh.points[t[2]];
    const V w = nearest_weights(q, a, b, c);
    nearest = std::min(nearest, norm(w[0] * a + w[1] * b + w[2] * c - q));
  }
  return nearest;
}

V point_around(Rng& rng, double reach) {
  return {reach * (2 * rng.uniform() - 1), reach * (2 * rng.uniform() - 1), reach * (2 * rng.uniform() - 1)};
}

TEST(HeightSolid, KnowsTheDistanceToItsMesh) {
  for (const double spacing : {0.05, 0.011}) {  // the finer one has many cells within reach of a point
    const HeightMap map = hills(spacing);
    const Mesh mesh = to_mesh(map, kBase);
    const HeightSolid solid(map, kBase);
    Rng rng(7);
    for (int i = 0; i < 300; ++i) {
      const V q = point_around(rng, i % 3 == 0 ? 4 : 1.3);
      ASSERT_NEAR(std::abs(solid.distance(q)), to_nearest_triangle(mesh, q), 1e-12) << q[0] << " " << q[1] << " " << q[2];
      ASSERT_NEAR(std::abs(solid.distance(q, 0.2)), std::min(to_nearest_triangle(mesh, q), 0.2), 1e-12) << "not looked for farther away";
    }
  }
}

TEST(HeightSolid, IsNegativeInsideOnly) {
  const HeightMap map = hills(0.05);
  const HeightSolid solid(map, kBase);
  Rng rng(8);
  for (int i = 0; i < 2000; ++i) {
    const V q = point_around(rng, 1.5);
    const bool over_area = q[0] > kArea.x0 && q[0] < kArea.x1 && q[2] > kArea.z0 && q[2] < kArea.z1;
    ASSERT_EQ(solid.distance(q) < 0, over_area && q[1] > kBase && q[1] < map.top(q[0], q[2]));
  }
}

TEST(HeightSolid, HoldsWhatItsMeshEncloses) {
  const HeightMap map = hills(0.05);
  const HeightSolid solid(map, kBase);
  const Mesh mesh = to_mesh(map, kBase);
  EXPECT_NEAR(solid.content(), signed_volume(mesh), 1e-12);
  for (int d = 0; d < 3; ++d) {
    EXPECT_NEAR(solid.lower()[d], bounds(mesh).lower[d], 1e-15);
    EXPECT_NEAR(solid.upper()[d], bounds(mesh).upper[d], 1e-15);
  }
}

TEST(HeightSolid, OfASectionIsTheSameForAllZ) {
  const HeightMap section = section_from_formula("0.3*abs(x) + z", kArea, 0.1), of_map = section_of(hills(0.05));
  EXPECT_EQ(section.nz, 2u) << "no points beside the section";
  EXPECT_NEAR(of_map.top(0.3, 0), hills(0.05).height(0.3, 0), 0.01);
  const HeightSolid valley(section, kBase);
  for (const double z : {0.0, 0.5, -0.7}) {
    EXPECT_NEAR(valley.distance({0, 1, z}), std::cos(std::atan(0.3)), 0.01);
    EXPECT_NEAR(valley.distance({0, kBase - 0.5, z}), 0.5, 1e-12);
    EXPECT_NEAR(valley.distance({0, kBase + 0.1, z}), -0.1, 1e-12);
    EXPECT_NEAR(valley.distance({kArea.x1 + 0.25, 0, z}), 0.25, 1e-12);
  }
}

TEST(HeightSolid, NeedsABaseBelowTheGround) {
  EXPECT_EQ(test::error_of([] { HeightSolid(height_map_from_formula("x", kArea, 1.1), -0.9); }),
            "the base of the height field, -0.9 m, must lie below its lowest point, -1 m");
}

std::shared_ptr<const LevelSet> sampled_hills() {
  const auto solid = std::make_shared<const HeightSolid>(hills(0.05), kBase);
  constexpr double kBand = 0.1;
  return sample_on_demand(cover(solid->lower(), solid->upper(), kBand, 0.025), {kBand, std::numeric_limits<double>::infinity(), false},
                          [solid](const V& q, double farthest) { return solid->distance(q, farthest); });
}

TEST(SampledOnDemand, GivesDistancesNearTheSurfaceAndInsideAndNeverPromisesMore) {
  const HeightSolid solid(hills(0.05), kBase);
  const std::shared_ptr<const LevelSet> level_set = sampled_hills();
  Rng rng(9);
  for (int i = 0; i < 5000; ++i) {
    const V q = point_around(rng, 2.5);
    const double exact = solid.distance(q), phi = sample_phi(level_set->bricks, q).phi;
    ASSERT_LE(phi, exact + 0.01);
    if (exact < 0.05) ASSERT_NEAR(phi, exact, 0.015);
    if (exact > 0.05) ASSERT_GT(phi, 0);
  }
}

TEST(SampledOnDemand, GivesTheSameBitsOnAnyNumberOfThreadsAndInAnyOrder) {
  const auto values = [](std::size_t threads, bool backwards) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const std::shared_ptr<const LevelSet> level_set = sampled_hills();
    std::vector<double> phi(20000);
    parallel_for(phi.size(), [&](std::size_t i) {
      const std::size_t at = backwards ? phi.size() - 1 - i : i;
      Rng rng(at);
      phi[at] = sample_phi(level_set->bricks, point_around(rng, 1.5)).phi;
    });
    return phi;
  };
  const std::vector<double> one = values(1, false);
  EXPECT_EQ(one, values(2, false));
  EXPECT_EQ(one, values(2, true));
}

}  // namespace
}  // namespace firn
