// The file of a checkpoint: what goes in comes out, and whatever happens to the file on the way is noticed and named.
#include "io/checkpoint_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "math/random.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace firn::test {
namespace {

class CheckpointFile : public testing::Test {
 protected:
  CheckpointFile() {
    for (int k = 0; k < 3; ++k) {
      std::string piece;
      for (int i = 0; i < 1000 * k + 10; ++i) piece += static_cast<char>(i % (7 + k));
      content_ += piece;
      records_ += checkpoint_record(piece);
    }
    CheckpointHead head;
    head.scene = "ball";
    head.time = 1.5;
    head.particles = 12;
    whole_ = checkpoint_start(head) + records_ + checkpoint_end("the hash");
  }

  std::string read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    CheckpointReader reader(path_);
    std::string content;
    char piece[777];
    while (const std::size_t got = reader.read(piece, sizeof piece)) content.append(piece, got);
    EXPECT_EQ(reader.hash(), "the hash");
    EXPECT_EQ(reader.head().scene, "ball");
    EXPECT_EQ(reader.head().time, 1.5);
    EXPECT_EQ(reader.head().particles, 12u);
    return content;
  }

  TempFolder folder_;
  std::string path_ = folder_.file("step_00000001.state");
  std::string content_, records_, whole_;
};

TEST_F(CheckpointFile, GivesBackWhatWasPutIn) { EXPECT_EQ(read(whole_), content_); }

TEST_F(CheckpointFile, CutOffAnywhereIsNoticed) {
  for (std::size_t size = 0; size < whole_.size(); ++size) {
    const std::string error = error_of([&] { read(whole_.substr(0, size)); });
    ASSERT_EQ(error.find(path_), 0u) << size << ": " << error;
  }
}

TEST_F(CheckpointFile, EveryChangedBitIsNoticed) {
  for (std::size_t bit = 0; bit < 8 * whole_.size(); ++bit) {
    std::string damaged = whole_;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    const std::string error = error_of([&] { read(damaged); });
    ASSERT_EQ(error.find(path_), 0u) << bit << ": " << error;
  }
}

TEST_F(CheckpointFile, WithSomethingAfterItsEndIsNoticed) {
  EXPECT_NE(error_of([&] { read(whole_ + "x"); }), "no error");
}

TEST_F(CheckpointFile, OfAnotherVersionSaysWhich) {
  std::string other = whole_;
  other[7] = '9';
  EXPECT_NE(error_of([&] { read(other); }).find("of version 9, this firn reads version 2"), std::string::npos);
}

}  // namespace
}  // namespace firn::test
