#include "geometry/read_mesh.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include "geometry/repair.h"
#include "support/mesh_files.h"
#include "support/meshes.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

using test::cube;
using test::TempFolder;

constexpr double kSinglePrecision = 1e-6;

std::string error_of(const std::string& path) {
  try {
    read_mesh(path);
  } catch (const UserError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_EQ(what.rfind(path + ": ", 0), 0u) << what;
    return what;
  }
  return "no error";
}

std::string error_of(const std::string& name, const std::string& bytes) {
  const TempFolder folder;
  return error_of(folder.write(name, bytes));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Mesh read(const std::string& name, const std::string& bytes) {
  const TempFolder folder;
  return read_mesh(folder.write(name, bytes));
}

struct Format {
  const char* name;
  const char* file;
  std::function<std::string(const Mesh&)> write;
};

class EveryFormat : public ::testing::TestWithParam<Format> {};

TEST_P(EveryFormat, GivesVolumeAndAreaOfTheCube) {
  const Mesh mesh = read(GetParam().file, GetParam().write(cube()));
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_NEAR(signed_volume(mesh), 1, kSinglePrecision);
  EXPECT_NEAR(surface_area(mesh), 6, kSinglePrecision);
}

TEST_P(EveryFormat, GivesEveryPointOfASphere) {
  const Mesh sphere = test::moved(test::dome(20, 3.0), {0.25, -3, 7});
  const Mesh mesh = read(GetParam().file, GetParam().write(sphere));
  ASSERT_EQ(mesh.triangles.size(), sphere.triangles.size());
  for (std::size_t t = 0; t < sphere.triangles.size(); ++t)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT(norm(mesh.points[mesh.triangles[t][i]] - sphere.points[sphere.triangles[t][i]]), 10 * kSinglePrecision);
}

TEST_P(EveryFormat, OfAnyBeginningIsReadOrRefused) {
  const TempFolder folder;
  const std::string bytes = GetParam().write(cube());
  for (std::size_t length = 1; length < bytes.size(); length += 1 + bytes.size() / 60) {
    try {
      const Mesh mesh = read_mesh(folder.write(GetParam().file, bytes.substr(0, length)));
      EXPECT_LE(mesh.triangles.size(), 12u);
    } catch (const UserError& error) {
      EXPECT_FALSE(contains(error.what(), "\n"));
    }
  }
}

TEST_P(EveryFormat, OfRandomBytesIsRefused) {
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    std::string bytes(400, ' ');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_NE(error_of(GetParam().file, bytes), "no error");
  }
}

TEST_P(EveryFormat, OfNoBytesIsRefused) { EXPECT_TRUE(contains(error_of(GetParam().file, ""), "the file is empty")); }

const Format kFormats[] = {
    {"Obj", "a.obj", test::obj},
    {"AsciiPly", "a.ply", test::ascii_ply},
    {"BinaryPly", "a.ply", test::binary_ply},
    {"AsciiStl", "a.stl", test::ascii_stl},
    {"BinaryStl", "a.STL", test::binary_stl},
    {"Gltf", "a.gltf", [](const Mesh& mesh) { return test::gltf(mesh); }},
    {"Glb", "a.glb", test::glb},
    {"Fbx", "a.Fbx", [](const Mesh& mesh) { return test::fbx(mesh); }},
};
INSTANTIATE_TEST_SUITE_P(All, EveryFormat, ::testing::ValuesIn(kFormats), [](const auto& info) { return info.param.name; });

TEST(ReadMesh, NestedNodesPlaceTheirMeshes) {
  // Twice as large and turned by 90 degrees about z, at (5, 0, 0) of a node that is moved up by 1; and once more, mirrored.
  const Mesh mesh = read("a.gltf", test::gltf(cube(), R"([{"translation":[0,1,0],"children":[1,2]},
      {"translation":[5,0,0],"rotation":[0,0,0.70710678,0.70710678],"scale":[2,2,2],"mesh":0},
      {"scale":[-1,1,1],"mesh":0}])"));
  ASSERT_EQ(mesh.triangles.size(), 24u);
  EXPECT_NEAR(signed_volume(mesh), 8 + 1, 10 * kSinglePrecision);
  const Bounds box = bounds(mesh);
  const Vec<double, 3> lower{-1, 1, 0}, upper{5, 3, 2};
  EXPECT_LT(norm(box.lower - lower), 10 * kSinglePrecision);
  EXPECT_LT(norm(box.upper - upper), 10 * kSinglePrecision);
}

TEST(ReadMesh, FbxComesInMetresWithYUp) {
  test::FbxSettings settings;
  settings.centimetres = 10;
  settings.right = 0, settings.up = 2, settings.front = 1;  // of another handedness: mirrored, and still no inside out
  settings.translation = {0, 0, 30};
  settings.scaling = {2, 2, 4};
  const Mesh mesh = read("a.fbx", test::fbx(cube(), settings));
  const Bounds box = bounds(mesh);
  const Vec<double, 3> lower{0, 3, 0}, upper{0.2, 3.4, 0.2};
  EXPECT_LT(norm(box.lower - lower), kSinglePrecision);
  EXPECT_LT(norm(box.upper - upper), kSinglePrecision);
  EXPECT_NEAR(signed_volume(mesh), 0.2 * 0.2 * 0.4, kSinglePrecision);
}

