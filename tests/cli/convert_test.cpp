// firn convert and firn info, on the files of a real run.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "process.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

class Convert : public SmallScene {
 protected:
  Convert() {
    const Outcome outcome = run("a run", {"--frames", "2"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  std::string at(const std::string& name) const { return folder_.file(name); }
  // Of a mistake: exit code 2, one line.
  std::string mistake(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "convert");
    const Outcome outcome = firn(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    const std::string line = outcome.err.substr(std::min(outcome.err.find("error: "), outcome.err.size()));
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << outcome.err;
    return line;
  }
};

TEST_F(Convert, ThroughAllFormatsAndBackGivesTheSameFile) {
  std::string last = at("a run/final.ply");
  for (const FrameFormat& format : frame_formats()) {
    if (!format.readable) continue;
    const std::string next = at("through ") + std::string(format.name) + "." + std::string(format.name);
    const Outcome outcome = firn({"convert", last, next});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    last = next;
  }
  ASSERT_EQ(firn({"convert", last, at("back.ply")}).code, 0);
  EXPECT_EQ(slurp(at("back.ply")), slurp(at("a run/final.ply")));
}

TEST_F(Convert, PatternsFoldersAndListsOfFilesAreSequences) {
  ASSERT_EQ(firn({"convert", at("a run/frame_*.ply"), at("pattern/*.vtp")}).code, 0);
  ASSERT_EQ(firn({"convert", at("a run"), at("folder/*.vtp")}).code, 0);
  ASSERT_EQ(firn({"convert", at("a run/frame_0000.ply"), at("a run/frame_0001.ply"), at("a run/frame_0002.ply"), at("list/*.vtp")}).code,
            0);
  for (const char* name : {"frame_0000.vtp", "frame_0001.vtp", "frame_0002.vtp", "frames.pvd"}) {
    EXPECT_FALSE(slurp(at("pattern/") + name).empty()) << name;
    EXPECT_EQ(slurp(at("pattern/") + name), slurp(at("folder/") + name)) << name;
    EXPECT_EQ(slurp(at("pattern/") + name), slurp(at("list/") + name)) << name;
  }
  EXPECT_TRUE(contains(slurp(at("pattern/frames.pvd")), "0.0833333")) << "the time of frame 2, from the frame rate in scene.toml";
}

// As the shell sorts names, final.ply comes first and frame_0000_10 before frame_0000_2.
TEST_F(Convert, TheFileThatTiesFramesTogetherHasThemInTheOrderOfTime) {
  ASSERT_EQ(firn({"run", at("small.toml"), "-o", at("slow"), "--frames", "1", "--subframes", "11"}).code, 0);
  ASSERT_EQ(firn({"convert", at("slow/*.ply"), at("vtp/*.vtp")}).code, 0);
  ASSERT_EQ(firn({"convert", at("slow"), at("folder/*.vtp")}).code, 0);
  EXPECT_TRUE(fs::exists(at("vtp/final.vtp")));
  EXPECT_EQ(slurp(at("vtp/frames.pvd")), slurp(at("folder/frames.pvd")));
}

TEST_F(Convert, PatternMayMeetTheFileThatTiesFramesTogether) {
  ASSERT_EQ(firn({"convert", at("a run"), at("usd/*.usda")}).code, 0);
  const Outcome outcome = firn({"convert", at("usd/*.usda"), at("vtp/*.vtp")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "frames.manifest.usda: left out")) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "3 files")) << outcome.out;
  EXPECT_TRUE(contains(mistake({at("usd/frames*.usda"), at("more/*.vtp")}), "no frame is among these"));
}

// Away from the run's folder there is no scene.toml to ask.
TEST_F(Convert, CachesKeepTheirTimeFrameRateAndSpacing) {
  ASSERT_EQ(firn({"convert", at("a run/frame_0002.ply"), at("alone/snow.fpc")}).code, 0);
  ASSERT_EQ(firn({"convert", at("alone/snow.fpc"), at("alone/again.fpc")}).code, 0);
  EXPECT_EQ(slurp(at("alone/again.fpc")), slurp(at("alone/snow.fpc")));
  EXPECT_EQ(firn({"convert", at("alone/snow.fpc"), at("alone/snow.vdb")}).code, 0) << "without --spacing";
  ASSERT_EQ(firn({"convert", at("a run/frame_0002.ply"), at("frame.vdb")}).code, 0);
  EXPECT_EQ(slurp(at("alone/snow.vdb")), slurp(at("frame.vdb")));
}

TEST_F(Convert, KeepsOnlyTheAttributesAskedFor) {
  ASSERT_EQ(firn({"convert", at("a run/frame_0002.ply"), at("few.ply"), "--attributes", "velocity,jp"}).code, 0);
  const Frame all = read_ply(at("a run/frame_0002.ply")), few = read_ply(at("few.ply"));
  EXPECT_EQ(few.position, all.position);
  EXPECT_EQ(few.velocity, all.velocity);
  EXPECT_EQ(few.jp, all.jp);
  EXPECT_TRUE(few.id.empty() && few.mass.empty() && few.volume.empty() && few.je.empty() && few.material.empty());
}

TEST_F(Convert, MistakesNameTheWayOut) {
  const std::string frame = at("a run/frame_0000.ply");
  EXPECT_TRUE(contains(mistake({frame, at("a.jpg")}), ".ply, .vdb, .vtp, .bgeo, .usda, .fpc"));
  EXPECT_TRUE(contains(mistake({at("a run/stats.csv"), at("a.vtp")}), "cannot be read"));
  EXPECT_TRUE(contains(mistake({frame, at("a.ply"), "--attributes", "velocty"}), "did you mean 'velocity'?"));
  EXPECT_TRUE(contains(mistake({frame, at("a.ply"), "--attributes", "b"}), "no b"));
  EXPECT_TRUE(contains(mistake({at("a run"), at("a.ply")}), "*.ply"));
  EXPECT_TRUE(contains(mistake({at("a run/x*.ply"), at("*.vtp")}), "no file is called like that"));
  EXPECT_TRUE(contains(mistake({at("none.ply"), at("a.vtp")}), "no such file"));
  EXPECT_TRUE(contains(mistake({frame}), "at least two"));
  EXPECT_TRUE(contains(mistake({frame, at("a.vtp"), "--error", "1e-4"}), ".fpc"));
  EXPECT_TRUE(contains(mistake({frame, at("a.ply"), "--points"}), ".vdb"));
  EXPECT_TRUE(contains(mistake({frame, at("a.ply"), "--voxel", "0.01"}), "surfaces"));
  fs::copy(frame, at("alone.ply"));
  EXPECT_TRUE(contains(mistake({at("alone.ply"), at("a.vdb")}), "--spacing"));
  EXPECT_FALSE(fs::exists(at("a.vdb")));
}

TEST_F(Convert, ReplacesFilesOnlyWhenTold) {
  spill(at("mine.vtp"), "mine");
  EXPECT_TRUE(contains(mistake({at("a run/frame_0000.ply"), at("mine.vtp")}), "--overwrite"));
  EXPECT_EQ(slurp(at("mine.vtp")), "mine");
  EXPECT_EQ(firn({"convert", at("a run/frame_0000.ply"), at("mine.vtp"), "--overwrite"}).code, 0);
  EXPECT_GT(read_frame(at("mine.vtp")).size(), 1000u);
  spill(at("frames.pvd"), "mine");
  EXPECT_TRUE(contains(mistake({at("a run"), at("*.vtp")}), "frames.pvd: is there already"));
  EXPECT_EQ(slurp(at("frames.pvd")), "mine");
  EXPECT_FALSE(fs::exists(at("frame_0000.vtp")));
}

TEST_F(Convert, ADamagedFileInASequenceStopsItAndTellsWhere) {
  const std::string bytes = slurp(at("a run/frame_0001.ply"));
  spill(at("a run/frame_0001.ply"), bytes.substr(0, bytes.size() - 100));
  const std::string error = mistake({at("a run"), at("out/*.vtp")});
  EXPECT_TRUE(contains(error, "frame_0001.ply: at byte ")) << error;
  EXPECT_TRUE(fs::exists(at("out/frame_0000.vtp")));
  EXPECT_FALSE(fs::exists(at("out/frame_0001.vtp")));
}

TEST_F(Convert, SurfacesAreMeshesWhateverTheirEnding) {
  for (const char* name : {"snow.obj", "SNOW.OBJ"}) {
    ASSERT_EQ(firn({"convert", at("a run/frame_0002.ply"), at(name)}).code, 0) << name;
    EXPECT_TRUE(contains(firn({"info", at(name)}).out, "triangles")) << name;
  }
  ASSERT_EQ(firn({"convert", at("a run/frame_0002.ply"), at("surface.ply"), "--surface"}).code, 0);
  const std::string out = firn({"info", at("surface.ply")}).out;
  EXPECT_TRUE(contains(out, "mesh") && contains(out, "triangles")) << out;
}

TEST_F(Convert, TheFinalStateHasTheTimeAtWhichTheRunStopped) {
  ASSERT_EQ(firn({"convert", at("a run/final.ply"), at("final.fpc")}).code, 0);
  EXPECT_TRUE(contains(firn({"info", at("final.fpc")}).out, "0.0833333")) << "two frames of 1/24 s, not the scene's duration";
}

TEST_F(Convert, InfoTellsParticlesMassAndRanges) {
  const Outcome outcome = firn({"info", at("a run/frame_0000.ply"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  const Frame frame = read_ply(at("a run/frame_0000.ply"));
  EXPECT_EQ(json["particles"], std::to_string(frame.size()));
  double mass = 0;
  for (const double m : frame.mass) mass += m;
  EXPECT_NEAR(std::stod(json["mass"].get<std::string>()), mass, 1e-8 * mass);
  EXPECT_EQ(json["columns"][2]["name"], "velocity");
  EXPECT_EQ(json["columns"][2]["min"], -3.0);
  EXPECT_EQ(json["columns"][2]["max"], 0.5);
  EXPECT_TRUE(contains(firn({"info", at("a run/frame_0000.ply")}).out, "3 × float"));
}

TEST_F(Convert, InfoOfAVolumeTellsTheMassOfItsParticles) {
  Frame sheet;
  for (int p = 0; p < 100; ++p) sheet.position.push_back({0.013 * p, 0.5, 0});
  sheet.mass.assign(100, 0.25);
  write_ply(at("sheet.ply"), sheet);
  for (const char* dimension : {"2", "3"}) {
    const std::string path = at("sheet") + dimension + ".vdb";
    ASSERT_EQ(firn({"convert", at("sheet.ply"), path, "--spacing", "0.1", "--dimension", dimension}).code, 0);
    const auto json = nlohmann::json::parse(firn({"info", path, "--json"}).out);
    EXPECT_NEAR(std::stod(json["mass"].get<std::string>()), 25, 25e-5) << dimension << "D";
  }
}

TEST_F(Convert, InfoReadsEveryFormatThatIsWritten) {
  for (const FrameFormat& format : frame_formats()) {
    const std::string path = at("frame.") + std::string(format.name);
    ASSERT_EQ(firn({"convert", at("a run/frame_0002.ply"), path, "--spacing", "0.02"}).code, 0);
    const Outcome outcome = firn({"info", path});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, std::string(format.name))) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "velocity")) << outcome.out;
  }
  EXPECT_EQ(firn({"info", at("none.ply")}).code, 2);
  EXPECT_EQ(firn({"info", at("small.toml")}).code, 2);
}

