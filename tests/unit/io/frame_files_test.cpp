#include <gtest/gtest.h>

#include "firn/error.h"
#include "frames.h"
#include "io/formats.h"
#include "temp_folder.h"

namespace firn {
namespace {

using test::TempFolder;

TEST(FrameFiles, NamesAreReadBackAsTheirNumbers) {
  for (const FrameNumber number : {FrameNumber{0, 0}, {12, 0}, {12, 3}, {123456, 0}, {9999, 99}})
    EXPECT_EQ(frame_number("some folder/" + frame_stem(number) + ".vdb"), number) << frame_stem(number);
  EXPECT_EQ(frame_stem({12, 0}), "frame_0012");
  EXPECT_EQ(frame_stem({12, 3}), "frame_0012_3");
}

TEST(FrameFiles, OtherNamesAreNotFrames) {
  for (const char* name :
       {"final.ply", "frame_.ply", "frame_12.ply", "frame_00a2.ply", "frame_0012_.ply", "frame_0012_x.ply", "frame_0012_0.ply",
        "frame_0012_1_2.ply", "frame_-0012.ply", "frame_0012_-1.ply", "frames.pvd", "frame_99999999999999999999.ply", ".ply"})
    EXPECT_FALSE(frame_number(name)) << name;
}

TEST(FrameFiles, TimeCountsSubframes) {
  EXPECT_DOUBLE_EQ((FrameNumber{3, 1}.time(24, 4)), 3.25 / 24);
  EXPECT_DOUBLE_EQ((FrameNumber{3, 0}.time(25, 1)), 3.0 / 25);
}

TEST(FrameFiles, AreFoundInTheOrderOfTime) {
  const TempFolder folder;
  for (const char* name : {"frame_0010.ply", "frame_0002.ply", "frame_0002_1.ply", "frame_0001.vdb", "frame_0003.txt", "final.ply"})
    folder.write(name, "");
  const std::vector<FrameFile> files = find_frames(folder.path().string());
  ASSERT_EQ(files.size(), 3u) << "volumes have no particles to read";
  EXPECT_EQ(files[0].number, (FrameNumber{2, 0}));
  EXPECT_EQ(files[1].number, (FrameNumber{2, 1}));
  EXPECT_EQ(files[2].number, (FrameNumber{10, 0}));
  EXPECT_EQ(files[2].path, folder / "frame_0010.ply");
}

TEST(FrameFiles, AFrameInSeveralFormatsIsReadFromOne) {
  const TempFolder folder;
  for (const char* name : {"frame_0000.vtp", "frame_0000.ply", "frame_0001.vtp"}) folder.write(name, "");
  const std::vector<FrameFile> files = find_frames(folder.path().string());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, folder / "frame_0000.ply");
  EXPECT_EQ(files[1].path, folder / "frame_0001.vtp");
}

TEST(FrameFiles, TimesAreThoseOfTheStatistics) {
  const TempFolder folder;
  EXPECT_FALSE(recorded_time(folder / "frame_0001.ply")) << "there is no stats.csv";
  folder.write("stats.csv", "frame,time,steps\n0,0,0\n1,0.05,3\n2,0.0612,1\n");
  EXPECT_EQ(recorded_time(folder / "frame_0001.vtp"), 0.05);
  EXPECT_EQ(recorded_time(folder / "final.ply"), 0.0612);
  EXPECT_FALSE(recorded_time(folder / "frame_0003.ply"));
  EXPECT_FALSE(recorded_time(folder / "frame_0001_1.ply")) << "sub-frames have no line";
  EXPECT_FALSE(recorded_time(folder / "other.ply"));
}

TEST(FrameFiles, FramesThatWereWrittenAndAreGoneAreMissed) {
  const TempFolder folder;
  for (const char* name : {"frame_0001.ply", "frame_0004.ply", "frame_0009.ply", "frame_0005_1.ply"}) folder.write(name, "");
  const auto missing = [&] { return missing_frames(folder.path().string(), find_frames(folder.path().string())); };
  EXPECT_EQ(missing(), (std::vector<long>{2, 3, 5, 6, 7, 8})) << "without stats.csv, those in the middle";
  folder.write("stats.csv", "frame,time\n0,0\n1,1\n2,2\n4,4\n8,8\n9,9\n10,9.5\n");
  EXPECT_EQ(missing(), (std::vector<long>{0, 2, 8})) << "others were never written";
  EXPECT_EQ(number_list({}), "");
  EXPECT_EQ(number_list({7}), "7");
  EXPECT_EQ(number_list({2, 3, 5, 6, 7, 8, 11}), "2 to 3, 5 to 8 and 11");
  EXPECT_EQ(number_list({0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 19}), "0, 2, 4, 6, 8, 10, 12, 14 and 3 more");
}

TEST(FrameFiles, AFolderWithoutFramesIsAMistake) {
  const TempFolder folder;
  EXPECT_THROW(find_frames(folder.path().string()), UserError);
  EXPECT_THROW(find_frames(folder / "none"), UserError);
}

}  // namespace
}  // namespace firn
