// Points inside a shape: uniform in volume, the same for the same seed wherever in the grid the shape stands.
#pragma once

#include <vector>

#include "firn/scene.h"
#include "math/lattice.h"
#include "scene/form.h"

namespace firn {

// particles_per_cell points per cell of spacing h on average, where snow of this form is; z is 0 in 2D.
std::vector<LatticePoint<double, 3>> sample_form(const Form& form, const Snow& snow, double h);

}  // namespace firn
