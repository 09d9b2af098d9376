// Inputs of the fuzzer: the seeds, and those that once failed.
#include "fuzz/checks.h"
#include "scene_texts.h"

namespace firn::scene_tests {
namespace {

TEST(SceneRegressions, AreReadTheSameAgainOrRefused) {
  int files = 0;
  for (const char* kind : {"corpus", "regressions"})
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(FIRN_FUZZ_FILES) / kind / "scene")) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      EXPECT_NO_THROW(fuzz::check_scene(bytes)) << entry.path();
      ++files;
    }
  EXPECT_GT(files, 4);
}

}  // namespace
}  // namespace firn::scene_tests
