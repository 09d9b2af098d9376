// Every scene of the gallery at its small size from begin to end, and what its pictures claim as numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "firn/simulation.h"
#include "measures.h"

namespace firn::test {
namespace {

// A run of one thread: ctest runs several of these side by side.
class SmallRun {
 public:
  SmallRun(const std::string& name, const std::vector<std::string>& variants, const std::vector<std::string>& overrides = {})
      : scene(load_scene(name, overrides, variants)), simulation(scene, Backend::kCpu, 1) {}

  Frame at(double time) {
    simulation.advance_to(time);
    return simulation.frame(true);
  }
  Frame end() { return at(scene.simulation.duration); }

  // Particles of a body of snow: their ids are those that follow the bodies before it.
  Which body(const Frame& frame, std::size_t number) const {
    return [&frame, number, this](std::size_t i) { return body_of(frame.id[i]) == number; };
  }

  Scene scene;
  Simulation simulation;

 private:
  std::size_t body_of(std::uint64_t id) const {
    std::size_t number = 0;
    while (number + 1 < first_ids().size() && id >= first_ids()[number + 1]) ++number;
    return number;
  }
  const std::vector<std::uint64_t>& first_ids() const {
    if (firsts_.empty()) {
      std::uint64_t sum = 0;
      for (const auto& snow : check(scene).snow) {
        firsts_.push_back(sum);
        sum += snow.particles;
      }
    }
    return firsts_;
  }
  mutable std::vector<std::uint64_t> firsts_;
};

void show(const char* what, double value) {
  testing::Test::RecordProperty(what, std::to_string(value));
  fmt::print("{}: {:.4g}\n", what, value);
}

TEST(Gallery, SnowballsThatVaryBreakIntoMorePieces) {
  SmallRun varied("snowball_drop", {"small"}), even("snowball_drop", {"small", "even"});
  const double cell = varied.scene.simulation.spacing;
  const Pieces with = pieces_of(varied.end(), cell, 400, 3), without = pieces_of(even.end(), cell, 400, 3);
  show("pieces of the varied ball", with.count(1e-3));
  show("pieces of the even ball", without.count(1e-3));
  show("largest piece of the varied ball", with.largest());
  show("largest piece of the even ball", without.largest());
  EXPECT_GT(with.count(1e-3), without.count(1e-3));
}

TEST(Gallery, StickyWallsKeepSnowSlipperyOnesDoNot) {
  const auto kept = [](const char* name) {
    SmallRun run(name, {"small"});
    const Frame end = run.end();
    return share_of(end, [&](std::size_t i) { return end.position[i][1] > 0.2; });
  };
  const double sticky = kept("wall_sticky"), slippery = kept("wall_slippery");
  show("kept by the sticky wall", sticky);
  show("kept by the slippery wall", slippery);
  EXPECT_GT(sticky, 0.25);
  EXPECT_LT(slippery, 0.02);
}

TEST(Gallery, SnowballsThatMeetStopEachOtherAndTear) {
  SmallRun run("double_smash", {"small"});
  const Frame end = run.end();
  const double torn = share_of(end, [&](std::size_t i) { return end.jp[i] > 1.05; });
  show("spread of the double smash, m", spread_of(end));
  show("pieces of the double smash", pieces_of(end, run.scene.simulation.spacing, 400, 3).count(1e-3));
  show("torn in the double smash", torn);
  EXPECT_GT(torn, 0.05);
  EXPECT_LT(std::abs(middle_of(end)[0]), 0.05);  // as heavy and as fast as one another
}

TEST(Gallery, TheBladeRollsSnowForwardInATube) {
  SmallRun run("snowplow", {"small"});
  const Frame end = run.end();
  const double blade = 0.2 + 2.0 * run.scene.simulation.duration, layer = 0.22;
  const auto ahead = [&](std::size_t i) {
    return end.position[i][0] > blade && end.position[i][0] < blade + 1.0 && std::abs(end.position[i][2]) < 0.4 &&
           end.position[i][1] > layer;
  };
  double top = 0;
  for (std::size_t i = 0; i < end.size(); ++i)
    if (ahead(i)) top = std::max(top, end.position[i][1]);
  show("turning of the tube, 1/s", turning_of(end, ahead));
  show("height of the tube over the layer, m", top - layer);
  EXPECT_LT(turning_of(end, ahead), -0.3);  // up along the blade, forwards, and down
  EXPECT_GT(top - layer, 0.1);
}

TEST(Gallery, TheBallRollsDownTheHillAndKnocksTheSnowmanOver) {
  SmallRun run("rolling_snowball", {"small"});
  const Frame start = run.at(0);
  const Point ball = middle_of(start, run.body(start, 1)), snowman = middle_of(start, run.body(start, 2));
  const Frame rolling = run.at(0.35);
  const Point there = middle_of(rolling, run.body(rolling, 1));
  const double turning = turning_of(rolling, run.body(rolling, 1)), standing = middle_of(rolling, run.body(rolling, 2))[0] - snowman[0];
  const Frame end = run.end();
  const double pushed = middle_of(end, run.body(end, 2))[0] - snowman[0];
  show("the rolling ball's way in 0.35 s, m", there[0] - ball[0]);
  show("its turning, 1/s", turning);
  show("the snowman's way before, m", standing);
  show("the snowman's way at the end, m", pushed);
  EXPECT_GT(there[0] - ball[0], 1.0);
  EXPECT_LT(turning, -5);              // forwards
  EXPECT_LT(std::abs(standing), 0.2);  // it settles into the cover
  EXPECT_GT(pushed, standing + 0.1);
}

TEST(Gallery, FeetGoDeepIntoCrustedSnowAndPowder) {
  const auto depth = [](std::vector<std::string> variants) {
    SmallRun run("walking", std::move(variants));
    const Frame end = run.end();
    return 0.2 - surface_at(end, 0.14, -0.10, 0.04);  // the first print, left by then
  };
  const double crust = depth({"small"}), powder = depth({"small", "powder"});
  show("depth of a print in crust, m", crust);
  show("depth of a print in powder, m", powder);
  EXPECT_GT(crust, 0.03);
  EXPECT_GT(powder, 0.03);
}

TEST(Gallery, ASlopeHoldsSnowWhenItsFrictionExceedsItsTangent) {
  const auto slide = [](std::vector<std::string> variants, double& gap) {
    SmallRun run("ball_slope", std::move(variants));
    const Point before = middle_of(run.at(run.scene.simulation.duration - 0.3));
    const Frame end = run.end();
    gap = 1e9;
    for (const auto& x : end.position) gap = std::min(gap, (0.4226 * x[0] + 0.9063 * x[1]) / run.scene.simulation.spacing);
    const Point after = middle_of(end);
    return std::hypot(after[0] - before[0], after[1] - before[1]) / run.scene.simulation.spacing;
  };
  double gap = 0, other = 0;
  const double rough = slide({"small"}, gap), slippery = slide({"small", "slippery"}, other);
  show("slide on the rough slope in 0.3 s, cells", rough);
  show("slide on the slippery slope in 0.3 s, cells", slippery);
  show("gap above the slope, cells", gap);
  EXPECT_LT(rough, 0.5);
  EXPECT_GT(slippery, 5);
  EXPECT_GT(gap, -0.01);
  EXPECT_LT(gap, 0.3);
}

TEST(Gallery, FigureEightsSnowsBreakInTheirOrder) {
  std::map<std::string, Pieces> pieces;
  std::map<std::string, double> spread;
  for (const std::string name : {"", "lower_hardening", "lower_stiffness", "lower_compression", "lower_stretch", "lower_both"}) {
    SmallRun run("wedge", name.empty() ? std::vector<std::string>{"small"} : std::vector<std::string>{"small", name});
    const Frame end = run.end();
    pieces[name] = pieces_of(end, run.scene.simulation.spacing, 400, 3);
    spread[name] = spread_of(end);
    fmt::print("{:<18} pieces {:3} largest {:.3f} powder {:.3f} spread {:.3f} m\n", name, pieces[name].count(1e-3), pieces[name].largest(),
               pieces[name].powder(), spread[name]);
  }
  EXPECT_GT(pieces["lower_stretch"].powder(), pieces[""].powder());
  EXPECT_LT(pieces["lower_hardening"].powder(), pieces["lower_stretch"].powder());
  EXPECT_GT(spread["lower_stretch"], spread[""]);
}

TEST(Gallery, BallAndBlockBecomeOne) {
  SmallRun run("ball_block", {"small"});
  const Frame end = run.end();
  const Pieces pieces = pieces_of(end, run.scene.simulation.spacing, 400, 3);
  const Which ball = run.body(end, 1);
  const double joined = mass_of(end, [&](std::size_t i) { return ball(i) && pieces.of[i] == 0; }) / mass_of(end, ball);
  show("of the ball, in one piece with the block", joined);
  EXPECT_GT(joined, 0.9);
  EXPECT_GT(share_of(end, [&](std::size_t i) { return !ball(i) && pieces.of[i] == 0; }), 0.5);
}

TEST(Gallery, ASmallBallPushesABigOneBackAndDentsIt) {
  SmallRun run("small_into_big", {"small"});
  const Frame start = run.at(0);
  const Point before = middle_of(start, run.body(start, 0));
  const Frame end = run.end();
  const Point after = middle_of(end, run.body(end, 0));
  show("the big ball's way, m", after[0] - before[0]);
  EXPECT_GT(after[0] - before[0], 0.01);
}

TEST(Gallery, ElasticForcesBringABallBackToItsShape) {
  SmallRun run("elastic_recovery", {"small"});
  const auto deformed = [](const Frame& frame) {
    double sum = 0;
    for (const auto& fe : frame.fe)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) sum += std::pow(0.5 * (fe[3 * r + c] + fe[3 * c + r]) - (r == c), 2);
    return std::sqrt(sum / static_cast<double>(frame.size()));
  };
  const double before = deformed(run.at(0)), after = deformed(run.end());
  show("strain at the start", before);
  show("strain at the end", after);
  EXPECT_LT(after, 0.4 * before);
}

// The rest of the gallery: that they run to their end, keep their snow and warn of nothing on the way.
class GalleryRun : public testing::TestWithParam<const char*> {};

TEST_P(GalleryRun, EndsWithTheSnowItBeganWith) {
  SmallRun run(GetParam(), {"small"});
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
