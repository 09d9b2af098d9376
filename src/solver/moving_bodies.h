// How moving bodies limit a step. One that crosses more than a part of a cell at a time can jump over snow, or into it so deep that its far
// side is the nearer one.
#pragma once

#include <algorithm>

#include "solver/model.h"

namespace firn {

// Where the snow is when a step begins: all its particles lie in the cells from `lower` to just below `upper`.
struct SnowExtent {
  explicit SnowExtent(double t) : time(t) {}

  double time;  // s
  Cell<3> lower{0, 0, 0}, upper{0, 0, 0};

  // A cube of cells; 2D scenes have no extent in z.
  template <int D>
  void include(const Cell<D>& first, int edge);

  bool empty() const { return empty_; }

 private:
  bool empty_ = true;
};

// m/s; never less than the speed of any point of the body that can touch the snow, between the snow's time and `end`. Of a deformation
// only the frames at these two times are asked.
double surface_speed(const Model& model, const BodyModel& body, const SnowExtent& snow, double end);

// At most dt; so short that no body crosses more than cell_fraction of a cell among the snow.
double limit_by_bodies(const Model& model, const SnowExtent& snow, double dt);

template <int D>
void SnowExtent::include(const Cell<D>& first, int edge) {
  for (int d = 0; d < D; ++d) {
    lower[d] = empty_ ? first[d] : std::min(lower[d], first[d]);
    upper[d] = empty_ ? first[d] + edge : std::max(upper[d], first[d] + edge);
  }
  empty_ = false;
}

}  // namespace firn
