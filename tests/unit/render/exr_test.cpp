#include <Imath/half.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <gtest/gtest.h>

#include <set>

#include "../io/temp_folder.h"
#include "firn/error.h"
#include "lit_sphere.h"
#include "render/path/picture.h"

namespace firn {
namespace {

using namespace test;

constexpr int kWidth = 33, kHeight = 21;

std::vector<float> channel(const std::string& path, const char* name) {
  Imf::InputFile file(path.c_str());
  std::vector<float> values(kWidth * kHeight, -1);
  Imf::FrameBuffer buffer;
  buffer.insert(name, Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(values.data()), sizeof(float), sizeof(float) * kWidth));
  file.setFrameBuffer(buffer);
  file.readPixels(0, kHeight - 1);
  return values;
}

std::set<std::string> channel_names(const std::string& path) {
  const Imf::InputFile file(path.c_str());
  std::set<std::string> names;
  for (auto c = file.header().channels().begin(); c != file.header().channels().end(); ++c) names.insert(c.name());
  return names;
}

TEST(Exr, LightComesBackToHalfPrecision) {
  const TempFolder folder;
  TracedPicture picture = noisy(lit_sphere(kWidth, kHeight), 4);
  picture.light[0] = {1e-5f, 300, 65504};
  write_exr(folder / "a.exr", picture, ExrLayers::kLight);
  EXPECT_EQ(channel_names(folder / "a.exr"), (std::set<std::string>{"R", "G", "B"}));
  const char* names[] = {"R", "G", "B"};
  for (int c = 0; c < 3; ++c) {
    const std::vector<float> values = channel(folder / "a.exr", names[c]);
    for (std::size_t p = 0; p < values.size(); ++p) EXPECT_EQ(values[p], static_cast<float>(half(picture.light[p][c]))) << p;
  }
}

TEST(Exr, FeaturesAreLayersOfTheirOwn) {
  const TempFolder folder;
  const TracedPicture picture = lit_sphere(kWidth, kHeight);
  write_exr(folder / "a.exr", picture, ExrLayers::kAllFeatures);
  EXPECT_EQ(channel_names(folder / "a.exr"),
            (std::set<std::string>{"R", "G", "B", "albedo.R", "albedo.G", "albedo.B", "normal.X", "normal.Y", "normal.Z", "Z"}));
  EXPECT_EQ(channel(folder / "a.exr", "Z"), picture.depth);
  const std::size_t p = picture.at(kWidth / 2, kHeight / 2);
  EXPECT_NEAR(channel(folder / "a.exr", "normal.Z")[p], picture.normal[p][2], 1e-3);
  EXPECT_NEAR(channel(folder / "a.exr", "albedo.G")[p], picture.albedo[p][1], 1e-3);
}

TEST(Exr, LightBeyondHalvesIsTheirGreatestAndNotInfinite) {
  const TempFolder folder;
  TracedPicture picture = lit_sphere(kWidth, kHeight);
  picture.light[7] = {1e9f, 1, 1};
  write_exr(folder / "a.exr", picture, ExrLayers::kLight);
  EXPECT_EQ(channel(folder / "a.exr", "R")[7], 65504);
}

TEST(Exr, SamePictureGivesSameBytesAndNamesNobody) {
  const TempFolder folder;
  const TracedPicture picture = lit_sphere(kWidth, kHeight);
  write_exr(folder / "a.exr", picture, ExrLayers::kAllFeatures);
  write_exr(folder / "b.exr", picture, ExrLayers::kAllFeatures);
  EXPECT_EQ(read_bytes(folder / "a.exr"), read_bytes(folder / "b.exr"));
  EXPECT_EQ(folder.count(), 2u) << "nothing else is left behind";
  const Imf::InputFile file((folder / "a.exr").c_str());
  const std::set<std::string> plain{"channels",  "compression",      "dataWindow",         "displayWindow",
                                    "lineOrder", "pixelAspectRatio", "screenWindowCenter", "screenWindowWidth"};
  for (auto a = file.header().begin(); a != file.header().end(); ++a) EXPECT_TRUE(plain.contains(a.name())) << a.name();
}

TEST(Exr, FolderThatIsNotThereIsTold) {
  const TempFolder folder;
  EXPECT_THROW(write_exr(folder / "no/a.exr", lit_sphere(kWidth, kHeight), ExrLayers::kLight), RunError);
}

}  // namespace
}  // namespace firn
