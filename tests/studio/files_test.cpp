// Files that scenes and meshes name: those outside of the work folder are not looked at, be they there or not.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "cli/process.h"
#include "client.h"

namespace firn::test {
namespace {

namespace fs = std::filesystem;

const std::string kStart = "[simulation]\nspacing = 0.1\nduration = 0.1\n";
const std::string kBall = kStart + "[[snow]]\nshape = \"sphere\"\ncenter = [0, 0.5, 0]\nradius = 0.2\n";

// Scenes by the ending of the file that they name at the place of FILE: every key that names one.
const std::multimap<std::string, std::string> kScenes{
    {".obj", kStart + "[[snow]]\nshape = \"mesh\"\nfile = \"FILE\"\n"},
    {".vdb", kStart + "[[snow]]\nshape = \"volume\"\nfile = \"FILE\"\n"},
    {".ply", kStart + "[[snow]]\nshape = \"particles\"\nfile = \"FILE\"\n"},
    {".png", kBall + "[[collider]]\nshape = \"heightfield\"\ncenter = [0, 0, 0]\nfile = \"FILE\"\nheight = 1\nlength = 1\n"},
    {".ttf", kStart + "[[snow]]\nshape = \"text\"\ncenter = [0, 0, 0]\ntext = \"a\"\nfont = \"FILE\"\nheight = 1\n"},
    {"_##.obj", kBall + "[[collider]]\nshape = \"sequence\"\nfile = \"FILE\"\n"},
    {".obj", kStart + "[[snow]]\nshape = \"union\"\nparts = [{ shape = \"mesh\", file = \"FILE\" }]\n"},
    {".csv", kBall + "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 0.1\nkeys_file = \"FILE\"\n"},
    {".json", kBall + "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 0.1\nkeys_file = \"FILE\"\n"},
    {".hdr", kBall + "[render]\nsky_image = \"FILE\"\n"},
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) text.replace(at, what.size(), by);
  return text;
}

class StudioFiles : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory_symlink(outside_.path(), studio_.file("out_of_here"));
    for (const auto& [ending, scene] : kScenes)
      for (const char* number : {"01", "02"}) outside_.write("secret" + replaced(ending, "##", number), "root:x:0:0\n");
  }

  // What is said of a file that is there, as if it were called `missing`, and of one that is not.
  void expect_same_answer(Page& page, const std::string& scene, const std::string& there, const std::string& missing) {
    const int run = page.ask("open", {{"text", kBall}})["run"];
    for (const char* what : {"open", "check", "edit"}) {
      const auto ask = [&](const std::string& name) {
        Json fields{{"text", replaced(scene, "FILE", name)}, {"run", run}};
        if (std::string(what) == "edit") fields["revision"] = page.ask("document", {{"run", run}})["revision"];
        return page.ask(what, fields)["error"].dump();
      };
      const std::string of_there = ask(there), of_missing = ask(missing);
      EXPECT_NE(of_there.find("outside of them"), std::string::npos) << what << " " << there << ": " << of_there;
      EXPECT_EQ(replaced(of_there, "secret", "absent"), of_missing) << what;
      EXPECT_EQ(of_there.find("root"), std::string::npos) << of_there;
    }
    page.ask("close", {{"run", run}});
  }

  TempFolder outside_;
  StudioProcess studio_;
};

TEST_F(StudioFiles, AnswersDoNotTellWhetherFilesOutsideAreThere) {
  Page page(studio_);
  const fs::path folder = fs::path(studio_.file("x")).parent_path();
  for (const auto& [ending, scene] : kScenes)
    for (const std::string& place :
         {outside_.path().string() + "/", outside_.path().lexically_relative(folder).string() + "/", std::string("out_of_here/")})
      expect_same_answer(page, scene, place + "secret" + ending, place + "absent" + ending);
}

