// Triangles of a surface known by its distances, apart because it needs nothing else of a body. Edges that cut through cells stay sharp.
#pragma once

#include <functional>

#include "geometry/mesh.h"

namespace firn {

struct ContourSettings {
  double cell = 0;                   // m, about the size of a triangle
  std::size_t most_blocks = 20'000;  // of 8³ cells that the surface goes through; the cell gets larger where it would take more
};

// By dual contouring (Ju et al. 2002): one point in every cell that the surface goes through, where the planes that touch it on the cell's
// edges meet. `distance` is 1-Lipschitz, negative inside and positive everywhere on and beyond the box. Called on all threads; the result
// does not depend on how many there are. No triangle where there is nothing inside.
Mesh contour(const Bounds& box, const std::function<double(const Vec<double, 3>&)>& distance, const ContourSettings& settings);

}  // namespace firn
