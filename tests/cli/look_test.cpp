// check, scenes, preview and bench as a user sees them.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "process.h"
#include "support/flow_scenes.h"
#include "support/mesh_files.h"
#include "support/meshes.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

TEST(Scenes, EveryGallerySceneChecksAndPrints) {
  const Outcome list = firn({"scenes"});
  ASSERT_EQ(list.code, 0);
  for (const GalleryEntry& entry : gallery()) {
    EXPECT_NE(list.out.find(entry.name), std::string::npos);
    const Outcome text = firn({"scenes", entry.name});
    EXPECT_EQ(text.out, slurp(std::string(FIRN_SCENES) + "/" + entry.name + ".toml"));
    const Outcome outcome = firn({"check", entry.name});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "") << entry.name << " should not need a warning";
    for (const char* word : {"particles", "blocks", "memory", "time step", "steps"})
      EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(firn({"scenes", "nothing"}).code, 2);
}

TEST(Check, TurnsAMeshIntoAMillionParticlesInSecondsAndLittleMemory) {
  const TempFolder folder;
  folder.write("ball.obj", obj(dome(120, std::numbers::pi)));
  spill(folder.file("ball.toml"), "[simulation]\nspacing = 0.032\nduration = 1\n[[snow]]\nshape = \"mesh\"\nfile = \"ball.obj\"\n");
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = firn({"check", folder.file("ball.toml")});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t at = outcome.out.find("mesh: ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GT(std::stol(outcome.out.substr(at + 6)), 1000000);
  printf("    %.1f s, %.0f MB\n", seconds, outcome.megabytes);
  EXPECT_LT(seconds, 20);
  EXPECT_LT(outcome.megabytes, 1000);
}

TEST(Check, ListsColliders) {
  const TempFolder folder;
  spill(folder.file("flow.toml"), to_toml(everything_flows(3)));
  const std::string text = firn({"check", folder.file("flow.toml")}).out;
  EXPECT_NE(text.find("collider 0 box, 0.06 x 0.1 x 0.3 m, moves\ncollider 1 plane\n"), std::string::npos) << text;
}

TEST(Check, SaysWhatComesAndGoes) {
  const TempFolder folder;
  spill(folder.file("flow.toml"), to_toml(everything_flows(3)));
  const Outcome outcome = firn({"check", folder.file("flow.toml"), "--set", "source.velocity=[0, -0.01, 0]"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* line : {"source 0   box: 3000 particles/s, 3000 particles and 1.2 kg in all\n", "sink 0     sphere\n",
                           "domain     [-1, -0.5, -0.065] to [5, 0.9, 0.065] m\n",
                           "window     [-0.25, -0.3, -0.3] to [0.5, 0.5, 0.3] m, moves with collider 0\n"})
    EXPECT_NE(outcome.out.find(line), std::string::npos) << outcome.out;
  const Outcome choked = firn({"check", folder.file("flow.toml"), "--set", "source.rate=100"});
  EXPECT_NE(choked.err.find("rate = 100: velocity and gravity carry away about"), std::string::npos) << choked.err;
}

// Nothing there at first, nothing there at last.
TEST(Preview, ShowsARunWithFramesThatAreEmpty) {
  const TempFolder folder;
  Scene scene = empty_scene(3, 0.02);
  scene.simulation.duration = 0.15;
  scene.sources.push_back(spout({0, 0.3, 0}, 0.06, 0.5));
  scene.sources[0].end = 0.05;
  scene.sinks.push_back(drain({0, 0.15, 0}, {0, 1, 0}));
  spill(folder.file("drip.toml"), to_toml(scene));
  ASSERT_EQ(firn({"run", folder.file("drip.toml"), "-o", folder.file("out")}).code, 0);
  EXPECT_EQ(read_ply(folder.file("out/frame_0000.ply")).size(), 0u);
  EXPECT_GT(read_ply(folder.file("out/frame_0001.ply")).size(), 10u);
  EXPECT_EQ(read_ply(folder.file("out/frame_0003.ply")).size(), 0u);
  const Outcome outcome = firn({"preview", folder.file("out"), "--width", "160", "--height", "90", "--no-film"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(folder.file("out/preview/frame_0003.png")));
}

TEST(Preview, MakesPicturesAndAFilmOfARun) {
  const TempFolder folder;
  spill(folder.file("small.toml"), small_scene());
  ASSERT_EQ(firn({"run", folder.file("small.toml"), "-o", folder.file("out")}).code, 0);
  const Outcome outcome = firn({"preview", folder.file("out"), "--width", "320", "--height", "180"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"frame_0000.png", "frame_0001.png", "frame_0002.png", "preview.mp4"})
    EXPECT_GT(fs::file_size(folder.file("out/preview/") + name), 1000u) << name;
}

TEST(Bench, PrintsEveryFieldAsJson) {
  const Outcome outcome = firn({"bench", "snowball_drop", "--steps", "2", "--threads", "1", "--json", "--set", "simulation.spacing=0.04"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json j = nlohmann::json::parse(outcome.out);
  for (const char* key : {"scene", "backend", "precision", "kernel", "integrator", "particles", "steps", "threads", "ns_per_particle_step",
                          "ns_per_particle_iteration", "iterations_per_step", "bytes_per_particle", "serial_fraction", "phases"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j["threads"], 1);
  EXPECT_GT(j["ns_per_particle_step"].get<double>(), 0);
  double phases = 0;
  for (const auto& [name, ns] : j["phases"].items()) phases += ns.get<double>();
  EXPECT_NEAR(phases / j["ns_per_particle_step"].get<double>(), 1, 0.1) << "the phases make up the step";
}

TEST(Bench, GivesTheSpreadOfItsPartsAndTheMachinesSpeed) {
  const TempFolder folder;
  spill(folder.file("small.toml"), small_scene());
  const Outcome outcome = firn({"bench", folder.file("small.toml"), "--warmup", "2", "--steps", "7", "--threads", "1", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json j = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(j["steps"], 7) << "parts need not be equal to be counted";
  const double ns = j["ns_per_particle_step"];
  EXPECT_GT(j["ns_min"].get<double>(), 0);
  EXPECT_LE(j["ns_min"].get<double>(), ns);
  EXPECT_GE(j["ns_max"].get<double>(), ns);
  EXPECT_GT(j["calibration"]["fma_gflops"].get<double>(), 0.1);
  EXPECT_GT(j["calibration"]["copy_gb_s"].get<double>(), 0.1);
}

}  // namespace
}  // namespace firn::test
