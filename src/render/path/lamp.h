// Lights of some extent, in view units. From behind they are not there. Each kind has the same three members: sample(), hit() and
// solid_angle().
#pragma once

#include <optional>
#include <variant>

#include "render/vector.h"

namespace firn {

// A way from a point to a lamp.
struct LampSample {
  Float3 direction;
  float distance;
  float density;  // per steradian; 0: the point is behind the lamp
};

// Where a ray meets a lamp.
struct LampHit {
  float t;
  Float3 normal;
  float density;  // with which sample() chooses the ray's direction at its origin
};

// A rectangle or a disc.
class FlatLamp {
 public:
  struct Place {
    Float3 center, normal, right, up;  // each of length 1, across each other
  };
  // `half`: of width and height, or the disc's radius twice.
  FlatLamp(const Place& place, float half_width, float half_height, bool is_disc);

  // u and v uniform in [0, 1).
  LampSample sample(const Float3& p, float u, float v) const;
  std::optional<LampHit> hit(const Ray& ray) const;
  // About that as which it is seen from p.
  float solid_angle(const Float3& p) const;

 private:
  float density(float distance, float cosine) const { return distance * distance / (area_ * cosine); }

  Place place_;
  float half_width_, half_height_;
  bool is_disc_;
  float area_;
};

class BallLamp {
 public:
  explicit BallLamp(const Sphere& sphere) : sphere_(sphere) {}

  LampSample sample(const Float3& p, float u, float v) const;
  std::optional<LampHit> hit(const Ray& ray) const;
  float solid_angle(const Float3& p) const;

 private:
  Sphere sphere_;
};

struct Lamp {
  std::variant<FlatLamp, BallLamp> form;
  Colour radiance;
};

}  // namespace firn
