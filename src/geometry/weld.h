// Points that are meant to be one.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/mesh.h"

namespace firn {

// For every point the number of the one that stands for it: an earlier one within `tolerance`, or itself. No two points that stand for
// others or themselves are within `tolerance` of each other. Takes time in proportion to the number of points, however they lie.
std::vector<std::uint32_t> weld(const Mesh& mesh, double tolerance);

}  // namespace firn
