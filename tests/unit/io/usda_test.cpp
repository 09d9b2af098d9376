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

FrameNotes notes_at(double time) {
  FrameNotes notes;
  notes.time = time;
  return notes;
}

class UsdaRoundTrip : public ::testing::TestWithParam<int> {};

TEST_P(UsdaRoundTrip, KeepsEveryBitOfTheStoredPrecision) {
  const TempFolder folder;
  for (const bool double_precision : {false, true})
    for (const bool with_b : {false, true}) {
      Frame frame = make_frame(static_cast<std::size_t>(GetParam()), with_b);
      frame.double_precision = double_precision;
      write_usda(folder / "a.usda", frame, notes_at(0.5));
      expect_same(read_usda(folder / "a.usda"), as_stored(frame));
    }
  EXPECT_EQ(folder.count(), 1u);
}

INSTANTIATE_TEST_SUITE_P(ParticleCounts, UsdaRoundTrip, ::testing::Values(0, 1, 2, 1000, 20000));

TEST(UsdaWrite, ExtremeNumbersComeBack) {
  const TempFolder folder;
  Frame frame;
  frame.double_precision = true;
  frame.position = {{0.1, -0.0, 5e-324}, {1e-310, 1.0 / 3, 3e38}};
  frame.jp = {1.7976931348623157e308, 2.2250738585072014e-308};
  frame.id = {4294967295u, 0};
  frame.material = {65535, 0};
  write_usda(folder / "a.usda", frame, {});
  expect_same(read_usda(folder / "a.usda"), frame);
  EXPECT_TRUE(std::signbit(read_usda(folder / "a.usda").position[0][1]));
  frame.double_precision = false;
  frame.position[0] = {1e-45, 3.4028234e38, -1e-38};
  frame.jp = {1e-45, 16777217};
  write_usda(folder / "a.usda", frame, {});
  expect_same(read_usda(folder / "a.usda"), as_stored(frame));
}

TEST(UsdaWrite, FrameOfPositionsAloneHasNothingElse) {
  const TempFolder folder;
  Frame frame;
  frame.position = {{1, 2, 3}, {4, 5, 6}};
  write_usda(folder / "with space.usda", frame, {});
  const Frame read = read_usda(folder / "with space.usda");
  expect_same(read, frame);
  EXPECT_TRUE(read.velocity.empty());
}

TEST(UsdaWrite, TextIsTheAgreedOne) {
  const TempFolder folder;
  Frame frame;
  frame.id = {0, 7};
  frame.position = {{0, 0.5, 0}, {1, 2, 3}};
  frame.velocity = {{0, -1, 0}, {0.1, 0, 0}};
  frame.volume = {0.5235987755982988, 0.5235987755982988};  // balls of 1 m
  frame.material = {0, 1};
  frame.fe = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {2, 0, 0, 0, 1, 0, 0, 0, 1}};
  write_usda(folder / "a.usda", frame, notes_at(0.5));
  EXPECT_EQ(read_bytes(folder / "a.usda"),
            R"(#usda 1.0
(
    defaultPrim = "snow"
    endTimeCode = 12
    framesPerSecond = 24
    metersPerUnit = 1
    startTimeCode = 12
    timeCodesPerSecond = 24
    upAxis = "Y"
)

def Xform "snow"
{
    def Points "particles"
    {
        float3[] extent
        float[] widths (interpolation = "vertex")
        int64[] ids
        point3f[] points
        vector3f[] velocities
        float[] primvars:volume (interpolation = "vertex")
        int[] primvars:material (interpolation = "vertex")
        float[] primvars:fe (elementSize = 9; interpolation = "vertex")

        float3[] extent.timeSamples = {
            12: [(-0.5,0,-0.5),(1.5,2.5,3.5)],
        }
        float[] widths.timeSamples = {
            12: [1,1],
        }
        int64[] ids.timeSamples = {
            12: [0,7],
        }
        point3f[] points.timeSamples = {
            12: [(0,0.5,0),(1,2,3)],
        }
        vector3f[] velocities.timeSamples = {
            12: [(0,-1,0),(0.1,0,0)],
        }
        float[] primvars:volume.timeSamples = {
            12: [0.5235988,0.5235988],
        }
        int[] primvars:material.timeSamples = {
            12: [0,1],
        }
        float[] primvars:fe.timeSamples = {
            12: [1,0,0,0,1,0,0,0,1,2,0,0,0,1,0,0,0,1],
        }
    }
}
)");
}

TEST(UsdaWrite, DoubleFramesHaveTheSchemasPointsAndExactOnes) {
  const TempFolder folder;
  Frame frame;
  frame.double_precision = true;
  frame.position = {{0.1, 1.0 / 3, 0}};
  write_usda(folder / "a.usda", frame, {});
  const std::string text = read_bytes(folder / "a.usda");
  EXPECT_NE(text.find("point3f[] points.timeSamples = {\n            0: [(0.1,0.33333334,0)],"), std::string::npos) << text;
  EXPECT_NE(text.find("double3[] primvars:position.timeSamples = {\n            0: [(0.1,0.3333333333333333,0)],"), std::string::npos)
      << text;
}

TEST(UsdaWrite, WidthsIn2dAreThoseOfDisks) {
  const TempFolder folder;
  Frame frame;
  frame.position = {{0, 0, 0}};
  frame.volume = {M_PI};
  FrameNotes notes;
  notes.dimension = 2;
  write_usda(folder / "a.usda", frame, notes);
  EXPECT_NE(read_bytes(folder / "a.usda").find("widths.timeSamples = {\n            0: [2],"), std::string::npos);
}

TEST(UsdaWrite, WhatCannotBeWrittenIsRefusedAndNothingStays) {
  const TempFolder folder;
  Frame frame = make_frame(3, false);
  frame.velocity[2][1] = std::nan("");
  EXPECT_THROW(write_usda(folder / "a.usda", frame, {}), RunError);
  frame = make_frame(3, false);
  frame.double_precision = true;
  frame.position[1][0] = 1e39;
  EXPECT_THROW(write_usda(folder / "a.usda", frame, {}), RunError);
  frame = make_frame(3, false);
  frame.mass.pop_back();
  EXPECT_THROW(write_usda(folder / "a.usda", frame, {}), RunError);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(UsdaWrite, FailedWriteKeepsTheOldFileAndRemovesTheTemporary) {
  const TempFolder folder;
  write_usda(folder / "a.usda", make_frame(2, false), {});
  const std::string before = read_bytes(folder / "a.usda");
  {
    const test::SmallDisk disk(1 << 20);
    EXPECT_THROW(write_usda(folder / "a.usda", make_frame(20000, false), {}), RunError);
  }
  EXPECT_EQ(read_bytes(folder / "a.usda"), before);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(UsdaFormat, IsWrittenAndReadByItsEnding) {
  const TempFolder folder;
  const Frame frame = make_frame(5, false);
  write_frame(folder / "a.USDA", frame, {});
  expect_same(read_frame(folder / "a.USDA"), as_stored(frame));
}

}  // namespace
}  // namespace firn
