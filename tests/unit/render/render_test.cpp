// render(): files, options and what every key of [render] does to a picture.
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <numeric>
#include <set>

#include "falling_ball.h"
#include "firn/picture.h"
#include "png_files.h"
#include "scene/schema.h"
#include "support/error_of.h"

namespace firn {
namespace {

using namespace test;
namespace fs = std::filesystem;

RenderOptions tiny_pictures() {
  RenderOptions options;
  options.samples = 2;
  options.width = 48;
  options.height = 27;
  return options;
}

// Two pixels, one of them bright.
void write_sky(const std::string& path) {
  write_bytes(path, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\xff\xff\xff\x82\x10\x10\x10\x80");
}

std::string error_of(const std::string& path, const RenderOptions& options) {
  return test::error_of([&] { render(path, options); });
}

TEST(Render, EveryFrameGetsItsPictureAndTheFilesThatWereAskedFor) {
  const TempFolder folder;
  make_run(folder, 3);
  RenderOptions options = tiny_pictures();
  options.exr = true;
  options.sheet = folder / "sheet.png";
  options.sheet_frames = 2;
  const RenderResult result = render(folder.path(), options);
  ASSERT_EQ(result.pictures.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(result.pictures[i], folder / ("render/frame_000" + std::to_string(i) + ".png"));
    EXPECT_EQ(read_png(result.pictures[i]).width, 48);
    EXPECT_EQ(read_png(result.pictures[i]).height, 27);
    EXPECT_TRUE(fs::exists(folder / ("render/frame_000" + std::to_string(i) + ".exr")));
  }
  EXPECT_EQ(result.sheet, options.sheet);
  EXPECT_GT(read_png(result.sheet).width, 2 * 48) << "two pictures beside each other";
  EXPECT_EQ(result.film, "");
  EXPECT_EQ(result.warning, "");
}

TEST(Render, SizeIsTheScenesUnlessTheOptionsSay) {
  const TempFolder folder;
  make_run(folder, 1);
  write_bytes(folder / "scene.toml", kFallingBall + std::string("[render]\nwidth = 40\nheight = 20\n"));
  RenderOptions options = tiny_pictures();
  options.width = options.height = std::nullopt;
  EXPECT_EQ(read_png(render(folder.path(), options).pictures[0]).width, 40);
  options.width = 32;
  const Image image = read_png(render(folder.path(), options).pictures[0]);
  EXPECT_EQ(image.width, 32);
  EXPECT_EQ(image.height, 20);
}

TEST(Render, ProgressRisesFromPictureToPictureUntilNothingIsLeft) {
  const TempFolder folder;
  make_run(folder, 2);
  std::vector<RenderProgress> seen;
  RenderOptions options = tiny_pictures();
  options.progress = [&](const RenderProgress& p) { seen.push_back(p); };
  render(folder.path(), options);
  ASSERT_GT(seen.size(), 2u);
  for (std::size_t i = 1; i < seen.size(); ++i)
    EXPECT_GT(seen[i].picture + seen[i].fraction, seen[i - 1].picture + seen[i - 1].fraction - 1e-9);
  EXPECT_EQ(seen.front().picture, 1);
  EXPECT_EQ(seen.back().picture, 2);
  EXPECT_EQ(seen.back().pictures, 2);
  EXPECT_EQ(seen.back().fraction, 1);
  EXPECT_EQ(seen.back().seconds_left, 0);
}

TEST(Render, AFrameNeedsNoScene) {
  const TempFolder folder;
  write_ply(folder / "snow.ply", make_ball({0, 0.15, 0}, 3, 0.012));
  const RenderResult result = render(folder / "snow.ply", tiny_pictures());
  EXPECT_EQ(result.pictures, std::vector<std::string>{folder / "render/snow.png"});
}

// Mean of all channels, 0 to 255.
double brightness(const Image& image) {
  return std::accumulate(image.rgb.begin(), image.rgb.end(), 0.0) / static_cast<double>(image.rgb.size());
}

TEST(Render, AFrameWithoutSnowShowsTheGroundAlone) {
  const TempFolder folder;
  make_run(folder, 1);
  write_ply(folder / "frame_0000.ply", Frame{});
  EXPECT_GT(brightness(read_png(render(folder.path(), tiny_pictures()).pictures[0])), 20);
}

TEST(Render, OneParticleIsASpeck) {
  const TempFolder folder;
  make_run(folder, 1);
  write_bytes(folder / "scene.toml", kFallingBall + std::string("[render]\nposition = [0, 0.25, 0.05]\ntarget = [0, 0.15, 0]\n"));
  Frame one;
  add_particle(one, {0, 0.15, 0}, 1e-6);
  write_ply(folder / "frame_0000.ply", one);
  RenderOptions options = tiny_pictures();
  options.samples = 16;
  const Image image = read_png(render(folder / "frame_0000.ply", options).pictures[0]);
  const auto red = [&](int x, int y) {
    return int(image.rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x))]);
  };
  EXPECT_GT(red(24, 13), red(4, 13) + 40) << "snow in the middle, ground beside it";
}

