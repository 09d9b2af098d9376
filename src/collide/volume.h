// The owner of a sampled level set.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "collide/lazy_bricks.h"

namespace firn {

struct Volume {
  Vec<double, 3> lower{0, 0, 0};  // place of the first value, m
  double voxel = 1;               // m
  Vec<std::int32_t, 3> count{0, 0, 0};
  std::vector<std::int32_t> number;
  std::vector<float> bound, phi, velocity;

  Bricks view() const {
    return {lower, voxel, count, number.data(), bound.data(), phi.data(), velocity.empty() ? nullptr : velocity.data()};
  }
  Vec<double, 3> upper() const {
    Vec<double, 3> x = lower;
    for (int d = 0; d < 3; ++d) x[d] += voxel * count[d] * Bricks::kEdge;
    return x;
  }
  std::size_t bytes() const {
    return number.size() * sizeof(std::int32_t) + (bound.size() + phi.size() + velocity.size()) * sizeof(float);
  }
};

// A finished volume, or one whose bricks are made on demand, and the view of it that solids point at.
struct LevelSet {
  explicit LevelSet(Volume values) : volume(std::move(values)), bricks(volume.view()) {}
  // `lattice` has no values of its own.
  LevelSet(Volume lattice, std::unique_ptr<const LazyBricks> on_demand)
      : volume(std::move(lattice)), lazy(std::move(on_demand)), bricks{volume.lower, volume.voxel, volume.count, nullptr, nullptr, nullptr, nullptr, lazy.get()} {}
  LevelSet(const LevelSet&) = delete;
  LevelSet& operator=(const LevelSet&) = delete;

  const Volume volume;
  const std::unique_ptr<const LazyBricks> lazy;
  const Bricks bricks;
};

}  // namespace firn
