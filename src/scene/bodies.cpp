#include "scene/bodies.h"

#include <fmt/format.h>

#include <filesystem>

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

Form make_form_at(const Shape& shape, const Scene& scene, const Location& where, std::vector<std::string>& warnings,
                  std::optional<double> most_content) {
  std::vector<std::string> own;
  try {
    FormSettings settings{scene.simulation.dimension, scene.simulation.spacing, scene.simulation.fps, most_content.has_value()};
    if (most_content) settings.most_content = *most_content;
    Form form = make_form(shape, settings, own);
    for (const std::string& warning : own) warnings.push_back(fmt::format("{}: {}", to_string(where), warning));
    return form;
  } catch (const UserError& e) {
    throw UserError(where, e.what());
  }
}

std::string work_on(const Shape& shape) {
  const std::string name = std::filesystem::path(shape.file).filename().string();
  switch (shape.kind) {
    case ShapeKind::kMesh:
    case ShapeKind::kVolume:
    case ShapeKind::kSequence: return "level set of " + name;
    case ShapeKind::kHeightfield: return name.empty() ? "its heights" : "heights of " + name;
    case ShapeKind::kText: return "outlines of its letters";
    case ShapeKind::kUnion:
    case ShapeKind::kDifference:
    case ShapeKind::kIntersection: return "its parts";
    default: return "";
  }
}

std::vector<BodyModel> make_bodies(const Scene& scene, std::vector<std::string>& warnings, const SetupProgress& setup) {
  std::vector<BodyModel> bodies;
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    const Collider& collider = scene.colliders[c];
    if (const std::string work = work_on(collider.shape); setup && !work.empty()) setup(fmt::format("collider {}: {}", c, work));
    bodies.push_back(make_body(collider, make_form_at(collider.shape, scene, collider.location, warnings), scene.simulation.spacing));
  }
  return bodies;
}

}  // namespace firn
