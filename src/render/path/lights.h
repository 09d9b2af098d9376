// Where light comes from. A path gets it in two ways: at every scattering it asks for a sample of the lights, and where it meets a lamp or
// leaves the scene it takes what shines there. Where a light can be had both ways, the two share it by how likely each was to find it
// (Veach and Guibas 1995, the power heuristic), so that nothing counts twice.
#pragma once

#include <limits>
#include <vector>

#include "render/path/daylight.h"
#include "render/path/lamp.h"
#include "render/path/random.h"
#include "render/path/sky_image.h"

namespace firn {

inline constexpr float kBeyond = 1e6f;  // view units: farther than anything

struct LightSample {
  Float3 direction;  // towards the light
  float distance;    // view units
  Colour light;      // radiance, over how densely such directions are chosen
  float density;     // per steradian; 0: no path finds this light by chance
};

// Light that a path has found.
struct FoundLight {
  Colour radiance;
  float density;  // with which sample() chooses the same way to it; 0: never
};

class Lights {
 public:
  // `sky`: instead of the daylight's, null: none. It is not copied.
  Lights(const Daylight& daylight, const SkyImage* sky = nullptr, std::vector<Lamp> lamps = {});

  // For light at p, of one light by chance. The daylight's sky is none of them: it is nearly even, so paths find it as well by themselves.
  LightSample sample(const Float3& p, Rng& rng) const;

  // The first lamp on the ray's way.
  struct LampAhead {
    const Lamp* lamp = nullptr;  // null: there is none
    LampHit hit{std::numeric_limits<float>::infinity(), {0, 0, 0}, 0};
  };
  LampAhead lamp_ahead(const Ray& ray) const;
  // What shines along a ray that meets nothing else: the lamp, or what is beyond.
  FoundLight found(const Ray& ray, const LampAhead& ahead) const;

 private:
  // Luminance that would come to p with nothing in the way: the chance of a light to be sampled is in proportion to it.
  float sun_fluence() const { return luminance(daylight_.sunlight); }
  float sky_fluence() const { return sky_ != nullptr ? sky_->fluence() : 0; }
  float lamp_fluence(const Lamp& lamp, const Float3& p) const;
  float fluence(const Float3& p) const;

  LightSample sample_sun(Rng& rng) const;
  LightSample sample_sky(Rng& rng) const;
  LightSample sample_lamp(const Lamp& lamp, const Float3& p, Rng& rng) const;

  Daylight daylight_;
  const SkyImage* sky_;
  std::vector<Lamp> lamps_;
};

// Of a light found with `density`, when another way finds it with `other`.
inline float share(float density, float other) {
  if (other == 0) return 1;
  const float ratio = other / density;
  return 1 / (1 + ratio * ratio);
}

}  // namespace firn
