// A pressure wave runs along a bar at sqrt(M/rho), M = lambda + 2 mu where the bar cannot widen.
#include <gtest/gtest.h>

#include <cmath>

#include "support/random_snow.h"

namespace firn::test {
namespace {

// Time until the middle of a bar between slippery plates feels a push at its left end.
double arrival_speed(int dimension, double young) {
  const TempFolder folder;
  const double h = 0.01, a = h / 2, length = 1.0, width = 4 * h;
  Frame bar;
  const int across = static_cast<int>(width / a);
  for (int i = 0; i < static_cast<int>(length / a); ++i)
    for (int j = 0; j < across; ++j)
      for (int k = 0; k < (dimension == 3 ? across : 1); ++k) {
        bar.position.push_back({(i + 0.5) * a, (j + 0.5) * a, dimension == 3 ? (k + 0.5) * a : 0});
        bar.mass.push_back(400 * std::pow(a, dimension));
        bar.volume.push_back(std::pow(a, dimension));
      }
  write_ply(folder.file("bar.ply"), in_double(bar));
  Scene scene = empty_scene(dimension, h);
  scene.simulation.gravity = {0, 0, 0};
  scene.materials[0].young_modulus = young;
  scene.materials[0].critical_compression = 0.5;
  scene.materials[0].critical_stretch = 0.5;
  scene.snow.push_back(particle_file(folder.file("bar.ply")));
  const auto plate = [&](const Vector& point, const Vector& normal) {
    Collider c;
    c.shape.kind = ShapeKind::kPlane;
    c.shape.point = point;
    c.shape.normal = normal;
    return c;
  };
  scene.colliders = {plate({0, 0, 0}, {0, 1, 0}), plate({0, width, 0}, {0, -1, 0}), plate({0, 0, 0}, {1, 0, 0})};
  scene.colliders.back().velocity = {0.05, 0, 0};  // the push: far slower than the wave
  if (dimension == 3) {
    scene.colliders.push_back(plate({0, 0, 0}, {0, 0, 1}));
    scene.colliders.push_back(plate({0, 0, width}, {0, 0, -1}));
  }
  scene.solver.precision = Precision::kDouble;
  scene.solver.flip_ratio = 1;
  Simulation simulation(scene);
  // Behind the front the bar moves at the plate's speed: the front is where it reaches half of it.
  const double station[2] = {0.3, 0.7};
  double time[2] = {0, 0};
  for (int s = 0; s < 2; ++s)
    while (time[s] == 0) {
      simulation.step(1e-4);
      double v = 0;
      int count = 0;
      const Frame frame = simulation.frame(false);
      for (std::size_t i = 0; i < frame.size(); ++i)
        if (std::abs(frame.position[i][0] - station[s]) < h) {
          v += frame.velocity[i][0];
          ++count;
        }
      if (v / count > 0.025) time[s] = simulation.time();
      if (simulation.time() > 0.2) return 0;
    }
  return (station[1] - station[0]) / (time[1] - time[0]);
}

TEST(Wave, RunsAtTheElasticSpeedIn2DAnd3D) {
  const double nu = 0.2;
  for (const double young : {1.4e5, 5.6e5}) {
    const double modulus = young * (1 - nu) / ((1 + nu) * (1 - 2 * nu));
    const double expected = std::sqrt(modulus / 400);
    EXPECT_NEAR(arrival_speed(2, young), expected, 0.03 * expected);
  }
  const double expected = std::sqrt(1.4e5 * (1 - nu) / ((1 + nu) * (1 - 2 * nu)) / 400);
  EXPECT_NEAR(arrival_speed(3, 1.4e5), expected, 0.03 * expected);
}

}  // namespace
}  // namespace firn::test
