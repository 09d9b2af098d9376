#include "geometry/corner_normals.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry/edges.h"

namespace firn {
namespace {

using Point = Vec<double, 3>;

Point normalized(const Point& v) {
  const double length = norm(v);
  return length > 0 ? (1 / length) * v : v;
}

Point face_normal(const Mesh& mesh, const Triangle& t) {
  return normalized(cross(mesh.points[t[1]] - mesh.points[t[0]], mesh.points[t[2]] - mesh.points[t[0]]));
}

double angle_at(const Mesh& mesh, const Triangle& t, std::size_t corner) {
  const Point& here = mesh.points[t[corner]];
  const Point a = mesh.points[t[(corner + 1) % 3]] - here, b = mesh.points[t[(corner + 2) % 3]] - here;
  return std::atan2(norm(cross(a, b)), dot(a, b));
}

// Corners that share a normal: each points to another of its group, or is the one that stands for it.
class Groups {
 public:
  explicit Groups(std::size_t corners) : next_(corners) { std::iota(next_.begin(), next_.end(), std::size_t{0}); }

  std::size_t find(std::size_t corner) {
    while (next_[corner] != corner) corner = next_[corner] = next_[next_[corner]];
    return corner;
  }
  void join(std::size_t a, std::size_t b) {
    const std::size_t first = find(a), second = find(b);
    next_[std::max(first, second)] = std::min(first, second);
  }

 private:
  std::vector<std::size_t> next_;
};

struct EdgeCorners {
  std::size_t low, high;
};
EdgeCorners corners_of(const Mesh& mesh, const EdgeUse& use) {
  const std::size_t first = use.corner, second = 3 * use.triangle() + (use.corner + 1) % 3;
  return use.forward(mesh) ? EdgeCorners{first, second} : EdgeCorners{second, first};
}

}  // namespace

std::vector<CornerNormals> corner_normals(const Mesh& mesh, double least_cosine) {
  std::vector<Point> faces;
  faces.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) faces.push_back(face_normal(mesh, t));

  Groups groups(3 * faces.size());
  const std::vector<EdgeUse> edges = sorted_edge_uses(mesh);
  for_each_edge(edges, [&](std::span<const EdgeUse> uses) {
    // Where more than two meet, or two face opposite ways, there is no surface to be smooth.
    if (uses.size() != 2 || uses[0].forward(mesh) == uses[1].forward(mesh)) return;
    if (dot(faces[uses[0].triangle()], faces[uses[1].triangle()]) < least_cosine) return;
    const EdgeCorners a = corners_of(mesh, uses[0]), b = corners_of(mesh, uses[1]);
    groups.join(a.low, b.low);
    groups.join(a.high, b.high);
  });

  std::vector<Point> sums(3 * faces.size(), Point::zero());
  for (std::size_t c = 0; c < sums.size(); ++c) sums[groups.find(c)] += angle_at(mesh, mesh.triangles[c / 3], c % 3) * faces[c / 3];
  std::vector<CornerNormals> normals(faces.size());
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const Point& sum = sums[groups.find(c)];
    const Point normal = norm(sum) > 0 ? normalized(sum) : faces[c / 3];
    for (int d = 0; d < 3; ++d) normals[c / 3][c % 3][d] = static_cast<float>(normal[d]);
  }
  return normals;
}

}  // namespace firn
