// A finished picture, 8-bit sRGB, row by row from the top; many of them at a glance.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "render/shared/vector.h"

namespace firn {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // 3 bytes a pixel
};

// What a picture shows of the light of a scene: from any amount to 0…1, still linear.
using ToneCurve = std::function<Colour(const Colour&)>;

// Leaves the dark and middle tones as they are and rolls the brightest off, so that sunlit snow keeps its form instead of
// clipping to plain white.
Colour rolled_off(const Colour& light);

// Linear light of `factor` × `factor` samples a pixel, averaged, tone mapped and encoded. `light` is row by row.
Image develop(const std::vector<Colour>& light, int width, int height, int factor, const ToneCurve& tone);

// Under a temporary name, then renamed. Throws RunError.
void write_png(const std::string& path, const Image& image);

// Many pictures at a glance.

// The pictures, all of one size, row by row in a grid with thin gaps between them. They are scaled down where the sheet would be wider
// than `widest`. Cells that are left over show the colour of the gaps. Fewer pictures than columns make one shorter row.
inline constexpr int kSheetWidth = 1920;
Image contact_sheet(const std::vector<Image>& pictures, int columns, int widest = kSheetWidth);

}  // namespace firn
