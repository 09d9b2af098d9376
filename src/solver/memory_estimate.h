// What a run will need, before it takes it.
#pragma once

#include "firn/scene.h"
#include "particles/table.h"
#include "solver/model.h"

namespace firn {

struct GridSize {
  std::size_t blocks = 0;       // with particles
  std::size_t node_blocks = 0;  // under them
};

GridSize count_blocks(const Model& model, const ParticleTable& particles);

// Bytes at the peak of a run: the state with its grid, or the table it starts from, whichever is more. varied: particles have
// parameters of their own.
double estimate_bytes(const Scene& scene, double particles, const GridSize& grid, bool varied);

}  // namespace firn
