// How long a step may be, and what happens when one goes wrong.
#include "solver/time_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "firn/error.h"

namespace firn {
namespace {

Model model(Integrator integrator = Integrator::kExplicit) {
  Model m;
  m.h = 0.01;
  m.solver.integrator = integrator;
  m.solver.courant = 0.5;
  m.solver.cell_fraction = 0.25;
  return m;
}

const SnowExtent kNoBodies(0);  // where the snow is does not matter then

double step_of(const Model& model, const StepLimits& limits, const SnowExtent& snow, double longest) {
  return choose_time_step(model, limits, snow, longest).dt;
}

TEST(TimeStep, AFixedStepIsTakenWhateverTheLimits) {
  Model m = model();
  m.solver.time_step = 1e-3;
  EXPECT_EQ(step_of(m, {1e9, 1e9, 1e9}, kNoBodies, 1e-3), 1e-3);
}

TEST(TimeStep, SnowAtRestWithoutStiffnessTakesTheLongest) {
  EXPECT_EQ(step_of(model(), {}, kNoBodies, 0.04), 0.04);
  EXPECT_EQ(step_of(model(Integrator::kSemiImplicit), {}, kNoBodies, 0.04), 0.04);
}

// courant · h / wave = 0.5 · 0.01 / 20 = 2.5e-4 s.
TEST(TimeStep, TheWaveLimitsExplicitSteps) {
  const double dt = step_of(model(), {20, 10, 0}, kNoBodies, 0.04);
  EXPECT_LE(dt, 2.5e-4 * (1 + 1e-9));
  EXPECT_DOUBLE_EQ(dt, 0.04 / 160);
}

// courant · h / unhardened wave = 0.5 · 0.01 / 10 = 5e-4 s; two cells with the elastic tangent. The hardened one does not count.
TEST(TimeStep, TheSoftWaveLimitsImplicitSteps) {
  Model m = model(Integrator::kSemiImplicit);
  EXPECT_DOUBLE_EQ(step_of(m, {1e6, 10, 0}, kNoBodies, 0.04), 5e-4);
  m.solver.tangent = Tangent::kElastic;
  EXPECT_DOUBLE_EQ(step_of(m, {1e6, 10, 0}, kNoBodies, 0.04), 2e-3);
}

// However stiff the snow.
TEST(TimeStep, DensityLimitedStepsAreAMillisecond) {
  const Model m = model(Integrator::kDensityLimited);
  EXPECT_DOUBLE_EQ(step_of(m, {1e6, 1e6, 0}, kNoBodies, 0.04), 1e-3);
  EXPECT_DOUBLE_EQ(step_of(m, {1e6, 1e6, 5}, kNoBodies, 0.04), 5e-4);
}

// cell_fraction · h / speed = 0.25 · 0.01 / 5 = 5e-4 s.
TEST(TimeStep, TheSpeedLimitsBothKindsOfSteps) {
  EXPECT_DOUBLE_EQ(step_of(model(), {1, 1, 5}, kNoBodies, 0.04), 5e-4);
  EXPECT_DOUBLE_EQ(step_of(model(Integrator::kSemiImplicit), {1, 1, 5}, kNoBodies, 0.04), 5e-4);
}

// Also where there is no particle yet, and from the step on that reaches the source's start.
TEST(TimeStep, SnowThatComesInLimitsTheStepsInWhichItComes) {
  Model m = model();
  m.inflows.push_back({1, 2, 30, 5});
  EXPECT_EQ(step_of(m, with_inflow({}, m, 0.9, 0.04), kNoBodies, 0.04), 0.04);
  for (const double time : {0.97, 1.5, 1.99})
    EXPECT_LE(step_of(m, with_inflow({}, m, time, 0.04), kNoBodies, 0.04), 0.5 * 0.01 / 35 * (1 + 1e-9));
  EXPECT_EQ(step_of(m, with_inflow({}, m, 2, 0.04), kNoBodies, 0.04), 0.04);
  m.solver.integrator = Integrator::kSemiImplicit;
  EXPECT_DOUBLE_EQ(step_of(m, with_inflow({}, m, 1.5, 0.04), kNoBodies, 0.04), 0.5 * 0.01 / 30);
}

TEST(TimeStep, TheTighterLimitWins) {
  const StepLimits fast{20, 20, 50}, stiff{2000, 2000, 5};
  EXPECT_DOUBLE_EQ(step_of(model(), fast, kNoBodies, 0.04), 5e-5);
  EXPECT_DOUBLE_EQ(step_of(model(), stiff, kNoBodies, 0.04), 2.5e-6);
}

TEST(TimeStep, WhatIsLeftIsSplitIntoEqualStepsWithinTheLimit) {
  for (double wave = 1; wave < 3000; wave *= 1.37)
    for (const double longest : {1.0 / 24, 1e-3, 1e-5, 7e-7}) {
      const double limit = 0.5 * 0.01 / wave, dt = step_of(model(), {wave, 0, 0}, kNoBodies, longest);
      EXPECT_LE(dt, limit * (1 + 1e-9));
      EXPECT_LE(dt, longest);
      const double steps = longest / dt;
      EXPECT_NEAR(steps, std::round(steps), 1e-9 * steps);
      if (steps > 1.5) {
        EXPECT_GT(longest / (std::round(steps) - 1), limit * (1 - 1e-9)) << "fewer steps would do";
      }
    }
}

// Stepping a frame with limits that stay the same takes equal steps to the end, no sliver at last.
TEST(TimeStep, AFrameHasNoSliverAtItsEnd) {
  double left = 1.0 / 24, shortest = 1, longest = 0;
  int steps = 0;
  for (; left > 1e-12; ++steps) {
    const double dt = step_of(model(), {123.4, 0, 0}, kNoBodies, left);
    shortest = std::min(shortest, dt);
    longest = std::max(longest, dt);
    left -= dt;
  }
  EXPECT_EQ(steps, static_cast<int>(std::ceil(1.0 / 24 / (0.005 / 123.4))));
  EXPECT_NEAR(shortest / longest, 1, 1e-6);
}

// Snow in the cells from 0 to 7 on every axis (0.08 m), and a ball of radius 5 cm that moves along x.
Model with_ball(double x, double speed) {
  Model m = model();
  BodyModel body;
  body.solid.kind = SolidKind::kSphere;
  body.solid.radius = 0.05;
  body.anchor = to_lattice<double, 3>({x, 0.05, 0.05}, m.h, true);
  body.motion.velocity = {speed, 0, 0};
  m.bodies.push_back(body);
  return m;
}

SnowExtent snow_at(double time) {
  SnowExtent snow(time);
  for (const int first : {0, 4}) snow.include(Cell<3>{first, first, first});
  return snow;
}

// cell_fraction · h / speed = 0.25 · 0.01 / 20.
TEST(TimeStep, ABodyAmongTheSnowMovesAPartOfACellAStep) {
  for (const double x : {-0.07, 0.0, 0.05, 0.1})
    EXPECT_DOUBLE_EQ(step_of(with_ball(x, 20), {}, snow_at(0), 0.04), 0.04 / std::ceil(0.04 / 1.25e-4));
}

// Its surface is 1 m − 5 cm away, three cells count as among the snow: 0.92 m to go.
TEST(TimeStep, ABodyFarAwayComesNoCloserThanTheSnow) {
  EXPECT_NEAR(step_of(with_ball(-1, 20), {}, snow_at(0), 0.05), 0.05 / 2, 1e-12);
  EXPECT_EQ(step_of(with_ball(-1, 20), {}, snow_at(0), 0.04), 0.04);
  EXPECT_EQ(step_of(with_ball(-1, 0), {}, snow_at(0), 0.04), 0.04);
}

// Spinning at 100 rad/s, its surface moves at 5 m/s: 0.25 · 0.01 / 5.
TEST(TimeStep, TheSurfaceOfASpinningBodyCounts) {
  Model m = with_ball(-0.02, 0);
  m.bodies[0].motion.spin = {0, 0, 100};
  EXPECT_DOUBLE_EQ(step_of(m, {}, snow_at(0), 0.04), 5e-4);
}

// A plane has no size: it counts as far as the snow reaches, here (0.08, 0.08, 0.08) from its point.
TEST(TimeStep, OfATiltingPlaneThePartUnderTheSnowCounts) {
  Model m = with_ball(0, 0);
  m.bodies[0].solid = {SolidKind::kPlane, {0, 1, 0}, {0, 0, 0}};
  m.bodies[0].anchor = to_lattice<double, 3>({0, 0, 0}, m.h, true);
  m.bodies[0].motion.spin = {0, 0, 10};
  EXPECT_NEAR(step_of(m, {}, snow_at(0), 0.04), 0.25 * 0.01 / (10 * 0.08 * std::sqrt(3.0)), 1e-4);
  m.bodies[0].motion.spin = {0, 0, 0};
  m.bodies[0].motion.velocity = {0, 1, 0};
  m.bodies[0].anchor = to_lattice<double, 3>({0, -1, 0}, m.h, true);
  EXPECT_EQ(step_of(m, {}, snow_at(0), 0.04), 0.04) << "0.97 m below";
}

TEST(TimeStep, OfKeysTheStretchesAheadCount) {
  Model m = with_ball(-0.02, 0);
  m.bodies[0].motion.keys = {{0, {0, 0, 0}, {}}, {1, {0, 0, 0}, {}}, {1.1, {2, 0, 0}, {}}};  // at rest, then 20 m/s
  EXPECT_EQ(step_of(m, {}, snow_at(0.5), 0.04), 0.04);
  EXPECT_LE(step_of(m, {}, snow_at(0.99), 0.04), 1.25e-4 * (1 + 1e-9));
  EXPECT_EQ(step_of(m, {}, snow_at(1.2), 0.04), 0.04);
}

TEST(TimeStep, NamesTheRuleThatSetIt) {
  const auto rule = [](const Model& m, const StepLimits& limits) { return choose_time_step(m, limits, snow_at(0), 0.04).rule; };
  Model implicit = model(), fixed = model();
  implicit.solver.integrator = Integrator::kSemiImplicit;
  fixed.solver.time_step = 0.04;
  EXPECT_EQ(rule(model(), {}), StepRule::kFrameEnd);
  EXPECT_EQ(rule(model(), {20, 20, 50}), StepRule::kSnowSpeed);
  EXPECT_EQ(rule(model(), {2000, 2000, 5}), StepRule::kElasticWave);
  EXPECT_EQ(rule(implicit, {2000, 2000, 5}), StepRule::kAccuracy);
  EXPECT_EQ(rule(with_ball(0, 20), {20, 20, 5}), StepRule::kMovingBody);
  EXPECT_EQ(rule(fixed, {2000, 2000, 5}), StepRule::kFixed);
}

TEST(StepRule, EveryOneHasItsOwnNameAndAdvice) {
  std::set<std::string> names, advice;
  for (int r = 0; r < kStepRules; ++r) {
    names.insert(name_of(static_cast<StepRule>(r)));
    advice.insert(advice_of(static_cast<StepRule>(r)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kStepRules));
  EXPECT_EQ(advice.size(), static_cast<std::size_t>(kStepRules));
}

struct Plain : State {};

TEST(TakeStep, HalvesUntilTheStepWorks) {
  StepInfo report;
  std::vector<double> tried;
  take_step(model(), Plain{}, {0.08, StepRule::kSnowSpeed}, report, [&](double dt) {
    tried.push_back(dt);
    return dt > 0.015 ? Attempt{Fault::kInverted, 7} : Attempt{};
  });
  EXPECT_EQ(tried, (std::vector<double>{0.08, 0.04, 0.02, 0.01}));
  EXPECT_EQ(report.dt, 0.01);
  EXPECT_EQ(report.rejected, 3);
  EXPECT_EQ(report.rule, StepRule::kCut);
  EXPECT_NE(report.rejection.find("particle 7"), std::string::npos) << report.rejection;
}

TEST(TakeStep, AStepThatWorksAtOnceReportsNothing) {
  StepInfo report;
  take_step(model(), Plain{}, {0.08, StepRule::kSnowSpeed}, report, [](double) { return Attempt{}; });
  EXPECT_EQ(report.dt, 0.08);
  EXPECT_EQ(report.rejected, 0);
  EXPECT_EQ(report.rule, StepRule::kSnowSpeed);
  EXPECT_TRUE(report.rejection.empty());
}

TEST(TakeStep, AFixedStepIsNotCut) {
  Model m = model();
  m.solver.time_step = 0.08;
  StepInfo report;
  Plain state;
  state.steps = 41;
  int tries = 0;
  try {
    take_step(m, state, {0.08, StepRule::kFixed}, report, [&](double) {
      ++tries;
      return Attempt{Fault::kTooFar, 3};
    });
    FAIL() << "no error";
  } catch (const RunError& error) {
    const std::string text = error.what();
    for (const char* part : {"step 42", "particle 3", "solver.time_step"}) EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(tries, 1);
}

TEST(TakeStep, AStepThatNeverWorksStopsTheRun) {
  StepInfo report;
  int tries = 0;
  const auto hopeless = [&](double) {
    ++tries;
    return Attempt{Fault::kNotFinite, 0};
  };
  EXPECT_THROW(take_step(model(), Plain{}, {1, StepRule::kFrameEnd}, report, hopeless), RunError);
  EXPECT_EQ(tries, kMaxHalvings + 1);
}

TEST(Fault, EveryOneHasItsOwnDescription) {
  EXPECT_EQ(describe(Fault::kNone, 1), "");
  std::vector<std::string> all;
  for (const Fault f : {Fault::kNotFinite, Fault::kTooFar, Fault::kInverted, Fault::kPlastic, Fault::kSolve}) {
    const std::string text = describe(f, 12);
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(std::count(all.begin(), all.end(), text), 0);
    if (f != Fault::kSolve) {
      EXPECT_NE(text.find("particle 12"), std::string::npos);
    }
    all.push_back(text);
  }
}

}  // namespace
}  // namespace firn
