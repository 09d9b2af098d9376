#include <gtest/gtest.h>

#include <cstring>
#include <pugixml.hpp>

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

std::string bytes_of(const Frame& frame, double time = 0.5) {
  const TempFolder folder;
  write_vtp(folder / "a.vtp", frame, {.time = time});
  return read_bytes(folder / "a.vtp");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("there is no " + from);
  return text.replace(at, from.size(), to);
}

class VtpRoundTrip : public ::testing::TestWithParam<int> {};

TEST_P(VtpRoundTrip, KeepsEveryBitOfTheStoredPrecision) {
  const TempFolder folder;
  for (const bool double_precision : {false, true})
    for (const bool with_b : {false, true})
      for (const bool with_parameters : {false, true}) {
        Frame frame = make_frame(static_cast<std::size_t>(GetParam()), with_b);
        frame.double_precision = double_precision;
        if (!with_parameters) frame = test::without_parameters(frame);
        write_vtp(folder / "a frame.vtp", frame, {});
        expect_same(read_vtp(folder / "a frame.vtp"), as_stored(frame));
      }
  EXPECT_EQ(folder.count(), 1u);
}

INSTANTIATE_TEST_SUITE_P(ParticleCounts, VtpRoundTrip, ::testing::Values(0, 1, 2, 1000, 60000));

TEST(VtpWrite, FrameWithPositionsOnlyStaysOne) {
  Frame frame;
  frame.position = {{1, 2, 3}, {4, 5, 6}};
  expect_same(parse_vtp("a", bytes_of(frame)), frame);
}

TEST(VtpWrite, RowsAreInIdOrder) {
  Frame frame = make_frame(4, false);
  frame.double_precision = true;
  frame.id = {3, 0, 3, 1};
  const Frame read = parse_vtp("a", bytes_of(frame));
  EXPECT_EQ(read.id, (std::vector<std::uint32_t>{0, 1, 3, 3}));
  const std::size_t from[] = {1, 3, 0, 2};
  for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(read.fe[row], frame.fe[from[row]]);
}

TEST(VtpWrite, HasTheTimeAndAVertexCellForEveryParticle) {
  const std::string bytes = bytes_of(make_frame(3, false), 1.25);
  const std::size_t begin = bytes.find("\n_") + 2;
  double time = 0;
  std::memcpy(&time, bytes.data() + begin + sizeof(std::uint64_t), sizeof time);
  EXPECT_EQ(time, 1.25);
  EXPECT_NE(bytes.find("Name=\"TimeValue\""), std::string::npos);
  EXPECT_NE(bytes.find("NumberOfVerts=\"3\""), std::string::npos);
  const std::size_t cells = 2 * (sizeof(std::uint64_t) + 3 * sizeof(std::int32_t));
  const char* at = bytes.data() + bytes.rfind("</AppendedData>") - cells;
  for (const int first : {0, 1}) {
    at += sizeof(std::uint64_t);
    for (int i = 0; i < 3; ++i, at += sizeof(std::int32_t)) {
      std::int32_t value = -1;
      std::memcpy(&value, at, sizeof value);
      EXPECT_EQ(value, first + i);
    }
  }
}

TEST(VtpWrite, FailedWriteLeavesNothingBehind) {
  const TempFolder folder;
  const Frame large = make_frame(50000, false);
  {
    const test::SmallDisk disk(1 << 20);
    EXPECT_THROW(write_vtp(folder / "a.vtp", large, {}), RunError);
  }
  EXPECT_EQ(folder.count(), 0u);
  Frame uneven = make_frame(4, false);
  uneven.mass.pop_back();
  EXPECT_THROW(write_vtp(folder / "a.vtp", uneven, {}), RunError);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(Pvd, NamesEveryFrameWithItsTimeInSeconds) {
  const TempFolder folder;
  const std::vector<IndexEntry> frames{{"frame_0000.vtp", "", 0}, {"a <b> & \"c\".vtp", "", 1.0 / 24}};
  write_pvd(folder.path().string(), frames, {});
  EXPECT_EQ(folder.count(), 1u);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file((folder / "frames.pvd").c_str()));
  EXPECT_STREQ(document.child("VTKFile").attribute("type").value(), "Collection");
  std::size_t found = 0;
  for (const pugi::xml_node entry : document.child("VTKFile").child("Collection").children("DataSet")) {
    ASSERT_LT(found, frames.size());
    EXPECT_EQ(entry.attribute("file").value(), frames[found].file);
    EXPECT_EQ(entry.attribute("timestep").as_double(-1), frames[found].time);
    ++found;
  }
  EXPECT_EQ(found, frames.size());
}

