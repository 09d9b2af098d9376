// Snow and bodies made of triangles behave like those made of formulas.
#include "support/meshes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "build/form.h"
#include "support/mesh_files.h"
#include "support/random_snow.h"

namespace firn::test {
namespace {

constexpr double kPi = std::numbers::pi;

Mesh scaled(Mesh mesh, const Vector& by) {
  for (Vec<double, 3>& x : mesh.points)
    for (int d = 0; d < 3; ++d) x[d] *= by[static_cast<std::size_t>(d)];
  return mesh;
}

Shape mesh_shape(const std::string& file, const Vector& translate) {
  Shape shape;
  shape.kind = ShapeKind::kMesh;
  shape.file = file;
  shape.translate = translate;
  return shape;
}

struct Heap {
  double mass = 0, width = 0, height = 0, top = 0;  // kg; standard deviations and the highest particle, m
};

Heap measure(const Simulation& simulation) {
  const Frame frame = simulation.frame(false);
  Heap heap;
  Vector mean{0, 0, 0}, square{0, 0, 0};
  for (std::size_t i = 0; i < frame.size(); ++i) {
    heap.mass += frame.mass[i];
    heap.top = std::max(heap.top, frame.position[i][1]);
    for (std::size_t d = 0; d < 3; ++d) {
      mean[d] += frame.position[i][d] / static_cast<double>(frame.size());
      square[d] += frame.position[i][d] * frame.position[i][d] / static_cast<double>(frame.size());
    }
  }
  heap.width = std::sqrt(square[0] - mean[0] * mean[0] + square[2] - mean[2] * mean[2]);
  heap.height = mean[1];
  return heap;
}

Heap drop(const Shape& shape, std::uint32_t seed) {
  Scene scene = empty_scene(3, 0.02);
  scene.solver.integrator = Integrator::kSemiImplicit;
  Snow snow;
  snow.shape = shape;
  snow.velocity = {0, -3, 0};
  snow.seed = seed;
  scene.snow.push_back(snow);
  scene.colliders.push_back(ground(0.4));
  Simulation simulation(scene);
  simulation.advance_to(0.2);
  return measure(simulation);
}

TEST(MeshBall, WeighsFallsAndLandsLikeTheSphere) {
  const TempFolder folder;
  const double radius = 0.12;
  const Vector center{0.003, 0.2, -0.007};
  const std::string file = folder.write("ball.obj", obj(scaled(dome(64, kPi), {radius, radius, radius})));
  const Shape sphere = ball(center, radius).shape;
  const Heap a = drop(sphere, 1), b = drop(sphere, 2), c = drop(mesh_shape(file, center), 1), d = drop(mesh_shape(file, center), 2);
  EXPECT_NEAR(c.mass / a.mass, 1, 0.01);
  // What another seed changes is noise; twice that is the same.
  const auto expect_alike = [&](double Heap::*figure, const char* name) {
    const double noise = std::max(std::abs(a.*figure - b.*figure), std::abs(c.*figure - d.*figure));
    EXPECT_NEAR(0.5 * (c.*figure + d.*figure), 0.5 * (a.*figure + b.*figure), 2 * noise + 0.02 * 0.02) << name;
  };
  expect_alike(&Heap::width, "width");
  expect_alike(&Heap::height, "height");
}

// A leg whose lower half turns about the knee by `angle`, with a soft bend.
Mesh bent_leg(double angle) {
  constexpr double kRadius = 0.07, kShin = 0.25, kBend = 0.08;
  Mesh leg = dome(20, kPi);
  for (Vec<double, 3>& x : leg.points) {
    x = kRadius * x;
    x[1] += x[1] < 0 ? -kShin : kShin;  // a capsule
    const double s = std::clamp((kBend - x[1]) / (2 * kBend), 0.0, 1.0), turn = angle * s * s * (3 - 2 * s);
    x = {std::cos(turn) * x[0] - std::sin(turn) * x[1], std::sin(turn) * x[0] + std::cos(turn) * x[1], x[2]};
  }
  return leg;
}

double leg_angle(double t) { return 1.1 * std::sin(4 * kPi * t); }  // the foot kicks at 4 m/s

Scene kicking_leg(const TempFolder& folder, const std::string& file_pattern, double h) {
  Scene scene = empty_scene(3, h);
  scene.solver.integrator = Integrator::kSemiImplicit;
  scene.simulation.gravity = {0, 0, 0};
  Snow snow;
  snow.shape.kind = ShapeKind::kBox;
  snow.shape.center = {0.22, -0.26, 0};
  snow.shape.size = {0.26, 0.22, 0.24};
  scene.snow.push_back(snow);
  Collider leg;
  leg.shape.kind = ShapeKind::kSequence;
  leg.shape.file = folder.file(file_pattern);
  leg.friction = 0.3;
  scene.colliders.push_back(leg);
  return scene;
}

// The deepest particle inside the leg as it is at frame `k`, cells.
double deepest(const Simulation& simulation, const std::string& mesh, double h) {
  std::vector<std::string> warnings;
  const Form leg = make_form(mesh_shape(mesh, {0, 0, 0}), {3, h}, warnings);
  double deepest = 0;
  for (const Vector& x : simulation.frame(false).position) deepest = std::max(deepest, -leg.distance({x[0], x[1], x[2]}) / h);
  printf("    t = %.3f s: %.2f cells deep\n", simulation.time(), deepest);
  return deepest;
}

TEST(DeformingLeg, PushesSnowWithoutLettingItIn) {
  const TempFolder folder;
  constexpr double kH = 0.03;
  constexpr int kFrames = 9;
  std::vector<std::string> files;
  files.reserve(kFrames);
  for (int k = 0; k < kFrames; ++k) files.push_back(folder.write(fmt::format("leg_{:04}.obj", k), obj(bent_leg(leg_angle(k / 24.0)))));
  Simulation simulation(kicking_leg(folder, "leg_####.obj", kH));
  const double before = simulation.statistics().momentum[0];
  for (int k = 1; k < kFrames; ++k) {
    simulation.advance_to(k / 24.0);
    EXPECT_LT(deepest(simulation, files[static_cast<std::size_t>(k)], kH), 1) << "frame " << k;
  }
  EXPECT_GT(simulation.statistics().momentum[0] - before, 0.5) << "the kick went into the air";
}

// Every other frame has its points in another order: velocities come from the level sets.
TEST(DeformingLeg, PushesSnowAlsoWhenItsTopologyChanges) {
  const TempFolder folder;
  constexpr double kH = 0.03;
  constexpr int kFrames = 7;
  std::vector<std::string> files;
  for (int k = 0; k < kFrames; ++k) {
    Mesh leg = bent_leg(leg_angle(k / 24.0));
    if (k % 2 == 1) std::swap(leg.triangles.front(), leg.triangles.back());
    files.push_back(folder.write(fmt::format("leg_{}.obj", k), obj(leg)));
  }
  Simulation simulation(kicking_leg(folder, "leg_#.obj", kH));
  for (int k = 1; k < kFrames; ++k) {
    simulation.advance_to(k / 24.0);
    EXPECT_LT(deepest(simulation, files[static_cast<std::size_t>(k)], kH), 1) << "frame " << k;
  }
  EXPECT_GT(simulation.statistics().momentum[0], 0.5);
}

// Two parts, one of which flies a third of a metre a frame, to snow far from where it began; with triangles that have no area.
TEST(FlyingSequence, HitsSnowFarFromWhereItBegan) {
  const TempFolder folder;
  constexpr double kH = 0.03, kWay = 0.3;
  std::vector<std::string> files;
  Mesh flier = scaled(dome(16, kPi), {0.1, 0.1, 0.1});
  flier.triangles.insert(flier.triangles.begin(), {{0, 0, 5}, {3, 4, 4}});
  const Mesh standing = moved(flier, {0, -1, 0});
  for (int k = 0; k < 8; ++k) {
    const Mesh both = joined(moved(flier, {kWay * k, 0, 0}), standing);
    files.push_back(folder.write(fmt::format("fly_{}.obj", k), obj(both)));
  }
  Scene scene = kicking_leg(folder, "fly_#.obj", kH);
  scene.snow = {ball({1.35, 0.02, 0}, 0.1)};
  Simulation simulation(scene);
  for (int k = 1; k < 7; ++k) {
    simulation.advance_to(k / 24.0);
    EXPECT_LT(deepest(simulation, files[static_cast<std::size_t>(k)], kH), 1) << "frame " << k;
  }
  EXPECT_GT(simulation.statistics().momentum[0] / simulation.statistics().mass, 1) << "the snow was passed through";
}

// A plate of triangles, one cell thick, at 20 m/s.
TEST(ThinMeshPlate, CarriesSnowAlong) {
  const TempFolder folder;
  constexpr double kH = 0.02, kSpeed = 20;
  Mesh plate = cube();
  for (Vec<double, 3>& x : plate.points) x = {kH * (x[0] - 0.5), 0.4 * (x[1] - 0.5), 0.4 * (x[2] - 0.5)};
  const std::string file = folder.write("plate.obj", obj(plate));
  for (const double shift : {0.0, 0.3, 0.5}) {
    Scene scene = empty_scene(3, kH);
    scene.solver.integrator = Integrator::kSemiImplicit;
    scene.simulation.gravity = {0, 0, 0};
    scene.snow.push_back(ball({0, 0, 0}, 0.08));
    Collider body;
    body.shape = mesh_shape(file, {-0.12 + shift * kH, 0, 0});
    body.velocity = {kSpeed, 0, 0};
    scene.colliders.push_back(body);
    Simulation simulation(scene);
    simulation.advance_to(0.03);
    const double back = -0.12 + shift * kH + kSpeed * simulation.time() - kH / 2;
    std::size_t behind = 0;
    for (const Vector& x : simulation.frame(false).position) behind += x[0] < back;
    EXPECT_EQ(behind, 0u) << shift;
  }
}

}  // namespace
}  // namespace firn::test