// A box with a round hole beside the plane, which other programs make themselves.
class BodyTriangles : public SmallScene {
 protected:
  BodyTriangles() {
    spill(scene_, small_scene() +
                      "[[collider]]\nshape = \"difference\"\nparts = [{ shape = \"box\", center = [0.4, 0.1, 0], size = [0.2, 0.2, 0.2] }, "
                      "{ shape = \"cylinder\", center = [0.4, 0.1, 0], radius = 0.05, height = 0.3 }]\n");
  }
};

TEST_F(BodyTriangles, AreWrittenWithVolumesAndByConvert) {
  ASSERT_EQ(run("plain", {"--frames", "1"}).code, 0);
  EXPECT_FALSE(fs::exists(folder_.file("plain/bodies.obj")));
  ASSERT_EQ(run("volumes", {"--frames", "1", "--formats", "vdb"}).code, 0);
  const std::string written = slurp(folder_.file("volumes/bodies.obj"));
  EXPECT_TRUE(written.starts_with("o collider_1\n")) << written.substr(0, 80);
  const std::string bodies = folder_.file("plain/bodies.obj");
  const Outcome outcome = firn({"convert", folder_.file("plain/scene.toml"), bodies});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(slurp(bodies), written);
  EXPECT_EQ(firn({"convert", folder_.file("plain/scene.toml"), bodies}).code, 2) << "it is there already";
  EXPECT_EQ(run("volumes", {"--frames", "1", "--overwrite"}).code, 0);
  EXPECT_FALSE(fs::exists(folder_.file("volumes/bodies.obj"))) << "it belongs to the run that wrote it";
}

TEST_F(BodyTriangles, OfASceneWithoutAnyAreAMistake) {
  spill(scene_, small_scene());
  const Outcome outcome = firn({"convert", scene_, folder_.file("bodies.obj")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "error: " + scene_ + ": it has no 3D bodies that are meshes, height fields, text or compounds\n");
  EXPECT_EQ(firn({"convert", scene_, folder_.file("bodies.ply")}).code, 2);
}

}  // namespace
}  // namespace firn::test
