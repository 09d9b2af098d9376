// Where and when: what a picture of a 2D run says of it at its edges.
#pragma once

#include "render/camera.h"
#include "render/image.h"
#include "render/legend.h"

namespace firn {

// Ticks with metres along the left and the lower edge, and the time, s, in the upper right corner; for orthographic cameras. A picture that
// is too small for them is left alone. Returns what is taken of its edges.
Inset draw_axes(const Camera& camera, double time, Image& image);

}  // namespace firn
