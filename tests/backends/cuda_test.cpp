// What the CUDA backend promises beside being equal to the reference; skipped where there is no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/flow_scenes.h"

namespace firn::test {
namespace {

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device().empty()) GTEST_SKIP() << "no GPU here";
  }
};

double size(const Vector& v) { return std::hypot(v[0], v[1], v[2]); }
Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

double largest_difference(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    for (int d = 0; d < 3; ++d) largest = std::max(largest, std::abs(a[i][d] - b[i][d]));
  return largest;
}

// A ball that hits the ground and a post, automatic steps.
Scene ball_and_post(int dimension, Integrator integrator) {
  Scene scene = empty_scene(dimension, 0.01);
  scene.solver.integrator = integrator;
  Snow snow = ball({0, 0.12, 0}, 0.08);
  snow.velocity = {1, -4, 0};
  scene.snow.push_back(snow);
  scene.colliders.push_back(ground(0.4));
  Collider post;
  post.shape.kind = ShapeKind::kCapsule;
  post.shape.a = {0.06, 0, 0};
  post.shape.b = {0.06, 0.2, 0};
  post.shape.radius = 0.02;
  post.velocity = {-0.5, 0, 0};
  post.friction = 0.3;
  scene.colliders.push_back(post);
  return scene;
}

TEST_F(Cuda, LosesNobodyAndKeepsTheMass) {
  for (const Kernel kernel : {Kernel::kCubic, Kernel::kQuadratic})
    for (const Transfer transfer : {Transfer::kFlip, Transfer::kApic}) {
      Scene scene = ball_and_post(3, Integrator::kExplicit);
      scene.solver.kernel = kernel;
      scene.solver.transfer = transfer;
      Simulation simulation(scene, Backend::kCuda);
      const Statistics before = simulation.statistics();
      const std::size_t count = simulation.particles();
      for (int k = 0; k < 400; ++k) simulation.step(1);
      const Frame frame = simulation.frame(true);
      ASSERT_EQ(frame.size(), count);
      for (std::size_t i = 0; i < frame.size(); ++i) {
        ASSERT_EQ(frame.id[i], i);
        ASSERT_TRUE(std::isfinite(size(frame.position[i])) && std::isfinite(size(frame.velocity[i])) && frame.jp[i] > 0) << i;
      }
      EXPECT_NEAR(simulation.statistics().mass / before.mass, 1, 1e-12);
      EXPECT_GT(simulation.statistics().packed, 0.02) << "it must have been an impact";
    }
}

TEST_F(Cuda, KeepsMomentum) {
  for (const Kernel kernel : {Kernel::kCubic, Kernel::kQuadratic})
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit}) {
      Scene scene = empty_scene(3, 0.01);
      scene.simulation.gravity = {0, 0, 0};
      scene.solver.integrator = integrator;
      scene.solver.kernel = kernel;
      for (const double side : {-1.0, 1.0}) {
        Snow snow = ball({0.06 * side, 0.02 * side, 0}, 0.05);
        snow.velocity = {-3 * side, 0.5, 1};
        scene.snow.push_back(snow);
      }
      Simulation simulation(scene, Backend::kCuda);
      const Statistics before = simulation.statistics();
      simulation.advance_to(0.04);
      const Statistics after = simulation.statistics();
      EXPECT_LT(size(minus(after.momentum, before.momentum)), 1e-5 * 3 * before.mass);  // of what each half has
      EXPECT_LT(after.kinetic_energy, 0.6 * before.kinetic_energy) << "the balls must have met";
    }
}

