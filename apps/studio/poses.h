// Bodies and where they are, as pages are told.
#pragma once

#include "firn/bodies.h"
#include "frames.h"
#include "protocol.h"

namespace firn::studio {

bool any_moves(const SceneBodies& bodies);

// The event `poses`.
Json poses_json(const SceneBodies& bodies, int run, std::uint32_t serial, double time);

// An entry of the answer to `bodies`.
Json body_json(const ShownBody& body, const BodyPose& pose);

// The normals of colliders' triangles where they are, evenly chosen; of planes some near the snow.
Arrows normals_of(const SceneBodies& bodies, double time, const Extent& snow);

}  // namespace firn::studio
