// The camera and the sun that a scene asks for in [render].
#pragma once

#include "firn/scene.h"
#include "render/camera.h"

namespace firn {

// At `time` (s). `fitted` found its place by itself (fit_camera): its view units stay, and it stands for whatever [render] does not say. 2D
// pictures are taken from the front, wherever the camera is said to be. Throws UserError when the way of the camera crosses that of its
// target.
Camera scene_camera(const RenderSettings& settings, double time, const Camera& fitted);

}  // namespace firn
