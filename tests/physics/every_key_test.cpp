// A key that is read and then not used is a defect: changing any of them must change the result.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "scene/schema.h"
#include "support/random_snow.h"

namespace firn::test {
namespace {

struct Case {
  std::string key;                  // section.key
  std::string value;                // the change
  std::vector<std::string> before;  // settings of both runs
};

// A ball that hits a plane with friction and a moving box; about 500 particles.
const char* const kScene = R"(
[simulation]
spacing = 0.02
duration = 0.1
[solver]
integrator = "explicit"
time_step = 1e-4
[materials.snow]
[materials.other]
young_modulus = 3e4
[[snow]]
shape = "sphere"
center = [0, 0.09, 0]
radius = 0.05
velocity = [0.5, -4, 0]
material = "snow"
[[collider]]
shape = "plane"
point = [0, 0.02, 0]
normal = [0, 1, 0]
friction = 0.2
)";

// Replaces the snow's or the collider's own keys by a shape's.
std::string with_shape(const std::string& section, const std::string& shape_text) {
  std::string text = kScene;
  const std::size_t begin = text.find("[[" + section + "]]");
  const std::size_t end = section == "snow" ? text.find("[[collider]]") : text.size();
  const std::string motion = section == "snow" ? "velocity = [0.5, -4, 0]\nmaterial = \"snow\"\n" : "friction = 0.2\n";
  return text.replace(begin, end - begin, "[[" + section + "]]\n" + shape_text + motion);
}

struct Result {
  int frames = 0;
  Frame last;
};

Result run_scene(const std::string& text, const std::vector<std::string>& overrides) {
  const Scene scene = parse_scene(text, "test.toml", overrides);
  Simulation simulation(scene);
  for (int k = 0; k < 130; ++k) simulation.step(scene.solver.time_step.value_or(1));
  return {scene.frames(), simulation.frame(true)};
}

bool changes(const std::string& text, const Case& c) {
  std::vector<std::string> after = c.before;
  after.push_back(c.key + "=" + c.value);
  static std::map<std::pair<std::string, std::vector<std::string>>, Result> unchanged;  // the same for most keys of a section
  const auto [place, is_new] = unchanged.try_emplace({text, c.before});
  if (is_new) place->second = run_scene(text, c.before);
  const Result &a = place->second, b = run_scene(text, after);
  return a.frames != b.frames || a.last.position != b.last.position || a.last.velocity != b.last.velocity || a.last.fe != b.last.fe ||
         a.last.jp != b.last.jp || a.last.mass != b.last.mass;
}

void expect_change(const std::string& text, const Case& c) {
  EXPECT_TRUE(changes(text, c)) << c.key << " = " << c.value << " changes nothing";
}

const std::vector<std::string> kImplicit{"solver.integrator=semi-implicit", "solver.time_step=5e-4"};  // 1e-4 s need no solve
const std::vector<std::string> kDensityLimited{"solver.integrator=density-limited", "solver.time_step=1e-3"};
const std::vector<std::string> kAuto{"solver.time_step=auto"};

// Fails until a new key of a section has a case.
template <class Section>
void expect_all_covered(const std::string& section, const Section& value, const std::vector<Case>& cases,
                        std::set<std::string> exempt = {}) {
  for (const Case& c : cases) exempt.insert(c.key.substr(c.key.rfind('.') + 1));
  for (const std::string_view name : schema::names_of(value).all)
    EXPECT_TRUE(exempt.count(std::string(name))) << section << "." << name << " has no test that it does something";
}

TEST(EveryKey, OfTheSimulationChangesTheResult) {
  const std::vector<Case> cases{{"simulation.dimension", "2", {}},
                                {"simulation.spacing", "0.015", {}},
                                {"simulation.fps", "60", {}},
                                {"simulation.duration", "0.5", {}},
                                {"simulation.frames", "7", {}},
                                {"simulation.gravity", "[0, -2, 0]", {}},
                                {"simulation.settle", "0.05", {"snow.0.velocity=[0, 0, 0]"}}};
  for (const Case& c : cases) expect_change(kScene, c);
  expect_all_covered("simulation", SimulationSettings{}, cases);
}

TEST(EveryKey, OfTheSolverChangesTheResult) {
  const std::vector<Case> cases{{"solver.integrator", "semi-implicit", {}},
                                {"solver.time_step", "0.5e-4", {}},
                                {"solver.beta", "0.5", kImplicit},
                                {"solver.tolerance", "1e-2", kImplicit},
                                {"solver.kernel", "quadratic", {}},
                                {"solver.transfer", "apic", {}},
                                {"solver.flip_ratio", "0.5", {}},
                                {"solver.precision", "double", {}},
                                {"solver.courant", "0.2", kAuto},
                                {"solver.cell_fraction", "0.01", kAuto},
                                {"solver.flip_step", "0", {}},
                                {"solver.reference_spacing", "0.05", {}},
                                {"solver.contact", "paper", {}},
                                {"solver.tangent", "elastic", kImplicit},
                                {"solver.critical_density", "2", kDensityLimited}};
  for (const Case& c : cases) expect_change(kScene, c);
  EXPECT_THROW(run_scene(kScene, {kImplicit[0], kImplicit[1], "solver.max_iterations=1", "solver.tolerance=1e-6"}), RunError);
  expect_all_covered("solver", SolverSettings{}, cases, {"max_iterations", "sleep"});  // sleep_test.cpp sees to the last one
}

// The density-limited integrator has no stress, no linear system and no contact but that of particles; firn warns of such keys.
TEST(EveryKey, ThatDensityLimitedStepsDoNotKnowLeavesTheResultAsItIs) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{{"solver.beta", "0.5"},
                                                                                   {"solver.tolerance", "1e-2"},
                                                                                   {"solver.max_iterations", "1"},
                                                                                   {"solver.flip_step", "0"},
                                                                                   {"solver.reference_spacing", "0.05"},
                                                                                   {"solver.contact", "paper"},
                                                                                   {"solver.tangent", "elastic"},
                                                                                   {"solver.courant", "0.2"},
                                                                                   {"solver.sleep", "false"},
                                                                                   {"materials.snow.young_modulus", "1e5"},
                                                                                   {"materials.snow.poisson_ratio", "0.3"},
                                                                                   {"materials.snow.hardening", "5"},
                                                                                   {"materials.snow.critical_compression", "0.01"},
                                                                                   {"materials.snow.critical_stretch", "0.003"},
                                                                                   {"materials.snow.hardening_limit", "1.5"},
                                                                                   {"materials.snow.softening", "2"},
                                                                                   {"snow.stretch", "[0.98, 1, 1]"}})
    EXPECT_FALSE(changes(kScene, {key, value, kDensityLimited})) << key;
}

