// --set section.key=value
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

const std::string kTwoPlanes =
    "[[collider]]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\n"
    "[[collider]]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [1, 0, 0]\n";

TEST(Overrides, SetKeysOfEveryKindOfSection) {
  const Scene scene = parse(kMinimal + kTwoPlanes + "[materials.packed]\ndensity = 500\n[solver]\nkernel = \"cubic\"\n",
                            {"solver.kernel=quadratic", "simulation.gravity=[0,-1,0]", "materials.packed.density=300", "snow.0.radius=0.2",
                             "collider.1.friction=0.5", "output.formats=[\"ply\"]", "solver.precision = \"double\""});
  EXPECT_EQ(scene.solver.kernel, Kernel::kQuadratic);
  EXPECT_EQ(scene.solver.precision, Precision::kDouble);
  EXPECT_EQ(scene.simulation.gravity, (Vector{0, -1, 0}));
  EXPECT_EQ(scene.materials[1].density, 300);
  EXPECT_EQ(scene.snow[0].shape.radius, 0.2);
  EXPECT_EQ(scene.colliders[0].friction, 0);
  EXPECT_EQ(scene.colliders[1].friction, 0.5);
}

TEST(Overrides, AddSectionsAndMaterialsThatTheFileDoesNotHave) {
  const Scene scene = parse(kMinimal, {"materials.new.density=123", "snow.material=new", "solver.beta=0.5"});
  EXPECT_EQ(scene.materials.at(1).density, 123);
  EXPECT_EQ(scene.snow[0].material, "new");
  EXPECT_EQ(scene.solver.beta, 0.5);
}

TEST(Overrides, TheOnlyBodyNeedsNoIndex) {
  EXPECT_EQ(parse(kMinimal, {"snow.radius=0.2"}).snow[0].shape.radius, 0.2);
  EXPECT_EQ(error_of(kMinimal + kTwoPlanes, {"collider.friction=1"}),
            "--set collider.friction=1: the scene has 2 [[collider]], say which: collider.0 to collider.1");
}

TEST(Overrides, TheLastOneWins) { EXPECT_EQ(parse(kMinimal, {"simulation.fps=30", "simulation.fps=60"}).simulation.fps, 60); }

TEST(Overrides, FramesAndDurationReplaceEachOther) {
  EXPECT_EQ(parse(kMinimal, {"simulation.frames=7"}).frames(), 7);
  EXPECT_EQ(parse("[simulation]\nspacing = 0.01\nframes = 3\n" + kBall, {"simulation.duration=2"}).simulation.duration, 2);
  EXPECT_EQ(to_string(parse(kMinimal, {"simulation.frames=7"}).simulation.duration_location), "--set simulation.frames=7");
}

TEST(Overrides, ValuesAreTomlAndBareWordsAreStrings) {
  EXPECT_EQ(parse(kMinimal, {"solver.time_step=auto"}).solver.time_step, std::nullopt);
  EXPECT_EQ(parse(kMinimal, {"solver.time_step=1e-4"}).solver.time_step, 1e-4);
  const TemporaryFolder folder;
  const std::string ply = folder.write("a b-\xc3\xa9.ply", "ply\n");
  const std::string particles = kSimulation + "[[snow]]\nshape = \"particles\"\nfile = \"none.ply\"\n";
  EXPECT_EQ(parse(particles, {"snow.file=" + ply}).snow[0].shape.file, ply);
}

TEST(Overrides, WholeListsOfMotionKeysCanBeSet) {
  const std::string ball = kMinimal + "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n";
  EXPECT_EQ(parse(ball, {"collider.keys=[{t=0,position=[1,2,3]}]"}).colliders[0].keys[0].position, (Vector{1, 2, 3}));
  EXPECT_EQ(error_of(ball, {"collider.keys=[{t=0}]"}),
            "--set collider.keys=[{t=0}]: keys of [[collider]] of shape \"sphere\" needs 'position'");
  EXPECT_EQ(error_of(ball, {"collider.keys=[{t=nan,position=[1,2,3]}]"}),
            "--set collider.keys=[{t=nan,position=[1,2,3]}]: t = nan: must be finite, at least -10000 and at most 10000");
}

