#include "render/path/lamp.h"

#include <cmath>
#include <numbers>

#include "render/path/phase.h"

namespace firn {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;

float square(float x) { return x * x; }

}  // namespace

FlatLamp::FlatLamp(const Place& place, float half_width, float half_height, bool is_disc)
    : place_(place),
      half_width_(half_width),
      half_height_(half_height),
      is_disc_(is_disc),
      area_((is_disc ? kPi : 4) * half_width * half_height) {}

// All parts of the area alike.
LampSample FlatLamp::sample(const Float3& p, float u, float v) const {
  float x = 2 * u - 1, y = 2 * v - 1;
  if (is_disc_) {
    const float r = std::sqrt(u), angle = 2 * kPi * v;
    x = r * std::cos(angle);
    y = r * std::sin(angle);
  }
  const Float3 way = place_.center + x * half_width_ * place_.right + y * half_height_ * place_.up - p;
  const float distance = norm(way);
  const Float3 direction = normalized(way);
  const float cosine = -dot(place_.normal, direction);
  return {direction, distance, cosine > 0 ? density(distance, cosine) : 0};
}

std::optional<LampHit> FlatLamp::hit(const Ray& ray) const {
  const float approach = -dot(place_.normal, ray.direction), height = dot(place_.normal, ray.origin - place_.center);
  if (!(approach > 0 && height > 0)) return std::nullopt;
  const float t = height / approach;
  const Float3 from_center = ray.origin + t * ray.direction - place_.center;
  const float x = dot(from_center, place_.right) / half_width_, y = dot(from_center, place_.up) / half_height_;
  const bool within = is_disc_ ? x * x + y * y <= 1 : abs(x) <= 1 && abs(y) <= 1;
  if (!within) return std::nullopt;
  return LampHit{t, place_.normal, density(t, approach)};
}

// Right from afar, but for the tilt, and a half sphere from close by.
float FlatLamp::solid_angle(const Float3& p) const {
  const Float3 away = p - place_.center;
  return dot(place_.normal, away) > 0 ? area_ / (dot(away, away) + area_ / (2 * kPi)) : 0;
}

float BallLamp::solid_angle(const Float3& p) const {
  const Float3 way = sphere_.center - p;
  const float sine_squared = square(sphere_.radius) / dot(way, way);
  if (!(sine_squared < 1)) return 0;
  return 2 * kPi * sine_squared / (1 + std::sqrt(1 - sine_squared));  // 1 - cosine, without the cancellation
}

// All directions towards it alike.
LampSample BallLamp::sample(const Float3& p, float u, float v) const {
  const float seen = solid_angle(p);
  if (seen == 0) return {{0, 1, 0}, 0, 0};
  const Float3 way = sphere_.center - p;
  const float distance = norm(way), off = u * seen / (2 * kPi);  // off: 1 - cosine
  const float sine_squared = off * (2 - off);
  const float within = std::sqrt(max(0.0f, square(sphere_.radius) - square(distance) * sine_squared));
  return {direction_about((1 / distance) * way, 1 - off, v), distance * (1 - off) - within, 1 / seen};
}

std::optional<LampHit> BallLamp::hit(const Ray& ray) const {
  const Float3 way = sphere_.center - ray.origin;
  const float along = dot(way, ray.direction);
  const Float3 aside = way - along * ray.direction;
  const float within = square(sphere_.radius) - dot(aside, aside), seen = solid_angle(ray.origin);
  if (along <= 0 || within < 0 || seen == 0) return std::nullopt;
  const float t = along - std::sqrt(within);
  return LampHit{t, (1 / sphere_.radius) * (t * ray.direction - way), 1 / seen};
}

}  // namespace firn
