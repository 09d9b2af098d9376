#include "scene/bodies.h"

#include <fmt/format.h>

namespace firn {

BodyModel make_body(const Collider& collider, const Form& form, double h) {
  BodyModel body;
  body.solid = form.solid;
  body.level_set = form.level_set;
  body.deformation = form.deformation;
  body.lower = form.lower;
  body.upper = form.upper;
  body.anchor = to_lattice<double, 3>(form.origin, h, true);
  body.cell = h;
  body.friction = collider.friction;
  body.sticky = collider.sticky;
  RigidMotion& motion = body.motion;
  motion.rest_rotation = form.rotation;
  motion.velocity = to_vec(collider.velocity);
  motion.spin = to_vec(collider.spin);
  motion.origin = form.origin;
  if (collider.pivot) motion.origin_from_pivot = form.origin - to_vec(*collider.pivot);
  motion.smooth = collider.interpolation == Interpolation::kSmooth;
  for (const MotionKey& key : collider.keys) {
    const Quat turn = normalized({key.rotation[0], key.rotation[1], key.rotation[2], key.rotation[3]});
    motion.keys.push_back({key.t, to_vec(key.position), normalized(turn * motion.rest_rotation)});
  }
  return body;
}

Form make_form_at(const Shape& shape, const Scene& scene, const Location& where, std::vector<std::string>& warnings, bool needs_content) {
  std::vector<std::string> own;
  try {
    Form form = make_form(shape, {scene.simulation.dimension, scene.simulation.spacing, scene.simulation.fps, needs_content}, own);
    for (const std::string& warning : own) warnings.push_back(fmt::format("{}: {}", to_string(where), warning));
    return form;
  } catch (const UserError& e) {
    throw UserError(where, e.what());
  }
}

std::vector<BodyModel> make_bodies(const Scene& scene, std::vector<std::string>& warnings) {
  std::vector<BodyModel> bodies;
  for (const Collider& collider : scene.colliders)
    bodies.push_back(make_body(collider, make_form_at(collider.shape, scene, collider.location, warnings, false), scene.simulation.spacing));
  return bodies;
}

}  // namespace firn
