#include "frame/frame_view.h"

#include <gtest/gtest.h>

#include "core/files.h"
#include "firn/error.h"
#include "frames.h"
#include "io/formats.h"
#include "io/particle_files.h"
#include "scene/schema.h"
#include "small_disk.h"
#include "temp_folder.h"

namespace firn {
namespace {

using test::make_frame;
using test::read_bytes;
using test::TempFolder;

TEST(Snapshot, OfPiecesIsWrittenLikeTheWholeFrame) {
  const TempFolder folder;
  for (const bool double_precision : {false, true}) {
    Frame whole = make_frame(1000, true);
    whole.double_precision = double_precision;
    Snapshot snapshot(whole.size(), double_precision);
    for (std::size_t at = 0; at < whole.size(); at += 300) {
      Frame piece;
      for (const Attribute& a : kAttributes) {
        if (!has(whole, a.field)) continue;
        const std::size_t rows = std::min<std::size_t>(300, whole.size() - at);
        resize(piece, a.field, rows);
        for (std::size_t p = 0; p < rows; ++p)
          for (int c = 0; c < a.components; ++c) set(piece, a.field, p, c, get(whole, a.field, at + p, c));
      }
      snapshot.append(piece);
    }
    EXPECT_EQ(snapshot.size(), whole.size());
    write_ply(folder / "whole.ply", whole);
    write_ply(folder / "pieces.ply", snapshot.view());
    EXPECT_EQ(read_bytes(folder / "pieces.ply"), read_bytes(folder / "whole.ply"));
  }
}

TEST(Snapshot, TakesNoMoreThanARowOfTheFile) {
  EXPECT_EQ(Snapshot::bytes_per_particle(false), 46u);
  EXPECT_EQ(Snapshot::bytes_per_particle(true), 86u);
}

TEST(Formats, AreThoseThatScenesMayName) {
  std::vector<std::string_view> table, scenes;
  for (const Format& format : formats()) table.push_back(format.name);
  for (const auto& choice : schema::kFormatNames) scenes.push_back(choice.name);
  EXPECT_EQ(table, scenes);
}

TEST(Formats, AreFoundByTheEndingInAnyCase) {
  EXPECT_EQ(format_of_path("a.b/c.PLY"), find_format("ply"));
  EXPECT_EQ(format_of_path("ply"), nullptr);
  EXPECT_EQ(format_of_path("a.ply/c"), nullptr);
  EXPECT_EQ(format_of_path("a.jpg"), nullptr);
}

TEST(Formats, EveryOneRoundsToItsPrecisionAndKeepsTheRest) {
  const TempFolder folder;
  for (const Format& format : formats())
    for (const std::size_t particles : {0u, 1u, 1000u}) {
      if (format.read == nullptr) continue;
      SCOPED_TRACE(std::string(format.name) + " " + std::to_string(particles));
      const Frame frame = make_frame(particles, true);
      const std::string path = folder / ("a name with spaces." + std::string(format.name));
      write_frame(path, frame, {});
      test::expect_same(read_frame(path), test::as_stored(frame));
    }
}

TEST(LineFile, EndsWithAWholeLineWhenTheDiskIsFull) {
  const TempFolder folder;
  LineFile file;
  file.open(folder / "stats.csv");
  file.add("a,b\n");
  {
    const test::SmallDisk disk(10);
    EXPECT_THROW(file.add("a line that is too long\n"), RunError);
  }
  EXPECT_EQ(read_bytes(folder / "stats.csv"), "a,b\n");
}

}  // namespace
}  // namespace firn
