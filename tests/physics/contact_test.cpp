// Contact that holds: snow stays where friction can hold it, slides where it cannot, rests on a floor wherever that lies, splits evenly on
// a ridge, and is neither pulled, nor held too long, nor let through.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/flow_scenes.h"

namespace firn::test {
namespace {

struct Method {
  Integrator integrator;
  Transfer transfer;
};
constexpr Method kMethods[] = {
    {Integrator::kExplicit, Transfer::kFlip}, {Integrator::kExplicit, Transfer::kApic}, {Integrator::kSemiImplicit, Transfer::kFlip}};

void use(const Method& method, Scene& scene) {
  scene.solver.integrator = method.integrator;
  scene.solver.transfer = method.transfer;
}

// A flat block on a floor at `height`, gravity tilted by `degrees`, friction over the tangent of that.
Scene block_on_slope(int dimension, double h, double degrees, double over_tangent, double height = 0) {
  const double angle = degrees * std::numbers::pi / 180;
  Scene scene = empty_scene(dimension, h);
  scene.simulation.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle), 0};
  scene.snow.push_back(block({0, height + 0.0413, 0}, {0.24, 0.08, dimension == 3 ? 0.12 : 0.0}));
  scene.colliders.push_back(ground(over_tangent * std::tan(angle)));
  scene.colliders[0].shape.point = {0, height, 0};
  scene.solver.sleep = false;
  return scene;
}

Vector mean(const std::vector<Vector>& values) {
  Vector sum{0, 0, 0};
  for (const Vector& x : values)
    for (int d = 0; d < 3; ++d) sum[d] += x[d] / static_cast<double>(values.size());
  return sum;
}
double mean_x(const Simulation& s) { return mean(s.frame(false).position)[0]; }
double mean_speed(const Simulation& s) { return mean(s.frame(false).velocity)[0]; }

double lowest(const Simulation& s) {
  double y = 1e9;
  for (const Vector& x : s.frame(false).position) y = std::min(y, x[1]);
  return y;
}

Collider box(const Vector& center, const Vector& size) {
  Collider collider;
  collider.shape = box_shape(center, size);
  return collider;
}

// Cells a second that it creeps, once it lies.
double creep(const Scene& scene) {
  constexpr double kBegin = 1, kSpan = 0.5;  // s
  Simulation simulation(scene);
  simulation.advance_to(kBegin);
  const double before = mean_x(simulation);
  simulation.advance_to(kBegin + kSpan);
  return std::abs(mean_x(simulation) - before) / scene.simulation.spacing / kSpan;
}

TEST(HeldContact, HoldsABlockThatFrictionCanHold) {
  for (const Method& method : kMethods)
    for (const double degrees : {10.0, 35.0})
      for (const double h : {0.04, 0.02, 0.01}) {
        Scene scene = block_on_slope(2, h, degrees, 1.05, 0.3 * h);
        use(method, scene);
        EXPECT_LT(creep(scene), 0.004) << degrees << " degrees, h " << h << ", transfer " << static_cast<int>(method.transfer);
      }
}

TEST(HeldContact, HoldsItInThreeDimensionsAndOnSolidsToo) {
  for (const ShapeKind kind : {ShapeKind::kPlane, ShapeKind::kBox}) {
    Scene scene = block_on_slope(3, 0.03, 30, 1.05);
    scene.solver.integrator = Integrator::kExplicit;
    scene.colliders[0].shape.kind = kind;
    scene.colliders[0].shape.center = {0, -0.2, 0};
    scene.colliders[0].shape.size = {3, 0.4, 3};
    EXPECT_LT(creep(scene), 0.004);
  }
}

TEST(HeldContact, AsPrintedTheSameBlockWalksDownhill) {
  Scene scene = block_on_slope(2, 0.02, 35, 1.05);
  use(kMethods[1], scene);
  scene.solver.contact = ContactRule::kPaper;
  EXPECT_GT(creep(scene), 0.5);
}

TEST(HeldContact, LetsSlideWhatFrictionCannotHold) {
  for (const Method& method : kMethods)
    for (const double part : {0.0, 0.3, 0.8}) {
      Scene scene = block_on_slope(2, 0.02, 25, part);
      use(method, scene);
      Simulation simulation(scene);
      simulation.advance_to(0.5);
      const double before = mean_speed(simulation);
      simulation.advance_to(1.5);
      const double expected = (1 - part) * kGravity * std::sin(25 * std::numbers::pi / 180);
      EXPECT_NEAR((mean_speed(simulation) - before) / expected, 1, 0.02) << part;
    }
}