TEST(EveryKey, OfAMaterialChangesTheResult) {
  const std::vector<Case> cases{{"materials.snow.young_modulus", "1e5", {}},
                                {"materials.snow.poisson_ratio", "0.3", {}},
                                {"materials.snow.hardening", "5", {}},
                                {"materials.snow.critical_compression", "0.01", {}},
                                {"materials.snow.critical_stretch", "0.003", {}},
                                {"materials.snow.density", "300", {}},
                                {"materials.snow.hardening_limit", "1.5", {}},
                                {"materials.snow.softening", "2", {}},
                                {"materials.snow.preset", "powder", {}}};
  for (const Case& c : cases) expect_change(kScene, c);
  expect_all_covered("materials", Material{}, cases);
}

struct ShapeCase {
  ShapeKind kind;
  std::string text;
  std::vector<std::pair<std::string, std::string>> changes;
};

std::vector<ShapeCase> shapes(const std::string& center, const std::string& size) {
  return {{ShapeKind::kSphere,
           "shape = \"sphere\"\ncenter = " + center + "\nradius = 0.05\n",
           {{"center", "[0.013, 0.08, 0]"}, {"radius", "0.055"}}},
          {ShapeKind::kBox,
           "shape = \"box\"\ncenter = " + center + "\nsize = " + size + "\n",
           {{"center", "[0.013, 0.08, 0]"}, {"size", "[0.1, 0.07, 0.12]"}, {"rotation", "[0.9, 0, 0, 0.436]"}}},
          {ShapeKind::kCylinder,
           "shape = \"cylinder\"\ncenter = " + center + "\nradius = 0.05\nheight = 0.08\n",
           {{"center", "[0.013, 0.08, 0]"}, {"radius", "0.06"}, {"height", "0.07"}, {"rotation", "[0.9, 0, 0, 0.436]"}}},
          {ShapeKind::kCone,
           "shape = \"cone\"\ncenter = " + center + "\nradius = 0.06\nheight = 0.1\n",
           {{"center", "[0.013, 0.08, 0]"}, {"radius", "0.075"}, {"height", "0.07"}, {"rotation", "[0.9, 0, 0, 0.436]"}}},
          {ShapeKind::kTorus,
           "shape = \"torus\"\ncenter = " + center + "\nradius = 0.05\ntube = 0.035\n",
           {{"center", "[0.013, 0.08, 0]"}, {"radius", "0.06"}, {"tube", "0.025"}, {"rotation", "[0.9, 0, 0, 0.436]"}}},
          {ShapeKind::kUnion,
           "shape = \"union\"\nparts = [{ shape = \"sphere\", center = " + center + ", radius = 0.05 }]\n",
           {{"parts", "[{ shape = \"sphere\", center = [0.013, 0.08, 0], radius = 0.05 }]"}}},
          {ShapeKind::kCapsule,
           "shape = \"capsule\"\na = [-0.02, 0.08, 0]\nb = [0.02, 0.08, 0]\nradius = 0.04\n",
           {{"a", "[-0.04, 0.09, 0]"}, {"b", "[0.04, 0.09, 0]"}, {"radius", "0.045"}}},
          {ShapeKind::kWedge,
           "shape = \"wedge\"\ncenter = " + center + "\nsize = " + size + "\n",
           {{"center", "[0.013, 0.08, 0]"}, {"size", "[0.1, 0.07, 0.12]"}, {"angle", "50"}, {"rotation", "[0.9, 0, 0, 0.436]"}}}};
}

