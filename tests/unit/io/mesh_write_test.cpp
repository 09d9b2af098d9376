// Meshes and surfaces as files.
#include "io/mesh_write.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <numbers>

#include "firn/error.h"
#include "firn/surface.h"
#include "frames.h"
#include "geometry/read_mesh.h"
#include "geometry/repair.h"
#include "temp_folder.h"

namespace firn {
namespace {

using test::read_bytes;
using test::TempFolder;

Mesh tetrahedron() {
  return {{{0.1, 0, 0}, {1.0 / 3, 0, 0}, {0, 1e-7, 0}, {0, 0, 12345.678}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

// A cube of 8 × 8 × 8 particles, with volumes.
Frame block() {
  Frame frame;
  for (int k = 0; k < 512; ++k) {
    frame.position.push_back({0.01 * (k / 64) + 0.005, 0.01 * (k / 8 % 8) + 0.005, 0.01 * (k % 8) + 0.005});
    frame.volume.push_back(1e-6);
  }
  return frame;
}

// Every triangle's corners as floats: readers may number vertices anew.
std::vector<std::array<float, 9>> corners(const Mesh& mesh) {
  std::vector<std::array<float, 9>> all;
  for (const Triangle& t : mesh.triangles) {
    std::array<float, 9>& c = all.emplace_back();
    for (std::size_t k = 0; k < 9; ++k) c[k] = static_cast<float>(mesh.points[t[k / 3]][static_cast<int>(k % 3)]);
  }
  return all;
}

TEST(MeshWrite, ObjAndPlyAreReadBackAsTheSameMesh) {
  const TempFolder folder;
  write_obj(folder / "a b.obj", tetrahedron());
  write_mesh_ply(folder / "a b.ply", tetrahedron());
  EXPECT_EQ(corners(read_mesh(folder / "a b.ply")), corners(tetrahedron()));
  EXPECT_EQ(corners(read_mesh(folder / "a b.obj")), corners(tetrahedron()));
}

TEST(MeshWrite, ObjHasShortNumbersThatAreExact) {
  const TempFolder folder;
  write_obj(folder / "a.obj", tetrahedron());
  const std::string text = read_bytes(folder / "a.obj");
  EXPECT_EQ(text.substr(0, text.find("vn")),
            "# 4 vertices, 4 triangles; metres, y up\nv 0.1 0 0\nv 0.33333334 0 0\nv 0 1e-07 0\nv 0 0 12345.678\n");
  EXPECT_NE(text.find("\nf 1//1 3//3 2//2\n"), std::string::npos);
}

TEST(MeshWrite, ThatFailsLeavesNothing) {
  const TempFolder folder;
  Mesh bad = tetrahedron();
  bad.points[2][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(write_obj(folder / "a.obj", bad), RunError);
  EXPECT_THROW(write_mesh_ply(folder / "a.ply", bad), RunError);
  EXPECT_THROW(write_obj(folder / "missing/a.obj", tetrahedron()), RunError);
  std::filesystem::create_directory(folder / "a.ply");
  EXPECT_THROW(write_mesh_ply(folder / "a.ply", tetrahedron()), RunError);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(WriteSurface, ReportsWhatIsInTheFile) {
  const TempFolder folder;
  const SurfaceReport report = write_surface(folder / "a.obj", block());
  EXPECT_NEAR(report.volume, 512e-6, 0.12 * 512e-6);  // so small a block loses most at its edges
  MeshReport found;
  const Mesh mesh = repair(read_mesh(folder / "a.obj"), found);
  EXPECT_EQ(mesh.points.size(), report.vertices);
  EXPECT_EQ(mesh.triangles.size(), report.triangles);
  EXPECT_EQ(found.open_edges, 0u);
  EXPECT_EQ(found.turned_triangles, 0u);
  EXPECT_FALSE(found.inside_out);
  EXPECT_NEAR(found.volume, report.volume, 1e-5 * report.volume);
  EXPECT_NEAR(found.area, report.area, 1e-5 * report.area);
  EXPECT_EQ(write_surface(folder / "a.ply", block()).triangles, report.triangles);
  EXPECT_EQ(read_mesh(folder / "a.ply").triangles.size(), report.triangles);
}

TEST(WriteSurface, WithoutParticlesIsAFileWithoutTriangles) {
  const TempFolder folder;
  for (const char* name : {"a.obj", "a.ply"}) {
    const SurfaceReport report = write_surface(folder / name, {});
    EXPECT_EQ(report.vertices + report.triangles, 0u);
    EXPECT_EQ(report.volume + report.area, 0);
  }
  EXPECT_EQ(read_bytes(folder / "a.obj"), "# 0 vertices, 0 triangles; metres, y up\n");
  EXPECT_EQ(read_ply(folder / "a.ply").size(), 0u);
}

TEST(WriteSurface, GoesByTheVolumeThatPackedSnowHasNow) {
  const TempFolder folder;
  Frame packed = block();
  for (auto& x : packed.position)
    for (double& coordinate : x) coordinate *= 0.9;
  packed.jp.assign(packed.size(), 0.9 * 0.9 * 0.9);
  const double before = write_surface(folder / "a.ply", block()).volume, after = write_surface(folder / "b.ply", packed).volume;
  EXPECT_NEAR(after / before, 0.9 * 0.9 * 0.9, 0.02);
}

TEST(WriteSurface, OfParticlesWithoutVolumesNeedsTheirSizeInAnotherWay) {
  const TempFolder folder;
  Frame frame = block();
  const SurfaceReport expected = write_surface(folder / "a.ply", frame);
  frame.volume.clear();
  EXPECT_THROW(write_surface(folder / "b.ply", frame), UserError);
  SurfaceOptions by_spacing, by_radius;
  by_spacing.spacing = 0.02;
  by_radius.radius = std::cbrt(1e-6 * 3 / (4 * std::numbers::pi));
  EXPECT_NEAR(write_surface(folder / "c.ply", frame, by_spacing).volume, expected.volume, 1e-3 * expected.volume);
  EXPECT_NEAR(write_surface(folder / "d.ply", frame, by_radius).volume, expected.volume, 1e-3 * expected.volume);
}

TEST(WriteSurface, RefusesWhatItCannotDoAndLeavesNothing) {
  const TempFolder folder;
  EXPECT_THROW(write_surface(folder / "a.stl", block()), UserError);
  Frame flat = block();
  for (auto& x : flat.position) x[2] = 0;
  EXPECT_THROW(write_surface(folder / "a.ply", flat), UserError);
  const auto refused = [&](double SurfaceOptions::*option, double value) {
    SurfaceOptions options;
    options.*option = value;
    EXPECT_THROW(write_surface(folder / "a.ply", block(), options), UserError) << value;
  };
  refused(&SurfaceOptions::voxel, -1);
  refused(&SurfaceOptions::voxel, 1e-7);  // takes more memory than there is
  refused(&SurfaceOptions::voxel, std::numeric_limits<double>::quiet_NaN());
  refused(&SurfaceOptions::radius_factor, 0);
  refused(&SurfaceOptions::smoothing, 1);
  refused(&SurfaceOptions::adaptivity, 1.5);
  EXPECT_EQ(folder.count(), 0u);
}

}  // namespace
}  // namespace firn
