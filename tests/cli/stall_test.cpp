// Scenes that once kept the program busy for minutes before the first step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "process.h"

namespace firn::test {
namespace {

constexpr double kSoon = 3, kLittle = 250;  // seconds of computing and MB: some times what is needed, a small part of what it once was

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

constexpr const char* kBall = "[simulation]\nspacing = 0.1\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 3, 0]\nradius = 0.6\n[[collider]]\n";

std::string ground(double length, const char* separator) {
  return fmt::format("shape = \"heightfield\"{0}center = [0, 0, 0]{0}length = {1}{0}depth = 1{0}formula = \"2*noise(x/8, z/8) + 2\"", separator,
                     length);
}

TEST(HeightFields, CostWhatTheirSurfaceNearSnowCosts) {
  for (const double length : {40.0, 80.0}) expect_quick(check(kBall + ground(length, "\n")));
}

TEST(HeightFields, AsPartsOfBodiesDoSoToo) {
  for (const char* kind : {"union", "intersection"})
    expect_quick(check(kBall + fmt::format("shape = \"{}\"\nparts = [{{ {} }}, {{ {} }}]\n", kind, ground(40, ", "), ground(30, ", "))));
}

TEST(HeightFields, AreSampledOnTheFinestGrids) {
  const Outcome outcome = check(R"([simulation]
spacing = 1e-5
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
)");
  expect_quick(outcome);
}

}  // namespace
}  // namespace firn::test
