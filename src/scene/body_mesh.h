// The triangles of colliders for pictures, where a level set would round their edges.
#pragma once

#include <optional>

#include "firn/scene.h"
#include "geometry/mesh.h"

namespace firn {

// At time t (s), in the body's own frame; clean and facing outwards (repair.h). Of compounds and text, whose parts have edges,
// they are made (contour.h). None of a body that is known by distances only: analytic shapes, `.vdb` files, sheets with a thickness, and
// sequences that do not keep their points from frame to frame.
// Throws UserError at the collider's place.
std::optional<Mesh> body_mesh(const Collider& collider, const Scene& scene, double t);

}  // namespace firn
