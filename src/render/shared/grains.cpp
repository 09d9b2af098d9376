#include "render/shared/grains.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/parallel.h"
#include "frame/rasterize.h"
#include "math/random.h"
#include "render/shared/palette.h"

namespace firn {
namespace {

constexpr float kFarOutside = 50;   // view units; nothing there can be seen or throw a shadow into the view
constexpr float kSpread = 1.4f;     // grains reach into the neighbours, so that packed snow does not look like beads
constexpr float kLoneGrain = 0.6f;  // of the size of a packed one: loose snow is powder, not popcorn
constexpr float kSizeVariation = 0.35f;

double disc_radius(double area) { return std::sqrt(area / std::numbers::pi); }

// On paper there is no light to bring out the form: there packed and loose snow differ.
Colour own_colour(const Frame& frame, std::size_t p, bool flat) {
  if (!flat) return kSnowAlbedo;
  return snow_on_paper(frame.jp.empty() ? 1.0f : static_cast<float>(frame.jp[p]));
}

bool is_near(float coordinate) { return std::abs(coordinate) < kFarOutside; }  // false for NaN

}  // namespace

double typical_volume(const Frame& frame, const Scenery* scenery) {
  if (!frame.volume.empty()) return median(frame.volume);
  if (scenery != nullptr && scenery->scene.simulation.spacing > 0)
    return usual_volume(scenery->scene.simulation.spacing, scenery->scene.simulation.dimension);
  double volume = 1 / static_cast<double>(std::max<std::size_t>(frame.size(), 1));
  for (int d = 0; d < 3; ++d) {
    const auto less = [d](const auto& a, const auto& b) { return a[d] < b[d]; };
    const auto [low, high] = std::minmax_element(frame.position.begin(), frame.position.end(), less);
    const double extent = low == frame.position.end() ? 0 : (*high)[d] - (*low)[d];
    if (extent > 0) volume *= extent;  // no extent along z: an area
  }
  constexpr double kSnowflake = 1e-6;  // m³, when nothing tells
  return frame.size() > 1 && volume > 0 && std::isfinite(volume) ? volume : kSnowflake;
}

SnowSpheres make_spheres(const Frame& frame, const Camera& camera, double typical_volume, const std::vector<Colour>& colours) {
  SnowSpheres snow;
  snow.tinted = !colours.empty();
  // As many particles, packed, would fill the whole view with spheres of 1/∛n; more than twice that is a mistake in the file.
  const double count = static_cast<double>(std::max<std::size_t>(frame.size(), 64));
  const bool flat = camera.orthographic();
  const double largest = 2 / (flat ? std::sqrt(count) : std::cbrt(count));
  const PresentVolume volume_of(frame, typical_volume, kMostVolumeRatio);
  std::vector<double> radii;
  for (std::size_t p = 0; p < frame.size(); ++p) {
    const auto& x = frame.position[p];
    const Float3 center = camera.to_view({x[0], x[1], x[2]});
    if (!(is_near(center[0]) && is_near(center[1]) && is_near(center[2]))) continue;
    const double volume = volume_of(p);
    const double radius = std::min(largest, (flat ? disc_radius(volume) : sphere_radius(volume)) / camera.radius);
    snow.spheres.push_back({center, static_cast<float>(radius)});
    snow.albedo.push_back(snow.tinted ? colours[p] : own_colour(frame, p, flat));
    snow.key.push_back(frame.id.empty() ? static_cast<std::uint32_t>(p) : frame.id[p]);
    radii.push_back(snow.spheres.back().radius);
  }
  if (!radii.empty()) snow.radius = static_cast<float>(median(std::move(radii)));
  return snow;
}

Grains scatter_grains(const SnowSpheres& snow, std::vector<DrawnParticle> particles, int count) {
  Grains grains{{}, std::move(particles), count};
  grains.spheres.resize(grains.particles.size() * static_cast<std::size_t>(count));
  // Volume is kept, plus what it takes to close the gaps between grains that overlap by chance.
  const float shrink = 1.15f / std::cbrt(static_cast<float>(count));
  parallel_for(grains.particles.size(), [&](std::size_t i) {
    const auto [index, packed] = grains.particles[i];
    const Sphere& s = snow.spheres[index];
    const float radius = shrink * s.radius * (count > 1 ? mix(kLoneGrain, 1.0f, packed) : 1.0f);
    Rng random(snow.key[index]);
    const auto signed_uniform = [&random] { return static_cast<float>(2 * random.uniform() - 1); };
    for (int k = 0; k < count; ++k) {
      const Float3 direction = normalized(Float3{signed_uniform(), signed_uniform(), signed_uniform()});
      const float distance = count > 1 ? kSpread * s.radius * std::cbrt(static_cast<float>(random.uniform())) : 0.0f;
      grains.spheres[i * count + k] = {s.center + distance * direction, radius * (1 + kSizeVariation * signed_uniform())};
    }
  });
  return grains;
}

}  // namespace firn