// Automatic steps of the GPU and of the CPU over a whole impact: as alike as two roundings of one run are.
TEST_F(Cuda, AgreesWithTheCpuOverAnImpact) {
  for (const int dimension : {2, 3})
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit}) {
      Scene scene = ball_and_post(dimension, integrator);
      scene.solver.sleep = false;
      Simulation on_gpu(scene, Backend::kCuda), on_cpu(scene);
      on_gpu.advance_to(0.08);
      on_cpu.advance_to(0.08);
      const Statistics a = on_gpu.statistics(), b = on_cpu.statistics();
      for (int d = 0; d < dimension; ++d) {
        EXPECT_NEAR(a.lower[d], b.lower[d], 0.02) << d;
        EXPECT_NEAR(a.upper[d], b.upper[d], 0.02) << d;
        EXPECT_NEAR(a.momentum[d], b.momentum[d], 0.02 * size(b.momentum)) << d;
      }
      EXPECT_NEAR(a.kinetic_energy / b.kinetic_energy, 1, 0.03);
      EXPECT_NEAR(a.packed, b.packed, 0.02);
      EXPECT_NEAR(on_gpu.steps() / double(on_cpu.steps()), 1, 0.02);
    }
}

// Bodies feel what the snow loses; energies balance.
TEST_F(Cuda, BodiesTakeTheMomentumThatTheSnowLoses) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit}) {
    Simulation simulation(ball_and_post(3, integrator), Backend::kCuda);
    const Statistics before = simulation.statistics();
    Vector given{0, 0, 0};
    double felt = 0, gravity = 0;
    while (simulation.time() < 0.05) {
      const StepInfo info = simulation.step(0.05 - simulation.time());
      gravity += info.gravity_work;
      for (const BodyLoad& load : info.loads) {
        for (int d = 0; d < 3; ++d) given[d] += load.impulse[d];
        felt += size(load.impulse);
      }
    }
    const Statistics after = simulation.statistics();
    const Vector pull{0, -kGravity * before.mass * simulation.time(), 0};
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(after.momentum[d] + given[d], before.momentum[d] + pull[d], 1e-4 * felt) << d;
    const double fallen = (before.momentum[1] + after.momentum[1]) / 2 * simulation.time() * -kGravity;
    EXPECT_NEAR(gravity, fallen, 0.5 * std::abs(fallen)) << "of the right sign and size";
  }
}

std::string state_of(const Simulation& simulation) {
  std::string bytes;
  simulation.save([&](std::string_view piece) { bytes += piece; });
  return bytes;
}

Simulation go_on(const Scene& scene, const std::string& state, Backend backend) {
  std::size_t at = 0;
  const auto read = [&](char* to, std::size_t size) {
    const std::size_t n = std::min(size, state.size() - at);
    std::copy_n(state.data() + at, n, to);
    at += n;
    return n;
  };
  return Simulation(scene, read, backend);
}

TEST_F(Cuda, StatesGoOnOnTheOtherBackend) {
  for (const Transfer transfer : {Transfer::kFlip, Transfer::kApic}) {
    Scene scene = ball_and_post(3, Integrator::kExplicit);
    scene.solver.transfer = transfer;
    scene.solver.sleep = false;
    scene.solver.time_step = 4e-5;
    constexpr int kSteps = 300;
    const auto run = [](Simulation& simulation) {
      for (int k = 0; k < kSteps; ++k) simulation.step(4e-5);
    };
    Simulation whole(scene);
    run(whole);
    const std::string middle = state_of(whole);
    Simulation moved = go_on(scene, middle, Backend::kCuda);
    EXPECT_EQ(moved.hash(), whole.hash());
    const Frame there = moved.frame(true), here = whole.frame(true);
    EXPECT_EQ(there.position, here.position);
    EXPECT_EQ(there.fe, here.fe);
    EXPECT_EQ(there.credit, here.credit);
    run(whole);
    run(moved);
    EXPECT_LT(largest_difference(moved.frame(false).position, whole.frame(false).position),
              1e-3);  // a tenth of a cell: two roundings of an impact
    Simulation back = go_on(scene, state_of(moved), Backend::kCpu);
    run(whole);
    run(back);
    EXPECT_LT(largest_difference(back.frame(false).position, whole.frame(false).position), 5e-3);
  }
}

