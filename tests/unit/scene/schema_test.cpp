// For every key of the schema: a value of the wrong type or out of range is an error at that key. The keys come from the schema.
#include "scene/schema.h"

#include <fmt/format.h>

#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

using namespace schema;

struct BadValue {
  std::string key;
  std::string value;
};

// Visitor: for every key, texts that are TOML but not a value of it.
class BadValues {
 public:
  template <class Rule>
  static constexpr bool may_be_empty = std::is_same_v<Rule, GridFieldList> || std::is_same_v<Rule, Noises> || std::is_same_v<Rule, Layers>;

  std::vector<BadValue> all;

  template <class T, class Rule>
  void field(const Key& key, T&, const Rule& rule) {
    for (const char* value : {"{}", "[{}]", "[]", "1979-05-27", "nan", "-inf", "\"\"", "\"\\u0000\\n\""})
      if (!may_be_empty<Rule> || std::string_view(value) != "[]") all.push_back({std::string(key.name), value});
    for (const std::string& value : bad(rule)) all.push_back({std::string(key.name), value});
  }
  template <class T, class Rule>
  bool instead(const Key& key, T& value, const Rule& rule) {
    field(key, value, rule);
    return false;
  }

 private:
  using Values = std::vector<std::string>;

  Values bad(const Range& range) const {
    Values values{"true", "\"1\"", "[1]"};
    values.push_back(fmt::format("{}", range.open_low ? range.low : std::nextafter(range.low, -1e300)));
    values.push_back(fmt::format("{}", range.open_high ? range.high : std::nextafter(range.high, 1e300)));
    return values;
  }
  Values bad(Flag) const { return {"1", "\"true\""}; }
  Values bad(Dimension) const { return {"1", "4", "2.5", "\"3\""}; }
  Values bad(const AutoOr& rule) const { return bad(rule.range); }
  Values bad(const FrameCount&) const { return {"0", "-1", "1.5", "1000001", "9223372036854775807", "true"}; }
  Values bad(const Opening& rule) const { return bad(rule.range); }
  Values vectors() const { return {"true", "1", "[1]", "[1, 2, 3, 4]", "[0, \"1\", 0]", "[0, inf, 0]", "[nan, 0, 0]", "[1e300, 0, 0]"}; }
  Values bad(const Components&) const { return vectors(); }
  Values bad(Position) const { return vectors(); }
  Values bad(const Sizes&) const {
    Values values = vectors();
    values.insert(values.end(), {"[0, 1, 1]", "[1, -1, 1]"});
    return values;
  }
  Values bad(Direction) const { return vectors(); }
  Values bad(PointInSpace) const { return vectors(); }
  Values bad(DirectionInSpace) const { return vectors(); }
  Values bad(const Channels&) const { return vectors(); }
  Values bad(const Edges&) const { return {"true", "1", "[1]", "[1, 2, 3]", "[1, \"1\"]", "[0, 1]", "[1, -1]", "[1, inf]", "[nan, 1]"}; }
  Values bad(AreaLights) const {
    return {"1", "[1]", "{ shape = \"sphere\", center = [0, 0, 0], radius = 1, strength = 1 }", "[{ shape = \"sphere\" }]"};
  }
  Values bad(const Spin&) const { return {"true", "1e300", "[1, 2]", "[0, 0, inf]", "[0, 0, 1e300]", "[1, 2, 3, 4]", "[0, 0, \"1\"]"}; }
  Values bad(Rotation) const {
    return {"true", "inf", "[1, 0]", "[1e300, 0, 0]", "[0, 0, 0, 0]", "[1, 0, 0, nan]", "[1, 0, 0, 0, 0]", "[1, 0, 0, \"0\"]"};
  }
  Values bad(ExistingFile) const { return {"1", "\"no such file\"", "\"/\""}; }
  Values bad(AnyText) const { return {"1", "true"}; }
  Values bad(ColumnName) const { return {"1", "true", "\"\"", "\"two words\"", "\"a,b\""}; }
  Values bad(FilePattern) const { return {"1", "\"no_such_####.obj\"", "\"/\"", "\"a.ply\"", "\"#_#.obj\""}; }
  Values bad(PresetName) const { return {"1", "\"nothing\"", "[\"icy\"]"}; }
  Values bad(Noises) const { return {"1", "[1]", "{ stiffness = 1 }", "[{ scale = 1 }, 2]"}; }
  Values bad(Shell) const { return {"1", "[{ depth = 1 }]", "{ stiffness = 1 }"}; }
  Values bad(Layers) const { return {"1", "[1]", "{ above = 1, material = \"default\" }", "[{ above = 1 }]"}; }
  Values bad(MaterialName) const { return {"1", "\"no such material\"", "[\"default\"]"}; }
  Values bad(MotionKeys) const { return {"1", "[1]", "{ t = 1, position = [0, 0, 0] }", "[{ t = 1 }]"}; }
  Values bad(const CameraKeys&) const { return {"1", "[1]", "{ t = 1, position = [0, 0, 1], target = [0, 0, 0] }", "[{ t = 1 }]"}; }
  Values bad(const Scale&) const { return {"true", "0", "-1", "[1]", "[1, 0, 1]", "[1, 2, 3, 4]", "1e300"}; }
  Values bad(Parts) const { return {"1", "[1]", "{ shape = \"sphere\" }", "[{ shape = \"sphere\" }]"}; }
  Values bad(MotionFile) const { return {"1", "[1]", "\"no such file.csv\"", "\"/\""}; }
  Values bad(MovingCollider) const { return {"-1", "1", "0.5", "true", "\"0\""}; }
  Values bad(const Formats&) const { return {"\"ply\"", "[1]", "[\"nothing\"]"}; }
  Values bad(const GridFieldList&) const { return {"1", "\"mass\"", "[1]", "[\"nothing\"]", "[\"mass\", \"mass\"]"}; }
  template <class E>
  Values bad(const Choices<E>&) const {
    return {"1", "true", "\"nothing\""};
  }
};

