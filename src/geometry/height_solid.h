// The ground of a height field as a solid: the distance to it, computed where somebody asks.
#pragma once

#include <limits>
#include <vector>

#include "geometry/heightfield.h"

namespace firn {

class HeightSolid {
 public:
  // From the heights down to the flat bottom at `base`, which must lie below all of them (else UserError).
  HeightSolid(HeightMap map, double base);

  // To the same surface as to_mesh's; negative inside. Beyond `farthest` it is not looked for: that is the distance then.
  double distance(const Vec<double, 3>& q, double farthest = std::numeric_limits<double>::infinity()) const;

  // The box around it, and what it holds, m³.
  Vec<double, 3> lower() const { return {map_.x0, base_, map_.z0}; }
  Vec<double, 3> upper() const { return {map_.x1(), levels_.back().ranges.front().high, map_.z1()}; }
  double content() const;

 private:
  struct Range {
    double low, high;
  };
  // Ranges of height over squares of cells; every level has squares twice as wide as the one before, the last has one.
  struct Level {
    std::size_t edge;  // cells along a square
    std::size_t nx, nz;
    std::vector<Range> ranges;
  };
  class Search;

  void add_finest_level();
  void add_coarser_level();

  HeightMap map_;
  double base_;
  std::vector<Level> levels_;
};

}  // namespace firn
