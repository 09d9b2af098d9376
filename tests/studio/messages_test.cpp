// Messages without a program: what the fuzzer starts from or once broke, and what of a change a running solver takes.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/process.h"
#include "document.h"
#include "fuzz/checks.h"

namespace firn::test {
namespace {

TEST(StudioMessages, AreRequestsOrRefused) {
  int files = 0;
  for (const char* kind : {"corpus", "regressions"})
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(FIRN_FUZZ_FILES) / kind / "protocol")) {
      EXPECT_NO_THROW(fuzz::check_protocol(slurp(entry.path()))) << entry.path();
      ++files;
    }
  EXPECT_GT(files, 4);
}

TEST(StudioMessages, AMistakeIsToldWithoutItsFile) {
  const studio::TextError with_place = studio::text_error("/a b/x.toml:3:17: unknown key 'radus'", "/a b/x.toml");
  EXPECT_EQ(with_place.message, "unknown key 'radus'");
  EXPECT_EQ(with_place.line, 3);
  EXPECT_EQ(with_place.column, 17);
  const studio::TextError without = studio::text_error("/x.toml: there is no variant 'tiny'", "/x.toml");
  EXPECT_EQ(without.message, "there is no variant 'tiny'");
  EXPECT_EQ(without.line, 0);
  EXPECT_EQ(studio::text_error("out of memory", "/x.toml").message, "out of memory");
}

TEST(StudioMessages, ARunningSolverTakesWhatItCanOfAChange) {
  const Scene before = parse_scene(small_scene(), "small.toml");
  Scene after = before;
  after.materials[1].hardening = 3;
  after.materials[1].density = 200;
  after.colliders[0].friction = 0.9;
  after.snow[0].velocity = {0, 0, 0};
  const studio::LiveChange change = studio::live_change(before, after);
  EXPECT_TRUE(change.has_now);
  EXPECT_TRUE(change.concerns_solver);
  EXPECT_FALSE(change.reason.empty());
  EXPECT_EQ(change.scene.materials[1].hardening, 3);
  EXPECT_EQ(change.scene.materials[1].density, 400) << "particles have their mass";
  EXPECT_EQ(change.scene.colliders[0].friction, 0.9);
  EXPECT_EQ(change.scene.snow[0].velocity, before.snow[0].velocity);
  Scene brighter = before;
  brighter.render.exposure = 1;
  EXPECT_FALSE(studio::live_change(before, brighter).concerns_solver);
  EXPECT_FALSE(studio::live_change(before, before).has_now);
}

}  // namespace
}  // namespace firn::test
