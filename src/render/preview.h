// A quick picture of one frame.
#pragma once

#include "firn/frame.h"
#include "firn/scene.h"
#include "render/camera.h"
#include "render/image.h"

namespace firn {

// When and how large.
struct Shot {
  double time = 0;  // s; where moving bodies are
  int width = 960;
  int height = 540;
};

// `scene`: its bodies are drawn; may be null. The picture does not depend on the number of threads.
Image render_preview(const Frame& frame, const Scene* scene, const Camera& camera, const Shot& shot);

}  // namespace firn
