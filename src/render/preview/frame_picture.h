// A quick picture of one frame, in space or on paper; apart because films are another matter.
#pragma once

#include <vector>

#include "firn/frame.h"
#include "render/shared/camera.h"
#include "render/shared/grains.h"
#include "render/shared/image.h"
#include "render/shared/stage.h"
#include "render/shared/tint.h"

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

// Pictures of 2D scenes: snow and bodies as seen on paper.

// Linear light of every sample, row by row.
std::vector<Colour> paint_flat(const SnowSpheres& snow, const Scenery* scenery, const Camera& camera, double time,
                               const Projection& projection);

// 1, 2 or 5 times a power of ten, at least `least`, which is above 0.
double round_step(double least);

// Where and when: what a picture of a 2D run says of it at its edges.

// Ticks with metres along the left and the lower edge, and the time, s, in the upper right corner; for orthographic cameras. A picture that
// is too small for them is left alone. Returns what is taken of its edges.
Inset draw_axes(const Camera& camera, double time, Image& image);

}  // namespace firn
