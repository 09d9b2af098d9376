// The surface of snow that is known as particles; apart because OpenVDB, which makes its triangles, stays behind this header.
#pragma once

#include <vector>

#include "firn/surface.h"
#include "geometry/mesh.h"

namespace firn {

struct SnowSurface {
  Mesh mesh;                 // closed, facing outwards
  std::size_t left_out = 0;  // loose particles smaller than a voxel
};

// The particles' snow is spread by a smooth kernel; where half of space is snow is the surface. So flat and packed snow keeps its volume,
// and single particles do not show. A particle that is alone would disappear: the looser it lies, the more of a sphere of its own it
// gets, at least as large as it takes to be seen on the voxels. Loose ones smaller than a voxel are left out, and counted.
// All options but `radius` and `spacing` count, and `voxel` must not be 0. Throws UserError.
SnowSurface make_surface(const std::vector<Vec<double, 3>>& points, const std::vector<double>& radii, const SurfaceOptions& options);

}  // namespace firn