TEST(HeldContact, SnowRestsNearTheFloorWhereverThatLies) {
  for (const Method& method : kMethods)
    for (const double offset : {0.0, 1e-5, 0.25, 0.5, 0.75, 0.999}) {
      const double h = 0.02;
      Scene scene = block_on_slope(2, h, 0.01, 1, offset * h);
      scene.snow[0].shape.center[1] += 1.5 * h;  // or it would stay where it is, whatever holds it
      use(method, scene);
      Simulation simulation(scene);
      simulation.advance_to(0.7);
      const double gap = (lowest(simulation) - offset * h) / h;
      EXPECT_LT(gap, 0.3) << offset;
      EXPECT_GT(gap, 0) << offset;
    }
}

TEST(HeldContact, ThrownOffSnowLeavesFreely) {
  for (const Method& method : kMethods) {
    Scene scene = empty_scene(2, 0.02);
    scene.snow.push_back(ball({0, 0.1021, 0}, 0.1));
    scene.snow[0].velocity = {1, 1, 0};
    scene.colliders.push_back(ground(0.5));
    use(method, scene);
    Simulation simulation(scene);
    simulation.advance_to(0.1);
    const Vector v = mean(simulation.frame(false).velocity);
    EXPECT_NEAR(v[0], 1, 1e-4);
    EXPECT_NEAR(v[1], 1 - 0.1 * kGravity, 1e-4);
  }
}

// A blow is not offered again as friction.
TEST(HeldContact, FrictionOfAnImpactIsMuTimesItsPush) {
  for (const Method& method : kMethods) {
    Scene scene = empty_scene(2, 0.02);
    scene.snow.push_back(ball({0, 0.2, 0}, 0.15));
    scene.snow[0].velocity = {5, -5, 0};
    scene.colliders.push_back(ground(0.5));
    use(method, scene);
    Simulation simulation(scene);
    Vector impulse{0, 0, 0};
    simulation.advance_to(0.15, [&](const StepInfo& info) {
      for (int d = 0; d < 2; ++d) impulse[d] += info.loads[0].impulse[d];
      return true;
    });
    EXPECT_NEAR(impulse[0] / -impulse[1], 0.5, 0.03);
  }
}

TEST(HeldContact, ARidgeOnANodeSplitsSnowEvenly) {
  for (const Method& method : kMethods) {
    Scene scene = empty_scene(2, 0.02);
    Collider wedge;
    wedge.shape.kind = ShapeKind::kWedge;
    wedge.shape.size = {0.4, 0.2, 0};
    wedge.friction = 0.3;
    scene.colliders.push_back(wedge);
    const TempFolder folder;
    Frame mirrored;  // about x = 0
    for (int i = 0; i < 40; ++i)
      for (int j = 0; j < 24; ++j)
        for (const double side : {-1.0, 1.0}) mirrored.position.push_back({side * (0.003 + 0.007 * i), 0.13 + 0.0066 * j, 0});
    write_ply(folder.file("mirrored.ply"), in_double(mirrored));
    Snow snow;
    snow.shape.kind = ShapeKind::kParticles;
    snow.shape.file = folder.file("mirrored.ply");
    snow.velocity = {0, -3, 0};
    scene.snow.push_back(snow);
    use(method, scene);
    Simulation simulation(scene);
    simulation.advance_to(0.25);
    EXPECT_LT(std::abs(mean_x(simulation)) / 0.02, 0.5);
    const Frame end = simulation.frame(false);
    const auto left = std::count_if(end.position.begin(), end.position.end(), [](const Vector& x) { return x[0] < 0; });
    EXPECT_NEAR(static_cast<double>(left) / static_cast<double>(end.size()), 0.5, 0.02);
  }
}

// A node above the ridge that took it for a floor would stop a cell of snow: 31 % of the energy at half a cell.
TEST(HeldContact, ARidgeTakesAsMuchEnergyWhereverItLies) {
  for (const Method& method : kMethods)
    for (const double width : {0.24, 0.4}) {  // 62 and 90 degrees
      double least = 1e9, most = 0;
      for (const double offset : {0.0, 0.25, 0.375, 0.5, 0.625, 0.75}) {
        Scene scene = empty_scene(2, 0.02);
        const double height = offset * 0.02;
        scene.snow.push_back(block({0, 0.21 + height, 0}, {0.5, 0.2, 0}));
        scene.snow[0].velocity = {0, -5, 0};
        Collider ridge;
        ridge.shape.kind = ShapeKind::kWedge;
        ridge.shape.center = {0, height, 0};
        ridge.shape.size = {width, 0.2, 0};
        ridge.friction = 0.3;
        scene.colliders.push_back(ridge);
        use(method, scene);
        Simulation simulation(scene);
        simulation.advance_to(0.1);
        const Statistics s = simulation.statistics();
        least = std::min(least, s.kinetic_energy + s.elastic_energy);
        most = std::max(most, s.kinetic_energy + s.elastic_energy);
      }
      EXPECT_LT(most / least, 1.15) << width << ", transfer " << static_cast<int>(method.transfer);
    }
}