// Sets one key after the other to what it must not be; the error must name the place and the key.
template <class Section>
void expect_errors(const std::string& scene, const std::string& prefix, Section section) {
  ASSERT_EQ(error_of(scene), "no error") << scene;
  BadValues bad;
  describe(bad, section);
  for (const BadValue& entry : bad.all) {
    const std::string setting = prefix + entry.key + "=" + entry.value;
    const std::string error = error_of(scene, {setting});
    EXPECT_TRUE(error.starts_with("--set " + setting + ": ")) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    EXPECT_TRUE(contains(error.substr(setting.size() + 8), entry.key) || contains(error, "unknown material")) << error;
  }
}

Shape shape_of(ShapeKind kind, const std::string& file) {
  Shape shape;
  shape.kind = kind;
  shape.radius = 0.1;
  shape.height = 0.2;
  shape.tube = 0.05;
  shape.size = {1, 2, 3};
  shape.b = {1, 0, 0};
  shape.file = file;
  shape.length = 1;
  shape.text = "snow";
  shape.font = file;
  shape.parts.resize(1);
  shape.parts[0].radius = 0.1;
  return shape;
}

template <class Body>
void expect_errors_in_bodies(const Choices<ShapeKind>& shapes, std::vector<Body> Scene::*bodies, const std::string& prefix) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.ply", "ply\n");
  folder.write("walk_1.obj", "");
  const std::string sequence = folder.write("walk_2.obj", "");
  for (const int dimension : {2, 3}) {
    for (const Choice<ShapeKind>& choice : shapes.all) {
      if (dimension == 2 && needs_three_dimensions(choice.value)) continue;
      SCOPED_TRACE(fmt::format("{} {}D {}", prefix, dimension, choice.name));
      Scene scene;
      scene.simulation = {dimension, 0.01, 1, 24, {0, -1, 0}, 0, {}, {}};
      scene.snow.resize(1);
      scene.snow[0].shape = shape_of(ShapeKind::kSphere, "");
      (scene.*bodies).resize(1);
      const bool is_sequence = choice.value == ShapeKind::kSequence;
      (scene.*bodies)[0].shape = shape_of(choice.value, is_sequence ? sequence.substr(0, sequence.size() - 5) + "#.obj" : file);
      if constexpr (requires { Body::rate; }) (scene.*bodies)[0].rate = 1;
      expect_errors(to_toml(scene), prefix, (scene.*bodies)[0]);
    }
  }
}

TEST(Schema, EveryKeyOfTheSettingsRejectsBadValues) {
  expect_errors(kMinimal, "simulation.", SimulationSettings{});
  expect_errors(kFlatSimulation + kDisc, "simulation.", SimulationSettings{});
  expect_errors(kMinimal, "solver.", SolverSettings{});
  expect_errors(kMinimal, "output.", OutputSettings{});
  expect_errors(kMinimal, "render.", RenderSettings{});
  expect_errors(kFlatSimulation + kDisc, "render.", RenderSettings{});
}

TEST(Schema, EveryKeyOfAMaterialRejectsBadValues) { expect_errors(kMinimal, "materials.packed.", Material{}); }

TEST(Schema, EveryKeyOfEverySnowShapeRejectsBadValues) { expect_errors_in_bodies(kSnowShapes, &Scene::snow, "snow."); }

TEST(Schema, EveryKeyOfEveryColliderShapeRejectsBadValues) { expect_errors_in_bodies(kColliderShapes, &Scene::colliders, "collider."); }

TEST(Schema, EveryKeyOfEverySourceShapeRejectsBadValues) { expect_errors_in_bodies(kSourceShapes, &Scene::sources, "source."); }

TEST(Schema, EveryKeyOfEverySinkShapeRejectsBadValues) { expect_errors_in_bodies(kSinkShapes, &Scene::sinks, "sink."); }

