// Ten million particles.
#pragma once

#include "io/formats.h"
#include "math/random.h"

namespace firn {

inline constexpr std::size_t kParticles = 10'000'000;
inline constexpr double kSpacing = 0.01;

// A block of snow, eight particles a cell, in the order in which scenes make them, float precision.
inline Frame large_frame() {
  Rng rng(3);
  Frame frame;
  for (const Field field : fields_of({})) resize(frame, field, kParticles);
  constexpr std::size_t kEdge = 108;  // cells; 108³ · 8 is more than enough
  for (std::size_t p = 0; p < kParticles; ++p) {
    const std::size_t cell = p / 8;
    const std::size_t at[] = {cell % kEdge, cell / kEdge % kEdge, cell / kEdge / kEdge};
    frame.id[p] = static_cast<std::uint32_t>(p);
    for (std::size_t d = 0; d < 3; ++d) {
      frame.position[p][d] = static_cast<float>((static_cast<double>(at[d]) + rng.uniform()) * kSpacing);
      frame.velocity[p][d] = static_cast<float>(rng.uniform() - 0.5);
    }
    frame.mass[p] = 4.0f / 1024;
    frame.volume[p] = static_cast<float>(1e-6 * (1 + rng.uniform()));
    frame.jp[p] = static_cast<float>(0.9 + 0.2 * rng.uniform());
    frame.je[p] = static_cast<float>(0.99 + 0.02 * rng.uniform());
    frame.material[p] = static_cast<std::uint16_t>(p % 3);
  }
  return frame;
}

}  // namespace firn
