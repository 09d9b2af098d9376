// Shapes made ready: what they hold and where they are.
#include "build/form.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "build/snow.h"
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

constexpr double kPi = std::numbers::pi, kFormSpacing = 0.01;
const std::string kFont = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf";

Shape shape_of(const std::string& keys, int dimension = 3) {
  const std::string flat = dimension == 2 ? "dimension = 2\n" : "";
  return parse("[simulation]\nspacing = 0.01\nduration = 1\n" + flat + "[[snow]]\n" + keys).snow[0].shape;
}

Form form_of(const std::string& keys, int dimension = 3) {
  std::vector<std::string> warnings;
  return make_form(shape_of(keys, dimension), {dimension, kFormSpacing}, warnings);
}

double sphere_volume(double r) { return 4.0 / 3 * kPi * r * r * r; }

TEST(Form, OfAUnionHoldsItsPartsOnce) {
  const double apart = form_of(R"(shape = "union"
parts = [{ shape = "sphere", center = [1, 0, 0], radius = 0.1 }, { shape = "sphere", center = [1.5, 0, 0], radius = 0.08 }])")
                           .content;
  EXPECT_NEAR(apart, sphere_volume(0.1) + sphere_volume(0.08), 0.005 * apart);
  const double same = form_of(R"(shape = "union"
parts = [{ shape = "sphere", center = [1, 0, 0], radius = 0.1 }, { shape = "sphere", center = [1, 0, 0], radius = 0.08 }])")
                          .content;
  EXPECT_NEAR(same, sphere_volume(0.1), 0.005 * same);
}

TEST(Form, OfADifferenceAndAnIntersectionHoldWhatIsLeft) {
  const Form shell = form_of(R"(shape = "difference"
parts = [{ shape = "sphere", center = [0, 0, 0], radius = 0.2 }, { shape = "sphere", center = [0, 0, 0], radius = 0.1 }])");
  EXPECT_NEAR(shell.content, sphere_volume(0.2) - sphere_volume(0.1), 0.005 * shell.content);
  EXPECT_GT(shell.distance({0, 0, 0}), 0);
  EXPECT_LT(shell.distance({0.15, 0, 0}), 0);
  const Form half = form_of(R"(shape = "intersection"
parts = [{ shape = "sphere", center = [0, 0, 0], radius = 0.2 }, { shape = "plane", point = [0, 0, 0], normal = [0, 1, 0] }])");
  EXPECT_NEAR(half.content, sphere_volume(0.2) / 2, 0.01 * half.content);
  EXPECT_LT(half.distance({0, -0.1, 0}), 0);
}

TEST(Form, OfTurnedPartsInsideCompoundsIsTurned) {
  const Form box = form_of(R"(shape = "union"
parts = [{ shape = "box", center = [3, 0, 0], size = [0.4, 0.1, 0.1], rotation = [0.7071067811865476, 0, 0, 0.7071067811865476] }])");
  EXPECT_LT(box.distance({0, 0.17, 0}), 0);
  EXPECT_GT(box.distance({0.17, 0, 0}), 0);
  EXPECT_NEAR(box.origin[0], 3, 0);
}

TEST(Form, WithoutAnEndOrAnInsideIsRefused) {
  EXPECT_THROW(form_of("shape = \"union\"\nparts = [{ shape = \"plane\", point = [0, 0, 0], normal = [0, 1, 0] }]"), UserError);
  EXPECT_THROW(form_of(R"(shape = "difference"
parts = [{ shape = "sphere", center = [0, 0, 0], radius = 0.1 }, { shape = "sphere", center = [0, 0, 0], radius = 0.2 }])"),
               UserError);
}

TEST(Form, OfAHeightFieldHoldsTheGroundUnderItsFormula) {
  const Form hills = form_of(R"--(shape = "heightfield"
center = [0, 1, 0]
length = 1
width = 0.5
depth = 0.05
formula = "0.1 + 0.04*sin(6*x)*cos(5*z)")--");
  const double expected = 0.15 * 1 * 0.5;
  EXPECT_NEAR(hills.content, expected, 0.01 * expected);
  EXPECT_LT(hills.distance({0.2, 0.1 + 0.04 * std::sin(1.2) - 0.01, 0}), 0);
  EXPECT_GT(hills.distance({0.2, 0.1 + 0.04 * std::sin(1.2) + 0.01, 0}), 0);
}

TEST(Form, OfTextIsAsThickAsAsked) {
  const std::string keys = "shape = \"text\"\ncenter = [0, 0, 0]\nheight = 0.3\nfont = \"" + kFont + "\"\ntext = \"";
  const Form one = form_of(keys + "I\"\ndepth = 0.1"), three = form_of(keys + "III\"\ndepth = 0.1"),
             thick = form_of(keys + "I\"\ndepth = 0.2");
  EXPECT_NEAR(three.content, 3 * one.content, 0.01 * three.content);
  EXPECT_NEAR(thick.content, 2 * one.content, 0.02 * thick.content);
  EXPECT_LT(one.distance({0, 0, 0.04}), 0);
  EXPECT_GT(one.distance({0, 0, 0.06}), 0);
}

TEST(Form, InTwoDimensionsIsTheSectionOfTheThird) {
  const Form ring = form_of(R"(shape = "difference"
parts = [{ shape = "sphere", center = [0, 0], radius = 0.2 }, { shape = "sphere", center = [0, 0], radius = 0.1 }])",
                            2);
  EXPECT_NEAR(ring.content, kPi * (0.04 - 0.01), 0.005 * ring.content);
  const Form frame = form_of(R"(shape = "difference"
parts = [{ shape = "box", center = [0, 0], size = [1, 0.6] }, { shape = "box", center = [0, 0], size = [0.8, 0.4] }])",
                             2);
  EXPECT_NEAR(frame.content, 0.6 - 0.32, 0.005);
  EXPECT_NEAR(frame.distance({0.45, 0, 0}), -0.05, 0.002);
  EXPECT_GT(frame.distance({0, 0, 0}), 0);
}

TEST(Sampler, FillsEveryPartOfACompoundWithEitherSampling) {
  const Form form = form_of(R"(shape = "union"
parts = [{ shape = "sphere", center = [0, 0, 0], radius = 0.1 }, { shape = "sphere", center = [0.4, 0, 0], radius = 0.1 }])");
  for (const Sampling sampling : {Sampling::kJittered, Sampling::kPoisson}) {
    Snow snow;
    snow.sampling = sampling;
    double left = 0, right = 0;
    for (const LatticePoint<double, 3>& p : sample_form(form, snow, kFormSpacing))
      ((p.cell[0] + p.offset[0]) * kFormSpacing < 0.2 ? left : right) += 1;
    EXPECT_NEAR(left / (8 * sphere_volume(0.1) / (kFormSpacing * kFormSpacing * kFormSpacing)), 1, 0.06);
    EXPECT_NEAR(right / left, 1, 0.02);
  }
}

}  // namespace
}  // namespace firn::scene_tests
