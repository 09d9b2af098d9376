#include "render/scene_camera.h"

#include <fmt/format.h>

#include <cmath>

#include "collide/motion.h"
#include "scene/form.h"

namespace firn {
namespace {

constexpr double kNearestTarget = 1e-9;  // m: nearer, rounding decides where the camera looks

struct Sight {
  Vec<double, 3> position, target;  // m
  double tangent;                   // of half the field of view
};

// Along the same curves as bodies.
class CameraPath {
 public:
  explicit CameraPath(const RenderSettings& settings) {
    for (RigidMotion* motion : {&position_, &target_, &zoom_}) motion->smooth = settings.interpolation == Interpolation::kSmooth;
    for (const CameraKey& key : settings.keys) {
      position_.keys.push_back({key.t, to_vec(key.position), {}});
      target_.keys.push_back({key.t, to_vec(key.target), {}});
      zoom_.keys.push_back({key.t, {std::log(half_tangent(key.fov)), 0, 0}, {}});
    }
  }

  Sight at(double time) const {
    return {position_.at(time).displacement, target_.at(time).displacement, std::exp(zoom_.at(time).displacement[0])};
  }

 private:
  // The logarithm of the tangent: things grow evenly in the picture, and no curve gets beyond what a lens can do.
  RigidMotion position_, target_, zoom_;
};

Sight sight_at(const RenderSettings& settings, double time) {
  if (!settings.keys.empty()) return CameraPath(settings).at(time);
  return {to_vec(*settings.position), to_vec(*settings.target), half_tangent(settings.fov)};
}

void look_along(Camera& camera, const Vec<double, 3>& forward) {
  const Sides sides = sides_of(forward);
  camera.forward = to_float(forward);
  camera.right = to_float(sides.right);
  camera.up = to_float(sides.up);
}

}  // namespace

Camera scene_camera(const RenderSettings& settings, double time, const Camera& fitted) {
  Camera camera = fitted;
  if (fitted.orthographic()) return camera;
  if (settings.sun) {
    const Vec<double, 3> sun = to_vec(*settings.sun);
    camera.sun = to_float((1 / norm(sun)) * sun);
  }
  if (settings.keys.empty() && !settings.position) return camera;
  const Sight sight = sight_at(settings, time);
  const Vec<double, 3> ahead = sight.target - sight.position;
  const double distance = norm(ahead);
  if (distance < kNearestTarget)
    throw UserError(settings.location, fmt::format("at {:.4g} s the camera stands on its target, and cannot tell where to look", time));
  camera.eye = camera.to_view(sight.position);
  camera.tangent = static_cast<float>(sight.tangent);
  look_along(camera, (1 / distance) * ahead);
  return camera;
}

}  // namespace firn
