#include "render/shadow.h"

#include <array>
#include <cmath>
#include <numbers>

namespace firn {
namespace {

constexpr int kSize = 1024;             // texels; at 300k particles a sphere is some four texels wide
constexpr float kRegion = 3;            // view units; snow farther out throws no shadow into the picture
constexpr float kSunWidth = 0.10f;      // penumbra per distance: a hazy sun, softer than the true 0.009
constexpr float kWidestSearch = 0.06f;  // view units
constexpr int kSearchSamples = 8, kSamples = 20;

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
const std::array<DiskPoint, kSamples> kDisk = make_disk<kSamples>();

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
  return static_cast<float>(lit) / kSamples;
}

}  // namespace firn
