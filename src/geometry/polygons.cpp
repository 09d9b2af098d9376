#include "geometry/polygons.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace firn {
namespace {

using V = Vec<double, 2>;

constexpr std::uint32_t kLeafSegments = 4;
constexpr std::size_t kDeepest = 64;         // levels of the tree: halving 2³² segments takes half of it
constexpr std::size_t kSegmentsPerStrip = 4;

double squared(const V& v) { return dot(v, v); }

double squared_distance_to_box(const V& x, const V& lower, const V& upper) {
  V outside;
  for (int d = 0; d < 2; ++d) outside[d] = std::max({lower[d] - x[d], x[d] - upper[d], 0.0});
  return squared(outside);
}

double squared_distance_to_segment(const V& x, const V& a, const V& b) {
  const V along = b - a;
  const double t = std::clamp(dot(x - a, along) / squared(along), 0.0, 1.0);
  return squared(x - a - t * along);
}

}  // namespace

Polygons::Polygons(const std::vector<Polygon>& polygons, FillRule rule) : rule_(rule) {
  for (const Polygon& polygon : polygons)
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const V &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
      if (squared(b - a) > 0) segments_.push_back({a, b});
    }
  if (segments_.empty()) return;
  build_tree();
  build_strips();
}

void Polygons::fit(Node& node) const {
  node.lower = node.upper = segments_[node.first].a;
  for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
    for (const V& p : {segments_[i].a, segments_[i].b})
      for (int d = 0; d < 2; ++d) {
        node.lower[d] = std::min(node.lower[d], p[d]);
        node.upper[d] = std::max(node.upper[d], p[d]);
      }
}

void Polygons::build_tree() {
  nodes_.push_back({{0, 0}, {0, 0}, 0, static_cast<std::uint32_t>(segments_.size())});
  fit(nodes_[0]);
  lower_ = nodes_[0].lower;
  upper_ = nodes_[0].upper;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node)
    if (nodes_[node].count > kLeafSegments) split(node);
}

// In half, across the longer side.
void Polygons::split(std::uint32_t node) {
  const std::uint32_t first = nodes_[node].first, count = nodes_[node].count, half = count / 2;
  const V size = nodes_[node].upper - nodes_[node].lower;
  const int axis = size[0] > size[1] ? 0 : 1;
  const auto begin = segments_.begin() + first;
  std::nth_element(begin, begin + half, begin + count,
                   [&](const Segment& s, const Segment& t) { return s.a[axis] + s.b[axis] < t.a[axis] + t.b[axis]; });
  Node low{{0, 0}, {0, 0}, first, half}, high{{0, 0}, {0, 0}, first + half, count - half};
  fit(low);
  fit(high);
  nodes_[node].first = static_cast<std::uint32_t>(nodes_.size());
  nodes_[node].count = 0;
  nodes_.push_back(low);
  nodes_.push_back(high);
}

std::size_t Polygons::strip_of(double y) const {
  const double part = (y - lower_[1]) / (upper_[1] - lower_[1]) * static_cast<double>(strips_.size());
  return static_cast<std::size_t>(std::clamp(part, 0.0, static_cast<double>(strips_.size() - 1)));
}

void Polygons::build_strips() {
  strips_.resize(segments_.size() / kSegmentsPerStrip + 1);
  if (upper_[1] == lower_[1]) return;  // all on a line: nothing is inside
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    const Segment& s = segments_[i];
    const std::size_t last = strip_of(std::max(s.a[1], s.b[1]));
    for (std::size_t strip = strip_of(std::min(s.a[1], s.b[1])); strip <= last; ++strip) strips_[strip].push_back(i);
  }
}

// How often the polygons go round x: what crosses the ray from x towards +x, upwards counting +1.
bool Polygons::inside(const V& x) const {
  if (empty() || x[0] > upper_[0] || !(x[1] >= lower_[1] && x[1] < upper_[1])) return false;
  int winding = 0, crossings = 0;
  for (const std::uint32_t i : strips_[strip_of(x[1])]) {
    const Segment& s = segments_[i];
    const bool begins_above = s.a[1] > x[1], ends_above = s.b[1] > x[1];
    if (begins_above == ends_above) continue;
    const V along = s.b - s.a, to = x - s.a;
    const double side = along[0] * to[1] - along[1] * to[0];  // > 0: x lies to the left of the segment
    if (ends_above ? side <= 0 : side >= 0) continue;
    winding += ends_above ? 1 : -1;
    ++crossings;
  }
  return rule_ == FillRule::kNonZero ? winding != 0 : crossings % 2 == 1;
}

double Polygons::distance(const V& x) const {
  if (empty()) return std::numeric_limits<double>::infinity();
  double best = std::numeric_limits<double>::infinity();
  struct Waiting {
    std::uint32_t node;
    double squared_distance;
  };
  Waiting stack[kDeepest] = {{0, 0}};
  const auto wait = [&](std::uint32_t node) { return Waiting{node, squared_distance_to_box(x, nodes_[node].lower, nodes_[node].upper)}; };
  for (std::size_t depth = 1; depth > 0;) {
    const Waiting next = stack[--depth];
    if (next.squared_distance >= best) continue;
    const Node& node = nodes_[next.node];
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
      best = std::min(best, squared_distance_to_segment(x, segments_[i].a, segments_[i].b));
    if (node.count > 0) continue;
    const Waiting low = wait(node.first), high = wait(node.first + 1);
    const bool low_first = low.squared_distance < high.squared_distance;
    stack[depth++] = low_first ? high : low;
    stack[depth++] = low_first ? low : high;  // the nearer one on top
  }
  return inside(x) ? -std::sqrt(best) : std::sqrt(best);
}

}  // namespace firn
