// Nodes of the grid in files, read back by OpenVDB and by the reader of VTP files.
#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/level_set.h"
#include "io/particle_files.h"
#include "io/vdb_write.h"
#include "temp_folder.h"
#include "volumes.h"

namespace firn {
namespace {

using namespace test;

const std::vector<GridField> kAll{GridField::kMass, GridField::kVelocity, GridField::kForce};

// Numbers that floats have.
GridFields some_nodes(int dimension) {
  GridFields grid;
  grid.spacing = kSpacing;
  for (int i = -9; i < 20; i += 4)
    for (int j = 0; j < 9; ++j) {
      const int k = dimension == 3 ? j - 3 : 0;
      grid.node.push_back({i, j, k});
      grid.mass.push_back(0.25 * (j + 1));
      grid.velocity.push_back({0.5 * i, -1.0 * j, 2.0 * k});
      grid.force.push_back({128.0 * j, -64.0 * i, 0.125 * k});
    }
  return grid;
}

TEST(GridVdb, HasAVolumeOfEachFieldWithItsValuesAtTheNodes) {
  for (const int dimension : {2, 3}) {
    const TempFolder folder;
    const GridFields grid = some_nodes(dimension);
    write_grid_vdb(folder / "nodes_0000.vdb", grid, kAll, dimension == 3 ? notes_3d() : notes_2d());
    test::Volume volume(folder / "nodes_0000.vdb");
    EXPECT_EQ(volume.names(), (std::set<std::string>{"mass", "velocity", "force"}));
    const auto mass = volume.grid<openvdb::FloatGrid>("mass");
    const auto velocity = volume.grid<openvdb::Vec3SGrid>("velocity"), force = volume.grid<openvdb::Vec3SGrid>("force");
    for (const openvdb::GridBase::Ptr& any :
         {openvdb::GridBase::Ptr(mass), openvdb::GridBase::Ptr(velocity), openvdb::GridBase::Ptr(force)})
      EXPECT_EQ(any->activeVoxelCount(), grid.size());
    for (std::size_t i = 0; i < grid.size(); ++i) {
      const openvdb::Coord at(grid.node[i][0], grid.node[i][1], grid.node[i][2]);
      const openvdb::Vec3d place = mass->indexToWorld(at);
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(place[d], grid.node[i][d] * kSpacing, 1e-12);
      EXPECT_EQ(mass->tree().getValue(at), static_cast<float>(grid.mass[i]));
      for (int d = 0; d < 3; ++d) {
        EXPECT_EQ(velocity->tree().getValue(at)[d], static_cast<float>(grid.velocity[i][d]));
        EXPECT_EQ(force->tree().getValue(at)[d], static_cast<float>(grid.force[i][d]));
      }
    }
    EXPECT_EQ(volume.notes().metaValue<double>("time"), 0.125);
  }
}

TEST(GridVdb, IsReadBackAsItWas) {
  const TempFolder folder;
  const GridFields grid = some_nodes(3);
  write_grid_vdb(folder / "nodes_0000.vdb", grid, kAll, notes_3d());
  const GridFields read = read_grid_vdb(folder / "nodes_0000.vdb");
  EXPECT_NEAR(read.spacing, grid.spacing, 1e-12);
  EXPECT_EQ(read.node, grid.node);
  EXPECT_EQ(read.mass, grid.mass);
  EXPECT_EQ(read.velocity, grid.velocity);
  EXPECT_EQ(read.force, grid.force);
}

TEST(GridVdb, HasNothingThatWasNotAskedFor) {
  const TempFolder folder;
  write_grid_vdb(folder / "nodes_0000.vdb", some_nodes(3), {GridField::kForce}, notes_3d());
  const GridFields read = read_grid_vdb(folder / "nodes_0000.vdb");
  EXPECT_EQ(read.node, some_nodes(3).node);
  EXPECT_TRUE(read.mass.empty());
  EXPECT_TRUE(read.velocity.empty());
  EXPECT_EQ(read.force, some_nodes(3).force);
}

TEST(GridVdb, WithoutNodesIsAFile) {
  const TempFolder folder;
  GridFields empty;
  empty.spacing = kSpacing;
  write_grid_vdb(folder / "nodes_0000.vdb", empty, kAll, notes_3d());
  EXPECT_EQ(read_grid_vdb(folder / "nodes_0000.vdb").size(), 0u);
}

// The reader knows mass and velocity as fields of particles, and skips what it does not know.
TEST(GridVtp, HasPointsAtTheNodesWithTheirFields) {
  for (const int dimension : {2, 3})
    for (const bool double_precision : {false, true}) {
      const TempFolder folder;
      GridFields grid = some_nodes(dimension);
      grid.double_precision = double_precision;
      write_grid_vtp(folder / "nodes_0000.vtp", grid, kAll, 0.5);
      const Frame read = read_vtp(folder / "nodes_0000.vtp");
      ASSERT_EQ(read.size(), grid.size());
      EXPECT_EQ(read.double_precision, double_precision);
      EXPECT_EQ(read.mass, grid.mass);
      EXPECT_EQ(read.velocity, grid.velocity);
      for (std::size_t i = 0; i < grid.size(); ++i)
        for (int d = 0; d < 3; ++d) EXPECT_NEAR(read.position[i][d], grid.node[i][d] * kSpacing, double_precision ? 1e-15 : 1e-7);
    }
}

TEST(GridVtp, HasForcesLikeVelocities) {
  const TempFolder folder;
  GridFields grid = some_nodes(3);
  write_grid_vtp(folder / "nodes_0000.vtp", grid, {GridField::kForce}, 0);
  std::string bytes = read_bytes(folder / "nodes_0000.vtp");
  const std::string name = "Name=\"force\"";
  ASSERT_NE(bytes.find(name), std::string::npos);
  bytes.replace(bytes.find(name), name.size(), "Name=\"velocity\"");
  EXPECT_EQ(parse_vtp("a", bytes).velocity, grid.force);
}

TEST(NodesNames, AreNoNamesOfFrames) {
  for (const FrameNumber number : {FrameNumber{0, 0}, FrameNumber{12, 3}, FrameNumber{123456, 0}}) {
    const std::string name = nodes_stem(number) + ".vtp";
    EXPECT_FALSE(frame_number(name)) << name;
    EXPECT_EQ(nodes_number(name), number);
    EXPECT_FALSE(nodes_number(frame_stem(number) + ".vtp"));
  }
}

}  // namespace
}  // namespace firn
