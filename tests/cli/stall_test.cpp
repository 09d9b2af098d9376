// Scenes that once kept the program busy for minutes before the first step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "process.h"

namespace firn::test {
namespace {

constexpr double kSoon = 3, kLittle = 250;  // seconds of computing and MB: some times what is needed, a small part of what it once was

constexpr const char* kCube =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 "
    "5 8\n";

Outcome check(const std::string& scene) {
  const TempFolder folder;
  spill(folder.file("scene.toml"), scene);
  return firn({"check", folder.file("scene.toml")});
}

void expect_quick(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(outcome.seconds, kSoon);
  EXPECT_LT(outcome.megabytes, kLittle);
}

TEST(HeightFields, Of2DScenesCostTheirOneSection) {
  expect_quick(check(R"([simulation]
dimension = 2
spacing = 0.15
frames = 2
[[snow]]
shape = "difference"
parts = [
  { shape = "heightfield", center = [-14, 0], length = 10, depth = 1, formula = "0.8*sqrt(max(0, -(x-14))^2+4) - 1.6 + 0.8" },
  { shape = "heightfield", center = [0, 0], length = 80, depth = 2, formula = "0.8*sqrt(max(0, -x)^2+4) - 1.6" },
]
[[collider]]
shape = "heightfield"
center = [0, 0]
length = 80
depth = 2
formula = "0.8*sqrt(max(0, -x)^2+4) - 1.6"
)"));
}

constexpr const char* kBall =
    "[simulation]\nspacing = 0.1\nframes = 2\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 3, 0]\nradius = 0.6\n[[collider]]\n";

std::string ground(double length, const char* separator) {
  return fmt::format("shape = \"heightfield\"{0}center = [0, 0, 0]{0}length = {1}{0}depth = 1{0}formula = \"2*noise(x/8, z/8) + 2\"",
                     separator, length);
}

TEST(HeightFields, CostWhatTheirSurfaceNearSnowCosts) {
  for (const double length : {40.0, 80.0}) expect_quick(check(kBall + ground(length, "\n")));
}

TEST(HeightFields, AsPartsOfBodiesDoSoToo) {
  for (const char* kind : {"union", "intersection"})
    expect_quick(check(kBall + fmt::format("shape = \"{}\"\nparts = [{{ {} }}, {{ {} }}]\n", kind, ground(40, ", "), ground(30, ", "))));
}

TEST(Meshes, AreSampledOnTheFinestGridsToo) {
  const TempFolder folder;
  const std::string mesh = folder.write("cube.obj", kCube);
  expect_quick(
      check(fmt::format("[simulation]\nspacing = 1e-5\nframes = 2\n[[snow]]\nshape = \"mesh\"\nfile = \"{}\"\nscale = 2e-4\n", mesh)));
}

TEST(Meshes, FarTooLargeForMemoryAreRefusedAtOnce) {
  const TempFolder folder;
  const std::string mesh = folder.write("cube.obj", kCube);
  const Outcome outcome =
      check(fmt::format("[simulation]\nspacing = 0.02\nframes = 2\n[[snow]]\nshape = \"mesh\"\nfile = \"{}\"\nscale = 40\n", mesh));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("scene.toml:2:1: spacing = 0.02: about 6.4e+10 particles need "), std::string::npos) << outcome.err;
  EXPECT_LT(outcome.seconds, 1);
  EXPECT_LT(outcome.megabytes, 100);
}

TEST(Bodies, InTheirThousandsAreComparedOnlyWithTheirNeighbours) {
  std::string scene = "[simulation]\nspacing = 0.1\nframes = 2\n";
  for (int i = 0; i < 2000; ++i)
    scene += fmt::format("[[snow]]\nshape = \"sphere\"\ncenter = [{}, {}, {}]\nradius = 0.2\n", i % 13, i / 13 % 13, i / 169);
  for (int i = 0; i < 500; ++i)
    scene += fmt::format("[[collider]]\nshape = \"sphere\"\ncenter = [{}.5, {}.5, {}.5]\nradius = 0.3\n", i % 8, i / 8 % 8, i / 64);
  const Outcome outcome = check(scene);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(outcome.seconds, 2 * kSoon);
}

TEST(Bodies, ThatOverlapAreFoundAmongManyOthers) {
  std::string scene = "[simulation]\nspacing = 0.05\nframes = 2\n[[collider]]\nshape = \"sphere\"\ncenter = [5, 0.3, 0]\nradius = 0.25\n";
  for (int i = 0; i < 30; ++i)
    scene += fmt::format("[[snow]]\nshape = \"sphere\"\ncenter = [{}, 0, 0]\nradius = 0.2\n", i == 29 ? 7.2 : static_cast<double>(i));
  const Outcome outcome = check(scene);
  EXPECT_NE(outcome.err.find("particles start inside collider 0"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("particles lie inside snow 7"), std::string::npos) << outcome.err;
}

TEST(HeightFields, AreSampledOnTheFinestGrids) {
  const Outcome outcome = check(R"toml([simulation]
spacing = 1e-5
frames = 2
[[snow]]
shape = "sphere"
center = [0, 3e-4, 0]
radius = 1e-4
[[collider]]
shape = "heightfield"
center = [0, 0, 0]
length = 1e-3
depth = 1e-4
formula = "1e-4*sin(1e4*x)"
)toml");
  expect_quick(outcome);
}

}  // namespace
}  // namespace firn::test
