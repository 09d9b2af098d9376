// Scenes for tests: random particles in a file, thrown at a plane.
#pragma once

#include <cmath>
#include <string>

#include "firn/simulation.h"
#include "math/random.h"
#include "support/temp_folder.h"

namespace firn::test {

inline constexpr double kGravity = 9.81;  // m/s², as scenes have it

struct RandomSnow {
  int dimension = 3;
  int count = 2000;
  double h = 0.01;    // m
  double cells = 10;  // edge of the cube the particles fill
  Vector lower{0.003, 0.02, 0.001};
  Vector velocity{1.5, -3, 0.4};
  double scatter = 0.3;  // m/s, random part of the velocity
  std::uint64_t seed = 7;
};

// As files keep it without rounding.
inline Frame in_double(Frame frame) {
  frame.double_precision = true;
  return frame;
}

inline Frame random_frame(const RandomSnow& s) {
  Rng rng(s.seed);
  Frame frame;
  for (int k = 0; k < s.count; ++k) {
    Vector x{0, 0, 0}, v{0, 0, 0};
    for (int d = 0; d < s.dimension; ++d) {
      x[d] = s.lower[d] + rng.uniform() * s.cells * s.h;
      v[d] = s.velocity[d] + s.scatter * (2 * rng.uniform() - 1);
    }
    frame.id.push_back(static_cast<std::uint32_t>(k));
    frame.position.push_back(x);
    frame.velocity.push_back(v);
    frame.mass.push_back(400 * std::pow(s.h, s.dimension) * std::pow(s.cells, s.dimension) / s.count * (0.5 + rng.uniform()));
  }
  return frame;
}

inline Collider ground(double friction, double height = 0) {
  Collider plane;
  plane.shape.kind = ShapeKind::kPlane;
  plane.shape.point = {0, height, 0};
  plane.shape.normal = {0, 1, 0};
  plane.friction = friction;
  return plane;
}

inline Snow particle_file(const std::string& path) {
  Snow snow;
  snow.shape.kind = ShapeKind::kParticles;
  snow.shape.file = path;
  return snow;
}

// The particles of `s`, written into the folder, above a plane with friction 0.3.
inline Scene thrown_snow(const RandomSnow& s, const TempFolder& folder) {
  const std::string file = folder.file("particles.ply");
  write_ply(file, in_double(random_frame(s)));
  Scene scene;
  scene.name = "thrown";
  scene.simulation.dimension = s.dimension;
  scene.simulation.spacing = s.h;
  scene.simulation.duration = 1;
  scene.solver.integrator = Integrator::kExplicit;  // tests of the other one say so
  scene.materials.push_back({});
  scene.snow.push_back(particle_file(file));
  scene.colliders.push_back(ground(0.3));
  return scene;
}

inline Snow ball(const Vector& center, double radius) {
  Snow snow;
  snow.shape.kind = ShapeKind::kSphere;
  snow.shape.center = center;
  snow.shape.radius = radius;
  return snow;
}

// A scene with one material and nothing else yet.
inline Scene empty_scene(int dimension, double h) {
  Scene scene;
  scene.name = "test";
  scene.simulation.dimension = dimension;
  scene.simulation.spacing = h;
  scene.simulation.duration = 1;
  scene.solver.integrator = Integrator::kExplicit;  // tests of the other one say so
  scene.materials.push_back({});
  return scene;
}

inline Frame after_steps(const Scene& scene, Backend backend, int steps) {
  Simulation simulation(scene, backend, 2);
  for (int k = 0; k < steps; ++k) simulation.step(*scene.solver.time_step);
  return simulation.frame(true);
}

}  // namespace firn::test
