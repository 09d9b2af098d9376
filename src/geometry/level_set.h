// Level sets from meshes and volume files, and how fast they move from one to the next. OpenVDB stays behind this header.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "collide/bricks.h"
#include "firn/frame.h"
#include "geometry/mesh.h"
#include "math/vec.h"

namespace firn {

// What a .vdb file has in it, in words and numbers.

struct VdbGrid {
  std::string name;
  std::string type;                         // of a value, as OpenVDB calls it: float, vec3s, …
  std::size_t voxels = 0;                   // active ones
  double voxel = 0;                         // edge, m
  Bounds box;                               // of the active voxels' middles, m
  int components = 0;                       // of a value; 0: not numbers, and what follows means nothing
  double least = 0, greatest = 0, sum = 0;  // over active voxels and components
  std::vector<std::pair<std::string, std::string>> metadata;
};

struct VdbContent {
  std::vector<VdbGrid> grids;
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Throws UserError when the file is damaged.
VdbContent describe_vdb(const std::string& path);

// The nodes in a .vdb file that a run has written of its grid; what the file has not is empty. Throws UserError.
GridFields read_grid_vdb(const std::string& path);

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

// How fast a deforming body moves between two of its frames, near its surface at one of them.

// A frame of a sequence: the surface, its distance, and the nearest triangle of every value of that.
struct SurfaceFrame {
  Mesh mesh;  // empty when only the level set is known
  Volume volume;
  double band = 0;  // m, of the volume outside the surface
  std::vector<std::int32_t> nearest;
};

// Whether points of one are the points of the other, moved.
bool has_same_topology(const Mesh& a, const Mesh& b);

// The farthest that a point goes from one to the other; 0 when they are not the same points.
double longest_way(const Mesh& a, const Mesh& b);

// Velocities, three per value of `at`, for the move from `from` to `to` within `span` seconds; `at` is one of the two. Of the points of the
// nearest triangle where the topology holds, else along the normal, from the change of the distance.
std::vector<float> surface_velocities(const SurfaceFrame& from, const SurfaceFrame& to, const SurfaceFrame& at, double span);

// The greatest length among velocities.
double top_speed(const std::vector<float>& velocities);

}  // namespace firn
