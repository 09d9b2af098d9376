#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "firn/error.h"
#include "firn/scene.h"
#include "firn/simulation.h"
#include "frames.h"
#include "io/formats.h"
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

Frame through_a_file(const Frame& frame) {
  const TempFolder folder;
  write_fpc(folder / "a.fpc", frame, {}, {});
  return read_fpc(folder / "a.fpc");
}

class FpcRoundTrip : public ::testing::TestWithParam<std::size_t> {};

TEST_P(FpcRoundTrip, KeepsEveryBitOfTheStoredPrecision) {
  for (const bool double_precision : {false, true}) {
    Frame frame = make_frame(GetParam(), true);
    frame.double_precision = double_precision;
    expect_same(through_a_file(frame), as_stored(frame));
  }
}

// Around the size of a chunk, too.
INSTANTIATE_TEST_SUITE_P(ParticleCounts, FpcRoundTrip, ::testing::Values(0, 1, 2, 1000, 65536, 65537, 200000));

TEST(FpcWrite, KeepsZerosOfEitherSignTinyAndHugeNumbers) {
  for (const bool double_precision : {false, true}) {
    const double largest = double_precision ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
    const double tiny = double_precision ? std::numeric_limits<double>::denorm_min() : std::numeric_limits<float>::denorm_min();
    Frame frame;
    frame.double_precision = double_precision;
    frame.position = {{-0.0, 0.0, -0.0}, {tiny, -tiny, 3 * tiny}, {largest, -largest, 0.0}, {-largest, largest, -0.0}, {1, -1, tiny}};
    frame.jp = {tiny, largest, 1, 1, 1};
    expect_same(through_a_file(frame), frame);
  }
}

TEST(FpcWrite, KeepsTheOrderAndAnyIdsAndMaterials) {
  Frame frame = make_frame(8, false);
  frame.double_precision = true;
  frame.id = {4294967295u, 0, 4294967295u, 1, 2147483648u, 2147483647u, 7, 7};
  frame.material = {0, 65535, 0, 1, 32768, 32767, 65535, 65535};
  expect_same(through_a_file(frame), frame);
}

TEST(FpcWrite, PositionAloneIsEnough) {
  Frame frame;
  frame.position = {{1, 2, 3}, {4, 5, 6}};
  expect_same(through_a_file(frame), frame);
}

TEST(FpcWrite, HeaderTellsWhatIsInTheFile) {
  const TempFolder folder;
  FrameNotes notes{.time = 0.25, .fps = 50, .dimension = 2, .spacing = 0.02, .kernel = Kernel::kQuadratic};
  write_fpc(folder / "name with spaces.fpc", make_frame(70000, false), notes, {.fpc_error = 1e-5});
  const FpcHeader header = read_fpc_header(folder / "name with spaces.fpc");
  EXPECT_EQ(header.particles, 70000u);
  EXPECT_EQ(header.chunk_particles, 65536u);
  EXPECT_FALSE(header.double_precision);
  EXPECT_EQ(header.notes.time, 0.25);
  EXPECT_EQ(header.notes.fps, 50);
  EXPECT_EQ(header.notes.dimension, 2);
  EXPECT_EQ(header.notes.spacing, 0.02);
  EXPECT_EQ(header.notes.kernel, Kernel::kQuadratic);
  ASSERT_EQ(header.columns.size(), 13u);
  for (const FpcColumn& column : header.columns) {
    const bool volume = column.field == Field::kJp || column.field == Field::kJe;
    const double expected = column.field == Field::kPosition ? 1e-5 : column.field == Field::kVelocity ? 1e-5 * 50 : volume ? 1e-4 : 0;
    EXPECT_EQ(column.error, expected) << attribute(column.field).name;
  }
  EXPECT_EQ(read_frame(folder / "name with spaces.fpc").size(), 70000u);
}

// No number is further off than the header says, and those it says nothing about are exact.
void expect_errors_hold(const Frame& frame, double error) {
  const TempFolder folder;
  write_fpc(folder / "a.fpc", frame, {.fps = 24}, {.fpc_error = error});
  const Frame read = read_fpc(folder / "a.fpc"), exact = as_stored(frame);
  expect_same(as_stored(read), read);
  EXPECT_EQ(read.id, exact.id);
  EXPECT_EQ(read.material, exact.material);
  for (const FpcColumn& column : read_fpc_header(folder / "a.fpc").columns) {
    const auto x = reals(read, column.field), y = reals(exact, column.field);
    ASSERT_EQ(x.size(), y.size());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
    EXPECT_LE(worst, column.error) << attribute(column.field).name;
  }
}

class FpcErrors : public ::testing::TestWithParam<double> {};

TEST_P(FpcErrors, HoldForEveryParticleNearAndFar) {
  for (const bool double_precision : {false, true})
    for (const double away : {0.0, 1.0, 1e4, 1e9, 1e30}) {
      SCOPED_TRACE(away);
      Frame frame = make_frame(5000, false);
      frame.double_precision = double_precision;
      for (auto& x : frame.position) x = {x[0] + away, x[1] - away, x[2]};
      for (auto& v : frame.velocity) v[1] *= 1 + away;
      expect_errors_hold(frame, GetParam());
    }
}

INSTANTIATE_TEST_SUITE_P(Metres, FpcErrors, ::testing::Values(1e-300, 1e-12, 1.8e-5, 1e-3, 10, 1e300));

