// What a Simulation holds.
#pragma once

#include "firn/simulation.h"
#include "scene/build.h"
#include "solver/solver.h"

namespace firn {

struct Simulation::Parts {
  Model model;
  std::unique_ptr<Solver> solver;
  State state;
  Population population;
  bool double_frames = false;
  std::vector<std::string> warnings;

  // All but the particles, the state and the solver.
  void take(const Scene& scene, Built& built);
  // After a step: lets in who has come and takes out who must go.
  void exchange_particles();
};

}  // namespace firn
