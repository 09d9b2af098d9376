#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "firn/error.h"
#include "frames.h"
#include "temp_folder.h"

namespace firn {
namespace {

using test::TempFolder;
using test::write_bytes;

constexpr const char* kXy = "element vertex 1\nproperty float x\nproperty float y\n";

std::string ascii(const std::string& declarations, const std::string& rows) {
  return "ply\nformat ascii 1.0\n" + declarations + "end_header\n" + rows;
}

struct Malformed {
  const char* name;
  std::string text;
  const char* message;  // what the error has to say
};

class MalformedPly : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedPly, IsAUserErrorThatNamesFileAndFault) {
  const TempFolder folder;
  const std::string path = write_bytes(folder / "bad.ply", GetParam().text);
  try {
    read_ply(path);
    FAIL() << "was accepted";
  } catch (const UserError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.rfind(path + ": ", 0), 0u) << what;
    EXPECT_NE(what.find(GetParam().message), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  }
}

const std::string kBinary = "ply\nformat binary_little_endian 1.0\n";

const Malformed kHeaders[] = {
    {"Empty", "", "does not start with the line 'ply'"},
    {"WrongMagic", "PLY\nformat ascii 1.0\n", "does not start with the line 'ply'"},
    {"NoEnd", "ply\nformat ascii 1.0\nelement vertex 1\n", "end_header"},
    {"NoFormat", std::string("ply\n") + kXy + "end_header\n0 0\n", "no 'format' line"},
    {"TwoFormats", "ply\nformat ascii 1.0\nformat ascii 1.0\nend_header\n", "second 'format'"},
    {"UnknownFormat", "ply\nformat binary 1.0\nend_header\n", "at line 2: unknown format 'binary'"},
    {"UnknownVersion", "ply\nformat ascii 2.0\nend_header\n", "unknown version '2.0'"},
    {"UnknownKeyword", "ply\nformat ascii 1.0\nelment vertex 1\nend_header\n", "at line 3: 'elment'"},
    {"NegativeCount", ascii("element vertex -3\n", ""), "'-3' is not a count"},
    {"CountBeyond64Bits", ascii("element vertex 99999999999999999999\n", ""), "is not a count"},
    {"CountWithGarbage", ascii("element vertex 12x\n", ""), "'12x' is not a count"},
    {"NoCount", ascii("element vertex\n", ""), "is not a count"},
    {"ElementWithoutName", ascii("element\n", ""), "without a name"},
    {"TwoVertexElements", ascii(std::string(kXy) + kXy, "0 0\n"), "second element vertex"},
    {"NoVertexElement", ascii("element face 0\n", ""), "no element vertex"},
    {"PropertyBeforeElement", ascii("property float x\n", ""), "before any element"},
    {"UnknownType", ascii("element vertex 1\nproperty flot x\n", ""), "unknown type 'flot'"},
    {"PropertyWithoutName", ascii("element vertex 1\nproperty float\n", ""), "without a name"},
    {"PropertyTwice", ascii(std::string(kXy) + "property float x\n", ""), "second property x"},
    {"TooManyWords", ascii("element vertex 1 2\n", ""), "unexpected '2'"},
    {"RealListLength", ascii("element f 1\nproperty list float int i\n", ""), "whole number"},
    {"NoX", ascii("element vertex 0\nproperty float y\n", ""), "no property x"},
    {"NoY", ascii("element vertex 0\nproperty float x\nproperty float z\n", ""), "no property y"},
    {"NoVy", ascii(std::string(kXy) + "property float vx\n", "0 0 0\n"), "no property vy"},
    {"XIsAList", ascii("element vertex 1\nproperty list int float x\nproperty float y\n", ""), "x is a list"},
    {"PartOfFe", ascii(std::string(kXy) + "property float fe00\nproperty float fe11\n", "0 0 1 1\n"), "only 2 of the properties fe00"},
    {"WrongFourOfFe",
     ascii(std::string(kXy) + "property float fe00\nproperty float fe01\nproperty float fe02\nproperty float fe10\n", "0 0 1 1 1 1\n"),
     "only 4 of the properties fe00"},
    {"TwoStiffnesses", ascii(std::string(kXy) + "property float stiffness\nproperty float young_modulus\n", "0 0 1 1\n"),
     "stiffness and young_modulus exclude each other"},
    {"PartOfB", ascii(std::string(kXy) + "property float b22\n", "0 0 1\n"), "only 1 of the properties b00"},
};
INSTANTIATE_TEST_SUITE_P(Header, MalformedPly, ::testing::ValuesIn(kHeaders), [](const auto& info) { return info.param.name; });

const Malformed kRows[] = {
    {"HugeCountBinary", kBinary + "element vertex 1152921504606846976\nproperty float x\nproperty float y\nend_header\n12345678",
     "promises 1152921504606846976 vertex rows"},
    {"HugeCountAscii", ascii("element vertex 1152921504606846976\nproperty float x\nproperty float y\n", "0 0\n"), "promises"},
    {"HugeCountOfAnotherElement", kBinary + "element face 18446744073709551615\nproperty list uchar int i\n" + kXy + "end_header\n123",
     "promises 18446744073709551615 face rows"},
    {"TruncatedBinary", kBinary + kXy + "end_header\n1234567", "promises 1 vertex rows of at least 8 bytes"},
    {"TruncatedList", kBinary + "element face 1\nproperty list uchar int i\n" + kXy + "end_header\n\xff" + std::string(20, 'a'), "list i"},
    {"TruncatedBehindAList",
     kBinary + "element vertex 1\nproperty float x\nproperty list uchar uchar l\nproperty float y\nend_header\nabcd" +
         std::string("\4wwwwyyy"),
     "ends within a row"},
    {"TruncatedAscii", ascii("element vertex 2\nproperty float x\nproperty float y\n", "0.12345 0.1234\n"), "ends within element vertex"},
    {"TooFewValues", ascii(kXy, "1\n   \n"), "at line 7: too few values"},
    {"TooManyValues", ascii(kXy, "1 2 3\n"), "more values"},
    {"GarbageToken", ascii(kXy, "1 two\n"), "at line 7: 'two' is not a number"},
    {"GarbageBehindNumber", ascii(kXy, "1 2x\n"), "'2x' is not a number"},
    {"GarbageInASkippedProperty", ascii(std::string(kXy) + "property float w\n", "1 2 ?\n"), "'?' is not a number"},
    {"OnlyASign", ascii(kXy, "1 +\n"), "'+' is not a number"},
    {"NegativeListLength", ascii("element face 1\nproperty list int int i\n" + std::string(kXy), "-1 2\n0 0\n"), "length of -1"},
    {"ListLongerThanItsLine", ascii("element face 1\nproperty list int int i\n" + std::string(kXy), "3 0 1\n0 0\n"), "too few"},
    {"NanPosition", ascii(kXy, "nan 0\n"), "vertex 0: x is nan"},
    {"InfinitePosition", ascii(kXy, "0 1e999\n"), "y is inf"},
    {"PositionThatIsInfiniteAsFloat", ascii(kXy, "0 -1e111\n"), "y is -inf"},
    {"NanVelocity", ascii(std::string(kXy) + "property float vx\nproperty float vy\n", "0 0 0 nan\n"), "vy is nan"},
    {"NegativeMass", ascii("element vertex 2\nproperty float x\nproperty float y\nproperty float mass\n", "0 0 1\n0 0 -1\n"),
     "at line 9: vertex 1: mass is -1, it must be greater than 0"},
    {"ZeroVolume", ascii(std::string(kXy) + "property float volume\n", "0 0 0\n"), "volume is 0"},
    {"ZeroJp", ascii(std::string(kXy) + "property float jp\n", "0 0 0\n"), "jp is 0"},
    {"NegativeTouch", ascii(std::string(kXy) + "property float touch\n", "0 0 -0.5\n"), "touch is -0.5, it must be at least 0"},
    {"NegativeCredit", ascii(std::string(kXy) + "property float credit\n", "0 0 -1\n"), "credit is -1, it must be at least 0"},
    {"NegativeId", ascii(std::string(kXy) + "property int id\n", "0 0 -1\n"), "id is -1"},
    {"FractionalId", ascii(std::string(kXy) + "property float id\n", "0 0 1.5\n"), "id is 1.5"},
    {"MaterialTooLarge", ascii(std::string(kXy) + "property int material\n", "0 0 65536\n"), "material is 65536"},
};
INSTANTIATE_TEST_SUITE_P(Rows, MalformedPly, ::testing::ValuesIn(kRows), [](const auto& info) { return info.param.name; });

TEST(PlyMalformed, BinaryErrorNamesTheByteOfTheRow) {
  const TempFolder folder;
  Frame frame = test::make_frame(3, false);
  frame.mass[2] = -1;
  write_ply(folder / "a.ply", frame);
  const std::size_t row = test::read_bytes(folder / "a.ply").size() - (4 + 10 * 4 + 2 + 13 * 4);
  try {
    read_ply(folder / "a.ply");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("at byte " + std::to_string(row) + ": vertex 2: mass"), std::string::npos) << error.what();
  }
}

