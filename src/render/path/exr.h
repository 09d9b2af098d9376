// Traced pictures as OpenEXR files, for programs that develop or composite them.
#pragma once

#include <string>

#include "render/path/traced_picture.h"

namespace firn {

enum class ExrLayers {
  kLight,        // R G B
  kAllFeatures,  // and albedo.R G B, normal.X Y Z, Z: what is seen first
};

// Linear light with the primaries of sRGB as halves (11 bits, up to 65504: brighter light is written as that), depth Z as floats (view
// units; 0: sky), ZIP compression. The same picture gives the same bytes: no date, owner or program is named. Written under a temporary
// name, then renamed. Throws RunError.
void write_exr(const std::string& path, const TracedPicture& picture, ExrLayers layers);

}  // namespace firn
