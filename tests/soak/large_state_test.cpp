// Ten million particles in a checkpoint.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "firn/simulation.h"
#include "io/checkpoint_file.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

TEST(TenMillion, ParticlesAreSavedInSecondsAndTakeNoMoreThanTheirState) {
  const Scene scene = load_scene("bench_ball", {"simulation.spacing=0.00187"});
  const Simulation simulation(scene);
  ASSERT_GT(simulation.particles(), 9'900'000u);
  const test::TempFolder folder;
  std::ofstream file(folder / "large.state", std::ios::binary);
  double bytes = 0, packed = 0;
  const auto begin = std::chrono::steady_clock::now();
  simulation.save([&](std::string_view piece) {
    const std::string record = checkpoint_record(piece);
    bytes += static_cast<double>(piece.size());
    packed += static_cast<double>(record.size());
    file << record;
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{} particles: {:.1f} s on one thread, {:.0f} MB of {:.0f} MB\n", simulation.particles(), seconds, packed / 1e6, bytes / 1e6);
  EXPECT_TRUE(file.good());
  EXPECT_LT(seconds, 10);
  EXPECT_LT(packed, 1.2 * bytes);
}

}  // namespace
}  // namespace firn