// More bodies near one block than a CTA's list holds.
TEST_F(Cuda, AmongManyBodiesEqualsTheReference) {
  for (const ContactRule contact : {ContactRule::kHeld, ContactRule::kPaper}) {
    const TempFolder folder;
    RandomSnow random;
    random.count = 1500;
    random.cells = 8;
    Scene scene = thrown_snow(random, folder);
    for (int k = 0; k < 50; ++k) {
      Collider pebble;
      const int row = k / 5;
      pebble.shape = ball({0.02 * (k % 5), 0.01, 0.01 * row}, 0.006).shape;
      pebble.friction = 0.3;
      scene.colliders.push_back(pebble);
    }
    scene.solver.contact = contact;
    scene.solver.time_step = 1e-4;
    const Frame slow = after_steps(scene, Backend::kReference, 100), fast = after_steps(scene, Backend::kCuda, 100);
    EXPECT_LT(largest_difference(fast.position, slow.position), 2e-4);
  }
}

// What the fused step and the stages make of a grain with a stress and nobody near: nothing.
TEST_F(Cuda, AGrainThatIsAloneFliesWhateverItsStrain) {
  const TempFolder folder;
  Frame grain;
  grain.id = {0};
  grain.position = {{0.003, 0.5, 0.004}};
  grain.velocity = {{0.3, -1, 0}};
  grain.mass = {4e-4};
  grain.volume = {1e-6};
  grain.jp = {1};
  grain.fe = {{0.985, 0.002, 0, 0, 0.985, 0, 0, 0, 0.985}};
  grain.b = {{1e-5, 2e-5, 0, -1e-5, 5e-6, 0, 0, 0, 0}};
  grain.double_precision = true;
  write_ply(folder.file("grain.ply"), grain);
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kSemiImplicit})
    for (const Transfer transfer : {Transfer::kFlip, Transfer::kApic}) {
      Scene scene = empty_scene(3, 0.01);
      scene.solver.integrator = integrator;
      scene.solver.transfer = transfer;
      scene.snow.push_back(particle_file(folder.file("grain.ply")));
      Simulation simulation(scene, Backend::kCuda);
      const Frame before = simulation.frame(true);
      for (int k = 0; k < 500; ++k) simulation.step(2e-4);
      const Frame after = simulation.frame(true);
      EXPECT_EQ(after.fe, before.fe);
      EXPECT_EQ(after.jp, before.jp);
      constexpr double kRoundings = 1e-6;  // 500, of h v
      for (std::size_t k = 0; transfer == Transfer::kApic && k < 9; ++k) EXPECT_NEAR(after.b[0][k], before.b[0][k], kRoundings) << k;
      EXPECT_NEAR(after.velocity[0][0], 0.3, 1e-3);
      EXPECT_NEAR(after.velocity[0][1], -1 - kGravity * simulation.time(), 1e-2);
    }
}

TEST_F(Cuda, RefusesWhatItCannotRun) {
  Scene scene = ball_and_post(3, Integrator::kDensityLimited);
  EXPECT_THROW(Simulation(scene, Backend::kCuda), UserError);
}

// Crowds of a block go to several CTAs, and cells beyond their ranks node by node.
TEST_F(Cuda, CrowdedCellsEqualTheReference) {
  for (const Kernel kernel : {Kernel::kCubic, Kernel::kQuadratic}) {
    const TempFolder folder;
    RandomSnow random;
    random.count = 6000;
    random.cells = 4.5;
    Scene scene = thrown_snow(random, folder);
    scene.solver.kernel = kernel;
    scene.solver.time_step = 5e-5;
    const Frame slow = after_steps(scene, Backend::kReference, 60), fast = after_steps(scene, Backend::kCuda, 60);
    EXPECT_LT(largest_difference(fast.velocity, slow.velocity), 5e-3);
  }
}

}  // namespace
}  // namespace firn::test
