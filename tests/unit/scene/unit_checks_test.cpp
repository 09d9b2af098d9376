// Likely mistakes of unit are warned of where they stand; sensible scenes are left alone.
#include "build/build.h"
#include "firn/simulation.h"
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

const std::string kCoarse = "[simulation]\nspacing = 0.05\nduration = 1.0\n" + kBall;

std::vector<std::string> warnings_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return build(parse(text, overrides)).warnings;
}

// One line, and the only one.
std::string warning_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const std::vector<std::string> all = warnings_of(text, overrides);
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? "" : all.front();
}

TEST(UnitChecks, GravityInMillimetresIsWarnedOf) {
  EXPECT_EQ(warning_of(kCoarse, {"simulation.gravity=[0, -9810, 0]"}),
            "scene.toml: simulation.gravity is 9810 m/s², 1e+03 times the earth's; the unit is m/s², the earth's is 9.81");
  EXPECT_TRUE(contains(warning_of(kCoarse, {"simulation.gravity=[0, -981, 0]"}), "gravity is 981 m/s²"));
  EXPECT_TRUE(warnings_of(kCoarse, {"simulation.gravity=[0, -24.8, 0]"}).empty()) << "Jupiter";
  EXPECT_TRUE(warnings_of(kCoarse, {"simulation.gravity=[0, 0, 0]"}).empty());
}

TEST(UnitChecks, MaterialsInKilopascalsOrGramsAreWarnedOfWhereTheyAreUsed) {
  const std::string soft = "[materials.soft]\nyoung_modulus = 140\n";
  EXPECT_TRUE(warning_of(kCoarse + "material = \"soft\"\n" + soft)
                  .starts_with("scene.toml:5:1: its material \"soft\" has young_modulus = 140: far softer than any snow"));
  EXPECT_TRUE(
      warning_of(kCoarse + "layers = [{ above = 1, material = \"soft\" }]\n" + soft).starts_with("scene.toml:5:1: its material \"soft"));
  EXPECT_TRUE(warnings_of(kCoarse + soft).empty()) << "nobody uses it";
  EXPECT_TRUE(contains(warning_of(kCoarse, {"materials.default.young_modulus=1.4e11"}), "stiffer than ice"));
  EXPECT_TRUE(contains(warning_of(kCoarse, {"materials.default.density=0.4"}), "not g/cm³"));
  EXPECT_TRUE(contains(warning_of(kCoarse, {"materials.default.density=4e4"}), "heavier than ice"));
  for (const char* fine : {"materials.default.young_modulus=5e3", "materials.default.young_modulus=9e9", "materials.default.density=30",
                           "materials.default.density=917", "snow.material=powder", "snow.material=icy"})
    EXPECT_TRUE(warnings_of(kCoarse, {fine}).empty()) << fine;
}

TEST(UnitChecks, ASnowballOfTenMetresIsWarnedOf) {
  const std::vector<std::string> huge{"simulation.spacing=1", "snow.radius=10"};
  EXPECT_EQ(warning_of(kCoarse, huge), "scene.toml:5:1: a snowball 20 m across; the unit is m, a ball that is thrown has radius = 0.04");
  EXPECT_TRUE(warnings_of(kCoarse, {"simulation.spacing=0.3", "snow.radius=2"}).empty()) << "one that is rolled";
}

TEST(UnitChecks, AMeshFarLargerThanAllElseIsWarnedOf) {
  const TemporaryFolder folder;
  const std::string file = folder.write("rod.obj", "v 0 0 0\nv 40 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string mesh = "[[collider]]\nshape = \"mesh\"\nfile = \"" + file + "\"\ntranslate = [0, -3, 0]\n";
  const std::string text =
      "[simulation]\nspacing = 0.1\nduration = 1\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 1, 0]\nradius = 0.25\n" + mesh;
  const std::string warning = warning_of(text);
  EXPECT_TRUE(warning.starts_with("scene.toml:9:1: rod.obj is 40 m across, 80 times all other bodies")) << warning;
  EXPECT_TRUE(contains(warning, "scale = 0.01")) << warning;
  EXPECT_TRUE(warnings_of(text, {"collider.scale=[0.05, 1, 1]"}).empty());
}

TEST(UnitChecks, FewerThanFourCellsAcrossAreWarnedOf) {
  EXPECT_TRUE(contains(warning_of(kCoarse, {"simulation.spacing=0.06"}), "cells across at its narrowest; use a spacing below"));
}

TEST(UnitChecks, SnowFarFromTheOriginIsWarnedOfAndItsFramesAreDouble) {
  const std::vector<std::string> far{"simulation.spacing=0.001", "snow.radius=0.005", "snow.center=[20000, 0, 0]"};
  const Built built = build(parse(kCoarse, far));
  EXPECT_TRUE(built.double_frames);
  ASSERT_EQ(built.warnings.size(), 1u);
  EXPECT_TRUE(
      contains(built.warnings[0], "scene.toml:5:1: snow 2e+04 m from the origin: floats there are 0.002 m apart, particles 0.0005 m"))
      << built.warnings[0];
  std::vector<std::string> near = far, wanted = far, houdini = far;
  near[2] = "snow.center=[100, 0, 0]";
  EXPECT_FALSE(build(parse(kCoarse, near)).double_frames);
  EXPECT_TRUE(warnings_of(kCoarse, near).empty());
  wanted.push_back("solver.precision=double");
  EXPECT_TRUE(warnings_of(kCoarse, wanted).empty()) << "frames are double anyway";
  houdini.push_back("output.formats=[\"bgeo\"]");
  EXPECT_TRUE(contains(warning_of(kCoarse, houdini), "bgeo files cannot be"));
}

TEST(UnitChecks, GalleryScenesAreNotWarnedOf) {
  for (const GalleryEntry& entry : gallery()) {
    Scene scene = load_scene(entry.name);
    // Coarser than they are meant, so that it is quick: bodies of the gallery keep at least four cells.
    scene.simulation.spacing *= 1.5;
    for (const std::string& warning : build(scene).warnings) ADD_FAILURE() << entry.name << ": " << warning;
  }
}

TEST(UnitChecks, SnowThatWouldComeAfterTheEndIsWarnedOf) {
  EXPECT_EQ(warning_of(kCoarse, {"snow.start=2"}), "scene.toml:5:1: start = 2: the run is over by then, it lasts 1 s");
}

}  // namespace
}  // namespace firn::scene_tests
