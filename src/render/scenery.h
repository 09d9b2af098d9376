// What a picture shows beside the snow: a scene and its bodies, made once for all pictures of a film.
#pragma once

#include <vector>

#include "collide/body.h"
#include "firn/scene.h"

namespace firn {

struct Scenery {
  explicit Scenery(Scene s);

  Scene scene;
  std::vector<BodyModel> bodies;  // of the colliders, in order
};

}  // namespace firn
