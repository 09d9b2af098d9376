// What becomes of light at a point: snow turns it by its phase function, a matte surface throws it back to all sides.
// Each kind has the same three members: value(), density() and turn().
#pragma once

#include <cmath>
#include <numbers>

#include "math/random.h"
#include "render/shared/vector.h"

namespace firn {

// Random numbers of the path tracer.

// A number in [0, 1), from the generator's upper bits.
inline float random_float(Rng& rng) { return static_cast<float>(rng.next() >> 40) * 0x1p-24f; }

// Which way light goes on in snow: the phase function of Henyey and Greenstein (1941).

// Its value per steradian; `cosine` of the angle between the ways before and after.
inline float henyey_greenstein(float cosine, float g) {
  const float d = 1 + g * g - 2 * g * cosine;
  return (1 - g * g) / (4 * std::numbers::pi_v<float> * d * std::sqrt(d));
}

// A direction of length 1 whose cosine to `axis` is `cosine`; `turn` in [0, 1) goes around it.
inline Float3 direction_about(const Float3& axis, float cosine, float turn) {
  const float sine = std::sqrt(max(0.0f, 1 - cosine * cosine)), angle = 2 * std::numbers::pi_v<float> * turn;
  const Tangents t = tangents_of(axis);
  return normalized(cosine * axis + sine * std::cos(angle) * t.s + sine * std::sin(angle) * t.t);
}

// The way after `direction`, distributed like the phase function; u and v uniform in [0, 1).
inline Float3 scatter(const Float3& direction, float g, float u, float v) {
  if (std::abs(g) < 1e-3f) return direction_about(direction, 1 - 2 * u, v);  // all ways alike; the formula divides by g
  const float s = (1 - g * g) / (1 - g + 2 * g * u);
  return direction_about(direction, clamp((1 + g * g - s * s) / (2 * g), -1.0f, 1.0f), v);
}

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

// Rough metal: a surface of tiny mirrors whose slopes are spread by the GGX distribution (Walter et al. 2007). Each reflects by Schlick's
// approximation of Fresnel's formulas (1994) and may be hidden or shadowed by its neighbours (Smith 1967; the two together as in Heitz
// 2014).

class MetalScattering {
 public:
  // `back`: from the surface to where the path came from, on the side of the normal. `colour`: of light that falls straight onto it.
  MetalScattering(const Float3& back, const Float3& normal, const Colour& colour, float roughness)
      : across_(tangents_of(normal)), normal_(normal), back_(to_own(back)), colour_(colour), alpha_(roughness * roughness) {
    constexpr float kGrazing = 1e-3f;  // where a normal is rounded it may face away a little from what is seen
    back_[2] = max(back_[2], kGrazing);
  }

  // With the cosine at the surface.
  Colour value(const Float3& direction) const {
    const Float3 on = to_own(direction);
    if (on[2] <= 0) return Colour::zero();
    const Float3 mirror = normalized(back_ + on);
    return (slopes(mirror) * both_free(on) / (4 * back_[2])) * reflected(dot(back_, mirror));
  }

  float density(const Float3& direction) const {
    const Float3 on = to_own(direction);
    return on[2] > 0 ? density_of_mirror(normalized(back_ + on)) : 0;
  }

  // Among the mirrors that are seen from where the path came (Heitz 2018). What is left is how many of them see the way on.
  Turn turn(Rng& rng) const {
    const float u = random_float(rng), v = random_float(rng);
    const Float3 mirror = visible_mirror(u, v);
    const float cosine = dot(back_, mirror);
    const Float3 on = 2 * cosine * mirror - back_;
    const Float3 direction = normalized(on[0] * across_.s + on[1] * across_.t + on[2] * normal_);
    const float free = on[2] > 0 ? both_free(on) * (1 + hidden(back_)) : 0;
    return {direction, free * reflected(cosine), density_of_mirror(mirror)};
  }

 private:
  Float3 to_own(const Float3& v) const { return {dot(across_.s, v), dot(across_.t, v), dot(normal_, v)}; }

  // How many mirrors face m, per steradian and area of the surface. Written so that nothing cancels where the surface is smooth.
  float slopes(const Float3& m) const {
    const float s = (m[0] * m[0] + m[1] * m[1]) / (alpha_ * alpha_) + m[2] * m[2];
    return 1 / (std::numbers::pi_v<float> * alpha_ * alpha_ * s * s);
  }

  // Lambda of Smith's model: of mirrors that face a direction, how many are hidden for one that is not.
  float hidden(const Float3& v) const {
    const float tangent2 = (v[0] * v[0] + v[1] * v[1]) / (v[2] * v[2]);
    return 0.5f * (std::sqrt(1 + alpha_ * alpha_ * tangent2) - 1);
  }

  // The part of mirrors that see both the way back and the way on.
  float both_free(const Float3& on) const { return 1 / (1 + hidden(back_) + hidden(on)); }

  float density_of_mirror(const Float3& mirror) const { return slopes(mirror) / ((1 + hidden(back_)) * 4 * back_[2]); }

  Colour reflected(float cosine) const {
    const float edge = std::pow(clamp(1 - cosine, 0.0f, 1.0f), 5.0f);
    return mix(colour_, Colour{1, 1, 1}, edge);
  }

  // A point of the half sphere's outline as seen from the way back, after stretching the surface so that all slopes are alike.
  Float3 visible_mirror(float u, float v) const {
    const Float3 seen = normalized(Float3{alpha_ * back_[0], alpha_ * back_[1], back_[2]});
    const float flat = std::hypot(seen[0], seen[1]);
    const Float3 level = flat > 0 ? Float3{-seen[1] / flat, seen[0] / flat, 0} : Float3{1, 0, 0}, up = cross(seen, level);
    const float radius = std::sqrt(u), angle = 2 * std::numbers::pi_v<float> * v;
    const float x = radius * std::cos(angle);
    // What of the disc lies behind the horizon is squeezed onto the rest.
    const float y = mix(std::sqrt(max(0.0f, 1 - x * x)), radius * std::sin(angle), 0.5f * (1 + seen[2]));
    const Float3 m = x * level + y * up + std::sqrt(max(0.0f, 1 - x * x - y * y)) * seen;
    return normalized(Float3{alpha_ * m[0], alpha_ * m[1], max(m[2], 0.0f)});
  }

  Tangents across_;
  Float3 normal_, back_;
  Colour colour_;
  float alpha_;
};

}  // namespace firn