TEST(PlyMalformed, WhatIsNoFileIsAUserError) {
  const TempFolder folder;
  EXPECT_THROW(read_ply(folder / "missing.ply"), UserError);
  EXPECT_THROW(read_ply(folder.path()), UserError);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(read_ply(folder / "pipe"), UserError);
  EXPECT_THROW(read_ply("/dev/zero"), UserError);
}

// Any bytes give a frame or a UserError: no crash, no other exception, no allocation beyond what the file can fill.
void expect_survives_mutations(const std::string& good, unsigned seed, int rounds) {
  const TempFolder folder;
  std::mt19937 random(seed);
  int rejected = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = good;
    for (int change = 0; change < 1 + round % 4; ++change) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 5) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes[at] = "0123456789-. \n"[random() % 14]; break;
        case 2: bytes.erase(at, 1 + random() % 9); break;
        case 3: bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 20)); break;
        default: bytes.resize(std::max<std::size_t>(at, 1)); break;
      }
      if (bytes.empty()) bytes.assign(1, 'p');
    }
    try {
      const Frame frame = read_ply(write_bytes(folder / "a.ply", bytes));
      EXPECT_LE(frame.size(), bytes.size());
    } catch (const UserError&) {
      ++rejected;
    }
  }
  EXPECT_GT(rejected, rounds / 10);
  EXPECT_LT(rejected, rounds);
}

TEST(PlyMalformed, MutatedBinaryFilesAreReadOrRefused) {
  const TempFolder folder;
  write_ply(folder / "a.ply", test::make_frame(40, true));
  expect_survives_mutations(test::read_bytes(folder / "a.ply"), 1, 3000);
}

TEST(PlyMalformed, MutatedAsciiFilesAreReadOrRefused) {
  std::string rows;
  for (int i = 0; i < 20; ++i) rows += "3 0 1 2\n";
  for (int i = 0; i < 60; ++i) rows += std::to_string(i) + " 0.5 1e-3 -7 2\n";
  expect_survives_mutations(
      ascii("comment fuzz\nelement face 20\nproperty list uchar int i\nelement vertex 60\nproperty int id\nproperty float x\n"
            "property float y\nproperty float z\nproperty float mass\n",
            rows),
      2, 3000);
}

}  // namespace
}  // namespace firn
