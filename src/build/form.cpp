#include "build/form.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "build/sampled_form.h"
#include "firn/error.h"
#include "geometry/volume_builder.h"

namespace firn {
namespace {

constexpr double kPi = std::numbers::pi;

bool is_compound(ShapeKind kind) { return kind == ShapeKind::kUnion || kind == ShapeKind::kDifference || kind == ShapeKind::kIntersection; }

bool is_from_file(ShapeKind kind) { return kind == ShapeKind::kMesh || kind == ShapeKind::kVolume || kind == ShapeKind::kSequence; }

SolidKind solid_kind(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kPlane: return SolidKind::kPlane;
    case ShapeKind::kBox: return SolidKind::kBox;
    case ShapeKind::kCylinder: return SolidKind::kCylinder;
    case ShapeKind::kCone: return SolidKind::kCone;
    case ShapeKind::kTorus: return SolidKind::kTorus;
    case ShapeKind::kCapsule: return SolidKind::kCapsule;
    case ShapeKind::kWedge: return SolidKind::kWedge;
    case ShapeKind::kSphere: return SolidKind::kSphere;
    default: return SolidKind::kSampled;
  }
}

// Half the opening angle of a wedge or cone; 0 asks for sides that end at the bottom edges.
double half_opening(const Shape& shape) {
  if (shape.kind == ShapeKind::kCone) return std::atan2(shape.radius, shape.height);
  if (shape.angle > 0) return shape.angle * kPi / 360;
  return std::atan2(shape.size[0] / 2, shape.size[1]);
}

Vec<double, 3> half_edges(const Shape& shape) {
  const double r = shape.radius, ring = shape.radius + shape.tube;
  switch (shape.kind) {
    case ShapeKind::kSphere: return {r, r, r};
    case ShapeKind::kCylinder:
    case ShapeKind::kCone: return {r, shape.height / 2, r};
    case ShapeKind::kTorus: return {ring, shape.tube, ring};
    case ShapeKind::kCapsule: {
      const Vec<double, 3> axis = 0.5 * (to_vec(shape.b) - to_vec(shape.a));
      return {std::abs(axis[0]) + r, std::abs(axis[1]) + r, std::abs(axis[2]) + r};
    }
    default: return 0.5 * to_vec(shape.size);
  }
}

Solid<double, 3> make_solid(const Shape& shape) {
  Solid<double, 3> solid;
  solid.kind = solid_kind(shape.kind);
  solid.radius = shape.radius;
  solid.half = half_edges(shape);
  solid.axis = 0.5 * (to_vec(shape.b) - to_vec(shape.a));
  if (shape.kind == ShapeKind::kPlane) solid.axis = (1 / norm(to_vec(shape.normal))) * to_vec(shape.normal);
  if (shape.kind == ShapeKind::kWedge || shape.kind == ShapeKind::kCone) {
    solid.side_cos = std::cos(half_opening(shape));
    solid.side_sin = std::sin(half_opening(shape));
  }
  return solid;
}

// The triangle, cut by the box's sides where it opens wider.
double wedge_area(const Shape& shape) {
  const double width = shape.size[0], height = shape.size[1], slope = std::tan(half_opening(shape));
  const double depth = std::min(height, width / (2 * slope));  // where the sides reach the box
  return depth * depth * slope + (height - depth) * width;
}

// Round shapes and planes have no `rotation`; the parts of compounds have their own.
bool turns(ShapeKind kind) {
  return kind != ShapeKind::kSphere && kind != ShapeKind::kCapsule && kind != ShapeKind::kPlane && !is_compound(kind);
}

double analytic_content(const Shape& s, int dimension) {
  const bool flat = dimension == 2;
  const double r = s.radius;
  switch (s.kind) {
    case ShapeKind::kSphere: return flat ? kPi * r * r : 4.0 / 3 * kPi * r * r * r;
    case ShapeKind::kBox: return s.size[0] * s.size[1] * (flat ? 1 : s.size[2]);
    case ShapeKind::kCylinder: return kPi * r * r * s.height;
    case ShapeKind::kCone: return kPi * r * r * s.height / 3;
    case ShapeKind::kTorus: return 2 * kPi * kPi * r * s.tube * s.tube;
    case ShapeKind::kCapsule: {
      const double length = norm(to_vec(s.b) - to_vec(s.a));
      return flat ? kPi * r * r + 2 * r * length : kPi * r * r * (4.0 / 3 * r + length);
    }
    case ShapeKind::kWedge: return wedge_area(s) * (flat ? 1 : s.size[2]);
    default: return 0;
  }
}

// True of a shape when some brick's middle lies inside: without a look at any brick's values, and mostly at few middles.
bool surely_has_inside(const SampledShape& sampled) {
  if (!sampled.measure) return false;
  const VolumeLattice lattice = lattice_of(sampled.level_set->bricks);
  const double half = 0.5 * lattice.voxel * Bricks::kEdge;
  for (std::size_t b = 0; b < lattice.bricks(); ++b)
    if (sampled.measure(lattice.point(lattice.first(b)) + Vec<double, 3>::filled(half), half) < 0) return true;
  return false;
}

double content_of(const SampledShape& sampled, int dimension) {
  if (sampled.content) return *sampled.content;
  return dimension == 3 ? inside_volume(sampled.level_set->bricks) : inside_area(sampled.level_set->bricks);
}

}  // namespace

