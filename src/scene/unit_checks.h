// Numbers that a scene may have but that nobody means: most likely they are in another unit.
#pragma once

#include "scene/build.h"

namespace firn {

// Warns of them; and of snow so far from the origin that floats cannot tell its particles apart, whose frames are then in double precision.
void check_units(const Scene& scene, const std::vector<Form>& forms, Built& built);

}  // namespace firn
