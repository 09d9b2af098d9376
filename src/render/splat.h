// Spheres drawn into a depth map, pixel by pixel.
#pragma once

#include <cstdint>
#include <vector>

#include "render/camera.h"

namespace firn {

inline constexpr float kFarAway = 1e30f;  // depth where nothing was drawn

struct DepthMap {
  int width = 0, height = 0;
  std::vector<float> depth;          // of the nearest surface, view units
  std::vector<std::uint32_t> index;  // of the sphere it belongs to

  std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * width + x; }
};

// The result does not depend on the number of threads; of equally near spheres the first counts.
DepthMap splat(const std::vector<Sphere>& spheres, const Projection& projection);

}  // namespace firn
