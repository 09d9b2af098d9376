// Sampled and deforming bodies act alike on the CPU solver and the reference, in two and three dimensions.
#include <gtest/gtest.h>

#include <cmath>

#include "support/fast_backend.h"
#include "support/mesh_files.h"
#include "support/meshes.h"
#include "support/random_snow.h"

namespace firn::test {
namespace {

// Random snow thrown at a cube that rises, as a file per frame, beside a ball with a bite taken out of it.
Scene thrown_at_samples(const TempFolder& folder, int dimension) {
  RandomSnow snow;
  snow.dimension = dimension;
  snow.count = 800;
  snow.cells = dimension == 3 ? 7 : 18;
  Scene scene = thrown_snow(snow, folder);
  for (int k = 0; k < 3; ++k) {
    Mesh block = moved(cube(), {-0.5, -1 + 0.02 * k, -0.5});
    folder.write("rise_" + std::to_string(k) + ".obj", obj(block));
  }
  Collider rising;
  rising.shape.kind = ShapeKind::kSequence;
  rising.shape.file = folder.file("rise_#.obj");
  rising.shape.scale = {0.3, 0.3, 0.3};
  rising.shape.fps = 60;
  rising.shape.translate = {0.02, 0.015, 0};
  rising.friction = 0.2;
  Collider bitten;
  bitten.shape.kind = ShapeKind::kDifference;
  for (const double x : {0.1, 0.05}) bitten.shape.parts.push_back(ball({x, 0.03, 0}, 0.05).shape);
  scene.colliders = {rising, bitten};
  scene.solver.time_step = 1e-4;
  scene.solver.precision = Precision::kDouble;
  return scene;
}

class SampledBodies : public ::testing::TestWithParam<int> {};

TEST_P(SampledBodies, ActAlikeOnBothBackends) {
  const TempFolder folder;
  const Scene scene = thrown_at_samples(folder, GetParam());
  constexpr int kSteps = 200;
  const Frame fast = after_steps(scene, fast_backend(), kSteps), slow = after_steps(scene, Backend::kReference, kSteps);
  Scene free = scene;
  free.colliders.clear();
  const Frame flying = after_steps(free, Backend::kCpu, kSteps);
  double difference = 0, deflection = 0;
  for (std::size_t i = 0; i < slow.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      difference = std::max(difference, std::abs(fast.velocity[i][d] - slow.velocity[i][d]));
      deflection = std::max(deflection, std::abs(flying.velocity[i][d] - slow.velocity[i][d]));
    }
  EXPECT_LT(difference, 1e-7);
  EXPECT_GT(deflection, 1) << "the snow must have hit the bodies";
}

INSTANTIATE_TEST_SUITE_P(Dimensions, SampledBodies, ::testing::Values(2, 3));

}  // namespace
}  // namespace firn::test
