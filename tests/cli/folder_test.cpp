// The folder of a run: what firn wrote there is replaced when asked for, and nothing else, ever.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <functional>
#include <set>
#include <thread>

#include "process.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

std::set<std::string> all_names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) names.insert(fs::relative(entry.path(), folder).string());
  return names;
}

bool wait_for(const std::function<bool()>& condition) {
  for (int k = 0; k < 600 && !condition(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return condition();
}

class Folder : public SmallScene {
 protected:
  std::string at(const std::string& name) const { return folder_.file(name); }

  // A run of one step, which is two files and final.ply.
  Outcome step(const std::string& dir, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--steps", "1"});
    return run(dir, more);
  }
  Outcome replace(const std::string& dir, std::vector<std::string> more = {}) {
    more.push_back("--overwrite");
    return step(dir, more);
  }

  static void expect_refused(const Outcome& outcome, const std::string& what) {
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
  }

  // A run that goes on until it is ended.
  struct LongRun : Process {
    LongRun(const std::string& scene, const std::string& dir, const std::vector<std::string>& more = {})
        : Process(arguments(scene, dir, more)) {
      EXPECT_TRUE(wait_for([&] { return fs::exists(dir + "/frame_0001.ply"); }));
    }
    Outcome end(int signal) {
      kill(pid(), signal);
      return wait();
    }

   private:
    static std::vector<std::string> arguments(const std::string& scene, const std::string& dir, const std::vector<std::string>& more) {
      std::vector<std::string> all{"run", scene, "-o", dir, "--frames", "100000", "--set", "simulation.fps=500", "--threads", "1"};
      all.insert(all.end(), more.begin(), more.end());
      return all;
    }
  };

  // Small pictures of a run.
  Outcome preview(const std::string& dir, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"preview", at(dir), "--width", "64", "--height", "36"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return firn(arguments);
  }
};

TEST_F(Folder, OverwriteNeverReplacesTheUsersOwnScene) {
  fs::create_directory(at("mine"));
  const std::string own = "# a comment of mine\n" + small_scene();
  spill(at("mine/scene.toml"), own);
  expect_refused(shell("cd '" + at("mine") + "' && exec $FIRN run scene.toml -o . --overwrite --steps 1"),
                 "scene.toml: is not on the list");
  EXPECT_EQ(slurp(at("mine/scene.toml")), own);
  EXPECT_EQ(all_names_in(at("mine")), std::set<std::string>{"scene.toml"});
}

TEST_F(Folder, ASceneThatWasEditedInARunsFolderIsTheUsers) {
  ASSERT_EQ(step("out").code, 0);
  const std::string own = "# a comment of mine\n" + slurp(at("out/scene.toml"));
  spill(at("out/scene.toml"), own);
  const std::set<std::string> before = all_names_in(at("out"));
  expect_refused(firn({"run", at("out/scene.toml"), "-o", at("out"), "--overwrite"}), "was changed since");
  EXPECT_EQ(slurp(at("out/scene.toml")), own);
  EXPECT_EQ(all_names_in(at("out")), before);
}

TEST_F(Folder, WhatIsNotOnTheListIsNotReplaced) {
  ASSERT_EQ(step("out").code, 0);
  const std::set<std::string> before = all_names_in(at("out"));
  EXPECT_EQ(before, (std::set<std::string>{".firn", "checkpoints", "checkpoints/step_00000001.state", "final.ply", "frame_0000.ply",
                                           "scene.toml", "stats.csv"}));
  for (const char* name : {"frame_0007.vtp", "frames.pvd", "frame_0007_1.ply", "bodies.obj"}) {
    spill(at("out/") + name, "mine");
    expect_refused(replace("out"), std::string(name) + ": is not on the list");
    EXPECT_EQ(slurp(at("out/") + name), "mine");
    fs::remove(at("out/") + name);
  }
  EXPECT_EQ(all_names_in(at("out")), before);
  fs::rename(at("out/stats.csv"), at("my stats.csv"));
  fs::create_symlink(at("my stats.csv"), at("out/stats.csv"));
  expect_refused(replace("out"), "stats.csv: is not the file that firn wrote");
  EXPECT_GT(slurp(at("my stats.csv")).size(), 100u);
}

// As versions wrote them that kept no list, or the list was deleted.
TEST_F(Folder, ARunWithoutAListIsNotReplaced) {
  ASSERT_EQ(step("out").code, 0);
  fs::remove(at("out/.firn"));
  const std::set<std::string> before = all_names_in(at("out"));
  expect_refused(replace("out"), "is not on the list");
  EXPECT_EQ(all_names_in(at("out")), before);
}

TEST_F(Folder, AListThatIsSomethingElseIsNotTouched) {
  ASSERT_EQ(step("out").code, 0);
  spill(at("victim"), "mine");
  spill(at("out/.firn"), "my own notes\n");
  expect_refused(replace("out"), ".firn: is not the list");
  EXPECT_EQ(preview("out").code, 0);
  EXPECT_EQ(slurp(at("out/.firn")), "my own notes\n");
  fs::remove(at("out/.firn"));
  fs::create_symlink(at("victim"), at("out/.firn"));
  expect_refused(replace("out"), ".firn: ");
  EXPECT_EQ(slurp(at("victim")), "mine");
}

TEST_F(Folder, NamesOnTheListThatLeadElsewhereAreNotFollowed) {
  ASSERT_EQ(step("out").code, 0);
  fs::create_directory(at("elsewhere"));
  for (const char* name : {"victim", "elsewhere/victim"}) spill(at(name), "mine");
  fs::create_directory_symlink(at("elsewhere"), at("out/link"));
  std::ofstream(at("out/.firn"), std::ios::app)
      << "file ../victim\nfile " << at("victim") << "\nfile link/victim\nfile link/../../victim\nfolder ..\n";
  const Outcome outcome = replace("out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"victim", "elsewhere/victim"}) EXPECT_EQ(slurp(at(name)), "mine") << name;
}

TEST_F(Folder, PicturesBehindLinksStay) {
  ASSERT_EQ(step("out").code, 0);
  ASSERT_EQ(preview("out").code, 0);
  fs::rename(at("out/preview"), at("album"));
  fs::create_directory_symlink(at("album"), at("out/preview"));
  fs::create_directory(at("gallery"));
  spill(at("gallery/frame_0000.png"), "mine");
  fs::create_directory_symlink(at("gallery"), at("out/render"));
  const Outcome outcome = replace("out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("warning: " + at("out/preview") + ": is not a folder but a link"), std::string::npos) << outcome.err;
  EXPECT_GT(fs::file_size(at("album/frame_0000.png")), 100u);
  EXPECT_EQ(slurp(at("gallery/frame_0000.png")), "mine");
  EXPECT_TRUE(fs::is_symlink(at("out/preview")));
  // Nor are pictures that are made there now on the list.
  ASSERT_EQ(preview("out").code, 0);
  fs::remove(at("out/preview"));
  fs::create_directory(at("out/preview"));
  spill(at("out/preview/frame_0000.png"), "mine");
  ASSERT_EQ(replace("out").code, 0);
  EXPECT_EQ(slurp(at("out/preview/frame_0000.png")), "mine");
}

TEST_F(Folder, AFolderInUseIsRefusedWithAndWithoutOverwrite) {
  LongRun first(scene_, at("out"));
  for (const char* flag : {"--overwrite", "--threads=1"}) expect_refused(step("out", {flag}), "another run is writing into this folder");
  EXPECT_EQ(preview("out", {"--no-film"}).code, 0) << "pictures can be made meanwhile";
  EXPECT_NE(firn({"info", at("out")}).out.find("running"), std::string::npos);
  const Outcome outcome = first.end(SIGINT);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_NE(firn({"info", at("out")}).out.find("interrupted"), std::string::npos);
  EXPECT_EQ(replace("out").code, 0);
  EXPECT_EQ(all_names_in(at("out")), (std::set<std::string>{".firn", "checkpoints", "checkpoints/step_00000001.state", "final.ply",
                                                            "frame_0000.ply", "scene.toml", "stats.csv"}))
      << "pictures that were made while it ran are gone, too";
}

TEST_F(Folder, AFileThatComesIntoTheWayOfARunStopsIt) {
  LongRun first(scene_, at("out"));
  spill(at("victim"), "mine");
  fs::create_symlink(at("victim"), at("out/final.ply"));
  const Outcome outcome = first.end(SIGINT);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("error: " + at("out/final.ply") + ": cannot write: File exists\n")) << outcome.err;
  EXPECT_EQ(slurp(at("victim")), "mine");
}

TEST_F(Folder, OfTwoRunsThatStartTogetherOneIsRefused) {
  // Neither ends by itself before the other has started.
  const std::vector<std::string> both{
      "run", scene_, "-o", at("out"), "--overwrite", "--frames", "100000", "--set", "simulation.fps=500", "--threads", "1"};
  Process a(both), b(both);
  ASSERT_TRUE(wait_for([&] { return a.ended() || b.ended(); })) << "both run in one folder";
  Process &refused = a.ended() ? a : b, &running = a.ended() ? b : a;
  // It "is writing" or "has begun to write", as far as the other had come.
  const Outcome outcome = refused.wait();
  expect_refused(outcome, "another run ");
  expect_refused(outcome, " into this folder");
  ASSERT_TRUE(wait_for([&] { return fs::exists(at("out/frame_0001.ply")); }));
  kill(running.pid(), SIGTERM);
  EXPECT_EQ(running.wait().code, 143);
  EXPECT_EQ(read_ply(at("out/frame_0001.ply")).size(), read_ply(at("out/final.ply")).size());
}

TEST_F(Folder, WhatAKilledRunLeftIsRemoved) {
  for (const int signal : {SIGKILL, SIGABRT}) {
    fs::remove_all(at("out"));
    EXPECT_NE(LongRun(scene_, at("out"), {"--formats", "ply,vtp,usda,vdb"}).end(signal).code, 0);
    EXPECT_NE(firn({"info", at("out")}).out.find("stopped before its end"), std::string::npos);
    // What it was writing at that moment, as the system would have left it.
    spill(at("out/frame_0001.ply.4711-0.tmp"), "half");
    spill(at("out/.firn.4711-0.tmp"), "half");
    spill(at("out/mine.4711-0.tmp"), "mine");
    ASSERT_EQ(replace("out").code, 0);
    EXPECT_EQ(all_names_in(at("out")), (std::set<std::string>{".firn", "checkpoints", "checkpoints/step_00000001.state", "final.ply",
                                                              "frame_0000.ply", "mine.4711-0.tmp", "scene.toml", "stats.csv"}));
  }
}

TEST_F(Folder, ARunIsNotReplacedWhilePicturesAreMadeOfIt) {
  spill(scene_, small_scene() + "[render]\nwidth = 64\nheight = 36\n");
  ASSERT_EQ(step("out").code, 0);
  Process painter({"render", at("out"), "--spp", "1000000"});
  ASSERT_TRUE(wait_for([&] { return fs::exists(at("out/render")); }));
  expect_refused(replace("out"), "pictures are being made");
  EXPECT_TRUE(fs::exists(at("out/frame_0000.ply")));
  kill(painter.pid(), SIGINT);
  EXPECT_EQ(painter.wait().code, 130);
  EXPECT_EQ(replace("out").code, 0);
  EXPECT_FALSE(fs::exists(at("out/render")));
}

TEST_F(Folder, NothingIsRemovedBeforeTheSceneIsKnownToRun) {
  ASSERT_EQ(step("out").code, 0);
  const std::set<std::string> before = all_names_in(at("out"));
  const std::vector<std::string> tiny{
      "--formats", "vdb", "--set", "simulation.spacing=1e-5", "--set", "snow.radius=5e-5", "--set", "snow.center=[0, 0.001, 0]"};
  expect_refused(replace("out", tiny), "--set simulation.spacing=1e-5: spacing = 1e-05 m is too small for frames as .vdb");
  expect_refused(replace("out", {"--set", "snow.radius=1e-7"}), "no particles");
  expect_refused(replace("out", {"--set", "snow.center=[0, -1, 0]"}), "inside collider");
  EXPECT_EQ(all_names_in(at("out")), before);
  std::vector<std::string> check{"check", scene_, "--set", "output.formats=[\"vdb\"]"};
  check.insert(check.end(), tiny.begin() + 2, tiny.end());
  expect_refused(firn(check), "too small for frames as .vdb");
}

TEST_F(Folder, PlacesWhereNothingCanBeWrittenAreRefusedFirst) {
  spill(at("file"), "mine");
  expect_refused(step("file"), "file: is not a folder");
  expect_refused(step("file/out"), "file is not a folder");
  fs::create_symlink(at("nowhere"), at("link"));
  expect_refused(step("link"), "a link to something that is not there");
  EXPECT_EQ(slurp(at("file")), "mine");
}

TEST_F(Folder, ARunOfARunsSceneGoesBesideIt) {
  ASSERT_EQ(step("x").code, 0);
  const auto again = [&](const std::string& scene) { return shell("cd '" + at("") + "' && exec $FIRN run '" + scene + "' --steps 1"); };
  for (const char* where : {"x_2", "x_3"}) {
    const Outcome outcome = again("x/scene.toml");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(std::string("final.ply in x_") + where[2]), std::string::npos) << outcome.out;
    EXPECT_TRUE(fs::exists(at(where) + "/final.ply"));
  }
  ASSERT_EQ(shell("cd '" + at("x_2") + "' && exec $FIRN run scene.toml --steps 1").code, 0);
  EXPECT_TRUE(fs::exists(at("x_2_2/final.ply"))) << "also from within";
  EXPECT_FALSE(fs::exists(at("out")));
  // Scenes elsewhere go where they always did, whatever they are called.
  spill(at("scene.toml"), small_scene());
  ASSERT_EQ(again("scene.toml").code, 0);
  EXPECT_TRUE(fs::exists(at("out/scene/final.ply")));
}

TEST_F(Folder, InfoSaysWhatARunIs) {
  ASSERT_EQ(
      run("out", {"--formats", "ply,vdb", "--subframes", "2", "--set", "simulation.fps=200", "--set", "simulation.duration=0.01"}).code, 0);
  ASSERT_EQ(preview("out").code, 0);
  const Outcome whole = firn({"info", at("out") + "/"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  for (const char* line :
       {"format             run\n", "scene              small\n", "simulation         3D, spacing 0.025 m, 2 frames at 200 fps\n",
        "state              finished\n", "frames             0 to 2, and 2 between them\n", "formats            ply (5 files, ",
        "vdb (5 files, ", "time               0.01 s of 0.01 s\n", "particles          ", "final state        final.ply\n",
        "pictures           3 in preview\n"})
    EXPECT_NE(whole.out.find(line), std::string::npos) << line << whole.out;
  for (const char* name : {"frame_0001.ply", "frame_0001.vdb"}) fs::remove(at("out/") + name);
  EXPECT_NE(firn({"info", at("out")}).out.find("missing            1\n"), std::string::npos);
  fs::create_directory(at("empty"));
  expect_refused(firn({"info", at("empty")}), "not the folder of a run");
}

}  // namespace
}  // namespace firn::test
