// firn run: what it writes, and that it writes the same bytes every time.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <map>
#include <thread>

#include "process.h"
#include "support/flow_scenes.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> frames_of(const std::string& dir) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(dir))
    if (entry.path().extension() == ".ply") files[entry.path().filename().string()] = slurp(entry.path().string());
  return files;
}

class RunCommand : public SmallScene {};

TEST_F(RunCommand, WritesFramesStatisticsSceneAndFinalState) {
  const Outcome outcome = run("out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"frame_0000.ply", "frame_0001.ply", "frame_0002.ply", "final.ply", "stats.csv", "scene.toml"})
    EXPECT_TRUE(fs::exists(folder_.file("out/") + name)) << name;
  EXPECT_FALSE(fs::exists(folder_.file("out/frame_0003.ply"))) << "0.1 s at 24 fps are two whole frames";
  const std::string stats = slurp(folder_.file("out/stats.csv"));
  EXPECT_EQ(std::count(stats.begin(), stats.end(), '\n'), 5) << "a header, three frames and the rest of the duration";
  EXPECT_NE(outcome.err.find("frame 2/2"), std::string::npos) << "one plain line a frame without a terminal";
  const Frame last = read_ply(folder_.file("out/final.ply"));
  EXPECT_EQ(last.fe.size(), last.size());
  EXPECT_EQ(slurp(folder_.file("out/frame_0002.ply")).find("fe00"), std::string::npos);
}

TEST(RunCommandOfADensityLimitedScene, SaysTheCriticalDensityFirst) {
  const TempFolder folder;
  const Outcome outcome = firn({"run", "density_drop", "--steps", "20", "-o", folder.file("out")});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.err.starts_with("critical density 533.3 kg/m³: ")) << outcome.err;
  EXPECT_NE(firn({"check", "density_drop"}).out.find("critical   533.3 kg/m³"), std::string::npos);
}

// Numbers of the columns that `names` names, line by line.
std::vector<std::vector<long>> columns(const std::string& csv, const std::vector<std::string>& names) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> all;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) all.push_back(cell);
    return all;
  };
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> header = cells(line);
  std::vector<std::vector<long>> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> row = cells(line);
    rows.emplace_back();
    for (const std::string& name : names)
      rows.back().push_back(std::stol(row[static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin())]));
  }
  return rows;
}

