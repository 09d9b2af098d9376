// Short vectors in the pictures' own units and colours as linear light, with the way to sRGB and back.
#pragma once

#include <cmath>
#include <cstdint>

#include "math/vec.h"

namespace firn {

using Float3 = Vec<float, 3>;
using Colour = Vec<float, 3>;

struct Ray {
  Float3 origin;
  Float3 direction;  // of length 1
};

struct Sphere {
  Float3 center;
  float radius;
};

inline float mix(float a, float b, float t) { return a + (b - a) * t; }
inline Float3 mix(const Float3& a, const Float3& b, float t) { return a + t * (b - a); }
inline Float3 multiply(const Float3& a, const Float3& b) { return {a[0] * b[0], a[1] * b[1], a[2] * b[2]}; }

// Rec. 709.
inline float luminance(const Colour& c) { return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2]; }

inline float smoothstep(float lo, float hi, float x) {
  const float t = clamp((x - lo) / (hi - lo), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

inline Float3 to_float(const Vec<double, 3>& v) { return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])}; }

// v with length 1; zero stays zero.
inline Float3 normalized(const Float3& v) {
  const float length = norm(v);
  return length > 0 ? (1 / length) * v : v;
}

// Two directions across n, without the seam a fixed "up" would have (Duff et al. 2017).
struct Tangents {
  Float3 s, t;
};
inline Tangents tangents_of(const Float3& n) {
  const float sign = std::copysign(1.0f, n[2]);
  const float a = -1 / (sign + n[2]);
  const float b = n[0] * n[1] * a;
  return {{1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]}, {b, sign + n[1] * n[1] * a, -n[1]}};
}

// Between linear light and the numbers of sRGB pictures (IEC 61966-2-1), both from 0 to 1, and their 8 bits.

inline float encode_srgb(float light) { return light <= 0.0031308f ? 12.92f * light : 1.055f * std::pow(light, 1 / 2.4f) - 0.055f; }
inline float decode_srgb(float code) { return code <= 0.04045f ? code / 12.92f : std::pow((code + 0.055f) / 1.055f, 2.4f); }

// Light outside of 0 to 1 becomes black or white.
inline std::uint8_t to_byte(float light) { return static_cast<std::uint8_t>(std::lround(255 * clamp(encode_srgb(light), 0.0f, 1.0f))); }
inline float from_byte(std::uint8_t byte) { return decode_srgb(static_cast<float>(byte) / 255); }

}  // namespace firn
