#include "geometry/surface_motion.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "geometry/level_set.h"
#include "geometry/volume_builder.h"

namespace firn {
namespace {

using Point = Vec<double, 3>;

// The weights of a triangle's corners at its point nearest to x (Ericson 2005, by the region of the plane x falls into).
Point nearest_weights(const Point& x, const Point& a, const Point& b, const Point& c) {
  const Point ab = b - a, ac = c - a;
  const double d1 = dot(ab, x - a), d2 = dot(ac, x - a), d3 = dot(ab, x - b), d4 = dot(ac, x - b), d5 = dot(ab, x - c), d6 = dot(ac, x - c);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double on_ab = d1 * d4 - d3 * d2, on_ac = d5 * d2 - d1 * d6, on_bc = d3 * d6 - d5 * d4;
  // A triangle may have no area, or corners in the same place: any of its points will do then.
  const auto part = [](double a, double b) { return a + b > 0 ? a / (a + b) : 0.0; };
  if (on_ab <= 0 && d1 >= 0 && d3 <= 0) return {1 - part(d1, -d3), part(d1, -d3), 0};
  if (on_ac <= 0 && d2 >= 0 && d6 <= 0) return {1 - part(d2, -d6), 0, part(d2, -d6)};
  if (on_bc <= 0 && d4 >= d3 && d5 >= d6) return {0, 1 - part(d4 - d3, d5 - d6), part(d4 - d3, d5 - d6)};
  const double sum = on_ab + on_ac + on_bc;
  if (!(sum > 0)) return {1, 0, 0};
  return {on_bc / sum, on_ac / sum, on_ab / sum};
}

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
