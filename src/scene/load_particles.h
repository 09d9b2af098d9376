// Particles that come from a file rather than from a shape.
#pragma once

#include "firn/frame.h"
#include "firn/scene.h"
#include "particles/table.h"

namespace firn {

// Appends the frame's particles. What the file has wins: mass and volume over the material's density and (M5). The snow's velocity is
// added to theirs; `material` is the table index for files without one.
void add_particles(const Scene& scene, const Snow& snow, std::uint16_t material, const Frame& frame, ParticleTable& table);

}  // namespace firn
