// Which way light goes on in snow: the phase function of Henyey and Greenstein (1941).
#pragma once

#include <cmath>
#include <numbers>

#include "render/vector.h"

namespace firn {

// Per steradian; `cosine` of the angle between the ways before and after.
inline float henyey_greenstein(float cosine, float g) {
  const float d = 1 + g * g - 2 * g * cosine;
  return (1 - g * g) / (4 * std::numbers::pi_v<float> * d * std::sqrt(d));
}

// A direction of length 1 whose cosine to `axis` is `cosine`; `turn` in [0, 1) goes around it.
inline Float3 direction_about(const Float3& axis, float cosine, float turn) {
  const float sine = std::sqrt(max(0.0f, 1 - cosine * cosine)), angle = 2 * std::numbers::pi_v<float> * turn;
  const Tangents t = tangents_of(axis);
  return normalized(cosine * axis + sine * std::cos(angle) * t.s + sine * std::sin(angle) * t.t);
}

// The way after `direction`, distributed like the phase function; u and v uniform in [0, 1).
inline Float3 scatter(const Float3& direction, float g, float u, float v) {
  if (std::abs(g) < 1e-3f) return direction_about(direction, 1 - 2 * u, v);  // all ways alike; the formula divides by g
  const float s = (1 - g * g) / (1 - g + 2 * g * u);
  return direction_about(direction, clamp((1 + g * g - s * s) / (2 * g), -1.0f, 1.0f), v);
}

}  // namespace firn
