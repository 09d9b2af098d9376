// render() with volumes: what light goes through, as a file.
#include <gtest/gtest.h>
#include <openvdb/openvdb.h>

#include <filesystem>
#include <numeric>

#include "../io/volumes.h"
#include "falling_ball.h"
#include "firn/error.h"
#include "firn/picture.h"
#include "support/error_of.h"

namespace firn {
namespace {

using namespace test;
namespace fs = std::filesystem;

RenderOptions tiny_pictures_with_volumes() {
  RenderOptions options;
  options.samples = 1;
  options.width = 32;
  options.height = 18;
  options.volume = true;
  return options;
}

struct Weighed {
  double mass = 0;           // kg
  openvdb::Vec3d centre{0};  // of mass, m
};

Weighed weighed(const std::string& path) {
  test::Volume volume(path);
  const openvdb::FloatGrid::Ptr density = volume.grid<openvdb::FloatGrid>("density");
  const double voxel = density->voxelSize()[0];
  Weighed sum;
  for (auto on = density->cbeginValueOn(); on; ++on) {
    const double mass = *on * voxel * voxel * voxel;
    sum.mass += mass;
    sum.centre += mass * density->indexToWorld(on.getCoord());
  }
  sum.centre /= sum.mass;
  return sum;
}

TEST(RenderVolume, HasTheMassAndThePlaceOfTheParticles) {
  const TempFolder folder;
  make_run(folder, 2);
  render(folder.path(), tiny_pictures_with_volumes());
  for (int i = 0; i < 2; ++i) {
    const Frame frame = read_frame(folder / ("frame_000" + std::to_string(i) + ".ply"));
    const double mass = std::accumulate(frame.mass.begin(), frame.mass.end(), 0.0);
    openvdb::Vec3d centre(0);
    for (std::size_t p = 0; p < frame.size(); ++p) centre += frame.mass[p] / mass * openvdb::Vec3d(frame.position[p].data());
    const Weighed found = weighed(folder / ("render/frame_000" + std::to_string(i) + ".vdb"));
    EXPECT_NEAR(found.mass, mass, 1e-5 * mass);
    // Grains lie anywhere about their particle: thousands of them, millimetres off each.
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(found.centre[d], centre[d], 3e-4) << d;
  }
}

TEST(RenderVolume, HasTheVoxelsAndTheTimeOfThePicture) {
  const TempFolder folder;
  make_run(folder, 2);
  write_bytes(folder / "scene.toml", kFallingBall + std::string("[render]\nvoxel = 0.004\n"));
  render(folder / "frame_0001.ply", tiny_pictures_with_volumes());
  test::Volume volume(folder / "render/frame_0001.vdb");
  EXPECT_EQ(volume.names(), std::set<std::string>{"density"});
  EXPECT_DOUBLE_EQ(volume.grid<openvdb::FloatGrid>("density")->voxelSize()[0], 0.004);
  EXPECT_EQ(volume.notes().metaValue<double>("spacing"), 0.004);
  EXPECT_DOUBLE_EQ(volume.notes().metaValue<double>("time"), 1.0 / 24);
}

double voxel_of(const std::string& path) { return test::Volume(path).grid<openvdb::FloatGrid>("density")->voxelSize()[0]; }

// Where voxels are chosen frame by frame, the snow's look jumps in the middle of the film.
TEST(RenderVolume, HasTheSameVoxelsInAllFramesThoughSnowComesAndGoes) {
  const TempFolder folder;
  write_bytes(folder / "scene.toml", kFallingBall);
  constexpr double kMany = 0.0027;  // m, between particles: so many that voxels get wider than a quarter of it
  const double spacings[] = {0.02, kMany, 0.012};
  for (int i = 0; i < 3; ++i) write_ply(folder / ("frame_000" + std::to_string(i) + ".ply"), make_ball({0, 0.2, 0}, 3, spacings[i]));
  write_ply(folder / "frame_0003.ply", Frame{});
  render(folder.path(), tiny_pictures_with_volumes());
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(voxel_of(folder / ("render/frame_000" + std::to_string(i) + ".vdb")), kMany / 3, 1e-9) << i;
}

TEST(RenderVolume, IsWrittenOnlyWhenAskedFor) {
  const TempFolder folder;
  make_run(folder, 1);
  RenderOptions options = tiny_pictures_with_volumes();
  options.volume = false;
  render(folder.path(), options);
  EXPECT_FALSE(fs::exists(folder / "render/frame_0000.vdb"));
}

TEST(RenderVolume, OfAFrameWithoutASceneIsBesideItsPicture) {
  const TempFolder folder;
  write_ply(folder / "snow.ply", make_ball({40, -7, 0.5}, 3, 0.012));
  render(folder / "snow.ply", tiny_pictures_with_volumes());
  EXPECT_NEAR(weighed(folder / "render/snow.vdb").centre[0], 40, 1e-3);
}

TEST(RenderVolume, SaysWhenVoxelsAreTooSmallForAFile) {
  const TempFolder folder;
  make_run(folder, 1);
  write_bytes(folder / "scene.toml", kFallingBall + std::string("[render]\nvoxel = 1e-5\n"));
  write_ply(folder / "frame_0000.ply", make_ball({0, 0.2, 0}, 3, 0.05));
  EXPECT_EQ(test::error_of([&] { render(folder.path(), tiny_pictures_with_volumes()); }),
            folder / "render/frame_0000.vdb: the grid spacing is 1e-05 m, volumes need at least 2e-05 m");
}

}  // namespace
}  // namespace firn
