// What becomes of light at a point: snow turns it by its phase function, matte surfaces throw it to all sides, metal mirrors it.
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

// Each kind of scattering has the same three members: value(), pdf() and turn().

// A way on.
struct Turn {
  Float3 direction;
  Colour weight;  // value / pdf
  float pdf;      // per steradian
};

class SnowScattering {
 public:
  // `way`: along which the path came.
  SnowScattering(const Float3& way, const Colour& albedo, float anisotropy) : way_(way), albedo_(albedo), g_(anisotropy) {}

  // The part of light that goes from the path to `direction`, or back; per steradian.
  Colour value(const Float3& direction) const { return pdf(direction) * albedo_; }
  // The probability density with which turn() chooses that direction, per steradian.
  float pdf(const Float3& direction) const { return henyey_greenstein(dot(way_, direction), g_); }
  Turn turn(Rng& rng) const {
    const float u = random_float(rng), v = random_float(rng);
    const Float3 direction = scatter(way_, g_, u, v);
    return {direction, albedo_, pdf(direction)};
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
  Colour value(const Float3& direction) const { return pdf(direction) * albedo_; }
  float pdf(const Float3& direction) const { return max(dot(normal_, direction), 0.0f) / std::numbers::pi_v<float>; }
  // Distributed like the cosine, which cancels.
  Turn turn(Rng& rng) const {
    const float cosine = std::sqrt(random_float(rng)), around = random_float(rng);
    return {direction_about(normal_, cosine, around), albedo_, cosine / std::numbers::pi_v<float>};
  }

 private:
  Float3 normal_;
  Colour albedo_;
};

// Rough metal: a surface of tiny mirrors, the microfacets of Walter et al. (2007). In their symbols, with the surface's normal along z:
//   wo     to where the path came from
//   wi     to where it goes on
//   m      a microfacet's normal; what goes from wi to wo is reflected where m is half way between them
//   alpha  how rough the surface is: the larger, the steeper its microfacets
//   D      the distribution of m, GGX
//   G1     the part of the microfacets that neighbours do not hide from one direction (Smith 1967), 1 / (1 + Lambda)
//   G2     the part that they do not hide from wo or wi (Heitz 2014)
//   F      the reflectance by Fresnel, in Schlick's approximation (1994)

class MetalScattering {
 public:
  // `wo` is on the side of the normal. `colour`: of light that falls straight onto it.
  MetalScattering(const Float3& wo, const Float3& normal, const Colour& colour, float roughness)
      : across_(tangents_of(normal)), normal_(normal), wo_(to_own(wo)), colour_(colour), alpha_(roughness * roughness) {
    constexpr float kGrazing = 1e-3f;  // where a normal is rounded it may face away a little from what is seen
    wo_[2] = max(wo_[2], kGrazing);
  }

  // F D G2 / (4 wo_z wi_z) with the cosine at the surface, wi_z.
  Colour value(const Float3& direction) const {
    const Float3 wi = to_own(direction);
    if (wi[2] <= 0) return Colour::zero();
    const Float3 m = normalized(wo_ + wi);
    return (ggx(m) * masking_shadowing(wi) / (4 * wo_[2])) * fresnel(dot(wo_, m));
  }

  float pdf(const Float3& direction) const {
    const Float3 wi = to_own(direction);
    return wi[2] > 0 ? reflection_pdf(normalized(wo_ + wi)) : 0;
  }

  // Chooses among the microfacets that are seen from wo (Heitz 2018). What is left of value / pdf is F G2 / G1(wo).
  Turn turn(Rng& rng) const {
    const float u = random_float(rng), v = random_float(rng);
    const Float3 m = visible_normal(u, v);
    const float cosine = dot(wo_, m);
    const Float3 wi = 2 * cosine * m - wo_;
    const Float3 direction = normalized(wi[0] * across_.s + wi[1] * across_.t + wi[2] * normal_);
    const float free = wi[2] > 0 ? masking_shadowing(wi) * (1 + lambda(wo_)) : 0;
    return {direction, free * fresnel(cosine), reflection_pdf(m)};
  }

 private:
  Float3 to_own(const Float3& v) const { return {dot(across_.s, v), dot(across_.t, v), dot(normal_, v)}; }

  // D(m): how many microfacets face m, per steradian and area of the surface. Written so that nothing cancels where alpha is small.
  float ggx(const Float3& m) const {
    const float s = (m[0] * m[0] + m[1] * m[1]) / (alpha_ * alpha_) + m[2] * m[2];
    return 1 / (std::numbers::pi_v<float> * alpha_ * alpha_ * s * s);
  }

  // Lambda(v): how many microfacets that face v are hidden from it for one that is not.
  float lambda(const Float3& v) const {
    const float tangent2 = (v[0] * v[0] + v[1] * v[1]) / (v[2] * v[2]);
    return 0.5f * (std::sqrt(1 + alpha_ * alpha_ * tangent2) - 1);
  }

  // G2(wo, wi): the part of the microfacets that see both.
  float masking_shadowing(const Float3& wi) const { return 1 / (1 + lambda(wo_) + lambda(wi)); }

  // With which a reflection by m is chosen, per steradian of wi: G1(wo) D(m) / (4 wo_z).
  float reflection_pdf(const Float3& m) const { return ggx(m) / ((1 + lambda(wo_)) * 4 * wo_[2]); }

  // F; `cosine` between m and wo or wi, which are the same.
  Colour fresnel(float cosine) const {
    const float edge = std::pow(clamp(1 - cosine, 0.0f, 1.0f), 5.0f);
    return mix(colour_, Colour{1, 1, 1}, edge);
  }

  // An m that wo sees, u and v uniform in [0, 1): a point of the half sphere's outline as seen from wo, after stretching the surface so
  // that alpha is 1. Names are those of Heitz's listing (2018).
  Float3 visible_normal(float u, float v) const {
    const Float3 vh = normalized(Float3{alpha_ * wo_[0], alpha_ * wo_[1], wo_[2]});
    const float length = std::hypot(vh[0], vh[1]);
    const Float3 axis1 = length > 0 ? Float3{-vh[1] / length, vh[0] / length, 0} : Float3{1, 0, 0}, axis2 = cross(vh, axis1);
    const float r = std::sqrt(u), phi = 2 * std::numbers::pi_v<float> * v;
    const float t1 = r * std::cos(phi);
    // What of the disc lies behind the horizon is squeezed onto the rest.
    const float t2 = mix(std::sqrt(max(0.0f, 1 - t1 * t1)), r * std::sin(phi), 0.5f * (1 + vh[2]));
    const Float3 nh = t1 * axis1 + t2 * axis2 + std::sqrt(max(0.0f, 1 - t1 * t1 - t2 * t2)) * vh;
    return normalized(Float3{alpha_ * nh[0], alpha_ * nh[1], max(nh[2], 0.0f)});
  }

  Tangents across_;
  Float3 normal_, wo_;
  Colour colour_;
  float alpha_;
};

}  // namespace firn
