// Volumes that other programs wrote.
#include <gtest/gtest.h>
#include <openvdb/io/File.h>
#include <openvdb/tools/LevelSetSphere.h>
#include <openvdb/tools/LevelSetUtil.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "firn/error.h"
#include "geometry/level_set.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

using openvdb::FloatGrid;

constexpr double kSphereRadius = 0.4;

std::string write_vdb(const test::TempFolder& folder, const openvdb::GridPtrVec& grids) {
  const std::string path = folder.file("a.vdb");
  openvdb::io::File(path).write(grids);
  return path;
}

FloatGrid::Ptr sphere() {
  openvdb::initialize();
  return openvdb::tools::createLevelSetSphere<FloatGrid>(kSphereRadius, {1, 2, 3}, 0.02f);
}

void expect_sphere(const Mesh& mesh, double tolerance) {
  ASSERT_FALSE(mesh.triangles.empty());
  for (const Vec<double, 3>& x : mesh.points) ASSERT_NEAR(norm(x - Vec<double, 3>{1, 2, 3}), kSphereRadius, tolerance);
  EXPECT_NEAR(std::abs(signed_volume(mesh)), 4.0 / 3 * std::numbers::pi * std::pow(kSphereRadius, 3), 4 * tolerance);
}

TEST(VdbFile, OfALevelSetGivesItsSurface) {
  const test::TempFolder folder;
  const openvdb::GridBase::Ptr points = openvdb::Int32Grid::create();  // something else, before it
  expect_sphere(read_vdb(write_vdb(folder, {points, sphere()}), 0.5), 0.003);
}

TEST(VdbFile, OfFogGivesTheSurfaceAtTheThreshold) {
  const test::TempFolder folder;
  const FloatGrid::Ptr fog = sphere();
  openvdb::tools::sdfToFogVolume(*fog);
  const std::string path = write_vdb(folder, {fog});
  expect_sphere(read_vdb(path, 0.02), 0.02);
  EXPECT_LT(std::abs(signed_volume(read_vdb(path, 0.9))), std::abs(signed_volume(read_vdb(path, 0.1))));
}

TEST(VdbFile, WithoutAUsableGridIsRefused) {
  const test::TempFolder folder;
  openvdb::initialize();
  EXPECT_THROW(read_vdb(write_vdb(folder, {openvdb::Int32Grid::create()}), 0.5), UserError);
  EXPECT_THROW(read_vdb(write_vdb(folder, {FloatGrid::create()}), 0.5), UserError);
}

TEST(VdbFile, DamagedAnywhereIsRefusedOrReadButNeverCrashes) {
  const test::TempFolder folder;
  const std::string path = write_vdb(folder, {sphere()});
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 12)
    EXPECT_THROW(read_vdb(folder.write("cut.vdb", bytes.substr(0, cut)), 0.5), UserError) << cut;
  for (std::size_t at = 8; at < bytes.size(); at += 1 + bytes.size() / 12) {
    std::string changed = bytes;
    for (std::size_t i = at; i < std::min(at + 8, bytes.size()); ++i) changed[i] = '\xff';
    try {
      read_vdb(folder.write("changed.vdb", changed), 0.5);
    } catch (const UserError&) {
    }
  }
}

}  // namespace
}  // namespace firn
