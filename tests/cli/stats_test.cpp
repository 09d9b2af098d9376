// stats.csv: what bodies feel, where snow is that cannot be, and what set the time step.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "process.h"

namespace firn::test {
namespace {

class Stats : public SmallScene {
 protected:
  // The last line of a run of the scene, by column.
  std::map<std::string, std::string> last_line(const std::string& text) {
    spill(folder_.file("weigh.toml"), text);
    const Outcome outcome = firn({"run", folder_.file("weigh.toml"), "-o", folder_.file("weigh"), "--threads", "2", "--overwrite"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    out_ = outcome.out;
    err_ = outcome.err;
    std::istringstream stats(slurp(folder_.file("weigh/stats.csv")));
    std::string header, line, last;
    std::getline(stats, header);
    while (std::getline(stats, line)) last = line;
    std::map<std::string, std::string> columns;
    std::istringstream names(header), values(last);
    std::string name, value;
    while (std::getline(names, name, ',') && std::getline(values, value, ',')) columns[name] = value;
    return columns;
  }

  std::string out_, err_;
};

const std::string kWeigh = R"(
simulation = { spacing = 0.03, duration = 0.5, fps = 4, settle = 0.2 }
snow = [{ shape = "box", center = [0, 0.12, 0], size = [0.24, 0.24, 0.24] }]
collider = [
  { shape = "box", center = [0, -0.05, 0], size = [0.5, 0.1, 0.5], friction = 0.5, name = "scale" },
  { shape = "plane", point = [0, -1, 0], normal = [0, 1, 0] },
]
)";

TEST_F(Stats, SnowAtRestWeighsItsMassInTheColumnsOfItsPlate) {
  std::map<std::string, std::string> line = last_line(kWeigh);
  const double weight = 9.81 * std::stod(line["mass"]);
  EXPECT_NEAR(std::stod(line["scale_force_y"]), -weight, 0.01 * weight);
  EXPECT_NEAR(std::stod(line["scale_force_x"]), 0, 0.01 * weight);
  EXPECT_EQ(std::stod(line["scale_work"]), 0);
  EXPECT_EQ(line["collider_1_force_y"], "0");
}

TEST_F(Stats, TheRuleOfTheTimeStepIsInTheTableAndAtTheEnd) {
  EXPECT_EQ(last_line(kWeigh)["step_rule"], "accuracy");
  EXPECT_NE(out_.find("time step: in "), std::string::npos) << out_;
  EXPECT_NE(out_.find("young_modulus"), std::string::npos) << out_;
}

TEST_F(Stats, SnowIsPackedWhereItHasHitSomethingAndNotInTheAir) {
  const auto thrown = [](const std::string& speed) {
    return R"(
simulation = { spacing = 0.03, duration = 0.1, fps = 20 }
snow = [{ shape = "sphere", center = [0, 0.16, 0], radius = 0.12, velocity = [0, )" +
           speed + R"(, 0] }]
collider = [{ shape = "plane", point = [0, 0, 0], normal = [0, 1, 0] }]
)";
  };
  EXPECT_EQ(last_line(thrown("5"))["packed"], "0") << "upwards";
  const double share = std::stod(last_line(thrown("-5"))["packed"]);
  EXPECT_GT(share, 0.1);
  EXPECT_LE(share, 1);
}

TEST_F(Stats, CollidersOfOneNameAreRefused) {
  std::string twice = kWeigh;
  twice.replace(twice.find("normal = [0, 1, 0]"), 18, "normal = [0, 1, 0], name = \"scale\"");
  spill(folder_.file("twice.toml"), twice);
  const Outcome outcome = firn({"check", folder_.file("twice.toml")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("collider 0 has this name"), std::string::npos) << outcome.err;
}

// A box that comes down on snow between walls, at 1 m/s, until `room` is left over the ground.
std::string press(double room) {
  return "[simulation]\ndimension = 2\nspacing = 0.02\nduration = 0.4\nfps = 50\n"
         "[[snow]]\nshape = \"box\"\ncenter = [0, 0.1]\nsize = [0.3, 0.2]\n"
         "[[collider]]\nshape = \"plane\"\npoint = [0, 0]\nnormal = [0, 1]\n"
         "[[collider]]\nshape = \"plane\"\npoint = [-0.15, 0]\nnormal = [1, 0]\n"
         "[[collider]]\nshape = \"plane\"\npoint = [0.15, 0]\nnormal = [-1, 0]\n"
         "[[collider]]\nshape = \"box\"\ncenter = [0, 0.4]\nsize = [1, 0.2]\n"
         "keys = [{t = 0, position = [0, 0.4]}, {t = " +
         std::to_string(0.3 - room) + ", position = [0, " + std::to_string(0.1 + room) + "]}]\n";
}

TEST_F(Stats, SnowPressedIntoBodiesOrDenserThanIceIsCountedAndWarnedOf) {
  for (const double room : {0.15, 0.04, -0.05}) {
    std::map<std::string, std::string> line = last_line(press(room));
    EXPECT_EQ(line["squeezed"] != "0", room < 0.1) << room << ": " << line["squeezed"];
    EXPECT_EQ(line["inside"] != "0", room < 0) << room << ": " << line["inside"];
    EXPECT_EQ(err_.find("particles are squeezed to more than twice the density of ice") != std::string::npos, room < 0.1) << room << err_;
    EXPECT_EQ(err_.find("particles are more than a cell inside colliders") != std::string::npos, room < 0) << room << err_;
  }
}

}  // namespace
}  // namespace firn::test
