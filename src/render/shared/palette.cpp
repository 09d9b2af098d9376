#include "render/shared/palette.h"

#include <cmath>
#include <numbers>

namespace firn {
namespace {

constexpr Colour kHorizon{0.34f, 0.42f, 0.52f};
constexpr Colour kZenith{0.08f, 0.15f, 0.30f};
constexpr Colour kBelow{0.10f, 0.13f, 0.18f};
constexpr Colour kGround{0.115f, 0.13f, 0.155f};
constexpr Colour kBody{0.30f, 0.20f, 0.13f};  // warm, so that obstacles stand out from ground and snow
constexpr Colour kLooseSnow{0.42f, 0.58f, 0.86f}, kSnow{0.80f, 0.86f, 0.95f}, kPackedSnow{1.05f, 1.03f, 1.00f};
constexpr float kCompaction = 0.12f;  // a change of J_P by this much shows the full colour
constexpr Colour kSteel{0.56f, 0.57f, 0.58f};
constexpr float kBrushed = 0.3f;   // roughness of metal
constexpr float kTileSize = 0.5f;  // view units
constexpr float kTileContrast = 0.05f;

// 1 or -1 by the tile's parity, fading to 0 where tiles are smaller than a pixel.
float checker(float u, float v, float footprint) {
  const auto wave = [footprint](float x) {
    const float phase = x / kTileSize;
    const float triangle = 4 * std::abs(phase - std::floor(phase + 0.5f)) - 1;  // zero at the tiles' edges
    return clamp(triangle * kTileSize / (4 * max(footprint, 1e-4f)), -1.0f, 1.0f);
  };
  return wave(u) * wave(v) * (1 - smoothstep(0.1f * kTileSize, 0.5f * kTileSize, footprint));
}

}  // namespace

Colour snow_on_paper(float jp) {
  const float compaction = clamp((1 - jp) / kCompaction, -1.0f, 1.0f);
  return compaction < 0 ? mix(kSnow, kLooseSnow, -compaction) : mix(kSnow, kPackedSnow, compaction);
}

Colour backdrop(const Float3& direction) {
  const float y = direction[1];
  if (y < 0) return mix(kHorizon, kBelow, smoothstep(0, 0.6f, -y));
  return mix(kHorizon, kZenith, std::pow(min(y * 1.6f, 1.0f), 0.6f));
}

BodyLook look_of(const Collider& collider) {
  const bool is_metal = collider.look == Look::kMetal;
  const Colour usual = is_metal ? kSteel : collider.shape.kind == ShapeKind::kPlane ? kGround : kBody;
  BodyLook look{is_metal, usual, kBrushed};
  for (int d = 0; collider.colour && d < 3; ++d) look.colour[d] = static_cast<float>((*collider.colour)[static_cast<std::size_t>(d)]);
  if (collider.roughness) look.roughness = static_cast<float>(*collider.roughness);
  return look;
}

Colour body_albedo(const StageHit& hit, float footprint) {
  const Colour& colour = hit.look->colour;
  if (!hit.is_plane) return colour;
  const Tangents t = tangents_of(hit.normal);
  const Colour tile = (1 + kTileContrast * checker(dot(hit.local, t.s), dot(hit.local, t.t), footprint)) * colour;
  return {min(tile[0], 1.0f), min(tile[1], 1.0f), min(tile[2], 1.0f)};
}

float haze(float distance, float subject) {
  constexpr float kBegin = 6, kRange = 14;  // view units; the subject is mostly at about 4
  const float x = max(distance - max(kBegin, subject), 0.0f) / kRange;
  return 1 - std::exp(-x);
}

Float3 choose_sun(const Camera& camera, const Stage& stage) {
  constexpr float kHeight = 0.55f;      // sine of the elevation: low enough to bring out the relief
  constexpr float kEnoughSlope = 0.3f;  // a plane lit flatter than this shows no form
  constexpr float kAcross = std::numbers::pi_v<float> / 180;
  const float facing = std::atan2(-camera.forward[0], -camera.forward[2]);
  Float3 best{0, 1, 0};
  float best_slope = -2;
  for (const float degrees : {-68.0f, 68.0f, -40.0f, 40.0f, -110.0f, 110.0f, 0.0f, 180.0f}) {
    const float azimuth = facing + degrees * kAcross;
    const float across = sqrt(1 - kHeight * kHeight);
    const Float3 sun{across * std::sin(azimuth), kHeight, across * std::cos(azimuth)};
    const float slope = min(stage.least_slope(sun), kEnoughSlope);
    if (slope <= best_slope) continue;
    best = sun;
    best_slope = slope;
  }
  return best;
}

}  // namespace firn
