#include "render/scenery.h"

#include <utility>

#include "scene/bodies.h"
#include "scene/body_mesh.h"

namespace firn {
namespace {

std::shared_ptr<const MeshRays> make_mesh(const Collider& collider, const Scene& scene, double time) {
  const std::optional<Mesh> mesh = body_mesh(collider, scene, time);
  return mesh ? std::make_shared<const MeshRays>(*mesh) : nullptr;
}

}  // namespace

Scenery::Scenery(Scene s, const SetupProgress& setup) : scene(std::move(s)) {
  std::vector<std::string> warnings;  // the run has given them
  bodies = make_bodies(scene, warnings, setup);
  meshes_.resize(bodies.size());
  if (scene.simulation.dimension == 2) return;  // sections are drawn, not surfaces
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (!bodies[i].deformation && scene.colliders[i].visible) meshes_[i] = make_mesh(scene.colliders[i], scene, 0);
}

std::shared_ptr<const MeshRays> Scenery::mesh(std::size_t body, double time) const {
  return bodies[body].deformation ? make_mesh(scene.colliders[body], scene, time) : meshes_[body];
}

}  // namespace firn