TEST(FpcErrors, NeverMakePlasticVolumeZero) {
  Frame frame = make_frame(1000, false);
  for (std::size_t p = 0; p < frame.size(); ++p) frame.jp[p] = 1e-6 * static_cast<double>(p + 1);
  expect_errors_hold(frame, 1e-5);
}

TEST(FpcErrors, AreNoneWhereAllNumbersAreTheSame) {
  Frame frame = make_frame(1000, false);
  frame.je.assign(frame.size(), 1.0 / 3);
  for (auto& v : frame.velocity) v[1] = -9.81;
  const TempFolder folder;
  write_fpc(folder / "a.fpc", frame, {}, {.fpc_error = 1e-3});
  const Frame read = read_fpc(folder / "a.fpc"), exact = as_stored(frame);
  EXPECT_EQ(read.je, exact.je);
  EXPECT_EQ(read.velocity[7][1], exact.velocity[7][1]);
  EXPECT_NE(read.velocity[7][0], exact.velocity[7][0]);
}

// One wild particle costs its own chunk, not the others.
TEST(FpcErrors, ChunkOfAHugeNumberIsExactAndTheOthersStaySmall) {
  const TempFolder folder;
  Frame frame = make_frame(3 * 65536, false);
  write_fpc(folder / "tame.fpc", frame, {}, {.fpc_error = 1e-4});
  frame.position[65536 + 7] = {1e30, 0, 0};
  write_fpc(folder / "wild.fpc", frame, {}, {.fpc_error = 1e-4});
  const std::size_t tame = read_bytes(folder / "tame.fpc").size(), wild = read_bytes(folder / "wild.fpc").size();
  EXPECT_LT(wild, tame + 65536 * sizeof(float));
  const Frame read = read_fpc(folder / "wild.fpc"), exact = as_stored(frame);
  for (std::size_t p = 65536; p < 2 * 65536; ++p) ASSERT_EQ(read.position[p][0], exact.position[p][0]);
}

TEST(FpcWrite, SameStateGivesTheSameBytes) {
  const TempFolder folder;
  for (const double error : {0.0, 1e-4}) {
    write_fpc(folder / "a.fpc", make_frame(70000, false), {}, {.fpc_error = error});
    write_fpc(folder / "b.fpc", make_frame(70000, false), {}, {.fpc_error = error});
    EXPECT_EQ(read_bytes(folder / "a.fpc"), read_bytes(folder / "b.fpc"));
  }
}

TEST(FpcWrite, WhatCannotBeWrittenLeavesNothing) {
  const TempFolder folder;
  Frame frame = make_frame(4, false);
  EXPECT_THROW(write_fpc(folder / "a.fpc", frame, {}, {.fpc_error = -1}), RunError);
  EXPECT_THROW(write_fpc(folder / "a.fpc", frame, {}, {.fpc_error = std::nan("")}), RunError);
  EXPECT_THROW(write_fpc(folder / "no/such/a.fpc", frame, {}, {}), RunError);
  frame.mass.pop_back();
  EXPECT_THROW(write_fpc(folder / "a.fpc", frame, {}, {}), RunError);
  frame = make_frame(4, false);
  frame.velocity[2][1] = 1e300;
  EXPECT_THROW(write_fpc(folder / "a.fpc", frame, {}, {}), RunError);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(FpcWrite, FailedWriteKeepsTheOldFileAndRemovesTheTemporary) {
  const TempFolder folder;
  write_fpc(folder / "a.fpc", make_frame(2, false), {}, {});
  const std::string before = read_bytes(folder / "a.fpc");
  {
    const test::SmallDisk disk(1 << 20);
    EXPECT_THROW(write_fpc(folder / "a.fpc", make_frame(50000, false), {}, {}), RunError);
  }
  EXPECT_EQ(read_bytes(folder / "a.fpc"), before);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(FpcSizes, OfSnowThatHasHitTheGroundAreWellBelowPly) {
  const TempFolder folder;
  const Scene scene = load_scene(std::string(FIRN_SCENES) + "/snowball_drop.toml", {"simulation.spacing=0.03"});
  Simulation simulation(scene);
  constexpr double kAfterTheImpact = 0.125;  // s; the ball touches the ground at 0.055 s
  simulation.advance_to(kAfterTheImpact);
  const Frame frame = simulation.frame(false);
  const FrameNotes notes{.time = simulation.time(), .fps = 24, .spacing = 0.03};
  write_frame(folder / "a.ply", frame, notes);
  write_frame(folder / "exact.fpc", frame, notes);
  write_frame(folder / "near.fpc", frame, notes, {.fpc_error = notes.spacing / 1000});

  const auto times_smaller = [&](const char* name) {
    return static_cast<double>(read_bytes(folder / "a.ply").size()) / static_cast<double>(read_bytes(folder / name).size());
  };
  EXPECT_GE(times_smaller("exact.fpc"), 1.5);
  EXPECT_GE(times_smaller("near.fpc"), 3);
  std::printf("%zu particles: %.2f times smaller than PLY exactly, %.2f times to h/1000\n", frame.size(), times_smaller("exact.fpc"),
              times_smaller("near.fpc"));
  expect_same(read_frame(folder / "exact.fpc"), read_frame(folder / "a.ply"));
}

}  // namespace
}  // namespace firn
