// Mistakes in a scene's text: the place, what is wrong, what is allowed. Always one line.
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

const std::string kSnowKeys =
    "'velocity', 'spin', 'stretch', 'material', 'layers', 'shell', 'noise', 'start', 'particles_per_cell', 'initial_volume', 'sampling', "
    "'seed'";

TEST(SceneErrors, UnknownKeyNamesTheNearestAndTheAllowed) {
  EXPECT_EQ(error_of(kMinimal + "[solver]\n  kernal = \"cubic\"\n"),
            "scene.toml:9:3: unknown key 'kernal' in [solver], did you mean 'kernel'? allowed: 'integrator', 'time_step', 'beta', "
            "'tolerance', 'max_iterations', 'kernel', 'transfer', 'flip_ratio', 'flip_step', "
            "'reference_spacing', 'contact', 'tangent', 'critical_density', 'precision', 'courant', 'cell_fraction', 'sleep'");
}

TEST(SceneErrors, UnknownKeyFarFromAllOthersSuggestsNothing) {
  EXPECT_EQ(error_of(kMinimal + "[output]\nbanana = 1\n"),
            "scene.toml:9:1: unknown key 'banana' in [output], allowed: 'formats', 'grid', 'subframes', 'fpc_error', 'vdb_points', "
            "'checkpoint_minutes', 'checkpoint_frames'");
}

TEST(SceneErrors, MisspeltRequiredKeyIsNotReportedAsMissing) {
  EXPECT_TRUE(contains(error_of("[simulation]\nspacin = 0.01\nduration = 1\n" + kBall),
                       "scene.toml:2:1: unknown key 'spacin' in [simulation], did you mean 'spacing'?"));
  EXPECT_TRUE(contains(error_of(kSimulation + "[[snow]]\nshpe = \"box\"\n"),
                       "scene.toml:5:1: unknown key 'shpe' in [[snow]], did you mean 'shape'?"));
}

TEST(SceneErrors, UnknownSectionNamesTheNearest) {
  const std::string allowed =
      "allowed: 'simulation', 'solver', 'materials', 'snow', 'source', 'collider', 'sink', 'domain', 'window', 'output', 'render', "
      "'variants'";
  EXPECT_EQ(error_of(kMinimal + "[sovler]\nkernel = \"cubic\"\n"),
            "scene.toml:8:2: unknown section 'sovler', did you mean 'solver'? " + allowed);
  EXPECT_EQ(error_of(kMinimal + "[[colliders]]\n"), "scene.toml:8:3: unknown section 'colliders', did you mean 'collider'? " + allowed);
  EXPECT_EQ(error_of("spacing = 1\n" + kMinimal), "scene.toml:1:1: unknown key 'spacing', " + allowed);
}

TEST(SceneErrors, SectionsHaveOneForm) {
  EXPECT_EQ(error_of(kSimulation + "[snow]\nshape = \"sphere\"\n"), "scene.toml:4:2: 'snow' must be written as [[snow]]");
  EXPECT_EQ(error_of("solver = 3\n" + kMinimal), "scene.toml:1:1: 'solver' must be written as [solver]");
  EXPECT_EQ(error_of("collider = [1]\n" + kMinimal), "scene.toml:1:1: 'collider' must be written as [[collider]]");
  EXPECT_EQ(error_of("materials = true\n" + kMinimal), "scene.toml:1:1: 'materials' must be written as [materials.NAME]");
  EXPECT_EQ(error_of(kMinimal + "[materials]\ndensity = 300\n"), "scene.toml:9:1: 'density' must stand in a table [materials.NAME]");
}

TEST(SceneErrors, MissingKeysPointAtTheirSection) {
  EXPECT_EQ(error_of("\n[simulation]\nduration = 1\n" + kBall), "scene.toml:2:1: [simulation] needs 'spacing'");
  EXPECT_EQ(error_of("\n[simulation]\nspacing = 0.01\n" + kBall), "scene.toml:2:1: [simulation] needs 'duration' or 'frames'");
  EXPECT_EQ(error_of(kSimulation + "[[snow]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\n"),
            "scene.toml:4:1: [[snow]] of shape \"sphere\" needs 'radius'");
  EXPECT_EQ(error_of(kSimulation + "[[snow]]\nradius = 1\n"), "scene.toml:4:1: [[snow]] needs 'shape'");
  EXPECT_EQ(error_of(kBall), "scene.toml:1:1: [simulation] needs 'spacing'");
}