TEST(Schema, EveryKeyOfTheBoxesRejectsBadValues) {
  const std::string box = "lower = [0, 0, 0]\nupper = [1, 1, 1]\n";
  expect_errors(kMinimal + "[domain]\n" + box, "domain.", Domain{});
  const std::string plough = "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\nspin = [0, 0, 1]\n";
  expect_errors(kMinimal + plough + "[window]\nfollow = 0\n" + box, "window.", [] {
    Window window;
    window.follow = 0;
    return window;
  }());
  expect_errors(kMinimal + "[window]\nvelocity = [0, 0, 0]\n" + box, "window.", Window{});
}

// The keys of an item in the list `name`, which stands on line `line_number`; `all` are good values.
template <class Item>
void expect_errors_in_list(const std::string& before, const std::string& name, int line_number, const std::vector<std::string>& all,
                           Item item = {}) {
  BadValues bad;
  describe(bad, item);
  for (const BadValue& entry : bad.all) {
    std::string line = name + " = [{ ";
    for (const std::string& given : all) line += given.starts_with(entry.key + " ") ? "" : given + ", ";
    const std::string place = fmt::format("scene.toml:{}:{}: ", line_number, line.size() + 1);
    const std::string error = error_of(before + line + entry.key + " = " + entry.value + " }]\n");
    EXPECT_TRUE(error.starts_with(place)) << error;
  }
}

TEST(Schema, EveryKeyOfAMotionKeyRejectsBadValues) {
  const std::string ball = kMinimal + "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n";
  expect_errors_in_list<MotionKey>(ball, "keys", 12, {"t = 1", "position = [0, 0, 0]", "rotation = [1, 0, 0, 0]"});
}

TEST(Schema, EveryKeyOfACameraKeyRejectsBadValues) {
  expect_errors_in_list<CameraKey>(kMinimal + "[render]\n", "keys", 9, {"t = 1", "position = [0, 0, 1]", "target = [0, 0, 0]", "fov = 40"});
}

TEST(Schema, EveryKeyOfALightRejectsBadValues) {
  const std::vector<std::string> any{"center = [0, 0, 1]", "strength = 1", "colour = [1, 1, 1]"};
  const auto with = [&any](std::vector<std::string> own) {
    own.insert(own.end(), any.begin(), any.end());
    return own;
  };
  const std::string render = kMinimal + "[render]\n";
  AreaLight light;
  expect_errors_in_list(render, "lights", 9, with({"shape = \"rectangle\"", "target = [0, 0, 0]", "size = [1, 1]"}), light);
  light.shape = LightShape::kDisc;
  expect_errors_in_list(render, "lights", 9, with({"shape = \"disc\"", "target = [0, 0, 0]", "radius = 1"}), light);
  light.shape = LightShape::kSphere;
  expect_errors_in_list(render, "lights", 9, with({"shape = \"sphere\"", "radius = 1"}), light);
}

// The keys of a table that stands as a value: `given` are those it needs, the place is that of the key.
template <class Section>
void expect_errors_in_table(const std::string& name, const std::string& given, Section section) {
  BadValues bad;
  describe(bad, section);
  for (const BadValue& entry : bad.all) {
    const std::string line = name + " = {" + (given.starts_with(entry.key + " ") ? "" : given + ",") + " ";
    const std::string place = "scene.toml:8:" + std::to_string(line.size() + 1) + ": ";
    const std::string error = error_of(kMinimal + line + entry.key + " = " + entry.value + " }\n");
    EXPECT_TRUE(error.starts_with(place)) << line << entry.key << " = " << entry.value << "\n" << error;
  }
}

TEST(Schema, EveryKeyOfNoiseAndShellRejectsBadValues) {
  expect_errors_in_table("noise", "scale = 1", SnowNoise{});
  expect_errors_in_table("shell", "depth = 1", SnowShell{});
}

// The fully written scene has a key on every line; each line in turn gets a value that fits no key.
TEST(Schema, EveryLineOfAWrittenSceneReportsItsOwnPlace) {
  for (const GalleryEntry& entry : gallery()) {
    const std::string text = to_toml(load_scene(entry.name));
    int line_number = 0;
    for (std::size_t start = 0; start < text.size();) {
      ++line_number;
      const std::size_t end = text.find('\n', start);
      const std::string line = text.substr(start, end - start);
      const std::size_t equals = line.find(" = ");
      const bool is_pair = equals != std::string::npos && line.find_first_of(" {}") == equals && !line.ends_with("[");
      if (is_pair) {
        const std::string changed = text.substr(0, start) + line.substr(0, equals) + " = 1979-05-27" + text.substr(end);
        EXPECT_TRUE(error_of(changed).starts_with("scene.toml:" + std::to_string(line_number) + ":1: ")) << line << '\n'
                                                                                                         << error_of(changed);
      }
      start = end + 1;
    }
  }
}

}  // namespace
}  // namespace firn::scene_tests
