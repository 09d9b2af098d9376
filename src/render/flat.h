// Pictures of 2D scenes: snow and bodies as seen on paper.
#pragma once

#include <vector>

#include "render/camera.h"
#include "render/grains.h"
#include "render/scenery.h"

namespace firn {

// Linear light of every sample, row by row.
std::vector<Colour> paint_flat(const SnowSpheres& snow, const Scenery* scenery, const Camera& camera, double time,
                               const Projection& projection);

}  // namespace firn
