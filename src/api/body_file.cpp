#include "api/body_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/mesh_write.h"
#include "scene/body_mesh.h"

namespace firn {
namespace {

// Deforming bodies have other triangles in every frame.
bool has_triangles(const Collider& collider) {
  constexpr ShapeKind kKinds[] = {ShapeKind::kMesh,  ShapeKind::kHeightfield, ShapeKind::kText,
                                  ShapeKind::kUnion, ShapeKind::kDifference,  ShapeKind::kIntersection};
  return collider.visible && std::find(std::begin(kKinds), std::end(kKinds), collider.shape.kind) != std::end(kKinds);
}

}  // namespace

bool has_body_triangles(const Scene& scene) {
  return scene.simulation.dimension == 3 && std::any_of(scene.colliders.begin(), scene.colliders.end(), has_triangles);
}

std::size_t write_body_triangles(const Scene& scene, const std::string& path) {
  std::vector<NamedMesh> meshes;
  std::size_t triangles = 0;
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    if (!has_triangles(scene.colliders[i])) continue;
    std::optional<Mesh> mesh = body_mesh(scene.colliders[i], scene, 0);
    if (!mesh) continue;
    triangles += mesh->triangles.size();
    meshes.push_back({fmt::format("collider_{}", i), std::move(*mesh)});
  }
  write_obj(path, meshes);
  return triangles;
}

}  // namespace firn
