// firn render as a user sees it.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <thread>

#include "process.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

class RenderCommand : public testing::Test {
 protected:
  RenderCommand() {
    spill(folder_.file("small.toml"), small_scene() + "[render]\nwidth = 64\nheight = 36\n");
    EXPECT_EQ(firn({"run", folder_.file("small.toml"), "-o", folder_.file("out"), "--frames", "1"}).code, 0);
  }

  Outcome render(const std::string& path, std::vector<std::string> more) {
    std::vector<std::string> arguments{"render", folder_.file(path), "--spp", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return firn(arguments);
  }

  TempFolder folder_;
};

TEST_F(RenderCommand, MakesPicturesAFilmAndASheetOfARun) {
  const Outcome outcome = render("out", {"--exr", "--volume", "--film", folder_.file("film.mp4"), "--sheet", folder_.file("sheet.png")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"out/render/frame_0000.png", "out/render/frame_0001.png", "out/render/frame_0001.exr",
                           "out/render/frame_0001.vdb", "film.mp4", "sheet.png"})
    EXPECT_GT(fs::file_size(folder_.file(name)), 500u) << name;
  EXPECT_EQ(outcome.out, "2 pictures, the last is " + folder_.file("out/render/frame_0001.png") + "\nfilm: " + folder_.file("film.mp4") +
                             "\nsheet: " + folder_.file("sheet.png") + "\n");
  EXPECT_TRUE(outcome.err.starts_with("picture 1/2  left ")) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("picture 2/2  left 0 s\n")) << outcome.err;
}

TEST_F(RenderCommand, GivesTheSameBytesAgainAndOthersForAnotherSeed) {
  const std::string picture = folder_.file("out/render/frame_0001.png");
  const auto bytes = [&](const std::string& seed) {
    EXPECT_EQ(render("out/frame_0001.ply", {"--seed", seed, "--size", "80x45"}).code, 0);
    return slurp(picture);
  };
  const std::string first = bytes("1");
  EXPECT_EQ(bytes("1"), first);
  EXPECT_NE(bytes("2"), first);
}

TEST_F(RenderCommand, ColoursTheSnowByEitherSpellingAndSaysWhichColoursThereAre) {
  const std::map<std::string, std::vector<std::string>> quick{{"render", {"--spp", "1"}}, {"preview", {"--width", "96", "--height", "54"}}};
  for (const auto& [verb, small] : quick) {
    const std::string picture = folder_.file("out/" + verb + "/frame_0001.png");
    const auto bytes = [&, verb = verb, small = small](const std::vector<std::string>& colour) {
      std::vector<std::string> arguments{verb, folder_.file("out/frame_0001.ply")};
      arguments.insert(arguments.end(), small.begin(), small.end());
      arguments.insert(arguments.end(), colour.begin(), colour.end());
      EXPECT_EQ(firn(arguments).code, 0);
      return slurp(picture);
    };
    const std::string plain = bytes({}), speed = bytes({"--colour", "speed"});
    EXPECT_NE(speed, plain);
    EXPECT_EQ(bytes({"--color", "speed"}), speed);
    for (const char* by : {"jp", "density", "material"}) EXPECT_NE(bytes({"--colour", by}), plain) << by;
    const Outcome mistake = firn({verb, folder_.file("out"), "--colour", "sped"});
    EXPECT_EQ(mistake.code, 2);
    EXPECT_NE(mistake.err.find("speed,jp,density,material"), std::string::npos) << mistake.err;
  }
}

// Of a process, as the system knows them.
std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::ifstream list("/proc/" + id + "/task/" + id + "/children");
  return {std::istream_iterator<pid_t>(list), {}};
}

// As Ctrl-C in a terminal does it, a while after the first look at the picture.
TEST_F(RenderCommand, InterruptedItKeepsThePictureItHasEndsTheFilmAndExits130) {
  const std::string picture = folder_.file("out/render/frame_0000.png"), film = folder_.file("film.mp4");
  Process process({"render", folder_.file("out"), "--quality", "final", "--spp", "1000000", "--film", film});
  for (int k = 0; k < 600 && !fs::exists(picture); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(fs::exists(picture)) << "it is written while it gets better";
  const std::vector<pid_t> children = children_of(process.pid());
  EXPECT_EQ(children.size(), 1u) << "ffmpeg";
  for (const pid_t child : children) EXPECT_NE(getpgid(child), getpgid(process.pid())) << "a terminal would interrupt it, too";
  kill(process.pid(), SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("interrupted: 1 picture, the last is " + picture + "\nit has ")) << outcome.out;
  EXPECT_GT(fs::file_size(picture), 500u);
  EXPECT_FALSE(fs::exists(folder_.file("out/render/frame_0001.png")));
  EXPECT_GT(fs::file_size(film), 500u);
}

TEST_F(RenderCommand, PlacesWhereNoFilmOrSheetCanBeAreRefusedBeforeAnyPicture) {
  fs::create_directory(folder_.file("folder.mp4"));
  fs::create_directory(folder_.file("folder.png"));
  const std::map<std::string, std::string> films{
      {"film.xyz", ": a film cannot be written to such a file, allowed: .mp4, .mov, .webm, .gif\n"},
      {"film", ": a film cannot be written to such a file, allowed: .mp4, .mov, .webm, .gif\n"},
      {"none/film.mp4", ": there is no folder " + folder_.file("none") + "\n"},
      {"small.toml/film.mp4", ": cannot be written: Not a directory\n"},
      {"folder.mp4", ": is a folder, a file is wanted\n"}};
  for (const auto& [name, what] : films)
    EXPECT_EQ(render("out", {"--film", folder_.file(name)}).err, "error: " + folder_.file(name) + what);
  EXPECT_EQ(render("out", {"--film", "/proc/film.mp4"}).code, 2);
  EXPECT_EQ(render("out", {"--sheet", folder_.file("small.toml")}).err, "error: " + folder_.file("small.toml") + ": a sheet is a .png\n");
  for (const char* sheet : {"folder.png", "none/sheet.png"}) EXPECT_EQ(render("out", {"--sheet", folder_.file(sheet)}).code, 2) << sheet;
  EXPECT_FALSE(fs::exists(folder_.file("out/render")));
  const Outcome none = shell("PATH=/nonexistent exec $FIRN render '" + folder_.file("out") + "' --film '" + folder_.file("film.mp4") + "'");
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.err, "error: " + folder_.file("film.mp4") + ": no film: the program ffmpeg was not found\n");
  EXPECT_FALSE(fs::exists(folder_.file("out/render")));
}

