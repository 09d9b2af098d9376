// Sums over all particles, for statistics and tests; in double and in id order, so that every backend is measured alike.
#pragma once

#include "solver/solver.h"

namespace firn {

struct Totals {
  double mass = 0;                     // kg
  Vec<double, 3> momentum{0, 0, 0};    // kg m/s
  Vec<double, 3> angular{0, 0, 0};     // kg m²/s about the world's origin, APIC's B counted (M10)
  double kinetic = 0;                  // J
  double elastic = 0;                  // J
  double J_P_min = 0, J_P_max = 0, J_P_mean = 0;
  Vec<double, 3> lower{0, 0, 0}, upper{0, 0, 0};  // of the positions, m
};

Totals sum_up(const Model& model, const Solver& solver, const State& state);

}  // namespace firn
