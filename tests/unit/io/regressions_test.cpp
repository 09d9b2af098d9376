// What once broke a reader of frames, and what the fuzzer starts from, read again.
#include <gtest/gtest.h>

#include <filesystem>

#include "fuzz/checks.h"
#include "temp_folder.h"

namespace firn {
namespace {

TEST(FrameFiles, ThatOnceBrokeAReaderAreReadOrRefused) {
  int files = 0;
  for (const char* kind : {"corpus", "regressions"})
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(FIRN_FUZZ_FILES) / kind / "frame")) {
      SCOPED_TRACE(entry.path().filename());
      EXPECT_NO_THROW(fuzz::check_frame_bytes(test::read_bytes(entry.path().string())));
      ++files;
    }
  EXPECT_GE(files, 2);
}

}  // namespace
}  // namespace firn
