// Level sets from meshes and volume files. OpenVDB stays behind this header.
#pragma once

#include <string>
#include <vector>

#include "collide/volume.h"
#include "geometry/mesh.h"

namespace firn {

struct LevelSetOptions {
  double voxel = 0;      // m
  double band = 0;       // m outside the surface where phi is the true distance; inside it is everywhere
  double thickness = 0;  // m; above 0 the mesh is a sheet of that thickness and need not be closed
};

// The distance to a closed mesh. `nearest`, if asked for, gets the nearest triangle of every value, kNoTriangle where that is far.
// Throws UserError when the mesh is too large for the voxel.
inline constexpr std::int32_t kNoTriangle = -1;
Volume mesh_to_volume(const Mesh& mesh, const LevelSetOptions& options, std::vector<std::int32_t>* nearest = nullptr);

// The surface in a .vdb file: of the first level set, where it is zero, else of the first fog volume, where it has `threshold` times
// its largest value. Throws UserError.
Mesh read_vdb(const std::string& path, double threshold);

}  // namespace firn
