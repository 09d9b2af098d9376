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

// What light from snow is multiplied by, white light keeping its luminance, so that light of many scatterings looks white: all of the way
// (part 1), not at all (0) or in between. In white light the paper's snow is blue.
inline Colour white_balance(const Colour& albedo, float g, float part) {
  constexpr float kDarkest = 0.02f;  // what snow blacker than that looks like is no matter of balance
  Colour balance;
  for (int c = 0; c < 3; ++c) balance[c] = std::pow(max(deep_reflectance(albedo[c], g), kDarkest), -part);
  return (1 / luminance(balance)) * balance;
}

// The same of light with few scatterings, in loose snow: the hue that is left to deep snow. Light of the sun alone is warm, and beside snow
// that is a little blue, spray in it would look like straw.
inline Colour thin_balance(const Colour& albedo, float g, float part) {
  const Colour balance = white_balance(albedo, g, part);
  Colour thin;
  for (int c = 0; c < 3; ++c) thin[c] = std::pow(max(balance[c] * deep_reflectance(albedo[c], g), 1e-3f), part);
  return (1 / luminance(thin)) * thin;
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
