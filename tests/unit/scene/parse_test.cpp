// What a correct scene means.
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

TEST(Parse, OmittedKeysTakeTheDefaults) {
  const Scene scene = parse(kMinimal);
  EXPECT_EQ(scene.name, "scene");
  EXPECT_EQ(scene.simulation.dimension, 3);
  EXPECT_EQ(scene.simulation.fps, 24);
  EXPECT_EQ(scene.simulation.gravity, (Vector{0, -9.81, 0}));
  EXPECT_EQ(scene.solver.integrator, Integrator::kSemiImplicit);
  EXPECT_EQ(scene.solver.tolerance, 1e-4);
  EXPECT_FALSE(scene.solver.time_step.has_value());
  EXPECT_EQ(scene.solver.flip_ratio, 0.95);
  ASSERT_EQ(scene.materials.size(), 1u);
  EXPECT_EQ(scene.materials[0].name, "default");
  EXPECT_EQ(scene.materials[0].young_modulus, 1.4e5);
  EXPECT_EQ(scene.snow[0].material, "default");
  EXPECT_EQ(scene.snow[0].seed, 1u);
  EXPECT_TRUE(scene.colliders.empty());
  EXPECT_EQ(scene.output.formats, std::vector<std::string>{"ply"});
  EXPECT_EQ(scene.output.subframes, 1);
  EXPECT_EQ(scene.output.fpc_error, 0);
  EXPECT_FALSE(scene.output.vdb_points);
  EXPECT_EQ(scene.render.width, 960);
  EXPECT_EQ(scene.render.height, 540);
  EXPECT_FALSE(scene.render.position.has_value());
  EXPECT_FALSE(scene.render.sun.has_value());
  EXPECT_EQ(scene.render.albedo, (Vector{0.9, 0.95, 1.0}));
}

TEST(Parse, EverySolverKeyArrives) {
  const Scene scene = parse(kMinimal +
                            "[solver]\nintegrator = \"semi-implicit\"\ntime_step = 5e-4\nbeta = 0.5\ntolerance = 1e-6\n"
                            "max_iterations = 30\nkernel = \"quadratic\"\ntransfer = \"apic\"\nflip_ratio = 1\nprecision = \"double\"\n"
                            "courant = 0.3\ncell_fraction = 0.5\nsleep = false\n");
  EXPECT_EQ(scene.solver.integrator, Integrator::kSemiImplicit);
  EXPECT_EQ(scene.solver.time_step, 5e-4);
  EXPECT_EQ(scene.solver.beta, 0.5);
  EXPECT_EQ(scene.solver.tolerance, 1e-6);
  EXPECT_EQ(scene.solver.max_iterations, 30);
  EXPECT_EQ(scene.solver.kernel, Kernel::kQuadratic);
  EXPECT_EQ(scene.solver.transfer, Transfer::kApic);
  EXPECT_EQ(scene.solver.flip_ratio, 1);
  EXPECT_EQ(scene.solver.precision, Precision::kDouble);
  EXPECT_EQ(scene.solver.courant, 0.3);
  EXPECT_EQ(scene.solver.cell_fraction, 0.5);
  EXPECT_FALSE(scene.solver.sleep);
}

TEST(Parse, EveryRenderKeyArrives) {
  const Scene scene = parse(kMinimal +
                            "[render]\nwidth = 16\nheight = 8192\nposition = [1, 2, 3]\ntarget = [4, 5, 6]\nfov = 60\nshutter = "
                            "0.5\nexposure = -1.5\nwhite_balance = 1\n"
                            "tone = \"srgb\"\nsun = [1, 1, 0]\nsun_strength = 2\nsky_strength = 0\nextinction = 100\nalbedo = [0, 0.5, 1]\n"
                            "anisotropy = -0.5\nvoxel = 0.02\n");
  const RenderSettings& render = scene.render;
  EXPECT_EQ(render.width, 16);
  EXPECT_EQ(render.height, 8192);
  EXPECT_EQ(render.position, (Vector{1, 2, 3}));
  EXPECT_EQ(render.target, (Vector{4, 5, 6}));
  EXPECT_EQ(render.fov, 60);
  EXPECT_EQ(render.shutter, 0.5);
  EXPECT_EQ(render.exposure, -1.5);
  EXPECT_EQ(render.white_balance, 1);
  EXPECT_EQ(render.tone, Tone::kSrgb);
  EXPECT_EQ(render.sun, (Vector{1, 1, 0}));
  EXPECT_EQ(render.sun_strength, 2);
  EXPECT_EQ(render.sky_strength, 0);
  EXPECT_EQ(render.extinction, 100);
  EXPECT_EQ(render.albedo, (Vector{0, 0.5, 1}));
  EXPECT_EQ(render.anisotropy, -0.5);
  EXPECT_EQ(render.voxel, 0.02);
  EXPECT_EQ(to_string(render.location), "scene.toml:11:1");
}

