// Particles as a page shows them, apart because it goes through the columns of a state: what is streamed must not cost the solver much.
#pragma once

#include <array>
#include <vector>

#include "firn/simulation.h"
#include "solver/model.h"
#include "state/state.h"

namespace firn {

// Called on the solver's threads. See Simulation::look.
ParticleLook look_at(const Model& model, const State& state, LookChannel channel, int every);

// See Simulation::sleeping_blocks.
std::vector<Vector> sleeping_blocks(const Model& model, const State& state);

// Cauchy's stress, Pa, of a complete frame's particle: P F_Eᵀ / J.
std::array<double, 9> stress_of(const Model& model, const Frame& frame, std::size_t particle);

}  // namespace firn
