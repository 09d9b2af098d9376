// What the path tracer makes of a frame: light, what a denoiser wants to know, and how it becomes a picture or an OpenEXR file.
#pragma once

#include <string>
#include <vector>

#include "render/shared/image.h"
#include "render/shared/vector.h"

namespace firn {

// What the path tracer makes of a frame: light before it is developed, and what a denoiser wants to know about every pixel.

// Row by row from the top, width · height of each.
struct TracedPicture {
  int width = 0, height = 0;
  std::vector<Colour> light;     // linear, the mean of the samples; sunlit snow is about 1
  std::vector<Colour> variance;  // of that mean
  // What is seen first, means over the samples:
  std::vector<Colour> albedo;  // 1 for the sky
  std::vector<Float3> normal;  // shorter than 1 where the samples differ, zero for the sky
  std::vector<float> depth;    // view units; 0 for the sky
  // Variances of two of these means, as the samples tell: where a pixel shows several things, what it shows of each is a matter of chance.
  // May be empty.
  std::vector<float> albedo_variance;  // of the three channels together
  std::vector<float> depth_variance;

  std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * width + x; }
};

// How traced light becomes a picture: exposure and tone curves for develop() (render/shared/image.h).

// As film shows light: a toe that deepens the dark, middle grey (0.18) and the tones about it as they are, a shoulder on which sunlit
// snow (1) is just under white and what is brighter still has form. Hues stay; only the brightest colours bleach.
Colour filmic(const Colour& light);

// The light as it is, as far as a picture can show it: sRGB without a look.
Colour clipped(const Colour& light);

// The same curve for light that is doubled with each stop.
ToneCurve exposed(double stops, ToneCurve tone);

// Traced pictures as OpenEXR files, for programs that develop or composite them.

enum class ExrLayers {
  kLight,        // R G B
  kAllFeatures,  // and albedo.R G B, normal.X Y Z, Z: what is seen first
};

// Linear light with the primaries of sRGB as halves (11 bits, up to 65504: brighter light is written as that), depth Z as floats (view
// units; 0: sky), ZIP compression. The same picture gives the same bytes: no date, owner or program is named. Written under a temporary
// name, then renamed. Throws RunError.
void write_exr(const std::string& path, const TracedPicture& picture, ExrLayers layers);

}  // namespace firn
