// Random numbers of the path tracer.
#pragma once

#include "math/rng.h"

namespace firn {

// In [0, 1), from the generator's upper bits.
inline float random_float(Rng& rng) { return static_cast<float>(rng.next() >> 40) * 0x1p-24f; }

}  // namespace firn
