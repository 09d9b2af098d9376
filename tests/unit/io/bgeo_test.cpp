#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "firn/error.h"
#include "frames.h"
#include "io/particle_files.h"
#include "refusal.h"
#include "small_disk.h"
#include "temp_folder.h"

namespace firn {
namespace {

using test::as_stored;
using test::expect_refused;
using test::expect_same;
using test::make_frame;
using test::read_bytes;
using test::TempFolder;

std::string bytes_of(const Frame& frame) {
  const TempFolder folder;
  write_bgeo(folder / "a.bgeo", frame);
  return read_bytes(folder / "a.bgeo");
}

std::string big(std::uint32_t value, int bytes = 4) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
  return text;
}
std::string big(float value) { return big(std::bit_cast<std::uint32_t>(value)); }
std::string text(const std::string& s) { return big(static_cast<std::uint32_t>(s.size()), 2) + s; }

// Counts: points, primitives, point groups, primitive groups; attributes of points, vertices, primitives, detail.
std::string header(const std::array<std::uint32_t, 8>& counts) {
  std::string bytes = "BgeoV" + big(5u);
  for (const std::uint32_t count : counts) bytes += big(count);
  return bytes;
}
std::string definition(const std::string& name, std::uint32_t size, std::uint32_t type) {
  std::string bytes = text(name) + big(size, 2) + big(type);
  for (std::uint32_t i = 0; i < size; ++i) bytes += big(0u);
  return bytes;
}
std::string floats(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) bytes += big(value);
  return bytes;
}
const std::string kEnd("\x00\xff", 2);

class BgeoRoundTrip : public ::testing::TestWithParam<int> {};

TEST_P(BgeoRoundTrip, KeepsEveryBitOfFloat) {
  const TempFolder folder;
  for (const bool double_precision : {false, true})
    for (const bool with_b : {false, true})
      for (const bool with_parameters : {false, true}) {
        Frame frame = make_frame(static_cast<std::size_t>(GetParam()), with_b);
        if (!with_parameters) frame = test::without_parameters(frame);
        frame.double_precision = double_precision;
        write_bgeo(folder / "a frame.bgeo", frame);
        frame.double_precision = false;  // the format has float only
        expect_same(read_bgeo(folder / "a frame.bgeo"), as_stored(frame));
      }
  EXPECT_EQ(folder.count(), 1u);
}

INSTANTIATE_TEST_SUITE_P(ParticleCounts, BgeoRoundTrip, ::testing::Values(0, 1, 2, 1000, 60000));

TEST(BgeoWrite, BytesAreTheAgreedOnes) {
  Frame frame;
  frame.id = {4000000000u};
  frame.position = {{1, 2, 3}};
  frame.velocity = {{4, 5, 6}};
  frame.material = {7};
  EXPECT_EQ(bytes_of(frame), header({1, 0, 0, 0, 3, 0, 0, 0}) + definition("id", 1, 1) + definition("v", 3, 5) +
                                 definition("material", 1, 1) + floats({1, 2, 3, 1}) + big(4000000000u) + floats({4, 5, 6}) + big(7u) +
                                 kEnd);
}

TEST(BgeoWrite, FrameWithPositionsOnlyStaysOneAndLargeIdsAreKept) {
  Frame frame;
  frame.position = {{1, 2, 3}, {4, 5, 6}};
  expect_same(parse_bgeo("a", bytes_of(frame)), frame);
  frame.id = {0x7fffffffu, 0xffffffffu};
  expect_same(parse_bgeo("a", bytes_of(frame)), frame);
}

TEST(BgeoWrite, RowsAreInIdOrder) {
  Frame frame = make_frame(4, false);
  frame.id = {3, 0, 3, 1};
  const Frame read = parse_bgeo("a", bytes_of(frame)), stored = as_stored(frame);
  EXPECT_EQ(read.id, (std::vector<std::uint32_t>{0, 1, 3, 3}));
  const std::size_t from[] = {1, 3, 0, 2};
  for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(read.fe[row], stored.fe[from[row]]);
}

