// Which frames are shown, and films of several runs.
#include <gtest/gtest.h>

#include <algorithm>

#include "process.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

class FrameRanges : public SmallScene {
 protected:
  FrameRanges() { EXPECT_EQ(run("out").code, 0); }

  // The frames that have a picture, of a verb with small pictures.
  std::string shown(const std::string& verb, std::vector<std::string> more) {
    std::error_code error;
    fs::remove_all(folder_.file("out/" + verb), error);
    outcome_ = firn(arguments(verb, folder_.file("out"), std::move(more)));
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.file("out/" + verb), error))
      if (entry.path().extension() == ".png") names.push_back(entry.path().stem().string().substr(9));
    std::sort(names.begin(), names.end());
    std::string all;
    for (const std::string& name : names) all += name;
    return all;
  }

  static std::vector<std::string> arguments(const std::string& verb, const std::string& path, std::vector<std::string> more) {
    std::vector<std::string> all{verb, path};
    const std::vector<std::string> small = verb == "render" ? std::vector<std::string>{"--spp", "1", "--size", "48x27"}
                                                            : std::vector<std::string>{"--width", "96", "--height", "54", "--no-film"};
    all.insert(all.end(), small.begin(), small.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::string mistake(const std::string& verb, const std::string& path, std::vector<std::string> more) {
    const Outcome outcome = firn(arguments(verb, folder_.file(path), std::move(more)));
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    return outcome.err;
  }

  Outcome outcome_;
};

class ShownMethod : public SmallScene {
 protected:
  Outcome show(const std::string& dir, const std::string& what) {
    return firn({"preview", folder_.file(dir), "--frames", "2", "--no-film", "--width", "480", "--height", "270", "--show", what});
  }
  std::string picture(const std::string& dir) { return slurp(folder_.file(dir + "/preview/frame_0002.png")); }
};

TEST_F(ShownMethod, IsDrawnOverPicturesOfBothDimensions) {
  for (const std::string& scene : {flat_scene(), small_scene()}) {
    spill(scene_, scene);
    ASSERT_EQ(run("out", {"--overwrite", "--set", "output.grid=[\"velocity\", \"force\"]"}).code, 0);
    std::vector<std::string> pictures;
    for (const char* what : {"nodes", "velocity", "force", "normals", "nodes,velocity,force,normals"}) {
      const Outcome outcome = show("out", what);
      ASSERT_EQ(outcome.code, 0) << what << ": " << outcome.err;
      pictures.push_back(picture("out"));
      EXPECT_EQ(std::count(pictures.begin(), pictures.end(), pictures.back()), 1) << what;
    }
  }
}

TEST_F(ShownMethod, IsRefusedWhereTheRunHasNotWrittenIt) {
  ASSERT_EQ(run("out").code, 0);
  EXPECT_EQ(show("out", "normals").code, 0) << "they come from the scene";
  const Outcome without = show("out", "nodes");
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.err.find("output.grid"), std::string::npos) << without.err;
  ASSERT_EQ(run("mass", {"--set", "output.grid=[\"mass\"]"}).code, 0);
  EXPECT_EQ(show("mass", "nodes").code, 0);
  const Outcome lacks = show("mass", "nodes,force");
  EXPECT_EQ(lacks.code, 2);
  EXPECT_NE(lacks.err.find("there is no force in it"), std::string::npos) << lacks.err;
}

TEST_F(ShownMethod, OfAnotherNameIsAnsweredWithAllThereAre) {
  ASSERT_EQ(run("out").code, 0);
  const Outcome outcome = show("out", "nodes,stress");
  EXPECT_EQ(outcome.code, 2);
  for (const char* word : {"--show", "stress", "nodes", "velocity", "force", "normals"})
    EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
}

// The scene has frames 0 to 2.
TEST_F(FrameRanges, ChooseFramesOfBothVerbs) {
  for (const char* verb : {"preview", "render"}) {
    EXPECT_EQ(shown(verb, {}), "012") << verb;
    EXPECT_EQ(shown(verb, {"--frames", "1"}), "1") << verb;
    EXPECT_EQ(outcome_.code, 0) << outcome_.err;
    EXPECT_EQ(shown(verb, {"--frames", "1-"}), "12") << verb;
    EXPECT_EQ(shown(verb, {"--frames", "0-1"}), "01") << verb;
    EXPECT_EQ(shown(verb, {"--every", "2"}), "02") << verb;
    EXPECT_EQ(shown(verb, {"--frames", "1-99", "--every", "2"}), "1") << verb;
  }
}

TEST_F(FrameRanges, LeaveThePictureOfAFrameAsItIs) {
  shown("preview", {});
  const std::string whole = slurp(folder_.file("out/preview/frame_0002.png"));
  shown("preview", {"--frames", "2"});
  EXPECT_EQ(slurp(folder_.file("out/preview/frame_0002.png")), whole) << "camera and colours go by all frames";
}

