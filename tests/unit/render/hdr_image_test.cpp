// Reading pictures of light: both formats, all their ways to write a row, and files that are wrong.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "../io/temp_folder.h"
#include "firn/error.h"
#include "lit_sphere.h"
#include "render/path/lights.h"
#include "render/path/picture.h"

namespace firn {
namespace {

using namespace test;

std::string error_of(const std::string& path) {
  try {
    read_hdr_image(path);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kHead = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n";

// Red, green, blue and the exponent; 1 = 128 · 2^(129 - 136).
std::string rgbe(int r, int g, int b, int e) {
  return {static_cast<char>(r), static_cast<char>(g), static_cast<char>(b), static_cast<char>(e)};
}

TEST(HdrImage, RadiancePixelsAreMantissasTimesAPowerOfTwo) {
  const HdrImage image = parse_radiance(kHead + "\n-Y 1 +X 2\n" + rgbe(128, 64, 0, 129) + rgbe(200, 100, 50, 0));
  ASSERT_EQ(image.pixels.size(), 2u);
  EXPECT_FLOAT_EQ(image.pixels[0][0], 1);
  EXPECT_FLOAT_EQ(image.pixels[0][1], 0.5f);
  EXPECT_EQ(image.pixels[0][2], 0);
  EXPECT_EQ(luminance(image.pixels[1]), 0) << "the exponent 0 is black";
}

TEST(HdrImage, RadianceExposureIsTakenBack) {
  const HdrImage image = parse_radiance(kHead + "EXPOSURE= 2\nEXPOSURE=0.25\n\n-Y 1 +X 1\n" + rgbe(128, 128, 128, 129));
  EXPECT_FLOAT_EQ(image.pixels[0][0], 2);
}

TEST(HdrImage, RadiancePrimariesMayBeThoseOfSrgbTheFormatsOwnOrNotKnown) {
  const std::string pixel = "\n-Y 1 +X 1\n" + rgbe(128, 128, 128, 129);
  for (const std::string line :
       {"PRIMARIES= 0.640 0.330 0.300 0.600 0.150 0.060 0.3127 0.3290", "PRIMARIES=.64 .33 .3 .6 .15 .06 .3333 .3333",
        "PRIMARIES= 0.6400 0.3300 0.2900 0.6000 0.1500 0.0600 0.3333 0.3333", "PRIMARIES=0 0 0 0 0 0 0 0",
        "\tPRIMARIES= 0.7347 0.2653 0.1596 0.8404 0.0366 0.0001 0.3457 0.3585"})  // of a picture this one was made from
    EXPECT_FLOAT_EQ(parse_radiance(kHead + line + "\n" + pixel).pixels[0][0], 1) << line;
}

TEST(HdrImage, RadianceRowsMayBePackedByChannel) {
  std::string bytes = kHead + "\n-Y 2 +X 8\n";
  for (int y = 0; y < 2; ++y) {
    bytes += rgbe(2, 2, 0, 8);
    bytes += std::string("\x88\x80", 2);                           // red: 128 eight times
    bytes += std::string("\x08\x01\x02\x03\x04\x05\x06\x07\x08");  // green: eight different ones
    bytes += std::string("\x84\x40\x04\x01\x02\x03\x04");          // blue: 64 four times, then others
    bytes += std::string("\x88\x81", 2);                           // exponents
  }
  const HdrImage image = parse_radiance(bytes);
  ASSERT_EQ(image.pixels.size(), 16u);
  EXPECT_FLOAT_EQ(image.pixels[13][0], 1);
  EXPECT_FLOAT_EQ(image.pixels[13][1], 6.0f / 128);
  EXPECT_FLOAT_EQ(image.pixels[3][2], 0.5f);
  EXPECT_FLOAT_EQ(image.pixels[13][2], 2.0f / 128);
}

TEST(HdrImage, RadianceRowsMayRepeatPixelsInTheOldWay) {
  std::string bytes = kHead + "\n-Y 1 +X 261\n" + rgbe(128, 0, 0, 129) + rgbe(1, 1, 1, 3) + rgbe(1, 1, 1, 1) + rgbe(64, 0, 0, 129);
  const HdrImage image = parse_radiance(bytes);
  ASSERT_EQ(image.pixels.size(), 261u);
  EXPECT_FLOAT_EQ(image.pixels[259][0], 1) << "1, 3 more and 256 more";
  EXPECT_FLOAT_EQ(image.pixels[260][0], 0.5f);
}

TEST(HdrImage, ExrComesBack) {
  const TempFolder folder;
  const TracedPicture picture = lit_sphere(40, 20);
  write_exr(folder / "a.exr", picture, ExrLayers::kAllFeatures);
  const HdrImage image = read_hdr_image(folder / "a.exr");
  ASSERT_EQ(image.width, 40);
  ASSERT_EQ(image.height, 20);
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(image.pixels[i][c], picture.light[i][c], 1e-3);
}

// A file of one channel, as floats.
void write_channel(const std::string& path, Imf::Header header, const char* name, const std::vector<float>& values) {
  header.channels().insert(name, Imf::Channel(Imf::FLOAT));
  Imf::FrameBuffer buffer;
  const Imath::Box2i window = header.dataWindow();
  const int width = window.max.x - window.min.x + 1, height = window.max.y - window.min.y + 1;
  buffer.insert(name, Imf::Slice::Make(Imf::FLOAT, values.data(), window.min, width, height));
  Imf::OutputFile file(path.c_str(), header);
  file.setFrameBuffer(buffer);
  file.writePixels(height);
}

TEST(HdrImage, GreyExrAndNegativeNumbers) {
  const TempFolder folder;
  write_channel(folder / "a.exr", Imf::Header(2, 1), "Y", {0.5f, -0.25f});
  const HdrImage image = read_hdr_image(folder / "a.exr");
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(image.pixels[0][c], 0.5f);
    EXPECT_EQ(image.pixels[1][c], 0);
  }
}

TEST(HdrImageErrors, OfExrFilesSayWhatIsWrong) {
  const TempFolder folder;
  const std::string path = folder / "a.exr", begin = path + ": ";
  write_channel(path, Imf::Header(2, 1), "Y", {0.5f, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(error_of(path), begin + "pixel (1, 0) is not finite");
  write_channel(path, Imf::Header(2, 1), "Y", {std::numeric_limits<float>::infinity(), 1});
  EXPECT_EQ(error_of(path), begin + "pixel (0, 0) is not finite");
  write_channel(path, Imf::Header(2, 1), "Z", {1, 2});
  EXPECT_EQ(error_of(path), begin + "it has neither channels R, G and B nor Y alone");
  write_channel(path, Imf::Header(Imath::Box2i({0, 0}, {3, 1}), Imath::Box2i({0, 0}, {1, 0})), "Y", {1, 2});
  EXPECT_EQ(error_of(path), begin + "its pixels do not fill the picture (data and display window differ)");
  Imf::Header wide(2, 1);
  Imf::addChromaticities(wide, {{0.713f, 0.293f}, {0.165f, 0.83f}, {0.128f, 0.044f}, {0.3217f, 0.3377f}});
  write_channel(path, wide, "Y", {1, 2});
  EXPECT_EQ(error_of(path), begin + "its primaries are not those of sRGB, convert it to linear sRGB");
}

TEST(HdrImageErrors, OfRadianceFilesSayWhatIsWrong) {
  const TempFolder folder;
  const std::string path = folder / "a.hdr";
  const auto error = [&](const std::string& bytes) {
    write_bytes(path, bytes);
    return error_of(path).substr(path.size() + 2);
  };
  const std::string two = "\n-Y 1 +X 2\n";
  EXPECT_EQ(error(""), "neither an OpenEXR nor a Radiance (.hdr) picture");
  EXPECT_EQ(error("\x89PNG"), "neither an OpenEXR nor a Radiance (.hdr) picture");
  EXPECT_EQ(error("#?RADIANCE\nFORMAT"), "the header does not end");
  EXPECT_EQ(error("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n"), "\"FORMAT=32-bit_rle_xyze\"; allowed: FORMAT=32-bit_rle_rgbe");
  EXPECT_EQ(error("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\r\n\n"), "\"FORMAT=32-bit_rle_rgbe?\"; allowed: FORMAT=32-bit_rle_rgbe");
  EXPECT_EQ(error(kHead + "EXPOSURE=0\n\n"), "EXPOSURE=0: must be greater than 0");
  const std::string other = "its primaries are not those of sRGB, convert it to linear sRGB";
  EXPECT_EQ(error(kHead + "PRIMARIES=0.7347 0.2653 0.1596 0.8404 0.0366 0.0001 0.3457 0.3585\n\n"), other) << "ProPhoto";
  EXPECT_EQ(error(kHead + "PRIMARIES= 0.64 0.33 0.30 0.60 0.15 0.06 0.3457 0.3585\n\n"), other) << "another white";
  EXPECT_EQ(error(kHead + "PRIMARIES=nan nan nan nan nan nan nan nan\n\n"), other);
  EXPECT_EQ(error(kHead + "PRIMARIES=0.64 0.33\n\n"), "PRIMARIES=0.64 0.33: must be eight numbers");
  EXPECT_EQ(error(kHead + "\n+Y 1 +X 2\n"), "the size is \"+Y 1 +X 2\"; must be -Y HEIGHT +X WIDTH");
  EXPECT_EQ(error(kHead + "\n-Y 0 +X 2\n"), "2 x 0 pixels; allowed: 1 to 134217728 in all");
  EXPECT_EQ(error(kHead + "\n-Y 4294967296 +X 4294967296\n"), "4294967296 x 4294967296 pixels; allowed: 1 to 134217728 in all");
  EXPECT_EQ(error(kHead + "\n-Y 99999999999999999999 +X 2\n"), "the size is \"-Y 99999999999999999999 +X 2\"; must be -Y HEIGHT +X WIDTH");
  EXPECT_EQ(error(kHead + two + rgbe(1, 2, 3, 4) + "abc"), "the file ends within its pixels");
  EXPECT_EQ(error(kHead + two + rgbe(1, 1, 1, 4)), "row 0 is damaged") << "repeats what is not there";
  EXPECT_EQ(error(kHead + two + rgbe(9, 1, 1, 4) + rgbe(1, 1, 1, 9)), "row 0 is damaged") << "beyond the row's end";
  EXPECT_EQ(error(kHead + "\n-Y 1 +X 8\n" + rgbe(2, 2, 0, 9)), "row 0 says it has another width");
  EXPECT_EQ(error(kHead + "\n-Y 1 +X 8\n" + rgbe(2, 2, 0, 8) + "\x8a\x01"), "row 0 is damaged");
  EXPECT_EQ(error(kHead + "\n-Y 1 +X 8\n" + rgbe(2, 2, 0, 8) + std::string(4, '\0')), "row 0 is damaged");
}

TEST(HdrImageErrors, FilesCutShortOrChangedAnywhereAreToldOrRead) {
  const TempFolder folder;
  write_exr(folder / "a.exr", lit_sphere(16, 8), ExrLayers::kLight);
  std::string packed = kHead + "\n-Y 2 +X 8\n";
  for (int i = 0; i < 2; ++i) packed += rgbe(2, 2, 0, 8) + "\x88\x80\x88\x80\x84\x40\x04\x01\x02\x03\x04\x88\x81";
  for (const std::string& whole : {read_bytes(folder / "a.exr"), packed})
    for (std::size_t i = 0; i < whole.size(); i += 1 + whole.size() / 150) {
      write_bytes(folder / "b", whole.substr(0, i));
      EXPECT_NE(error_of(folder / "b"), "no error") << i;
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ 0x5a);
      write_bytes(folder / "b", changed);
      error_of(folder / "b");
    }
}

}  // namespace
}  // namespace firn
