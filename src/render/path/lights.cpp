#include "render/path/lights.h"

#include <utility>

namespace firn {
namespace {

constexpr LightSample kDark{{0, 1, 0}, kBeyond, {0, 0, 0}, 0};

// As one of several lights, chosen with this chance.
LightSample chosen(LightSample sample, float chance) {
  sample.light = (1 / chance) * sample.light;
  sample.density *= chance;
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
  const float density = sky_->density(direction);
  return density > 0 ? LightSample{direction, kBeyond, (1 / density) * sky_->radiance(direction), density} : kDark;
}

LightSample Lights::sample_lamp(const Lamp& lamp, const Float3& p, Rng& rng) const {
  const float u = random_float(rng), v = random_float(rng);
  const LampSample way = std::visit([&](const auto& form) { return form.sample(p, u, v); }, lamp.form);
  return way.density > 0 ? LightSample{way.direction, way.distance, (1 / way.density) * lamp.radiance, way.density} : kDark;
}

Lights::LampAhead Lights::lamp_ahead(const Ray& ray) const {
  LampAhead nearest;
  for (const Lamp& lamp : lamps_) {
    const std::optional<LampHit> hit = std::visit([&](const auto& form) { return form.hit(ray); }, lamp.form);
    if (hit && hit->t < nearest.hit.t) nearest = {&lamp, *hit};
  }
  return nearest;
}

FoundLight Lights::found(const Ray& ray, const LampAhead& ahead) const {
  if (ahead.lamp == nullptr && sky_ == nullptr) return {daylight_.sky(ray.direction), 0};
  const float all = fluence(ray.origin);
  if (ahead.lamp == nullptr) return {sky_->radiance(ray.direction), all > 0 ? sky_fluence() / all * sky_->density(ray.direction) : 0};
  return {ahead.lamp->radiance, all > 0 ? lamp_fluence(*ahead.lamp, ray.origin) / all * ahead.hit.density : 0};
}

}  // namespace firn
