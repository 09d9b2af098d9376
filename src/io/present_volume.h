// What a frame's particles take up now.
#pragma once

#include <cstddef>
#include <vector>

#include "firn/frame.h"

namespace firn {

// The one in the middle; values must not be empty.
double median(std::vector<double> values);

// The radius of a ball of that volume.
double sphere_radius(double volume);
// V⁰ of a particle, m³ (2D: m²), in snow sampled as usual on a grid of that spacing: eight to a cell, in 2D four.
double usual_volume(double spacing, int dimension);

class PresentVolume {
 public:
  // `typical` m³ (2D: m²) is V⁰ where the frame has no volumes. Torn snow is stretched on paper only: it swells to at most `swelling`
  // times V⁰.
  PresentVolume(const Frame& frame, double typical, double swelling);

  double operator()(std::size_t p) const;

 private:
  const Frame& frame_;
  double typical_, swelling_;
  double specific_;  // V⁰ per mass that is usual in the frame; 0: the frame does not tell
};

}  // namespace firn
