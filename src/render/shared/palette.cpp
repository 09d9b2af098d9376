#include "render/shared/palette.h"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace firn {
namespace {

constexpr Colour kHorizon{0.34f, 0.42f, 0.52f};
constexpr Colour kZenith{0.08f, 0.15f, 0.30f};
constexpr Colour kBelow{0.10f, 0.13f, 0.18f};
constexpr Colour kGround{0.185f, 0.176f, 0.163f};  // frozen earth
constexpr Colour kWall{0.285f, 0.287f, 0.286f};    // concrete
constexpr Colour kBody{0.200f, 0.165f, 0.135f};    // weathered wood: warmer than what is around, so that obstacles stand out
constexpr Colour kLooseSnow{0.42f, 0.58f, 0.86f}, kSnow{0.80f, 0.86f, 0.95f}, kPackedSnow{1.05f, 1.03f, 1.00f};
constexpr float kCompaction = 0.12f;  // a change of J_P by this much shows the full colour
constexpr Colour kSteel{0.56f, 0.57f, 0.58f};
constexpr float kBrushed = 0.3f;  // roughness of metal

// Chance of a lattice point, -1 to 1: a hash of few instructions, as rays that meet ground ask for many.
float lattice_chance(std::uint32_t i, std::uint32_t j, std::uint32_t octave) {
  std::uint32_t h = i * 0x9e3779b1u ^ j * 0x85ebca77u ^ octave * 0xc2b2ae3du;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return static_cast<float>(h ^ h >> 15) * 0x1p-31f - 1;
}

// Smooth between the points of a lattice of edge 1.
float patches(float u, float v, std::uint32_t octave) {
  constexpr float kFarthest = 1e6f;  // beyond, the lattice is finer than floats are
  u = clamp(u, -kFarthest, kFarthest);
  v = clamp(v, -kFarthest, kFarthest);
  const float u0 = std::floor(u), v0 = std::floor(v);
  const auto i = static_cast<std::uint32_t>(static_cast<std::int32_t>(u0)), j = static_cast<std::uint32_t>(static_cast<std::int32_t>(v0));
  const float a = smoothstep(0, 1, u - u0), b = smoothstep(0, 1, v - v0);
  return mix(mix(lattice_chance(i, j, octave), lattice_chance(i + 1, j, octave), a),
             mix(lattice_chance(i, j + 1, octave), lattice_chance(i + 1, j + 1, octave), a), b);
}

// How much brighter ground is here than in the mean: patches and specks, without those that are smaller than a pixel.
float ground_pattern(float u, float v, float footprint) {
  constexpr float kWidest = 1.7f;                               // view units
  constexpr float kCosine = 0.8f, kSine = 0.6f, kFiner = 2.3f;  // every octave is turned and finer, so that no lattice is seen
  constexpr float kStrengths[] = {0.10f, 0.08f, 0.07f, 0.07f, 0.09f, 0.12f, 0.14f};
  float sum = 0, edge = kWidest;
  std::uint32_t octave = 0;
  for (const float strength : kStrengths) {
    const float sharp = 1 - smoothstep(0.25f * edge, edge, footprint);
    if (sharp == 0) break;
    sum += sharp * strength * patches(u / edge, v / edge, octave++);
    const float turned = kCosine * u - kSine * v;
    v = kSine * u + kCosine * v;
    u = turned;
    edge /= kFiner;
  }
  return sum;
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

namespace {

bool is_ground(const Vector& normal) {
  constexpr double kSteepest = 0.5;  // cosine of 60 degrees
  return normal[1] > kSteepest * std::hypot(normal[0], normal[1], normal[2]);
}

}  // namespace

BodyLook look_of(const Collider& collider) {
  const bool is_metal = collider.look == Look::kMetal;
  const bool is_plane = collider.shape.kind == ShapeKind::kPlane;
  const Colour usual = is_metal ? kSteel : !is_plane ? kBody : is_ground(collider.shape.normal) ? kGround : kWall;
  BodyLook look{is_metal, usual, kBrushed};
  for (int d = 0; collider.colour && d < 3; ++d) look.colour[d] = static_cast<float>((*collider.colour)[static_cast<std::size_t>(d)]);
  if (collider.roughness) look.roughness = static_cast<float>(*collider.roughness);
  return look;
}

Colour body_albedo(const StageHit& hit, float footprint) {
  const Colour& colour = hit.look->colour;
  if (!hit.is_plane) return colour;
  const Tangents t = tangents_of(hit.normal);
  const Colour here = (1 + ground_pattern(dot(hit.local, t.s), dot(hit.local, t.t), footprint)) * colour;
  return {min(here[0], 1.0f), min(here[1], 1.0f), min(here[2], 1.0f)};
}

float haze(float distance, float subject) {
  constexpr float kBegin = 7, kRange = 20;  // view units; the subject is mostly at about 4
  const float x = max(distance - max(kBegin, subject), 0.0f) / kRange;
  return 1 - std::exp(-x);
}

Float3 choose_sun(const Camera& camera, const Stage& stage) {
  constexpr float kHeight = 0.52f;      // sine of the elevation: low enough to bring out the relief
  constexpr float kEnoughSlope = 0.3f;  // a plane lit flatter than this shows no form
  constexpr float kAcross = std::numbers::pi_v<float> / 180;
  const float facing = std::atan2(-camera.forward[0], -camera.forward[2]);
  Float3 best{0, 1, 0};
  float best_slope = -2;
  for (const float degrees : {-62.0f, 62.0f, -40.0f, 40.0f, -110.0f, 110.0f, 0.0f, 180.0f}) {
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
