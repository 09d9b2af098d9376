#include "scene/sampler.h"

#include <cmath>
#include <numbers>

#include "math/rng.h"
#include "scene/bodies.h"
#include "scene/poisson.h"

namespace firn {
namespace {

constexpr double kPi = std::numbers::pi;

// The triangle, cut by the box's sides where it opens wider.
double wedge_area(const Shape& shape) {
  const Solid<double, 3> solid = make_solid(shape);
  const double width = shape.size[0], height = shape.size[1], slope = solid.side_sin / solid.side_cos;
  const double depth = std::min(height, width / (2 * slope));  // where the sides reach the box
  return depth * depth * slope + (height - depth) * width;
}

// One point in each cell of a lattice that has as many cells per grid cell as there are to be particles.
template <int D, class Inside>
std::vector<Vec<double, D>> jittered_points(const Vec<double, D>& reach, double spacing, std::uint64_t seed, Inside inside) {
  std::vector<Vec<double, D>> points;
  Vec<std::int64_t, 3> count{0, 0, 0};
  for (int d = 0; d < D; ++d) count[d] = static_cast<std::int64_t>(std::ceil(reach[d] / spacing)) + 1;
  for (std::int64_t i = -count[0]; i < count[0]; ++i)
    for (std::int64_t j = -count[1]; j < count[1]; ++j)
      for (std::int64_t k = -count[2]; k < std::max<std::int64_t>(count[2], 1); ++k) {
        Rng rng(Rng::cell_key(seed, i, j, k));
        const std::int64_t at[3] = {i, j, k};
        Vec<double, D> x;
        for (int d = 0; d < D; ++d) x[d] = (static_cast<double>(at[d]) + rng.uniform()) * spacing;
        if (inside(x)) points.push_back(x);
      }
  return points;
}

template <int D>
std::vector<LatticePoint<double, 3>> sample(const Snow& snow, double h) {
  const Solid<double, D> solid = convert_solid<double, D>(make_solid(snow.shape));
  const Mat<double, 3> rotation = to_matrix(shape_rotation(snow.shape));
  Mat<double, D> to_body;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) to_body(i, j) = rotation(j, i);
  const auto inside = [&](const Vec<double, D>& x) { return evaluate(solid, to_body * (h * x)).phi <= 0; };
  // In cells, about the shape's origin: a shape moved by whole cells gets the same points.
  const Vec<double, D> reach = (1 / h) * convert_vec<double, D>(shape_reach(snow.shape));
  const double spacing = std::pow(snow.particles_per_cell, -1.0 / D);
  const auto points = snow.sampling == Sampling::kPoisson ? poisson_points<D>(reach, spacing, snow.seed, inside)
                                                          : jittered_points<D>(reach, spacing, snow.seed, inside);
  const LatticePoint<double, 3> origin = to_lattice<double, 3>(shape_origin(snow.shape), h, true);
  std::vector<LatticePoint<double, 3>> result;
  result.reserve(points.size());
  for (const Vec<double, D>& x : points) {
    LatticePoint<double, 3> p = origin;
    for (int d = 0; d < D; ++d) {
      split_coordinate(origin.offset[d] + x[d], false, p.cell[d], p.offset[d]);
      p.cell[d] += origin.cell[d];
    }
    if (D == 2) p.offset[2] = 0;
    result.push_back(p);
  }
  return result;
}

}  // namespace

double shape_volume(const Shape& s, int dimension) {
  const bool flat = dimension == 2;
  const double r = s.radius;
  switch (s.kind) {
    case ShapeKind::kSphere: return flat ? kPi * r * r : 4.0 / 3 * kPi * r * r * r;
    case ShapeKind::kBox: return s.size[0] * s.size[1] * (flat ? 1 : s.size[2]);
    case ShapeKind::kCylinder: return kPi * r * r * s.height;
    case ShapeKind::kCapsule: {
      const double length = norm(to_vec(s.b) - to_vec(s.a));
      return flat ? kPi * r * r + 2 * r * length : kPi * r * r * (4.0 / 3 * r + length);
    }
    case ShapeKind::kWedge: return wedge_area(s) * (flat ? 1 : s.size[2]);
    default: return 0;
  }
}

Vec<double, 3> shape_reach(const Shape& shape) {
  const Solid<double, 3> solid = make_solid(shape);
  const double r = shape.radius;
  if (shape.kind == ShapeKind::kSphere) return {r, r, r};
  if (shape.kind == ShapeKind::kCapsule) return {std::abs(solid.axis[0]) + r, std::abs(solid.axis[1]) + r, std::abs(solid.axis[2]) + r};
  const Mat<double, 3> rotation = to_matrix(shape_rotation(shape));
  Vec<double, 3> reach{0, 0, 0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) reach[i] += std::abs(rotation(i, j)) * solid.half[j];
  return reach;
}

double shape_distance(const Shape& shape, int dimension, const Vec<double, 3>& r) {
  const Vec<double, 3> q = transpose(to_matrix(shape_rotation(shape))) * r;
  const Solid<double, 3> solid = make_solid(shape);
  if (dimension == 3) return evaluate(solid, q).phi;
  return evaluate(convert_solid<double, 2>(solid), convert_vec<double, 2>(q)).phi;
}

std::vector<LatticePoint<double, 3>> sample_shape(const Snow& snow, int dimension, double h) {
  return dimension == 3 ? sample<3>(snow, h) : sample<2>(snow, h);
}

}  // namespace firn
