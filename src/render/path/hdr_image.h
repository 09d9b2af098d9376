// Pictures of light that has no upper end: OpenEXR and Radiance (.hdr) files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "render/vector.h"

namespace firn {

struct HdrImage {
  int width = 0, height = 0;
  std::vector<Colour> pixels;  // row by row from the top, linear, with the primaries of sRGB

  std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * width + x; }
};

// What kind of file it is, its bytes say. Negative numbers, which programs leave when they resample pictures, become 0. Throws UserError
// with what is wrong: a damaged file, another kind of file, other primaries, more pixels than kMostHdrPixels, numbers that are infinite or
// none.
HdrImage read_hdr_image(const std::string& path);

inline constexpr std::size_t kMostHdrPixels = std::size_t{1} << 27;  // 16384 × 8192, the largest skies there are

// What is wrong is a std::runtime_error that does not name the file.
void check_hdr_size(long long width, long long height);
inline constexpr const char* kOtherPrimaries = "its primaries are not those of sRGB, convert it to linear sRGB";
// Of the bytes of a file.
bool is_radiance(std::string_view bytes);
HdrImage parse_radiance(std::string_view bytes);

}  // namespace firn