TEST(SceneErrors, ATextWithoutQuotesIsToldToHaveThem) {
  const auto error = [](const std::string& line) { return error_of(kSimulation + line + "\n" + kBall); };
  EXPECT_EQ(error_of(kSimulation + "[[snow]]\nshape = sphere\n"), "scene.toml:5:9: sphere: a text must stand in quotes, \"sphere\"");
  EXPECT_EQ(error("[solver]\ntime_step = auto # or 1e-4"), "scene.toml:5:13: auto: a text must stand in quotes, \"auto\"");
  EXPECT_EQ(error("[output]\nformats = [\"ply\", vdb]"), "scene.toml:5:19: vdb: a text must stand in quotes, \"vdb\"");
  EXPECT_EQ(error("[output]\nformats = [\n  ply\n]"), "scene.toml:6:3: ply: a text must stand in quotes, \"ply\"");
  // TOML takes these for the beginnings of numbers and of true and false.
  EXPECT_EQ(error("x = infinity"), "scene.toml:4:5: infinity: a text must stand in quotes, \"infinity\"");
  EXPECT_EQ(error("x = icy"), "scene.toml:4:5: icy: a text must stand in quotes, \"icy\"");
  EXPECT_EQ(error("x = fine"), "scene.toml:4:5: fine: a text must stand in quotes, \"fine\"");
  EXPECT_EQ(error("x = ../snow/ball.ply"), "scene.toml:4:5: ../snow/ball.ply: a text must stand in quotes, \"../snow/ball.ply\"");
  EXPECT_EQ(error("x = { y = \"\xe2\x82\xac\", z = wet snow }"), "scene.toml:4:22: wet snow: a text must stand in quotes, \"wet snow\"");
  EXPECT_EQ(error("x = True"), "scene.toml:4:5: True: must be written true, in small letters");
}

TEST(SceneErrors, OtherBadValuesAreNotTakenForTexts) {
  for (const std::string line : {"x = 2 m", "x = 0.1s", "x = = 3", "x = ", "x y = 1", "x", "x = [1, 2", "x = 2012-xx"})
    EXPECT_FALSE(contains(error_of(kSimulation + line + "\n" + kBall), "quotes")) << line;
}

TEST(SceneErrors, SnowThatComesLaterHasTheVolumeOfItsShape) {
  EXPECT_EQ(error_of(kMinimal + "start = 1\n"), "no error");
  EXPECT_EQ(error_of(kMinimal + "initial_volume = \"grid\"\n"), "no error");
  EXPECT_TRUE(contains(error_of(kMinimal + "start = 1\ninitial_volume = \"grid\"\n"),
                       "scene.toml:9:1: initial_volume = \"grid\" and start exclude"));
  EXPECT_TRUE(contains(error_of(kMinimal + "start = -1\n"), "scene.toml:8:1: start = -1: must be at least 0"));
}

TEST(SceneErrors, EmptyScenesSayWhatIsMissing) {
  EXPECT_EQ(error_of(""), "scene.toml:1:1: the file is empty, a scene needs [simulation] and [[snow]]");
  EXPECT_EQ(error_of("# nothing\n"), "scene.toml:1:1: [simulation] needs 'spacing'");
  EXPECT_EQ(error_of(kSimulation), "scene.toml:1:1: the scene has no snow, add a section [[snow]] or [[source]]");
  EXPECT_EQ(error_of("snow = []\n" + kSimulation), "scene.toml:1:1: the scene has no snow, add a section [[snow]] or [[source]]");
}

const std::string kSource = "[[source]]\nshape = \"sphere\"\ncenter = [0, 1, 0]\nradius = 0.1\nrate = 2\n";
const std::string kPlough = "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 0.1\nvelocity = [1, 0, 0]\n";
const std::string kBox = "lower = [-1, -1, -1]\nupper = [1, 1, 1]\n";

