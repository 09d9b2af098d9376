// What is wrong or doubtful about bodies once their particles are known.
#pragma once

#include "scene/build.h"
#include "scene/form.h"

namespace firn {

// Throws UserError for snow wholly inside a collider; warns of snow partly inside one, of snow bodies that overlap, and of bodies
// too small for the grid.
void check_bodies(const Scene& scene, const std::vector<Form>& forms, Built& built);

}  // namespace firn
