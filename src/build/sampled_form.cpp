#include "build/sampled_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "firn/error.h"
#include "geometry/heightfield.h"
#include "geometry/letters.h"
#include "geometry/level_set.h"
#include "geometry/read_mesh.h"

namespace firn {
namespace {

// The shapes of a compound, and where they stand in its frame.
struct Part {
  Form form;
  Vec<double, 3> from_first;

  double distance(const Vec<double, 3>& q, double farthest) const { return form.distance(q - from_first, farthest); }
};

std::vector<Part> make_parts(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  const bool is_union = shape.kind == ShapeKind::kUnion;
  std::vector<Part> parts;
  for (const Shape& part : shape.parts) {
    if (part.kind == ShapeKind::kPlane && (is_union || parts.empty()))
      throw UserError(
          "a plane has no end: it can be taken away in a difference or cut with in an intersection, after a first part of another shape");
    parts.push_back({make_form(part, settings, warnings), {}});
    parts.back().from_first = parts.back().form.origin - parts.front().form.origin;
  }
  return parts;
}

// The box around all parts of a union, else that of the first: the others only take away.
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

double combine(ShapeKind kind, const std::vector<Part>& parts, const Vec<double, 3>& q, double farthest) {
  double phi = parts.front().distance(q, farthest);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const double other = parts[i].distance(q, farthest);
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
  if (settings.dimension == 3 && std::abs(surface.report.volume) > settings.most_content)
    throw TooMuchContent{std::abs(surface.report.volume)};
  Volume volume = mesh_to_volume(surface.mesh, sampling_of(surface, shape, settings.h));
  return {std::make_shared<const LevelSet>(std::move(volume)), box.lower - half, box.upper + half, {}, {}};
}

// A distance function, sampled twice as finely as the grid where somebody looks. Of a body the whole inside is, if need be: its normals
// push out what got in.
SampledShape sample_distance(const Bounds& box, const FormSettings& settings, DistanceFunction distance) {
  const double band = kBandCells * settings.h;
  const bool flat = settings.dimension == 2;
  Bounds seen = box;
  if (flat) {
    seen.lower[2] = seen.upper[2] = 0;
    distance = [section = std::move(distance)](const Vec<double, 3>& q, double farthest) { return section({q[0], q[1], 0}, farthest); };
  }
  const SampledReach known{band, settings.needs_content ? band : std::numeric_limits<double>::infinity(), flat};
  const VolumeLattice lattice = cover(seen.lower, seen.upper, band, settings.h / kVoxelsPerCell);
  return {sample_on_demand(lattice, known, distance), box.lower, box.upper, distance, {}};
}

GroundArea area_of(const Shape& shape) {
  const double half_x = shape.length / 2, half_z = (shape.width > 0 ? shape.width : shape.length) / 2;
  return {-half_x, -half_z, half_x, half_z};
}

HeightMap heights_of(const Shape& shape, double h) {
  return shape.formula.empty() ? height_map_from_png(shape.file, area_of(shape), 0, shape.height)
                               : height_map_from_formula(shape.formula, area_of(shape), h);
}

HeightMap section_heights(const Shape& shape, double h) {
  return shape.formula.empty() ? section_of(heights_of(shape, h)) : section_from_formula(shape.formula, area_of(shape), h);
}

SampledShape sample_heightfield(const Shape& shape, const FormSettings& settings) {
  const bool flat = settings.dimension == 2;
  // What is finer than a quarter of a cell, the grid cannot feel.
  HeightMap heights = coarsened(flat ? section_heights(shape, settings.h) : heights_of(shape, settings.h), settings.h / 4);
  const auto ground = std::make_shared<const HeightSolid>(std::move(heights), -shape.depth);
  Bounds box{ground->lower(), ground->upper()};
  const double width = box.upper[2] - box.lower[2];
  if (flat) {
    box.lower[2] = area_of(shape).z0;
    box.upper[2] = area_of(shape).z1;
  }
  SampledShape sampled =
      sample_distance(box, settings, [ground](const Vec<double, 3>& q, double farthest) { return ground->distance(q, farthest); });
  sampled.content = flat ? ground->content() / width : ground->content();
  return sampled;
}

SampledShape sample_text(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  const double thickness = shape.depth > 0 ? shape.depth : shape.height / 2;
  const TextOutline outline = outline_text(shape.text, {shape.font, shape.height, thickness});
  warnings.insert(warnings.end(), outline.warnings.begin(), outline.warnings.end());
  const auto solid = std::make_shared<const TextSolid>(outline, thickness);
  return sample_distance({solid->lower(), solid->upper()}, settings,
                         [solid](const Vec<double, 3>& q, double) { return solid->distance(q); });
}

SampledShape sample_compound(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  const auto parts = std::make_shared<const std::vector<Part>>(make_parts(shape, settings, warnings));
  Bounds box = box_around(shape, *parts);
  if (settings.dimension == 2) {  // parts are sections, the same for all z
    box.lower[2] = -settings.h;
    box.upper[2] = settings.h;
  }
  return sample_distance(
      box, settings, [kind = shape.kind, parts](const Vec<double, 3>& q, double farthest) { return combine(kind, *parts, q, farthest); });
}

}  // namespace

Mesh heightfield_mesh(const Shape& shape, double h) { return to_mesh(heights_of(shape, h), -shape.depth); }

SampledShape sample_shape(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) {
  switch (shape.kind) {
    case ShapeKind::kHeightfield: return sample_heightfield(shape, settings);
    case ShapeKind::kText: return sample_text(shape, settings, warnings);
    case ShapeKind::kMesh:
    case ShapeKind::kVolume: return sample_file(shape, settings, warnings);
    default: return sample_compound(shape, settings, warnings);
  }
}

namespace {

constexpr double kMostVoxelsPerCell = 8;
constexpr double kVoxelsAcross = 3;  // what is thin is resolved by at least so many

Mesh read_any(const std::string& file, double threshold) {
  return std::filesystem::path(file).extension() == ".vdb" ? read_vdb(file, threshold) : read_mesh(file);
}

}  // namespace

FileSurface read_surface(const std::string& file, const Shape& shape, std::vector<std::string>& warnings) {
  Mesh raw = read_any(file, shape.threshold);
  for (Vec<double, 3>& x : raw.points)
    for (int d = 0; d < 3; ++d) x[d] *= shape.scale[static_cast<std::size_t>(d)];
  FileSurface surface;
  const Location where{file};
  if (shape.thickness > 0) {
    surface.mesh = clean(raw, surface.report, where);
    surface.report.area = surface_area(surface.mesh);
    surface.report.volume = surface.report.area * shape.thickness;
    return surface;
  }
  surface.mesh = repair(raw, surface.report, where);
  for (const std::string& warning : firn::warnings(surface.report)) warnings.push_back(fmt::format("{}: {}", file, warning));
  if (surface.report.encloses_nothing())
    throw UserError(where, "the surface encloses nothing: close it, or give it a `thickness` (m) to use it as a sheet");
  // Frames of a sequence keep their points' order where nothing had to be closed.
  if (surface.report.holes > 0) return surface;
  drop_unused_points(raw);
  surface.mesh = std::move(raw);
  return surface;
}

// Thin plates need finer voxels than the grid's. A plate's thickness is twice its volume over its area; bulky bodies give more.
LevelSetOptions sampling_of(const FileSurface& surface, const Shape& shape, double h) {
  const MeshReport& report = surface.report;
  const double across = shape.thickness > 0 ? shape.thickness : 2 * std::abs(report.volume) / report.area;
  return {std::clamp(across / kVoxelsAcross, h / kMostVoxelsPerCell, h / kVoxelsPerCell), kBandCells * h, shape.thickness};
}

}  // namespace firn