TEST_F(StudioFiles, LinksThatLeadOutSayTheSameOfFilesThatAreThere) {
  Page page(studio_);
  for (const auto& [ending, scene] : kScenes) {
    for (const char* number : {"01", "02"})
      for (const char* name : {"secret", "absent"}) {
        const std::string file = name + replaced(ending, "##", number);
        if (!fs::is_symlink(studio_.file(file))) fs::create_symlink(outside_ / file, studio_.file(file));
      }
    expect_same_answer(page, scene, "secret" + ending, "absent" + ending);
  }
}

TEST_F(StudioFiles, RunsAndTheirTablesAreNoLinksThatLeadOut) {
  outside_.write("scene.toml", kBall);
  outside_.write("stats.csv", "frame,secret\n0,7\n");
  fs::create_directories(studio_.file("linked"));
  fs::create_symlink(outside_ / "scene.toml", studio_.file("linked/scene.toml"));
  fs::create_directories(studio_.file("dangling"));
  fs::create_symlink(outside_ / "absent.toml", studio_.file("dangling/scene.toml"));
  fs::create_directories(studio_.file("table"));
  std::ofstream(studio_.file("table/scene.toml")) << kBall;
  fs::create_symlink(outside_ / "stats.csv", studio_.file("table/stats.csv"));
  Page page(studio_);
  const Json linked = page.ask("open", {{"folder", "linked"}});
  ASSERT_TRUE(linked.contains("error"));
  EXPECT_EQ(linked["error"], page.ask("open", {{"folder", "dangling"}})["error"]);
  const Json table = page.ask("open", {{"folder", "table"}});
  ASSERT_TRUE(table.contains("run")) << table;
  EXPECT_EQ(page.ask("series", {{"run", table["run"]}})["columns"], Json::array());
}

// A scene may name what is outside where it is not chosen; saved beside a run, a picture would choose it.
TEST_F(StudioFiles, WhatOneVariantHidesIsNotSavedNorDrawn) {
  Page page(studio_);
  fs::create_directories(studio_.file("keys"));
  const std::string inner = "t,x,y,z\n0,0,0,0\n1,0,0,0\n";
  std::ofstream(studio_.file("keys/own.csv")) << inner;
  const std::string two = kBall + "[[collider]]\nshape = \"sphere\"\ncenter = [0, -1, 0]\nradius = 0.1\nkeys_file = \"" +
                          (outside_ / "secret01.csv") + "\"\n[variants.ok]\ncollider.keys_file = \"" + studio_.file("keys/own.csv") +
                          "\"\n";
  const Json opened = page.ask("open", {{"text", two}, {"variant", "ok"}});
  ASSERT_TRUE(opened.contains("run")) << opened;
  const int run = opened["run"];
  for (const char* place : {"x.toml", "out/untitled_ok/scene.toml"}) {
    const Json saved = page.ask("save", {{"run", run}, {"path", place}});
    ASSERT_TRUE(saved.contains("error")) << saved;
    EXPECT_NE(saved["error"]["message"].get<std::string>().find("outside of them"), std::string::npos) << saved;
  }
  page.ask("go", {{"run", run}, {"until", 1}});
  while (page.event("run", "run", run)->at("frames") < 2) {
  }
  std::ofstream(studio_.file("out/untitled_ok/scene.toml")) << two;  // by other means
  for (const char* what : {"picture", "film"}) {
    const Json answer = page.ask(what, {{"run", run}});
    ASSERT_TRUE(answer.contains("error")) << what << answer;
    EXPECT_NE(answer["error"]["message"].get<std::string>().find("outside of them"), std::string::npos) << answer;
  }
}

// Variants may name bodies by a name that more than one has after an edit.
TEST_F(StudioFiles, AMistakeOfAVariantThatIsNotChosenIsToldAndSaved) {
  Page page(studio_);
  const std::string text = kBall + "[[snow]]\nshape = \"sphere\"\ncenter = [0, 1, 0]\nradius = 0.1\n[variants.big]\nsnow.radius = 0.3\n";
  const Json opened = page.ask("open", {{"text", text}});
  ASSERT_TRUE(opened.contains("run")) << opened;
  const Json saved = page.ask("save", {{"run", opened["run"]}, {"path", "two.toml"}});
  ASSERT_TRUE(saved.contains("ok")) << saved;
  ASSERT_EQ(saved["warnings"].size(), 1U) << saved;
  const std::string warning = saved["warnings"][0];
  EXPECT_TRUE(warning.starts_with("variant big, line ")) << warning;
  EXPECT_NE(warning.find("2 [[snow]]"), std::string::npos) << warning;
  EXPECT_TRUE(fs::exists(studio_.file("two.toml")));
}

