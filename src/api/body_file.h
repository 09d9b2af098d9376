// The triangles of a scene's bodies in a file, for other programs that show them.
#pragma once

#include <string>

#include "firn/scene.h"

namespace firn {

// Whether a 3D scene has bodies that are more than a formula: meshes, height fields, text and compounds that are visible.
bool has_body_triangles(const Scene& scene);

// Of all of those, each an object "collider_NUMBER" in its own frame, without its motion; returns how many triangles. Throws UserError at a
// collider's place, RunError when the file cannot be written.
std::size_t write_body_triangles(const Scene& scene, const std::string& path);

}  // namespace firn
