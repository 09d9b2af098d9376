// Bodies that move take snow along at their own speed, and snow does not pass through thin ones.
#include <gtest/gtest.h>

#include <cmath>

#include "collide/motion.h"
#include "support/flow_scenes.h"

namespace firn::test {
namespace {

using V = Vec<double, 3>;

V vec(const Vector& v) { return {v[0], v[1], v[2]}; }
Vector vector(const V& v) { return {v[0], v[1], v[2]}; }

Collider box(const Vector& center, const Vector& size) {
  Collider body;
  body.shape.kind = ShapeKind::kBox;
  body.shape.center = center;
  body.shape.size = size;
  return body;
}

// Of the snow about the y axis: angular momentum over moment of inertia.
double mean_spin(const Frame& frame) {
  double momentum = 0, inertia = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const Vector &x = frame.position[i], &v = frame.velocity[i];
    momentum += frame.mass[i] * (x[2] * v[0] - x[0] * v[2]);
    inertia += frame.mass[i] * (x[0] * x[0] + x[2] * x[2]);
  }
  return momentum / inertia;
}

// A coat of snow around the drum that begins at rest. APIC, because FLIP's particles at a free surface do not move as the grid does: their
// velocities make up for what rasterizing them smooths away, by a fifth in the outermost cell.
TEST(SpinningDrum, CarriesTheSnowThatSticksToItAtItsOwnSpin) {
  Scene scene = empty_scene(3, 0.02);
  scene.simulation.gravity = {0, 0, 0};
  Snow coat;
  coat.shape.kind = ShapeKind::kCylinder;
  coat.shape.radius = 0.13;
  coat.shape.height = 0.06;
  scene.snow.push_back(coat);
  Collider drum;
  drum.shape.kind = ShapeKind::kCylinder;
  drum.shape.radius = 0.1;
  drum.shape.height = 0.2;
  drum.sticky = true;
  drum.spin = {0, 5, 0};
  scene.colliders.push_back(drum);
  scene.solver.transfer = Transfer::kApic;
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit}) {
    scene.solver.integrator = integrator;
    Simulation simulation(scene);
    double sum = 0;
    constexpr int kSamples = 10;
    for (int k = 1; k <= kSamples; ++k) {
      simulation.advance_to(0.1 + 0.01 * k);
      sum += mean_spin(simulation.frame(false));
    }
    printf("    spin of the snow %.4f rad/s\n", sum / kSamples);
    EXPECT_NEAR(sum / kSamples, 5, 0.05);
  }
}

TEST(Plate, LiftsSnowAtItsOwnSpeed) {
  constexpr double kSpeed = 1;
  Scene scene = empty_scene(3, 0.02);
  scene.snow.push_back(block({0, 0.061, 0}, {0.12, 0.08, 0.12}));
  Collider plate = box({0, 0, 0}, {0.4, 0.04, 0.4});
  plate.friction = 0.5;
  plate.velocity = {0, kSpeed, 0};
  scene.colliders.push_back(plate);
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit}) {
    scene.solver.integrator = integrator;
    Simulation simulation(scene);
    double sum = 0;
    int count = 0;
    for (double t = 0.2; t < 0.3; t += 0.01) {
      simulation.advance_to(t);
      const Frame frame = simulation.frame(false);
      const double contact = 0.02 + kSpeed * t + 2 * scene.simulation.spacing;  // two cells above the plate
      for (std::size_t i = 0; i < frame.size(); ++i) {
        if (frame.position[i][1] > contact) continue;
        sum += frame.velocity[i][1];
        ++count;
      }
    }
    printf("    the snow rises at %.4f m/s\n", sum / count);
    EXPECT_NEAR(sum / count, kSpeed, 0.02 * kSpeed);  // snow that was hit still settles
  }
}

// A plate one cell thick and a ball of snow that meet at 20 m/s along the plate's normal, free in space.
struct Encounter {
  Integrator integrator;
  bool plate_moves;
  bool tilted;
  double offset;  // of the plate to the grid, in cells
};

std::string name_of(const Encounter& e) {
  return std::string(e.integrator == Integrator::kExplicit ? "explicit" : "semi-implicit") +
         (e.plate_moves ? ", moving plate" : ", moving snow") + (e.tilted ? ", tilted" : "") + ", offset " + std::to_string(e.offset);
}

struct Passage {
  int behind = 0;        // particles past the plate's middle
  double deepest = 1e9;  // cells in front of the middle
};

Passage run(const Encounter& e) {
  constexpr double h = 0.02, kSpeed = 20, kRadius = 3 * h;
  const Quat rotation = e.tilted ? from_rotation_vector({0.3, 0.41, 0.53}) : Quat{};
  const V normal = to_matrix(rotation) * V{1, 0, 0};  // from the plate to the snow
  const V start = (e.offset * h) * normal;
  Scene scene = empty_scene(3, h);
  scene.solver.integrator = e.integrator;
  scene.simulation.gravity = {0, 0, 0};
  scene.snow.push_back(ball(vector(start + (kRadius + 2 * h) * normal), kRadius));
  Collider plate = box(vector(start), {h, 60 * h, 60 * h});
  plate.shape.rotation = {rotation.w, rotation.x, rotation.y, rotation.z};
  if (e.plate_moves) {
    plate.velocity = vector(kSpeed * normal);
  } else {
    scene.snow[0].velocity = vector(-kSpeed * normal);
  }
  scene.colliders.push_back(plate);
  Simulation simulation(scene);
  constexpr double kEnd = 0.012;  // the plate's edge is still far from the snow
  simulation.advance_to(kEnd);
  Passage passage;
  const V middle = start + kEnd * vec(plate.velocity);
  for (const Vector& x : simulation.frame(false).position) {
    const double in_front = dot(vec(x) - middle, normal) / h;
    passage.behind += in_front < 0;
    passage.deepest = std::min(passage.deepest, in_front);
  }
  return passage;
}

TEST(ThinPlate, LetsNoSnowThrough) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit})
    for (const bool plate_moves : {true, false})
      for (const bool tilted : {false, true})
        for (const double offset : {0.0, 0.27, 0.5, 0.81}) {
          const Encounter e{integrator, plate_moves, tilted, offset};
          const Passage passage = run(e);
          EXPECT_EQ(passage.behind, 0) << name_of(e);
          EXPECT_GT(passage.deepest, 0.2) << name_of(e) << ": no deeper than cell_fraction below the surface";
        }
}

// 20 m/s · 2 ms = 4 cm, two cells.
TEST(FixedStep, InWhichABodyMovesMoreThanACellIsWarnedOf) {
  Scene scene = empty_scene(3, 0.02);
  scene.solver.integrator = Integrator::kSemiImplicit;
  scene.snow.push_back(ball({0, 0, 0}, 0.1));
  scene.colliders.push_back(box({-0.35, 0, 0}, {0.12, 0.2, 0.2}));  // too thick to jump over the snow
  scene.colliders[0].velocity = {20, 0, 0};
  scene.solver.time_step = 2e-3;
  const std::vector<std::string> warnings = check(scene).warnings;
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("collider 0 may move 2 cells"), std::string::npos) << warnings[0];
  EXPECT_TRUE(warnings[1].starts_with("the run will stop early: step ")) << "when it hits: " << warnings[1];
  scene.solver.time_step = 0.9e-3;
  EXPECT_TRUE(check(scene).warnings.empty());
  scene.solver.time_step.reset();
  EXPECT_TRUE(check(scene).warnings.empty());
}

}  // namespace
}  // namespace firn::test
