// Changes that a scene names itself: [variants.NAME].
#include <algorithm>

#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

const std::string kTwo = kMinimal + R"(
[[snow]]
shape = "box"
center = [0, 1, 0]
size = [0.2, 0.2, 0.2]

[variants.small]
simulation.spacing = 0.05
snow.0.radius = 0.3
snow.1.size = [0.4, 0.4, 0.4]
materials.icy.hardening = 7

[variants.few]
simulation.frames = 3
)";

Scene with(const std::string& text, const std::vector<std::string>& variants, const std::vector<std::string>& overrides = {}) {
  return parse_scene(text, "a.toml", overrides, variants);
}

std::string error_with(const std::string& text, const std::vector<std::string>& variants) {
  try {
    with(text, variants);
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Variants, AreListedInTheirOrderAndChangeNothingUntilAskedFor) {
  const Scene plain = with(kTwo, {});
  EXPECT_EQ(plain.variants, (std::vector<std::string>{"small", "few"}));
  EXPECT_EQ(plain.name, "a");
  EXPECT_NE(plain.simulation.spacing, 0.05);
}

TEST(Variants, ChangeSectionsMaterialsAndBodies) {
  const Scene scene = with(kTwo, {"small"});
  EXPECT_EQ(scene.name, "a_small");
  EXPECT_EQ(scene.simulation.spacing, 0.05);
  EXPECT_EQ(scene.snow[0].shape.radius, 0.3);
  EXPECT_EQ(scene.snow[1].shape.size[0], 0.4);
  const auto icy = std::find_if(scene.materials.begin(), scene.materials.end(), [](const Material& m) { return m.name == "icy"; });
  ASSERT_NE(icy, scene.materials.end());
  EXPECT_EQ(icy->hardening, 7);
}

TEST(Variants, FollowOneAnotherAndOverridesComeLast) {
  const Scene scene = with(kTwo, {"small", "few"}, {"snow.0.radius=0.35"});
  EXPECT_EQ(scene.name, "a_small_few");
  EXPECT_EQ(scene.frames(), 3);  // and the duration is gone
  EXPECT_EQ(scene.simulation.spacing, 0.05);
  EXPECT_EQ(scene.snow[0].shape.radius, 0.35);
}

TEST(Variants, TheOnlyBodyNeedsNoNumber) {
  EXPECT_EQ(with(kMinimal + "[variants.a]\nsnow.radius = 0.4\n", {"a"}).snow[0].shape.radius, 0.4);
}

TEST(Variants, ListsCanBeEmptied) {
  const std::string text =
      kMinimal +
      "noise = { scale = 0.1 }\nlayers = [{ above = 0.1, material = \"icy\" }]\n[variants.even]\nsnow.noise = []\nsnow.layers = []\n";
  EXPECT_EQ(with(text, {}).snow[0].noise.size(), 1u);
  EXPECT_TRUE(with(text, {"even"}).snow[0].noise.empty());
  EXPECT_TRUE(with(text, {"even"}).snow[0].layers.empty());
}

TEST(Variants, MistakesAreAnsweredWhereTheyStand) {
  EXPECT_EQ(error_with(kTwo, {"smal"}), "a.toml: there is no variant 'smal', did you mean 'small'? allowed: 'small', 'few'");
  EXPECT_EQ(error_with(kMinimal, {"small"}), "a.toml: the scene has no variants, 'small' is none");
  const int lines = static_cast<int>(std::count(kMinimal.begin(), kMinimal.end(), '\n'));
  const auto error_in = [&](const std::string& change) {
    std::string error = error_with(kMinimal + "[variants.a]\n" + change + "\n", {"a"});
    const std::string place = fmt::format("a.toml:{}:", lines + 2);
    EXPECT_TRUE(error.starts_with(place)) << error;
    return error.substr(std::min(error.find(' '), error.size() - 1) + 1);
  };
  EXPECT_EQ(error_in("snow.1.radius = 0.4"), "there is no snow.1, allowed: snow.0");
  EXPECT_TRUE(contains(error_in("simulation.spacing = -1"), "spacing = -1"));
  EXPECT_TRUE(contains(error_in("snow.radios = 0.4"), "did you mean 'radius'?"));
  EXPECT_TRUE(contains(error_in("simulaton.spacing = 1"), "did you mean 'simulation'?"));
  EXPECT_TRUE(contains(error_in("spacing = 1"), "unknown section 'spacing'"));
  EXPECT_TRUE(contains(error_in("snow = 1"), "'snow' must be a table"));
  EXPECT_TRUE(contains(error_in("variants.b.snow.radius = 1"), "unknown section 'variants'"));
  EXPECT_TRUE(contains(error_with(kMinimal + "[variants]\nspacing = 1\n", {}), "'spacing' must stand in a table [variants.NAME]"));
}

TEST(Variants, AreNotForTheCommandLine) { EXPECT_TRUE(contains(error_of(kTwo, {"variants.small.x=1"}), "--variant NAME chooses one")); }

TEST(Gallery, EverySceneHasASmallAndAMediumVariantThatCanBeRead) {
  for (const GalleryEntry& entry : gallery()) {
    const std::vector<std::string> variants = variants_of(entry);
    for (const std::string name : {"small", "medium"})
      EXPECT_NE(std::find(variants.begin(), variants.end(), name), variants.end()) << entry.name << " has no " << name;
    for (const std::string& variant : variants) EXPECT_NO_THROW(load_scene(entry.name, {}, {variant})) << entry.name << " " << variant;
  }
}

}  // namespace
}  // namespace firn::scene_tests
