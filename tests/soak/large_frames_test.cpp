// Ten million particles through every format.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>

#include "io/formats.h"
#include "large_frame.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

class TenMillion : public ::testing::TestWithParam<std::string_view> {
 protected:
  static const Frame& frame() {
    static const Frame all = large_frame();
    return all;
  }
  static double seconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

TEST_P(TenMillion, ParticlesGoThroughAFileUnchanged) {
  const test::TempFolder folder;
  const std::string path = folder / ("ten million." + std::string(GetParam()));
  FrameNotes notes;
  notes.spacing = kSpacing;
  const double writing = seconds_of([&] { write_frame(path, frame(), notes); });
  const double size = static_cast<double>(std::filesystem::file_size(path));
  Frame back;
  const double reading = find_format(GetParam())->read == nullptr ? 0 : seconds_of([&] { back = read_frame(path); });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  printf("    %-5s %7.1f MB  written in %5.1f s  read in %5.1f s  largest memory %.1f GB\n", std::string(GetParam()).c_str(), size / 1e6,
         writing, reading, static_cast<double>(usage.ru_maxrss) / 1e6);
  if (find_format(GetParam())->read == nullptr) return;
  EXPECT_EQ(back.id, frame().id);
  EXPECT_EQ(back.material, frame().material);
  for (const Attribute& a : kAttributes) {
    const std::span<const double> x = reals(frame(), a.field), y = reals(back, a.field);
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end())) << a.name;
  }
}
INSTANTIATE_TEST_SUITE_P(Formats, TenMillion, ::testing::Values("ply", "vdb", "vtp", "bgeo", "usda", "fpc"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace firn