TEST(BgeoWrite, WhatFloatCannotHoldIsRefusedAndNothingStays) {
  const TempFolder folder;
  Frame frame = make_frame(3, false);
  frame.double_precision = true;
  frame.velocity[2][1] = 1e300;
  EXPECT_THROW(write_bgeo(folder / "a.bgeo", frame), RunError);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(BgeoWrite, FailedWriteLeavesNothingBehind) {
  const TempFolder folder;
  const Frame large = make_frame(50000, false);
  {
    const test::SmallDisk disk(1 << 20);
    EXPECT_THROW(write_bgeo(folder / "a.bgeo", large), RunError);
  }
  EXPECT_EQ(folder.count(), 0u);
}

std::string output_of(const std::string& command) {
  FILE* const pipe = ::popen(command.c_str(), "r");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return text;
}

// The other reader knows only the format's description.
TEST(BgeoInterop, ASeparateReaderFindsTheSameNumbers) {
  const TempFolder folder;
  const Frame frame = as_stored(make_frame(5000, true));
  write_bgeo(folder / "a.bgeo", frame);
  const auto report = nlohmann::json::parse(output_of("/usr/bin/python3 '" FIRN_INTEROP "/read_bgeo.py' '" + (folder / "a.bgeo") + "'"));
  EXPECT_EQ(report["points"], frame.size());
  EXPECT_EQ(report["attributes"].size(), fields_of(frame).size());
  for (const Field field : fields_of(frame)) {
    const Attribute& a = attribute(field);
    const std::string name = field == Field::kPosition ? "P" : std::string(bgeo_name(field));
    ASSERT_TRUE(report["attributes"].contains(name)) << name;
    const auto& found = report["attributes"][name];
    EXPECT_EQ(found["size"], a.components);
    EXPECT_EQ(found["type"], a.kind != ValueKind::kReal ? "int" : a.components == 3 ? "vector" : "float") << name;
    for (int c = 0; c < a.components; ++c) {
      double sum = 0, least = get(frame, field, 0, c), most = least;
      for (std::size_t p = 0; p < frame.size(); ++p) {
        const double value = get(frame, field, p, c);
        sum += value;
        least = std::min(least, value);
        most = std::max(most, value);
      }
      const std::size_t i = static_cast<std::size_t>(c);
      EXPECT_NEAR(found["sum"][i].get<double>(), sum, 1e-9 * std::abs(sum)) << name;
      EXPECT_EQ(found["min"][i].get<double>(), least) << name;
      EXPECT_EQ(found["max"][i].get<double>(), most) << name;
    }
  }
}

TEST(BgeoRead, OtherProgramsFilesWithTextsGroupsAndPrimitives) {
  const std::string texts = text("material") + big(1u, 2) + big(4u) + big(2u) + text("snow") + text("a longer one");
  const std::string points = header({2, 9, 1, 1, 4, 1, 1, 1}) + definition("Cd", 3, 0) + texts + definition("mass", 1, 1) +
                             definition("v", 3, 0) + floats({1, 2, 3, 1, 0, 0, 0}) + big(1u) + big(5u) + floats({7, 8, 9}) +
                             floats({4, 5, 6, 1, 0, 0, 0}) + big(0u) + big(6u) + floats({-7, -8, -9});
  const Frame frame = parse_bgeo("a", points + "whatever primitives look like");
  EXPECT_EQ(frame.position, (std::vector<std::array<double, 3>>{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(frame.velocity, (std::vector<std::array<double, 3>>{{7, 8, 9}, {-7, -8, -9}}));
  EXPECT_EQ(frame.mass, (std::vector<double>{5, 6}));
  EXPECT_TRUE(frame.material.empty());
}

TEST(BgeoRead, AttributesOfTheWholeAndExtrasAreSkipped) {
  const std::string bytes = header({1, 0, 0, 0, 0, 0, 0, 2}) + floats({1, 2, 3, 1}) + definition("time", 1, 0) + text("names") +
                            big(1u, 2) + big(4u) + big(1u) + text("x") + big(0.5f) + big(0u);
  EXPECT_EQ(parse_bgeo("a", bytes + kEnd).size(), 1u);
  EXPECT_EQ(parse_bgeo("a", bytes + std::string("\0extra\xff", 7)).size(), 1u);
  test::expect_refused_when_cut(parse_bgeo, bytes + kEnd, bytes.size() + 2);
}

TEST(BgeoRead, NameLongerThan16Bits) {
  const std::string name(70000, 'n');
  const std::string bytes = header({1, 0, 0, 0, 1, 0, 0, 0}) + big(0xffffu, 2) + big(70000u) + name + big(1u, 2) + big(0u) + big(0u) +
                            floats({1, 2, 3, 1, 9}) + kEnd;
  EXPECT_EQ(parse_bgeo("a", bytes).position[0], (std::array<double, 3>{1, 2, 3}));
}

TEST(BgeoRead, FileThatIsCutOffIsRefusedWhereverThatIs) {
  const std::string bytes = bytes_of(make_frame(2, true));
  test::expect_refused_when_cut(parse_bgeo, bytes, bytes.size());
}

TEST(BgeoRead, ChangedBytesAreReadOrRefused) { test::expect_survives_changes(parse_bgeo, bytes_of(make_frame(2, true))); }

TEST(BgeoRead, OtherFormatsAreNamed) {
  expect_refused(parse_bgeo, "", "does not start with 'BgeoV'");
  expect_refused(parse_bgeo, "\x7fNSJ and so on", ".bhclassic");
  expect_refused(parse_bgeo, "\x1f\x8b and so on", "compressed");
  expect_refused(parse_bgeo, "BgeoV" + big(4u) + std::string(64, '\0'), "at byte 5: version 4 is not supported");
}

TEST(BgeoRead, EveryCountOfTheHeaderIsChecked) {
  const std::array<std::uint32_t, 8> good{1, 0, 0, 0, 1, 0, 0, 0};
  const std::string rest = definition("mass", 1, 0) + floats({1, 2, 3, 1, 1}) + kEnd;
  ASSERT_EQ(parse_bgeo("a", header(good) + rest).size(), 1u);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::array<std::uint32_t, 8> counts = good;
    counts[i] = 0xffffffffu;
    expect_refused(parse_bgeo, header(counts) + rest, "at byte " + std::to_string(9 + 4 * i) + ": a count in the header is -1");
  }
  for (const std::size_t i : {0, 4, 7}) {  // with the others there is more behind the points than is looked at
    std::array<std::uint32_t, 8> counts = good;
    counts[i] = 0x7fffffffu;
    expect_refused(parse_bgeo, header(counts) + rest, "");
  }
  expect_refused(parse_bgeo, header({0x7fffffffu, 0, 0, 0, 1, 0, 0, 0}) + rest, "promises 2147483647 points of 20 bytes");
}

TEST(BgeoRead, WrongAttributesAreRefused) {
  const auto with = [](const std::string& definitions, std::uint32_t count) {
    return header({1, 0, 0, 0, count, 0, 0, 0}) + definitions + std::string(200, '\0') + kEnd;
  };
  expect_refused(parse_bgeo, with(definition("fe", 4, 0), 1), "at byte 41: attribute 'fe' has 4 numbers, it must have 9");
  expect_refused(parse_bgeo, with(definition("mass", 1, 0) + definition("mass", 1, 0), 2), "a second attribute 'mass'");
  expect_refused(parse_bgeo, with(definition("stiffness", 1, 0) + definition("young_modulus", 1, 0), 2), "exclude each other");
  expect_refused(parse_bgeo, with(definition("note", 1, 2), 1), "attribute 'note' is of type 2; supported");
  expect_refused(parse_bgeo, with(definition("note", 1, 0x80000000u), 1), "type -2147483648");
  expect_refused(parse_bgeo, with(big(0x8000u, 2), 1), "negative");
  expect_refused(parse_bgeo, with(text("names") + big(1u, 2) + big(4u) + big(0x80000000u), 1), "number of strings is -2147483648");
}

TEST(BgeoRead, ValueThatIsNotAllowedIsNamedWithItsByte) {
  const std::string front = header({1, 0, 0, 0, 1, 0, 0, 0}) + definition("material", 1, 1);
  const std::string at = "at byte " + std::to_string(front.size() + 16);
  expect_refused(parse_bgeo, front + floats({1, 2, 3, 1}) + big(65536u) + kEnd, at + ": point 0: material is 65536");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_refused(parse_bgeo, front + floats({1, nan, 3, 1, 0}) + kEnd, "y is nan");
}

}  // namespace
}  // namespace firn