TEST_F(FrameRanges, ThatAreNoneAreAnsweredWithOneLine) {
  for (const char* verb : {"preview", "render"}) {
    for (const char* text : {"a", "1-b", "-3", "1:2", "1-2-3", "1.5", "- 2", " 1"})
      EXPECT_EQ(mistake(verb, "out", {std::string("--frames=") + text}),
                std::string("error: --frames ") + text + ": expected a frame or a range of them, such as 12, 10-20 or 10-\n");
    EXPECT_EQ(mistake(verb, "out", {"--frames", "3-1"}), "error: --frames 3-1: the range ends before it begins\n");
    EXPECT_EQ(mistake(verb, "out", {"--frames", "7-9"}), "error: " + folder_.file("out") + ": no frame in the range, the run has 0 to 2\n");
    EXPECT_NE(mistake(verb, "out", {"--every", "0"}).find("--every"), std::string::npos);
    EXPECT_EQ(mistake(verb, "out/final.ply", {"--frames", "1"}),
              "error: " + folder_.file("out/final.ply") + ": one frame has no range of frames, give the folder of a run\n");
  }
}

class Films : public SmallScene {
 protected:
  Outcome preview(std::vector<std::string> paths, const std::vector<std::string>& more) {
    std::vector<std::string> all{"preview"};
    for (const std::string& path : paths) all.push_back(folder_.file(path));
    for (const char* argument : {"--width", "160", "--height", "120"}) all.push_back(argument);
    all.insert(all.end(), more.begin(), more.end());
    return firn(all);
  }

  // "WIDTHxHEIGHT, COUNT pictures"
  std::string film(const std::string& name) {
    const Outcome outcome =
        shell("ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0:s=x " + folder_.file(name));
    return outcome.out.substr(0, outcome.out.find('\n'));
  }
};

TEST_F(Films, OfOneRunGoWhereTheyAreAskedFor) {
  ASSERT_EQ(run("out").code, 0);
  const Outcome outcome = preview({"out"}, {"--film", folder_.file("a.mp4"), "--every", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(film("a.mp4"), "160x120x2");
  EXPECT_TRUE(fs::exists(folder_.file("out/preview/frame_0002.png")));
  EXPECT_FALSE(fs::exists(folder_.file("out/preview/preview.mp4")));
  EXPECT_EQ(preview({"out/final.ply"}, {"--film", folder_.file("b.mp4")}).code, 2);
  EXPECT_EQ(preview({"out"}, {"--film", folder_.file("b.mp4"), "--no-film"}).code, 2);
}

TEST_F(Films, OfSeveralRunsShowThemSideBySideAsLongAsTheLongest) {
  ASSERT_EQ(run("long").code, 0);
  ASSERT_EQ(run("short", {"--frames", "1"}).code, 0);
  ASSERT_EQ(run("flat", {"--set", "simulation.dimension=2", "--set", "simulation.fps=48", "--set", "snow.velocity=[0.5, -3]", "--set",
                         "snow.center=[0, 0.12]", "--set", "collider.point=[0, 0]", "--set", "collider.normal=[0, 1]"})
                .code,
            0);
  const Outcome two = preview({"long", "short/"}, {"--film", folder_.file("two.mp4"), "--colour", "speed"});
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_EQ(two.out, "film: " + folder_.file("two.mp4") + "\n");
  EXPECT_EQ(film("two.mp4"), "324x120x3") << "with a gap between them";
  EXPECT_FALSE(fs::exists(folder_.file("long/preview"))) << "no pictures";
  const Outcome three = preview({"long", "short", "flat"}, {"--film", folder_.file("three.mp4")});
  ASSERT_EQ(three.code, 0) << three.err;
  EXPECT_EQ(film("three.mp4"), "488x120x5") << "as fast as the fastest";
}

TEST_F(Films, OfSeveralRunsNeedAPathAndRuns) {
  ASSERT_EQ(run("out").code, 0);
  EXPECT_EQ(preview({"out", "out"}, {}).err, "error: several runs are shown in one film: give its path with --film, such as both.mp4\n");
  EXPECT_EQ(preview({"out", "out/final.ply"}, {"--film", folder_.file("a.mp4")}).err,
            "error: " + folder_.file("out/final.ply") + ": one frame makes no film, give the folder of a run\n");
  const Outcome missing = preview({"out", "nothing"}, {"--film", folder_.file("a.mp4")});
  EXPECT_EQ(missing.code, 2);
  EXPECT_FALSE(fs::exists(folder_.file("a.mp4")));
}

}  // namespace
}  // namespace firn::test
