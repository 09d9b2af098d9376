// Kinds of snow by name.
#include <set>

#include "scene/rules.h"
#include "scene/schema.h"
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

Material material_of(const std::string& keys) { return parse(kMinimal + "[materials.mine]\n" + keys).materials.at(1); }

TEST(Presets, SetEveryKeyOfAMaterial) {
  for (const Material& preset : presets()) {
    const Material m = material_of("preset = \"" + preset.name + "\"\n");
    EXPECT_EQ(m.name, "mine");
    EXPECT_EQ(m.young_modulus, preset.young_modulus);
    EXPECT_EQ(m.poisson_ratio, preset.poisson_ratio);
    EXPECT_EQ(m.hardening, preset.hardening);
    EXPECT_EQ(m.critical_compression, preset.critical_compression);
    EXPECT_EQ(m.critical_stretch, preset.critical_stretch);
    EXPECT_EQ(m.density, preset.density);
    EXPECT_EQ(m.hardening_limit, preset.hardening_limit);
    EXPECT_EQ(m.softening, preset.softening);
  }
}

TEST(Presets, GiveWayToOtherKeysOfTheTableWhereverTheyStand) {
  for (const std::string keys : {"preset = \"icy\"\ndensity = 123\n", "density = 123\npreset = \"icy\"\n"}) {
    EXPECT_EQ(material_of(keys).density, 123);
    EXPECT_EQ(material_of(keys).hardening, material_of("preset = \"icy\"\n").hardening);
  }
  EXPECT_EQ(parse(kMinimal, {"materials.default.preset=wet"}).materials[0].density, material_of("preset = \"wet\"\n").density);
}

TEST(Presets, AreMaterialsThatNeedNoTable) {
  const Scene scene =
      parse(kMinimal + "material = \"powder\"\nlayers = [{ above = 1, material = \"crust\" }]\n" + kBall + "material = \"powder\"\n");
  ASSERT_EQ(scene.materials.size(), 3u);  // by name after the default, as tables are
  EXPECT_EQ(scene.materials[1].name, "crust");
  EXPECT_EQ(scene.materials[2].name, "powder");
  EXPECT_EQ(scene.materials[2].density, 100);
  EXPECT_EQ(scene.snow[0].material, "powder");
  EXPECT_EQ(to_toml(parse(to_toml(scene))), to_toml(scene));
  EXPECT_EQ(parse(kMinimal, {"snow.material=wet"}).materials.at(1).density, 500);
  const std::string source = "[[source]]\nshape = \"sphere\"\ncenter = [0, 1, 0]\nradius = 0.1\nrate = 2\nmaterial = \"icy\"\n";
  EXPECT_EQ(parse(kSimulation + source).materials.at(1).density, 700);
}

TEST(Presets, GiveWayToATableOfTheirName) {
  const Scene scene = parse(kMinimal + "material = \"powder\"\n[materials.powder]\ndensity = 50\n");
  ASSERT_EQ(scene.materials.size(), 2u);
  EXPECT_EQ(scene.materials[1].density, 50);
  EXPECT_EQ(scene.materials[1].critical_stretch, Material{}.critical_stretch) << "it is a table like any other";
}

TEST(Presets, PackedIsTheDefault) {
  EXPECT_EQ(to_toml(parse(kMinimal + "[materials.default]\npreset = \"packed\"\n")), to_toml(parse(kMinimal)));
}

TEST(Presets, AreWithinTheRangesOfTheirKeysAndAllDifferent) {
  std::set<std::string> texts;
  for (const Material& preset : presets()) {
    const std::string text = to_toml(parse(kMinimal + "[materials.default]\npreset = \"" + preset.name + "\"\n"));
    EXPECT_EQ(error_of(text), "no error") << preset.name;
    texts.insert(text);
  }
  EXPECT_EQ(texts.size(), presets().size());
}

// What the names promise, in the terms of Stomakhin et al. 2013.
TEST(Presets, AreOrderedAsTheirNamesSay) {
  const auto preset = [](const std::string& name) { return material_of("preset = \"" + name + "\"\n"); };
  const Material packed = preset("packed"), powder = preset("powder"), chunky = preset("chunky"), icy = preset("icy"),
                 muddy = preset("muddy");
  EXPECT_LT(powder.critical_compression, packed.critical_compression);
  EXPECT_LT(powder.critical_stretch, packed.critical_stretch);
  EXPECT_GT(chunky.critical_compression, packed.critical_compression);
  EXPECT_GT(chunky.critical_stretch, packed.critical_stretch);
  EXPECT_GT(icy.hardening, packed.hardening);
  EXPECT_GT(icy.young_modulus, packed.young_modulus);
  EXPECT_LT(muddy.hardening, packed.hardening);
  EXPECT_LT(muddy.young_modulus, packed.young_modulus);
  EXPECT_LT(powder.density, packed.density);
}

TEST(Presets, ThatDoNotExistSuggestTheNearest) {
  EXPECT_EQ(
      error_of(kMinimal + "[materials.a]\npreset = \"chunk\"\n"),
      "scene.toml:9:1: preset = \"chunk\" is not known here, did you mean \"chunky\"? allowed: \"powder\", \"packed\", \"wet\", \"icy\", "
      "\"muddy\", \"crust\", \"chunky\"");
}

}  // namespace
}  // namespace firn::scene_tests
