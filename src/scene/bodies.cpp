#include "scene/bodies.h"

#include <cmath>
#include <numbers>

namespace firn {
namespace {

Quat to_quat(const Quaternion& q) { return normalized({q[0], q[1], q[2], q[3]}); }

SolidKind solid_kind(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kPlane: return SolidKind::kPlane;
    case ShapeKind::kBox: return SolidKind::kBox;
    case ShapeKind::kCylinder: return SolidKind::kCylinder;
    case ShapeKind::kCapsule: return SolidKind::kCapsule;
    case ShapeKind::kWedge: return SolidKind::kWedge;
    default: return SolidKind::kSphere;
  }
}

// Half the opening angle of a wedge; 0 asks for sides that end at the bottom edges.
double half_opening(const Shape& shape) {
  if (shape.angle > 0) return shape.angle * std::numbers::pi / 360;
  return std::atan2(shape.size[0] / 2, shape.size[1]);
}

}  // namespace

Vec<double, 3> shape_origin(const Shape& shape) {
  if (shape.kind == ShapeKind::kPlane) return to_vec(shape.point);
  if (shape.kind == ShapeKind::kCapsule) return 0.5 * (to_vec(shape.a) + to_vec(shape.b));
  return to_vec(shape.center);
}

Solid<double, 3> make_solid(const Shape& shape) {
  Solid<double, 3> solid;
  solid.kind = solid_kind(shape.kind);
  solid.radius = shape.radius;
  Vec<double, 3> half = 0.5 * to_vec(shape.size);
  if (shape.kind == ShapeKind::kCylinder) half = {shape.radius, shape.height / 2, shape.radius};
  solid.half = half;
  Vec<double, 3> axis = 0.5 * (to_vec(shape.b) - to_vec(shape.a));
  if (shape.kind == ShapeKind::kPlane) axis = (1 / norm(to_vec(shape.normal))) * to_vec(shape.normal);
  solid.axis = axis;
  if (shape.kind == ShapeKind::kWedge) {
    solid.side_cos = std::cos(half_opening(shape));
    solid.side_sin = std::sin(half_opening(shape));
  }
  return solid;
}

Quat shape_rotation(const Shape& shape) {
  const bool turns = shape.kind == ShapeKind::kBox || shape.kind == ShapeKind::kCylinder || shape.kind == ShapeKind::kWedge;
  return turns ? to_quat(shape.rotation) : Quat{};
}

BodyModel make_body(const Collider& collider, double h) {
  BodyModel body;
  const Vec<double, 3> origin = shape_origin(collider.shape);
  body.solid = make_solid(collider.shape);
  body.anchor = to_lattice<double, 3>(origin, h, true);
  body.friction = collider.friction;
  body.sticky = collider.sticky;
  RigidMotion& motion = body.motion;
  motion.rest_rotation = shape_rotation(collider.shape);
  motion.velocity = to_vec(collider.velocity);
  motion.spin = to_vec(collider.spin);
  motion.origin = origin;
  if (collider.pivot) motion.origin_from_pivot = origin - to_vec(*collider.pivot);
  for (const MotionKey& key : collider.keys)
    motion.keys.push_back({key.t, to_vec(key.position), normalized(to_quat(key.rotation) * motion.rest_rotation)});
  return body;
}

}  // namespace firn
