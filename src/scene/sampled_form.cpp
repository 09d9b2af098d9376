#include "scene/sampled_form.h"

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "geometry/level_set.h"
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
    parts.push_back({make_form(part, {3, settings.h}, warnings), {}});
    parts.back().from_first = parts.back().form.origin - parts.front().form.origin;
  }
  return parts;
}

// Of the union the hull of all parts, else the box of the first: the others only take away.
void fit_box(const Shape& shape, const std::vector<Part>& parts, SampledShape& sampled) {
  const Form::Box first = parts.front().form.world_box();
  sampled.lower = first.lower;
  sampled.upper = first.upper;
  for (const Part& part : parts) {
    if (shape.kind != ShapeKind::kUnion) break;
    const Form::Box box = part.form.world_box();
    for (int d = 0; d < 3; ++d) {
      sampled.lower[d] = std::min(sampled.lower[d], box.lower[d] + part.from_first[d]);
      sampled.upper[d] = std::max(sampled.upper[d], box.upper[d] + part.from_first[d]);
    }
  }
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

}  // namespace

SampledShape sample_file(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  const FileSurface surface = read_surface(shape.file, shape, warnings);
  const Bounds box = bounds(surface.mesh);
  const Vec<double, 3> half = Vec<double, 3>::filled(shape.thickness / 2);
  return {mesh_to_volume(surface.mesh, sampling_of(surface, shape, settings.h)), box.lower - half, box.upper + half};
}

SampledShape sample_compound(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  const std::vector<Part> parts = make_parts(shape, settings, warnings);
  SampledShape sampled;
  fit_box(shape, parts, sampled);
  const double voxel = settings.h / kVoxelsPerCell, band = kBandCells * settings.h;
  sampled.volume = bake(cover(sampled.lower, sampled.upper, band, voxel), band,
                        [&](const Vec<double, 3>& q) { return combine(shape.kind, parts, q); });
  return sampled;
}

}  // namespace firn
