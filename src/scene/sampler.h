// Points inside a shape: uniform in volume, the same for the same seed wherever in the grid the shape stands.
#pragma once

#include <limits>
#include <vector>

#include "firn/scene.h"
#include "math/lattice.h"
#include "scene/form.h"

namespace firn {

inline constexpr CellBox<3> kEverywhere{Cell<3>::filled(std::numeric_limits<std::int32_t>::min()),
                                        Cell<3>::filled(std::numeric_limits<std::int32_t>::max())};

// particles_per_cell points per cell of spacing h on average, where snow of this form is; z is 0 in 2D. With jittered sampling, boxes of
// cells side by side get together exactly the points of the whole.
std::vector<LatticePoint<double, 3>> sample_form(const Form& form, const Snow& snow, double h, const CellBox<3>& cells = kEverywhere);

}  // namespace firn