TEST(Parse, EveryKeyOfTheLightsArrives) {
  const test::TempFolder folder;
  std::ofstream(folder / "sky.hdr") << "#?RADIANCE\n";
  const Scene scene = parse_scene(
      kMinimal +
          "[render]\nsky_turn = -30\nsky_image = \"sky.hdr\"\nlights = [\n"
          "{ shape = \"rectangle\", center = [1, 2, 3], target = [4, 5, 6], size = [7, 8], colour = [1, 0.5, 0], strength = 9 },\n"
          "{ shape = \"disc\", center = [1, 2, 3], target = [4, 5, 6], radius = 2, strength = 0 },\n"
          "{ shape = \"sphere\", center = [1, 2, 3], radius = 0.5, strength = 1e6 }]\n",
      folder / "scene.toml");
  const RenderSettings& render = scene.render;
  EXPECT_EQ(render.sky_image, folder / "sky.hdr") << "from the scene's folder";
  EXPECT_EQ(render.sky_turn, -30);
  EXPECT_EQ(to_string(render.sky_location), (folder / "scene.toml") + ":10:1");
  EXPECT_FALSE(render.sun_strength.has_value());
  ASSERT_EQ(render.lights.size(), 3u);
  EXPECT_EQ(render.lights[0].shape, LightShape::kRectangle);
  EXPECT_EQ(render.lights[0].center, (Vector{1, 2, 3}));
  EXPECT_EQ(render.lights[0].target, (Vector{4, 5, 6}));
  EXPECT_EQ(render.lights[0].size, (std::array<double, 2>{7, 8}));
  EXPECT_EQ(render.lights[0].colour, (Vector{1, 0.5, 0}));
  EXPECT_EQ(render.lights[0].strength, 9);
  EXPECT_EQ(render.lights[1].shape, LightShape::kDisc);
  EXPECT_EQ(render.lights[1].radius, 2);
  EXPECT_EQ(render.lights[2].shape, LightShape::kSphere);
  EXPECT_EQ(render.lights[2].colour, (Vector{1, 1, 1})) << "white";
}

TEST(Parse, CameraKeysHaveTheFieldOfViewOfTheSectionUnlessTheySay) {
  const Scene scene = parse(kMinimal +
                            "[render]\ninterpolation = \"smooth\"\nkeys = [{ t = 0, position = [0, 1, 9], target = [0, 1, 0] },"
                            "{ t = 0.5, position = [0, 1, 5], target = [0, 1, 0], fov = 20 }]\nfov = 40\n");
  EXPECT_EQ(scene.render.interpolation, Interpolation::kSmooth);
  ASSERT_EQ(scene.render.keys.size(), 2u);
  EXPECT_EQ(scene.render.keys[0].fov, 40);
  EXPECT_EQ(scene.render.keys[1].fov, 20);
  EXPECT_EQ(scene.render.keys[1].t, 0.5);
  EXPECT_EQ(scene.render.keys[1].position, (Vector{0, 1, 5}));
  EXPECT_EQ(scene.render.keys[1].target, (Vector{0, 1, 0}));
}

TEST(Parse, In2DCamerasStandInSpaceAllTheSame) {
  const Scene scene = parse(kFlatSimulation + kDisc + "[render]\nposition = [0, 0, 3]\ntarget = [0, 0, 0]\nsun = [0, 1, 1]\n");
  EXPECT_EQ(scene.render.position, (Vector{0, 0, 3}));
  EXPECT_EQ(scene.render.sun, (Vector{0, 1, 1}));
}

TEST(Parse, FramesSetTheDurationAndComeBack) {
  for (const double fps : {24.0, 30.0, 23.976, 7.0}) {
    for (const int frames : {1, 2, 3, 7, 49, 100, 999}) {
      const Scene scene =
          parse("[simulation]\nspacing = 0.01\nframes = " + std::to_string(frames) + "\nfps = " + std::to_string(fps) + "\n" + kBall);
      EXPECT_EQ(scene.frames(), frames) << fps;
      EXPECT_DOUBLE_EQ(scene.simulation.duration, frames / fps);
    }
  }
}

