#include "scene/sampled_form.h"

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "geometry/heightfield.h"
#include "geometry/level_set.h"
#include "geometry/text.h"
#include "geometry/volume_builder.h"
#include "scene/file_surface.h"

namespace firn {
namespace {

// The shapes of a compound, and where they stand in its frame.
struct Part {
  Form form;
  Vec<double, 3> from_first;

  double distance(const Vec<double, 3>& q) const { return form.distance(q - from_first); }
};

std::vector<Part> make_parts(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  const bool is_union = shape.kind == ShapeKind::kUnion;
  std::vector<Part> parts;
  for (const Shape& part : shape.parts) {
    if (part.kind == ShapeKind::kPlane && (is_union || parts.empty()))
      throw UserError("a plane has no end: it can be taken away in a difference or cut with in an intersection, after a first part of another shape");
    parts.push_back({make_form(part, settings, warnings), {}});
    parts.back().from_first = parts.back().form.origin - parts.front().form.origin;
  }
  return parts;
}

// Of the union the hull of all parts, else the box of the first: the others only take away.
Bounds box_around(const Shape& shape, const std::vector<Part>& parts) {
  Bounds hull = parts.front().form.world_box();
  for (const Part& part : parts) {
    if (shape.kind != ShapeKind::kUnion) break;
    const Bounds box = part.form.world_box();
    for (int d = 0; d < 3; ++d) {
      hull.lower[d] = std::min(hull.lower[d], box.lower[d] + part.from_first[d]);
      hull.upper[d] = std::max(hull.upper[d], box.upper[d] + part.from_first[d]);
    }
  }
  return hull;
}

double combine(ShapeKind kind, const std::vector<Part>& parts, const Vec<double, 3>& q) {
  double phi = parts.front().distance(q);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const double other = parts[i].distance(q);
    if (kind == ShapeKind::kUnion) phi = std::min(phi, other);
    if (kind == ShapeKind::kDifference) phi = std::max(phi, -other);
    if (kind == ShapeKind::kIntersection) phi = std::max(phi, other);
  }
  return phi;
}

SampledShape sample_file(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  const FileSurface surface = read_surface(shape.file, shape, warnings);
  const Bounds box = bounds(surface.mesh);
  const Vec<double, 3> half = Vec<double, 3>::filled(shape.thickness / 2);
  return {mesh_to_volume(surface.mesh, sampling_of(surface, shape, settings.h)), box.lower - half, box.upper + half};
}

// A distance function, sampled twice as finely as the grid.
SampledShape sample_distance(const Vec<double, 3>& lower, const Vec<double, 3>& upper, double h,
                             const std::function<double(const Vec<double, 3>&)>& distance) {
  const double band = kBandCells * h;
  return {bake(cover(lower, upper, band, h / kVoxelsPerCell), band, distance), lower, upper};
}

SampledShape sample_heightfield(const Shape& shape, const FormSettings& settings) {
  const Mesh mesh = heightfield_mesh(shape, settings.h);
  const Bounds box = bounds(mesh);
  return {mesh_to_volume(mesh, {settings.h / kVoxelsPerCell, kBandCells * settings.h, 0}), box.lower, box.upper};
}

SampledShape sample_text(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  const double thickness = shape.depth > 0 ? shape.depth : shape.height / 2;
  const TextOutline outline = outline_text(shape.text, {shape.font, shape.height, thickness});
  warnings.insert(warnings.end(), outline.warnings.begin(), outline.warnings.end());
  const TextSolid solid(outline, thickness);
  return sample_distance(solid.lower(), solid.upper(), settings.h, [&](const Vec<double, 3>& q) { return solid.distance(q); });
}

SampledShape sample_compound(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  const std::vector<Part> parts = make_parts(shape, settings, warnings);
  Bounds box = box_around(shape, parts);
  if (settings.dimension == 2) {  // parts are sections, the same for all z; only z = 0 is seen
    box.lower[2] = -settings.h;
    box.upper[2] = settings.h;
  }
  return sample_distance(box.lower, box.upper, settings.h, [&](const Vec<double, 3>& q) { return combine(shape.kind, parts, q); });
}

}  // namespace

Mesh heightfield_mesh(const Shape& shape, double h) {
  const double half_x = shape.length / 2, half_z = (shape.width > 0 ? shape.width : shape.length) / 2;
  const GroundArea area{-half_x, -half_z, half_x, half_z};
  const HeightMap map =
      shape.formula.empty() ? height_map_from_png(shape.file, area, 0, shape.height) : height_map_from_formula(shape.formula, area, h);
  return to_mesh(map, -shape.depth);
}

SampledShape sample_shape(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  switch (shape.kind) {
    case ShapeKind::kHeightfield: return sample_heightfield(shape, settings);
    case ShapeKind::kText: return sample_text(shape, settings, warnings);
    case ShapeKind::kMesh:
    case ShapeKind::kVolume: return sample_file(shape, settings, warnings);
    default: return sample_compound(shape, settings, warnings);
  }
}

}  // namespace firn
