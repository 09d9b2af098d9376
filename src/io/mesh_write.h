// Triangle meshes to files that other programs read, apart because they are no frames: with a normal at every vertex, in single precision.
// A file appears complete or not at all; one that cannot be written throws RunError.
#pragma once

#include <string>
#include <vector>

#include "geometry/mesh.h"

namespace firn {

// Wavefront OBJ: text, every number in as few digits as give it back exactly.
void write_obj(const std::string& path, const Mesh& mesh);

// Several of them in one file, each an object with its name.
struct NamedMesh {
  std::string name;
  Mesh mesh;
};
void write_obj(const std::string& path, const std::vector<NamedMesh>& meshes);

// Binary little-endian PLY.
void write_mesh_ply(const std::string& path, const Mesh& mesh);

}  // namespace firn