TEST(Parse, FramesAreTheWholeOnesInTheDuration) {
  const auto frames_in = [](const std::string& duration) {
    return parse("[simulation]\nspacing = 0.01\nduration = " + duration + "\n" + kBall).frames();
  };
  EXPECT_EQ(frames_in("1.0"), 24);
  EXPECT_EQ(frames_in("0.5"), 12);
  EXPECT_EQ(frames_in("0.08333"), 2);
  EXPECT_EQ(frames_in("0.1"), 2);
  EXPECT_EQ(frames_in("0.001"), 0);
}

TEST(Parse, LocationsPointAtTheKeys) {
  const Scene scene = parse(kMinimal + "[[collider]]\n  shape = \"plane\"\n  point = [0, 0, 0]\n  normal = [0, 1, 0]\n");
  EXPECT_EQ(to_string(scene.simulation.spacing_location), "scene.toml:2:1");
  EXPECT_EQ(to_string(scene.simulation.duration_location), "scene.toml:3:1");
  EXPECT_EQ(to_string(scene.snow[0].location), "scene.toml:5:1");
  EXPECT_EQ(to_string(scene.colliders[0].location), "scene.toml:9:3");
  const Scene counted = parse("[simulation]\nspacing = 0.01\nframes = 3\n" + kBall);
  EXPECT_EQ(to_string(counted.simulation.duration_location), "scene.toml:3:1");
}

TEST(Parse, MaterialsAreDefaultFirstThenByName) {
  const Scene scene =
      parse(kMinimal + "material = \"wet\"\n[materials.wet]\nhardening = 5\n[materials.dry]\n[materials.default]\ndensity = 300\n");
  ASSERT_EQ(scene.materials.size(), 3u);
  EXPECT_EQ(scene.materials[0].name, "default");
  EXPECT_EQ(scene.materials[0].density, 300);
  EXPECT_EQ(scene.materials[0].hardening, 10);
  EXPECT_EQ(scene.materials[1].name, "dry");
  EXPECT_EQ(scene.materials[1].density, 400);
  EXPECT_EQ(scene.materials[2].name, "wet");
  EXPECT_EQ(scene.materials[2].hardening, 5);
  EXPECT_EQ(scene.snow[0].material, "wet");
}

TEST(Parse, EverySnowShapeTakesItsGeometry) {
  const TemporaryFolder folder;
  const std::string ply = folder.write("a.ply", "ply\n");
  const Scene scene = parse(kMinimal +
                            "[[snow]]\nshape = \"box\"\ncenter = [1, 2, 3]\nsize = [4, 5, 6]\nrotation = [0, 2, 0, 0]\n"
                            "[[snow]]\nshape = \"cylinder\"\ncenter = [1, 2, 3]\nradius = 4\nheight = 5\n"
                            "[[snow]]\nshape = \"capsule\"\na = [1, 2, 3]\nb = [4, 5, 6]\nradius = 7\n"
                            "[[snow]]\nshape = \"wedge\"\ncenter = [1, 2, 3]\nsize = [4, 5, 6]\nangle = 60\n"
                            "spin = [1, 2, 3]\nsampling = \"poisson\"\nseed = 4294967295\n"
                            "[[snow]]\nshape = \"particles\"\nfile = \"" +
                            ply + "\"\nvelocity = [4, 5, 6]\nparticles_per_cell = 2.5\n");
  ASSERT_EQ(scene.snow.size(), 6u);
  EXPECT_EQ(scene.snow[1].shape.size, (Vector{4, 5, 6}));
  EXPECT_EQ(scene.snow[1].shape.rotation, (Quaternion{0, 1, 0, 0}));
  EXPECT_EQ(scene.snow[2].shape.height, 5);
  EXPECT_EQ(scene.snow[3].shape.b, (Vector{4, 5, 6}));
  EXPECT_EQ(scene.snow[4].shape.angle, 60);
  EXPECT_EQ(scene.snow[5].shape.kind, ShapeKind::kParticles);
  EXPECT_EQ(scene.snow[5].shape.file, ply);
  EXPECT_EQ(scene.snow[4].spin, (Vector{1, 2, 3}));
  EXPECT_EQ(scene.snow[5].velocity, (Vector{4, 5, 6}));
  EXPECT_EQ(scene.snow[5].particles_per_cell, 2.5);
  EXPECT_EQ(scene.snow[4].sampling, Sampling::kPoisson);
  EXPECT_EQ(scene.snow[4].seed, 4294967295u);
}

