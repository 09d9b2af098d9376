// firn resume: a run that was stopped goes on, and writes what it would have written. (tests/chaos kills many, at random.)
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "process.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

class ResumeCommand : public SmallScene {
 protected:
  std::string path(const std::string& name) { return folder_.file(name); }
  Outcome resume(const std::string& dir, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"resume", path(dir)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return firn(arguments);
  }
  std::vector<std::string> checkpoints(const std::string& dir) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path(dir) + "/checkpoints", error)) names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  static bool comes(const std::string& file) {
    for (int k = 0; k < 10000 && !fs::exists(file); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return fs::exists(file);
  }
  void expect_same(const std::string& a, const std::string& b) {
    for (const auto& entry : fs::directory_iterator(path(a))) {
      const std::string name = entry.path().filename().string();
      if (entry.path().extension() == ".ply") {
        EXPECT_EQ(slurp(entry.path().string()), slurp(path(b) + "/" + name)) << name;
      }
    }
  }
};

TEST_F(ResumeCommand, MakesARunLongerThatHasEnded) {
  ASSERT_EQ(run("whole", {"--frames", "6"}).code, 0);
  ASSERT_EQ(run("two", {"--frames", "2", "--threads", "1"}).code, 0);
  const Outcome outcome = resume("two", {"--frames", "6", "--threads", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_same("whole", "two");
  EXPECT_EQ(firn({"info", path("two")}).out.find("stopped before"), std::string::npos);
}

TEST_F(ResumeCommand, WritesTheNodesOfTheGridThatTheWholeRunHas) {
  const std::string grid = "output.grid=[\"mass\", \"velocity\", \"force\"]";
  for (const char* dimension : {"2", "3"}) {
    const std::string whole = std::string("whole") + dimension, two = std::string("two") + dimension;
    if (*dimension == '2') spill(scene_, flat_scene());
    if (*dimension == '3') spill(scene_, small_scene());
    ASSERT_EQ(run(whole, {"--frames", "4", "--set", grid}).code, 0);
    ASSERT_EQ(run(two, {"--frames", "2", "--set", grid}).code, 0);
    const Outcome outcome = resume(two, {"--frames", "4"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    int nodes = 0;
    for (const auto& entry : fs::directory_iterator(path(whole))) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("nodes")) continue;
      EXPECT_EQ(slurp(entry.path().string()), slurp(path(two) + "/" + name)) << name;
      ++nodes;
    }
    EXPECT_EQ(nodes, 11) << "5 frames as .vdb and .vtp, and nodes.pvd";
    expect_same(whole, two);
  }
}

TEST_F(ResumeCommand, KeepsTwoCheckpointsAndSaysWhatIsInThem) {
  ASSERT_EQ(run("out", {"--frames", "5", "--checkpoint-frames", "1"}).code, 0);
  const std::vector<std::string> kept = checkpoints("out");
  ASSERT_EQ(kept.size(), 2u);
  const Outcome info = firn({"info", kept.back()});
  ASSERT_EQ(info.code, 0) << info.err;
  for (const char* word : {"checkpoint", "small", "0 to 5", "float", "hash"}) EXPECT_NE(info.out.find(word), std::string::npos) << word;
  EXPECT_NE(firn({"info", path("out")}).out.find("checkpoints"), std::string::npos);
}

TEST_F(ResumeCommand, WithoutCheckpointsSaysWhichKeysMakeThem) {
  ASSERT_EQ(run("out", {"--frames", "1", "--set", "output.checkpoint_minutes=0"}).code, 0);
  EXPECT_FALSE(fs::exists(path("out/checkpoints")));
  const Outcome outcome = resume("out");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("output.checkpoint_minutes"), std::string::npos) << outcome.err;
}

TEST_F(ResumeCommand, UsesTheOlderCheckpointWhereTheNewestIsDamagedAndNamesIt) {
  ASSERT_EQ(run("whole", {"--frames", "4"}).code, 0);
  ASSERT_EQ(run("out", {"--frames", "4", "--checkpoint-frames", "1"}).code, 0);
  std::vector<std::string> kept = checkpoints("out");
  std::string bytes = slurp(kept.back());
  bytes[bytes.size() / 2] ^= 4;
  spill(kept.back(), bytes);
  const Outcome outcome = resume("out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(kept.back() + ": the checkpoint is damaged"), std::string::npos) << outcome.err;
  expect_same("whole", "out");
  spill(checkpoints("out").front(), "x");
  spill(checkpoints("out").back(), bytes);
  const Outcome none = resume("out");
  EXPECT_EQ(none.code, 2) << none.err;
  EXPECT_NE(none.err.find("step_"), std::string::npos) << none.err;
}

TEST_F(ResumeCommand, RefusesACheckpointOfAnotherScene) {
  ASSERT_EQ(run("out", {"--frames", "2"}).code, 0);
  const std::string scene = slurp(path("out/scene.toml"));
  const std::size_t at = scene.find("spacing = ");
  ASSERT_NE(at, std::string::npos);
  spill(path("out/scene.toml"), scene.substr(0, at) + "spacing = 0.0" + scene.substr(at + std::string("spacing = 0.").size()));
  const std::string final_state = slurp(path("out/final.ply"));
  const Outcome outcome = resume("out", {"--frames", "3"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("of another scene"), std::string::npos) << outcome.err;
  EXPECT_EQ(slurp(path("out/final.ply")), final_state) << "nothing is changed";
}

TEST_F(ResumeCommand, MindsNoOtherCamera) {
  ASSERT_EQ(run("out", {"--frames", "2"}).code, 0);
  std::string scene = slurp(path("out/scene.toml"));
  for (const auto& [before, after] :
       {std::pair("[render]", "[render]\nexposure = 1.7"), std::pair("checkpoint_minutes = 5", "checkpoint_minutes = 7")}) {
    const std::size_t at = scene.find(before);
    ASSERT_NE(at, std::string::npos) << before;
    scene.replace(at, std::string(before).size(), after);
  }
  const std::size_t own = scene.rfind("\nexposure = ");
  if (own != scene.find("\nexposure = ")) scene.replace(own, scene.find('\n', own + 1) - own, "");
  spill(path("out/scene.toml"), scene);
  const Outcome outcome = resume("out", {"--frames", "3"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(ResumeCommand, LeavesCopiesOfCheckpointsAlone) {
  ASSERT_EQ(run("whole", {"--frames", "6"}).code, 0);
  ASSERT_EQ(run("out", {"--frames", "4", "--checkpoint-frames", "1"}).code, 0);
  const std::string first = checkpoints("out").front(), copy = path("out/checkpoints/step_00000001_backup.state");
  const std::string later = path("out/checkpoints/step_99999999.state");
  fs::copy_file(first, copy);
  fs::copy_file(first, later);
  const Outcome outcome = resume("out", {"--frames", "6"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_same("whole", "out");
  EXPECT_EQ(slurp(copy), slurp(later));
  EXPECT_EQ(checkpoints("out").size(), 4u) << "two of the run, and the copies";
}

TEST_F(ResumeCommand, WithoutItsTableChangesNothing) {
  ASSERT_EQ(run("out", {"--frames", "2"}).code, 0);
  const std::string stats = slurp(path("out/stats.csv"));
  for (const std::string& damaged : {stats.substr(0, stats.size() / 2), std::string()}) {
    fs::remove(path("out/stats.csv"));
    if (!damaged.empty()) spill(path("out/stats.csv"), damaged);
    const Outcome outcome = resume("out", {"--frames", "3"});
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(fs::exists(path("out/final.ply")));
  }
}

TEST_F(ResumeCommand, DoesNotMakeARunShorter) {
  ASSERT_EQ(run("out", {"--frames", "3"}).code, 0);
  const Outcome outcome = resume("out", {"--frames", "2"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("the run has 3 frames already"), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::exists(path("out/final.ply")));
}

TEST_F(ResumeCommand, NeedsTheFolderOfARun) {
  EXPECT_NE(resume("nowhere").err.find("there is no such folder"), std::string::npos);
  fs::create_directory(path("empty"));
  const Outcome outcome = resume("empty");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("is not the folder of a run"), std::string::npos);
}

TEST_F(ResumeCommand, AfterCtrlCIsOfferedAndLeavesTheFolderOfTheWholeRun) {
  ASSERT_EQ(run("whole", {"--frames", "10"}).code, 0);
  Process process({"run", scene_, "-o", path("out"), "--frames", "10", "--threads", "1"});
  ASSERT_TRUE(comes(path("out/frame_0003.ply")));
  ::kill(process.pid(), SIGINT);
  const Outcome stopped = process.wait();
  ASSERT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_NE(stopped.out.find("to go on: firn resume " + path("out")), std::string::npos) << stopped.out;
  const Outcome outcome = resume("out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_same("whole", "out");
}

TEST_F(ResumeCommand, SaysThatTheFolderIsGone) {
  Process process({"run", scene_, "-o", path("out"), "--frames", "4000", "--threads", "1"});
  ASSERT_TRUE(comes(path("out/frame_0002.ply")));
  std::error_code error;
  while (fs::exists(path("out"))) fs::remove_all(path("out"), error);  // it may write while this reads
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("the folder was removed while the run wrote into it"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace firn::test
