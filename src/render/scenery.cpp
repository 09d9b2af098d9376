#include "render/scenery.h"

#include <utility>

#include "scene/bodies.h"

namespace firn {

Scenery::Scenery(Scene s) : scene(std::move(s)) {
  std::vector<std::string> warnings;  // the run has given them
  bodies = make_bodies(scene, warnings);
}

}  // namespace firn