TEST(SceneErrors, OfSourcesAndSinksSayWhatIsAllowed) {
  EXPECT_EQ(error_of(kSimulation + kSource), "no error") << "sources alone are enough";
  EXPECT_EQ(error_of(kMinimal + "[[source]]\nshape = \"sphere\"\ncenter = [0, 1, 0]\nradius = 0.1\n"),
            "scene.toml:8:1: [[source]] of shape \"sphere\" needs 'rate'");
  EXPECT_EQ(error_of(kMinimal + kSource + "start = 2\nend = 1\n"), "scene.toml:14:1: end = 1: must be greater than start, 2");
  EXPECT_TRUE(contains(error_of(kMinimal + "[[source]]\nshape = \"particles\"\nfile = \"a.ply\"\n"),
                       "scene.toml:9:1: shape = \"particles\" is not known here, allowed: \"sphere\""));
  EXPECT_TRUE(contains(error_of(kMinimal + kSource + "spin = [0, 0, 1]\n"), "scene.toml:13:1: unknown key 'spin' in [[source]]"));
  EXPECT_TRUE(contains(error_of(kMinimal + "[[sink]]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\nfriction = 1\n"),
                       "scene.toml:12:1: unknown key 'friction' in [[sink]]"));
}

TEST(SceneErrors, OfDomainAndWindowSayWhatIsAllowed) {
  EXPECT_EQ(error_of(kMinimal + "[domain]\nlower = [0, 0, 0]\n"), "scene.toml:8:1: [domain] needs 'upper'");
  EXPECT_EQ(error_of(kMinimal + "[domain]\nlower = [0, 0, 0]\nupper = [1, -1, 1]\n"),
            "scene.toml:10:1: upper: must be greater than lower in every component, component 1 is -1 and 0 there");
  EXPECT_EQ(error_of(kMinimal + "[window]\n" + kBox), "scene.toml:8:1: [window] needs 'velocity' or 'follow'");
  EXPECT_EQ(error_of(kMinimal + "[window]\n" + kBox + "follow = 0\n"),
            "scene.toml:11:1: follow = 0: must be the number of a [[collider]], the scene has none");
  EXPECT_EQ(error_of(kMinimal + kPlough + "[window]\n" + kBox + "follow = 1\n"),
            "scene.toml:16:1: follow = 1: must be at least 0 and at most 0");
  EXPECT_EQ(error_of(kMinimal + kPlough + "[window]\n" + kBox + "follow = 0\n", {"collider.velocity=[0, 0, 0]"}),
            "scene.toml:16:1: follow = 0: must be a collider that moves, collider 0 has neither velocity nor spin nor two keys");
  EXPECT_EQ(error_of(kMinimal + kPlough + "[window]\n" + kBox + "follow = 0\nvelocity = [1, 0, 0]\n"),
            "scene.toml:17:1: 'velocity' and 'follow' exclude each other in [window], keep one");
}

TEST(SceneErrors, DurationAndFramesExcludeEachOther) {
  EXPECT_EQ(error_of("[simulation]\nspacing = 0.01\nframes = 3\nduration = 1\n" + kBall),
            "scene.toml:4:1: 'duration' and 'frames' exclude each other in [simulation], keep one");
}

TEST(SceneErrors, TooManyFrames) {
  EXPECT_EQ(error_of("[simulation]\nspacing = 0.01\nduration = 1000\nfps = 10000\n" + kBall),
            "scene.toml:3:1: 1000 s at 10000 fps: must be at most 1000000 frames");
  EXPECT_EQ(error_of("[simulation]\nspacing = 0.01\nframes = 1000\nfps = 0.01\n" + kBall),
            "scene.toml:3:1: frames = 1000: must be fewer, 10000 s is the longest scene");
}

TEST(SceneErrors, NumbersOutOfRange) {
  EXPECT_EQ(error_of("[simulation]\nspacing = -1\nduration = 1\n" + kBall),
            "scene.toml:2:1: spacing = -1: must be greater than 0, allowed: 1e-06 to 100");
  EXPECT_EQ(error_of("[simulation]\nspacing = 1e3\nduration = 1\n" + kBall),
            "scene.toml:2:1: spacing = 1000.0: must be at least 1e-06 and at most 100");
  EXPECT_EQ(error_of(kMinimal + "[solver]\nbeta = 0.4\n"), "scene.toml:9:1: beta = 0.4: must be at least 0.5 and at most 1");
  EXPECT_EQ(error_of(kMinimal + "[solver]\ncell_fraction = 1\n"),
            "scene.toml:9:1: cell_fraction = 1: must be greater than 0 and less than 1");
  EXPECT_EQ(error_of(kMinimal + "seed = -1\n"), "scene.toml:8:1: seed = -1: must be at least 0 and at most 4294967295");
}

