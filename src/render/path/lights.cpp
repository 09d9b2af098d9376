#include "render/path/lights.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "build/form.h"
#include "render/path/scattering.h"

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
  return {direction, distance, cosine > 0 ? pdf(distance, cosine) : 0};
}

std::optional<LampHit> FlatLamp::hit(const Ray& ray) const {
  const float approach = -dot(place_.normal, ray.direction), height = dot(place_.normal, ray.origin - place_.center);
  if (!(approach > 0 && height > 0)) return std::nullopt;
  const float t = height / approach;
  const Float3 from_center = ray.origin + t * ray.direction - place_.center;
  const float x = dot(from_center, place_.right) / half_width_, y = dot(from_center, place_.up) / half_height_;
  const bool within = is_disc_ ? x * x + y * y <= 1 : abs(x) <= 1 && abs(y) <= 1;
  if (!within) return std::nullopt;
  return LampHit{t, place_.normal, pdf(t, approach)};
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

namespace {

constexpr LightSample kDark{{0, 1, 0}, kBeyond, {0, 0, 0}, 0};

// The sample of a light that was chosen among several with this chance.
LightSample chosen(LightSample sample, float chance) {
  sample.light = (1 / chance) * sample.light;
  sample.pdf *= chance;
  return sample;
}

}  // namespace

Lights::Lights(const Daylight& daylight, const SkyImage* sky, std::vector<Lamp> lamps)
    : daylight_(daylight), sky_(sky), lamps_(std::move(lamps)) {}

float Lights::lamp_fluence(const Lamp& lamp, const Float3& p) const {
  return luminance(lamp.radiance) * std::visit([&](const auto& form) { return form.solid_angle(p); }, lamp.form);
}

float Lights::fluence(const Float3& p) const {
  float sum = sun_fluence() + sky_fluence();
  for (const Lamp& lamp : lamps_) sum += lamp_fluence(lamp, p);
  return sum;
}

LightSample Lights::sample(const Float3& p, Rng& rng) const {
  const float all = fluence(p);
  float left = random_float(rng) * all;
  const auto is_chosen = [&left](float part) {
    left -= part;
    return left < 0;
  };
  if (is_chosen(sun_fluence())) return chosen(sample_sun(rng), sun_fluence() / all);
  if (is_chosen(sky_fluence())) return chosen(sample_sky(rng), sky_fluence() / all);
  for (const Lamp& lamp : lamps_) {
    const float part = lamp_fluence(lamp, p);
    if (is_chosen(part)) return chosen(sample_lamp(lamp, p, rng), part / all);
  }
  return kDark;  // there is no light, or rounding has left a last bit of chance to nobody
}

LightSample Lights::sample_sun(Rng& rng) const {
  const float u = random_float(rng), v = random_float(rng);
  return {daylight_.towards_sun(u, v), kBeyond, daylight_.sunlight, 0};
}

LightSample Lights::sample_sky(Rng& rng) const {
  const Float3 direction = sky_->choose(rng);
  const float pdf = sky_->pdf(direction);
  return pdf > 0 ? LightSample{direction, kBeyond, (1 / pdf) * sky_->radiance(direction), pdf} : kDark;
}

LightSample Lights::sample_lamp(const Lamp& lamp, const Float3& p, Rng& rng) const {
  const float u = random_float(rng), v = random_float(rng);
  const LampSample way = std::visit([&](const auto& form) { return form.sample(p, u, v); }, lamp.form);
  return way.pdf > 0 ? LightSample{way.direction, way.distance, (1 / way.pdf) * lamp.radiance, way.pdf} : kDark;
}

Lights::LampAhead Lights::lamp_ahead(const Ray& ray) const {
  LampAhead nearest;
  for (const Lamp& lamp : lamps_) {
    const std::optional<LampHit> hit = std::visit([&](const auto& form) { return form.hit(ray); }, lamp.form);
    if (hit && hit->t < nearest.hit.t) nearest = {&lamp, *hit};
  }
  return nearest;
}

Colour Lights::backdrop(const Float3& direction) const {
  const float across = std::hypot(direction[0], direction[2]);
  const bool is_above = direction[1] >= 0 || across == 0;
  const Float3 seen = is_above ? direction : Float3{direction[0] / across, 0, direction[2] / across};
  return sky_ != nullptr ? sky_->radiance(seen) : daylight_.sky(seen);
}

FoundLight Lights::found(const Ray& ray, const LampAhead& ahead) const {
  if (ahead.lamp == nullptr && sky_ == nullptr) return {daylight_.sky(ray.direction), 0};
  const float all = fluence(ray.origin);
  if (ahead.lamp == nullptr) return {sky_->radiance(ray.direction), all > 0 ? sky_fluence() / all * sky_->pdf(ray.direction) : 0};
  return {ahead.lamp->radiance, all > 0 ? lamp_fluence(*ahead.lamp, ray.origin) / all * ahead.hit.pdf : 0};
}

namespace {

// Pictures of skies mostly have their own sun.
double sun_strength(const RenderSettings& settings) {
  const bool has_own_sun = !settings.sky_image.empty() && !settings.sun;
  return settings.sun_strength.value_or(has_own_sun ? 0 : 1);
}

Daylight scene_daylight(const RenderSettings& settings, const Camera& camera) {
  Daylight light;
  light.sun = camera.sun;
  light.sunlight = static_cast<float>(sun_strength(settings)) * light.sunlight;
  for (Colour* sky : {&light.zenith, &light.horizon, &light.below}) *sky = static_cast<float>(settings.sky_strength) * *sky;
  return light;
}

Lamp scene_lamp(const AreaLight& light, const Camera& camera) {
  const auto in_view = [&camera](double metres) { return static_cast<float>(metres / camera.radius); };
  const Colour radiance = static_cast<float>(light.strength) * to_float(to_vec(light.colour));
  const Vec<double, 3> center = to_vec(light.center), ahead = to_vec(light.target) - center;
  const float radius = in_view(light.radius);
  if (light.shape == LightShape::kSphere) return {BallLamp({camera.to_view(center), radius}), radiance};
  const Vec<double, 3> normal = (1 / norm(ahead)) * ahead;
  const Sides sides = sides_of(normal);
  const FlatLamp::Place place{camera.to_view(center), to_float(normal), to_float(sides.right), to_float(sides.up)};
  if (light.shape == LightShape::kDisc) return {FlatLamp(place, radius, radius, true), radiance};
  return {FlatLamp(place, 0.5f * in_view(light.size[0]), 0.5f * in_view(light.size[1]), false), radiance};
}

}  // namespace

std::optional<SkyImage> scene_sky(const RenderSettings& settings) {
  if (settings.sky_image.empty()) return std::nullopt;
  try {
    return SkyImage(read_hdr_image(settings.sky_image), settings.sky_turn, settings.sky_strength);
  } catch (const UserError& error) {
    throw UserError(settings.sky_location, fmt::format("sky_image: {}", error.what()));
  }
}

Lights scene_lights(const RenderSettings& settings, const Camera& camera, const SkyImage* sky) {
  std::vector<Lamp> lamps;
  for (const AreaLight& light : settings.lights) lamps.push_back(scene_lamp(light, camera));
  return Lights(scene_daylight(settings, camera), sky, std::move(lamps));
}

}  // namespace firn
