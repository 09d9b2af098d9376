#include "render/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace firn {
namespace {

// L, a and b: lightness, towards red from green, towards yellow from blue.
using Oklab = Vec<float, 3>;
template <std::size_t N>
using Anchors = std::array<Oklab, N>;

constexpr Anchors<5> kEmber{
    {{0.41f, 0.053f, -0.172f}, {0.535f, 0.173f, -0.135f}, {0.66f, 0.181f, 0.059f}, {0.79f, 0.070f, 0.132f}, {0.92f, -0.019f, 0.108f}}};
constexpr Anchors<5> kLagoon{
    {{0.43f, -0.009f, -0.130f}, {0.555f, -0.061f, -0.098f}, {0.68f, -0.108f, -0.023f}, {0.80f, -0.130f, 0.075f}, {0.92f, -0.046f, 0.143f}}};
constexpr Anchors<5> kRedToBlue{
    {{0.50f, 0.147f, 0.085f}, {0.73f, 0.087f, 0.111f}, {0.96f, 0, 0}, {0.71f, -0.041f, -0.111f}, {0.46f, -0.022f, -0.157f}}};
// Neighbours in the list, which are what most scenes have, differ most.
constexpr Anchors<kHues> kDistinct{{{0.72f, 0.086f, 0.123f},    // orange
                                    {0.62f, -0.048f, -0.132f},  // blue
                                    {0.72f, -0.130f, 0.075f},   // green
                                    {0.62f, 0.197f, 0.035f},    // crimson
                                    {0.86f, -0.022f, 0.158f},   // yellow
                                    {0.55f, 0.100f, -0.173f},   // violet
                                    {0.78f, -0.091f, -0.042f},  // turquoise
                                    {0.55f, 0.040f, 0.069f}}};  // brown

// Ottosson 2020, "A perceptual color space for image processing".
Colour to_linear(const Oklab& c) {
  const auto cube = [](float x) { return x * x * x; };
  const float l = cube(c[0] + 0.3963377774f * c[1] + 0.2158037573f * c[2]);
  const float m = cube(c[0] - 0.1055613458f * c[1] - 0.0638541728f * c[2]);
  const float s = cube(c[0] - 0.0894841775f * c[1] - 1.2914855480f * c[2]);
  const Colour rgb{4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s, -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
                   -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s};
  return {clamp(rgb[0], 0.0f, 1.0f), clamp(rgb[1], 0.0f, 1.0f), clamp(rgb[2], 0.0f, 1.0f)};
}

template <std::size_t N>
Colour between(const Anchors<N>& anchors, float t) {
  const float x = clamp(t, 0.0f, 1.0f) * static_cast<float>(N - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(x), N - 2);
  return to_linear(mix(anchors[i], anchors[i + 1], x - static_cast<float>(i)));
}

}  // namespace

Colour ember(float t) { return between(kEmber, t); }
Colour lagoon(float t) { return between(kLagoon, t); }
Colour red_to_blue(float t) { return between(kRedToBlue, t); }

Colour distinct(std::size_t n) {
  constexpr float kDarker = 0.8f;  // each time around
  return to_linear(std::pow(kDarker, static_cast<float>(n / kHues)) * kDistinct[n % kHues]);
}

}  // namespace firn
