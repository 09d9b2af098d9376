// What the program tells without being asked: its help, what was probably meant, how long a run will take.
#include <gtest/gtest.h>

#include <set>

#include "process.h"

namespace firn::test {
namespace {

TEST(Guidance, TheProgramAlonePrintsItsHelp) {
  const Outcome alone = firn({});
  EXPECT_EQ(alone.code, 0);
  EXPECT_EQ(alone.out, firn({"--help"}).out);
  EXPECT_EQ(alone.err, "");
}

void expect_line(const Outcome& outcome, const std::string& begin, const std::string& part) {
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.err.starts_with(begin)) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(Guidance, MisspeltCommandsAndScenesAreAnsweredWithTheNearest) {
  expect_line(firn({"rnu", "wedge"}), "error: unknown command 'rnu', did you mean 'run'?", "'bench'");
  expect_line(firn({"prewiev"}), "error: unknown command 'prewiev', did you mean 'preview'?", "'check'");
  expect_line(firn({"banana"}), "error: unknown command 'banana', allowed: 'run'", "see firn --help");
  expect_line(firn({"scenes", "wegde"}), "error: no gallery scene is called 'wegde', did you mean 'wedge'?", "'snowball_drop'");
  expect_line(firn({"run", "wegde"}), "error: wegde: there is no such file or gallery scene, did you mean 'wedge'?", "");
  expect_line(firn({"check", "wegde"}), "error: wegde: there is no such file or gallery scene, did you mean 'wedge'?", "");
}

// Volumes and places at the end of what numbers can say.
TEST(Guidance, NoMessageShowsANumberThatIsNone) {
  const TempFolder folder;
  const std::string header =
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty double x\nproperty double y\nproperty double z\nproperty double mass\n"
      "property double volume\nend_header\n";
  for (const std::string row : {"1 2 3 1 1.7e308\n", "1e308 2 3 1 1e-6\n", "1 2 3 8.6e9 1e-300\n"}) {
    spill(folder.file("odd.ply"), header + row + "0 0 1 1 1.7e308\n");
    for (const char* to : {"odd.obj", "odd.vdb"}) {
      const Outcome outcome = firn({"convert", folder.file("odd.ply"), folder.file(to), "--spacing", "0.01", "--overwrite"});
      EXPECT_FALSE(contains(outcome.err, "nan") || contains(outcome.err, "inf")) << row << to << ": " << outcome.err;
      EXPECT_NE(outcome.code, 139);
    }
  }
}

using GuidanceOfARun = SmallScene;

TEST_F(GuidanceOfARun, TheFirstLineOfProgressHasNoTimeLeftYet) {
  const Outcome outcome = run("out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string first = outcome.err.substr(0, outcome.err.find('\n')), rest = outcome.err.substr(first.size() + 1);
  EXPECT_TRUE(contains(first, "frame 0/2 ")) << outcome.err;
  EXPECT_FALSE(contains(first, "left")) << first;
  EXPECT_TRUE(rest.starts_with("frame 1/2 ") && contains(rest, "  left ")) << outcome.err;
}

TEST_F(GuidanceOfARun, CheckSaysHowLongItWillTakeAndOnHowManyThreads) {
  const Outcome one = firn({"check", scene_, "--threads", "1"});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(contains(one.out, "run time   less than 1 s on 1 thread,") || contains(one.out, "run time   about ")) << one.out;
  EXPECT_TRUE(
      contains(one.out, " on 1 thread, if all steps are like the first 10 with 3 iterations at least; writing frames not counted\n"))
      << one.out;
  const Outcome explicit_steps = firn({"check", scene_, "--set", "solver.integrator=explicit", "--set", "solver.time_step=auto"});
  EXPECT_TRUE(contains(explicit_steps.out, "if all steps are like the first 10; writing frames not counted\n")) << explicit_steps.out;
  const Outcome two = firn({"check", scene_, "--threads", "2"});
  EXPECT_TRUE(contains(two.out, " on 2 threads, if all steps are like the first 10")) << two.out;
  EXPECT_EQ(firn({"check", scene_, "--threads", "0"}).code, 2);
  const Outcome long_run = firn({"check", scene_, "--set", "simulation.duration=10000", "--set", "simulation.fps=1"});
  EXPECT_TRUE(contains(long_run.out, " h") || contains(long_run.out, " days")) << long_run.out;
}

TEST_F(GuidanceOfARun, CheckOfASceneThatStartsWithoutSnowHasNoRunTime) {
  const Outcome outcome = firn({"check", scene_, "--set", "snow.start=0.05"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(contains(outcome.out, "run time")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, ", from 0.05 s on\n")) << outcome.out;
}

TEST_F(GuidanceOfARun, CheckWarnsOfARunThatWillStopEarly) {
  const Outcome outcome = firn({"check", scene_, "--set", "solver.time_step=0.05"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "warning: the run will stop early: step ")) << outcome.err;
}

TEST_F(GuidanceOfARun, RunAndCheckWarnOfUnits) {
  const std::vector<std::string> mistake{"--set", "simulation.gravity=[0, -9810, 0]", "--set", "solver.time_step=auto"};
  const Outcome checked = firn({"check", scene_, mistake[0], mistake[1], mistake[2], mistake[3]});
  const Outcome done = run("out", {mistake[0], mistake[1], mistake[2], mistake[3], "--steps", "1"});
  for (const Outcome& outcome : {checked, done})
    EXPECT_TRUE(contains(outcome.err, "warning: " + scene_ + ": simulation.gravity is 9810 m/s²")) << outcome.err;
}

TEST_F(GuidanceOfARun, CollidersThinnerThanACellAreWarnedOf) {
  const std::string begin =
      "[simulation]\nspacing = 0.02\nduration = 0.1\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 0.06\n[[collider]]\n";
  const std::string tile = folder_.file("tile.obj");
  spill(tile, "v 1 -1 -1\nv 1 1 -1\nv 1 1 1\nv 1 -1 1\nf 1 2 3 4\n");
  const auto thin = [&](const std::string& collider) {
    spill(folder_.file("thin.toml"), begin + collider);
    const Outcome outcome = firn({"check", folder_.file("thin.toml")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return contains(outcome.err, "thin.toml:9:1: only ") && contains(outcome.err, " cells thick: ");
  };
  EXPECT_TRUE(thin("shape = \"box\"\ncenter = [1, 0, 0]\nsize = [0.002, 1, 1]\n"));
  EXPECT_FALSE(thin("shape = \"box\"\ncenter = [1, 0, 0]\nsize = [0.021, 1, 1]\n"));
  EXPECT_TRUE(thin("shape = \"cylinder\"\ncenter = [1, 0, 0]\nradius = 0.5\nheight = 0.01\n"));
  EXPECT_TRUE(thin("shape = \"sphere\"\ncenter = [1, 0, 0]\nradius = 0.009\n"));
  EXPECT_FALSE(thin("shape = \"plane\"\npoint = [0, -1, 0]\nnormal = [0, 1, 0]\n"));
  const auto shell = [](const char* inner) {
    return std::string("shape = \"difference\"\nparts = [{shape = \"sphere\", center = [1, 0, 0], radius = 0.3}, ") +
           "{shape = \"sphere\", center = [1, 0, 0], radius = " + inner + "}]\n";
  };
  EXPECT_TRUE(thin(shell("0.295")));
  EXPECT_FALSE(thin(shell("0.26")));
  EXPECT_TRUE(thin("shape = \"mesh\"\nfile = \"tile.obj\"\nthickness = 0.01\n"));
  EXPECT_FALSE(thin("shape = \"mesh\"\nfile = \"tile.obj\"\nthickness = 0.05\n"));
}

// Twenty kilometres away floats are 2 mm apart.
TEST_F(GuidanceOfARun, SnowFarAwayIsWrittenSoThatItsParticlesStayApart) {
  const std::vector<std::string> far{"--set",     "snow.center=[20000, 0.0062, 0]",
                                     "--set",     "simulation.spacing=0.001",
                                     "--set",     "snow.radius=0.005",
                                     "--set",     "solver.time_step=auto",
                                     "--steps",   "1",
                                     "--formats", "ply,vtp,fpc,usda"};
  const Outcome outcome = run("out", far);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "frames are written in double precision")) << outcome.err;
  for (const char* name : {"final.ply", "frame_0000.ply", "frame_0000.vtp", "frame_0000.fpc", "frame_0000.usda"}) {
    const std::string copy = folder_.file("copy.ply");
    ASSERT_EQ(firn({"convert", folder_.file("out/") + name, copy, "--overwrite"}).code, 0) << name;
    const Frame frame = read_ply(copy);
    std::set<Vector> places(frame.position.begin(), frame.position.end());
    EXPECT_GT(frame.size(), 4000u);
    EXPECT_EQ(places.size(), frame.size()) << name;
  }
}

}  // namespace
}  // namespace firn::test
