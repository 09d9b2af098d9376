// Text as a solid, apart because FreeType stays behind it: the outlines of a font's letters, given a thickness.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "math/vec.h"

namespace firn {

// Closed polygons in the plane: what is inside, and how far the outline is.

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
  // The distance to the outline, negative inside. Where polygons overlap their edges count even within the other one: a lower bound there.
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

struct TextStyle {
  std::string font;      // path of a TrueType or OpenType file
  double size = 1;       // height of capital letters, m
  double thickness = 1;  // m, along z
};

// In the plane z = 0, read from +z, y up. Lines stand one below the other, each centred at x = 0; y = 0 is midway between the top of the
// first line's capitals and the last base line.
struct TextOutline {
  std::vector<Polygon> polygons;
  FillRule rule = FillRule::kNonZero;
  std::vector<std::string> warnings;
};

// `text` is UTF-8; \n begins a new line. Pairs are kerned where the font has a table for it. Letters that the font does not have are left
// out with a warning. Throws UserError for a font that cannot be read and a text that shows nothing.
TextOutline outline_text(const std::string& text, const TextStyle& style);

class TextSolid {
 public:
  TextSolid(const TextOutline& outline, double thickness) : polygons_(outline.polygons, outline.rule), half_(thickness / 2) {}

  // Negative inside; outside the exact distance.
  double distance(const Vec<double, 3>& x) const;
  // The box around it.
  Vec<double, 3> lower() const { return {polygons_.lower()[0], polygons_.lower()[1], -half_}; }
  Vec<double, 3> upper() const { return {polygons_.upper()[0], polygons_.upper()[1], half_}; }

 private:
  Polygons polygons_;
  double half_;
};

}  // namespace firn
