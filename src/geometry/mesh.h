// A triangle mesh: plain data.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "math/vec.h"

namespace firn {

struct Mesh {
  std::vector<Vec<double, 3>> points;                   // m
  std::vector<std::array<std::uint32_t, 3>> triangles;  // outside is where the corners run counter-clockwise
};

}  // namespace firn
