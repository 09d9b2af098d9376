#include "scene/body_mesh.h"

#include "geometry/repair.h"
#include "scene/file_surface.h"
#include "scene/sampled_form.h"
#include "scene/sequence.h"

namespace firn {
namespace {

// While so many are sorted for rays, pictures take about two and a half gigabytes. Beyond, triangles are smaller than anything to be seen.
constexpr std::size_t kMostDrawn = 8'000'000;

std::optional<Mesh> triangles_of(const Shape& shape, const Scene& scene, double t) {
  if (shape.thickness > 0) return std::nullopt;
  std::vector<std::string> warnings;  // the run has given them
  switch (shape.kind) {
    case ShapeKind::kMesh: return read_surface(shape.file, shape, warnings).mesh;
    case ShapeKind::kSequence: return sequence_mesh(shape, scene.simulation.fps, t);
    case ShapeKind::kHeightfield: return heightfield_mesh(shape, scene.simulation.spacing);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Mesh> body_mesh(const Collider& collider, const Scene& scene, double t) {
  try {
    std::optional<Mesh> mesh = triangles_of(collider.shape, scene, t);
    if (!mesh || mesh->triangles.size() > kMostDrawn) return std::nullopt;
    MeshReport report;
    return repair(*mesh, report);
  } catch (const UserError& e) {
    throw UserError(collider.location, e.what());
  }
}

}  // namespace firn
