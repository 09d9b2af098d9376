#include "render/path/lights.h"

namespace firn {
namespace {

constexpr float kBeyond = 1e6f;  // view units: farther than anything

}  // namespace

LightSample Lights::sample(const Float3&, Rng& rng) const {
  const float u = random_float(rng), v = random_float(rng);
  return {daylight_.towards_sun(u, v), kBeyond, daylight_.sunlight, 0};
}

}  // namespace firn
