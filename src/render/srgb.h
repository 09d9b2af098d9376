// Between linear light and the numbers of sRGB pictures (IEC 61966-2-1), both from 0 to 1, and their 8 bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "math/vec.h"

namespace firn {

inline float encode_srgb(float light) { return light <= 0.0031308f ? 12.92f * light : 1.055f * std::pow(light, 1 / 2.4f) - 0.055f; }
inline float decode_srgb(float code) { return code <= 0.04045f ? code / 12.92f : std::pow((code + 0.055f) / 1.055f, 2.4f); }

// Light outside of 0 to 1 becomes black or white.
inline std::uint8_t to_byte(float light) { return static_cast<std::uint8_t>(std::lround(255 * clamp(encode_srgb(light), 0.0f, 1.0f))); }
inline float from_byte(std::uint8_t byte) { return decode_srgb(static_cast<float>(byte) / 255); }

}  // namespace firn