TEST(Overrides, MistakesNameTheOverride) {
  EXPECT_TRUE(contains(error_of(kMinimal, {"solver.kernal=cubic"}),
                       "--set solver.kernal=cubic: unknown key 'kernal' in [solver], did you mean 'kernel'?"));
  EXPECT_TRUE(
      contains(error_of(kMinimal, {"sovler.kernel=cubic"}), "--set sovler.kernel=cubic: unknown section 'sovler', did you mean 'solver'?"));
  EXPECT_EQ(error_of(kMinimal, {"snow.radius=-1"}), "--set snow.radius=-1: radius = -1: must be greater than 0 and at most 1000000");
  EXPECT_EQ(error_of(kMinimal, {"snow.radius=big"}),
            "--set snow.radius=big: radius = \"big\": must be a number, greater than 0 and at most 1000000");
  EXPECT_EQ(error_of(kMinimal, {"snow.radius=inf"}),
            "--set snow.radius=inf: radius = inf: must be finite, greater than 0 and at most 1000000");
  EXPECT_TRUE(contains(error_of(kMinimal, {"snow.material=slush"}),
                       "--set snow.material=slush: unknown material \"slush\", allowed: \"default\", \"powder\""));
  EXPECT_EQ(error_of(kMinimal, {"output.formats=[ply, vdb]"}),
            "--set output.formats=[ply, vdb]: ply: a text must stand in quotes, \"ply\"");
  EXPECT_EQ(error_of(kMinimal, {"materials.a/b.density=1"}),
            "--set materials.a/b.density=1: material 'a/b': a name has letters, digits, '_' and '-'");
}

TEST(Overrides, BadIndices) {
  EXPECT_EQ(error_of(kMinimal, {"snow.1.radius=1"}), "--set snow.1.radius=1: there is no snow.1, allowed: snow.0");
  for (const std::string index : {"-1", "x", "0x0", "1e0", "99999999999999999999999", "0 1"})
    EXPECT_TRUE(contains(error_of(kMinimal, {"snow." + index + ".radius=1"}), "there is no snow." + index)) << index;
  EXPECT_EQ(error_of(kMinimal, {"collider.0.friction=1"}), "--set collider.0.friction=1: the scene has no [[collider]]");
}

TEST(Overrides, BadForms) {
  const std::string forms = ": expected section.key=value, materials.NAME.key=value or snow.INDEX.key=value";
  for (const std::string text : {"solver", "solver.kernel", "", "=3", "solver.=3", ".kernel=3", "solver..kernel=3", "solver=3",
                                 "solver.a.b=3", "snow.0.keys.t=3", "snow=1"})
    EXPECT_EQ(error_of(kMinimal, {text}), "--set " + text + forms);
  EXPECT_EQ(error_of(kMinimal, {"materials.density=3"}), "--set materials.density=3: expected materials.NAME.key=value");
  EXPECT_TRUE(contains(error_of(kMinimal, {"solver.kernel="}), "--set solver.kernel=: the value is missing"));
}

TEST(Overrides, BadValues) {
  for (const std::string value : {"[1", "\"a", "{a=1", "1,2", "'", "a#b\"", "\xff"}) {
    const std::string error = error_of(kMinimal, {"snow.radius=" + value});
    EXPECT_TRUE(error.starts_with("--set snow.radius=")) << error;
    EXPECT_EQ(error.find(":1:"), std::string::npos) << error;
  }
  EXPECT_EQ(error_of(kMinimal, {"snow.radius=1\n[solver]"}), "--set snow.radius=1\\x0a[solver]: the value must be on one line");
}

TEST(Overrides, DoNotHideMistakesOfTheFile) {
  EXPECT_EQ(error_of(kMinimal + "[materials]\npacked = 3\n", {"materials.packed.density=3"}), "scene.toml:9:1: 'packed' must be a table");
  EXPECT_TRUE(contains(error_of(kMinimal + "colour = 1\n", {"snow.radius=1"}), "scene.toml:8:1: unknown key 'colour'"));
}

}  // namespace
}  // namespace firn::scene_tests
