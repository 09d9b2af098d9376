// From the shapes a user names to the level sets the solver and the pictures test against.
#pragma once

#include "collide/body.h"
#include "firn/scene.h"

namespace firn {

// The point a shape's own frame starts from: centre, point on the plane, middle of the capsule.
Vec<double, 3> shape_origin(const Shape& shape);

// The shape in its own frame, before `rotation`.
Solid<double, 3> make_solid(const Shape& shape);

// From the shape's frame to the world. Only boxes, cylinders and wedges have a rotation.
Quat shape_rotation(const Shape& shape);

// h: the grid spacing that anchors the body to the lattice.
BodyModel make_body(const Collider& collider, double h);

inline Vec<double, 3> to_vec(const Vector& v) { return {v[0], v[1], v[2]}; }

}  // namespace firn
