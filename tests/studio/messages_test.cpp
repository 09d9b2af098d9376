// Messages without a program: what the fuzzer starts from or once broke, and what of a change a running solver takes.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/process.h"
#include "document.h"
#include "fuzz/checks.h"
#include "guard.h"

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

TEST(StudioMessages, ListsOfSeveralLinesAreOneKey) {
  const std::string text = small_scene() +
                           "[[collider]]\nshape = \"sphere\"\ncenter = [0, 0, 0]\nradius = 0.1\n"
                           "keys = [{ t = 0, position = [0, 0, 0] }, { t = 1, position = [1, 0, 0] }, { t = 2, position = [1, 0, 0] }]\n";
  const Scene before = parse_scene(text, "small.toml");
  EXPECT_TRUE(studio::differences(before, before).empty());
  Scene after = before;
  after.colliders.back().keys[1].position = {2, 0, 0};
  const std::vector<studio::Difference> found = studio::differences(before, after);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].key.starts_with("collider.")) << found[0].key;
  EXPECT_TRUE(found[0].key.ends_with(".keys")) << found[0].key;
}

TEST(StudioGuard, KnowsItsOwnNamesAndNoOthers) {
  const studio::Guard local("127.0.0.1", 8017), everywhere("0.0.0.0", 80), one("192.0.2.7", 80), six("::1", 8017);
  EXPECT_TRUE(local.is_own_host("127.0.0.1:8017"));
  EXPECT_TRUE(local.is_own_host("localhost:8017"));
  EXPECT_TRUE(local.is_own_origin("http://localhost:8017"));
  EXPECT_FALSE(local.is_own_origin("https://localhost:8017"));
  for (const char* host :
       {"127.0.0.1", "127.0.0.1:80", "example.com:8017", "127.0.0.1.example.com:8017", "", ":8017", "[::1:8017", "]:8017"})
    EXPECT_FALSE(local.is_own_host(host)) << host;
  EXPECT_TRUE(six.is_own_host("[::1]:8017"));
  EXPECT_FALSE(six.is_own_host("[::1]"));
  for (const char* host : {"192.0.2.7", "192.0.2.7:80"}) {  // browsers leave the port of HTTP out
    EXPECT_TRUE(one.is_own_host(host)) << host;
    EXPECT_TRUE(everywhere.is_own_host(host)) << host;
  }
  EXPECT_TRUE(everywhere.is_own_host("[2001:db8::7]"));
  EXPECT_FALSE(everywhere.is_own_host("snow.example.com"));
  EXPECT_FALSE(one.is_own_host("192.0.2.8"));
  EXPECT_FALSE(local.is_token(""));
  EXPECT_FALSE(local.is_token(local.token() + local.token()));
  EXPECT_TRUE(local.is_token(local.token()));
  EXPECT_NE(local.token(), one.token());
}

}  // namespace
}  // namespace firn::test
