// Nodes, velocities and forces on pictures.
#include "render/preview/grid_overlay.h"

#include <gtest/gtest.h>

#include "falling_ball.h"
#include "firn/error.h"
#include "io/vdb_write.h"

namespace firn {
namespace {

using namespace test;

constexpr int kWide = 480, kHigh = 270;

// A picture of the x-y plane that is 3 m high, its middle at the origin.
Camera camera_of(bool flat) {
  Camera camera;
  camera.radius = 1.5;
  if (flat) camera.half_height = 1;
  return camera;
}

// The picture of nodes with these velocities, and of the middle of what is blue, m from the picture's.
struct Blue {
  int pixels = 0;
  double x = 0, y = 0;
};

Blue blue_of(const GridFields& grid, bool flat) {
  const TempFolder folder;
  FrameNotes notes;
  notes.spacing = grid.spacing;
  write_grid_vdb(folder / "nodes_0007.vdb", grid, {GridField::kVelocity}, notes);
  Image image{kWide, kHigh, std::vector<std::uint8_t>(std::size_t{3} * kWide * kHigh, 60)};
  GridOverlay overlay({Show::kVelocity});
  overlay.draw(folder / "frame_0007.ply", nullptr, camera_of(flat), 0, image);
  Blue blue;
  for (int y = 0; y < kHigh; ++y)
    for (int x = 0; x < kWide; ++x) {
      const std::uint8_t* rgb = image.rgb.data() + 3 * (y * kWide + x);
      if (rgb[2] < rgb[0] + 60) continue;
      ++blue.pixels;
      blue.x += x - 0.5 * kWide;
      blue.y += 0.5 * kHigh - y;
    }
  if (blue.pixels > 0) {
    blue.x /= blue.pixels;
    blue.y /= blue.pixels;
  }
  return blue;
}

GridFields one_node(const Vector& velocity, std::int32_t layer = 0) {
  GridFields grid;
  grid.spacing = 0.25;
  grid.node = {{0, 0, layer}};
  grid.velocity = {velocity};
  return grid;
}

TEST(GridOverlay, DrawsArrowsThatPointWhereVelocitiesDo) {
  for (const bool flat : {true, false}) {
    const Blue right = blue_of(one_node({3, 0, 0}), flat), up = blue_of(one_node({0, 3, 0}), flat),
               down = blue_of(one_node({0, -3, 0}), flat);
    EXPECT_GT(right.x, 3);
    EXPECT_NEAR(right.y, 0, 1);
    EXPECT_GT(up.y, 3);
    EXPECT_NEAR(up.x, 0, 1);
    EXPECT_LT(down.y, -3);
  }
}

TEST(GridOverlay, DrawsNothingForWhatDoesNotMoveOrPointsAtTheCamera) {
  EXPECT_EQ(blue_of(one_node({0, 0, 0}), true).pixels, 0);
  EXPECT_EQ(blue_of(one_node({0, 0, 5}), false).pixels, 0);
}

TEST(GridOverlay, ShowsTheLayerInTheMiddleOfTheSnow) {
  GridFields grid;
  grid.spacing = 0.25;
  for (const std::int32_t layer : {-1, 0, 1}) {
    grid.node.push_back({0, 0, layer});
    grid.velocity.push_back({layer == 0 ? 3.0 : -3.0, 0, 0});
  }
  EXPECT_GT(blue_of(grid, false).x, 3);
}

TEST(GridOverlay, WantsNodesBesideTheFrameWithWhatItShows) {
  const TempFolder folder;
  Image image{kWide, kHigh, std::vector<std::uint8_t>(std::size_t{3} * kWide * kHigh, 60)};
  GridOverlay forces({Show::kForce});
  EXPECT_THROW(forces.draw(folder / "frame_0007.ply", nullptr, camera_of(true), 0, image), UserError);
  FrameNotes notes;
  notes.spacing = 0.25;
  write_grid_vdb(folder / "nodes_0007.vdb", one_node({1, 0, 0}), {GridField::kVelocity}, notes);
  EXPECT_THROW(forces.draw(folder / "frame_0007.ply", nullptr, camera_of(true), 0, image), UserError);
  EXPECT_NO_THROW(GridOverlay({Show::kNodes}).draw(folder / "frame_0007.ply", nullptr, camera_of(true), 0, image));
  EXPECT_THROW(forces.draw(folder / "final.ply", nullptr, camera_of(true), 0, image), UserError);
}

}  // namespace
}  // namespace firn