// A cube of 280 m of packed snow: light gets a millimetre into voxels of 70 m.
TEST(Render, OneParticleOfABillionKilogramsDoesNotTakeForever) {
  const TempFolder folder;
  Frame one;
  add_particle(one, {0, 150, 0}, 2.15e7);
  one.mass[0] = 8.6e9;
  write_ply(folder / "heavy.ply", one);
  const clock_t begin = std::clock();
  const Image image = read_png(render(folder / "heavy.ply", tiny_pictures()).pictures[0]);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 10);
  EXPECT_GT(brightness(image), 20);
}

TEST(Render, ACameraInsideTheSnowSeesItsGlow) {
  const TempFolder folder;
  make_run(folder, 1);
  write_bytes(folder / "scene.toml",
              kFallingBall + std::string("[render]\nwhite_balance = 0\nposition = [0, 0.3, 0]\ntarget = [1, 0.3, 0]\n"));
  const Image inside = read_png(render(folder / "frame_0000.ply", tiny_pictures()).pictures[0]);
  double red = 0, blue = 0;
  for (std::size_t i = 0; i < inside.rgb.size(); i += 3) {
    red += inside.rgb[i];
    blue += inside.rgb[i + 2];
  }
  EXPECT_GT(brightness(inside), 10) << "light gets that deep";
  EXPECT_GT(blue, 1.5 * red) << "blue light gets deeper than red";
}

TEST(Render, AnOpenShutterBlursSnowAndBodiesThatMove) {
  const TempFolder folder;
  make_run(folder, 1);
  const std::string scene =
      "[simulation]\nspacing = 0.01\nduration = 0.125\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 0.2, 0]\nradius = 0.1\n";
  const std::string body = "[[collider]]\nshape = \"sphere\"\ncenter = [0.3, 0.3, 0]\nradius = 0.06\n";
  const std::string camera = "[render]\nposition = [0, 0.3, 2]\ntarget = [0.1, 0.3, 0]\n";
  RenderOptions options = tiny_pictures();
  options.samples = 16;
  options.quality = Quality::kFinal;
  const auto picture = [&](const std::string& motion, const std::string& shutter) {
    write_bytes(folder / "scene.toml", scene + body + motion + camera + shutter);
    return read_png(render(folder / "frame_0000.ply", options).pictures[0]).rgb;
  };
  // Nothing moves, so the eight moments are all alike.
  EXPECT_EQ(picture("", "shutter = 0.5\n"), picture("", ""));
  EXPECT_NE(picture("velocity = [4, 0, 0]\n", "shutter = 0.5\n"), picture("velocity = [4, 0, 0]\n", ""));
  Frame falling = make_ball({0, 0.3, 0}, 3, 0.012);
  for (auto& v : falling.velocity) v = {0, -4, 0};
  write_ply(folder / "frame_0000.ply", falling);
  EXPECT_NE(picture("", "shutter = 0.5\n"), picture("", ""));
}

TEST(RenderErrors, SayThatBlurNeedsVelocities) {
  const TempFolder folder;
  make_run(folder, 1);
  write_bytes(folder / "scene.toml", kFallingBall + std::string("[render]\nshutter = 0.5\n"));
  Frame still = make_ball({0, 0.3, 0}, 3, 0.012);
  still.velocity.clear();
  write_ply(folder / "frame_0000.ply", still);
  EXPECT_EQ(error_of(folder / "frame_0000.ply", tiny_pictures()),
            folder / "frame_0000.ply: motion blur (shutter) needs velocities, and the frame has none");
}

