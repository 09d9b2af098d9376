#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "firn/error.h"
#include "firn/frame.h"
#include "temp_folder.h"

namespace firn {
namespace {

using test::TempFolder;
using test::write_bytes;

Frame read_text(const std::string& text) {
  const TempFolder folder;
  return read_ply(write_bytes(folder / "a.ply", text));
}

// A value as it stands in a big-endian file.
template <class T>
std::string big(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return {bytes.rbegin(), bytes.rend()};
}

TEST(PlyRead, AsciiWithCommentsBlankLinesAndUnknownProperties) {
  const Frame f = read_text(
      "ply\ncomment made by hand\nformat ascii 1.0\nobj_info any text\nelement vertex 2\nproperty float x\nproperty uchar red\n"
      "property double y\nproperty float z\nproperty float mass\nend_header\n+1 255 2.5e-1 -3 4\n\n  1e0\t0 2 3 0.5  \n");
  EXPECT_EQ(f.position, (std::vector<std::array<double, 3>>{{1, 0.25, -3}, {1, 2, 3}}));
  EXPECT_EQ(f.mass, (std::vector<double>{4, 0.5}));
  EXPECT_TRUE(f.velocity.empty());
  EXPECT_TRUE(f.id.empty());
}

TEST(PlyRead, CarriageReturnsAreIgnored) {
  const Frame f = read_text("ply\r\nformat ascii 1.0\r\nelement vertex 1\r\nproperty float x\r\nproperty float y\r\nend_header\r\n1 2\r\n");
  EXPECT_EQ(f.position[0], (std::array<double, 3>{1, 2, 0}));
}

TEST(PlyRead, LastLineMayLackItsEnd) {
  EXPECT_EQ(read_text("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 2").size(), 1u);
}

TEST(PlyRead, BigEndianOfEveryTypeInBothNamingStyles) {
  const std::string header =
      "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty int8 x\nproperty uint8 y\nproperty int16 z\nproperty uint16 material\n"
      "property int32 vx\nproperty uint32 id\nproperty float32 vy\nproperty float64 vz\nproperty char je\nproperty uchar mass\n"
      "property short a\nproperty ushort volume\nproperty int b\nproperty uint c\nproperty float jp\nproperty double d\nend_header\n";
  const std::string row = big<std::int8_t>(-5) + big<std::uint8_t>(200) + big<std::int16_t>(-300) + big<std::uint16_t>(60000) +
                          big<std::int32_t>(-70000) + big<std::uint32_t>(4000000000u) + big(1.5f) + big(0.1) + big<std::int8_t>(2) +
                          big<std::uint8_t>(3) + big<std::int16_t>(1) + big<std::uint16_t>(4) + big(1) + big(1u) + big(0.75f) + big(1.0);
  const Frame f = read_text(header + row);
  EXPECT_EQ(f.position[0], (std::array<double, 3>{-5, 200, -300}));
  EXPECT_EQ(f.velocity[0], (std::array<double, 3>{-70000, 1.5, 0.1}));
  EXPECT_EQ(f.id[0], 4000000000u);
  EXPECT_EQ(f.material[0], 60000);
  EXPECT_EQ(f.je[0], 2);
  EXPECT_EQ(f.mass[0], 3);
  EXPECT_EQ(f.volume[0], 4);
  EXPECT_EQ(f.jp[0], 0.75);
}

TEST(PlyRead, OtherElementsAndListsAreSkippedInBinary) {
  const std::string header =
      "ply\nformat binary_big_endian 1.0\nelement face 2\nproperty list uchar int vertex_indices\nproperty uchar flag\n"
      "element empty 1152921504606846976\nelement vertex 1\nproperty list ushort double extra\nproperty float y\nproperty float x\n"
      "element edge 5\nproperty int a\nend_header\n";
  const std::string faces = big<std::uint8_t>(3) + big(0) + big(1) + big(2) + "f" + big<std::uint8_t>(0) + "g";
  const Frame f = read_text(header + faces + big<std::uint16_t>(1) + big(9.0) + big(2.f) + big(1.f));
  EXPECT_EQ(f.position[0], (std::array<double, 3>{1, 2, 0}));
}

TEST(PlyRead, OtherElementsAndListsAreSkippedInAscii) {
  const Frame f = read_text(
      "ply\nformat ascii 1.0\nelement face 2\nproperty list uchar int vertex_indices\nproperty uchar flag\nelement vertex 1\n"
      "property float x\nproperty list int float w\nproperty float y\nend_header\n3 0 1 2 7\n0 8\n1 2 5 6 2\n");
  EXPECT_EQ(f.position[0], (std::array<double, 3>{1, 2, 0}));
}

TEST(PlyRead, MatrixOfATwoDimensionalFileIsIdentityInTheRest) {
  const Frame f = read_text(
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float fe00\nproperty float fe01\n"
      "property float fe10\nproperty float fe11\nproperty float b00\nproperty float b01\nproperty float b10\nproperty float b11\n"
      "end_header\n0 0 1 2 3 4 5 6 7 8\n");
  EXPECT_EQ(f.fe[0], (std::array<double, 9>{1, 2, 0, 3, 4, 0, 0, 0, 1}));
  EXPECT_EQ(f.b[0], (std::array<double, 9>{5, 6, 0, 7, 8, 0, 0, 0, 0}));
}

TEST(PlyRead, EqualIdsAreAllowed) {
  const Frame f =
      read_text("ply\nformat ascii 1.0\nelement vertex 2\nproperty int id\nproperty float x\nproperty float y\nend_header\n7 0 0\n7 1 1\n");
  EXPECT_EQ(f.id, (std::vector<std::uint32_t>{7, 7}));
}

TEST(PlyRead, TinyAsciiNumberIsZero) {
  const Frame f = read_text("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1e-400 2\n");
  EXPECT_EQ(f.position[0][0], 0);
}

}  // namespace
}  // namespace firn
