#include "render/path/scene_lights.h"

#include <fmt/format.h>

#include "scene/form.h"

namespace firn {
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
