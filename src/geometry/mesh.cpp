#include "geometry/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace firn {
namespace {

// Twice a triangle's area over the square of its longest edge; rounding of the differences and products stays well below.
constexpr double kFlattest = 1e-12;

Vec<double, 3> normal_of(const Vec<double, 3>& a, const Vec<double, 3>& b, const Vec<double, 3>& c) { return cross(b - a, c - a); }

}  // namespace

Bounds bounds(const Mesh& mesh) {
  if (mesh.points.empty()) return {Vec<double, 3>::zero(), Vec<double, 3>::zero()};
  Bounds box{mesh.points.front(), mesh.points.front()};
  for (const Vec<double, 3>& point : mesh.points)
    for (int i = 0; i < 3; ++i) {
      box.lower[i] = std::min(box.lower[i], point[i]);
      box.upper[i] = std::max(box.upper[i], point[i]);
    }
  return box;
}

double diagonal(const Bounds& box) { return norm(box.upper - box.lower); }

double signed_volume(const Mesh& mesh) {
  const Bounds box = bounds(mesh);
  const Vec<double, 3> center = 0.5 * (box.lower + box.upper);  // far from the origin, digits would cancel
  double six_volumes = 0;
  for (const Triangle& t : mesh.triangles)
    six_volumes += dot(mesh.points[t[0]] - center, cross(mesh.points[t[1]] - center, mesh.points[t[2]] - center));
  return six_volumes / 6;
}

double surface_area(const Mesh& mesh) {
  double two_areas = 0;
  for (const Triangle& t : mesh.triangles) two_areas += norm(normal_of(mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]));
  return two_areas / 2;
}

std::vector<Vec<double, 3>> vertex_normals(const Mesh& mesh) {
  std::vector<Vec<double, 3>> normals(mesh.points.size(), Vec<double, 3>::zero());
  for (const Triangle& t : mesh.triangles) {
    const Vec<double, 3> normal = normal_of(mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]);
    for (const std::uint32_t corner : t) normals[corner] += normal;
  }
  for (Vec<double, 3>& normal : normals) {
    const double length = norm(normal);
    normal = length > 0 ? (1 / length) * normal : Vec<double, 3>::zero();
  }
  return normals;
}

// Ericson 2005: by the region of the plane x falls into.
Vec<double, 3> nearest_weights(const Vec<double, 3>& x, const Vec<double, 3>& a, const Vec<double, 3>& b, const Vec<double, 3>& c) {
  const Vec<double, 3> ab = b - a, ac = c - a;
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

bool has_area(const Vec<double, 3>& a, const Vec<double, 3>& b, const Vec<double, 3>& c) {
  const double longest = std::max({dot(b - a, b - a), dot(c - b, c - b), dot(a - c, a - c)});
  return norm(normal_of(a, b, c)) > kFlattest * longest;
}

void turn_all(Mesh& mesh) {
  for (Triangle& t : mesh.triangles) t = turned(t);
}

void check_finite(const Vec<double, 3>& point, std::size_t number, const Location& where) {
  for (int i = 0; i < 3; ++i)
    if (!std::isfinite(point[i])) throw UserError(where, fmt::format("vertex {}: {} is {}, it must be finite", number, "xyz"[i], point[i]));
}

void check_mesh(const Mesh& mesh, const Location& where) {
  for (std::size_t p = 0; p < mesh.points.size(); ++p) {
    check_finite(mesh.points[p], p, where);
    for (int i = 0; i < 3; ++i) {
      const double value = mesh.points[p][i];
      if (std::abs(value) > kLargestCoordinate)
        throw UserError(
            where, fmt::format("vertex {}: {} is {:g}, coordinates are metres and at most {:g}", p, "xyz"[i], value, kLargestCoordinate));
    }
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (const std::uint32_t corner : mesh.triangles[t])
      if (corner >= mesh.points.size())
        throw UserError(where, fmt::format("triangle {} has vertex {}, there are only {}", t, corner, mesh.points.size()));
}

// Counted into one bucket per low point, then the buckets, which are small, are sorted.
std::vector<EdgeUse> sorted_edge_uses(const Mesh& mesh) {
  const auto low_of = [](const Triangle& t, std::size_t i) { return std::min(t[i], t[(i + 1) % 3]); };
  std::vector<std::size_t> ends(mesh.points.size() + 1, 0);
  for (const Triangle& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) ++ends[low_of(t, i)];
  std::size_t total = 0;
  for (std::size_t& end : ends) end = std::exchange(total, total + end);  // where each bucket begins; filling moves it to the end

  std::vector<EdgeUse> uses(total);
  for (std::size_t n = 0; n < mesh.triangles.size(); ++n)
    for (std::size_t i = 0; i < 3; ++i) {
      const Triangle& t = mesh.triangles[n];
      const std::uint32_t low = low_of(t, i);
      uses[ends[low]++] = {low, std::max(t[i], t[(i + 1) % 3]), 3 * n + i};
    }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    std::sort(uses.begin() + static_cast<std::ptrdiff_t>(begin), uses.begin() + static_cast<std::ptrdiff_t>(end),
              [](const EdgeUse& a, const EdgeUse& b) { return std::tie(a.high, a.corner) < std::tie(b.high, b.corner); });
    begin = end;
  }
  return uses;
}

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
