// A box along the axes.
#pragma once

#include "math/vec.h"

namespace firn {

struct Bounds {
  Vec<double, 3> lower, upper;
};

}  // namespace firn
