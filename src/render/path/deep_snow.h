// The colour of deep snow, whose light has been scattered many times: what it comes to, and what it takes.
#pragma once

#include <cmath>

#include "render/path/lights.h"

namespace firn {

// What van de Hulst (1980) found for half-infinite media in even light: R = (1 - s)(1 - a s) / (1 + b s), s² = (1 - albedo) / (1 - g
// albedo).
inline constexpr float kHulstA = 0.139f, kHulstB = 1.17f;

// The part of light that deep snow throws back.
inline float deep_reflectance(float albedo, float g) {
  const float s = std::sqrt((1 - albedo) / (1 - g * albedo));
  return (1 - s) * (1 - kHulstA * s) / (1 + kHulstB * s);
}

// The part of light that is left after one scattering when deep snow throws back the part `reflectance` of it: the formula above the other
// way round, like Kulla and Conty (2017). An albedo that were the reflectance itself would make snow far too dark.
inline float single_scattering_albedo(float reflectance, float g) {
  const float b = 1 + kHulstA + kHulstB * reflectance;
  const float s = (b - std::sqrt(b * b - 4 * kHulstA * (1 - reflectance))) / (2 * kHulstA);
  return (1 - s * s) / (1 - g * s * s);
}
inline Colour single_scattering_albedo(const Colour& reflectance, float g) {
  Colour albedo;
  for (int c = 0; c < 3; ++c) albedo[c] = single_scattering_albedo(reflectance[c], g);
  return albedo;
}

// The albedo with which deep snow throws back as much of every colour as of the one it throws back most of: all of the way (part 1), not at
// all (0: the albedo as it is) or in between. In white light the paper's snow is blue, and far bluer than real snow.
inline Colour white_balanced(const Colour& albedo, float g, float part) {
  constexpr float kDarkest = 0.02f;  // what snow blacker than that looks like is no matter of balance
  Colour deep;
  for (int c = 0; c < 3; ++c) deep[c] = deep_reflectance(albedo[c], g);
  const float most = max(deep[0], max(deep[1], deep[2]));
  Colour balanced = albedo;
  for (int c = 0; c < 3; ++c)
    if (part > 0 && kDarkest < deep[c] && deep[c] < most)
      balanced[c] = single_scattering_albedo(deep[c] * std::pow(most / deep[c], part), g);
  return balanced;
}

// A usual day without a hue; `sun`: towards it.
inline Daylight white_daylight(const Float3& sun) {
  Daylight light;
  light.sun = sun;
  for (Colour* colour : {&light.sunlight, &light.zenith, &light.horizon, &light.below}) *colour = Colour::filled(luminance(*colour));
  return light;
}

}  // namespace firn