TEST(RenderErrors, SayWhatToDoInstead) {
  const TempFolder folder;
  write_ply(folder / "flat.ply", make_ball({0, 0.15, 0}, 2, 0.012));
  EXPECT_EQ(error_of(folder / "flat.ply", tiny_pictures()),
            folder / "flat.ply: this snow is two-dimensional, which firn preview draws and firn render does not");
  RenderOptions options = tiny_pictures();
  options.film = folder / "a.mp4";
  EXPECT_EQ(error_of(folder / "flat.ply", options), folder / "flat.ply: one frame makes no film, give the folder of a run");
  options = tiny_pictures();
  options.samples = 0;
  EXPECT_EQ(error_of(folder / "flat.ply", options), "0 samples a pixel; allowed: 1 to 1048576");
  options = tiny_pictures();
  options.height = 9000;
  EXPECT_EQ(error_of(folder / "flat.ply", options), "a picture of 9000 pixels; allowed: 16 to 8192");
  EXPECT_FALSE(fs::exists(folder / "render")) << "nothing is written";
}

TEST(RenderErrors, OfASkyStandAtItsKey) {
  const TempFolder folder;
  make_run(folder, 1);
  write_bytes(folder / "sky.hdr", "#?RADIANCE\n\n-Y 1 +X 1\n\xff\xff\xff\x82");
  write_bytes(folder / "scene.toml", kFallingBall + std::string("[render]\nwidth = 40\nsky_image = \"sky.hdr\"\n"));
  const std::string at_key = folder / "scene.toml:14:1: sky_image: ";
  EXPECT_EQ(error_of(folder.path(), tiny_pictures()), at_key + "1 x 1 pixels; a sky is twice as wide as high");
  write_bytes(folder / "sky.hdr", "GIF");
  EXPECT_EQ(error_of(folder.path(), tiny_pictures()), at_key + (folder / "sky.hdr: neither an OpenEXR nor a Radiance (.hdr) picture"));
  EXPECT_FALSE(fs::exists(folder / "render")) << "nothing is written";
}

// A key that is read and then not used is a defect.
TEST(Render, EveryKeyOfTheSectionChangesThePicture) {
  const TempFolder folder;
  make_run(folder, 2);
  RenderOptions options = tiny_pictures();
  options.width = options.height = std::nullopt;
  const auto picture = [&](const std::string& keys) {
    write_bytes(folder / "scene.toml", kFallingBall + ("[render]\n" + keys));
    return read_png(render(folder / "frame_0001.ply", options).pictures[0]).rgb;
  };
  const std::string size = "width = 48\nheight = 27\n", camera = "position = [0, 0.4, 1]\ntarget = [0, 0.2, 0]\n";
  const std::string from = "keys = [{ t = 0, position = [0, 0.4, 1], target = [0, 0.2, 0] },",
                    to = "{ t = 0.2, position = [1, 0.4, 1], target = [0, 0.2, 0] }]\n";
  const std::string sky = "sky_image = \"sky.hdr\"\n";
  write_sky(folder / "sky.hdr");
  struct Case {
    std::string key, before, after;
  };
  const std::vector<Case> cases{
      {"width", "width = 40\nheight = 27\n", size},
      {"height", "width = 48\nheight = 28\n", size},
      {"fov", size + "fov = 40\n", size},
      {"position", size + camera, size + "position = [0.4, 0.4, 1]\ntarget = [0, 0.2, 0]\n"},
      {"target", size + camera, size + "position = [0, 0.4, 1]\ntarget = [0.1, 0.2, 0]\n"},
      {"keys", size + from + to, size + camera},
      {"interpolation", size + from + to + "interpolation = \"smooth\"\n", size + from + to},
      {"exposure", size + "exposure = 1\n", size},
      {"shutter", size + from + to + "shutter = 1\n", size + from + to},
      {"white_balance", size + "white_balance = 0\n", size},
      {"tone", size + "tone = \"srgb\"\n", size},
      {"sun", size + "sun = [0, 1, -1]\n", size},
      {"sun_strength", size + "sun_strength = 0.3\n", size},
      {"sky_strength", size + "sky_strength = 0.3\n", size},
      {"sky_image", size + sky, size},
      {"sky_turn", size + sky + "sky_turn = 180\n", size + sky},
      {"lights", size + "lights = [{ shape = \"sphere\", center = [0.3, 0.3, 0.3], radius = 0.05, strength = 50 }]\n", size},
      {"extinction", size + "extinction = 30\n", size},
      {"albedo", size + "albedo = [0.9, 0.5, 0.2]\n", size},
      {"anisotropy", size + "anisotropy = -0.5\n", size},
      {"voxel", size + "voxel = 0.03\n", size}};
  std::set<std::string_view> covered;
  for (const Case& c : cases) {
    EXPECT_NE(picture(c.before), picture(c.after)) << c.key;
    covered.insert(c.key);
  }
  for (const std::string_view name : schema::names_of(RenderSettings{}).all) EXPECT_TRUE(covered.count(name)) << name;
}

}  // namespace
}  // namespace firn
