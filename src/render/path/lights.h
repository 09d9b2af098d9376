// Where light comes from. A path gets it in two ways: at every scattering it asks for a sample of the lights, and where it leaves the
// scene it takes what shines there. Where a light can be had both ways, the two share it by how likely each was to find it (Veach and
// Guibas 1995, the power heuristic), so that nothing counts twice.
#pragma once

#include "render/path/daylight.h"
#include "render/path/random.h"

namespace firn {

struct LightSample {
  Float3 direction;  // towards the light
  float distance;    // view units
  Colour light;      // radiance, over how densely such directions are chosen
  float density;     // per steradian; 0: no path finds this light by chance
};

class Lights {
 public:
  Lights(const Daylight& daylight) : daylight_(daylight) {}

  // For light at p.
  LightSample sample(const Float3& p, Rng& rng) const;
  // Radiance that comes from there to a path that meets nothing.
  Colour beyond(const Float3& direction) const { return daylight_.sky(direction); }
  // With which sample() chooses a direction that beyond() shines from.
  float density_beyond(const Float3&) const { return 0; }

 private:
  Daylight daylight_;
};

// Of a light found with `density`, when another way finds it with `other`.
inline float share(float density, float other) {
  if (other == 0) return 1;
  const float ratio = other / density;
  return 1 / (1 + ratio * ratio);
}

}  // namespace firn
