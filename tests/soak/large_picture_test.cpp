// A picture of ten million particles.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "../unit/render/png_files.h"
#include "firn/picture.h"
#include "large_frame.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

TEST(TenMillionParticles, ArePathTracedInAMinuteAndAFewGigabytes) {
  const test::TempFolder folder;
  write_frame(folder / "snow.ply", large_frame(), {});
  RenderOptions options;
  options.quality = Quality::kDraft;
  options.width = 320;
  options.height = 180;
  const auto begin = std::chrono::steady_clock::now();
  const RenderResult result = render(folder / "snow.ply", options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double gigabytes = static_cast<double>(usage.ru_maxrss) / 1e6;
  printf("    picture in %.1f s, largest memory %.1f GB\n", seconds, gigabytes);
  const Image image = test::read_png(result.pictures.at(0));
  const std::size_t middle =
      3 * (static_cast<std::size_t>(image.height / 2) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(image.width / 2));
  EXPECT_GT(image.rgb[middle], 100) << "snow";
  EXPECT_LT(seconds, 120);
  EXPECT_LT(gigabytes, 6);
}

}  // namespace
}  // namespace firn
