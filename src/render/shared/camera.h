// Where the picture is taken from. Everything behind it works in view units: from `focus`, `radius` metres long, so that a
// snowflake and a mountain, here or far from the origin, look the same to single precision.
#pragma once

#include <cmath>
#include <numbers>

#include "firn/scene.h"
#include "render/shared/vector.h"

namespace firn {

// The tangent of half a field of view in degrees.
inline double half_tangent(double fov) { return std::tan(fov * std::numbers::pi / 360); }

// Right and up as one looks along `forward`, of length 1: up is towards +y; looking straight down or up, +x is to the right.
struct Sides {
  Vec<double, 3> right, up;
};
inline Sides sides_of(const Vec<double, 3>& forward) {
  constexpr double kUpright = 1e-6;  // sine of the angle to the vertical; below, no side is up by itself
  Vec<double, 3> right{-forward[2], 0, forward[0]};
  const double sine = norm(right);
  right = sine > kUpright ? (1 / sine) * right : Vec<double, 3>{1, 0, 0};
  return {right, cross(right, forward)};
}

struct Camera {
  Vec<double, 3> focus{0, 0, 0};  // m, the middle of what is to be seen
  double radius = 1;              // m, of what is to be seen
  Float3 eye{0, 0, 4};            // this and all below in view units
  Float3 right{1, 0, 0};
  Float3 up{0, 1, 0};
  Float3 forward{0, 0, -1};
  float tangent = 0.25f;  // of half the vertical field of view
  float half_height = 0;  // of the picture, when it is orthographic (2D); 0: perspective
  Float3 sun{0, 1, 0};    // towards it

  bool orthographic() const { return half_height > 0; }

  Float3 to_view(const Vec<double, 3>& x) const {
    Float3 r;
    for (int d = 0; d < 3; ++d) r[d] = static_cast<float>((x[d] - focus[d]) / radius);
    return r;
  }
};

// A sphere as it falls on the picture: centre and radius in pixels, depth and thickness in view units.
struct Splat {
  float x, y, radius;
  float depth, thickness;
};

// How view units map to the pixels of one picture; y runs down.
struct Projection {
  Float3 eye, right, up, forward;
  float scale = 1;  // pixels per view unit; perspective: at depth 1
  bool perspective = false;
  int width = 0, height = 0;

  float depth_of(const Float3& p) const { return dot(p - eye, forward); }

  Splat project(const Sphere& s) const {
    const Float3 r = s.center - eye;
    const float depth = dot(r, forward);
    const float pixels = perspective ? scale / depth : scale;
    return {0.5f * width + pixels * dot(r, right), 0.5f * height - pixels * dot(r, up), pixels * s.radius, depth, s.radius};
  }

  // Through the middle of a pixel, starting on the eye's plane.
  Ray ray(int x, int y) const { return ray_through(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f); }
  // Through any point, in pixels from the picture's upper left corner.
  Ray ray_through(float x, float y) const {
    const float u = (x - 0.5f * width) / scale, v = (0.5f * height - y) / scale;
    const Float3 across = u * right + v * up;
    if (perspective) return {eye, normalized(forward + across)};
    return {eye + across, forward};
  }
};

inline Projection projection_of(const Camera& c, int width, int height) {
  Projection p{c.eye, c.right, c.up, c.forward};
  p.perspective = !c.orthographic();
  p.scale = 0.5f * static_cast<float>(height) / (p.perspective ? c.tangent : c.half_height);
  p.width = width;
  p.height = height;
  return p;
}

}  // namespace firn
