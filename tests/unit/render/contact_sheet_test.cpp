#include <gtest/gtest.h>

#include <stdexcept>

#include "render/shared/image.h"
#include "scenes.h"

namespace firn {
namespace {

using namespace test;

constexpr int kGap = 4;
constexpr int kGapGrey = 64;

Image plain(int width, int height, std::uint8_t grey) {
  return {width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height * 3, grey)};
}

std::vector<Image> plain_pictures(int count, int width, int height) {
  std::vector<Image> pictures;
  for (int i = 0; i < count; ++i) pictures.push_back(plain(width, height, static_cast<std::uint8_t>(100 + 10 * i)));
  return pictures;
}

TEST(ContactSheet, PicturesStandRowByRowWithGapsBetween) {
  const Image sheet = contact_sheet(plain_pictures(5, 40, 30), 3);
  EXPECT_EQ(sheet.width, 3 * 40 + 2 * kGap);
  EXPECT_EQ(sheet.height, 2 * 30 + kGap);
  EXPECT_EQ(pixel_at(sheet, 0, 0).g, 100);
  EXPECT_EQ(pixel_at(sheet, 39, 29).g, 100);
  EXPECT_EQ(pixel_at(sheet, 40, 0).g, kGapGrey);
  EXPECT_EQ(pixel_at(sheet, 44, 0).g, 110);
  EXPECT_EQ(pixel_at(sheet, 127, 29).g, 120);
  EXPECT_EQ(pixel_at(sheet, 0, 34).g, 130);
  EXPECT_EQ(pixel_at(sheet, 127, 63).g, kGapGrey) << "the sixth place is empty";
}

TEST(ContactSheet, FewerPicturesThanColumnsMakeAShorterRow) {
  const Image sheet = contact_sheet(plain_pictures(2, 40, 30), 6);
  EXPECT_EQ(sheet.width, 2 * 40 + kGap);
  EXPECT_EQ(sheet.height, 30);
}

TEST(ContactSheet, OnePictureIsItself) {
  Image picture = plain(7, 5, 9);
  picture.rgb[13] = 200;
  EXPECT_EQ(contact_sheet({picture}, 1).rgb, picture.rgb);
}

TEST(ContactSheet, IsNeverWiderThanItsLimit) {
  for (const int columns : {1, 2, 3, 7}) {
    const Image sheet = contact_sheet(plain_pictures(8, 1921, 1080), columns);
    EXPECT_LE(sheet.width, kSheetWidth);
    EXPECT_GT(sheet.width, kSheetWidth - columns);
    EXPECT_EQ(pixel_at(sheet, 0, 0).g, 100) << "a mean of equal pixels is that pixel";
    EXPECT_EQ(pixel_at(sheet, sheet.width - 1, 0).g, 100 + 10 * (columns - 1));
  }
}

TEST(ContactSheet, ScalingDownAveragesLight) {
  Image stripes = plain(2 * kSheetWidth, 4, 0);
  for (std::size_t i = 0; i < stripes.rgb.size(); i += 6) stripes.rgb[i] = stripes.rgb[i + 1] = stripes.rgb[i + 2] = 255;
  const Image sheet = contact_sheet({stripes}, 1);
  EXPECT_EQ(sheet.width, kSheetWidth);
  EXPECT_EQ(sheet.height, 2);
  for (const int x : {0, 1, 700, kSheetWidth - 1}) EXPECT_EQ(pixel_at(sheet, x, 1).g, 188) << "half of the light of white";
}

TEST(ContactSheet, PicturesOfDifferentSizesAreRefused) {
  EXPECT_THROW(contact_sheet({plain(4, 4, 0), plain(4, 5, 0)}, 2), std::invalid_argument);
  EXPECT_THROW(contact_sheet({}, 2), std::invalid_argument);
}

}  // namespace
}  // namespace firn
