// What the paper says snow does, as numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random_snow.h"

namespace firn::test {
namespace {

// A ball of radius 7 cells that hits the ground at 5 m/s.
Scene dropped_ball() {
  Scene scene = empty_scene(3, 0.02);
  scene.snow.push_back(ball({0, 0.17, 0}, 0.14));
  scene.snow[0].velocity = {0, -5, 0};
  scene.snow[0].particles_per_cell = 6;
  scene.colliders.push_back(ground(0.5));
  return scene;
}

struct Part {
  double density = 0;  // kg/m³
  double jp = 0;       // mean
};

// Particles whose height is in [low, high) and distance from the axis below `radius`.
Part core(const Frame& frame, double low, double high, double radius) {
  Part part;
  int count = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const auto& x = frame.position[i];
    if (x[1] < low || x[1] >= high || std::hypot(x[0], x[2]) >= radius) continue;
    part.density += frame.mass[i];
    part.jp += frame.jp[i];
    ++count;
  }
  part.density /= 3.14159265 * radius * radius * (high - low);
  part.jp /= std::max(count, 1);
  return part;
}

double highest(const Frame& frame) {
  double y = -1e9;
  for (const auto& x : frame.position) y = std::max(y, x[1]);
  return y;
}

double mean_height(const Frame& frame) {
  double y = 0;
  for (const auto& x : frame.position) y += x[1] / static_cast<double>(frame.size());
  return y;
}

TEST(Snowball, PacksFlattensStaysAboveTheGroundAndDoesNotBounce) {
  const Scene scene = dropped_ball();
  Simulation simulation(scene);
  const double h = scene.simulation.spacing;
  const Part before = core(simulation.frame(false), 0.1, 0.24, 0.06);
  const double energy = simulation.statistics().kinetic_energy;
  simulation.advance_to(0.1);
  const double lowest_middle = mean_height(simulation.frame(false));
  double top_middle = 0, deepest = 1;
  for (double t = 0.14; t < 0.35; t += 0.04) {
    simulation.advance_to(t);
    const Frame frame = simulation.frame(false);
    top_middle = std::max(top_middle, mean_height(frame));
    for (const auto& x : frame.position) deepest = std::min(deepest, x[1]);
  }
  const Frame after = simulation.frame(false);
  const Part contact = core(after, 1.5 * h, 3.5 * h, 0.06);  // the lowest particles rest one node above the ground
  const Statistics s = simulation.statistics();
  printf("    mean J_P %.3f, at the contact %.3f; density %.0f -> %.0f kg/m³; height %.3f m; rebound %.4f m; deepest %.2f cells\n",
         s.jp_mean, contact.jp, before.density, contact.density, highest(after), top_middle - lowest_middle, deepest / h);
  EXPECT_LT(s.jp_mean, 0.97);
  EXPECT_LT(contact.jp, s.jp_mean) << "packed most where it hit";
  EXPECT_GT(contact.density, 1.1 * before.density);
  EXPECT_LT(highest(after), 0.26) << "0.28 m high before, and a node above the ground now: flattened";
  EXPECT_LT(s.kinetic_energy, 0.01 * energy);
  // A rubber ball would rise by v²/2g = 1.27 m.
  EXPECT_LT(top_middle - lowest_middle, 0.05);
  EXPECT_GT(deepest, -0.5 * h) << "does not sink in";
}

TEST(Snowball, PackingHardensAndStretchWeakens) {
  // The same squeeze of the same ball before and after it has been packed.
  Material snow;
  snow.hardening = 10;
  const auto peak_force = [&](double jp) {
    const TempFolder folder;
    Scene scene = empty_scene(2, 0.01);
    Frame block;
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 20; ++j) {
        block.position.push_back({(i + 0.5) * 0.005, (j + 0.5) * 0.005, 0});
        block.mass.push_back(400 * 0.005 * 0.005);
        block.volume.push_back(0.005 * 0.005);
        block.jp.push_back(jp);
      }
    write_ply(folder.file("block.ply"), in_double(block));
    scene.simulation.gravity = {0, 0, 0};
    scene.snow.push_back(particle_file(folder.file("block.ply")));
    scene.materials[0] = snow;
    scene.colliders.push_back(ground(0));
    Collider press = ground(0, 0.1);
    press.shape.normal = {0, -1, 0};
    press.velocity = {0, -0.02, 0};
    scene.colliders.push_back(press);
    scene.solver.precision = Precision::kDouble;
    Simulation simulation(scene);
    simulation.advance_to(0.04);  // squeezed by 0.8 %, slowly: elastic
    return simulation.statistics().elastic_energy;
  };
  const double fresh = peak_force(1);
  EXPECT_NEAR(peak_force(0.9) / fresh, std::exp(1.0), 0.25) << "exp(10 · 0.1) times stiffer";
  EXPECT_NEAR(peak_force(1.1) / fresh, std::exp(-1.0), 0.1);
}

