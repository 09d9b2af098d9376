// Fills the bricks of a sampled level set.
#pragma once

#include <functional>

#include "collide/volume.h"

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

inline VolumeLattice lattice_of(const Volume& volume) { return {volume.lower, volume.voxel, volume.count}; }

// Covers the box with `margin` metres around it. Throws UserError when so many bricks are beyond reason.
VolumeLattice cover(const Vec<double, 3>& lower, const Vec<double, 3>& upper, double margin, double voxel);

// Allocates values for the bricks that `is_full` names; the others hold a bound. Both are zero until filled.
Volume allocate(const VolumeLattice& lattice, const std::vector<std::uint8_t>& is_full);

// Calls f(index, its place among the values) for all values of all full bricks, on all threads.
void for_each_value(const Volume& volume, const VolumeLattice& lattice,
                    const std::function<void(const Vec<std::int32_t, 3>&, std::size_t)>& f);

// Samples any distance function, 1-Lipschitz, negative inside. Bricks farther than `band` outside the surface hold a bound only.
Volume bake(const VolumeLattice& lattice, double band, const std::function<double(const Vec<double, 3>&)>& distance);

// The volume where phi <= 0, m³.
double inside_volume(const Volume& volume);

}  // namespace firn
