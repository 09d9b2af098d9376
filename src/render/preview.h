// A quick picture of one frame.
#pragma once

#include "firn/frame.h"
#include "render/camera.h"
#include "render/image.h"
#include "render/scenery.h"

namespace firn {

// When and how large.
struct Shot {
  double time = 0;  // s; where moving bodies are
  int width = 960;
  int height = 540;
};

// `scenery`: its bodies are drawn; may be null. `colours` of all particles; empty: those of snow. The picture does not depend on the number
// of threads.
Image render_preview(const Frame& frame, const Scenery* scenery, const Camera& camera, const Shot& shot,
                     const std::vector<Colour>& colours = {});

}  // namespace firn
