// The light outdoors: a sun and a sky that changes from the horizon up.
#pragma once

#include <cmath>

#include "render/path/phase.h"

namespace firn {

struct Daylight {
  Float3 sun{0, 1, 0};                // towards it
  Colour sunlight{5.3f, 5.2f, 5.0f};  // what a surface that faces it gets; a white one then has 1 / pi of it
  float sun_sine = 0.012f;            // of its radius; twice the true one, for softer shadows with few samples
  Colour zenith{0.66f, 0.77f, 0.83f};
  Colour horizon{1.04f, 1.12f, 1.16f};
  Colour below{0.16f, 0.17f, 0.19f};  // of the sphere's lower half, where there is no ground

  // Radiance from there, without the sun's disc.
  Colour sky(const Float3& direction) const {
    const float y = direction[1];
    if (y < 0) return mix(horizon, below, smoothstep(0, 0.25f, -y));
    return mix(horizon, zenith, std::pow(y, 0.55f));
  }

  // A point of the sun's disc; u and v uniform in [0, 1).
  Float3 towards_sun(float u, float v) const {
    const float lowest = std::sqrt(1 - sun_sine * sun_sine);
    return direction_about(sun, 1 - u * (1 - lowest), v);
  }

  // The same from everywhere.
  static Daylight even(const Colour& radiance) {
    Daylight light;
    light.sunlight = Colour::zero();
    light.zenith = light.horizon = light.below = radiance;
    return light;
  }
};

}  // namespace firn