TEST(HeldContact, AConveyorBringsSnowToItsSpeed) {
  for (const Method& method : kMethods) {
    Scene scene = empty_scene(2, 0.02);
    scene.snow.push_back(block({0, 0.0433, 0}, {0.24, 0.08, 0}));
    Collider belt;
    belt.shape = box_shape({0, -0.1, 0}, {20, 0.2, 0});
    belt.friction = 0.3;
    belt.velocity = {1, 0, 0};
    scene.colliders.push_back(belt);
    use(method, scene);
    Simulation simulation(scene);
    simulation.advance_to(0.1);
    const double before = mean_speed(simulation);
    simulation.advance_to(0.25);
    EXPECT_NEAR((mean_speed(simulation) - before) / 0.15, 0.3 * kGravity, 0.04 * 0.3 * kGravity);
    simulation.advance_to(0.8);
    EXPECT_NEAR(mean_speed(simulation), 1, 1e-3);
  }
}

TEST(HeldContact, AStickyCeilingHoldsWhatIsThrownAtIt) {
  for (const Method& method : kMethods) {
    Scene scene = empty_scene(2, 0.02);
    scene.snow.push_back(block({0, 0.16, 0}, {0.24, 0.07, 0}));
    scene.snow[0].velocity = {0, 1, 0};
    scene.colliders.push_back(ground(0));
    scene.colliders[0].shape.point = {0, 0.2, 0};
    scene.colliders[0].shape.normal = {0, -1, 0};
    scene.colliders[0].sticky = true;
    use(method, scene);
    Simulation simulation(scene);
    simulation.advance_to(0.5);
    EXPECT_GT(lowest(simulation), 0.1);
  }
}

TEST(HeldContact, NothingGetsThroughAWallOfATenthOfACell) {
  for (const Method& method : kMethods) {
    Scene scene = empty_scene(2, 0.02);
    scene.snow.push_back(ball({-0.15, 0.2, 0}, 0.1));
    scene.snow[0].velocity = {5, 0, 0};
    scene.colliders.push_back(box({0.005, 0.2, 0}, {0.002, 0.6, 0}));
    use(method, scene);
    Simulation simulation(scene);
    simulation.advance_to(0.1);
    for (const Vector& x : simulation.frame(false).position) ASSERT_LT(x[0], 0.006);
  }
}

// Faster than its own thickness in a step: it jumps over what is close to it.
TEST(HeldContact, AThinPlateSweepsAllSnowBeforeIt) {
  for (const Method& method : kMethods)
    for (const double speed : {0.5, 2.0, 8.0}) {
      Scene scene = empty_scene(2, 0.02);
      scene.snow.push_back(block({0, 0.08, 0}, {0.4, 0.16, 0}));
      scene.colliders.push_back(ground(0.5));
      scene.colliders.push_back(box({-0.35, 0.4, 0}, {0.002, 0.8, 0}));
      scene.colliders[1].velocity = {speed, 0, 0};
      use(method, scene);
      Simulation simulation(scene);
      simulation.advance_to(0.6 / speed);
      for (const Vector& x : simulation.frame(false).position)
        if (x[1] < 0.79) ASSERT_GT(x[0], 0.25 + 0.001 - 1e-6) << speed << " m/s, transfer " << static_cast<int>(method.transfer);
    }
}

// Snow on both sides of a blade, which catches up with it from above: none gets to the other side.
TEST(HeldContact, AThinBladeThatTurnsKeepsSnowOnItsTwoSidesApart) {
  for (const Method& method : kMethods) {
    Scene scene = empty_scene(2, 0.02);
    for (const double x : {-0.12, 0.12}) scene.snow.push_back(block({x, 0, 0}, {0.12, 0.2, 0}));
    scene.colliders.push_back(box({0, 0, 0}, {0.002, 4, 0}));
    scene.colliders[0].spin = {0, 0, 6};  // rad/s; more than its thickness a step at its ends
    use(method, scene);
    Simulation simulation(scene);
    simulation.advance_to(0.4);
    const double angle = 6 * 0.4;
    const Frame frame = simulation.frame(false);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      const double side = frame.position[i][0] * std::cos(angle) + frame.position[i][1] * std::sin(angle);
      ASSERT_EQ(side > 0, frame.id[i] >= frame.size() / 2) << "transfer " << static_cast<int>(method.transfer);
    }
  }
}

}  // namespace
}  // namespace firn::test
