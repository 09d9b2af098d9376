#include "render/path/develop.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace firn {
namespace {

constexpr float kMiddleGrey = 0.18f;

// Below middle grey. Value, slope and curvature meet those of the straight line there.
float toe(float x) {
  constexpr float kDepth = 0.4f;  // how much darker the darkest tones get
  const float r = 1 - x / kMiddleGrey;
  return x * (1 - kDepth * r * r * r);
}

// Above middle grey: leaves the straight line with the fourth power, so that nothing is seen of where it begins, and never reaches 1.
float shoulder(float x) {
  constexpr float kRoom = 1 - kMiddleGrey;
  const float u = (x - kMiddleGrey) / kRoom;
  const float v = 1 / u;  // the same formula in 1/u where powers of u would overflow
  const float bent = u < 1 ? u / std::sqrt(std::sqrt(1 + u * u * u * u)) : 1 / std::sqrt(std::sqrt(1 + v * v * v * v));
  return kMiddleGrey + kRoom * bent;
}

float film_curve(float x) { return x < kMiddleGrey ? toe(x) : shoulder(x); }

}  // namespace

// A curve for each channel bends hues towards the primaries; one for all, led by the brightest, keeps them but leaves bright colours
// garish. Film lies between.
Colour filmic(const Colour& light) {
  constexpr float kBleach = 0.4f;
  Colour positive;
  for (int c = 0; c < 3; ++c) positive[c] = std::max(light[c], 0.0f);
  const float peak = std::max({positive[0], positive[1], positive[2]});
  if (peak == 0) return positive;
  const float scale = film_curve(peak) / peak;
  Colour shown;
  for (int c = 0; c < 3; ++c) shown[c] = mix(scale * positive[c], film_curve(positive[c]), kBleach);
  return shown;
}

Colour clipped(const Colour& light) {
  Colour shown;
  for (int c = 0; c < 3; ++c) shown[c] = clamp(light[c], 0.0f, 1.0f);
  return shown;
}

ToneCurve exposed(double stops, ToneCurve tone) {
  return [gain = static_cast<float>(std::exp2(stops)), tone = std::move(tone)](const Colour& light) { return tone(gain * light); };
}

}  // namespace firn
