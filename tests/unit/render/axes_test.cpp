// Where and when, at the edges of pictures of 2D runs.
#include <gtest/gtest.h>

#include <limits>

#include "falling_ball.h"
#include "firn/picture.h"
#include "png_files.h"
#include "render/preview/frame_picture.h"

namespace firn {
namespace {

using namespace test;

constexpr int kWide = 480, kHigh = 270;

Image blank() { return {kWide, kHigh, std::vector<std::uint8_t>(std::size_t{3} * kWide * kHigh, 60)}; }

// A picture that is 3 m high, its middle at (1, 2) m.
Camera flat_camera() {
  Camera camera;
  camera.focus = {1, 2, 0};
  camera.radius = 1.5;
  camera.half_height = 1;
  return camera;
}

// The columns of ticks along the lower edge.
std::vector<int> ticks_below(const Image& image, const Inset& inset) {
  std::vector<int> columns;
  for (int x = inset.left; x < image.width; ++x)
    if (pixel_at(image, x, image.height - inset.bottom + 1).brightness() > 150) columns.push_back(x);
  return columns;
}

TEST(Axes, HaveTicksAtRoundMetres) {
  Image image = blank();
  const Inset inset = draw_axes(flat_camera(), 0.5, image);
  EXPECT_GT(inset.left, 10);
  EXPECT_GT(inset.bottom, 10);
  const std::vector<int> ticks = ticks_below(image, inset);
  ASSERT_GT(ticks.size(), 2u);
  for (const int x : ticks) {
    const double metres = 1 + (x + 0.5 - 0.5 * kWide) * 3.0 / kHigh;
    EXPECT_NEAR(metres, std::round(metres), 2 * 3.0 / kHigh) << "about 90 pixels a metre: a tick for each";
  }
}

TEST(Axes, TellTheTimeInTheUpperRightCorner) {
  Image early = blank(), late = blank();
  draw_axes(flat_camera(), 0, early);
  draw_axes(flat_camera(), 1.25, late);
  int left = 0, right = 0;
  for (int y = 0; y < kHigh; ++y)
    for (int x = 0; x < kWide; ++x)
      if (pixel_at(early, x, y).brightness() != pixel_at(late, x, y).brightness()) ++(x > kWide / 2 && y < kHigh / 4 ? right : left);
  EXPECT_GT(right, 10);
  EXPECT_EQ(left, 0);
}

TEST(Axes, LeaveOtherPicturesAlone) {
  Image image = blank();
  draw_axes(Camera{}, 0, image);
  EXPECT_EQ(image.rgb, blank().rgb) << "a perspective has no metres";
  Image tiny{96, 54, std::vector<std::uint8_t>(3 * 96 * 54, 60)};
  const Image before = tiny;
  draw_axes(flat_camera(), 0, tiny);
  EXPECT_EQ(tiny.rgb, before.rgb);
}

TEST(Axes, SurviveAnyCamera) {
  for (const double focus : {0.0, 1e17, -1e300, std::numeric_limits<double>::infinity()})
    for (const double radius : {1e-300, 1e-9, 1e9, 1e300, 0.0}) {
      Camera camera = flat_camera();
      camera.focus = {focus, -focus, 0};
      camera.radius = radius;
      Image image = blank();
      draw_axes(camera, 1e9, image);
    }
}

TEST(Preview2D, HasAxesAndTime) {
  const TempFolder folder;
  write_bytes(
      folder / "scene.toml",
      "[simulation]\ndimension = 2\nspacing = 0.01\nduration = 0.125\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 0.2]\nradius = 0.1\n");
  for (const int i : {0, 1}) write_ply(folder / ("frame_000" + std::to_string(i) + ".ply"), make_ball({0, 0.2, 0}, 2));
  PreviewOptions options;
  options.width = kWide;
  options.height = kHigh;
  options.film = false;
  const PreviewResult result = preview(folder.path(), options);
  const Image first = read_png(result.pictures[0]), second = read_png(result.pictures[1]);
  EXPECT_NE(first.rgb, second.rgb) << "the same snow at another time";
  int bright = 0;  // letters along the lower edge
  for (int x = 0; x < kWide; ++x)
    for (int y = kHigh - 14; y < kHigh; ++y) bright += pixel_at(first, x, y).brightness() > 150;
  EXPECT_GT(bright, 30);
}

}  // namespace
}  // namespace firn
