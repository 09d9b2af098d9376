// Triangle meshes from the files that modelling programs write.
#pragma once

#include <string>

#include "core/child_process.h"
#include "geometry/mesh.h"

namespace firn {

// All triangles of an OBJ, PLY, STL, glTF, GLB or FBX file, placed as its nodes say; FBX in metres with y up, other formats as their
// numbers are. Polygons are cut into triangles; points and lines are left out. Vertices are not joined: see repair.h.
// Whatever the bytes of the file are, the result is a mesh with finite coordinates and valid indices, or a UserError that names the file
// and the reason.
Mesh read_mesh(const std::string& path);

// The same with other limits than those that follow from the file's size.
Mesh read_mesh(const std::string& path, const ChildLimits& limits);

}  // namespace firn
