// How fast a deforming body moves between two of its frames, near its surface at one of them.
#pragma once

#include "collide/volume.h"
#include "geometry/mesh.h"

namespace firn {

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
