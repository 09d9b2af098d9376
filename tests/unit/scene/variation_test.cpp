// Snow that varies within a body: what noise, shell, layers and the columns of a file give each particle.
#include <algorithm>
#include <set>

#include "build/build.h"
#include "build/form.h"
#include "build/snow.h"
#include "firn/frame.h"
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

const std::string kMaterials = "[materials.crust]\nyoung_modulus = 5e5\nhardening = 20\ndensity = 250\n[materials.ice]\ndensity = 900\n";
const std::string kBox = "[[snow]]\nshape = \"box\"\ncenter = [0.1, 0.3, 0]\nsize = [0.3, 0.2, 0.1]\nrotation = [0.9, 0.1, 0.3, 0.2]\n";

const std::string kBitten =
    "[[snow]]\nshape = \"difference\"\nparts = [{ shape = \"sphere\", center = [0, 1, 0], radius = 0.1 }, "
    "{ shape = \"sphere\", center = [0.1, 1, 0], radius = 0.07 }]\n";

Built built(const std::string& text) { return build(parse(text)); }

std::string build_error_of(const std::string& text) {
  const Scene scene = parse(text);
  try {
    build(scene);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

double total_mass(const Built& b) {
  double sum = 0;
  for (const ParticleRow& row : b.particles) sum += row.mass;
  return sum;
}

Form form_of(const Scene& scene) {
  std::vector<std::string> warnings;
  return make_form(scene.snow[0].shape, {scene.simulation.dimension, scene.simulation.spacing}, warnings);
}

double depth_of(const Form& form, const ParticleRow& row, double h) {
  return -form.distance(Vec<double, 3>{row.position(0, h), row.position(1, h), row.position(2, h)} - form.origin);
}

TEST(Shell, IsStifferAndHeavierExactlyWithinItsDepth) {
  for (const std::string& body : {kBox, kBall, kBitten}) {
    const std::string text = kSimulation + body + "shell = { depth = 0.02, stiffness = 4, density = 1.5, hardening = 0.5 }\n";
    const Form form = form_of(parse(text));
    const Built b = built(text), plain = built(kSimulation + body);
    EXPECT_TRUE(b.model.varied);
    ASSERT_EQ(b.particles.size(), plain.particles.size());
    std::size_t within = 0;
    for (std::size_t i = 0; i < b.particles.size(); ++i) {
      const ParticleRow& row = b.particles[i];
      const bool in_shell = depth_of(form, row, 0.01) < 0.02;
      within += in_shell;
      ASSERT_EQ(row.own->stiffness, in_shell ? 4 : 1);
      ASSERT_EQ(row.own->hardening, in_shell ? 5 : 10);
      ASSERT_EQ(row.own->critical_compression, 0.025);
      ASSERT_NEAR(row.mass / plain.particles[i].mass, in_shell ? 1.5 : 1, 1e-12);
    }
    EXPECT_GT(within, b.particles.size() / 4);
    EXPECT_LT(within, b.particles.size());
  }
}

TEST(Layers, ChooseTheMaterialByHeightAndTheLastOneWins) {
  const Built b = built(kSimulation + kMaterials + kBox +
                        "layers = [{ above = 0.33, material = \"crust\" }, { below = 0.25, material = \"ice\" },\n"
                        "          { above = 0.34, below = 0.35, material = \"ice\" }]\n");
  const double share = 0.3 * 0.2 * 0.1 / static_cast<double>(b.particles.size());
  std::set<int> seen;
  for (const ParticleRow& row : b.particles) {
    const double y = row.position(1, 0.01);
    const int expected = y < 0.25 || (y >= 0.34 && y < 0.35) ? 2 : y >= 0.33 ? 1 : 0;  // default, crust, ice
    ASSERT_EQ(row.material, expected) << y;
    const double density[] = {400, 250, 900};
    ASSERT_NEAR(row.mass, density[expected] * share, 1e-12 * row.mass);
    seen.insert(row.material);
  }
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_FALSE(b.model.varied) << "materials need no columns";
}

TEST(Layers, AreWhatShellAndNoiseMultiply) {
  const Built b =
      built(kSimulation + kMaterials + kBox + "layers = [{ above = 0.3, material = \"crust\" }]\nshell = { depth = 1, hardening = 0.1 }\n");
  for (const ParticleRow& row : b.particles) ASSERT_DOUBLE_EQ(row.own->hardening, row.material == 1 ? 2 : 1);
}

TEST(SnowNoise, StaysWithinItsAmplitudeAndMovesAllParametersTogether) {
  const Built b = built(kSimulation + kBox +
                        "noise = { scale = 0.03, seed = 7, stiffness = 1, hardening = 0.2, density = 0.1, critical_compression = 0.5, "
                        "critical_stretch = 3 }\n");
  const Built plain = built(kSimulation + kBox);
  double lowest = 1, highest = 1;
  for (std::size_t i = 0; i < b.particles.size(); ++i) {
    const Variation own = *b.particles[i].own;
    const double n = std::log2(own.stiffness);
    lowest = std::min(lowest, n);
    highest = std::max(highest, n);
    ASSERT_LT(std::abs(n), 1);
    ASSERT_NEAR(own.hardening, 10 * std::pow(1.2, n), 1e-9);
    ASSERT_NEAR(own.critical_compression, 0.025 * std::pow(1.5, n), 1e-9);
    ASSERT_NEAR(own.critical_stretch, 0.0075 * std::pow(4, n), 1e-9);
    ASSERT_NEAR(b.particles[i].mass / plain.particles[i].mass, std::pow(1.1, n), 1e-9);
  }
  EXPECT_LT(lowest, -0.8);
  EXPECT_GT(highest, 0.8);
}

TEST(SnowNoise, OfAListAreIndependentOfEachOther) {
  const Built b = built(kSimulation + kBox + "noise = [{ scale = 0.03, stiffness = 1 }, { scale = 0.03, seed = 2, hardening = 1 }]\n");
  double product = 0, squares = 0;
  for (const ParticleRow& row : b.particles) {
    product += std::log2(row.own->stiffness) * std::log2(row.own->hardening / 10);
    squares += std::log2(row.own->stiffness) * std::log2(row.own->stiffness);
  }
  EXPECT_LT(std::abs(product), 0.3 * squares);
}

TEST(SnowNoise, OfDensityAloneNeedsNoColumns) {
  EXPECT_FALSE(
      built(kSimulation + kBall + "noise = { scale = 0.03, density = 0.5 }\nshell = { depth = 0.01, density = 2 }\n").model.varied);
  EXPECT_FALSE(built(kSimulation + kBall + "noise = { scale = 0.03 }\n").model.varied);
  EXPECT_TRUE(built(kSimulation + kBall + "noise = { scale = 0.03, critical_stretch = 0.5 }\n").model.varied);
}

TEST(UniformBody, WeighsExactlyDensityTimesVolume) {
  for (const std::string& keys :
       {std::string(), std::string("noise = { scale = 0.03, stiffness = 2 }\nshell = { depth = 0.02, hardening = 2 }\n")})
    EXPECT_NEAR(total_mass(built(kSimulation + kBox + keys)), 400 * 0.3 * 0.2 * 0.1, 1e-12);
}

TEST(FlatScene, HasNoiseShellAndLayersToo) {
  const std::string text = kFlatSimulation + kMaterials + kDisc +
                           "layers = [{ above = 1, material = \"ice\" }]\nshell = { depth = 0.03, stiffness = 2 }\n"
                           "noise = { scale = 0.05, hardening = 0.5 }\n";
  const Form form = form_of(parse(text));
  const Built b = built(text);
  for (const ParticleRow& row : b.particles) {
    ASSERT_EQ(row.material, row.position(1, 0.01) >= 1 ? 2 : 0);
    ASSERT_EQ(row.own->stiffness, depth_of(form, row, 0.01) < 0.03 ? 2 : 1);
    ASSERT_LT(std::abs(std::log(row.own->hardening / 10)), std::log(1.5));
  }
}

TEST(SnowField, IsAFunctionOfThePositionAlone) {
  const std::string text = kSimulation + kBox + "noise = { scale = 0.05, stiffness = 2, density = 0.3 }\n";
  const Scene scene = parse(text);
  const Built b = build(scene);
  const SnowField field(scene, scene.snow[0]);
  for (std::size_t i = b.particles.size(); i-- > 0;) {
    const ParticleRow& row = b.particles[i];
    const SnowAt s = field.at({row.position(0, 0.01), row.position(1, 0.01), row.position(2, 0.01)}, -1);
    ASSERT_EQ(s.own.stiffness, row.own->stiffness);
    ASSERT_EQ(s.material, row.material);
  }
}

TEST(VariedSnow, OutOfTheKeysRangesIsAnErrorAtTheKeyThatDidIt) {
  const std::string noise = build_error_of(kMinimal + "noise = { scale = 0.05, critical_compression = 90 }\n");
  EXPECT_TRUE(noise.starts_with("scene.toml:8:9: at [")) << noise;
  EXPECT_TRUE(contains(noise, "the noise makes critical_compression = ")) << noise;
  EXPECT_TRUE(contains(noise, "must be greater than 0 and less than 1")) << noise;
  const std::string shell = build_error_of(kMinimal + "shell = { depth = 0.05, hardening = 11 }\n");
  EXPECT_TRUE(shell.starts_with("scene.toml:8:1: at [")) << shell;
  EXPECT_TRUE(contains(shell, "the shell makes hardening = 110: must be at least 0 and at most 100")) << shell;
  EXPECT_TRUE(contains(build_error_of(kMinimal + "shell = { depth = 0.05, density = 900 }\n"), "makes density = 360000"));
  EXPECT_TRUE(
      contains(build_error_of("[materials.default]\nyoung_modulus = 1e11\n" + kMinimal + "shell = { depth = 0.05, stiffness = 20 }\n"),
               "makes young_modulus = 2e+12: must be greater than 0 and at most 1000000000000"));
}

// A file of three particles with these columns and values.
std::string particles_scene(const TemporaryFolder& folder, const std::string& names, const std::vector<std::string>& rows) {
  std::string text = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(rows.size()) + "\nproperty double x\nproperty double y\n";
  std::istringstream words(names);
  for (std::string name; words >> name;) text += "property double " + name + "\n";
  text += "end_header\n";
  for (std::size_t i = 0; i < rows.size(); ++i) text += "0.0" + std::to_string(i) + " 0 " + rows[i] + "\n";
  folder.write("a.ply", text);
  return kSimulation + "[materials.default]\nyoung_modulus = 2e5\n[[snow]]\nshape = \"particles\"\nfile = \"" + folder.file("a.ply") +
         "\"\n";
}

TEST(ParticleFile, GivesParticlesParametersOfTheirOwn) {
  const TemporaryFolder folder;
  const Built b =
      built(particles_scene(folder, "stiffness hardening critical_compression critical_stretch", {"2 0 0.5 10", "1 3 0.01 0.002"}));
  EXPECT_TRUE(b.model.varied);
  EXPECT_EQ(b.particles[0].own->stiffness, 2);
  EXPECT_EQ(b.particles[0].own->hardening, 0);
  EXPECT_EQ(b.particles[0].own->critical_compression, 0.5);
  EXPECT_EQ(b.particles[0].own->critical_stretch, 10);
  EXPECT_EQ(b.particles[1].own->critical_compression, 0.01);
  const Built some = built(particles_scene(folder, "young_modulus", {"5e5", "1e5"}));
  EXPECT_EQ(some.particles[0].own->stiffness, 2.5);
  EXPECT_EQ(some.particles[1].own->stiffness, 0.5);
  EXPECT_EQ(some.particles[1].own->hardening, 10) << "the material's where the file has none";
  EXPECT_FALSE(built(particles_scene(folder, "mass", {"1", "1"})).model.varied);
}

TEST(ParticleFile, WithABadParameterNamesFileParticleAndProperty) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& names, const std::string& row) {
    return build_error_of(particles_scene(folder, names, {"1", row}));
  };
  const std::string start = "scene.toml:7:1: " + folder.file("a.ply") + ": particle 1: ";
  EXPECT_EQ(error("hardening", "101"), start + "hardening = 101: must be at least 0 and at most 100");
  EXPECT_EQ(error("stiffness", "-1"), start + "young_modulus = -200000: must be greater than 0 and at most 1000000000000");
  EXPECT_EQ(error("young_modulus", "0"), start + "young_modulus = 0: must be greater than 0 and at most 1000000000000");
  EXPECT_EQ(error("critical_stretch", "0"), start + "critical_stretch = 0: must be greater than 0 and at most 10");
  EXPECT_TRUE(contains(build_error_of(particles_scene(folder, "critical_compression", {"0.1", "1"})),
                       "particle 1: critical_compression = 1: must be greater than 0 and less than 1"));
  EXPECT_TRUE(contains(build_error_of(particles_scene(folder, "stiffness young_modulus", {"1 1e5"})),
                       "vertex properties stiffness and young_modulus exclude each other, keep one"));
}

}  // namespace
}  // namespace firn::scene_tests
