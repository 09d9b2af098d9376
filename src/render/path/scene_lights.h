// The lights that a scene asks for in [render].
#pragma once

#include <optional>

#include "firn/scene.h"
#include "render/camera.h"
#include "render/path/lights.h"

namespace firn {

// The picture of the sky, which serves all pictures of a film. Throws UserError at its key.
std::optional<SkyImage> scene_sky(const RenderSettings& settings);

// In the camera's units. `sky` is not copied; null: there is none.
Lights scene_lights(const RenderSettings& settings, const Camera& camera, const SkyImage* sky);

}  // namespace firn
