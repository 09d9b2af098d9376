// A sphere on a floor under the sun as a path tracer would see it, with and without noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "render/path/picture.h"

namespace firn::test {

inline TracedPicture empty_picture(int width, int height) {
  const std::size_t n = static_cast<std::size_t>(width) * height;
  const Colour white = Colour::filled(1), black = Colour::zero();
  return {width,
          height,
          std::vector<Colour>(n, white),
          std::vector<Colour>(n, black),
          std::vector<Colour>(n, white),
          std::vector<Float3>(n, black),
          std::vector<float>(n, 0),
          {},
          {}};
}

// What one ray sees.
struct Sight {
  Colour light, albedo;
  Float3 normal;
  float depth;
};

// The eye 4 units before a sphere of radius 0.6 that lies on the floor; a darker, chequered floor; sky above.
inline Sight see(float u, float v) {
  const Float3 eye{0, 0.4f, 4}, center{0, 0, 0}, sun = normalized(Float3{0.6f, 0.7f, 0.5f});
  constexpr float kRadius = 0.6f;
  const Float3 ray = normalized(Float3{u, v - 0.1f, -2});
  const auto hit = [&](const Float3& from, const Float3& along) {
    const Float3 r = from - center;
    const float b = dot(r, along), d = b * b - dot(r, r) + kRadius * kRadius;
    return d > 0 && -b - std::sqrt(d) > 1e-3f ? -b - std::sqrt(d) : -1.0f;
  };
  const auto lit = [&](const Float3& n, float sunlight) {
    return Colour{0.9f * sunlight, 0.85f * sunlight, 0.8f * sunlight} + (0.15f + 0.1f * n[1]) * Colour{0.8f, 0.9f, 1.1f};
  };
  if (const float t = hit(eye, ray); t > 0) {
    const Float3 n = (1 / kRadius) * (eye + t * ray - center);
    return {lit(n, std::max(0.0f, dot(n, sun))), {0.95f, 0.97f, 1}, n, t};
  }
  const float t = (-kRadius - eye[1]) / ray[1];
  if (ray[1] >= 0 || t > 20) return {{0.5f, 0.6f, 0.8f}, {1, 1, 1}, {0, 0, 0}, 0};
  const Float3 x = eye + t * ray;
  const bool dark = (static_cast<int>(std::floor(2 * x[0])) + static_cast<int>(std::floor(2 * x[2]))) % 2 != 0;
  const Colour albedo = dark ? Colour{0.3f, 0.25f, 0.2f} : Colour{0.6f, 0.6f, 0.55f};
  return {multiply(albedo, lit({0, 1, 0}, hit(x, sun) > 0 ? 0 : sun[1])), albedo, {0, 1, 0}, t};
}

// Without noise: many rays a pixel.
inline TracedPicture lit_sphere(int width, int height) {
  constexpr int kRays = 4;  // each way
  TracedPicture picture = empty_picture(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      Sight mean{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
      for (int i = 0; i < kRays * kRays; ++i) {
        const float a = x + (i % kRays + 0.5f) / kRays, b = y + (i / kRays + 0.5f) / kRays;
        const Sight s = see((2 * a - width) / height, 1 - 2 * b / height);
        constexpr float kShare = 1.0f / (kRays * kRays);
        mean.light += kShare * s.light;
        mean.albedo += kShare * s.albedo;
        mean.normal += kShare * s.normal;
        mean.depth += kShare * s.depth;
      }
      const std::size_t p = picture.at(x, y);
      picture.light[p] = mean.light;
      picture.albedo[p] = mean.albedo;
      picture.normal[p] = mean.normal;
      picture.depth[p] = mean.depth;
    }
  return picture;
}

// Light that comes now and then: one of `rarity` samples brings `glare` times the true light more. 0: none does.
struct Fireflies {
  double rarity = 0, glare = 0;
};

// As `samples` a pixel show it, with the variance estimated from them as a tracer does. A sample is the true light times a number of an
// exponential distribution, as skewed as paths are; the sky has no noise.
inline TracedPicture noisy(const TracedPicture& truth, int samples, const Fireflies& fireflies = {}) {
  std::mt19937 random(7);
  std::exponential_distribution<double> path(1);
  std::uniform_real_distribution<double> chance;
  TracedPicture picture = truth;
  for (std::size_t p = 0; p < truth.light.size(); ++p) {
    if (truth.depth[p] == 0) continue;
    double sum = 0, squares = 0;
    for (int i = 0; i < samples; ++i) {
      const bool firefly = fireflies.rarity > 0 && chance(random) * fireflies.rarity < 1;
      const double sample = path(random) + (firefly ? fireflies.glare : 0);
      sum += sample;
      squares += sample * sample;
    }
    const double mean = sum / samples, variance = std::max(0.0, squares / samples - mean * mean) / (samples - 1);
    picture.light[p] = static_cast<float>(mean) * truth.light[p];
    picture.variance[p] = static_cast<float>(variance) * multiply(truth.light[p], truth.light[p]);
  }
  return picture;
}

}  // namespace firn::test
