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

// A shape as its parts have it: a level set of the whole would have rims like saws.
class ExactShape {
 public:
  ExactShape(const Shape& shape, const FormSettings& settings, std::vector<std::string>& warnings) : kind_(shape.kind) {
    if (shape.parts.empty()) form_ = make_form(shape, settings, warnings);
    for (const Shape& part : shape.parts) parts_.emplace_back(part, settings, warnings);
  }

  // Of a point in the world.
  double distance(const Vec<double, 3>& x) const {
    if (parts_.empty()) return form_.distance(x - form_.origin);
    double phi = parts_.front().distance(x);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      const double other = parts_[i].distance(x);
      phi = kind_ == ShapeKind::kUnion ? std::min(phi, other) : std::max(phi, kind_ == ShapeKind::kDifference ? -other : other);
    }
    return phi;
  }

  // In the world. All but the first part of a difference or an intersection only take away.
  Bounds box() const {
    if (parts_.empty()) return {form_.origin + form_.world_box().lower, form_.origin + form_.world_box().upper};
    Bounds hull = parts_.front().box();
    for (std::size_t i = 1; i < parts_.size() && kind_ == ShapeKind::kUnion; ++i) {
      const Bounds box = parts_[i].box();
      for (int d = 0; d < 3; ++d) {
        hull.lower[d] = std::min(hull.lower[d], box.lower[d]);
        hull.upper[d] = std::max(hull.upper[d], box.upper[d]);
      }
    }
    return hull;
  }

 private:
  ShapeKind kind_;
  Form form_;  // without parts
  std::vector<ExactShape> parts_;
};

// In the shape's own frame, as finely as the run samples it.
Mesh contour_of(const Shape& shape, const Scene& scene, std::vector<std::string>& warnings) {
  const ExactShape exact(shape, {3, scene.simulation.spacing, scene.simulation.fps}, warnings);
  const Vec<double, 3> origin = shape_origin(shape);
  const Bounds box = exact.box();
  const Vec<double, 3> extent = box.upper - box.lower;
  const double longest = std::max({extent[0], extent[1], extent[2]});
  return contour({box.lower - origin, box.upper - origin}, [&](const Vec<double, 3>& q) { return exact.distance(origin + q); },
                 {std::min(scene.simulation.spacing / kVoxelsPerCell, longest / kCellsAcross)});
}

// The same of text, which may be turned.
Mesh contour_of_text(Shape shape, const Scene& scene, std::vector<std::string>& warnings) {
  shape.rotation = Shape{}.rotation;  // the body turns its frame
  return contour_of(shape, scene, warnings);
}

std::optional<Mesh> triangles_of(const Shape& shape, const Scene& scene, double t) {
  if (shape.thickness > 0) return std::nullopt;
  std::vector<std::string> warnings;  // the run has given them
  switch (shape.kind) {
    case ShapeKind::kMesh: return read_surface(shape.file, shape, warnings).mesh;
    case ShapeKind::kSequence: return sequence_mesh(shape, scene.simulation.fps, t);
    case ShapeKind::kHeightfield: return heightfield_mesh(shape, scene.simulation.spacing);
    case ShapeKind::kText: return contour_of_text(shape, scene, warnings);
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
