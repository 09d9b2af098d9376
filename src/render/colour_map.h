// Colours that stand for numbers. Even steps of a number are even steps to the eye: the maps are lines between anchors in Oklab
// (Ottosson 2020), with a lightness that changes evenly.
#pragma once

#include <cstddef>

#include "render/vector.h"

namespace firn {

// All maps take 0 to 1; beyond it the colours of the ends stay. Colours are linear light within 0 to 1.
using ColourMap = Colour (*)(float);

// Dark to bright: violet, red, yellow.
Colour ember(float t);
// Dark to bright: blue, green, yellow.
Colour lagoon(float t);
// Red, white in the middle, blue; darker towards both ends.
Colour red_to_blue(float t);

// For the n-th of a few things: hues far apart. More than kHues of them repeat, darker each time.
inline constexpr std::size_t kHues = 8;
Colour distinct(std::size_t n);

}  // namespace firn
