// Motion keys from CSV and JSON files, and rotations as angles.
#include <fmt/format.h>

#include "scene/scene_files.h"
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

const std::string kBody = "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n";  // keys_file stands in line 12

// A scene beside which the file lies.
class MotionFile : public testing::Test {
 protected:
  Scene scene_with(const std::string& name, const std::string& content, const std::string& start = kMinimal) {
    folder_.write(name, content);
    return parse_scene(start + kBody + "keys_file = \"" + name + "\"\n", folder_.file("scene.toml"));
  }
  std::vector<MotionKey> keys(const std::string& name, const std::string& content) { return scene_with(name, content).colliders[0].keys; }
  // Without the folder, which differs from run to run.
  std::string error(const std::string& name, const std::string& content, const std::string& start = kMinimal) {
    try {
      scene_with(name, content, start);
    } catch (const UserError& e) {
      std::string text = e.what();
      const std::string prefix = folder_.file("");
      for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
      return text;
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

TEST_F(MotionFile, CsvHasNamedColumnsInAnyOrder) {
  const auto k = keys("a.csv", "# made by hand\n\nz, y, x, t\n3, 2, 1, 0 # the first\n\n6, 5, 4, 0.5\r\n");
  ASSERT_EQ(k.size(), 2u);
  EXPECT_EQ(k[0].position, (Vector{1, 2, 3}));
  EXPECT_EQ(k[0].rotation, (Quaternion{1, 0, 0, 0}));
  EXPECT_EQ(k[1].t, 0.5);
  EXPECT_EQ(k[1].position, (Vector{4, 5, 6}));
}

TEST_F(MotionFile, CsvMayUseCommasSemicolonsOrBlanks) {
  for (const std::string separator : {",", ";", " ", "\t", " , ", "   "}) {
    const auto line = [&](std::vector<std::string> fields) { return fmt::format("{}\n", fmt::join(fields, separator)); };
    const auto k = keys("a.csv", "\xef\xbb\xbf" + line({"t", "x", "y", "z"}) + line({"0", "+1", "-2e-1", ".5"}));
    ASSERT_EQ(k.size(), 1u);
    EXPECT_EQ(k[0].position, (Vector{1, -0.2, 0.5}));
  }
}

TEST_F(MotionFile, CsvRotationsAreQuaternionsOrDegrees) {
  const auto q = keys("a.csv", "t x y z qw qx qy qz\n0 0 0 0 2 0 0 0\n1 0 0 0 1 1 1 1\n");
  EXPECT_EQ(q[0].rotation, (Quaternion{1, 0, 0, 0}));
  EXPECT_EQ(q[1].rotation, (Quaternion{0.5, 0.5, 0.5, 0.5}));
  const auto r = keys("a.csv", "t x y z rx ry rz\n0 0 0 0 90 0 90\n");
  for (const double part : r[0].rotation) EXPECT_NEAR(part, 0.5, 1e-15);  // x to y to z to x
}

TEST_F(MotionFile, JsonIsTheListOfASceneInBraces) {
  const auto k = keys("a.json", R"([{"t": 0, "position": [1, 2, 3]}, {"t": 2.5, "position": [0, 0, 1e-1], "rotation": [0, 0, 180]}])");
  ASSERT_EQ(k.size(), 2u);
  EXPECT_EQ(k[0].position, (Vector{1, 2, 3}));
  EXPECT_EQ(k[1].t, 2.5);
  EXPECT_NEAR(k[1].rotation[3], 1, 1e-15);
}

TEST_F(MotionFile, TheResolvedSceneHasTheKeysItself) {
  const Scene scene = scene_with("a.csv", "t x y z rx ry rz\n0 0 0 0 10 20 30\n1 0 1 0 40 50 60\n");
  const std::string text = to_toml(scene);
  EXPECT_FALSE(contains(text, "keys_file"));
  const Scene again = parse(text);
  ASSERT_EQ(again.colliders[0].keys.size(), 2u);
  for (int k : {0, 1}) EXPECT_EQ(again.colliders[0].keys[k].rotation, scene.colliders[0].keys[k].rotation);
}

TEST_F(MotionFile, In2DCsvHasNoZAndOneAngle) {
  const std::string flat = kFlatSimulation + kDisc;
  folder_.write("a.csv", "t,x,y,rz\n0,1,2,0\n1,1,2,90\n");
  const Scene scene = parse_scene(flat + "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0]\nradius = 1\nkeys_file = \"a.csv\"\n",
                                  folder_.file("scene.toml"));
  EXPECT_EQ(scene.colliders[0].keys[1].position, (Vector{1, 2, 0}));
  EXPECT_NEAR(scene.colliders[0].keys[1].rotation[3], std::sqrt(0.5), 1e-15);
  EXPECT_TRUE(contains(error("b.csv", "t,x,y,rx\n0,1,2,0\n",
                             flat + "[[collider]]\nshape = \"plane\"\npoint = [0, 0]\nnormal = [0, 1]\n"
                                    "keys_file = \"b.csv\"\n"),
                       "b.csv:1:1: 'rx' and 'ry' have no meaning in a 2D scene, use 'rz'"));
}

TEST_F(MotionFile, MistakesInCsvNameTheSceneAndTheLine) {
  const std::string at = "scene.toml:12:1: keys_file: a.csv";
  const std::string header = "t,x,y,z\n";
  EXPECT_EQ(error("a.csv", "t,x,y,q\n"), at + ":1:1: unknown column 'q', did you mean 'qw'? allowed: 't', 'x', 'y', 'z', 'qw', 'qx', 'qy', "
                                              "'qz', 'rx', 'ry', 'rz'");
  EXPECT_EQ(error("a.csv", "t,x,y\n0,0,0\n"),
            at + ":1:1: needs a column 'z'; the first line names the columns, as in: t, x, y, z, rx, ry, rz");
  EXPECT_TRUE(contains(error("a.csv", "t,x,y,z,qw,qx\n"), at + ":1:1: needs a column 'qy'"));
  EXPECT_TRUE(contains(error("a.csv", "t,x,y,z,rx,ry\n"), at + ":1:1: needs a column 'rz'"));
  EXPECT_EQ(error("a.csv", "t,x,y,z,x\n"), at + ":1:1: column 'x' stands twice");
  EXPECT_EQ(error("a.csv", "t x y z qw qx qy qz rx ry rz\n"), at + ":1:1: 'qw' ... and 'rx' ... exclude each other, keep one");
  EXPECT_EQ(error("a.csv", header + "\n0,1,2\n"), at + ":3:1: has 3 values, the header names 4 columns");
  EXPECT_EQ(error("a.csv", header + "0,1,2,3m\n"), at + ":2:1: z = '3m': must be a number");
  EXPECT_EQ(error("a.csv", header + "0,1,,3\n"), at + ":2:1: y = '': must be a number");
  EXPECT_EQ(error("a.csv", header + "0,1,nan,3\n"), at + ":2:1: position = [1.0, nan, 3.0]: must be three finite numbers [x, y, z]");
  EXPECT_EQ(error("a.csv", header + "1,0,0,0\n# pause\n1,0,0,0\n"), at + ":4:1: t = 1: must be greater than the t before it, 1");
  EXPECT_EQ(error("a.csv", header + "1e9,0,0,0\n"), at + ":2:1: t = 1000000000.0: must be at least -10000 and at most 10000");
  EXPECT_EQ(error("a.csv", header), at + ": has no keys");
  EXPECT_EQ(error("a.csv", ""), at + ": has no keys");
  EXPECT_EQ(error("a.xml", ""), "scene.toml:12:1: keys_file: a.xml: must end in .csv or .json");
}

TEST_F(MotionFile, MistakesInJsonNameTheSceneAndTheLine) {
  const std::string at = "scene.toml:12:1: keys_file: a.json";
  const std::string good = "[{\"t\": 0, \"position\": [0, 0, 0]},\n";
  EXPECT_TRUE(contains(error("a.json", good + "{\"t\": }]"), at + ":2:1: not valid JSON, syntax error"));
  EXPECT_TRUE(contains(error("a.json", ""), at + ":1:1: not valid JSON"));
  EXPECT_TRUE(contains(error("a.json", "{}"), at + ": must be a list of objects"));
  EXPECT_TRUE(contains(error("a.json", "[1]"), at + ": must be a list of objects"));
  EXPECT_EQ(error("a.json", "[]"), at + ": has no keys");
  EXPECT_EQ(error("a.json", good + "{\"t\": 0, \"position\": [0, 0, 0]}]"), at + ":2:1: t = 0: must be greater than the t before it, 0");
  EXPECT_EQ(error("a.json", good + "{\"t\": 1, \"positon\": [0, 0, 0]}]"),
            at + ":2:1: unknown key 'positon' in a motion key, did you mean 'position'? allowed: 't', 'position', 'rotation'");
  EXPECT_EQ(error("a.json", good + "{\"t\": 1}]"), at + ":2:1: a motion key needs 'position'");
  EXPECT_EQ(error("a.json", good + "{\"t\": \"1\"}]"), at + ":2:1: 't' must be a number or a list of numbers");
  EXPECT_EQ(error("a.json", good + "{\"t\": 1, \"t\": 2}]"), at + ":2:1: 't' stands twice in one key");
}

TEST_F(MotionFile, TooManyKeysAreRefused) {
  std::string text = "t x y z\n";
  for (std::size_t i = 0; i <= schema::kMostMotionKeys; ++i) text += fmt::format("{} 0 0 0\n", 0.01 * static_cast<double>(i));
  EXPECT_EQ(error("a.csv", text), "scene.toml:12:1: keys_file: a.csv: has more than 50000 keys, the most a scene may have");
}

TEST_F(MotionFile, AndKeysExcludeEachOther) {
  folder_.write("a.csv", "t x y z\n0 0 0 0\n");
  for (const std::string other : {"keys = [{ t = 1, position = [0, 0, 0] }]", "velocity = [0, 0, 0]"}) {
    EXPECT_THROW(parse_scene(kMinimal + kBody + "keys_file = \"a.csv\"\n" + other + "\n", folder_.file("scene.toml")), UserError);
  }
}

TEST(Interpolation, WithoutKeysIsAMistake) {
  EXPECT_EQ(error_of(kMinimal + kBody + "interpolation = \"smooth\"\n"),
            "scene.toml:12:1: 'interpolation' is of motion between keys, give 'keys' or 'keys_file'");
  EXPECT_EQ(error_of(kMinimal + kBody + "interpolation = \"smoth\"\n"),
            "scene.toml:12:1: interpolation = \"smoth\" is not known here, did you mean \"smooth\"? allowed: \"linear\", \"smooth\"");
}

// Rz Ry Rx: x first, about axes that stand still.
TEST(Angles, TurnAboutXThenYThenZ) {
  const auto rotation = [](const std::string& text) {
    return parse(kSimulation + "[[snow]]\nshape = \"box\"\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\nrotation = " + text + "\n")
        .snow[0]
        .shape.rotation;
  };
  const double r = std::sqrt(0.5);
  const auto expect = [](const Quaternion& got, const Quaternion& expected) {
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(got[i], expected[i], 1e-15) << i;
  };
  expect(rotation("[0, 0, 0]"), {1, 0, 0, 0});
  expect(rotation("[90, 0, 0]"), {r, r, 0, 0});
  expect(rotation("[0, 90, 0]"), {r, 0, r, 0});
  expect(rotation("[0, 0, 90]"), {r, 0, 0, r});
  expect(rotation("[90, 90, 0]"), {0.5, 0.5, 0.5, -0.5});  // (r + r j)(r + r i)
  expect(rotation("[90, 0, 90]"), {0.5, 0.5, 0.5, 0.5});   // (r + r k)(r + r i)
}

}  // namespace
}  // namespace firn::scene_tests