TEST(ReadMesh, FbxWithAxesThatAreNoneIsRefused) {
  test::FbxSettings settings;
  settings.up = 7;
  EXPECT_TRUE(contains(error_of("a.fbx", test::fbx(cube(), settings)), "UpAxis is 7"));
  settings.up = 0;
  EXPECT_TRUE(contains(error_of("a.fbx", test::fbx(cube(), settings)), "axes"));
  settings.up = 1, settings.centimetres = 0;
  EXPECT_TRUE(contains(error_of("a.fbx", test::fbx(cube(), settings)), "UnitScaleFactor"));
}

TEST(ReadMesh, PolygonsBecomeTriangles) {
  const Mesh mesh = read("a.obj", "v 0 0 0\nv 3 0 0\nv 3 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\n");
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_NEAR(surface_area(mesh), 4, kSinglePrecision);
}

TEST(ReadMesh, WhatIsNoFileIsRefused) {
  const TempFolder folder;
  EXPECT_TRUE(contains(error_of(folder / "missing.obj"), "No such file"));
  std::filesystem::create_directory(folder / "folder.obj");
  EXPECT_TRUE(contains(error_of(folder / "folder.obj"), "is a folder"));
  ASSERT_EQ(::mkfifo((folder / "pipe.obj").c_str(), 0600), 0);
  EXPECT_TRUE(contains(error_of(folder / "pipe.obj"), "not a regular file"));
}

TEST(ReadMesh, OtherExtensionsAreRefusedWithTheAllowedOnes) {
  for (const char* name : {"a.blend", "a", "a.obj.txt", ".obj"}) {
    const std::string what = error_of(name, test::obj(cube()));
    EXPECT_TRUE(contains(what, ".obj, .ply, .stl, .gltf, .glb, .fbx")) << what;
  }
}

TEST(ReadMesh, BytesOfAnotherFormatThanTheExtensionSaysAreRefused) {
  EXPECT_NE(error_of("a.gltf", test::ascii_ply(cube())), "no error");
  EXPECT_NE(error_of("a.glb", test::binary_stl(cube())), "no error");
  EXPECT_NE(error_of("a.obj", test::fbx(cube())), "no error");
}

TEST(ReadMesh, VerticesThatAreNotFiniteAreNamed) {
  Mesh mesh = cube();
  mesh.points[5][1] = std::nan("");
  EXPECT_TRUE(contains(error_of("a.ply", test::binary_ply(mesh)), "vertex 5: y is nan"));
  mesh.points[5][1] = -INFINITY;
  EXPECT_TRUE(contains(error_of("a.ply", test::binary_ply(mesh)), "vertex 5: y is -inf"));
  EXPECT_TRUE(contains(error_of("a.stl", test::binary_stl(mesh)), "y is -inf"));
}

TEST(ReadMesh, CoordinatesThatCannotBeMetresAreRefused) {
  Mesh mesh = cube();
  mesh.points[7][2] = 2e6;
  EXPECT_TRUE(contains(error_of("a.obj", test::obj(mesh)), "z is 2e+06, coordinates are metres and at most 1e+06"));
}

TEST(ReadMesh, IndicesOutOfRangeAreRefused) {
  EXPECT_NE(error_of("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"), "no error");
  EXPECT_NE(error_of("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -7\n"), "no error");
  Mesh mesh = cube();
  mesh.triangles[3][1] = 1'000'000;
  EXPECT_NE(error_of("a.ply", test::binary_ply(mesh)), "no error");
}

TEST(ReadMesh, FilesWithoutTrianglesAreRefused) {
  EXPECT_TRUE(contains(error_of("a.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n"), "points and lines"));
  EXPECT_NE(error_of("a.obj", "v 0 0 0\nv 1 0 0\n"), "no error");
  EXPECT_NE(error_of("a.obj", "# nothing\n"), "no error");
  Mesh cloud = cube();
  cloud.triangles.clear();
  EXPECT_NE(error_of("a.ply", test::binary_ply(cloud)), "no error");
  EXPECT_NE(error_of("a.stl", test::binary_stl(cloud)), "no error");
}

TEST(ReadMesh, PlyFilesThatAreCutOffAreRefused) {
  const std::string text = test::ascii_ply(cube());
  for (std::size_t length = 1; length + 3 < text.size(); length += 7) {
    const std::string what = error_of("a.ply", text.substr(0, length));
    EXPECT_TRUE(contains(what, "cut off") || contains(what, "end_header")) << length << " " << what;
  }
}

TEST(ReadMesh, CountsThatTheFileCannotHoldAreRefused) {
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1152921504606846976\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 1152921504606846976\nproperty list uchar int vertex_indices\nend_header\n";
  EXPECT_NE(error_of("a.ply", header + std::string(100, 'a')), "no error");
  std::string stl = test::binary_stl(cube());
  stl.replace(80, 4, "\xff\xff\xff\xff");
  EXPECT_NE(error_of("a.stl", stl), "no error");
}

TEST(ReadMesh, AsManyThreadsAsOneLikesReadAtOnce) {
  const TempFolder folder;
  const std::string good = folder.write("good.obj", test::obj(cube())), bad = folder.write("bad.obj", "f 1 2 3\n");
  std::atomic<int> read = 0, refused = 0;
  const auto work = [&](int number) {
    for (int i = 0; i < 10; ++i) {
      try {
        read_mesh(number % 2 == 0 ? good : bad);
        ++read;
      } catch (const UserError&) {
        ++refused;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read, 30);
  EXPECT_EQ(refused, 30);
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

TEST(ReadMesh, LeavesNeitherDescriptorsNorProcessesBehind) {
  const std::size_t before = open_descriptors();
  read("a.obj", test::obj(cube()));
  error_of("a.obj", "f 1 2 3\n");
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace firn