TEST(EveryKey, OfSnowChangesTheResult) {
  const std::vector<Case> common{{"snow.velocity", "[0, -4, 0]", {}},
                                 {"snow.spin", "[0, 0, 9]", {}},
                                 {"snow.stretch", "[0.98, 1, 1]", {}},
                                 {"snow.layers", "[{ above = 0.1, material = \"other\" }]", {}},
                                 {"snow.shell", "{ depth = 0.02, stiffness = 2 }", {}},
                                 {"snow.noise", "{ scale = 0.05, stiffness = 2 }", {}},
                                 {"snow.material", "other", {}},
                                 {"snow.particles_per_cell", "5", {}},
                                 {"snow.sampling", "poisson", {}},
                                 {"snow.seed", "2", {}},
                                 {"snow.start", "0.002", {}},
                                 {"snow.initial_volume", "grid", {}}};
  for (const Case& c : common) expect_change(kScene, c);
  for (const ShapeCase& shape : shapes("[0, 0.09, 0]", "[0.1, 0.09, 0.1]")) {
    std::vector<Case> cases = common;
    for (const auto& [key, value] : shape.changes) {
      cases.push_back({"snow." + key, value, {}});
      expect_change(with_shape("snow", shape.text), cases.back());
    }
    Snow snow;
    snow.shape.kind = shape.kind;
    expect_all_covered("snow", snow, cases, {"shape"});
  }
}

// The keys of a table that stands as a value: each, on top of those it needs, changes the result.
template <class Section>
void expect_all_change(const std::string& key, const std::string& given, const std::vector<std::pair<std::string, std::string>>& changes) {
  std::set<std::string> covered;
  for (const auto& [name, value] : changes) {
    std::string table = given + ", ";
    const std::size_t at = table.find(name + " = ");
    if (at != std::string::npos) table.erase(at, table.find(',', at) + 2 - at);
    expect_change(kScene, {"snow." + key, "{ " + table + name + " = " + value + " }", {"snow." + key + "={ " + given + " }"}});
    covered.insert(name);
  }
  for (const std::string_view name : schema::names_of(Section{}).all) EXPECT_TRUE(covered.count(std::string(name))) << key << "." << name;
}

