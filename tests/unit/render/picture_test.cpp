#include "firn/picture.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "falling_ball.h"
#include "png_files.h"
#include "support/error_of.h"

namespace firn {
namespace {

using namespace test;
namespace fs = std::filesystem;

PreviewOptions small_pictures() {
  PreviewOptions options;
  options.width = 96;
  options.height = 54;
  return options;
}

// Restores the variable when the test ends.
class WithPath {
 public:
  explicit WithPath(const std::string& path) : old_(std::getenv("PATH")) { setenv("PATH", path.c_str(), 1); }
  ~WithPath() { setenv("PATH", old_.c_str(), 1); }

 private:
  std::string old_;
};

std::string error_of(const std::string& path, const PreviewOptions& options = small_pictures()) {
  return test::error_of([&] { preview(path, options); });
}

TEST(Png, PixelsComeBackAsTheyWereWritten) {
  const TempFolder folder;
  Image image{7, 5, {}};
  for (int i = 0; i < 7 * 5 * 3; ++i) image.rgb.push_back(static_cast<std::uint8_t>(7 * i));
  write_png(folder / "a.png", image);
  const Image read = read_png(folder / "a.png");
  EXPECT_EQ(read.width, 7);
  EXPECT_EQ(read.height, 5);
  EXPECT_EQ(read.rgb, image.rgb);
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_THROW(write_png(folder / "no/a.png", image), RunError);
}

TEST(PreviewRun, EveryFrameGetsItsPictureAndAllMakeAFilm) {
  const TempFolder folder;
  make_run(folder);
  std::vector<std::pair<int, int>> progress;
  PreviewOptions options = small_pictures();
  options.progress = [&](int done, int total) { progress.emplace_back(done, total); };
  const PreviewResult result = preview(folder.path(), options);
  ASSERT_EQ(result.pictures.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(result.pictures[i], folder / ("preview/frame_000" + std::to_string(i) + ".png"));
    const Image image = read_png(result.pictures[i]);
    EXPECT_EQ(image.width, 96);
    EXPECT_EQ(image.height, 54);
    EXPECT_GT(count_white(image), 20);
  }
  EXPECT_EQ(progress, (std::vector<std::pair<int, int>>{{1, 3}, {2, 3}, {3, 3}}));
  if (std::system("ffmpeg -version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no ffmpeg here";
  EXPECT_EQ(result.warning, "");
  EXPECT_EQ(result.film, folder / "preview/preview.mp4");
  EXPECT_EQ(read_bytes(result.film).substr(4, 4), "ftyp");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "preview"), fs::directory_iterator()), 4) << "nothing temporary is left";
}

TEST(PreviewRun, CameraStaysWhereItIs) {
  const TempFolder folder;
  make_run(folder);
  PreviewOptions options = small_pictures();
  options.film = false;
  const PreviewResult result = preview(folder.path(), options);
  const Image first = read_png(result.pictures[0]), last = read_png(result.pictures[2]);
  EXPECT_EQ(result.film, "");
  // The sky in the corners does not move.
  for (const int x : {0, 95}) EXPECT_EQ(pixel_at(first, x, 0).brightness(), pixel_at(last, x, 0).brightness());
  EXPECT_NE(first.rgb, last.rgb);
}

TEST(PreviewRun, CameraIsWhereTheSceneSays) {
  const TempFolder folder;
  make_run(folder);
  PreviewOptions options = small_pictures();
  options.film = false;
  const Image usual = read_png(preview(folder.path(), options).pictures[1]);
  const auto with = [&](const std::string& render) {
    write_bytes(folder / "scene.toml", kFallingBall + ("[render]\n" + render));
    const PreviewResult result = preview(folder.path(), options);
    return std::pair(read_png(result.pictures[0]), read_png(result.pictures[1]));
  };
  EXPECT_EQ(with("width = 320\n").second.rgb, usual.rgb) << "nothing of the camera is said";
  EXPECT_EQ(count_white(with("position = [0, 1, 2]\ntarget = [0, 1, 9]\n").second), 0) << "it looks away";
  EXPECT_GT(count_white(with("position = [0, 0.4, 0.6]\ntarget = [0, 0.2, 0]\n").second), 2 * count_white(usual)) << "it is near";
  const auto [first, second] = with(
      "keys = [{ t = 0, position = [0, 1, 2], target = [0, 1, 9] },\n"
      "{ t = 0.01, position = [0, 0.4, 0.6], target = [0, 0.2, 0] }]\n");
  EXPECT_EQ(count_white(first), 0);
  EXPECT_GT(count_white(second), 2 * count_white(usual)) << "it has turned to the snow";
  EXPECT_NE(with("sun = [0, 1, -2]\n").second.rgb, usual.rgb);
}

TEST(PreviewRun, WithoutFfmpegThePicturesStayAndAWarningTells) {
  const TempFolder folder;
  make_run(folder);
  const WithPath nothing("/nonexistent");
  const PreviewResult result = preview(folder.path(), small_pictures());
  EXPECT_EQ(result.pictures.size(), 3u);
  EXPECT_EQ(result.film, "");
  EXPECT_NE(result.warning.find("ffmpeg"), std::string::npos);
  EXPECT_TRUE(fs::exists(result.pictures[2]));
}

TEST(PreviewRun, FailingFfmpegIsAWarningToo) {
  const TempFolder folder, tools;
  make_run(folder);
  write_bytes(tools / "ffmpeg", "#!/bin/sh\necho 'encoder on strike' >&2\nexit 3\n");
  fs::permissions(tools / "ffmpeg", fs::perms::owner_all);
  const WithPath fake(tools.path());
  const PreviewResult result = preview(folder.path(), small_pictures());
  EXPECT_EQ(result.pictures.size(), 3u);
  EXPECT_NE(result.warning.find("encoder on strike"), std::string::npos) << result.warning;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "preview"), fs::directory_iterator()), 3) << "nothing temporary is left";
}

