// Particles that come from a file rather than from a shape.
#pragma once

#include "firn/frame.h"
#include "firn/scene.h"
#include "particles/table.h"

namespace firn {

// Whether the file's particles have parameters of their own.
bool has_variation(const Frame& frame);

// Appends the frame's particles. What the file has wins: mass and volume over the material's density and (M5), parameters over the
// material's. The snow's velocity is added to theirs, its material is for files without one.
void add_particles(const Scene& scene, const Snow& snow, const Frame& frame, ParticleTable& table);

}  // namespace firn