TEST_F(RunCommand, AccountsForEveryParticleThatComesAndGoes) {
  spill(scene_, to_toml(everything_flows(3)));
  const Outcome outcome = run("out", {"--frames", "6", "--set", "materials.default.young_modulus=2e4"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto rows = columns(slurp(folder_.file("out/stats.csv")), {"particles", "emitted", "killed", "left"});
  ASSERT_EQ(rows.size(), 7u);
  for (std::size_t frame = 0; frame < rows.size(); ++frame) {
    const std::vector<long>& row = rows[frame];
    EXPECT_EQ(rows[0][0] + row[1], row[0] + row[2] + row[3]) << frame;
    const Frame particles = read_ply(folder_.file("out/frame_000") + std::to_string(frame) + ".ply");
    EXPECT_EQ(static_cast<long>(particles.size()), row[0]);
    EXPECT_TRUE(std::is_sorted(particles.id.begin(), particles.id.end(), std::less_equal<>())) << "an id twice, or out of order";
  }
  for (const long column : rows.back()) EXPECT_GT(column, 20);
}

class Threads : public RunCommand, public testing::WithParamInterface<const char*> {};

TEST_P(Threads, AnyCountAndAnyRepeatWritesTheSameBytes) {
  std::vector<std::string> settings;
  std::istringstream words(GetParam());
  for (std::string word; words >> word;) settings.insert(settings.end(), {"--set", word});
  const auto with = [&](const std::string& dir, const std::string& threads) {
    std::vector<std::string> more = settings;
    more.insert(more.end(), {"--threads", threads});
    const Outcome outcome = run(dir, more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return frames_of(folder_.file(dir));
  };
  const auto expected = with("t1", "1");
  ASSERT_EQ(expected.size(), 4u);
  for (const char* threads : {"2", "3", "7"}) EXPECT_TRUE(with(std::string("t") + threads, threads) == expected) << threads << " threads";
  EXPECT_TRUE(with("again", "1") == expected) << "repeated";
}

INSTANTIATE_TEST_SUITE_P(Solvers, Threads,
                         testing::Values("solver.integrator=explicit", "solver.integrator=semi-implicit",
                                         "solver.time_step=auto solver.precision=double solver.transfer=apic solver.kernel=quadratic",
                                         "simulation.dimension=2 simulation.spacing=0.008 solver.transfer=apic solver.time_step=1e-4"));

TEST_F(RunCommand, StepsAreExactlyAsManyAndAsLongAsAsked) {
  ASSERT_EQ(run("out", {"--steps", "300", "--set", "solver.time_step=1.7e-4"}).code, 0);
  EXPECT_TRUE(fs::exists(folder_.file("out/frame_0001.ply"))) << "300 steps of 1.7e-4 s pass the first frame";
  ASSERT_EQ(run("short", {"--steps", "10", "--set", "solver.time_step=1.7e-4", "--set", "solver.precision=double"}).code, 0);
  const Frame frame = read_ply(folder_.file("short/final.ply"));
  const auto top = std::max_element(frame.position.begin(), frame.position.end(), [](const auto& a, const auto& b) { return a[1] < b[1]; });
  EXPECT_NEAR(frame.velocity[top - frame.position.begin()][1], -3 - 9.81 * 10 * 1.7e-4, 1e-5) << "above it is still in free fall";
}

double last_time(const std::string& stats) {
  const std::string last = stats.substr(stats.rfind('\n', stats.size() - 2) + 1);
  return std::stod(last.substr(last.find(',') + 1));
}

TEST_F(RunCommand, DurationFpsAndFramesSayHowFarAndHowOften) {
  const auto frames = [&](const std::string& dir) { return frames_of(folder_.file(dir)).size() - 1; };
  ASSERT_EQ(run("duration", {"--set", "simulation.duration=0.06"}).code, 0);
  EXPECT_EQ(frames("duration"), 2u);
  EXPECT_NEAR(last_time(slurp(folder_.file("duration/stats.csv"))), 0.06, 1e-9) << "final.ply is the state at the end of the duration";
  ASSERT_EQ(run("fps", {"--set", "simulation.duration=0.06", "--set", "simulation.fps=100"}).code, 0);
  EXPECT_EQ(frames("fps"), 7u);
  ASSERT_EQ(run("frames", {"--set", "simulation.frames=1"}).code, 0);
  EXPECT_EQ(frames("frames"), 2u);
  EXPECT_NEAR(last_time(slurp(folder_.file("frames/stats.csv"))), 1.0 / 24, 1e-9);
}

TEST_F(RunCommand, FramesThatAStepJumpsOverAreNotWritten) {
  ASSERT_EQ(run("out", {"--steps", "10", "--set", "simulation.fps=10000", "--set", "solver.time_step=2e-4"}).code, 0);
  EXPECT_FALSE(fs::exists(folder_.file("out/frame_0001.ply"))) << "t = 1e-4 s";
  EXPECT_TRUE(fs::exists(folder_.file("out/frame_0002.ply"))) << "t = 2e-4 s";
  EXPECT_TRUE(fs::exists(folder_.file("out/frame_0020.ply")));
}

TEST_F(RunCommand, FixedTimeStepIsRoundedDownToFitAFrame) {
  ASSERT_EQ(run("out", {"--frames", "1", "--set", "solver.time_step=3e-4"}).code, 0);
  const std::string stats = slurp(folder_.file("out/stats.csv"));
  const std::string last = stats.substr(stats.rfind('\n', stats.size() - 2) + 1);
  EXPECT_EQ(last.substr(0, last.find(',', 2)), "1,0.0416666667");
  EXPECT_NE(last.find(",139,"), std::string::npos) << "1/24 s over 3e-4 s is 138.9: " << last;
}

TEST_F(RunCommand, AFinalStateGoesOnAsAParticlesScene) {
  // 40 steps in one go equal 20 steps, then 20 from final.ply: everything a step needs is in the file.
  const std::vector<std::string> settings{"--set", "solver.transfer=apic", "--set", "solver.precision=double"};
  const auto steps = [&](const std::string& scene, const std::string& dir, const std::string& n) {
    std::vector<std::string> arguments{"run", scene, "-o", folder_.file(dir), "--steps", n};
    arguments.insert(arguments.end(), settings.begin(), settings.end());
    return firn(arguments);
  };
  ASSERT_EQ(steps(scene_, "whole", "40").code, 0);
  ASSERT_EQ(steps(scene_, "half", "20").code, 0);
  std::string text = small_scene();
  text.replace(text.find("[[snow]]"), text.find("[[collider]]") - text.find("[[snow]]"),
               "[[snow]]\nshape = \"particles\"\nfile = \"half/final.ply\"\nmaterial = \"packed\"\n\n");
  spill(folder_.file("rest.toml"), text);
  const Outcome rest = steps(folder_.file("rest.toml"), "rest", "20");
  ASSERT_EQ(rest.code, 0) << rest.err;
  const Frame a = read_ply(folder_.file("whole/final.ply")), b = read_ply(folder_.file("rest/final.ply"));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int d = 0; d < 3; ++d) {
      ASSERT_NEAR(a.velocity[i][d], b.velocity[i][d], 1e-9);
      ASSERT_NEAR(a.position[i][d], b.position[i][d], 1e-12);
    }
}

TEST_F(RunCommand, InterruptedItSavesTheStateAndExits130) {
  Process process({"run", scene_, "-o", folder_.file("out"), "--frames", "1000"});
  for (int k = 0; k < 600 && !fs::exists(folder_.file("out/frame_0001.ply")); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(process.pid(), SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_GT(read_ply(folder_.file("out/final.ply")).size(), 1000u);
}

TEST_F(RunCommand, AFixedStepThatFailsStopsWithExit1AndTheReason) {
  const Outcome outcome = run("out", {"--set", "solver.integrator=explicit", "--set", "solver.time_step=5e-3"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("error: step "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("time_step"), std::string::npos);
  EXPECT_GT(read_ply(folder_.file("out/final.ply")).size(), 1000u) << "the state before the step that failed";
}

TEST_F(RunCommand, AFullFolderIsRefusedAndLeftAlone) {
  fs::create_directory(folder_.file("out"));
  spill(folder_.file("out/precious.txt"), "mine");
  const Outcome refused = run("out");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--overwrite"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.file("out")), fs::directory_iterator()), 1);
  EXPECT_EQ(run("out", {"--overwrite", "--frames", "1"}).code, 0);
  EXPECT_EQ(slurp(folder_.file("out/precious.txt")), "mine");
}

TEST_F(RunCommand, OverwritingRemovesThePicturesOfTheRunBefore) {
  ASSERT_EQ(run("out", {"--frames", "1"}).code, 0);
  const std::vector<std::string> pictures{"preview/frame_0001.png", "preview/preview.mp4",   "render/frame_0001.png",
                                          "render/frame_0001.exr",  "render/frame_0001.vdb", "render/film.gif"};
  ASSERT_EQ(firn({"preview", folder_.file("out"), "--width", "64", "--height", "36"}).code, 0);
  fs::create_directory(folder_.file("out/render"));
  ASSERT_EQ(firn({"render", folder_.file("out"), "--size", "64x36", "--spp", "1", "--exr", "--volume", "--film",
                  folder_.file("out/render/film.gif")})
                .code,
            0);
  for (const std::string& name : pictures) EXPECT_TRUE(fs::exists(folder_.file("out/" + name))) << name;
  spill(folder_.file("out/render/mine.png"), "mine");
  ASSERT_EQ(run("out", {"--overwrite", "--frames", "1"}).code, 0);
  for (const std::string& name : pictures) EXPECT_FALSE(fs::exists(folder_.file("out/" + name))) << name;
  EXPECT_EQ(slurp(folder_.file("out/render/mine.png")), "mine");
  EXPECT_FALSE(fs::exists(folder_.file("out/preview"))) << "nothing is left in it";
}

TEST_F(RunCommand, AMillionParticlesTakeLessThan400Megabytes) {
  const Outcome outcome = run("big", {"--steps", "2", "--set", "simulation.spacing=0.00316", "--set", "solver.time_step=1e-5"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t particles = read_ply(folder_.file("big/final.ply")).size();
  printf("    %zu particles, %.0f MB\n", particles, outcome.megabytes);
  EXPECT_GT(particles, 1050000u) << "past a power of two, where a growing table would be copied";
  EXPECT_LT(outcome.megabytes, 400);
}

TEST_F(RunCommand, TheReferenceBackendAgrees) {
  const std::vector<std::string> fast{"--steps", "10", "--set", "solver.precision=double", "--set", "solver.tolerance=1e-11"};
  std::vector<std::string> slow = fast;
  slow.insert(slow.end(), {"--backend", "reference"});
  ASSERT_EQ(run("fast", fast).code, 0);
  ASSERT_EQ(run("slow", slow).code, 0);
  const Frame a = read_ply(folder_.file("fast/final.ply")), b = read_ply(folder_.file("slow/final.ply"));
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a.velocity[i][1], b.velocity[i][1], 1e-9);
}

}  // namespace
}  // namespace firn::test
