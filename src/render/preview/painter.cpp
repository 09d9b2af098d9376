#include "render/preview/painter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/parallel.h"
#include "math/random.h"
#include "render/shared/palette.h"

namespace firn {
namespace {

constexpr int kSize = 1024;             // texels; at 300k particles a sphere is some four texels wide
constexpr float kRegion = 3;            // view units; snow farther out throws no shadow into the picture
constexpr float kSunWidth = 0.10f;      // penumbra per distance: a hazy sun, softer than the true 0.009
constexpr float kWidestSearch = 0.06f;  // view units
constexpr int kSearchSamples = 8, kShadowSamples = 20;

// Points spread evenly over the unit disk: Vogel's spiral.
struct DiskPoint {
  float x, y;
};
template <int N>
std::array<DiskPoint, N> make_disk() {
  constexpr float kGoldenAngle = 2.39996323f;
  std::array<DiskPoint, N> points;
  for (int k = 0; k < N; ++k) {
    const float r = std::sqrt((static_cast<float>(k) + 0.5f) / N), a = kGoldenAngle * static_cast<float>(k);
    points[k] = {r * std::cos(a), r * std::sin(a)};
  }
  return points;
}
const std::array<DiskPoint, kSearchSamples> kSearchDisk = make_disk<kSearchSamples>();
const std::array<DiskPoint, kShadowSamples> kDisk = make_disk<kShadowSamples>();

// Looks down on the snow from the sun's side, as close as its extent allows.
Projection sun_projection(const std::vector<Sphere>& spheres, const Float3& sun) {
  const Tangents t = tangents_of(sun);
  float low[2] = {1, 1}, high[2] = {-1, -1}, margin = 0;
  bool first = true;
  for (const Sphere& s : spheres) {
    if (norm(s.center) > kRegion) continue;
    const float uv[2] = {dot(s.center, t.s), dot(s.center, t.t)};
    for (int d = 0; d < 2; ++d) {
      low[d] = first ? uv[d] : min(low[d], uv[d]);
      high[d] = first ? uv[d] : max(high[d], uv[d]);
    }
    margin = max(margin, s.radius);
    first = false;
  }
  const float half = 0.5f * max(high[0] - low[0], high[1] - low[1]) + margin + kWidestSearch;
  Projection p;
  p.right = t.s;
  p.up = t.t;
  p.forward = -sun;
  p.eye = 0.5f * (low[0] + high[0]) * t.s + 0.5f * (low[1] + high[1]) * t.t + 2 * kRegion * sun;
  p.scale = 0.5f * kSize / half;
  p.width = p.height = kSize;
  return p;
}

}  // namespace

ShadowMap::ShadowMap(const std::vector<Sphere>& spheres, const Float3& sun)
    : projection_(sun_projection(spheres, sun)), map_(splat(spheres, projection_)) {}

float ShadowMap::light(const Float3& p, float bias, float turn) const {
  const Splat s = projection_.project({p, 0});
  const float limit = s.depth - bias;
  const float angle = 2 * std::numbers::pi_v<float> * turn;
  const float c = std::cos(angle), sn = std::sin(angle);
  const auto depth_at = [&](const DiskPoint& d, float width) {
    const float x = s.x + width * (c * d.x - sn * d.y), y = s.y + width * (sn * d.x + c * d.y);
    if (!(x >= 0 && x < kSize && y >= 0 && y < kSize)) return kFarAway;
    return map_.depth[map_.at(static_cast<int>(x), static_cast<int>(y))];
  };
  float blocked = 0, distance = 0;
  for (const DiskPoint& d : kSearchDisk) {
    const float depth = depth_at(d, kWidestSearch * projection_.scale);
    if (depth >= limit) continue;
    blocked += 1;
    distance += s.depth - depth;
  }
  if (blocked == 0) return 1;
  constexpr float kNarrowest = 1.5f;  // texels; hides the map's grid
  const float width = max(kNarrowest, min(kWidestSearch, kSunWidth * distance / blocked) * projection_.scale);
  int lit = 0;
  for (const DiskPoint& d : kDisk) lit += depth_at(d, width) >= limit;
  return static_cast<float>(lit) / kShadowSamples;
}

namespace {

constexpr float kFarthest = 400;      // view units behind the subject: there the haze has swallowed everything
constexpr float kGrainPixels = 1.7f;  // samples; the radius grains are divided down to
constexpr int kMostGrains = 24;       // for a particle
constexpr float kMostDrawn = 4e6f;    // grains, to stay quick; by the particles of the frame, so that a film does not flicker
// Light bleeds this far around the terminator: snow lets it through, a crumb even more than a wall.
constexpr float kWrapPacked = 0.22f, kWrapLone = 0.7f;
constexpr float kSmoothing = 0.76f;     // of packed snow's normals; the rest is the grain's own
constexpr float kCrumb = 0.5f;          // how far a particle's grains look like one crumb
constexpr float kVariation = 0.05f;     // of brightness from grain to grain
constexpr float kGlowOnBodies = 0.35f;  // under snow it is darker than in it
constexpr float kGleam = 2;             // exponent of the sun's image in metal of roughness 1
constexpr float kPixel = 2;             // samples across: patterns are smoothed over one
constexpr float kCreviceReach = 4.0f;   // samples
constexpr float kCreviceDarkness = 0.28f;

// The sky in six cones: one along the normal, five around it at 60 degrees, weighted by the cosine.
constexpr std::array<Float3, 6> kCones{{{0, 0, 1},
                                        {0.866f, 0, 0.5f},
                                        {0.2676f, 0.8236f, 0.5f},
                                        {-0.7006f, 0.5090f, 0.5f},
                                        {-0.7006f, -0.5090f, 0.5f},
                                        {0.2676f, -0.8236f, 0.5f}}};

int choose_count(const SnowSpheres& snow, const Projection& p) {
  const float pixels = p.project({Float3::zero(), snow.radius}).radius;
  const float across = clamp(pixels / kGrainPixels, 1.0f, 3.0f);
  const int affordable = static_cast<int>(kMostDrawn / max(static_cast<float>(snow.spheres.size()), 1.0f));
  return std::clamp(static_cast<int>(across * across * across), 1, std::clamp(affordable, 1, kMostGrains));
}

std::vector<DrawnParticle> visible(const SnowSpheres& snow, const DensityField& density) {
  constexpr float kBuried = -1;
  std::vector<float> packed(snow.spheres.size());
  parallel_for(packed.size(), [&](std::size_t i) {
    const Float3& p = snow.spheres[i].center;
    packed[i] = density.is_buried(p) ? kBuried : smoothstep(0.1f, 0.4f, density.at(p, 0));
  });
  std::vector<DrawnParticle> list;
  for (std::size_t i = 0; i < packed.size(); ++i)
    if (packed[i] != kBuried) list.push_back({static_cast<std::uint32_t>(i), packed[i]});
  return list;
}

// The same body, and not around one of its edges; or both times none.
bool is_same_face(const std::optional<StageHit>& a, const std::optional<StageHit>& b) {
  if (!a || !b) return !a && !b;
  constexpr float kSameDirection = 0.98f;  // cosine
  return a->body == b->body && dot(a->normal, b->normal) > kSameDirection;
}

// Interleaved gradient noise (Jimenez 2014): neighbouring samples get values far apart.
float dither(int x, int y) {
  const float a = 0.06711056f * static_cast<float>(x) + 0.00583715f * static_cast<float>(y);
  const float b = 52.9829189f * (a - std::floor(a));
  return b - std::floor(b);
}

}  // namespace

Painter::Painter(const SnowSpheres& snow, const Stage& stage, const Projection& projection, const Float3& sun)
    : snow_(snow),
      stage_(stage),
      projection_(projection),
      subject_(norm(projection.eye)),
      sun_(sun),
      density_(snow.spheres, snow.radius),
      grains_(scatter_grains(snow, visible(snow, density_), choose_count(snow, projection))),
      map_(splat(grains_.spheres, projection)),
      shadow_(snow.spheres, sun) {}

std::vector<Colour> Painter::paint(int factor) const {
  std::vector<Colour> light(map_.depth.size());
  parallel_for(map_.height / factor, [&](int row) {
    std::vector<Sight> pixel(static_cast<std::size_t>(factor) * factor);
    for (int column = 0; column < map_.width / factor; ++column) {
      bool uniform = true;
      for (int i = 0; i < factor * factor; ++i) {
        pixel[i] = look(column * factor + i % factor, row * factor + i / factor);
        uniform = uniform && !pixel[i].snow && is_same_face(pixel[i].body, pixel[0].body);
      }
      // Away from edges bodies and sky are smooth: one sample serves for the pixel.
      const Colour shared = uniform ? shade(pixel[0]) : Colour::zero();
      for (const Sight& sight : pixel) light[map_.at(sight.x, sight.y)] = uniform ? shared : shade(sight);
    }
  });
  return light;
}

Painter::Sight Painter::look(int x, int y) const {
  Sight sight{projection_.ray(x, y), x, y, subject_ + kFarthest, false, std::nullopt};
  const float depth = map_.depth[map_.at(x, y)];
  if (depth < kFarAway) {
    sight.t = depth / dot(sight.ray.direction, projection_.forward);
    sight.snow = true;
  }
  sight.body = stage_.trace(sight.ray, sight.t);
  if (sight.body) {
    sight.t = sight.body->t;
    sight.snow = false;
  }
  return sight;
}

Colour Painter::shade(const Sight& sight) const {
  const Colour behind = backdrop(sight.ray.direction);
  if (!sight.snow && !sight.body) return behind;
  return mix(sight.snow ? shade_snow(sight) : shade_body(sight), behind, haze(sight.t, subject_));
}

Painter::SnowSurface Painter::snow_surface(std::uint32_t grain, const Float3& p, const Ray& ray) const {
  const Float3 fine = normalized(p - grains_.spheres[grain].center);
  const Float3 crumb = normalized(p - snow_.spheres[grains_.particle_of(grain)].center);
  const Float3 own = normalized(mix(fine, crumb, kCrumb));
  const Float3 gradient = density_.gradient(p);
  const float steepness = norm(gradient);
  // A lone particle hardly shows in the density: it keeps its own shape.
  const float packed = smoothstep(0.04f, 0.22f, steepness);
  const Float3 n = normalized(mix(own, (-1 / max(steepness, 1e-6f)) * gradient, kSmoothing * packed));
  // What is seen faces the eye; the smooth normal alone may not.
  const float facing = dot(n, ray.direction);
  return {facing < 0 ? n : normalized(n - (facing + 0.05f) * ray.direction), packed};
}

Colour Painter::shade_snow(const Sight& sight) const {
  const std::uint32_t grain = map_.index[map_.at(sight.x, sight.y)], particle = grains_.particle_of(grain);
  const Float3 p = sight.ray.origin + sight.t * sight.ray.direction;
  const auto [n, packed] = snow_surface(grain, p, sight.ray);
  const float wrap = mix(kWrapLone, kWrapPacked, packed);
  const float wrapped = max((dot(n, sun_) + wrap) / (1 + wrap), 0.0f);
  // The shadow map knows particles, not grains: start above the surface and forgive the nearest.
  const float bias = 2.5f * snow_.radius;
  const float lit = wrapped > 0 ? shadow_.light(p + 0.6f * bias * n, bias, dither(sight.x, sight.y)) * stage_.light(p, sun_) : 0.0f;
  const float open = openness(p, n, 1.2f * density_.cell());
  Rng random((std::uint64_t(snow_.key[particle]) << 8) + grain % static_cast<std::uint32_t>(grains_.count));
  const float variation = 1 + kVariation * static_cast<float>(2 * random.uniform() - 1);
  Colour light = (lit * wrapped) * kSunlight + mix(kSnowGlow, skylight(n), open);
  if (snow_.tinted) light = Colour::filled(luminance(light));
  return multiply(snow_.albedo[particle], variation * (1 - kCreviceDarkness * crevice(sight.x, sight.y)) * light);
}

Colour Painter::shade_body(const Sight& sight) const {
  const Float3 n = sight.body->normal;
  const Float3 p = sight.ray.origin + sight.t * sight.ray.direction;
  const float footprint = kPixel * sight.t / (projection_.scale * max(-dot(sight.ray.direction, n), 0.02f));
  const float cosine = max(dot(n, sun_), 0.0f);
  const float lit = cosine > 0 ? shadow_.light(p, 0.5f * snow_.radius, dither(sight.x, sight.y)) * stage_.light(p, sun_) : 0.0f;
  const float open = openness(p, n, 0.6f * density_.cell());
  const Colour light = (cosine * lit) * kSunlight + mix(kGlowOnBodies * kSnowGlow, skylight(n), open);
  const Colour albedo = body_albedo(*sight.body, footprint);
  const BodyLook& look = *sight.body->look;
  if (!look.is_metal) return multiply(albedo, light);
  // The rougher, the wider the sun's image and the less of a mirror.
  const Float3 mirrored = sight.ray.direction - 2 * dot(sight.ray.direction, n) * n;
  const float gleam = lit * std::pow(max(dot(mirrored, sun_), 0.0f), kGleam / (look.roughness * look.roughness));
  return multiply(albedo, mix(open * backdrop(mirrored) + gleam * kSunlight, light, look.roughness));
}

float Painter::openness(const Float3& p, const Float3& normal, float bias) const {
  const float free_of_bodies = stage_.openness(p, normal);
  if (!density_.is_near(p)) return free_of_bodies;
  const Tangents t = tangents_of(normal);
  float sum = 0, weights = 0;
  for (const Float3& cone : kCones) {
    const Float3 direction = cone[0] * t.s + cone[1] * t.t + cone[2] * normal;
    sum += cone[2] * density_.visibility(p + bias * normal, direction);
    weights += cone[2];
  }
  return free_of_bodies * sum / weights;
}

float Painter::crevice(int x, int y) const {
  constexpr int kSamples = 8;
  constexpr float kRing[kSamples][2] = {{1, 0}, {0.7f, 0.7f}, {0, 1}, {-0.7f, 0.7f}, {-1, 0}, {-0.7f, -0.7f}, {0, -1}, {0.7f, -0.7f}};
  const float range = 2.5f * snow_.radius;
  const float here = map_.depth[map_.at(x, y)];
  float sum = 0;
  for (int k = 0; k < kSamples; ++k) {
    const float reach = kCreviceReach * (k % 2 == 0 ? 1.0f : 0.5f);
    const int u = x + static_cast<int>(std::lround(reach * kRing[k][0])), v = y + static_cast<int>(std::lround(reach * kRing[k][1]));
    if (u < 0 || v < 0 || u >= map_.width || v >= map_.height) continue;
    const float above = (here - map_.depth[map_.at(u, v)]) / range;
    // Snow far in front is another lump, not the rim of this crevice.
    sum += clamp(above, 0.0f, 1.0f) * (1 - smoothstep(2, 5, above));
  }
  return sum / kSamples;
}

}  // namespace firn