Vec<double, 3> shape_origin(const Shape& shape) {
  if (shape.kind == ShapeKind::kPlane) return to_vec(shape.point);
  if (shape.kind == ShapeKind::kCapsule) return 0.5 * (to_vec(shape.a) + to_vec(shape.b));
  if (is_from_file(shape.kind)) return to_vec(shape.translate);
  if (is_compound(shape.kind)) return shape_origin(shape.parts.front());
  return to_vec(shape.center);
}

double Form::distance(const Vec<double, 3>& r, double farthest) const {
  const Vec<double, 3> q = transpose(to_matrix(rotation)) * r;
  if (measure) return measure(q, farthest);
  if (dimension == 3) return evaluate(solid, q).phi;
  return evaluate(convert_solid<double, 2>(solid), convert_vec<double, 2>(q)).phi;
}

Bounds Form::world_box() const {
  const Vec<double, 3> middle = 0.5 * (lower + upper), half = 0.5 * (upper - lower);
  const Mat<double, 3> turn = to_matrix(rotation);
  const Vec<double, 3> center = turn * middle;
  Vec<double, 3> reach{0, 0, 0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) reach[i] += std::abs(turn(i, j)) * half[j];
  return {center - reach, center + reach};
}

Form make_form(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  Form form;
  form.dimension = settings.dimension;
  form.origin = shape_origin(shape);
  if (turns(shape.kind)) form.rotation = normalized({shape.rotation[0], shape.rotation[1], shape.rotation[2], shape.rotation[3]});
  form.solid = make_solid(shape);
  if (form.solid.kind != SolidKind::kSampled) {
    form.lower = -form.solid.half;
    form.upper = form.solid.half;
    form.content = analytic_content(shape, settings.dimension);
    return form;
  }
  if (shape.kind == ShapeKind::kSequence) {
    SequenceForm sequence = make_sequence(shape, settings.h, settings.fps, warnings);
    form.deformation = std::move(sequence.deformation);
    form.lower = sequence.lower;
    form.upper = sequence.upper;
    return form;
  }
  const SampledShape sampled = sample_shape(shape, settings, warnings);
  form.level_set = sampled.level_set;
  form.measure = sampled.measure;
  form.solid.bricks = &form.level_set->bricks;
  form.lower = sampled.lower;
  form.upper = sampled.upper;
  if (!settings.needs_content && !sampled.content && surely_has_inside(sampled)) return form;
  form.content = content_of(sampled, settings.dimension);
  if (form.content <= 0)
    throw UserError(settings.dimension == 3 ? "the shape has no inside"
                                            : "the shape has no inside where z = 0, which is what a 2D scene sees");
  return form;
}

}  // namespace firn
