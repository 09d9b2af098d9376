// What a Simulation holds.
#pragma once

#include "firn/simulation.h"
#include "scene/build.h"
#include "solver/solver.h"

namespace firn {

struct Simulation::Parts {
  Model model;
  std::unique_ptr<Solver> solver;
  std::unique_ptr<State> state;
  std::vector<std::string> warnings;
};

}  // namespace firn