TEST(Parse, CollidersHaveALook) {
  const std::string ball = "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n";
  const Scene scene = parse(kMinimal + ball + ball + "look = \"metal\"\ncolour = [1, 0.5, 0]\nroughness = 0.05\n");
  EXPECT_EQ(scene.colliders[0].look, Look::kMatte);
  EXPECT_FALSE(scene.colliders[0].colour.has_value());
  EXPECT_FALSE(scene.colliders[0].roughness.has_value());
  EXPECT_EQ(scene.colliders[1].look, Look::kMetal);
  EXPECT_EQ(scene.colliders[1].colour, (Vector{1, 0.5, 0}));
  EXPECT_EQ(scene.colliders[1].roughness, 0.05);
}

TEST(Parse, CollidersMoveSteadilyOrByKeys) {
  const Scene scene = parse(kMinimal +
                            "[[collider]]\nshape = \"box\"\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\nfriction = 0.5\nsticky = true\n"
                            "velocity = [1, 0, 0]\nspin = [0, 2, 0]\npivot = [0, 0, 3]\n"
                            "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\n"
                            "keys = [{ t = 0, position = [1, 2, 3] }, { t = 0.5, position = [4, 5, 6], rotation = [3, 0, 4, 0] }]\n");
  EXPECT_EQ(scene.colliders[0].friction, 0.5);
  EXPECT_TRUE(scene.colliders[0].sticky);
  EXPECT_EQ(scene.colliders[0].spin, (Vector{0, 2, 0}));
  EXPECT_EQ(scene.colliders[0].pivot, (Vector{0, 0, 3}));
  EXPECT_FALSE(scene.colliders[1].pivot.has_value());
  ASSERT_EQ(scene.colliders[1].keys.size(), 2u);
  EXPECT_EQ(scene.colliders[1].keys[0].rotation, (Quaternion{1, 0, 0, 0}));
  EXPECT_EQ(scene.colliders[1].keys[1].position, (Vector{4, 5, 6}));
  EXPECT_EQ(scene.colliders[1].keys[1].rotation, (Quaternion{0.6, 0, 0.8, 0}));
}

TEST(Parse, HugeAndTinyQuaternionsAreNormalized) {
  for (const std::string q : {"[1e300, 0, 0, 1e300]", "[1e-300, 0, 0, 1e-300]", "[7, 0, 0, 7]"}) {
    const Scene scene = parse(kSimulation + "[[snow]]\nshape = \"box\"\ncenter = [0, 0, 0]\nsize = [1, 1, 1]\nrotation = " + q + "\n");
    EXPECT_DOUBLE_EQ(scene.snow[0].shape.rotation[0], std::sqrt(0.5)) << q;
    EXPECT_DOUBLE_EQ(scene.snow[0].shape.rotation[3], std::sqrt(0.5)) << q;
  }
}

TEST(Parse, In2DVectorsHaveTwoComponentsOrAZeroThird) {
  const Scene scene = parse(kFlatSimulation + "gravity = [0, -1]\n" + kDisc + "velocity = [1, 2, 0]\nspin = 3\n");
  EXPECT_EQ(scene.simulation.gravity, (Vector{0, -1, 0}));
  EXPECT_EQ(scene.snow[0].shape.center, (Vector{0, 1, 0}));
  EXPECT_EQ(scene.snow[0].velocity, (Vector{1, 2, 0}));
  EXPECT_EQ(scene.snow[0].spin, (Vector{0, 0, 3}));
}

TEST(Parse, In2DDimensionMayStandAfterTheVectors) {
  EXPECT_EQ(error_of("[simulation]\ngravity = [0, -1]\nspacing = 0.01\nduration = 1\ndimension = 2\n" + kDisc), "no error");
}

TEST(Parse, In2DRotationsAreAnglesOrQuaternionsAboutZ) {
  const std::string box = kFlatSimulation + "[[snow]]\nshape = \"box\"\ncenter = [0, 0]\nsize = [1, 1]\nspin = [0, 0, 4]\nrotation = ";
  const Scene angle = parse(box + "1.0\n");
  EXPECT_DOUBLE_EQ(angle.snow[0].shape.rotation[0], std::cos(0.5));
  EXPECT_DOUBLE_EQ(angle.snow[0].shape.rotation[3], std::sin(0.5));
  EXPECT_EQ(angle.snow[0].shape.size, (Vector{1, 1, 0}));
  EXPECT_EQ(angle.snow[0].spin, (Vector{0, 0, 4}));
  EXPECT_EQ(parse(box + "[0, 0, 0, 5]\n").snow[0].shape.rotation, (Quaternion{0, 0, 0, 1}));
}

}  // namespace
}  // namespace firn::scene_tests
