// Every scene of the gallery at its small size from begin to end, and what its pictures claim as numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "numbers.h"

namespace firn::test {
namespace {

// A run of one thread: ctest runs several of these side by side.
class SmallRun {
 public:
  explicit SmallRun(const std::string& name, const std::vector<std::string>& more_variants = {})
      : simulation_(load_scene(name, {}, with_small(more_variants)), Backend::kCpu, 1),
        moments(
            load_scene(name, {}, with_small(more_variants)), [this](double time) { return at(time); },
            [this](std::size_t collider) { return work_[collider]; }) {}
  SmallRun(const SmallRun&) = delete;

  Frame at(double time) {
    simulation_.advance_to(time, [this](const StepInfo& step) {
      work_.resize(step.loads.size());
      for (std::size_t k = 0; k < step.loads.size(); ++k) work_[k] += step.loads[k].work;
      return true;
    });
    return simulation_.frame(true);
  }
  Frame end() { return moments.end(); }

 private:
  static std::vector<std::string> with_small(std::vector<std::string> variants) {
    variants.insert(variants.begin(), "small");
    return variants;
  }
  Simulation simulation_;
  std::vector<double> work_;

 public:
  Moments moments;
};

// Of a run up to a moment, as if it ended there; prints them as well. Later moments can still be looked at.
Numbers numbers_until(double time, SmallRun& run, const std::string& name, const std::vector<std::string>& more_variants) {
  const double duration = std::exchange(run.moments.scene.simulation.duration, time);
  const Numbers numbers = numbers_of(name, run.moments);
  run.moments.scene.simulation.duration = duration;
  for (const Number& number : numbers) {
    fmt::print("{} {}: {} {:.4g}\n", name, fmt::join(more_variants, ","), number.what, number.value);
    testing::Test::RecordProperty(fmt::format("{} {} {}", name, fmt::join(more_variants, ","), number.what), std::to_string(number.value));
  }
  return numbers;
}

Numbers small_numbers(const std::string& name, const std::vector<std::string>& more_variants = {}) {
  SmallRun run(name, more_variants);
  return numbers_until(run.moments.scene.simulation.duration, run, name, more_variants);
}

TEST(Gallery, SnowballsThatVaryBreakMore) {
  const Numbers varied = small_numbers("snowball_drop"), even = small_numbers("snowball_drop", {"even"});
  EXPECT_LT(value_of(varied, "largest piece"), value_of(even, "largest piece"));
  EXPECT_GT(value_of(varied, "powder"), 1.3 * value_of(even, "powder"));
  EXPECT_GT(value_of(varied, "torn"), 1.2 * value_of(even, "torn"));
  EXPECT_GT(value_of(varied, "spread, m"), value_of(even, "spread, m"));
}

TEST(Gallery, StickyWallsKeepSnowSlipperyOnesDoNot) {
  EXPECT_GT(value_of(small_numbers("wall_sticky"), "kept by the wall"), 0.25);
  EXPECT_LT(value_of(small_numbers("wall_slippery"), "kept by the wall"), 0.02);
}

TEST(Gallery, SnowballsThatMeetBurstIntoLumpsAndPowder) {
  const Numbers smash = small_numbers("double_smash");
  EXPECT_GE(value_of(smash, "pieces"), 8);
  EXPECT_GT(value_of(smash, "powder"), 0.05);
  EXPECT_LT(value_of(smash, "largest piece"), 0.85);
}

TEST(Gallery, TheBladeRollsSnowForwardInATube) {
  const Numbers tube = small_numbers("snowplow");
  EXPECT_LT(value_of(tube, "turning of the tube, 1/s"), -0.3);  // up along the blade, forwards, and down
  EXPECT_GT(value_of(tube, "tube over the layer, m"), 0.1);
}

TEST(Gallery, TheBallRollsDownTheHillGathersSnowAndKnocksTheSnowmanOver) {
  const Numbers rolling = small_numbers("rolling_snowball");
  EXPECT_GT(value_of(rolling, "gathered, of the ball's mass"), 0.1);
  EXPECT_GT(value_of(rolling, "way until then, m"), 1.0);
  EXPECT_LT(value_of(rolling, "turning of the ball, 1/s"), -3);                     // forwards
  EXPECT_LT(std::abs(value_of(rolling, "the snowman's way until then, m")), 0.05);  // it settles
  EXPECT_GT(value_of(rolling, "the snowman's way, m"), 0.1);
}

TEST(Gallery, PrintsAreDeepAndCrustTakesMoreWorkThanPowder) {
  constexpr double kFirstPrint = 1;  // s: a foot has left it, the other one is in the air
  SmallRun walk("walking"), over_powder("walking", {"powder"});
  const Numbers crust = numbers_until(kFirstPrint, walk, "walking", {}),
                powder = numbers_until(kFirstPrint, over_powder, "walking", {"powder"});
  EXPECT_GT(value_of(crust, "depth of a print, m"), 0.06);
  EXPECT_GT(value_of(powder, "depth of a print, m"), 0.06);
  EXPECT_GT(value_of(crust, "work of the legs, J"), 2 * value_of(powder, "work of the legs, J"));
  EXPECT_GT(value_of(footprint(walk.moments), "depth of a print, m"), 0.06) << "it stays";
}

TEST(Gallery, ASlopeHoldsSnowWhenItsFrictionExceedsItsTangent) {
  SmallRun sliding("ball_slope", {"slippery"});
  const Numbers rough = small_numbers("ball_slope"), slippery = numbers_until(0.9, sliding, "ball_slope", {"slippery"});
  EXPECT_LT(value_of(rough, "slide in 0.3 s, cells"), 0.5);
  EXPECT_GT(value_of(slippery, "slide in 0.3 s, cells"), 5);
  EXPECT_GT(value_of(rough, "gap above the slope, cells"), -0.01);
  EXPECT_LT(value_of(rough, "gap above the slope, cells"), 0.3);
}

TEST(Gallery, FigureEightsSnowsBreakInTheirOrder) {
  std::map<std::string, Numbers> by{{"", small_numbers("wedge")}};
  for (const char* name : {"lower_stretch", "lower_both", "lower_hardening", "lower_stiffness", "lower_compression"})
    by[name] = small_numbers("wedge", {name});
  // Powder first, then the reference, then snow that gives way instead of breaking; a little of both in between.
  for (const char* what : {"torn", "spread, m"}) {
    EXPECT_GT(value_of(by["lower_stretch"], what), value_of(by["lower_both"], what)) << what;
    EXPECT_GT(value_of(by["lower_both"], what), value_of(by["lower_compression"], what)) << what;
    EXPECT_GT(value_of(by["lower_stretch"], what), value_of(by[""], what)) << what;
    EXPECT_GT(value_of(by[""], what), value_of(by["lower_hardening"], what)) << what;
    EXPECT_GT(value_of(by["lower_hardening"], what), value_of(by["lower_stiffness"], what)) << what;
    EXPECT_LT(value_of(by["lower_compression"], what), value_of(by[""], what)) << what;
  }
  EXPECT_GT(value_of(by["lower_stretch"], "powder"), 1.5 * value_of(by[""], "powder"));
}

TEST(Gallery, BallAndBlockBecomeOne) {
  const Numbers joined = small_numbers("ball_block");
  EXPECT_GT(value_of(joined, "of the ball, in one piece with the block"), 0.9);
  EXPECT_GT(value_of(joined, "of all, in that piece and of the block"), 0.5);
}

TEST(Gallery, ASmallBallPushesABigOneBackAndDentsIt) {
  EXPECT_GT(value_of(small_numbers("small_into_big"), "the big ball's way, m"), 0.01);
}

TEST(Gallery, ElasticForcesBringABallBackToItsShape) {
  SmallRun run("elastic_recovery");
  const auto deformed = [](const Frame& frame) {
    double sum = 0;
    for (const auto& fe : frame.fe)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) sum += std::pow(0.5 * (fe[3 * r + c] + fe[3 * c + r]) - (r == c), 2);
    return std::sqrt(sum / static_cast<double>(frame.size()));
  };
  const double before = deformed(run.at(0)), after = deformed(run.end());
  fmt::print("strain at the start {:.4g}, at the end {:.4g}\n", before, after);
  EXPECT_LT(after, 0.4 * before);
}

TEST(Gallery, SnowOfTooFewParticlesForItsCellsDeflates) {
  const double height = value_of(small_numbers("disc_2d"), "height, m"), fine = value_of(small_numbers("disc_2d", {"fine"}), "height, m");
  EXPECT_GT(height, 0.6);
  EXPECT_LT(fine, 0.6 * height);
}

// A column of limited density ends in the cells at the ground; of snow with stress it stands.
TEST(Gallery, AColumnOfSnowStandsWhereOneOfLimitedDensitySinks) {
  EXPECT_LT(value_of(small_numbers("density_column"), "height, m"), 0.01);
  EXPECT_GT(value_of(small_numbers("density_column", {"snow"}), "height, m"), 0.11);
}

// The rest of the gallery: that they run to their end, keep their snow and warn of nothing on the way.
class GalleryRun : public testing::TestWithParam<const char*> {};

TEST_P(GalleryRun, EndsWithTheSnowItBeganWith) {
  SmallRun run(GetParam());
  const double before = mass_of(run.at(0));
  const Frame end = run.end();
  EXPECT_NEAR(mass_of(end), before, 1e-6 * before);
  for (std::size_t i = 0; i < end.size(); ++i)
    for (const double x : end.position[i]) ASSERT_TRUE(std::isfinite(x));
}

INSTANTIATE_TEST_SUITE_P(Small, GalleryRun,
                         testing::Values("siggraph", "the_end", "castle", "digging", "points", "ball_2d", "snowball_fall"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace firn::test