TEST(SceneErrors, NotANumberAndInfinityAreNotNumbers) {
  for (const std::string value : {"nan", "inf", "-inf"})
    EXPECT_EQ(error_of("[simulation]\nspacing = " + value + "\nduration = 1\n" + kBall),
              "scene.toml:2:1: spacing = " + value + ": must be finite, at least 1e-06 and at most 100");
  EXPECT_EQ(error_of(kMinimal + "velocity = [0, nan, 0]\n"),
            "scene.toml:8:1: velocity = [0, nan, 0]: must be three finite numbers [x, y, z]");
}

TEST(SceneErrors, WrongTypes) {
  EXPECT_EQ(error_of(kMinimal + "seed = \"one\"\n"),
            "scene.toml:8:1: seed = \"one\": must be a whole number, at least 0 and at most 4294967295");
  EXPECT_EQ(error_of(kMinimal + "seed = 1.5\n"), "scene.toml:8:1: seed = 1.5: must be a whole number, at least 0 and at most 4294967295");
  EXPECT_EQ(error_of("[simulation]\nspacing = true\nduration = 1\n" + kBall),
            "scene.toml:2:1: spacing = true: must be a number, at least 1e-06 and at most 100");
  EXPECT_EQ(error_of(kMinimal + "velocity = 1979-05-27\n"),
            "scene.toml:8:1: velocity = a date or time: must be three finite numbers [x, y, z]");
  EXPECT_EQ(error_of(kMinimal + "velocity = [1, 2]\n"), "scene.toml:8:1: velocity = [1, 2]: must be three finite numbers [x, y, z]");
  EXPECT_EQ(error_of(kMinimal + "velocity = [1, 2, 3, 4, 5]\n"),
            "scene.toml:8:1: velocity = [1, 2, 3, 4, ...]: must be three finite numbers [x, y, z]");
  EXPECT_EQ(error_of(kMinimal + "material = {a = 1}\n"), "scene.toml:8:1: material = {...}: must be the name of a material");
  EXPECT_EQ(error_of(kMinimal + "[solver]\ntime_step = \"fast\"\n"),
            "scene.toml:9:1: time_step = \"fast\": must be \"auto\" or a number, at least 1e-12 and at most 1");
  EXPECT_EQ(error_of("[simulation]\ndimension = 4\n"), "scene.toml:2:1: dimension = 4: must be 2 or 3");
  EXPECT_EQ(error_of("[simulation]\ndimension = 3.0\n"), "scene.toml:2:1: dimension = 3.0: must be 2 or 3");
}

TEST(SceneErrors, WordsThatAreNotChoices) {
  EXPECT_EQ(error_of(kMinimal + "[solver]\nkernel = \"qadratic\"\n"),
            "scene.toml:9:1: kernel = \"qadratic\" is not known here, did you mean \"quadratic\"? allowed: \"cubic\", \"quadratic\"");
  EXPECT_EQ(error_of(kMinimal + "[solver]\nkernel = 3\n"), "scene.toml:9:1: kernel = 3: must be one of \"cubic\", \"quadratic\"");
}

TEST(SceneErrors, DensityLimitedStepsKnowNoApic) {
  EXPECT_EQ(error_of(kMinimal + "[solver]\nintegrator = \"density-limited\"\ntransfer = \"apic\"\n"),
            "scene.toml:10:1: transfer = \"apic\" and integrator = \"density-limited\" exclude each other, use \"flip\"");
}

TEST(SceneErrors, RegularLatticesHaveAsManyPointsOnEveryAxis) {
  EXPECT_EQ(error_of(kMinimal + "sampling = \"regular\"\n"), "no error") << "8 in 3D";
  EXPECT_EQ(
      error_of(kMinimal + "sampling = \"regular\"\nparticles_per_cell = 9\n"),
      "scene.toml:9:1: particles_per_cell = 9: sampling = \"regular\" has as many points on every axis of a cell, use 1, 8, 27, 64, ...");
}

