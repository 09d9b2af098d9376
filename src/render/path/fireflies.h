// Pixels in which one sample outshines all others: paths that found the light by a rare way.
#pragma once

#include <vector>

#include "render/path/guides.h"

namespace firn {

struct NoisyLight {
  std::vector<Colour> mean;
  std::vector<Colour> variance;  // of that mean
};

// Dimmed to what their surroundings show. No mean over a neighbourhood would be wide enough to hide them.
NoisyLight without_fireflies(const NoisyLight& light, const Guides& guides);

// Of the luminance; the channels of a path are bright and dark together, so their deviations add up.
inline float luminance_variance(const Colour& v) {
  const float deviation = luminance({sqrt(v[0]), sqrt(v[1]), sqrt(v[2])});
  return deviation * deviation;
}

}  // namespace firn
