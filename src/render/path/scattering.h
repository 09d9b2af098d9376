// What becomes of light at a point: snow turns it by its phase function, a matte surface throws it back to all sides.
// Each kind has the same three members: value(), density() and turn().
#pragma once

#include <cmath>
#include <numbers>

#include "render/path/phase.h"
#include "render/path/random.h"

namespace firn {

// A way on.
struct Turn {
  Float3 direction;
  Colour weight;  // value / density
  float density;  // per steradian
};

class SnowScattering {
 public:
  // `way`: along which the path came.
  SnowScattering(const Float3& way, const Colour& albedo, float anisotropy) : way_(way), albedo_(albedo), g_(anisotropy) {}

  // The part of light that goes from the path to `direction`, or back; per steradian.
  Colour value(const Float3& direction) const { return density(direction) * albedo_; }
  // With which turn() chooses that direction.
  float density(const Float3& direction) const { return henyey_greenstein(dot(way_, direction), g_); }
  Turn turn(Rng& rng) const {
    const float u = random_float(rng), v = random_float(rng);
    const Float3 direction = scatter(way_, g_, u, v);
    return {direction, albedo_, density(direction)};
  }

 private:
  Float3 way_;
  Colour albedo_;
  float g_;
};

class MatteScattering {
 public:
  MatteScattering(const Float3& normal, const Colour& albedo) : normal_(normal), albedo_(albedo) {}

  // With the cosine at the surface.
  Colour value(const Float3& direction) const { return density(direction) * albedo_; }
  float density(const Float3& direction) const { return max(dot(normal_, direction), 0.0f) / std::numbers::pi_v<float>; }
  // Distributed like the cosine, which cancels.
  Turn turn(Rng& rng) const {
    const float cosine = std::sqrt(random_float(rng)), around = random_float(rng);
    return {direction_about(normal_, cosine, around), albedo_, cosine / std::numbers::pi_v<float>};
  }

 private:
  Float3 normal_;
  Colour albedo_;
};

}  // namespace firn