TEST(SceneErrors, OutputGrid) {
  const std::string kFields = R"("mass", "velocity", "force")";
  EXPECT_EQ(error_of(kMinimal + "[output]\ngrid = \"mass\"\n"),
            "scene.toml:9:1: grid = \"mass\": must be a list of what is written of the grid, allowed: " + kFields);
  EXPECT_EQ(error_of(kMinimal + "[output]\ngrid = [\"mass\", \"mass\"]\n"),
            "scene.toml:9:1: grid = [\"mass\", \"mass\"]: must be a list without repetitions");
  EXPECT_EQ(error_of(kMinimal + "[output]\ngrid = [\"forces\"]\n"),
            "scene.toml:9:1: grid = \"forces\" is not known here, did you mean \"force\"? allowed: " + kFields);
}

TEST(SceneErrors, OutputFormats) {
  const std::string kFormats = R"("ply", "vdb", "vtp", "bgeo", "usda", "fpc")";
  EXPECT_EQ(error_of(kMinimal + "[output]\nformats = []\n"),
            "scene.toml:9:1: formats = []: must be a list of formats, allowed: " + kFormats);
  EXPECT_EQ(error_of(kMinimal + "[output]\nformats = [\"ply\", \"ply\"]\n"),
            "scene.toml:9:1: formats = [\"ply\", \"ply\"]: must be a list without repetitions");
  EXPECT_EQ(error_of(kMinimal + "[output]\nformats = [\"plu\"]\n"),
            "scene.toml:9:1: formats = \"plu\" is not known here, did you mean \"ply\"? allowed: " + kFormats);
}

TEST(SceneErrors, KeysOfAnotherShapeAreUnknown) {
  EXPECT_EQ(
      error_of(kSimulation + "[[snow]]\nshape = \"box\"\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\nradius = 2\n"),
      "scene.toml:8:1: unknown key 'radius' in [[snow]] of shape \"box\", allowed: 'shape', 'center', 'size', 'rotation', " + kSnowKeys);
  EXPECT_EQ(error_of(kMinimal + "file = \"a.ply\"\n"),
            "scene.toml:8:1: unknown key 'file' in [[snow]] of shape \"sphere\", allowed: 'shape', 'center', 'radius', " + kSnowKeys);
}

TEST(SceneErrors, EachKindOfBodyHasItsShapes) {
  EXPECT_TRUE(contains(error_of(kSimulation + "[[snow]]\nshape = \"plane\"\n"),
                       "scene.toml:5:1: shape = \"plane\" is not known here, allowed: \"sphere\", \"box\", \"cylinder\", \"cone\""));
  EXPECT_TRUE(
      contains(error_of(kMinimal + "[[collider]]\nshape = \"particles\"\n"), "scene.toml:9:1: shape = \"particles\" is not known here"));
}

TEST(SceneErrors, GeometryThatIsNone) {
  const std::string plane = kMinimal + "[[collider]]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = ";
  EXPECT_EQ(error_of(plane + "[0, 0, 0]\n"), "scene.toml:11:1: normal = [0, 0, 0]: must be a direction, not zero");
  EXPECT_TRUE(contains(error_of(plane + "[0, 1e-200, 0]\n"), "must be a vector of length at least 1e-06"));
  const std::string box = kSimulation + "[[snow]]\nshape = \"box\"\ncenter = [0, 0, 0]\nsize = ";
  EXPECT_EQ(error_of(box + "[1, 0, 1]\n"), "scene.toml:7:1: size = [1, 0, 1]: must be made of numbers greater than 0 and at most 1000000");
  EXPECT_EQ(error_of(box + "[1, 1, 1]\nrotation = [0, 0, 0, 0]\n"),
            "scene.toml:8:1: rotation = [0, 0, 0, 0]: must be three angles [x, y, z] in degrees or a quaternion [w, x, y, z], not zero");
  EXPECT_EQ(error_of(box + "[1, 1, 1]\nrotation = 0.5\n"),
            "scene.toml:8:1: rotation = 0.5: must be three angles [x, y, z] in degrees or a quaternion [w, x, y, z], not zero");
  EXPECT_TRUE(contains(error_of(kSimulation + "[[snow]]\nshape = \"wedge\"\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\nangle = 180\n"),
                       "scene.toml:8:1: angle = 180: must be greater than 0 and less than 180"));
}

TEST(SceneErrors, PositionsFitThe32BitCells) {
  EXPECT_EQ(error_of("[simulation]\nspacing = 1e-6\nduration = 1\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 1000, 0]\nradius = 0.1\n"),
            "scene.toml:6:1: center = [0, 1000, 0]: must be made of numbers at least -536.870912 and at most 536.870912");
}

