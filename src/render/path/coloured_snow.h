// What it takes that snow of a wanted colour is seen in that colour.
#pragma once

#include <cmath>

#include "render/path/daylight.h"

namespace firn {

// The part of light that is left after one scattering when deep snow throws back the part `reflectance` of it. Light that comes out has
// been scattered many times, so an albedo that were the reflectance itself would be far too dark. Inverts what van de Hulst (1980) found
// for half-infinite media in even light, R = (1 - s)(1 - 0.139 s) / (1 + 1.17 s) with s² = (1 - albedo) / (1 - g albedo), like Kulla and
// Conty (2017).
inline float single_scattering_albedo(float reflectance, float g) {
  constexpr float kA = 0.139f, kB = 1.17f;
  const float b = 1 + kA + kB * reflectance;
  const float s = (b - std::sqrt(b * b - 4 * kA * (1 - reflectance))) / (2 * kA);
  return (1 - s * s) / (1 - g * s * s);
}
inline Colour single_scattering_albedo(const Colour& reflectance, float g) {
  Colour albedo;
  for (int c = 0; c < 3; ++c) albedo[c] = single_scattering_albedo(reflectance[c], g);
  return albedo;
}

// A usual day without a hue; `sun`: towards it. Half as bright: of the usual daylight, snow of the paper's albedo throws back about half,
// while the colours of a map are as bright as they are to be seen.
inline Daylight white_daylight(const Float3& sun) {
  constexpr float kBrightness = 0.5f;
  Daylight light;
  light.sun = sun;
  for (Colour* colour : {&light.sunlight, &light.zenith, &light.horizon, &light.below})
    *colour = Colour::filled(kBrightness * luminance(*colour));
  return light;
}

}  // namespace firn
