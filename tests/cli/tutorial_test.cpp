// The tutorial's scenes, as they are printed there.
#include <gtest/gtest.h>

#include <filesystem>

#include "process.h"

namespace firn::test {
namespace {

// What stands between ```toml and ```, block by block.
std::vector<std::string> scenes_of(const std::string& page) {
  const std::string begin = "```toml\n", end = "```\n";
  std::vector<std::string> scenes;
  for (std::size_t from = page.find(begin); from != std::string::npos; from = page.find(begin, from)) {
    from += begin.size();
    scenes.push_back(page.substr(from, page.find(end, from) - from));
  }
  return scenes;
}

TEST(Tutorial, EveryPrintedSceneIsAcceptedWithoutAWarning) {
  const std::filesystem::path page = std::filesystem::path(FIRN_SCENES).parent_path() / "docs" / "first_scene.md";
  const std::vector<std::string> scenes = scenes_of(slurp(page.string()));
  EXPECT_EQ(scenes.size(), 4u) << page;
  const TempFolder folder;
  for (const std::string& scene : scenes) {
    spill(folder.file("scene.toml"), scene);
    const Outcome outcome = firn({"check", folder.file("scene.toml"), "--threads", "1"});
    EXPECT_EQ(outcome.code, 0) << scene;
    EXPECT_EQ(outcome.err.find("warning"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace firn::test
