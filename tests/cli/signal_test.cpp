// Ctrl-C and SIGTERM act soon, whatever the program is at, and leave nothing behind that is not complete.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <thread>

#include "process.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

// Half a second, and some more for machines that are busy with other tests.
constexpr double kAnswered = 1.5;

bool wait_until(const std::function<bool()>& what) {
  for (int k = 0; k < 1200; ++k, std::this_thread::sleep_for(std::chrono::milliseconds(25)))
    if (what()) return true;
  return false;
}

void expect_end(Process& process, int signal, const std::string& which) {
  const auto begin = Clock::now();
  kill(process.pid(), signal);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 128 + signal) << which << outcome.err;
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), kAnswered) << which;
}

// Poisson disks are found one after the other: so many take a minute.
std::string slow_scene() {
  return "[simulation]\nspacing = 0.006\nframes = 2\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 1, 0]\nradius = 0.3\nsampling = "
         "\"poisson\"\n";
}

TEST(Signals, EndSettingUpAtOnceAndNothingIsWritten) {
  const TempFolder folder;
  const std::string scene = folder.write("slow.toml", slow_scene()), out = folder.file("out");
  for (const int signal : {SIGINT, SIGTERM})
    for (const std::vector<std::string>& verb : {std::vector<std::string>{"check", scene}, {"run", scene, "-o", out}}) {
      Process process(verb);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      expect_end(process, signal, verb[0]);
      EXPECT_FALSE(fs::exists(out));
    }
}

TEST(Signals, SettingUpThatTakesLongSaysWhatItIsAt) {
  const TempFolder folder;
  const std::string scene = folder.write("slow.toml", slow_scene());
  Process process({"-c", "exec '" FIRN_PROGRAM "' check " + scene + " 2> " + folder.file("words")}, "/bin/sh");
  EXPECT_TRUE(wait_until([&] { return slurp(folder.file("words")) == "snow 0: sampling ...\n"; })) << slurp(folder.file("words"));
  kill(process.pid(), SIGKILL);
  process.wait();
}

class SignalsInARun : public SmallScene {};

TEST_F(SignalsInARun, SigtermEndsItTidilyWithExit143) {
  Process process({"run", scene_, "-o", folder_.file("out"), "--frames", "1000"});
  ASSERT_TRUE(wait_until([&] { return fs::exists(folder_.file("out/frame_0001.ply")); }));
  kill(process.pid(), SIGTERM);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 143) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("interrupted: ")) << outcome.out;
  EXPECT_TRUE(fs::exists(folder_.file("out/final.ply")));
}

std::size_t temporaries(const std::string& folder) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) count += entry.path().extension() == ".tmp";
  return count;
}

TEST_F(SignalsInARun, PicturesFilmsAndConversionsLeaveNothingHalfDone) {
  const std::string out = folder_.file("out");
  ASSERT_EQ(run("out", {"--steps", "1"}).code, 0);
  for (int i = 1; i < 200; ++i) fs::copy_file(out + "/frame_0000.ply", out + "/frame_0" + std::to_string(1000 + i).substr(1) + ".ply");
  const std::map<std::string, std::vector<std::string>> verbs{
      {out + "/preview/frame_0002.png", {"preview", out}},
      {out + "/render/frame_0002.png", {"render", out, "--spp", "1", "--size", "320x180"}},
      {folder_.file("c/frame_0002.usda"), {"convert", out, folder_.file("c/*.usda")}}};
  for (const auto& [appears, verb] : verbs) {
    Process process(verb);
    ASSERT_TRUE(wait_until([&] { return fs::exists(appears); })) << verb[0];
    const auto begin = Clock::now();
    kill(process.pid(), SIGTERM);
    EXPECT_EQ(process.wait().code, 143) << verb[0];
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), kAnswered) << verb[0];
    EXPECT_EQ(temporaries(folder_.path().string()), 0u) << verb[0];
  }
  EXPECT_FALSE(fs::exists(out + "/preview/preview.mp4")) << "ffmpeg went, too";
}

}  // namespace
}  // namespace firn::test
