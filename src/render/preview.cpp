#include "render/preview.h"

#include "render/flat.h"
#include "render/grains.h"
#include "render/look.h"
#include "render/painter.h"

namespace firn {
namespace {

constexpr int kSamples = 2;  // across a pixel and down: smooth edges

std::vector<Colour> paint_solid(const SnowSpheres& snow, const Scenery* scenery, const Camera& camera, double time,
                                const Projection& projection) {
  Stage stage(scenery, camera, time);
  stage.open_to(camera);
  return Painter(snow, stage, projection, camera.sun).paint(kSamples);
}

}  // namespace

Image render_preview(const Frame& frame, const Scenery* scenery, const Camera& camera, const Shot& shot,
                     const std::vector<Colour>& colours) {
  const Projection projection = projection_of(camera, kSamples * shot.width, kSamples * shot.height);
  const SnowSpheres snow = make_spheres(frame, camera, typical_volume(frame, scenery), colours);
  const auto paint = camera.orthographic() ? paint_flat : paint_solid;
  return develop(paint(snow, scenery, camera, shot.time, projection), shot.width, shot.height, kSamples, rolled_off);
}

}  // namespace firn
