// Text as a solid: the outlines of a font's letters, given a thickness.
#pragma once

#include <string>
#include <vector>

#include "geometry/polygons.h"

namespace firn {

struct TextStyle {
  std::string font;     // path of a TrueType or OpenType file
  double size = 1;      // height of capital letters, m
  double thickness = 1;  // m, along z
};

// In the plane z = 0, read from +z, y up. Lines stand one below the other, each centred at x = 0; y = 0 is midway between the top of the first line's
// capitals and the last base line.
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
