// Closed polygons in the plane: what is inside, and how far the outline is.
#pragma once

#include <cstdint>
#include <vector>

#include "math/vec.h"

namespace firn {

using Polygon = std::vector<Vec<double, 2>>;  // closed: the last point is joined to the first

enum class FillRule { kNonZero, kEvenOdd };

// Answers questions about many points quickly: segments in a tree of boxes for distances, in horizontal strips for winding numbers.
class Polygons {
 public:
  Polygons() = default;
  Polygons(const std::vector<Polygon>& polygons, FillRule rule);

  bool empty() const { return segments_.empty(); }
  const Vec<double, 2>& lower() const { return lower_; }
  const Vec<double, 2>& upper() const { return upper_; }

  bool inside(const Vec<double, 2>& x) const;
  // To the outline, negative inside. Where polygons overlap their edges count even within the other one: a lower bound there.
  double distance(const Vec<double, 2>& x) const;

 private:
  struct Segment {
    Vec<double, 2> a, b;
  };
  // A node's children follow each other; a leaf has segments instead.
  struct Node {
    Vec<double, 2> lower, upper;
    std::uint32_t first, count;  // of segments; count 0: an inner node, first is the first child
  };

  void build_tree();
  void split(std::uint32_t node);
  void fit(Node& node) const;
  void build_strips();
  std::size_t strip_of(double y) const;

  FillRule rule_ = FillRule::kNonZero;
  Vec<double, 2> lower_{0, 0}, upper_{0, 0};
  std::vector<Segment> segments_;
  std::vector<Node> nodes_;
  std::vector<std::vector<std::uint32_t>> strips_;
};

}  // namespace firn
