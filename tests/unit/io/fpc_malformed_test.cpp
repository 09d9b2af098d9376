#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "frames.h"
#include "io/particle_files.h"
#include "support/error_of.h"
#include "temp_folder.h"

namespace firn {
namespace {

using test::expect_same;
using test::TempFolder;

// Where things stand in the file of two_columns().
constexpr std::size_t kAttributes1 = 68, kAttribute = 40;
constexpr std::size_t kChunk = kAttributes1 + 2 * kAttribute + 4;
constexpr std::size_t kId = kChunk + 8;       // coding, step, planes, first, then the size of its only plane
constexpr std::size_t kPlane = kId + 24 + 4;  // a blosc buffer
constexpr std::size_t kParticles = 200;       // enough for blosc to compress

std::string file_of(const Frame& frame, double error = 0) {
  const TempFolder folder;
  write_fpc(folder / "a.fpc", frame, {}, {.fpc_error = error});
  return test::read_bytes(folder / "a.fpc");
}

Frame two_columns() {
  Frame frame;
  for (std::uint32_t p = 0; p < kParticles; ++p) {
    frame.id.push_back(p);
    frame.position.push_back({0.01 * p, 1, -0.02 * p});
  }
  return frame;
}

template <class T>
std::string with(std::string bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

std::string error_of(const std::string& bytes, FpcChecksums checksums) {
  return test::error_of([&] { parse_fpc("a.fpc", bytes, checksums); });
}

TEST(FpcDamaged, FileCutOffAnywhereIsRefusedWithTheByte) {
  const std::string good = file_of(test::make_frame(40, true));
  for (std::size_t size = 0; size < good.size(); ++size)
    ASSERT_EQ(error_of(good.substr(0, size), FpcChecksums::kVerify).rfind("a.fpc: at byte ", 0), 0u) << size;
  EXPECT_NE(error_of(good + 'x', FpcChecksums::kVerify).find("1 bytes behind the last chunk"), std::string::npos);
}

TEST(FpcDamaged, AnyFlippedBitIsNoticed) {
  for (const double error : {0.0, 1e-4}) {
    std::string bytes = file_of(test::make_frame(20, false), error);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      const char mask = static_cast<char>(1u << bit % 8);
      bytes[bit / 8] ^= mask;
      ASSERT_EQ(error_of(bytes, FpcChecksums::kVerify).rfind("a.fpc: at byte ", 0), 0u) << bit;
      bytes[bit / 8] ^= mask;
    }
  }
}

TEST(FpcDamaged, ErrorNamesTheByteOfTheChunk) {
  std::string bytes = file_of(test::make_frame(70000, false));
  bytes.back() ^= 1;
  std::uint32_t header = 0, first = 0;
  std::memcpy(&header, bytes.data() + 12, sizeof header);
  std::memcpy(&first, bytes.data() + header, sizeof first);
  EXPECT_EQ(error_of(bytes, FpcChecksums::kVerify),
            "a.fpc: at byte " + std::to_string(header + 8 + first) + ": the chunk's checksum is wrong: the file is damaged");
}

TEST(FpcDamaged, WhatIsNoFileIsAUserError) {
  const TempFolder folder;
  EXPECT_THROW(read_fpc(folder / "missing.fpc"), UserError);
  EXPECT_THROW(read_fpc_header(folder / "missing.fpc"), UserError);
  EXPECT_THROW(read_fpc(folder.path()), UserError);
  test::write_bytes(folder / "a.fpc", "ply\nformat ascii 1.0\n");
  EXPECT_NE(test::error_of([&] { read_fpc_header(folder / "a.fpc"); }).find("at byte 0: not an FPC file"), std::string::npos);
}

// Files whose checksums are right and that still do not hold what they say.
struct Lie {
  const char* name;
  std::string bytes;
  const char* message;
};

class LyingFpc : public ::testing::TestWithParam<Lie> {};

TEST_P(LyingFpc, IsRefusedWithTheReason) {
  const std::string error = error_of(GetParam().bytes, FpcChecksums::kIgnore);
  EXPECT_EQ(error.rfind("a.fpc: ", 0), 0u) << error;
  EXPECT_NE(error.find(GetParam().message), std::string::npos) << error;
}

const std::string kGood = file_of(two_columns());
constexpr double kInfinite = std::numeric_limits<double>::infinity();

const Lie kHeaders[] = {
    {"Version", with(kGood, 8, 2u), "version 2; only version 1"},
    {"HeaderSize", with(kGood, 12, 4000000000u), "the header has 4000000000 bytes"},
    {"HeaderSizeOfOneAttribute", with(kGood, 12, 112u), "2 attributes in 40 bytes"},
    {"MoreParticles", with(kGood, 16, std::uint64_t{1} << 60), "of its 1152921504606846976 particles are missing"},
    {"MoreParticlesThanChunks", with(kGood, 16, std::uint64_t{70000}), "but 4464 of its 70000 particles are missing"},
    {"NoParticles", with(kGood, 16, std::uint64_t{0}), "bytes behind the last chunk"},
    {"EmptyChunks", with(kGood, 24, 0u), "chunks of 0 particles"},
    {"HugeChunks", with(kGood, 24, 65537u), "chunks of 65537 particles"},
    {"Precision", with(kGood, 28, 2u), "the bytes of a real is 2, it must be 4 or 8"},
    {"Time", with(kGood, 32, -kInfinite), "at byte 32: the time is -inf"},
    {"FrameRate", with(kGood, 40, 0.0), "at byte 40: the frame rate is 0"},
    {"Spacing", with(kGood, 48, -0.1), "at byte 48: the spacing is -0.1"},
    {"Dimension", with(kGood, 56, 4u), "the dimension is 4, it must be 2 or 3"},
    {"Kernel", with(kGood, 60, 0u), "the kernel is 0"},
    {"Attributes", with(kGood, 64, 0xffffffffu), "4294967295 attributes"},
    {"AttributeName", with(kGood, kAttributes1, 'j'), "at byte 68: 'jd' is no attribute"},
    {"AttributeKind", with(kGood, kAttributes1 + 24, 0u), "id is of kind 0 with 1 components, it must be of kind 1 with 1"},
    {"AttributeComponents", with(kGood, kAttributes1 + 28, 3u), "id is of kind 1 with 3 components"},
    {"IdWithAnError", with(kGood, kAttributes1 + 32, 0.5), "id has an error of 0.5"},
    {"NegativeError", with(kGood, kAttributes1 + kAttribute + 32, -1.0), "position has an error of -1"},
    {"EndlessError", with(kGood, kAttributes1 + kAttribute + 32, kInfinite), "position has an error of inf"},
    {"Twice", kGood.substr(0, 68) + kGood.substr(108, 40) + kGood.substr(108), "position is there twice"},
    {"NoPosition", with(with(kGood.substr(0, 108) + kGood.substr(148), 12, 112u), 64, 1u), "there is no attribute position"},
};
INSTANTIATE_TEST_SUITE_P(Header, LyingFpc, ::testing::ValuesIn(kHeaders), [](const auto& info) { return info.param.name; });

const Lie kChunks[] = {
    {"ChunkBeyondTheFile", with(kGood, kChunk, 0xffffffffu), "a chunk takes 4294967295 bytes"},
    {"ChunkTooSmall", with(kGood, kChunk, 40u), "a chunk of 40 bytes, its attributes take 96 at least"},
    {"Coding", with(kGood, kId, 3u), "a coding of 3"},
    {"QuantisedId", with(kGood, kId, 2u), "a coding of 2"},
    {"Planes", with(kGood, kId + 12, 5u), "5 byte planes, there can be 4 at most"},
    {"First", with(kGood, kId + 16, std::uint64_t{1} << 32), "the first number is 4294967296, beyond 4 bytes"},
    {"PlaneBeyondTheChunk", with(kGood, kPlane - 4, 0x7fffffffu), "a byte plane takes 2147483647 bytes"},
    {"PlaneOfNothing", with(kGood, kPlane - 4, 0u), "not a blosc buffer of that size"},
    {"BloscVersion", with(kGood, kPlane, '\x7f'), "not a blosc buffer"},
    {"BloscCompressor", with(kGood, kPlane + 2, static_cast<char>(1 << 5)), "allowed: single bytes, zstd"},
    {"BloscUnknownCompressor", with(kGood, kPlane + 2, static_cast<char>(7 << 5)), "allowed: single bytes, zstd"},
    {"BloscFilter", with(kGood, kPlane + 2, static_cast<char>(4 << 5 | 1)), "allowed: single bytes, zstd"},
    {"BloscTypeSize", with(kGood, kPlane + 3, '\x04'), "blosc buffer"},
    {"BloscSize", with(kGood, kPlane + 4, 4000u), "blosc buffer"},
    {"BloscData", with(kGood, kPlane + 28, 0xffffffffu), "cannot be decompressed"},
};
INSTANTIATE_TEST_SUITE_P(Chunk, LyingFpc, ::testing::ValuesIn(kChunks), [](const auto& info) { return info.param.name; });

TEST(LyingFpc, GoodFileOfTheTestsIsReadWithoutItsChecksums) {
  expect_same(parse_fpc("a.fpc", with(kGood, kChunk + 4, 0u), FpcChecksums::kIgnore), test::as_stored(two_columns()));
}

TEST(LyingFpc, NumbersThatAreNotAllowedAreNamed) {
  Frame frame = test::make_frame(3, false);
  frame.mass[2] = -1;
  EXPECT_EQ(error_of(file_of(frame), FpcChecksums::kVerify), "a.fpc: particle 2: mass is -1, it must be greater than 0");
}

}  // namespace
}  // namespace firn
