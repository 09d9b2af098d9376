// Pictures read back from their files.
#pragma once

#include <gtest/gtest.h>
#include <png.h>

#include <string>
#include <vector>

#include "render/shared/image.h"

namespace firn::test {

inline Image read_png(const std::string& path) {
  png_image info{};
  info.version = PNG_IMAGE_VERSION;
  EXPECT_TRUE(png_image_begin_read_from_file(&info, path.c_str())) << info.message;
  info.format = PNG_FORMAT_RGB;
  Image image{static_cast<int>(info.width), static_cast<int>(info.height), std::vector<std::uint8_t>(PNG_IMAGE_SIZE(info))};
  EXPECT_TRUE(png_image_finish_read(&info, nullptr, image.rgb.data(), 0, nullptr)) << info.message;
  return image;
}

}  // namespace firn::test
