// A key of a sampled shape that is read and then not used is a defect: each of them must change the form.
#include <gtest/gtest.h>

#include <map>

#include "build/form.h"
#include "math/random.h"
#include "scene/schema.h"
#include "scene_texts.h"
#include "support/mesh_files.h"
#include "support/meshes.h"
#include "support/temp_folder.h"

namespace firn::scene_tests {
namespace {

const std::string kFonts = "/usr/share/fonts/truetype/dejavu/";

std::vector<double> fingerprint(const Form& form) {
  std::vector<double> print{form.content, form.origin[0], form.origin[1], form.origin[2], form.rotation.w};
  Rng rng(11);
  for (int i = 0; i < 60; ++i) {
    const Vec<double, 3> x{2 * rng.uniform() - 1, 2 * rng.uniform() - 1, 2 * rng.uniform() - 1};
    if (form.deformation) {
      const DeformedShape shape = form.deformation->at(0.06);
      print.push_back((1 - shape.gamma) * sample_phi(shape.from->bricks, x).phi + shape.gamma * sample_phi(shape.to->bricks, x).phi);
    } else {
      print.push_back(form.distance(x));
    }
  }
  return print;
}

std::vector<double> form_print(const std::string& keys, const std::vector<std::string>& changes) {
  const Scene scene = parse_scene(
      "[simulation]\nspacing = 0.05\nduration = 1\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n[[collider]]\n" + keys,
      "scene.toml", changes);
  std::vector<std::string> warnings;
  return fingerprint(make_form(scene.colliders[0].shape, {3, 0.05, 24}, warnings));
}

void expect_every_key_counts(ShapeKind kind, const std::string& keys, const std::map<std::string, std::string>& changes) {
  const std::vector<double> before = form_print(keys, {});
  for (const auto& [key, value] : changes) EXPECT_NE(form_print(keys, {"collider." + key + "=" + value}), before) << key;
  Shape shape;
  shape.kind = kind;
  for (const std::string_view name : schema::names_of(shape).all)
    EXPECT_TRUE(changes.contains(std::string(name)) || name == "threshold")
        << name << " has no test that it does something";  // see vdb_file_test
}

TEST(EveryKeyOfAForm, FromAMeshCounts) {
  const test::TempFolder folder;
  const std::string cube = folder.write("cube.obj", test::obj(test::cube()));
  const std::string ball = folder.write("ball.obj", test::obj(test::dome(24, 3.14159265358979)));
  expect_every_key_counts(
      ShapeKind::kMesh, "shape = \"mesh\"\nfile = \"" + cube + "\"\n",
      {{"file", ball}, {"translate", "[0, 1, 0]"}, {"scale", "0.5"}, {"rotation", "[0.9, 0, 0, 0.436]"}, {"thickness", "0.1"}});
}

TEST(EveryKeyOfAForm, FromASequenceCounts) {
  const test::TempFolder folder;
  for (int k = 0; k < 3; ++k) {
    folder.write("a_" + std::to_string(k) + ".obj", test::obj(test::moved(test::cube(), {0.1 * k, 0, 0})));
    folder.write("b_" + std::to_string(k) + ".obj", test::obj(test::moved(test::cube(), {0, 0.1 * k, 0})));
  }
  expect_every_key_counts(ShapeKind::kSequence, "shape = \"sequence\"\nfile = \"" + folder.file("a_#.obj") + "\"\n",
                          {{"file", "\"" + folder.file("b_#.obj") + "\""},
                           {"fps", "30"},
                           {"start", "0.01"},
                           {"translate", "[0, 1, 0]"},
                           {"scale", "0.5"},
                           {"rotation", "[0.9, 0, 0, 0.436]"},
                           {"thickness", "0.1"}});
}

TEST(EveryKeyOfAForm, FromAHeightFieldCounts) {
  const std::string formula = "shape = \"heightfield\"\ncenter = [0, 0, 0]\nlength = 1\ndepth = 0.2\nformula = \"0.1*x\"\n";
  for (const std::string change : {"center=[0.1, 0, 0]", "length=1.5", "width=0.5", "depth=0.3", "formula=0.1*z", "rotation=[0, 30, 0]"})
    EXPECT_NE(form_print(formula, {"collider." + change}), form_print(formula, {})) << change;
}

TEST(EveryKeyOfAForm, FromTextCounts) {
  expect_every_key_counts(ShapeKind::kText,
                          "shape = \"text\"\ncenter = [0, 0, 0]\nheight = 0.8\nfont = \"" + kFonts + "DejaVuSans.ttf\"\ntext = \"A\"\n",
                          {{"center", "[0, 1, 0]"},
                           {"height", "0.7"},
                           {"font", kFonts + "DejaVuSans-Bold.ttf"},
                           {"text", "B"},
                           {"depth", "0.1"},
                           {"rotation", "[0.9, 0, 0, 0.436]"}});
}

TEST(EveryKeyOfAForm, FromPartsCounts) {
  const std::string parts =
      "parts = [{ shape = \"sphere\", center = [0, 0, 0], radius = 0.6 }, { shape = \"sphere\", center = [0.5, 0, 0], radius = 0.5 }]\n";
  const std::vector<double> sum = form_print("shape = \"union\"\n" + parts, {}), rest = form_print("shape = \"difference\"\n" + parts, {}),
                            common = form_print("shape = \"intersection\"\n" + parts, {});
  EXPECT_NE(sum, rest);
  EXPECT_NE(rest, common);
  EXPECT_NE(form_print("shape = \"union\"\n" + parts, {"collider.parts=[{ shape = \"sphere\", center = [0, 0, 0], radius = 0.6 }]"}), sum);
}

}  // namespace
}  // namespace firn::scene_tests
