#include "render/path/tracer.h"

#include <cmath>

#include "render/look.h"
#include "render/path/deep_snow.h"
#include "render/path/metal.h"
#include "render/path/scattering.h"

namespace firn {
namespace {

constexpr int kMostEvents = 4096;  // of one path
constexpr int kEventsBeforeChance = 8;

// Snow that absorbs next to nothing lets paths live on: of those that come back, the part with more than n scatterings falls only
// like n^(-1/2). Going on with chance p = (n / (n + 1))^a thins them out like n^(-a); the weights 1 / p keep a finite variance for
// a < 1/2 only, so the usual fixed chance would not do.
constexpr float kThinning = 0.4f;

float brightest(const Colour& c) { return max(c[0], max(c[1], c[2])); }

}  // namespace

struct PathTracer::Path {
  Ray ray;
  float footprint;
  Rng& rng;
  Colour throughput{1, 1, 1};
  float density = 0;  // with which the last turn was chosen; 0: from the camera
  int events = 0;
  int in_snow = 0;  // how many of them; counted as far as they matter
  Sample sample{};

  // What the camera sees.
  void sees(const Colour& albedo, const Float3& normal, float depth) {
    sample.albedo = albedo;
    sample.normal = normal;
    sample.depth = depth;
  }
};

PathTracer::PathTracer(const Medium& medium, const Stage& stage, const Lights& lights, const SnowLook& snow)
    : medium_(medium), stage_(stage), lights_(lights), snow_(snow) {
  constexpr float kWithout = 0.8f;    // a scattering leaves this part of the balance to the next ones
  constexpr float kStillThin = 0.6f;  // of the hue of thin snow, which the first scattering gives, this part is left by every other one
  float part = 1 - kWithout, thin = 1;
  for (Colour& step : balance_steps_) {
    for (int c = 0; c < 3; ++c) step[c] = std::pow(snow.balance[c], part) * std::pow(snow.thin[c], thin);
    part *= kWithout;
    thin = thin == 1 ? kStillThin - 1 : kStillThin * thin;
  }
}

// An estimate of the part of light that gets along the ray from a light so far away.
float PathTracer::visibility(const Ray& ray, float farthest, Rng& rng) const {
  constexpr float kShort = 1 - 1e-4f;  // of the way, so that a lamp does not hide itself
  if (lights_.lamp_ahead(ray).hit.t < kShort * farthest || stage_.trace(ray, farthest, Rays::kLight)) return 0;
  return medium_.transmittance(ray, farthest, rng);
}

// Light that comes to p and turns into the path, and the path's way on.
template <class Scattering>
void PathTracer::scatter_at(Path& path, const Float3& p, const Scattering& scattering) const {
  const LightSample sample = lights_.sample(p, path.rng);
  const Colour arriving = multiply(scattering.value(sample.direction), sample.light);
  if (brightest(arriving) > 0) {
    const float part = sample.density > 0 ? share(sample.density, scattering.density(sample.direction)) : 1;
    const float seen = visibility({p, sample.direction}, sample.distance, path.rng);
    path.sample.light += part * seen * multiply(path.throughput, arriving);
  }
  const Turn turn = scattering.turn(path.rng);
  path.throughput = multiply(path.throughput, turn.weight);
  path.density = turn.density;
  path.ray = {p, turn.direction};
}

Colour PathTracer::snow_albedo(const Float3& p) const {
  return snow_.coloured ? single_scattering_albedo(medium_.reflectance(p), snow_.anisotropy) : snow_.albedo;
}

void PathTracer::meet_snow(Path& path, float t) const {
  const Float3 p = path.ray.origin + t * path.ray.direction;
  const Colour albedo = snow_albedo(p);
  if (path.events == 0) path.sees(albedo, -normalized(medium_.gradient(p)), t);
  if (path.in_snow < kBalanceSteps) path.throughput = multiply(path.throughput, balance_steps_[static_cast<std::size_t>(path.in_snow++)]);
  scatter_at(path, p, SnowScattering(path.ray.direction, albedo, snow_.anisotropy));
}

void PathTracer::meet_body(Path& path, const StageHit& hit) const {
  const Colour albedo = body_albedo(hit, path.footprint * hit.t);
  if (path.events == 0) path.sees(albedo, hit.normal, hit.t);
  const Float3 p = stage_.departure(hit, path.ray.origin + hit.t * path.ray.direction);
  if (hit.look->is_metal) {
    scatter_at(path, p, MetalScattering(-path.ray.direction, hit.normal, albedo, hit.look->roughness));
  } else {
    scatter_at(path, p, MatteScattering(hit.normal, albedo));
  }
}

// For the lamp ahead, or for what is beyond.
void PathTracer::leave(Path& path, const Lights::LampAhead& ahead) const {
  if (path.events == 0 && ahead.lamp != nullptr) path.sees({1, 1, 1}, ahead.hit.normal, ahead.hit.t);
  const FoundLight light = lights_.found(path.ray, ahead);
  const float part = path.events > 0 ? share(path.density, light.density) : 1;
  path.sample.light += part * multiply(path.throughput, light.radiance);
}

// Whether the path is followed further.
bool PathTracer::go_on(Path& path) const {
  if (++path.events >= kMostEvents) return false;
  if (path.events < kEventsBeforeChance) return true;
  const float n = static_cast<float>(path.events);
  const float chance = min(1.0f, brightest(path.throughput)) * std::pow(n / (n + 1), kThinning);
  if (random_float(path.rng) >= chance) return false;
  path.throughput = (1 / chance) * path.throughput;
  return true;
}

PathTracer::Sample PathTracer::trace(Ray ray, float footprint, Rng& rng) const {
  Path path{ray, footprint, rng};
  do {
    const Lights::LampAhead ahead = lights_.lamp_ahead(path.ray);
    const std::optional<StageHit> hit = stage_.trace(path.ray, ahead.hit.t, path.events == 0 ? Rays::kSight : Rays::kLight);
    const std::optional<float> t = medium_.collide(path.ray, hit ? hit->t : ahead.hit.t, rng);
    if (t) {
      meet_snow(path, *t);
    } else if (hit) {
      meet_body(path, *hit);
    } else {
      leave(path, ahead);
      break;
    }
  } while (go_on(path));
  return path.sample;
}

}  // namespace firn
