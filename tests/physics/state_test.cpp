// A simulation is a value: saved at any step and loaded, it goes on as if nothing had happened, and its scene can be changed on the way.
#include <gtest/gtest.h>

#include <thread>

#include "support/error_of.h"
#include "support/flow_scenes.h"

namespace firn::test {
namespace {

constexpr double kFrame = 1.0 / 24;

std::string saved(const Simulation& simulation) {
  std::string bytes;
  simulation.save([&](std::string_view piece) { bytes += piece; });
  return bytes;
}

Simulation loaded(const Scene& scene, const std::string& bytes, Backend backend = Backend::kCpu, int threads = 1) {
  std::size_t at = 0;
  return Simulation(
      scene,
      [&](char* to, std::size_t size) {
        const std::size_t got = bytes.copy(to, size, at);
        at += got;
        return got;
      },
      backend, threads);
}

// Saves after each of `moments` steps, and compares `more` steps of both.
void expect_goes_on(const Scene& scene, std::initializer_list<int> moments, int more, Backend backend = Backend::kCpu) {
  for (const int moment : moments) {
    Simulation whole(scene, backend, 1);
    for (int k = 0; k < moment; ++k) whole.step(kFrame);
    const std::string bytes = saved(whole);
    Simulation again = loaded(scene, bytes, backend, 2);
    EXPECT_EQ(again.hash(), whole.hash());
    EXPECT_EQ(saved(again), bytes);
    for (int k = 0; k < more; ++k) {
      const StepInfo a = whole.step(kFrame), b = again.step(kFrame);
      ASSERT_EQ(a.dt, b.dt) << "step " << k << " after " << moment;
      ASSERT_EQ(a.asleep, b.asleep);
      ASSERT_EQ(a.limited, b.limited);
      for (std::size_t c = 0; c < a.loads.size(); ++c) ASSERT_EQ(a.loads[c].impulse, b.loads[c].impulse) << "collider " << c;
      ASSERT_EQ(whole.hash(), again.hash()) << "step " << k << " after " << moment;
    }
  }
}

Scene thrown_ball(int dimension) {
  Scene scene = empty_scene(dimension, 0.03);
  scene.snow.push_back(ball({0, 0.2, 0}, 0.14));
  scene.snow[0].velocity = {1, -4, 0};
  scene.colliders.push_back(ground(0.5));
  return scene;
}

class SavedState : public testing::TestWithParam<std::tuple<int, Integrator, Transfer, Precision>> {};

TEST_P(SavedState, GoesOnBitForBit) {
  const auto [dimension, integrator, transfer, precision] = GetParam();
  Scene scene = thrown_ball(dimension);
  scene.solver.integrator = integrator;
  scene.solver.transfer = transfer;
  scene.solver.precision = precision;
  expect_goes_on(scene, {0, 1, 13}, 12);
}

INSTANTIATE_TEST_SUITE_P(Every, SavedState,
                         testing::Combine(testing::Values(2, 3), testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit),
                                          testing::Values(Transfer::kFlip, Transfer::kApic),
                                          testing::Values(Precision::kFloat, Precision::kDouble)));

TEST(SavedState, OfTheReferenceGoesOnToo) { expect_goes_on(thrown_ball(2), {3}, 3, Backend::kReference); }

TEST(SavedState, KnowsWhatSourcesAndTheWindowHaveGiven) {
  for (const int dimension : {2, 3}) expect_goes_on(everything_flows(dimension), {1, 40}, 40);
}

TEST(SavedState, KnowsWhoSleepsAndWhatItWeighs) {
  Scene scene = empty_scene(2, 0.02);
  scene.snow.push_back(block({0, 0.1, 0}, {0.6, 0.16, 0}));
  scene.snow[0].particles_per_cell = 4;
  scene.snow.push_back(ball({0.6, 0.9, 0}, 0.06));  // wakes some of it later
  scene.snow[1].velocity = {-1.3, 0, 0};
  scene.colliders.push_back(ground(0.6));
  Simulation simulation(scene, Backend::kCpu, 1);
  std::int64_t asleep = 0;
  while (asleep == 0 && simulation.time() < 1) asleep = simulation.step(kFrame).asleep;
  ASSERT_GT(asleep, 0) << "the test needs snow that sleeps";
  const int begin = static_cast<int>(simulation.steps());
  expect_goes_on(scene, {begin, begin + 3}, 150);
}

TEST(SavedState, OfAnotherSceneIsRefused) {
  const std::string bytes = saved(Simulation(thrown_ball(3), Backend::kCpu, 1));
  Scene other = thrown_ball(3);
  other.colliders.push_back(ground(0.5, -1));
  EXPECT_NE(error_of([&] { loaded(other, bytes); }).find("other bodies"), std::string::npos);
  other = thrown_ball(3);
  other.solver.transfer = Transfer::kApic;
  EXPECT_NE(error_of([&] { loaded(other, bytes); }).find("other transfer"), std::string::npos);
  EXPECT_NE(error_of([&] { loaded(thrown_ball(2), bytes); }).find("other dimension"), std::string::npos);
  EXPECT_NE(error_of([&] { loaded(thrown_ball(3), bytes.substr(0, bytes.size() - 3)); }).find("ends too early"), std::string::npos);
}

TEST(SavedState, AtTheVeryEndOfASpanGoesOnWithTheSameTime) {
  Scene scene = thrown_ball(2);
  scene.solver.integrator = Integrator::kExplicit;
  scene.solver.time_step = 1e-4 / 3;  // sums of it miss the end of the span by some rounding
  for (const int stop : {1, 2, 3, 5, 7}) {
    const double end = stop * 1e-4 * 0.7;
    Simulation whole(scene, Backend::kCpu, 1), stopped(scene, Backend::kCpu, 1);
    whole.advance_to(end);
    stopped.advance_to(end, [&](const StepInfo&) { return stopped.time() < 0.999999 * end; });
    Simulation again = loaded(scene, saved(stopped));
    again.advance_to(end);
    EXPECT_EQ(again.time(), end);
    EXPECT_EQ(again.hash(), whole.hash());
  }
}

TEST(SavedState, OfTheReferenceSurvivesThatAllSnowWasGoneOnce) {
  Scene scene = empty_scene(2, 0.05);
  scene.sources.push_back(spout({0, 1, 0}, 0.1, 40));
  scene.sources[0].start = 0.02;
  scene.sinks.push_back(drain({0, 0.7, 0}, {0, 1, 0}));
  scene.snow.push_back(ball({0, 0.4, 0}, 0.08));  // in the sink from the start
  expect_goes_on(scene, {1, 4}, 3, Backend::kReference);
}

TEST(Simulations, OfDifferentThreadCountsRunSideBySide) {
  const Scene scene = thrown_ball(3);
  Simulation one(scene, Backend::kCpu, 1), two(scene, Backend::kCpu, 2);
  std::thread other([&] {
    for (int k = 0; k < 20; ++k) one.step(kFrame);
  });
  for (int k = 0; k < 20; ++k) two.step(kFrame);
  other.join();
  EXPECT_EQ(one.hash(), two.hash());
}

TEST(ChangedScene, ActsFromTheNextStepOn) {
  Scene scene = empty_scene(3, 0.05);
  scene.snow.push_back(ball({0, 2, 0}, 0.15));
  Simulation simulation(scene, Backend::kCpu, 1);
  simulation.step(0.01);
  const double before = simulation.statistics().momentum[1];
  scene.simulation.gravity = {0, 5, 0};
  simulation.change(scene);
  const double dt = simulation.step(0.01).dt;
  const Statistics now = simulation.statistics();
  EXPECT_NEAR(now.momentum[1], before + 5 * dt * now.mass, 1e-4 * now.mass);
}

TEST(ChangedScene, ThatIsTheSameChangesNothing) {
  const Scene scene = everything_flows(3);
  Simulation left_alone(scene, Backend::kCpu, 1), changed(scene, Backend::kCpu, 1);
  for (int k = 0; k < 30; ++k) {
    if (k % 10 == 5) changed.change(scene);
    left_alone.step(kFrame);
    changed.step(kFrame);
  }
  EXPECT_EQ(left_alone.hash(), changed.hash());
}

TEST(ChangedScene, MayHaveOtherSnowStiffnessFrictionAndMotion) {
  Scene scene = thrown_ball(3);
  Simulation simulation(scene, Backend::kCpu, 1);
  for (int k = 0; k < 10; ++k) simulation.step(kFrame);
  scene.materials[0].young_modulus *= 3;
  scene.colliders[0].friction = 0;
  scene.colliders[0].velocity = {0, 1, 0};
  scene.solver.integrator = Integrator::kExplicit;
  const std::string before = saved(simulation);
  simulation.change(scene);
  Simulation as_it_was = loaded(thrown_ball(3), before);
  for (int k = 0; k < 10; ++k) simulation.step(kFrame), as_it_was.step(kFrame);
  EXPECT_NE(simulation.statistics().momentum[1], as_it_was.statistics().momentum[1]);
}

TEST(ChangedScene, NamesWhatCannotChange) {
  const Scene scene = thrown_ball(3);
  Simulation simulation(scene, Backend::kCpu, 1);
  const std::string hash = simulation.hash();
  const auto refused = [&](auto edit) {
    Scene other = scene;
    edit(other);
    return error_of([&] { simulation.change(other); });
  };
  EXPECT_NE(refused([](Scene& s) { s.simulation.spacing = 0.04; }).find("simulation.spacing cannot change"), std::string::npos);
  EXPECT_NE(refused([](Scene& s) { s.solver.precision = Precision::kDouble; }).find("solver.precision"), std::string::npos);
  EXPECT_NE(refused([](Scene& s) { s.solver.kernel = Kernel::kQuadratic; }).find("solver.kernel"), std::string::npos);
  EXPECT_NE(refused([](Scene& s) { s.solver.transfer = Transfer::kApic; }).find("solver.transfer"), std::string::npos);
  EXPECT_NE(refused([](Scene& s) { s.sources.push_back(spout({0, 1, 0}, 0.1, 1)); }).find("number of sources"), std::string::npos);
  EXPECT_EQ(simulation.hash(), hash);
}

}  // namespace
}  // namespace firn::test
