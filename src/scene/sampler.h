// Points inside a shape: uniform in volume, the same for the same seed wherever in the grid the shape stands.
#pragma once

#include <vector>

#include "collide/solid.h"
#include "firn/scene.h"
#include "math/lattice.h"

namespace firn {

// Volume of a shape, m³ (2D: area, m²).
double shape_volume(const Shape& shape, int dimension);

// Half the edges of the box around a shape, about its origin, m.
Vec<double, 3> shape_reach(const Shape& shape);

// phi at a point given relative to the shape's origin, m.
double shape_distance(const Shape& shape, int dimension, const Vec<double, 3>& r);

// particles_per_cell points per cell of spacing h on average; z is 0 in 2D.
std::vector<LatticePoint<double, 3>> sample_shape(const Snow& snow, int dimension, double h);

}  // namespace firn
