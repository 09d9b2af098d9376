#include <gtest/gtest.h>

#include <cmath>

#include "firn/error.h"
#include "frames.h"
#include "io/particle_files.h"
#include "small_disk.h"
#include "temp_folder.h"

namespace firn {
namespace {

using test::as_stored;
using test::expect_same;
using test::make_frame;
using test::read_bytes;
using test::TempFolder;

class RoundTrip : public ::testing::TestWithParam<int> {};

TEST_P(RoundTrip, KeepsEveryBitOfTheStoredPrecision) {
  const TempFolder folder;
  for (const bool double_precision : {false, true})
    for (const bool with_b : {false, true}) {
      Frame frame = make_frame(static_cast<std::size_t>(GetParam()), with_b);
      frame.double_precision = double_precision;
      write_ply(folder / "a.ply", frame);
      expect_same(read_ply(folder / "a.ply"), as_stored(frame));
    }
  EXPECT_EQ(folder.count(), 1u);
}

INSTANTIATE_TEST_SUITE_P(ParticleCounts, RoundTrip, ::testing::Values(0, 1, 2, 1000, 60000));

TEST(PlyWrite, HeaderIsTheAgreedOne) {
  const TempFolder folder;
  write_ply(folder / "a.ply", make_frame(1, true));
  std::string expected =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty uint id\nproperty float x\nproperty float y\nproperty float z\n"
      "property float vx\nproperty float vy\nproperty float vz\nproperty float mass\nproperty float volume\nproperty float jp\n"
      "property float je\nproperty ushort material\n";
  for (const char* matrix : {"fe", "b"})
    for (const char* entry : {"00", "01", "02", "10", "11", "12", "20", "21", "22"})
      expected += std::string("property float ") + matrix + entry + "\n";
  for (const char* parameter : {"stiffness", "hardening", "critical_compression", "critical_stretch"})
    expected += std::string("property float ") + parameter + "\n";
  expected += "end_header\n";
  const std::string bytes = read_bytes(folder / "a.ply");
  EXPECT_EQ(bytes.substr(0, expected.size()), expected);
  EXPECT_EQ(bytes.size(), expected.size() + 4 + 10 * 4 + 2 + (18 + 4) * 4);
}

TEST(PlyWrite, SameStateGivesTheSameBytes) {
  const TempFolder folder;
  write_ply(folder / "a.ply", make_frame(500, false));
  write_ply(folder / "b.ply", make_frame(500, false));
  EXPECT_EQ(read_bytes(folder / "a.ply"), read_bytes(folder / "b.ply"));
}

TEST(PlyWrite, RowsAreInIdOrderAndEqualIdsKeepTheirs) {
  const TempFolder folder;
  Frame frame = make_frame(6, false);
  frame.double_precision = true;
  frame.id = {5, 0, 3, 3, 4, 1};
  write_ply(folder / "a.ply", frame);
  const Frame read = read_ply(folder / "a.ply");
  EXPECT_EQ(read.id, (std::vector<std::uint32_t>{0, 1, 3, 3, 4, 5}));
  const std::size_t from[] = {1, 5, 2, 3, 4, 0};
  for (std::size_t row = 0; row < 6; ++row) EXPECT_EQ(read.position[row], frame.position[from[row]]);
}

TEST(PlyWrite, ColumnsTheFrameLacksAreLeftOut) {
  const TempFolder folder;
  Frame frame;
  frame.position = {{1, 2, 3}, {4, 5, 6}};
  write_ply(folder / "a.ply", frame);
  const Frame read = read_ply(folder / "a.ply");
  EXPECT_EQ(read.position, frame.position);
  EXPECT_TRUE(read.id.empty());
  EXPECT_TRUE(read.mass.empty());
}

TEST(PlyWrite, ColumnOfTheWrongLengthIsRefused) {
  const TempFolder folder;
  Frame frame = make_frame(4, false);
  frame.mass.pop_back();
  EXPECT_THROW(write_ply(folder / "a.ply", frame), RunError);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(PlyWrite, ValueThatIsNotFiniteIsRefusedAndNothingStays) {
  const TempFolder folder;
  for (const double bad : {std::nan(""), 1e300}) {
    Frame frame = make_frame(3, false);
    frame.velocity[2][1] = bad;
    try {
      write_ply(folder / "a.ply", frame);
      FAIL() << bad;
    } catch (const RunError& error) {
      EXPECT_NE(std::string(error.what()).find("particle 2"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(folder.count(), 0u);
}

TEST(PlyWrite, MissingFolderIsARunErrorWithPathAndReason) {
  const TempFolder folder;
  try {
    write_ply(folder / "no/such/a.ply", make_frame(1, false));
    FAIL();
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find(folder / "no/such/a.ply"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST(PlyWrite, FailedWriteKeepsTheOldFileAndRemovesTheTemporary) {
  const TempFolder folder;
  write_ply(folder / "a.ply", make_frame(2, false));
  const std::string before = read_bytes(folder / "a.ply");
  {
    const test::SmallDisk disk(1 << 20);
    EXPECT_THROW(write_ply(folder / "a.ply", make_frame(50000, false)), RunError);
  }
  EXPECT_EQ(read_bytes(folder / "a.ply"), before);
  EXPECT_EQ(folder.count(), 1u);
}

// Pieces go by ids, and all particles of the first ids may be gone.
TEST(PlyWriter, TakesItsColumnsFromTheFirstPieceThatHasParticles) {
  const TempFolder folder;
  Frame frame = make_frame(5, true);
  frame.double_precision = true;
  PlyWriter writer(folder / "a.ply", frame.size());
  writer.append({});
  writer.append(frame);
  writer.append({});
  writer.commit();
  expect_same(read_ply(folder / "a.ply"), frame);
}

}  // namespace
}  // namespace firn