// A film that was there before is kept, and the exit code tells.
TEST_F(RenderCommand, AFilmThatFailsAtTheEndIsExitCode1) {
  fs::create_directory(folder_.file("tools"));
  spill(folder_.file("tools/ffmpeg"), "#!/bin/sh\ncat > /dev/null\necho 'encoder on strike' >&2\nexit 3\n");
  fs::permissions(folder_.file("tools/ffmpeg"), fs::perms::owner_all);
  spill(folder_.file("film.mp4"), "the film of yesterday");
  const std::string path = "PATH='" + folder_.file("tools") + "':$PATH; export PATH; exec $FIRN ";
  const Outcome rendered = shell(path + "render '" + folder_.file("out") + "' --spp 1 --film '" + folder_.file("film.mp4") + "'");
  EXPECT_EQ(rendered.code, 1);
  EXPECT_TRUE(rendered.err.ends_with("error: no film: ffmpeg failed: encoder on strike\n")) << rendered.err;
  EXPECT_TRUE(rendered.out.starts_with("2 pictures")) << rendered.out;
  EXPECT_EQ(slurp(folder_.file("film.mp4")), "the film of yesterday");
  EXPECT_EQ(shell(path + "preview '" + folder_.file("out") + "' --width 64 --height 36").code, 1);
}

TEST_F(RenderCommand, EveryKindOfFilmIsWhatItsNameSays) {
  const std::map<std::string, std::string> kinds{{"mp4", "ftypisom"}, {"mov", "ftypqt"}, {"webm", "webm"}, {"gif", "GIF89a"}};
  for (const auto& [ending, mark] : kinds) {
    const std::string film = folder_.file("film.") + ending;
    const Outcome outcome = render("out", {"--film", film});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(slurp(film).substr(0, 100).find(mark), std::string::npos) << ending;
  }
}

TEST_F(RenderCommand, MissingAndDamagedFramesAreTold) {
  ASSERT_EQ(firn({"run", folder_.file("small.toml"), "-o", folder_.file("long"), "--frames", "9", "--set", "simulation.fps=1000"}).code, 0);
  for (const char* name : {"frame_0002.ply", "frame_0005.ply", "frame_0006.ply"}) fs::remove(folder_.file("long/") + name);
  const std::string missing = "warning: " + folder_.file("long") + ": frames 2 and 5 to 6 are missing, a film jumps there\n";
  const auto preview = [&] { return firn({"preview", folder_.file("long"), "--width", "64", "--height", "36"}); };
  for (const Outcome& outcome : {render("long", {}), preview()}) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with(missing)) << outcome.err;
  }
  fs::resize_file(folder_.file("long/frame_0004.ply"), 5000);
  for (const std::string folder : {"render", "preview"}) fs::remove_all(folder_.file("long/") + folder);
  for (const Outcome& outcome : {render("long", {"--sheet", folder_.file("sheet.png")}), preview()}) {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("warning: " + folder_.file("long/frame_0004.ply") + ": "), std::string::npos) << outcome.err;
    EXPECT_TRUE(outcome.err.ends_with("error: 1 frame could not be read: the pictures are not complete\n")) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("6 pictures")) << outcome.out;
  }
  for (const std::string folder : {"render", "preview"}) {
    EXPECT_FALSE(fs::exists(folder_.file("long/" + folder + "/frame_0004.png")));
    EXPECT_TRUE(fs::exists(folder_.file("long/" + folder + "/frame_0009.png")));
  }
  const Outcome alone = render("long/frame_0004.ply", {});
  EXPECT_EQ(alone.code, 2);
  EXPECT_EQ(std::count(alone.err.begin(), alone.err.end(), '\n'), 1) << alone.err;
}

TEST_F(RenderCommand, MistakesAreAnsweredWithOneLine) {
  const auto mistake = [&](const std::string& path, const std::vector<std::string>& more) {
    const Outcome outcome = render(path, more);
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  for (const char* size : {"640", "640x", "x480", "640x480x3", "a x b", "640X480"})
    EXPECT_EQ(mistake("out", {"--size", size}),
              std::string("error: --size ") + size + ": expected WIDTHxHEIGHT in pixels, such as 1920x1080\n");
  EXPECT_EQ(mistake("out", {"--size", "8x640"}), "error: a picture of 8 pixels; allowed: 16 to 8192\n");
  EXPECT_EQ(mistake("out/final.ply", {"--film", "a.mp4"}),
            "error: " + folder_.file("out/final.ply") + ": one frame makes no film, give the folder of a run\n");
  EXPECT_NE(mistake("nothing", {}).find("no such file or folder"), std::string::npos);
  EXPECT_NE(mistake("out", {"--quality", "best"}).find("draft,good,final"), std::string::npos);
}

}  // namespace
}  // namespace firn::test