// A variant's own file is looked at as the scene's are.
TEST_F(StudioFiles, AVariantThatNamesAFileOutsideIsNotSaved) {
  Page page(studio_);
  const std::string text = kBall + "[variants.out]\nrender.sky_image = \"" + (outside_ / "secret01.hdr") + "\"\n";
  const Json opened = page.ask("open", {{"text", text}});
  ASSERT_TRUE(opened.contains("run")) << opened;
  const Json saved = page.ask("save", {{"run", opened["run"]}, {"path", "out.toml"}});
  ASSERT_TRUE(saved.contains("error")) << saved;
  EXPECT_NE(saved["error"]["message"].get<std::string>().find("outside of them"), std::string::npos) << saved;
  EXPECT_FALSE(fs::exists(studio_.file("out.toml")));
}

TEST_F(StudioFiles, RunsAreNotWrittenThroughALink) {
  fs::create_directory_symlink(outside_.path(), studio_.file("out"));
  Page page(studio_);
  const Json answer = page.ask("open", {{"text", kBall}, {"go", true}});
  ASSERT_TRUE(answer.contains("error")) << answer;
  EXPECT_NE(answer["error"]["message"].get<std::string>().find("link"), std::string::npos) << answer;
  EXPECT_FALSE(fs::exists(outside_ / "untitled"));
}

TEST_F(StudioFiles, ScenesAreNotSavedThroughALinkNorOverThatOfARun) {
  Page page(studio_);
  outside_.write("mine", "mine");
  fs::create_symlink(outside_ / "mine", studio_.file("x.toml.new"));
  const int run = page.ask("open", {{"text", kBall}})["run"];
  EXPECT_TRUE(page.ask("save", {{"run", run}, {"path", "x.toml"}}).contains("ok"));
  EXPECT_EQ(slurp(outside_ / "mine"), "mine");
  EXPECT_EQ(slurp(studio_.file("x.toml")), kBall);
  page.ask("go", {{"run", run}, {"until", 0}});
  while (page.event("run", "run", run)->at("frames") < 1) {
  }
  EXPECT_TRUE(page.ask("save", {{"run", run}, {"path", "out/untitled/scene.toml"}}).contains("error"));
}

TEST_F(StudioFiles, MeshesReadOnlyFilesOfTheirOwnFolder) {
  const auto gltf = [](const std::string& buffer) {
    return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
      "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],
      "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"uri":")" +
           buffer + R"(","byteLength":36}]})";
  };
  const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const std::string bytes(reinterpret_cast<const char*>(corners), sizeof corners);
  outside_.write("secret.bin", bytes);
  fs::create_directories(studio_.file("uploads"));
  std::ofstream(studio_.file("uploads/own.bin"), std::ios::binary) << bytes;
  Page page(studio_);
  const auto said_of = [&](const std::string& buffer) {
    std::ofstream(studio_.file("uploads/mesh.gltf")) << gltf(buffer);
    const std::string text = kBall + "[[collider]]\nshape = \"mesh\"\nfile = \"uploads/mesh.gltf\"\nthickness = 0.3\n";
    const Json answer = page.ask("check", {{"text", text}});
    return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "read";
  };
  EXPECT_EQ(said_of("own.bin"), "read");
  const std::string of_there = said_of(outside_ / "secret.bin"), of_missing = said_of(outside_ / "absent.bin");
  EXPECT_NE(of_there, "read");
  EXPECT_EQ(replaced(of_there, "secret", "absent"), of_missing);
  EXPECT_EQ(replaced(said_of("../out_of_here/secret.bin"), "secret", "absent"), said_of("../out_of_here/absent.bin"));
}

}  // namespace
}  // namespace firn::test