const std::string kOtherPresets = "\"powder\", \"wet\", \"icy\", \"muddy\", \"crust\", \"chunky\"";

TEST(SceneErrors, MaterialNames) {
  EXPECT_EQ(error_of(kMinimal + "material = \"packt\"\n[materials.packed]\n"),
            "scene.toml:8:1: unknown material \"packt\", did you mean \"packed\"? allowed: \"default\", \"packed\", " + kOtherPresets);
  EXPECT_EQ(error_of(kMinimal + "[materials.\"a b\"]\n"), "scene.toml:8:12: material 'a b': a name has letters, digits, '_' and '-'");
}

TEST(SceneErrors, MotionKeys) {
  const std::string ball = kMinimal + "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n";
  const std::string at = "position = [0, 0, 0]";
  EXPECT_EQ(error_of(ball + "keys = [{ t = 1, " + at + " }, { t = 1, " + at + " }]\n"),
            "scene.toml:12:44: t = 1: must be greater than the t before it, 1");
  EXPECT_EQ(error_of(ball + "keys = [{ t = 1 }]\n"), "scene.toml:12:9: keys of [[collider]] of shape \"sphere\" needs 'position'");
  EXPECT_EQ(error_of(ball + "keys = [{ t = 1, positon = [0, 0, 0] }]\n"),
            "scene.toml:12:18: unknown key 'positon' in keys of [[collider]] of shape \"sphere\", did you mean 'position'? "
            "allowed: 't', 'position', 'rotation'");
  EXPECT_EQ(error_of(ball + "keys = []\n"), "scene.toml:12:1: keys = []: must be a list of { t, position, rotation }, at least one");
  EXPECT_EQ(error_of(ball + "keys = [1]\n"), "scene.toml:12:1: keys = [1]: must be a list of { t, position, rotation }, at least one");
  for (const std::string steady : {"velocity = [0, 0, 0]", "spin = [0, 0, 0]", "pivot = [0, 0, 0]"})
    EXPECT_EQ(error_of(ball + steady + "\nkeys = [{ t = 1, " + at + " }]\n"),
              "scene.toml:12:1: '" + steady.substr(0, steady.find(' ')) +
                  "' and 'keys' exclude each other in [[collider]] of shape \"sphere\", keep one");
}

TEST(SceneErrors, OfTheCameraSayWhatIsMissingOrTooMuch) {
  const std::string render = kMinimal + "[render]\n", key = "{ t = 1, position = [0, 0, 1], target = [0, 0, 0] }";
  EXPECT_EQ(error_of(render + "fov = 50\nposition = [0, 0, 1]\n"),
            "scene.toml:10:1: a camera needs 'position' and 'target', 'target' is missing");
  EXPECT_EQ(error_of(render + "target = [0, 0, 1]\n"), "scene.toml:9:1: a camera needs 'position' and 'target', 'position' is missing");
  EXPECT_EQ(error_of(render + "target = [0, 0, 1]\nposition = [0, 0, 1]\n"),
            "scene.toml:10:1: the camera stands on its target, 'position' and 'target' must be at least 1e-06 m apart");
  EXPECT_EQ(error_of(render + "keys = [" + key + ",\n{ t = 2, position = [0, 0, 1], target = [0, 0, 1] }]\n"),
            "scene.toml:10:10: the camera stands on its target, 'position' and 'target' must be at least 1e-06 m apart");
  EXPECT_EQ(error_of(render + "keys = [" + key + ",\n" + key + "]\n"), "scene.toml:10:3: t = 1: must be greater than the t before it, 1");
  EXPECT_EQ(error_of(render + "keys = []\n"), "scene.toml:9:1: keys = []: must be a list of { t, position, target, fov }, at least one");
  EXPECT_EQ(error_of(render + "keys = [{ t = 1, position = [0, 0, 1] }]\n"), "scene.toml:9:9: keys of [render] needs 'target'");
  EXPECT_EQ(error_of(render + "keys = [" + key + "]\ntarget = [0, 0, 0]\n"),
            "scene.toml:10:1: 'target' and 'keys' exclude each other in [render], keep one");
  EXPECT_EQ(error_of(render + "interpolation = \"smooth\"\n"),
            "scene.toml:9:1: 'interpolation' is of the camera's way between keys, give 'keys'");
}

