// What a picture shows beside the snow: a scene and its bodies, made once for all pictures of a film.
#pragma once

#include <memory>
#include <vector>

#include "collide/body.h"
#include "firn/scene.h"
#include "firn/simulation.h"
#include "render/mesh_rays.h"

namespace firn {

class Scenery {
 public:
  // Throws UserError when a file that the scene names is not what it was. `setup` is told what takes long.
  explicit Scenery(Scene s, const SetupProgress& setup = {});

  Scene scene;
  std::vector<BodyModel> bodies;  // of the colliders, in order

  // The triangles of a body; null where it has none. Those of a deforming one are made anew every time, from its files.
  std::shared_ptr<const MeshRays> mesh(std::size_t body, double time) const;
  // The same without any work: null of a deforming body too.
  std::shared_ptr<const MeshRays> mesh_at_hand(std::size_t body) const { return meshes_[body]; }

 private:
  std::vector<std::shared_ptr<const MeshRays>> meshes_;  // of bodies that keep their shape
};

}  // namespace firn
