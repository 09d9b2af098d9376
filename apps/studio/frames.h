// Particles, arrows and triangles as the binary messages of docs/studio.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firn/frame.h"
#include "firn/simulation.h"

namespace firn::studio {

// What the header of a message says of its moment.
struct FrameHead {
  int run = 0;
  bool is_live = false, is_flat = false;
  std::uint32_t serial = 0, frame = 0;
  double time = 0;  // s
};

// What arrows show.
enum class ArrowKind { kNodes, kVelocity, kForce, kNormals, kSleep };
inline constexpr std::array<const char*, 5> kArrowNames{"nodes", "velocity", "force", "normals", "sleep"};
inline constexpr std::array<const char*, 6> kChannelNames{"none", "speed", "jp", "density", "material", "stress"};
std::optional<LookChannel> channel_named(std::string_view name);
std::optional<ArrowKind> arrows_named(std::string_view name);

struct Arrows {
  std::vector<Vector> at;      // m
  std::vector<Vector> vector;  // m/s, N, or of length 1; of nodes the first is the mass, kg; empty: none
};

// At most `most` nodes, evenly chosen.
Arrows arrows_of(const GridFields& grid, ArrowKind kind, std::size_t most);

// A frame from a file as a page shows it, every `every`-th id. Throws UserError when the frame lacks the numbers.
ParticleLook look_at(const Frame& frame, LookChannel channel, int every);

struct Extent {
  Vector lower{0, 0, 0}, upper{0, 0, 0};  // m
};
// The box around all that is seen.
Extent extent_of(const ParticleLook& look);

std::string encode(const FrameHead& head, const ParticleLook& look, LookChannel channel);
std::string encode(const FrameHead& head, const Arrows& arrows, ArrowKind kind);
// Triangles of body number `body`.
std::string encode(const FrameHead& head, std::uint32_t body, const std::vector<Vector>& points,
                   const std::vector<std::array<std::uint32_t, 3>>& triangles);

// A message that several pages may be sent.
inline std::shared_ptr<const std::string> shared(std::string bytes) { return std::make_shared<const std::string>(std::move(bytes)); }

}  // namespace firn::studio
