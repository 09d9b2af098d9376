// Runs driven by the protocol.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/process.h"
#include "client.h"

namespace firn::test {
namespace {

// Like small_scene(), with automatic steps and a name for its material.
std::string ball(double radius = 0.1, double duration = 0.1) {
  std::ostringstream text;
  text << "[simulation]\nspacing = 0.02\nduration = " << duration << "\nfps = 48\n\n[materials.ball]\nhardening = 10\n\n"
       << "[[snow]]\nshape = \"sphere\"\ncenter = [0, 0.12, 0]\nradius = " << radius << "\nvelocity = [0.5, -3, 0]\nmaterial = \"ball\"\n\n"
       << "[[collider]]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\nfriction = 0.3\n";
  return text.str();
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

int opened(Page& page, const std::string& text, bool goes = false) {
  const Json answer = page.ask("open", {{"text", text}, {"go", goes}});
  EXPECT_TRUE(answer.contains("run")) << answer;
  return answer.value("run", 0);
}

// The first news of a run that `is_it` is true of.
template <class IsIt>
Json news(Page& page, int run, const IsIt& is_it) {
  while (true) {
    const std::optional<Json> event = page.event("run", "run", run);
    if (!event || (*event)["state"] == "failed") {
      ADD_FAILURE() << (event ? event->dump() : "no such news");
      return {};
    }
    if (is_it(*event)) return *event;
  }
}

// The run once it has come to `state` with at least so many frames.
Json until(Page& page, int run, const std::string& state, int frames = 0) {
  return news(page, run, [&](const Json& event) { return event["state"] == state && event["frames"] >= frames; });
}

TEST(Studio, GreetsWithVersionThreadsAndFolder) {
  const StudioProcess studio;
  Page page(studio);
  ASSERT_TRUE(page.is_open());
  const Json hello = page.ask("hello", {{"version", 1}});
  EXPECT_EQ(hello["version"], 1);
  EXPECT_EQ(hello["threads"], 2);
  EXPECT_TRUE(std::filesystem::equivalent(hello["folder"].get<std::string>(), studio.file("")));
  EXPECT_TRUE(hello["runs"].empty());
  EXPECT_TRUE(page.ask("hello", {{"version", 99}}).contains("error"));
}

TEST(Studio, ListsTheGalleryThePresetsAndEveryKeyWithItsHelp) {
  const StudioProcess studio;
  Page page(studio);
  const Json gallery = page.ask("gallery");
  EXPECT_GT(gallery["scenes"].size(), 20U);
  EXPECT_EQ(gallery["presets"].size(), 7U);
  const Json schema = page.ask("schema");
  const auto key = [&](const std::string& section, const std::string& name) {
    for (const Json& s : schema["sections"])
      if (s["name"] == section)
        for (const Json& k : s["keys"])
          if (k["name"] == name) return k;
    return Json();
  };
  const Json stiffness = key("materials", "young_modulus");
  EXPECT_EQ(stiffness["unit"], "Pa");
  EXPECT_EQ(stiffness["default"], 1.4e5);
  EXPECT_EQ(stiffness["high"], 1e12);
  EXPECT_EQ(stiffness["open_low"], true);
  EXPECT_EQ(stiffness["now"], true);
  EXPECT_FALSE(stiffness["help"].get<std::string>().empty());
  EXPECT_EQ(key("simulation", "spacing")["now"], false);
  EXPECT_EQ(key("snow", "tube")["shapes"], Json::array({"torus"}));
  EXPECT_EQ(key("solver", "integrator")["choices"].size(), 3U);
  // The page of keys has words for all but those that need none.
  for (const Json& section : schema["sections"]) {
    if (section["array"].get<bool>() || section["name"] == "domain") continue;
    for (const Json& k : section["keys"]) {
      const bool needs_none = k["name"] == "dimension" || k["name"] == "gravity";
      EXPECT_TRUE(needs_none || !k["help"].get<std::string>().empty()) << section["name"] << " " << k["name"];
    }
  }
}

TEST(Studio, ARunOfAPageIsBitForBitTheRunOfTheCommandLine) {
  StudioProcess studio;
  Page page(studio);
  const int run = opened(page, ball());
  // Watched, paused, stepped and asked on its way.
  page.ask("watch", {{"run", run}, {"colour", "stress"}, {"show", {"nodes", "force", "sleep"}}});
  const std::string first = page.binary();
  page.ask("step", {{"run", run}});
  until(page, run, "paused", 1);
  page.ask("ready", {{"run", run}, {"serial", header_of(first).serial}});
  page.ask("frame", {{"run", run}});
  page.ask("histogram", {{"run", run}, {"of", "jp"}, {"bins", 10}});
  page.ask("go", {{"run", run}});
  const Json last = until(page, run, "ended");
  const Json saved = page.ask("save", {{"run", run}, {"path", "scenes/ball.toml"}});
  ASSERT_EQ(saved["command"], "firn run scenes/ball.toml");
  const Outcome outcome = firn({"run", studio.file("scenes/ball.toml"), "-o", studio.file("again"), "--threads", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string folder = studio.file(last["folder"].get<std::string>());
  EXPECT_EQ(slurp(folder + "/final.ply"), slurp(studio.file("again/final.ply")));
  EXPECT_EQ(slurp(folder + "/frame_0004.ply"), slurp(studio.file("again/frame_0004.ply")));
  EXPECT_EQ(last["frames"], 5);
}

TEST(Studio, AnEditTakesEffectInTheRunningSolver) {
  StudioProcess studio;
  Page page(studio);
  const int run = opened(page, ball(0.1, 1));
  page.ask("frame", {{"run", run}});
  until(page, run, "paused", 2);
  const std::string upwards = changed(ball(0.1, 1), "fps = 48", "fps = 48\ngravity = [0, 500, 0]");
  const Json answer = page.ask("edit", {{"run", run}, {"text", upwards}, {"revision", 1}});
  EXPECT_EQ(answer["effect"], "now") << answer;
  EXPECT_EQ(answer["revision"], 2);
  EXPECT_NE(page.ask("resolved", {{"run", run}})["text"].get<std::string>().find("500"), std::string::npos);
  page.ask("go", {{"run", run}, {"until", 6}});
  until(page, run, "paused", 7);
  const Json series = page.ask("series", {{"run", run}});
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(series["columns"].begin(), series["columns"].end(), name) - series["columns"].begin());
  };
  EXPECT_GT(series["rows"].back()[column("momentum_y")].get<double>(), 0) << "it fell, and is pulled up now";
}

TEST(Studio, WhatCannotChangeWantsARestartAndTheRestGoesOn) {
  StudioProcess studio;
  Page page(studio);
  const int run = opened(page, ball(0.1, 1));
  page.ask("frame", {{"run", run}});
  until(page, run, "paused", 2);
  const auto before = page.ask("hello", {{"version", 1}})["runs"][0]["particles"].get<std::int64_t>();
  const Json answer = page.ask("edit", {{"run", run}, {"text", ball(0.08, 1)}, {"revision", 1}});
  EXPECT_EQ(answer["effect"], "restart");
  EXPECT_NE(answer["reason"].get<std::string>().find("snow.0.radius"), std::string::npos);
  page.ask("restart", {{"run", run}});
  const Json again = news(page, run, [&](const Json& event) { return event["state"] == "paused" && event["started"] == false; });
  EXPECT_LT(again["particles"].get<std::int64_t>(), before);
  EXPECT_TRUE(page.ask("edit", {{"run", run}, {"text", ball()}, {"revision", 1}})["error"]["stale"].get<bool>());
}

TEST(Studio, AMistakeHasItsLineAndTheSolverKeepsTheLastValidScene) {
  StudioProcess studio;
  Page page(studio);
  const int run = opened(page, ball());
  until(page, run, "paused");
  const Json answer = page.ask("edit", {{"run", run}, {"text", changed(ball(), "hardening = 10", "hardening = 1000")}, {"revision", 1}});
  EXPECT_EQ(answer["error"]["line"], 7);
  EXPECT_NE(answer["error"]["message"].get<std::string>().find("hardening = 1000"), std::string::npos);
  EXPECT_EQ(answer["error"]["message"].get<std::string>().find(".toml"), std::string::npos) << "the file is not part of it";
  const Json document = page.ask("document", {{"run", run}});
  EXPECT_EQ(document["valid"], false);
  EXPECT_EQ(document["mistake"]["line"], 7);
  EXPECT_TRUE(page.ask("go", {{"run", run}}).contains("ok"));
  until(page, run, "ended");
  const Json checked = page.ask("check", {{"text", "[simulation]\nspacing = 0.02\nduratoin = 1\n"}});
  EXPECT_EQ(checked["error"]["line"], 3);
  EXPECT_GT(page.ask("check", {{"text", ball()}})["snow"][0]["mass"].get<double>(), 1.6);
}

TEST(Studio, AnEditBeforeTheFirstStepSetsTheRunUpAnew) {
  StudioProcess studio;
  Page page(studio);
  const int run = opened(page, ball());
  const auto before = until(page, run, "paused")["particles"].get<std::int64_t>();
  EXPECT_EQ(page.ask("edit", {{"run", run}, {"text", ball(0.06)}, {"revision", 1}})["effect"], "none");
  news(page, run, [&](const Json& event) { return event["state"] == "paused" && event["particles"] < before; });
  EXPECT_FALSE(std::filesystem::exists(studio.file("out"))) << "no files before the first step";
}

TEST(Studio, AnEditWhileARunIsSetUpDoesNotHoldItUp) {
  StudioProcess studio;
  Page page(studio);
  const int run = opened(page, ball(), true);
  EXPECT_TRUE(page.ask("edit", {{"run", run}, {"text", ball(0.06)}, {"revision", 1}}).contains("ok"));
  news(page, run, [](const Json& event) { return event["steps"] > 0; });
}

TEST(Studio, TwoWatchersSeeTheSame) {
  StudioProcess studio;
  Page first(studio), second(studio);
  const int run = opened(first, ball());
  first.ask("watch", {{"run", run}, {"colour", "speed"}});
  second.ask("watch", {{"run", run}, {"colour", "speed"}});
  const std::string a = first.binary(), b = second.binary();
  ASSERT_GT(a.size(), 64U);
  EXPECT_EQ(a.substr(24), b.substr(24));
  const FrameHeader header = header_of(a);
  EXPECT_EQ(header.kind, 1);
  EXPECT_EQ(a.size(), 64 + 8 * std::size_t{header.count});
  EXPECT_NEAR(header.lower[1], 0.02, 0.01);
  EXPECT_NEAR(header.extent[1], 0.2, 0.02);
  EXPECT_NEAR(header.greatest, std::sqrt(9.25), 1e-3);
  EXPECT_EQ(first.ask("hello", {{"version", 1}})["runs"][0]["particles"], header.count);
}

TEST(Studio, FramesOfTheDiskAreShownWhileTheRunGoesOn) {
  StudioProcess studio;
  Page page(studio);
  const int run = opened(page, ball(0.1, 0.1), true);
  until(page, run, "ended");
  page.ask("watch", {{"run", run}, {"colour", "density"}, {"frame", 2}});
  const FrameHeader header = header_of(page.binary());
  EXPECT_EQ(header.frame, 2U);
  EXPECT_EQ(header.flags & 1, 0);
  EXPECT_NEAR(header.time, 2.0 / 48, 1e-9);
  const Json grain = page.ask("pick", {{"run", run}, {"particle", 7}});
  EXPECT_EQ(grain["particle"], 7);
  EXPECT_EQ(grain["path"].size(), 5U);
  EXPECT_EQ(grain["stress"].size(), 9U);
  EXPECT_EQ(grain["material"], "ball");
  const Json recorded = page.ask("pick", {{"run", run}, {"particle", 7}, {"frame", 2}});
  EXPECT_EQ(recorded["particle"], 7);
  ASSERT_EQ(recorded["path"].size(), 5U) << recorded;
  EXPECT_EQ(recorded["position"][1], recorded["path"][2][2]);  // time comes first there
  const Json hit = page.ask("pick", {{"run", run}, {"origin", {0.05, 1, 0}}, {"direction", {0, -1, 0}}, {"radius", 0.02}});
  ASSERT_TRUE(hit.contains("particle")) << hit;
  EXPECT_NEAR(hit["position"][0].get<double>(), 0.05, 0.02);
}

TEST(Studio, ASlowPageGetsFewerFramesAndNoQueueGrows) {
  StudioProcess studio;
  Page quick(studio), slow(studio);
  slow.socket().receive_little();
  const int run = opened(quick, ball(0.1, 1));
  for (Page* page : {&quick, &slow}) page->ask("watch", {{"run", run}, {"rate", 120}});
  quick.ask("go", {{"run", run}});
  int seen = 0;
  double latest = 0;
  const double before = studio.resident_megabytes();
  for (const auto begin = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begin < std::chrono::seconds(2);) {
    const std::string frame = quick.binary(1);
    if (frame.empty()) break;
    ++seen;
    latest = header_of(frame).time;
    quick.tell("ready", {{"run", run}, {"serial", header_of(frame).serial}});
  }
  EXPECT_GT(seen, 5);
  EXPECT_LT(studio.resident_megabytes() - before, 64);
  // The slow one has one frame, of long ago; the next is of now.
  const std::string old = slow.binary();
  EXPECT_TRUE(slow.binary(0.2).empty());
  slow.tell("ready", {{"run", run}, {"serial", header_of(old).serial}});
  EXPECT_GE(header_of(slow.binary()).time, latest);
}

TEST(Studio, BodiesHaveTrianglesAndPoses) {
  StudioProcess studio;
  Page page(studio);
  const std::string scene = ball(0.05) +
                            "\n[[collider]]\nshape = \"box\"\nname = \"blade\"\ncenter = [0.3, 0.05, 0]\nsize = [0.1, 0.1, 0.1]\n"
                            "velocity = [-1, 0, 0]\n";
  const int run = opened(page, scene);
  until(page, run, "paused");
  const Json bodies = page.ask("bodies", {{"run", run}, {"frame", 0}})["bodies"];
  ASSERT_EQ(bodies.size(), 3U);
  EXPECT_EQ(bodies[1]["shape"], "plane");
  EXPECT_EQ(bodies[1]["triangles"], 0);
  EXPECT_EQ(bodies[2]["name"], "blade");
  EXPECT_EQ(bodies[2]["triangles"], 12);
  EXPECT_EQ(bodies[2]["moves"], true);
  EXPECT_EQ(header_of(page.binary()).kind, 3);
  EXPECT_EQ(header_of(page.binary()).count, 12U);
  page.ask("watch", {{"run", run}, {"show", {"normals"}}});
  page.ask("frame", {{"run", run}});
  const FrameHeader particles = header_of(page.binary());
  EXPECT_EQ(particles.kind, 1);
  EXPECT_EQ(header_of(page.binary()).kind, 2);
  EXPECT_EQ(page.event("poses")->at("poses")[0]["body"], 2);
}

TEST(Studio, AStoppedRunIsResumedFromItsFolder) {
  StudioProcess studio;
  std::string folder;
  {
    Page page(studio);
    const int run = opened(page, ball(0.1, 1));
    page.ask("go", {{"run", run}, {"until", 3}});
    folder = until(page, run, "paused", 4)["folder"];
    page.ask("close", {{"run", run}});
    EXPECT_TRUE(page.event("closed", "run", run));
  }
  Page page(studio);
  for (int tries = 0; tries < 100 && !std::filesystem::exists(studio.file(folder + "/final.ply")); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const Json answer = page.ask("open", {{"folder", folder}});
  ASSERT_TRUE(answer.contains("run")) << answer;
  const Json stored = *page.event("run");
  EXPECT_EQ(stored["state"], "ended");
  EXPECT_EQ(stored["frames"], 4);
  EXPECT_EQ(stored["resumable"], true);
  EXPECT_TRUE(page.ask("resume", {{"run", answer["run"]}}).contains("ok"));
  EXPECT_GT(until(page, answer["run"], "running")["steps"].get<int>(), 0);
}

TEST(Studio, ASignalEndsItWithCheckpointsOfRunsAtWork) {
  StudioProcess studio;
  std::string folder;
  {
    Page page(studio);
    const int run = opened(page, ball(0.1, 10), true);
    // Before its first step a run has written nothing, and leaves nothing.
    folder = news(page, run, [](const Json& event) { return event["steps"] > 0; })["folder"];
    page.ask("histogram", {{"run", run}});
  }
  EXPECT_EQ(studio.stop(SIGTERM), 0);
  EXPECT_TRUE(std::filesystem::exists(studio.file(folder + "/final.ply")));
  EXPECT_FALSE(std::filesystem::is_empty(studio.file(folder + "/checkpoints")));
}

TEST(Studio, APortThatIsTakenIsOneClearError) {
  const StudioProcess studio;
  const Outcome outcome = firn({"studio", "--no-open", "--port", std::to_string(studio.port())});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("another program listens there"), std::string::npos) << outcome.err;
}

TEST(Studio, ARunFromElsewhereBringsItsFolder) {
  const TempFolder elsewhere;
  std::ofstream(elsewhere.file("ball.toml")) << ball();
  ASSERT_EQ(firn({"run", elsewhere.file("ball.toml"), "-o", elsewhere.file("run"), "--frames", "1"}).code, 0);
  {
    const StudioProcess studio({elsewhere.file("run")}, false);
    Page page(studio);
    const Json runs = page.ask("hello", {{"version", 1}})["runs"];
    ASSERT_EQ(runs.size(), 1U) << runs;
    EXPECT_EQ(runs[0]["folder"], "run");
    EXPECT_EQ(StudioProcess::status_of(studio.get("/files/run/stats.csv?token=" + studio.token())), 200);
  }
  const TempFolder other;
  const Outcome outcome = firn({"studio", elsewhere.file("run"), "--folder", other.file(""), "--no-open", "--port", "0"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("is not in the work folder"), std::string::npos) << outcome.err;
}

TEST(Studio, OtherMachinesNeedTheTokenThatIsPrinted) {
  const StudioProcess studio({"--host", "0.0.0.0"});
  EXPECT_EQ(studio.token(), "") << "not in the page";
  const std::size_t at = studio.line().find("#token=");
  ASSERT_NE(at, std::string::npos) << studio.line();
  EXPECT_NE(studio.line().find("http://127.0.0.1:"), std::string::npos) << studio.line();
  EXPECT_TRUE(Page(studio, studio.line().substr(at + 7)).is_open());
  EXPECT_FALSE(Page(studio, std::string(32, '0')).is_open());
}

TEST(Studio, TwoRunsAreComparedKeyByKey) {
  StudioProcess studio;
  Page page(studio);
  const int a = opened(page, ball()), b = opened(page, ball(0.08));
  const Json differences = page.ask("compare", {{"a", a}, {"b", b}})["differences"];
  ASSERT_EQ(differences.size(), 1U) << differences;
  EXPECT_EQ(differences[0]["key"], "snow.0.radius");
  EXPECT_EQ(differences[0]["b"], "0.08");
}

}  // namespace
}  // namespace firn::test
