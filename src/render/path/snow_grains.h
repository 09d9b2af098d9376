// Particles stand for many grains of snow. In pictures each becomes a cloud of them that takes the shape of its neighbourhood: wide
// inside packed snow, so that no single particle can be told apart, flat along its surface, and small where a particle is alone (after
// the anisotropic kernels of Yu and Turk 2013).
#pragma once

#include <cstddef>

#include "firn/frame.h"

namespace firn {

struct GrainSettings {
  double particle = 0;    // m, edge of the cube that a particle stands for
  std::size_t count = 1;  // grains of a particle
};

// Position and mass of `count` grains for every particle, particle by particle: the same ones in every frame.
Frame as_grains(const Frame& frame, const GrainSettings& settings);

}  // namespace firn
