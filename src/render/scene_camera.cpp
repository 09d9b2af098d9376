#include "render/scene_camera.h"

#include <fmt/format.h>

#include <cmath>

#include "collide/motion.h"
#include "scene/form.h"

namespace firn {
namespace {

constexpr double kNearestTarget = 1e-9;  // m: nearer, rounding decides where the camera looks
constexpr double kUpright = 1e-6;        // sine of the angle to the vertical; below, no side of the picture is up by itself

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

Float3 to_float(const Vec<double, 3>& v) { return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])}; }

// Up is +y; looking straight down or up, +x is to the right.
void look_along(Camera& camera, const Vec<double, 3>& forward) {
  Vec<double, 3> right{-forward[2], 0, forward[0]};
  const double sine = norm(right);
  right = sine > kUpright ? (1 / sine) * right : Vec<double, 3>{1, 0, 0};
  camera.forward = to_float(forward);
  camera.right = to_float(right);
  camera.up = to_float(cross(right, forward));
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
