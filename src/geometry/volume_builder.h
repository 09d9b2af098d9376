// Fills the bricks of a sampled level set.
#pragma once

#include <functional>
#include <memory>

#include "collide/bricks.h"

namespace firn {

// The lattice of values a volume has: a box of whole bricks.
struct VolumeLattice {
  Vec<double, 3> lower{0, 0, 0};  // of the first value, m
  double voxel = 1;               // m
  Vec<std::int32_t, 3> count{0, 0, 0};

  Vec<double, 3> point(const Vec<std::int32_t, 3>& index) const {
    return {lower[0] + voxel * index[0], lower[1] + voxel * index[1], lower[2] + voxel * index[2]};
  }
  std::size_t bricks() const { return std::size_t(count[0]) * std::size_t(count[1]) * std::size_t(count[2]); }
  // The first index of a brick.
  Vec<std::int32_t, 3> first(std::size_t brick) const;
};

// The lattice of a Volume or of Bricks.
template <class V>
VolumeLattice lattice_of(const V& volume) {
  return {volume.lower, volume.voxel, volume.count};
}

// Covers the box with `margin` metres around it. Throws UserError when so many bricks are beyond reason.
VolumeLattice cover(const Vec<double, 3>& lower, const Vec<double, 3>& upper, double margin, double voxel);

// Allocates values for the bricks that `is_full` names; the others hold a bound. Both are zero until filled.
Volume allocate(const VolumeLattice& lattice, const std::vector<std::uint8_t>& is_full);

// Calls f(index, its place among the values) for all values of all full bricks, on all threads.
void for_each_value(const Volume& volume, const VolumeLattice& lattice,
                    const std::function<void(const Vec<std::int32_t, 3>&, std::size_t)>& f);

// A distance, 1-Lipschitz, negative inside. What is farther away than `farthest` may be given as just that.
using DistanceFunction = std::function<double(const Vec<double, 3>&, double farthest)>;

struct SampledReach {
  double outside = 0, inside = 0;  // m from the surface: bricks farther away hold a bound only
  bool flat = false;               // the distance is the same for all z
};

// Samples the function brick by brick, as they are asked for. It is called on any thread.
std::shared_ptr<const LevelSet> sample_on_demand(const VolumeLattice& lattice, const SampledReach& known, DistanceFunction distance);

// The volume where phi <= 0, m³, and the area of the section at z = 0, m². They look at all bricks.
double inside_volume(const Bricks& bricks);
double inside_area(const Bricks& bricks);
inline double inside_volume(const Volume& volume) { return inside_volume(volume.view()); }

}  // namespace firn