TEST(SceneErrors, OfTheLookSayWhatIsAllowed) {
  const std::string render = kMinimal + "[render]\n";
  EXPECT_EQ(error_of(render + "albedo = [0.9, 1.1, 1]\n"),
            "scene.toml:9:1: albedo = [0.9, 1.1, 1]: must be made of numbers at least 0 and at most 1");
  EXPECT_EQ(error_of(render + "tone = \"film\"\n"),
            "scene.toml:9:1: tone = \"film\" is not known here, did you mean \"filmic\"? allowed: \"filmic\", \"srgb\"");
  EXPECT_EQ(error_of(render + "sun = [0, 0, 0]\n"), "scene.toml:9:1: sun = [0, 0, 0]: must be a direction, not zero");
  EXPECT_EQ(error_of(render + "widht = 960\n").substr(0, 78),
            "scene.toml:9:1: unknown key 'widht' in [render], did you mean 'width'? allowed");
}

TEST(SceneErrors, OfTheLightsSayWhatIsMissingOrTooMuch) {
  const std::string render = kMinimal + "[render]\n", light = "{ shape = \"sphere\", center = [0, 1, 0], radius = 1, strength = 1 }";
  EXPECT_EQ(error_of(render + "sky_turn = 90\n"), "scene.toml:9:1: 'sky_turn' turns the picture of a sky, give 'sky_image'");
  EXPECT_TRUE(error_of(render + "sky_image = \"none.hdr\"\n")
                  .starts_with("scene.toml:9:1: sky_image = \"none.hdr\": must be an existing file, there is no "));
  EXPECT_EQ(error_of(render + "lights = []\n"),
            "scene.toml:9:1: lights = []: must be a list of lights { shape, center, strength, ... }, at least one");
  EXPECT_EQ(error_of(render + "lights = [{ center = [0, 1, 0] }]\n"), "scene.toml:9:11: lights of [render] needs 'shape'");
  EXPECT_EQ(error_of(render + "lights = [{ shape = \"disk\" }]\n"),
            "scene.toml:9:13: shape = \"disk\" is not known here, did you mean \"disc\"? allowed: \"rectangle\", \"disc\", \"sphere\"");
  EXPECT_EQ(error_of(render + "lights = [{ shape = \"sphere\", center = [0, 1, 0], radius = 1 }]\n"),
            "scene.toml:9:11: lights of [render] needs 'strength'");
  EXPECT_EQ(error_of(render + "lights = [{ shape = \"sphere\", center = [0, 1, 0], radius = 1, size = [1, 1] }]\n"),
            "scene.toml:9:63: unknown key 'size' in lights of [render], allowed: 'shape', 'center', 'radius', 'colour', 'strength'");
  EXPECT_EQ(error_of(render + "lights = [{ shape = \"disc\", center = [0, 1, 0], target = [0, 1, 0], radius = 1, strength = 1 }]\n"),
            "scene.toml:9:49: the light stands on its target, 'center' and 'target' must be at least 1e-06 m apart");
  std::string many = light;
  for (int i = 0; i < 100; ++i) many += ", " + light;
  EXPECT_EQ(error_of(render + "lights = [" + many + "]\n"), "scene.toml:9:1: lights: 101 of them, at most 100");
}

TEST(SceneErrors, OfABodyLookSayWhatIsAllowed) {
  const std::string body = kMinimal + "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n";
  EXPECT_EQ(error_of(body + "look = \"metall\"\n"),
            "scene.toml:12:1: look = \"metall\" is not known here, did you mean \"metal\"? allowed: \"matte\", \"metal\"");
  EXPECT_EQ(error_of(body + "colour = [0.9, 1.1, 1]\n"),
            "scene.toml:12:1: colour = [0.9, 1.1, 1]: must be made of numbers at least 0 and at most 1");
  EXPECT_EQ(error_of(body + "roughness = 0.2\n"), "scene.toml:12:1: 'roughness' is of metal, give look = \"metal\"");
}

