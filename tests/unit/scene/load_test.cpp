// Scenes from files and from the gallery.
#include <algorithm>

#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

namespace fs = std::filesystem;

TEST(Load, ReadsAFileAndNamesTheSceneAfterIt) {
  const TemporaryFolder folder;
  const Scene scene = load_scene(folder.write("my ball.v2.toml", kMinimal), {"snow.radius=0.3"});
  EXPECT_EQ(scene.name, "my ball.v2");
  EXPECT_EQ(scene.snow[0].shape.radius, 0.3);
}

TEST(Load, RelativeFilesStartAtTheFolderOfTheScene) {
  const TemporaryFolder folder;
  folder.write("points.ply", "ply\n");
  fs::create_directory(folder.path() / "sub");
  const std::string path = folder.write("sub/a.toml", kSimulation + "[[snow]]\nshape = \"particles\"\nfile = \"../sub/.././points.ply\"\n");
  EXPECT_EQ(load_scene(path).snow[0].shape.file, (folder.path() / "points.ply").string());
}

TEST(Load, RelativeScenePathsGiveAbsoluteFiles) {
  const TemporaryFolder folder;
  folder.write("points.ply", "ply\n");
  folder.write("a.toml", kSimulation + "[[snow]]\nshape = \"particles\"\nfile = \"points.ply\"\n");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const std::string file = load_scene("a.toml").snow[0].shape.file;
  fs::current_path(before);
  EXPECT_TRUE(fs::path(file).is_absolute()) << file;
  EXPECT_TRUE(fs::is_regular_file(file)) << file;
}

TEST(Load, MissingParticleFilesAreErrorsAtTheKey) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& file) {
    return load_error_of(folder.write("a.toml", kSimulation + "[[snow]]\nshape = \"particles\"\n  file = \"" + file + "\"\n"));
  };
  const std::string where = (folder.path() / "a.toml").string() + ":6:3: file = \"";
  EXPECT_EQ(error("none.ply"), where + "none.ply\": must be an existing file, there is no " + (folder.path() / "none.ply").string());
  EXPECT_EQ(error("."), where + ".\": must be a regular file, " + folder.path().string() + "/ is not");
  EXPECT_EQ(error(""), where + "\": must be the name of a file");
  EXPECT_TRUE(contains(error("a\\u0000b"), "must be the name of a file, without zero bytes"));
  EXPECT_TRUE(contains(error(std::string(5000, 'x')), "must be a readable file"));
  EXPECT_TRUE(contains(error("a.toml/b"), "must be an existing file"));
}

TEST(Load, GalleryNamesWorkWhereNoSuchFileIs) {
  const Scene scene = load_scene("snowball_drop");
  EXPECT_EQ(scene.name, "snowball_drop");
  EXPECT_TRUE(contains(load_error_of("snowball_drop.toml"), "did you mean 'snowball_drop'?"));
}

TEST(Load, AFileHidesTheGallerySceneOfThatNameAndAFolderDoesNot) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  fs::create_directory("wedge");
  EXPECT_EQ(load_scene("wedge").name, "wedge");
  folder.write("sweep", "nonsense");
  const std::string error = load_error_of("sweep");
  fs::current_path(before);
  EXPECT_TRUE(error.starts_with("sweep:1:")) << error;
}

TEST(Load, MissingScenesSuggestTheNearestName) {
  EXPECT_EQ(load_error_of("snowbal_drop"),
            "snowbal_drop: there is no such file or gallery scene, did you mean 'snowball_drop'? `firn scenes` lists the gallery");
  EXPECT_EQ(load_error_of("/nowhere/xyzzy.toml"),
            "/nowhere/xyzzy.toml: there is no such file or gallery scene, `firn scenes` lists the gallery");
  EXPECT_TRUE(contains(load_error_of(""), "there is no such file or gallery scene"));
  EXPECT_TRUE(contains(load_error_of(std::string("a\0b", 3)), "there is no such file or gallery scene"));
  EXPECT_NE(load_error_of(std::string(100000, 'a')), "no error");
}

TEST(Load, ThingsThatAreNotReadableFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_error_of(folder.path().string()), folder.path().string() + ": is a folder, a scene is a TOML file");
  EXPECT_EQ(load_error_of("/proc/self/mem"), "/proc/self/mem: cannot be read: Input/output error");
  EXPECT_EQ(load_error_of("/dev/zero"), "/dev/zero: is larger than 16 MiB");
  EXPECT_TRUE(contains(load_error_of(folder.write("empty.toml", "")), "empty.toml:1:1: the file is empty"));
  EXPECT_TRUE(contains(load_error_of(folder.write("elf", std::string("\x7f"
                                                                     "ELF\2\1\1\0",
                                                                     8))),
                       "elf:1:1: control character 0x7f"));
}

TEST(Load, SixteenMebibytesAreTheLimit) {
  const TemporaryFolder folder;
  const std::size_t limit = std::size_t{16} << 20;
  const std::string comment = "# " + std::string(limit - kMinimal.size() - 3, 'x') + "\n";
  EXPECT_EQ(load_error_of(folder.write("full.toml", kMinimal + comment)), "no error");
  EXPECT_TRUE(contains(load_error_of(folder.write("over.toml", kMinimal + comment + "\n")), "is larger than 16 MiB"));
}

TEST(Gallery, HasTheScenesInOrderAndEachHasASummary) {
  std::vector<std::string> names;
  for (const GalleryEntry& entry : gallery()) {
    names.push_back(entry.name);
    EXPECT_TRUE(entry.toml.starts_with("# " + entry.summary + "\n")) << entry.name;
    EXPECT_TRUE(contains(entry.summary, " \u00b7 ")) << entry.summary;
  }
  for (const std::string name : {"slide_2d", "snowball_drop", "sweep", "wall_slippery", "wall_sticky", "wedge"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(Gallery, EverySceneIsValid) {
  for (const GalleryEntry& entry : gallery()) EXPECT_EQ(load_error_of(entry.name), "no error") << entry.name;
}

}  // namespace
}  // namespace firn::scene_tests
