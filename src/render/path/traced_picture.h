// What the path tracer makes of a frame: light before it is developed, and what a denoiser wants to know about every pixel.
#pragma once

#include <vector>

#include "render/vector.h"

namespace firn {

// Row by row from the top, width · height of each.
struct TracedPicture {
  int width = 0, height = 0;
  std::vector<Colour> light;     // linear, the mean of the samples; sunlit snow is about 1
  std::vector<Colour> variance;  // of that mean
  // Of what is seen first, means over the samples:
  std::vector<Colour> albedo;  // 1 for the sky
  std::vector<Float3> normal;  // shorter than 1 where the samples differ, zero for the sky
  std::vector<float> depth;    // view units; 0 for the sky
  // Of two of these means, as the samples tell: where a pixel shows several things, what it shows of each is a matter of chance. May be
  // empty.
  std::vector<float> albedo_variance;  // of the three channels together
  std::vector<float> depth_variance;

  std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * width + x; }
};

}  // namespace firn