TEST(EveryKey, OfNoiseAndShellChangesTheResult) {
  const std::vector<std::pair<std::string, std::string>> factors{
      {"stiffness", "2"}, {"hardening", "1.5"}, {"critical_compression", "2"}, {"critical_stretch", "2"}, {"density", "1.5"}};
  std::vector<std::pair<std::string, std::string>> noise = factors, shell = factors;
  noise.insert(noise.end(), {{"scale", "0.07"}, {"octaves", "1"}, {"seed", "3"}});
  shell.push_back({"depth", "0.03"});
  expect_all_change<SnowNoise>("noise", "scale = 0.05, stiffness = 1", noise);
  expect_all_change<SnowShell>("shell", "depth = 0.02, stiffness = 1.5", shell);
}

TEST(EveryKey, OfALayerChangesTheResult) {
  const std::vector<std::string> base{R"(snow.layers=[{ above = 0.1, material = "other" }])"};
  for (const char* other : {R"([{ above = 0.08, material = "other" }])", R"([{ above = 0.1, below = 0.12, material = "other" }])",
                            R"([{ above = 0.1, material = "snow" }])"})
    expect_change(kScene, {"snow.layers", other, base});
}

TEST(EveryKey, OfSnowFromAFileChangesTheResult) {
  const TempFolder folder;
  RandomSnow points;
  points.count = 300;
  points.cells = 4;
  points.h = 0.02;
  Frame frame = random_frame(points), other = frame;
  frame.mass.clear();
  other.mass.clear();
  other.position[0][0] += 0.001;
  write_ply(folder.file("a.ply"), in_double(frame));
  write_ply(folder.file("b.ply"), in_double(other));
  const std::string text = with_shape("snow", "shape = \"particles\"\nfile = \"" + folder.file("a.ply") + "\"\n");
  const std::vector<Case> cases{{"snow.file", folder.file("b.ply"), {}},
                                {"snow.velocity", "[0, -4, 0]", {}},
                                {"snow.material", "other", {}},
                                {"snow.start", "0.002", {}},
                                {"snow.particles_per_cell", "5", {}}};
  for (const Case& c : cases) expect_change(text, c);
  Snow snow;
  snow.shape.kind = ShapeKind::kParticles;
  expect_all_covered("snow", snow, cases, {"shape"});
}

TEST(EveryKey, OfAColliderChangesTheResult) {
  const std::vector<Case> common{{"collider.friction", "0.6", {}},
                                 {"collider.sticky", "true", {}},
                                 {"collider.velocity", "[0.3, 0, 0]", {}},
                                 {"collider.spin", "[0, 0, 3]", {}}};
  const std::vector<std::string> spinning{"collider.spin=[0, 0, 3]"};
  std::vector<ShapeCase> bodies = shapes("[0, -0.02, 0]", "[0.2, 0.1, 0.2]");
  bodies[6].text = "shape = \"capsule\"\na = [-0.05, 0, 0]\nb = [0.05, 0, 0]\nradius = 0.04\n";
  bodies[6].changes = {{"a", "[-0.05, 0.01, 0]"}, {"b", "[0.05, 0.01, 0]"}, {"radius", "0.055"}};
  bodies.push_back({ShapeKind::kPlane,
                    "shape = \"plane\"\npoint = [0, 0.02, 0]\nnormal = [0, 1, 0]\n",
                    {{"point", "[0, 0.015, 0]"}, {"normal", "[0.2, 1, 0]"}}});
  for (ShapeCase& body : bodies) {
    std::vector<Case> cases = common;
    cases.push_back({"collider.pivot", "[0.3, 0, 0]", spinning});
    cases.push_back(
        {"collider.keys", "[{t = 0, position = [0, -0.1, 0]}, {t = 1, position = [1, 0, 0], rotation = [0.9, 0, 0, 0.4]}]", {}});
    const TempFolder folder;
    const std::string file = folder.write("motion.csv", "t,x,y,z\n0,0,0,0\n0.02,0.05,0.02,0\n");
    cases.push_back({"collider.keys_file", file, {}});
    cases.push_back({"collider.interpolation", "smooth", {"collider.keys_file=" + file}});
    for (auto [key, value] : body.changes) {
      // Large enough to reach other nodes of the grid.
      if (key == "center") value = "[0.01, 0, 0]";
      if (key == "size") value = "[0.2, 0.14, 0.2]";
      if (key == "radius" && body.kind != ShapeKind::kCapsule) value = "0.075";
      if (key == "height") value = "0.12";
      cases.push_back({"collider." + key, value, {}});
    }
    for (const Case& c : cases) expect_change(with_shape("collider", body.text), c);
    Collider collider;
    collider.shape.kind = body.kind;
    expect_all_covered("collider", collider, cases, {"shape", "name", "visible", "look", "colour", "roughness"});
  }
}