// As other programs write it: 32-bit lengths, arrays in any order and of any type, some that firn does not know.
class ForeignFile {
 public:
  template <class T>
  std::string array(const std::string& declaration, const std::vector<T>& values) {
    const std::string text =
        "<DataArray " + declaration + " format='appended' offset='" + std::to_string(data_.size()) + "'>\n</DataArray>";
    const std::uint32_t bytes = static_cast<std::uint32_t>(values.size() * sizeof(T));
    data_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    data_.append(reinterpret_cast<const char*>(values.data()), bytes);
    return text;
  }
  std::string file(const std::string& piece) const {
    return "<VTKFile type='PolyData' version='0.1' byte_order='LittleEndian'><!-- by hand --><PolyData>" + piece +
           "</PolyData><AppendedData encoding='raw'> _" + data_ + "</AppendedData></VTKFile>";
  }

 private:
  std::string data_;
};

TEST(VtpRead, OtherProgramsFiles) {
  ForeignFile f;
  const std::string text_array = f.array<char>("type='Int8' Name='label' NumberOfComponents='2'", {'a', 'b', 'c', 'd'});
  const std::string material = f.array<std::int64_t>("type='Int64' Name='material'", {7, 65535});
  const std::string points = f.array<double>("type='Float64' NumberOfComponents='3'", {1, 2, 3, 4, 5, 6});
  const std::string mass = f.array<std::uint8_t>("type='UInt8' Name='mass' NumberOfComponents='1'", {1, 200});
  const Frame frame =
      parse_vtp("a", f.file("<Piece NumberOfPoints='2'><Points>" + points + "</Points><PointData Scalars='mass'>" + mass + text_array +
                            "<DataArray type='Float32' Name='other' format='ascii'>1 2</DataArray>" + material + "</PointData></Piece>"));
  EXPECT_EQ(frame.position, (std::vector<std::array<double, 3>>{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(frame.mass, (std::vector<double>{1, 200}));
  EXPECT_EQ(frame.material, (std::vector<std::uint16_t>{7, 65535}));
  EXPECT_TRUE(frame.id.empty());
  EXPECT_TRUE(frame.double_precision);
}

TEST(VtpRead, ValueThatIsNotAllowedIsNamedWithItsByte) {
  ForeignFile f;
  const std::string points = f.array<float>("type='Float32' NumberOfComponents='3'", {1, 2, 3, 4, 5, 6});
  const std::string id = f.array<double>("type='Float64' Name='id'", {1, 1.5});
  const std::string bytes = f.file("<Piece NumberOfPoints='2'><Points>" + points + "</Points><PointData>" + id + "</PointData></Piece>");
  const std::size_t at = bytes.find(" _") + 2 + 4 + 24 + 4 + 8;
  expect_refused(parse_vtp, bytes, "at byte " + std::to_string(at) + ": point 1: id is 1.5");
}

TEST(VtpRead, FileThatIsCutOffIsRefusedWhereverThatIs) {
  const std::string bytes = bytes_of(make_frame(2, true));
  test::expect_refused_when_cut(parse_vtp, bytes, bytes.size() - 1);  // without the last line end it is complete
}

TEST(VtpRead, ChangedBytesAreReadOrRefused) {
  Frame frame;
  frame.position = {{1, 2, 3}};
  frame.id = {7};
  test::expect_survives_changes(parse_vtp, bytes_of(frame));
}

struct Change {
  const char *name, *from, *to, *message;
};

class ChangedVtp : public ::testing::TestWithParam<Change> {};

TEST_P(ChangedVtp, IsRefusedWithTheReason) {
  expect_refused(parse_vtp, replaced(bytes_of(make_frame(2, true)), GetParam().from, GetParam().to), GetParam().message);
}

const Change kChanges[] = {
    {"NotVtk", "<VTKFile", "<VTKfile", "no <VTKFile>"},
    {"AnotherDataSet", "\"PolyData\"", "\"ImageData\"", "type is 'ImageData', only PolyData is supported"},
    {"BigEndian", "LittleEndian", "BigEndian", "byte_order is 'BigEndian'"},
    {"UnknownLengths", "\"UInt64\"", "\"UInt16\"", "header_type is 'UInt16'"},
    {"ShortLengths", "\"UInt64\"", "\"UInt32\"", "point 0: mass is 0"},
    {"Compressed", "byte_order=", "compressor=\"vtkZLibDataCompressor\" byte_order=", "compressed (vtkZLibDataCompressor)"},
    {"Base64", "encoding=\"raw\"", "encoding=\"base64\"", "encoding is 'base64'"},
    {"NoEncoding", " encoding=\"raw\"", "", "encoding is 'base64'"},
    {"Inline", "<AppendedData", "<Appended", "not ascii or base64"},
    {"NoUnderscore", "\n_", "\n-", "do not start with '_'"},
    {"TwoPieces", "<Piece ", "<Piece/><Piece ", "2 elements Piece"},
    {"NoPiece", "<PolyData>", "<PolyData></PolyData><PolyData>", "0 elements Piece"},
    {"NoPoints", "<Points>", "<Points></Points><Points>", "2 elements Points"},
    {"BrokenXml", "</PointData>", "</PointDate>", "broken XML"},
    {"NegativeCount", "NumberOfPoints=\"2\"", "NumberOfPoints=\"-2\"", "NumberOfPoints is '-2'"},
    {"NoCount", "NumberOfPoints", "NumberOfPaints", "NumberOfPoints is ''"},
    {"HugeCount", "NumberOfPoints=\"2\"", "NumberOfPoints=\"1152921504606846976\"", "of each of 1152921504606846976 points"},
    {"CountBeyond64Bits", "NumberOfPoints=\"2\"", "NumberOfPoints=\"99999999999999999999\"", "whole number"},
    {"TooFewPoints", "NumberOfPoints=\"2\"", "NumberOfPoints=\"1\"", "array 'Points' has 24 bytes, not the 12 of each of 1 points"},
    {"OffsetBeyondTheEnd", "offset=\"0\"", "offset=\"99999999\"", "starts 99999999 bytes behind '_'"},
    {"HugeOffset", "offset=\"0\"", "offset=\"18446744073709551615\"", "starts 18446744073709551615 bytes"},
    {"NegativeOffset", "offset=\"0\"", "offset=\"-8\"", "offset is '-8'"},
    {"WrongOffset", "Name=\"mass\" NumberOfComponents=\"1\" NumberOfTuples=\"2\" format=\"appended\" offset=\"",
     "Name=\"mass\" NumberOfComponents=\"1\" NumberOfTuples=\"2\" format=\"appended\" offset=\"1", "array 'mass'"},
    {"WrongType", "\"UInt32\" Name=\"id\"", "\"UInt64\" Name=\"id\"", "array 'id' has 8 bytes, not the 8 of each of 2 points"},
    {"Text", "\"UInt32\" Name=\"id\"", "\"String\" Name=\"id\"", "array 'id' is of type 'String', not of numbers"},
    {"Components", "Name=\"velocity\" NumberOfComponents=\"3\"", "Name=\"velocity\" NumberOfComponents=\"2\"",
     "has 2 components, it must have 3"},
    {"Ascii", "Name=\"id\" NumberOfComponents=\"1\" NumberOfTuples=\"2\" format=\"appended\"", "Name=\"id\" format=\"ascii\"",
     "format is 'ascii'"},
    {"SecondArray", "Name=\"volume\"", "Name=\"mass\"", "a second array 'mass'"},
    {"TwoStiffnesses", "Name=\"hardening\"", "Name=\"young_modulus\"", "exclude each other"},
};
INSTANTIATE_TEST_SUITE_P(Head, ChangedVtp, ::testing::ValuesIn(kChanges), [](const auto& info) { return info.param.name; });

TEST(VtpRead, WrongLengthOfAnyArrayIsRefused) {
  const std::string good = bytes_of(make_frame(2, true));
  const std::size_t begin = good.find("\n_") + 2;
  int arrays = 0;
  for (std::size_t at = good.find("offset=\""); at < begin; at = good.find("offset=\"", at + 1), ++arrays) {
    const std::size_t offset = std::stoul(good.substr(at + std::strlen("offset=\"")));
    for (const std::uint64_t length : {std::uint64_t(1) << 60, ~std::uint64_t(0)}) {
      std::string bytes = good;
      std::memcpy(bytes.data() + begin + offset, &length, sizeof length);
      expect_refused(parse_vtp, bytes, "at byte " + std::to_string(begin + offset) + ": array");
    }
  }
  EXPECT_EQ(arrays, 17);  // time, 14 fields, two of the cells
}

TEST(VtpRead, HeadWithoutEndIsNotSearchedForLong) {
  expect_refused(parse_vtp, "<VTKFile>" + std::string(3 << 20, ' '), "at byte 1048576: there is no <AppendedData>");
}

}  // namespace
}  // namespace firn
