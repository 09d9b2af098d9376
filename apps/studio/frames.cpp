#include "frames.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "firn/error.h"

namespace firn::studio {
namespace {

constexpr std::uint32_t kMagic = 0x314E5246;  // FRN1
constexpr std::size_t kHeadBytes = 64;
constexpr int kSteps = 65535;  // of a position over the box
constexpr int kVectorSteps = 32767;

enum class MessageKind : std::uint8_t { kParticles = 1, kArrows = 2, kTriangles = 3 };

struct Box {
  std::array<double, 3> lower{}, extent{};
};
struct Span {
  float least = 0, greatest = 0;
};

// Little-endian, as the machines that firn is built for are.
template <class T>
void put(std::string& bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

std::string start(const FrameHead& head, MessageKind kind, std::size_t count, std::uint32_t what, const Box& box, const Span& span,
                  bool is_whole, std::size_t body_bytes) {
  std::string bytes(kHeadBytes + body_bytes, '\0');
  put(bytes, 0, kMagic);
  put(bytes, 4, static_cast<std::uint8_t>(kind));
  put(bytes, 5, static_cast<std::uint8_t>(head.run));
  put(bytes, 6, static_cast<std::uint16_t>((head.is_live ? 1 : 0) | (head.is_flat ? 2 : 0) | (is_whole ? 4 : 0)));
  put(bytes, 8, head.serial);
  put(bytes, 12, head.frame);
  put(bytes, 16, head.time);
  put(bytes, 24, static_cast<std::uint32_t>(count));
  put(bytes, 28, what);
  for (std::size_t d = 0; d < 3; ++d) {
    put(bytes, 32 + 4 * d, static_cast<float>(box.lower[d]));
    put(bytes, 44 + 4 * d, static_cast<float>(box.extent[d]));
  }
  put(bytes, 56, span.least);
  put(bytes, 60, span.greatest);
  return bytes;
}

template <class Points>
Box box_around(const Points& points, const Vector& anchor) {
  Box box;
  if (points.empty()) return box;
  auto lower = points[0], upper = points[0];
  for (const auto& p : points)
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], p[d]);
      upper[d] = std::max(upper[d], p[d]);
    }
  for (std::size_t d = 0; d < 3; ++d) {
    box.lower[d] = double(lower[d]) + anchor[d];
    box.extent[d] = double(upper[d]) - double(lower[d]);
  }
  return box;
}

// The steps from the lower end, in an interval that may be a point.
template <class T>
std::uint16_t quantised(T x, T scale) {
  return static_cast<std::uint16_t>(static_cast<std::int32_t>(std::min(std::max(x * scale + T(0.5), T(0)), T(kSteps))));
}
double scale_of(double extent) { return extent > 0 ? kSteps / extent : 0; }

template <class Names>
std::optional<std::size_t> place_of(const Names& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional<std::size_t>(found - names.begin());
}

double length_of(const Vector& v) { return std::hypot(v[0], v[1], v[2]); }

}  // namespace

std::optional<LookChannel> channel_named(std::string_view name) {
  const auto place = place_of(kChannelNames, name);
  return place ? std::optional(static_cast<LookChannel>(*place)) : std::nullopt;
}

std::optional<ArrowKind> arrows_named(std::string_view name) {
  const auto place = place_of(kArrowNames, name);
  return place ? std::optional(static_cast<ArrowKind>(*place)) : std::nullopt;
}

Arrows arrows_of(const GridFields& grid, ArrowKind kind, std::size_t most) {
  Arrows arrows;
  const std::size_t every = grid.size() / std::max<std::size_t>(most, 1) + 1;
  for (std::size_t i = 0; i < grid.size(); i += every) {
    const auto& node = grid.node[i];
    arrows.at.push_back({node[0] * grid.spacing, node[1] * grid.spacing, node[2] * grid.spacing});
    if (kind == ArrowKind::kNodes) arrows.vector.push_back({grid.mass[i], 0, 0});
    if (kind == ArrowKind::kVelocity) arrows.vector.push_back(grid.velocity[i]);
    if (kind == ArrowKind::kForce) arrows.vector.push_back(grid.force[i]);
  }
  return arrows;
}