// What a body looks like in pictures.
TEST(EveryKey, OfAColliderLookLeavesTheResultAsItIs) {
  for (const Case& c : {Case{"collider.visible", "false", {}}, Case{"collider.look", "metal", {}}, Case{"collider.colour", "[1, 0, 0]", {}},
                        Case{"collider.roughness", "0.1", {"collider.look=metal"}}})
    EXPECT_FALSE(changes(kScene, c)) << c.key;
}

TEST(EveryKey, OfASourceChangesTheResult) {
  const std::vector<Case> common{{"source.rate", "3", {}},    {"source.velocity", "[0, -2, 0]", {}}, {"source.start", "0.002", {}},
                                 {"source.end", "0.006", {}}, {"source.material", "other", {}},      {"source.particles_per_cell", "5", {}},
                                 {"source.seed", "2", {}}};
  for (const ShapeCase& shape : shapes("[0, 0.09, 0]", "[0.1, 0.09, 0.1]")) {
    const std::string text = std::string(kScene) + "[[source]]\n" + shape.text + "rate = 2\nvelocity = [0, -4, 0]\n";
    std::vector<Case> cases = common;
    for (const auto& [key, value] : shape.changes) cases.push_back({"source." + key, value, {}});
    for (const Case& c : cases) expect_change(text, c);
    Source source;
    source.shape.kind = shape.kind;
    expect_all_covered("source", source, cases, {"shape"});
  }
}

TEST(EveryKey, OfASinkChangesTheResult) {
  std::vector<ShapeCase> bodies = shapes("[0, 0.02, 0]", "[0.2, 0.1, 0.2]");
  bodies[6].text = "shape = \"capsule\"\na = [-0.05, 0, 0]\nb = [0.05, 0, 0]\nradius = 0.07\n";
  bodies.push_back({ShapeKind::kPlane,
                    "shape = \"plane\"\npoint = [0, 0.07, 0]\nnormal = [0, 1, 0]\n",
                    {{"point", "[0, 0.06, 0]"}, {"normal", "[0.5, 1, 0]"}}});
  for (const ShapeCase& body : bodies) {
    std::vector<Case> cases{{"sink.start", "0.004", {}}, {"sink.end", "0.002", {}}};
    for (const auto& [key, value] : body.changes) cases.push_back({"sink." + key, value, {}});
    for (const Case& c : cases) expect_change(std::string(kScene) + "[[sink]]\n" + body.text, c);
    Sink sink;
    sink.shape.kind = body.kind;
    expect_all_covered("sink", sink, cases, {"shape"});
  }
}

