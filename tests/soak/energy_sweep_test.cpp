// 201 scenes at random over all that a scene may say: none makes energy of nothing, and none ends on J_P.
#include "support/energy_sweep.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

namespace firn::test {
namespace {

TEST(EnergySweep, NoneOf201RandomScenesMakesEnergy) {
  double worst = 0;
  for (std::uint64_t seed = 0; seed <= 200; ++seed) {
    const auto begin = std::chrono::steady_clock::now();
    const double made = energy_made(random_energy_scene(seed), 0.06);
    EXPECT_LT(made, 0.01) << "seed " << seed;
    worst = std::max(worst, made);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("    seed %3d: %+.4f, %.1f s\n", static_cast<int>(seed), made, seconds);
    std::fflush(stdout);
  }
  std::printf("    most: %.4f of what there was\n", worst);
}

}  // namespace
}  // namespace firn::test
