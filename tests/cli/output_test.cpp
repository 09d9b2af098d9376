// firn run: formats, sub-frames, and what happens when the disk is full.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "process.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

class Output : public SmallScene {
 protected:
  double time_of_frame(const std::string& stats, const std::string& frame) {
    const std::size_t line = stats.find("\n" + frame + ",");
    return std::stod(stats.substr(stats.find(',', line) + 1));
  }
};

TEST_F(Output, EveryFormatIsWrittenAndHasTheSameParticles) {
  std::string all;
  for (const FrameFormat& format : frame_formats()) all += (all.empty() ? "" : ",") + std::string(format.name);
  const Outcome outcome = run("a folder with spaces", {"--formats", all, "--frames", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Frame ply = read_ply(folder_.file("a folder with spaces/frame_0002.ply"));
  for (const FrameFormat& format : frame_formats()) {
    const std::string path = folder_.file("a folder with spaces/frame_0002.") + std::string(format.name);
    ASSERT_TRUE(fs::exists(path)) << path;
    if (!format.readable) continue;
    const Frame frame = read_frame(path);
    EXPECT_EQ(frame.position, ply.position) << format.name;
    EXPECT_EQ(frame.velocity, ply.velocity) << format.name;
    EXPECT_EQ(frame.jp, ply.jp) << format.name;
    EXPECT_EQ(frame.id, ply.id) << format.name;
  }
}

TEST_F(Output, FormatsOfTheSceneAreThoseOfTheCommandLine) {
  ASSERT_EQ(run("set", {"--set", "output.formats=[\"fpc\"]", "--frames", "1"}).code, 0);
  ASSERT_EQ(run("flag", {"--formats", "fpc", "--frames", "1"}).code, 0);
  EXPECT_EQ(names_in(folder_.file("set")), names_in(folder_.file("flag")));
  EXPECT_EQ(names_in(folder_.file("flag")),
            (std::set<std::string>{".firn", "checkpoints", "final.ply", "frame_0000.fpc", "frame_0001.fpc", "scene.toml", "stats.csv"}));
}

TEST_F(Output, UnknownFormatIsAMistake) {
  const Outcome outcome = run("out", {"--formats", "ply,jpg"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("jpg"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(folder_.file("out")));
}

TEST_F(Output, SubframesLieBetweenWholeFrames) {
  ASSERT_EQ(run("out", {"--subframes", "3", "--frames", "2", "--set", "snow.center=[0, 0.5, 0]"}).code, 0);
  for (const char* name :
       {"frame_0000.ply", "frame_0000_1.ply", "frame_0000_2.ply", "frame_0001.ply", "frame_0001_1.ply", "frame_0002.ply"})
    EXPECT_TRUE(fs::exists(folder_.file("out/") + name)) << name;
  EXPECT_FALSE(fs::exists(folder_.file("out/frame_0002_1.ply")));
  const std::string stats = slurp(folder_.file("out/stats.csv"));
  EXPECT_EQ(std::count(stats.begin(), stats.end(), '\n'), 4) << "a line for whole frames only";
  EXPECT_NEAR(time_of_frame(stats, "2"), 2.0 / 24, 1e-9);
  // In free flight the middle of the ball is where it must be after a third of a frame.
  const auto middle = [&](const std::string& name) {
    const Frame frame = read_ply(folder_.file("out/" + name));
    double sum = 0;
    for (const auto& x : frame.position) sum += x[0];
    return sum / static_cast<double>(frame.size());
  };
  EXPECT_NEAR(middle("frame_0000_1.ply") - middle("frame_0000.ply"), 0.5 / 24 / 3, 1e-5) << "0.5 m/s along x";
  EXPECT_NEAR(middle("frame_0000_2.ply") - middle("frame_0000.ply"), 0.5 / 24 * 2 / 3, 1e-5);
}

TEST_F(Output, OverwritingRemovesFramesOfEveryFormatAndNothingElse) {
  ASSERT_EQ(run("out", {"--formats", "ply,vtp,usda", "--subframes", "2", "--frames", "2"}).code, 0);
  spill(folder_.file("out/frames_of_mine.txt"), "mine");
  ASSERT_EQ(run("out", {"--overwrite", "--frames", "1"}).code, 0);
  EXPECT_EQ(names_in(folder_.file("out")), (std::set<std::string>{".firn", "checkpoints", "final.ply", "frame_0000.ply", "frame_0001.ply",
                                                                  "frames_of_mine.txt", "scene.toml", "stats.csv"}));
}

// Everything that is under a final name is whole: frames can be read, lines end.
void expect_whole(const std::string& folder, const std::string& err) {
  int frames = 0;
  for (const std::string& name : names_in(folder)) {
    EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
    if (!name.starts_with("frame_") || name.ends_with(".vdb")) continue;
    EXPECT_GT(read_frame(folder + "/" + name).size(), 1000u) << name;
    ++frames;
  }
  EXPECT_GE(frames, 2) << err;
  EXPECT_FALSE(fs::exists(folder + "/final.ply"));
  const std::string stats = slurp(folder + "/stats.csv");
  EXPECT_TRUE(stats.empty() || stats.back() == '\n');
}

TEST_F(Output, AFileThatMayNotGrowStopsTheRunLikeAFullDisk) {
  const Outcome outcome = shell("ulimit -f 100; exec $FIRN run '" + scene_ + "' -o '" + folder_.file("out") + "'");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("frame_0000.ply: cannot write: File too large"), std::string::npos) << outcome.err;
  EXPECT_EQ(names_in(folder_.file("out")), (std::set<std::string>{".firn", "scene.toml", "stats.csv"}));
}

class FullDisk : public Output, public testing::WithParamInterface<const char*> {};

// A real disk of a few frames' size, in a name space of its own that ends with the shell.
TEST_P(FullDisk, StopsTheRunWithTheReasonAndEarlierFramesAreWhole) {
  fs::create_directory(folder_.file("disk"));
  const std::string disk = folder_.file("disk"), mount = "mount -t tmpfs -o size=1000k none '" + disk + "'";
  if (shell("unshare -rm sh -c \"" + mount + "\"").code != 0) GTEST_SKIP() << "this machine does not let a test mount a small disk";
  const Outcome outcome =
      shell("unshare -rm sh -c \"" + mount + " && { $FIRN run '" + scene_ + "' -o '" + disk + "/out' --frames 40 --formats " + GetParam() +
            "; code=\\$?; cp -r '" + disk + "/out' '" + folder_.file("seen") + "'; exit \\$code; }\"");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("error: " + disk), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
  expect_whole(folder_.file("seen"), outcome.err);
}
INSTANTIATE_TEST_SUITE_P(Formats, FullDisk, testing::Values("ply", "vdb,ply", "fpc", "vtp", "bgeo", "usda"),
                         [](const auto& info) { return std::string(info.param).substr(0, 3); });

}  // namespace
}  // namespace firn::test