TEST(EveryKey, OfTheBoxesChangesTheResult) {
  const std::string corners = "lower = [-0.4, 0.05, -0.4]\nupper = [0.4, 0.3, 0.4]\n";
  const std::vector<Case> domain{{"domain.lower", "[-0.4, 0.08, -0.4]", {}}, {"domain.upper", "[0.03, 0.3, 0.4]", {}}};
  for (const Case& c : domain) expect_change(std::string(kScene) + "[domain]\n" + corners, c);
  expect_all_covered("domain", Domain{}, domain);
  const std::string moving = "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0.5, 0]\nradius = 0.02\nvelocity = [9, 0, 0]\n";
  const std::string wide = "lower = [-0.08, -1, -1]\nupper = [1, 1, 1]\n";
  const std::vector<Case> window{{"window.lower", "[0, -1, -1]", {}}, {"window.upper", "[-0.01, 1, 1]", {}}};
  for (const Case& c : window) expect_change(std::string(kScene) + moving + "[window]\nfollow = 1\n" + wide, c);
  const Case velocity{"window.velocity", "[20, 0, 0]", {}};
  expect_change(std::string(kScene) + "[window]\nvelocity = [0, 0, 0]\n" + wide, velocity);
  const std::string second = "[[collider]]\nshape = \"sphere\"\ncenter = [0.05, 0.5, 0]\nradius = 0.02\nvelocity = [-9, 0, 0]\n";
  const Case follow{"window.follow", "2", {}};
  expect_change(std::string(kScene) + moving + second + "[window]\nfollow = 1\n" + wide, follow);
  expect_all_covered("window", Window{}, {window[0], window[1], velocity, follow});
}

// Pictures are made of a run that is there: the one section that leaves it alone.
TEST(EveryKey, OfRenderLeavesTheResultAsItIs) {
  const std::vector<std::string> camera{"render.position=[0, 1, 3]", "render.target=[0, 0, 0]"};
  const std::vector<std::string> path{"render.keys=[{t = 0, position = [0, 1, 3], target = [0, 0, 0]}]"};
  const std::string scene_file = FIRN_SCENES "/snowball_drop.toml";  // any file: only pictures look into it
  const std::vector<Case> cases{{"render.width", "320", {}},
                                {"render.height", "200", {}},
                                {"render.fov", "60", {}},
                                {"render.position", "[9, 1, 3]", camera},
                                {"render.target", "[0, 1, 0]", camera},
                                {"render.keys", "[{t = 0, position = [9, 1, 3], target = [0, 0, 0]}]", {}},
                                {"render.interpolation", "smooth", path},
                                {"render.exposure", "1", {}},
                                {"render.shutter", "0.5", {}},
                                {"render.white_balance", "0.6", {}},
                                {"render.tone", "srgb", {}},
                                {"render.sun", "[1, 1, 1]", {}},
                                {"render.sun_strength", "2", {}},
                                {"render.sky_strength", "2", {}},
                                {"render.sky_image", scene_file, {}},
                                {"render.sky_turn", "90", {"render.sky_image=" + scene_file}},
                                {"render.lights", "[{shape = 'sphere', center = [0, 1, 0], radius = 0.1, strength = 9}]", {}},
                                {"render.extinction", "100", {}},
                                {"render.albedo", "[1, 0, 0]", {}},
                                {"render.anisotropy", "0", {}},
                                {"render.voxel", "0.1", {}}};
  for (const Case& c : cases) EXPECT_FALSE(changes(kScene, c)) << c.key;
  expect_all_covered("render", RenderSettings{}, cases);
}

TEST(EveryKey, OfAMotionKeyChangesTheResult) {
  const auto keys = [](const std::string& t, const std::string& position, const std::string& rotation) {
    return "[{t = 0, position = [0, 0, 0]}, {t = " + t + ", position = " + position + ", rotation = " + rotation + "}]";
  };
  const std::vector<std::string> base{"collider.keys=" + keys("0.1", "[0, 0.01, 0]", "[1, 0, 0, 0]")};
  for (const std::string& other : {keys("0.05", "[0, 0.01, 0]", "[1, 0, 0, 0]"), keys("0.1", "[0.1, 0.01, 0]", "[1, 0, 0, 0]"),
                                   keys("0.1", "[0, 0.01, 0]", "[0.9, 0, 0, 0.4]")})
    expect_change(kScene, {"collider.keys", other, base});
}

}  // namespace
}  // namespace firn::test
