#include "scene/body_mesh.h"

#include <algorithm>

#include "geometry/contour.h"
#include "geometry/repair.h"
#include "scene/file_surface.h"
#include "scene/form.h"
#include "scene/sampled_form.h"
#include "scene/sequence.h"

namespace firn {
namespace {

// While so many are sorted for rays, pictures take about two and a half gigabytes. Beyond, triangles are smaller than anything to be seen.
constexpr std::size_t kMostDrawn = 8'000'000;

constexpr double kCellsAcross = 96;  // of a body known by distances, at least: round parts look round

// In the shape's own frame, as finely as the run samples it.
Mesh contour_of(const Shape& shape, const Scene& scene, std::vector<std::string>& warnings) {
  const Form form = make_form(shape, {3, scene.simulation.spacing, scene.simulation.fps}, warnings);
  const Vec<double, 3> extent = form.upper - form.lower;
  const double longest = std::max({extent[0], extent[1], extent[2]});
  const Mat<double, 3> turn = to_matrix(form.rotation);
  return contour({form.lower, form.upper}, [&](const Vec<double, 3>& q) { return form.distance(turn * q); },
                 {std::min(scene.simulation.spacing / kVoxelsPerCell, longest / kCellsAcross)});
}

std::optional<Mesh> triangles_of(const Shape& shape, const Scene& scene, double t) {
  if (shape.thickness > 0) return std::nullopt;
  std::vector<std::string> warnings;  // the run has given them
  switch (shape.kind) {
    case ShapeKind::kMesh: return read_surface(shape.file, shape, warnings).mesh;
    case ShapeKind::kSequence: return sequence_mesh(shape, scene.simulation.fps, t);
    case ShapeKind::kHeightfield: return heightfield_mesh(shape, scene.simulation.spacing);
    case ShapeKind::kText:
    case ShapeKind::kUnion:
    case ShapeKind::kDifference:
    case ShapeKind::kIntersection:
      return contour_of(shape, scene, warnings);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Mesh> body_mesh(const Collider& collider, const Scene& scene, double t) {
  try {
    std::optional<Mesh> mesh = triangles_of(collider.shape, scene, t);
    if (!mesh || mesh->triangles.empty() || mesh->triangles.size() > kMostDrawn) return std::nullopt;
    MeshReport report;
    return repair(*mesh, report);
  } catch (const UserError& e) {
    throw UserError(collider.location, e.what());
  }
}

}  // namespace firn
