// Inputs of the fuzzers: the seeds, and those that once failed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/checks.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

TEST(MeshRegressions, AreReadAndRepairedOrRefused) {
  const test::TempFolder folder;
  int files = 0;
  for (const char* kind : {"corpus", "regressions"})
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(FIRN_FUZZ_FILES) / kind / "mesh")) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      EXPECT_NO_THROW(fuzz::check_mesh_bytes(bytes, folder.path())) << entry.path();
      ++files;
    }
  EXPECT_GT(files, 5);
}

}  // namespace
}  // namespace firn
