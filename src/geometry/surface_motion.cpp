#include "geometry/surface_motion.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "geometry/level_set.h"
#include "geometry/volume_builder.h"

namespace firn {
namespace {

using Point = Vec<double, 3>;

// Values far from every triangle take the mean of the others in their brick.
void fill_gaps(const std::vector<std::int32_t>& nearest, std::vector<float>& velocity) {
  parallel_for(nearest.size() / Bricks::kValues, [&](std::size_t brick) {
    const std::size_t begin = brick * Bricks::kValues, end = begin + Bricks::kValues;
    double mean[3] = {0, 0, 0}, known = 0;
    for (std::size_t at = begin; at < end; ++at) {
      if (nearest[at] == kNoTriangle) continue;
      known += 1;
      for (int d = 0; d < 3; ++d) mean[d] += velocity[3 * at + d];
    }
    for (std::size_t at = begin; at < end && known > 0; ++at)
      if (nearest[at] == kNoTriangle)
        for (int d = 0; d < 3; ++d) velocity[3 * at + d] = static_cast<float>(mean[d] / known);
  });
}

std::vector<float> from_points(const SurfaceFrame& from, const SurfaceFrame& to, const SurfaceFrame& at, double span) {
  std::vector<float> velocity(3 * at.volume.phi.size());
  const VolumeLattice lattice = lattice_of(at.volume);
  for_each_value(at.volume, lattice, [&](const Vec<std::int32_t, 3>& index, std::size_t i) {
    if (at.nearest[i] == kNoTriangle) return;
    const auto& corner = at.mesh.triangles[static_cast<std::size_t>(at.nearest[i])];
    const Point w = nearest_weights(lattice.point(index), at.mesh.points[corner[0]], at.mesh.points[corner[1]], at.mesh.points[corner[2]]);
    Point v{0, 0, 0};
    for (int k = 0; k < 3; ++k) v += (w[k] / span) * (to.mesh.points[corner[k]] - from.mesh.points[corner[k]]);
    for (int d = 0; d < 3; ++d) velocity[3 * i + d] = static_cast<float>(v[d]);
  });
  fill_gaps(at.nearest, velocity);
  return velocity;
}

// phi changes by −v·n per second where the surface passes.
std::vector<float> from_distances(const SurfaceFrame& from, const SurfaceFrame& to, const SurfaceFrame& at, double span) {
  std::vector<float> velocity(3 * at.volume.phi.size());
  const VolumeLattice lattice = lattice_of(at.volume);
  const Bricks before = from.volume.view(), after = to.volume.view(), here = at.volume.view();
  for_each_value(at.volume, lattice, [&](const Vec<std::int32_t, 3>& index, std::size_t i) {
    const Point x = lattice.point(index), gradient = sample_phi(here, x).gradient;
    const double steepness = norm(gradient);
    if (steepness == 0) return;
    const double speed = (sample_phi(before, x).phi - sample_phi(after, x).phi) / span;
    for (int d = 0; d < 3; ++d) velocity[3 * i + d] = static_cast<float>(speed * gradient[d] / steepness);
  });
  return velocity;
}

}  // namespace

bool has_same_topology(const Mesh& a, const Mesh& b) {
  return !a.triangles.empty() && a.points.size() == b.points.size() && a.triangles == b.triangles;
}

double longest_way(const Mesh& a, const Mesh& b) {
  double longest = 0;
  if (!has_same_topology(a, b)) return longest;
  for (std::size_t i = 0; i < a.points.size(); ++i) longest = std::max(longest, norm(b.points[i] - a.points[i]));
  return longest;
}

std::vector<float> surface_velocities(const SurfaceFrame& from, const SurfaceFrame& to, const SurfaceFrame& at, double span) {
  return has_same_topology(from.mesh, to.mesh) ? from_points(from, to, at, span) : from_distances(from, to, at, span);
}

double top_speed(const std::vector<float>& velocities) {
  double top = 0;
  for (std::size_t i = 0; i + 2 < velocities.size(); i += 3)
    top = std::max(top, std::hypot(double(velocities[i]), double(velocities[i + 1]), double(velocities[i + 2])));
  return top;
}

}  // namespace firn