TEST(PreviewFrame, OneFileGivesOnePictureWithOrWithoutAScene) {
  const TempFolder folder;
  write_ply(folder / "snow.ply", make_ball({0, 0.15, 0}, 3, 0.012));
  const PreviewResult bare = preview(folder / "snow.ply", small_pictures());
  ASSERT_EQ(bare.pictures, std::vector<std::string>{folder / "preview/snow.png"});
  const Image without = read_png(bare.pictures[0]);
  write_bytes(folder / "scene.toml", kFallingBall);
  const Image with = read_png(preview(folder / "snow.ply", small_pictures()).pictures[0]);
  EXPECT_NE(without.rgb, with.rgb);
}

TEST(PreviewErrors, BadInputIsAUserErrorThatNamesIt) {
  const TempFolder folder;
  EXPECT_NE(error_of(folder / "nothing").find("no such file"), std::string::npos);
  EXPECT_NE(error_of(folder.path()).find("scene.toml"), std::string::npos);
  write_bytes(folder / "scene.toml", kFallingBall);
  EXPECT_NE(error_of(folder.path()).find("no frame_NNNN in this folder"), std::string::npos);
  write_bytes(folder / "frame_0000.ply", "not a ply");
  EXPECT_NE(error_of(folder.path()).find("frame_0000.ply: not a PLY file"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "preview")) << "nothing is written for a bad input";
  PreviewOptions options = small_pictures();
  options.width = 0;
  EXPECT_NE(error_of(folder.path(), options).find("allowed: 16 to 8192"), std::string::npos);
}

TEST(PreviewErrors, CameraThatMeetsItsTargetIsToldBeforeAnythingIsWritten) {
  const TempFolder folder;
  make_run(folder);
  write_bytes(folder / "scene.toml",
              kFallingBall + std::string("[render]\nkeys = [{ t = 0, position = [-1, 0, 0], target = [0, 0, 0] },\n"
                                         "{ t = 0.08333333333333333, position = [1, 0, 0], target = [0, 0, 0] }]\n"));
  EXPECT_NE(error_of(folder.path()).find("scene.toml:13:1: at 0.04167 s the camera stands on its target"), std::string::npos)
      << error_of(folder.path());
  EXPECT_FALSE(fs::exists(folder / "preview"));
}

TEST(PreviewErrors, FolderThatCannotBeMadeIsARunError) {
  const TempFolder folder;
  write_ply(folder / "snow.ply", make_ball({0, 0.15, 0}, 3, 0.02));
  write_bytes(folder / "preview", "a file in the way");
  EXPECT_THROW(preview(folder / "snow.ply", small_pictures()), RunError);
}

}  // namespace
}  // namespace firn
