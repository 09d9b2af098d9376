// What a user may get wrong: one line "error: …", exit 2, nothing written.
#include <gtest/gtest.h>

#include "process.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

class Mistake : public testing::Test {
 protected:
  // The small scene with one piece replaced.
  Outcome check(const std::string& from, const std::string& to) {
    std::string text = small_scene();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    spill(folder_.file("scene.toml"), text);
    return firn({"run", folder_.file("scene.toml"), "-o", folder_.file("out"), "--steps", "1"});
  }

  void expect_error(const Outcome& outcome, const std::string& where, const std::string& what) {
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.err.rfind("error: ", 0), 0u) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(where), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(folder_.file("out"))) << "nothing may be written";
  }

  TempFolder folder_;
};

TEST_F(Mistake, ATypoIsAnsweredWithItsPlaceAndTheNearestName) {
  expect_error(check("velocity = [0.5", "velocty = [0.5"), "scene.toml:16:1", "velocity");
  expect_error(check("[solver]", "[slover]"), "scene.toml:6:", "solver");
}

TEST_F(Mistake, NumbersOutOfRangeNanAndInfinityAreRefusedAtTheirPlace) {
  expect_error(check("spacing = 0.025", "spacing = -0.025"), "scene.toml:2:", "spacing");
  expect_error(check("density = 400", "density = nan"), "scene.toml:10:", "density");
  expect_error(check("radius = 0.1", "radius = inf"), "scene.toml:15:", "radius");
  expect_error(check("friction = 0.3", "friction = \"much\""), "scene.toml:23:", "friction");
}

TEST_F(Mistake, AMissingFileIsNamedAtItsKey) {
  expect_error(check("shape = \"sphere\"\ncenter = [0, 0.12, 0]\nradius = 0.1", "shape = \"particles\"\nfile = \"nothere.ply\""),
               "scene.toml:14:", "nothere.ply");
  expect_error(firn({"run", folder_.file("nothere.toml"), "-o", folder_.file("out")}), "nothere.toml", "");
}

TEST_F(Mistake, ABrokenParticleFileIsNamed) {
  spill(folder_.file("bad.ply"), "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n");
  expect_error(check("shape = \"sphere\"\ncenter = [0, 0.12, 0]\nradius = 0.1", "shape = \"particles\"\nfile = \"bad.ply\""), "bad.ply",
               "");
}

TEST_F(Mistake, SnowWhollyInsideAColliderIsRefused) {
  expect_error(check("point = [0, 0, 0]", "point = [0, 1, 0]"), "scene.toml:13:", "inside collider");
}

TEST_F(Mistake, SnowTooSmallForAnyParticleIsRefused) {
  expect_error(check("radius = 0.1", "radius = 1e-7"), "scene.toml:13:", "no particles");
}

TEST_F(Mistake, ASceneTooBigForTheMachineIsRefusedAtItsSpacing) {
  expect_error(check("spacing = 0.025", "spacing = 1e-5"), "scene.toml:2:", "GB");
}

TEST_F(Mistake, ParticlesTooFarApartAreRefused) {
  spill(folder_.file("far.ply"),
        "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
        "0 1 0\n100000 1 0\n");
  expect_error(check("shape = \"sphere\"\ncenter = [0, 0.12, 0]\nradius = 0.1", "shape = \"particles\"\nfile = \"far.ply\""),
               "scene.toml:13:", "cells apart");
}

TEST_F(Mistake, BadFlagsAreAnsweredWithOneLine) {
  expect_error(firn({"run", "snowball_drop", "--frame", "3"}), "--frame", "");
  expect_error(firn({"run", "snowball_drop", "--threads", "-3"}), "threads", "");
  expect_error(firn({"flow", "snowball_drop"}), "", "");
  expect_error(firn({"run", "snowball_drop", "--set", "solver.kernal=cubic", "-o", folder_.file("out")}), "--set solver.kernal=cubic",
               "kernel");
  expect_error(firn({"run", "snowbal_drop", "-o", folder_.file("out")}), "snowbal_drop", "snowball_drop");
  expect_error(firn({"preview", folder_.file("nowhere")}), "nowhere", "");
}

TEST_F(Mistake, DoubtfulScenesRunWithAWarning) {
  const Outcome coarse = check("radius = 0.1", "radius = 0.03");
  EXPECT_EQ(coarse.code, 0);
  EXPECT_NE(coarse.err.find("warning: "), std::string::npos) << coarse.err;
  EXPECT_NE(coarse.err.find("cells across"), std::string::npos) << coarse.err;
  fs::remove_all(folder_.file("out"));
  const Outcome overlap = check("[[collider]]", "[[snow]]\nshape = \"sphere\"\ncenter = [0, 0.2, 0]\nradius = 0.1\n\n[[collider]]");
  EXPECT_NE(overlap.err.find("overlapping"), std::string::npos) << overlap.err;
  fs::remove_all(folder_.file("out"));
  const Outcome inside = check("point = [0, 0, 0]", "point = [0, 0.05, 0]");
  EXPECT_EQ(inside.code, 0);
  EXPECT_NE(inside.err.find("start inside collider"), std::string::npos) << inside.err;
}

TEST(Help, IsThereForEveryVerb) {
  for (const char* verb : {"run", "check", "scenes", "preview", "bench"}) {
    const Outcome outcome = firn({verb, "--help"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out.find("--help"), std::string::npos) << verb;
  }
  EXPECT_EQ(firn({"--help"}).code, 0);
  EXPECT_EQ(firn({"--version"}).code, 0);
}

}  // namespace
}  // namespace firn::test
