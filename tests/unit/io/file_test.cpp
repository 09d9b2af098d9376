// Files that are written as a whole.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/files.h"
#include "firn/error.h"
#include "support/error_of.h"
#include "temp_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;

TEST(AtomicFile, IsNeverWrittenThroughALinkNorIntoAFileThatIsThere) {
  const TempFolder folder;
  folder.write("victim", "mine");
  folder.write("other", "mine");
  // What its temporary names would be.
  const std::string first = fmt::format("{}.{}-0.tmp", folder / "a.ply", ::getpid()),
                    second = fmt::format("{}.{}-1.tmp", folder / "a.ply", ::getpid());
  fs::create_symlink(folder / "victim", first);
  fs::create_symlink(folder / "nowhere", second);
  fs::create_symlink(folder / "other", folder / "a.ply");
  AtomicFile file(folder / "a.ply");
  file.write("new");
  file.commit();
  EXPECT_EQ(read_file(folder / "victim"), "mine");
  EXPECT_EQ(read_file(folder / "other"), "mine");
  EXPECT_EQ(read_file(folder / "a.ply"), "new");
  EXPECT_FALSE(fs::is_symlink(folder / "a.ply")) << "the link was replaced, not followed";
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

TEST(AtomicFile, TemporaryNamesAreKnownAgain) {
  const TempFolder folder;
  std::string name;
  ASSERT_TRUE(make_temporary(folder / "frame_0001.ply", name));
  EXPECT_EQ(target_of_temporary(name), folder / "frame_0001.ply");
  for (const char* other :
       {"frame_0001.ply", "frame_0001.ply.tmp", "a.12.tmp", "a.1-.tmp", "a.-1.tmp", "a.x-1.tmp", ".1-1.tmp", "1-1.tmp", "a-1.2.tmp", ""})
    EXPECT_FALSE(target_of_temporary(other)) << other;
}

TEST(AtomicFile, PlacesWhereNoneCanBeAreRefused) {
  const TempFolder folder;
  folder.write("there.png", "old");
  check_file_can_be_made(folder / "there.png");
  check_file_can_be_made(folder / "new.png");
  EXPECT_EQ(read_file(folder / "there.png"), "old");
  const auto refusal = [&](const std::string& path) { return test::error_of([&] { check_file_can_be_made(path); }); };
  EXPECT_EQ(refusal(folder.path()), folder.path().string() + ": is a folder, a file is wanted");
  EXPECT_EQ(refusal(folder / "none/a.png"), folder / "none/a.png: there is no folder " + (folder / "none"));
  EXPECT_EQ(refusal(folder / "there.png/a.png"), folder / "there.png/a.png: cannot be written: Not a directory");
}

}  // namespace
}  // namespace firn