TEST(SceneErrors, NoiseShellAndLayers) {
  EXPECT_EQ(error_of(kMinimal + "noise = 3\n"),
            "scene.toml:8:1: noise = 3: must be { scale, octaves, seed, stiffness, ... } or a list of them");
  EXPECT_EQ(error_of(kMinimal + "noise = { stiffness = 1 }\n"), "scene.toml:8:9: noise of [[snow]] of shape \"sphere\" needs 'scale'");
  EXPECT_EQ(error_of(kMinimal + "noise = [{ scale = 1 },\n{ scale = 1, stifness = 2 }]\n"),
            "scene.toml:9:14: unknown key 'stifness' in noise of [[snow]] of shape \"sphere\", did you mean 'stiffness'? allowed: 'scale', "
            "'octaves', 'seed', 'stiffness', 'hardening', 'critical_compression', 'critical_stretch', 'density'");
  EXPECT_EQ(error_of(kMinimal + "noise = { scale = 1, density = -1 }\n"),
            "scene.toml:8:22: density = -1: must be at least 0 and at most 1000");
  EXPECT_EQ(error_of(kMinimal + "shell = []\n"), "scene.toml:8:1: shell = []: must be { depth, stiffness, hardening, ... }");
  EXPECT_EQ(error_of(kMinimal + "shell = { stiffness = 2 }\n"), "scene.toml:8:9: shell of [[snow]] of shape \"sphere\" needs 'depth'");
  EXPECT_EQ(error_of(kMinimal + "layers = [{ above = 1, material = \"ise\" }]\n[materials.ice]\n"),
            "scene.toml:8:24: unknown material \"ise\", did you mean \"ice\"? allowed: \"default\", \"ice\", \"powder\", \"packed\", "
            "\"wet\", \"icy\", "
            "\"muddy\", \"crust\", \"chunky\"");
  EXPECT_EQ(error_of(kMinimal + "layers = [{ material = \"default\" }]\n"), "scene.toml:8:11: a layer needs 'above', 'below' or both");
  EXPECT_EQ(error_of(kMinimal + "layers = [{ above = 2, below = 1, material = \"default\" }]\n"),
            "scene.toml:8:13: above = 2: must be less than below = 1");
  EXPECT_TRUE(
      contains(error_of(kSimulation + "[[snow]]\nshape = \"particles\"\nnoise = { scale = 1 }\n"), "scene.toml:6:1: unknown key 'noise'"));
}

TEST(SceneErrors, In2DTheThirdComponentMustBeZero) {
  EXPECT_EQ(error_of(kFlatSimulation + kDisc + "velocity = [0, 0, 1]\n"),
            "scene.toml:9:1: velocity = [0, 0, 1]: must be two finite numbers [x, y] in a 2D scene (a third must be 0)");
  EXPECT_EQ(error_of(kFlatSimulation + kDisc + "spin = [1, 0, 0]\n"),
            "scene.toml:9:1: spin = [1, 0, 0]: must be a number or [0, 0, z] in a 2D scene");
  EXPECT_EQ(error_of(kFlatSimulation + "[[snow]]\nshape = \"box\"\ncenter = [0, 0]\nsize = [1, 1]\nrotation = [0, 1, 0, 0]\n"),
            "scene.toml:9:1: rotation = [0, 1, 0, 0]: must be an angle in radians or a quaternion [w, 0, 0, z], not zero, in a 2D scene");
  EXPECT_EQ(error_of(kFlatSimulation + "[[snow]]\nshape = \"box\"\ncenter = [0, 0]\nsize = [1]\n"),
            "scene.toml:8:1: size = [1]: must be two finite numbers [x, y] in a 2D scene (a third must be 0)");
  EXPECT_EQ(error_of(kFlatSimulation + "[[snow]]\nshape = \"cylinder\"\ncenter = [0, 0]\nradius = 1\nheight = 1\n"),
            "scene.toml:6:1: shape = \"cylinder\": must be another shape in a 2D scene, a cylinder has three dimensions");
}

TEST(SceneErrors, In3DSpinIsAVector) {
  EXPECT_EQ(error_of(kMinimal + "spin = 1\n"), "scene.toml:8:1: spin = 1: must be three finite numbers [x, y, z]");
}

TEST(SceneErrors, UserTextStaysOnOneShortLine) {
  const std::string error = error_of(kMinimal + "\"a\\nb" + std::string(5000, 'x') + "\" = 1\n");
  EXPECT_TRUE(contains(error, "unknown key 'a\\x0abxxx")) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos);
  EXPECT_LT(error.size(), 400u);
}

}  // namespace
}  // namespace firn::scene_tests
