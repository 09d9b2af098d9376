// Everything about a run that does not change while it runs.
#pragma once

#include <vector>

#include "collide/body.h"
#include "firn/scene.h"
#include "materials/snow.h"
#include "particles/table.h"

namespace firn {

struct Model {
  int dimension = 3;
  double h = 0;  // m
  Vec<double, 3> gravity{0, 0, 0};
  SolverSettings solver;
  std::vector<SnowParameters<double>> materials;  // a particle has an index into it
  bool varied = false;                            // particles have parameters of their own as well
  std::vector<BodyModel> bodies;                  // in scene order
  Cell<3> origin{0, 0, 0};                        // block 0 starts here: the lowest cell of the first particles
  double mass_floor = 0;                          // nodes below it feel gravity only (M4)
};

// Nodes lighter than this part of the lightest particle take no force: there w can underflow where grad w does not.
inline constexpr double kMassFloor = 1e-12;

SnowParameters<double> snow_parameters(const Material& material);
// Of one particle: its material's, and in a varied run its own.
SnowParameters<double> snow_parameters(const Model& model, std::uint16_t material, const Variation& own);

template <class T>
SnowParameters<T> convert(const SnowParameters<double>& s) {
  return {T(s.mu0), T(s.lambda0), T(s.hardening), T(s.stretch_min), T(s.stretch_max), T(s.log_limit)};
}

}  // namespace firn