ParticleLook look_at(const Frame& frame, LookChannel channel, int every) {
  ParticleLook look;
  const auto need = [&](bool is_there) {
    if (!is_there) throw UserError("the frames of this run do not have the numbers for this colour");
  };
  if (channel == LookChannel::kSpeed) need(!frame.velocity.empty());
  if (channel == LookChannel::kJp) need(!frame.jp.empty());
  if (channel == LookChannel::kDensity) need(!frame.mass.empty() && !frame.volume.empty() && !frame.jp.empty() && !frame.je.empty());
  if (channel == LookChannel::kMaterial) need(!frame.material.empty());
  if (channel == LookChannel::kStress) throw UserError("stress is known of the live state alone: frames do not keep F_E");
  if (frame.size() > 0) look.anchor = frame.position.front();
  for (std::size_t p = 0; p < frame.size(); ++p) {
    if (const std::size_t id = frame.id.empty() ? p : frame.id[p]; id % static_cast<std::size_t>(every) != 0) continue;
    std::array<float, 3> place{};
    for (std::size_t d = 0; d < 3; ++d) place[d] = static_cast<float>(frame.position[p][d] - look.anchor[d]);
    look.position.push_back(place);
    const auto add = [&](double number) { look.channel.push_back(static_cast<float>(number)); };
    if (channel == LookChannel::kSpeed) add(length_of(frame.velocity[p]));
    if (channel == LookChannel::kJp) add(frame.jp[p]);
    if (channel == LookChannel::kDensity) add(frame.mass[p] / (frame.volume[p] * std::max(1e-3, frame.jp[p] * frame.je[p])));
    if (channel == LookChannel::kMaterial) add(frame.material[p]);
  }
  return look;
}

Extent extent_of(const ParticleLook& look) {
  const Box box = box_around(look.position, look.anchor);
  Extent extent{box.lower, box.lower};
  for (std::size_t d = 0; d < 3; ++d) extent.upper[d] += box.extent[d];
  return extent;
}

std::string encode(const FrameHead& head, const ParticleLook& look, LookChannel channel) {
  constexpr std::size_t kBytes = 8;
  const Box box = box_around(look.position, look.anchor);
  Span span;
  if (!look.channel.empty()) {
    const auto [least, greatest] = std::minmax_element(look.channel.begin(), look.channel.end());
    span = {*least, *greatest};
  }
  const bool is_whole = channel == LookChannel::kMaterial;
  if (is_whole) span = {0, float(kSteps)};
  std::string bytes = start(head, MessageKind::kParticles, look.position.size(), static_cast<std::uint32_t>(channel), box, span, is_whole,
                            kBytes * look.position.size());
  // Floats will do for 16 bits, and are quicker: this is what streaming costs.
  std::array<float, 3> scale{}, lower{};
  for (std::size_t d = 0; d < 3; ++d) {
    scale[d] = static_cast<float>(scale_of(box.extent[d]));
    lower[d] = static_cast<float>(box.lower[d] - look.anchor[d]);
  }
  const auto channel_scale = static_cast<float>(scale_of(double(span.greatest) - double(span.least)));
  char* to = bytes.data() + kHeadBytes;
  for (std::size_t p = 0; p < look.position.size(); ++p, to += kBytes) {
    std::array<std::uint16_t, 4> row{};
    for (std::size_t d = 0; d < 3; ++d) row[d] = quantised(look.position[p][d] - lower[d], scale[d]);
    if (!look.channel.empty()) row[3] = quantised(look.channel[p] - span.least, channel_scale);
    std::memcpy(to, row.data(), kBytes);
  }
  return bytes;
}

std::string encode(const FrameHead& head, const Arrows& arrows, ArrowKind kind) {
  constexpr std::size_t kBytes = 12;
  const Box box = box_around(arrows.at, {0, 0, 0});
  double longest = 0;
  for (const Vector& v : arrows.vector) longest = std::max(longest, length_of(v));
  std::string bytes = start(head, MessageKind::kArrows, arrows.at.size(), static_cast<std::uint32_t>(kind), box,
                            {0, static_cast<float>(longest)}, false, kBytes * arrows.at.size());
  char* to = bytes.data() + kHeadBytes;
  for (std::size_t i = 0; i < arrows.at.size(); ++i, to += kBytes) {
    std::array<std::uint16_t, 3> place{};
    std::array<std::int16_t, 3> vector{};
    for (std::size_t d = 0; d < 3; ++d) {
      place[d] = quantised(arrows.at[i][d] - box.lower[d], scale_of(box.extent[d]));
      if (longest > 0) vector[d] = static_cast<std::int16_t>(std::lround(arrows.vector[i][d] / longest * kVectorSteps));
    }
    std::memcpy(to, place.data(), 6);
    std::memcpy(to + 6, vector.data(), 6);
  }
  return bytes;
}

std::string encode(const FrameHead& head, std::uint32_t body, const std::vector<Vector>& points,
                   const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  const std::size_t size = 8 + 12 * points.size() + 12 * triangles.size();
  std::string bytes = start(head, MessageKind::kTriangles, triangles.size(), body, box_around(points, {0, 0, 0}), {}, false, size);
  put(bytes, kHeadBytes, static_cast<std::uint32_t>(points.size()));
  put(bytes, kHeadBytes + 4, static_cast<std::uint32_t>(triangles.size()));
  std::size_t at = kHeadBytes + 8;
  for (const Vector& p : points)
    for (const double x : p) {
      put(bytes, at, static_cast<float>(x));
      at += 4;
    }
  for (const auto& triangle : triangles) {
    put(bytes, at, triangle);
    at += 12;
  }
  return bytes;
}

}  // namespace firn::studio