// A ball thrown at a wall, without a floor: what still hangs there a moment later.
double retained_mass(bool sticky) {
  Scene scene = empty_scene(3, 0.03);
  scene.snow.push_back(ball({-0.16, 0, 0}, 0.14));
  scene.snow[0].velocity = {5, 0, 0};
  scene.snow[0].particles_per_cell = 6;
  Collider wall;
  wall.shape.kind = ShapeKind::kPlane;
  wall.shape.normal = {-1, 0, 0};
  wall.sticky = sticky;
  scene.colliders.push_back(wall);
  Simulation simulation(scene);
  simulation.advance_to(0.35);
  double held = 0, all = 0;
  const Frame frame = simulation.frame(false);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    all += frame.mass[i];
    const bool hangs = frame.position[i][1] > -0.3 && frame.position[i][0] > -0.3;
    held += hangs ? frame.mass[i] : 0;
  }
  return held / all;
}

TEST(Wall, StickyHoldsSnowThatASlipperyOneLetsFall) {
  const double sticky = retained_mass(true), slippery = retained_mass(false);
  printf("    retained: sticky %.0f %%, slippery %.0f %%\n", 100 * sticky, 100 * slippery);
  EXPECT_GT(sticky, 0.5);
  EXPECT_LT(slippery, 0.1);
}

// How far a block slides down a slope of 30 degrees (tan = 0.577).
double slide(double friction) {
  Scene scene = empty_scene(2, 0.01);
  const double c = std::cos(M_PI / 6), s = std::sin(M_PI / 6);
  Snow block;
  block.shape.kind = ShapeKind::kBox;
  block.shape.size = {0.16, 0.08, 0};
  block.shape.center = {-0.042 * s, 0.042 * c, 0};
  block.shape.rotation = {std::cos(M_PI / 12), 0, 0, std::sin(M_PI / 12)};
  scene.snow.push_back(block);
  Collider slope = ground(friction);
  slope.shape.normal = {-s, c, 0};
  scene.colliders.push_back(slope);
  scene.solver.transfer = Transfer::kApic;
  Simulation simulation(scene);
  const auto along = [&] {
    double sum = 0;
    const Frame frame = simulation.frame(false);
    for (const auto& x : frame.position) sum -= (x[0] * c + x[1] * s) / static_cast<double>(frame.size());
    return sum;
  };
  const double start = along();
  simulation.advance_to(0.3);
  return along() - start;
}

TEST(Slope, SnowSlidesWhenItsTangentExceedsTheFriction) {
  const double held = slide(0.75), slow = slide(0.4), fast = slide(0);
  const double acceleration = 9.81 * (std::sin(M_PI / 6) - 0.4 * std::cos(M_PI / 6));
  printf("    friction 0.75: %.4f m, 0.4: %.4f m (rigid: %.4f), 0: %.4f m\n", held, slow, acceleration * 0.3 * 0.3 / 2, fast);
  EXPECT_LT(held, 0.01);
  EXPECT_NEAR(fast, 9.81 * std::sin(M_PI / 6) * 0.3 * 0.3 / 2, 0.02);
  EXPECT_NEAR(slow, acceleration * 0.3 * 0.3 / 2, 0.02);
}

// A plate that sweeps along the floor takes the snow before it along at its own speed.
TEST(MovingBody, SweepsSnowAtItsSpeed) {
  Scene scene = empty_scene(2, 0.01);
  Snow heap;
  heap.shape.kind = ShapeKind::kBox;
  heap.shape.size = {0.1, 0.06, 0};
  heap.shape.center = {0, 0.031, 0};
  scene.snow.push_back(heap);
  scene.colliders.push_back(ground(0.6));  // enough that the snow leans on the plate rather than hop before it
  Collider plate;
  plate.shape.kind = ShapeKind::kBox;
  plate.shape.size = {0.05, 0.2, 0};
  plate.shape.center = {-0.1, 0.1, 0};
  plate.keys = {{0, {-0.1, 0.1, 0}, {1, 0, 0, 0}}, {1, {0.9, 0.1, 0}, {1, 0, 0, 0}}};  // 1 m/s
  scene.colliders.push_back(plate);
  Simulation simulation(scene);
  const auto middle = [&] {
    double x = 0;
    const Frame frame = simulation.frame(false);
    for (const auto& p : frame.position) x += p[0] / static_cast<double>(frame.size());
    return x;
  };
  simulation.advance_to(0.2);
  const double before = middle();
  simulation.advance_to(0.7);
  EXPECT_NEAR((middle() - before) / 0.5, 1.0, 0.03);
  EXPECT_GT(simulation.statistics().lower[0], 0.625 - 0.01) << "nothing passes through the plate, whose front is at 0.625 m";
}

}  // namespace
}  // namespace firn::test
