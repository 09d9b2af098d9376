// Who is near whom, among points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firn/frame.h"
#include "render/vector.h"

namespace firn {

// Points sorted into cubes as wide as the search reaches: all that is near a point is in its cube or in one of the 26 around it.
// Lengths are in units of the reach.
class Neighbours {
 public:
  struct Point {
    std::uint64_t cube;
    std::uint32_t index;  // in the frame
    Float3 place;         // in its cube, 0 to 1
  };

  Neighbours(const Frame& frame, double reach);

  std::size_t cubes() const { return first_.size() - 1; }
  const Point* begin(std::size_t cube) const { return points_.data() + first_[cube]; }
  const Point* end(std::size_t cube) const { return points_.data() + first_[cube + 1]; }
  // The places of the points in and around it, as seen from it; the same order every time.
  void gather(std::size_t cube, std::vector<Float3>& places) const;

 private:
  std::vector<Point> points_;
  std::vector<std::size_t> first_;  // of the points of a cube, and one beyond the last
};

}  // namespace firn
