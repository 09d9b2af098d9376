// Poisson-disk sampling (Bridson 2007): points no closer than a radius, grown outwards from accepted ones.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "math/rng.h"
#include "math/vec.h"

namespace firn {

// Radius over mean spacing of what the growth below leaves; measured, see PoissonSamplingHasTheMeanDensity.
template <int D>
inline constexpr double kPoissonRadius = D == 3 ? 0.823 : 0.7755;

template <int D>
class PoissonDisk {
 public:
  PoissonDisk(const Vec<double, D>& reach, double radius, std::uint64_t seed) : radius_(radius), cell_(radius / std::sqrt(D)), rng_(seed) {
    std::size_t total = 1;
    for (int d = 0; d < D; ++d) {
      lower_[d] = -reach[d] - radius;
      count_[d] = static_cast<std::int64_t>(std::ceil((2 * reach[d] + 2 * radius) / cell_)) + 1;
      total *= static_cast<std::size_t>(count_[d]);
    }
    owner_.assign(total, kEmpty);
  }

  // Fills the connected part of a shape that holds the origin.
  template <class Inside>
  std::vector<Vec<double, D>> grow(Inside inside) {
    accept(Vec<double, D>::zero());
    while (!active_.empty()) grow_one(inside);
    return std::move(points_);
  }

 private:
  static constexpr std::int32_t kEmpty = -1;
  static constexpr int kTries = 20;

  template <class Inside>
  void grow_one(Inside inside) {
    const std::size_t pick = static_cast<std::size_t>(rng_.uniform() * static_cast<double>(active_.size()));
    const Vec<double, D> center = points_[static_cast<std::size_t>(active_[pick])];
    for (int t = 0; t < kTries; ++t) {
      const Vec<double, D> x = center + annulus_point();
      if (inside(x) && is_free(x)) {
        accept(x);
        return;
      }
    }
    active_[pick] = active_.back();
    active_.pop_back();
  }

  // Between one and two radii away.
  Vec<double, D> annulus_point() {
    for (;;) {
      Vec<double, D> x;
      for (int d = 0; d < D; ++d) x[d] = (4 * rng_.uniform() - 2) * radius_;
      const double r2 = dot(x, x) / (radius_ * radius_);
      if (r2 >= 1 && r2 < 4) return x;
    }
  }

  std::int64_t index(const Vec<std::int64_t, D>& at) const {
    std::int64_t i = 0;
    for (int d = 0; d < D; ++d) i = i * count_[d] + at[d];
    return i;
  }

  Vec<std::int64_t, D> cell_of(const Vec<double, D>& x) const {
    Vec<std::int64_t, D> at;
    for (int d = 0; d < D; ++d) at[d] = static_cast<std::int64_t>((x[d] - lower_[d]) / cell_);
    return at;
  }

  bool is_free(const Vec<double, D>& x) const {
    const Vec<std::int64_t, D> at = cell_of(x);
    constexpr int kReach = 2;  // cells are radius/sqrt(D) wide
    const int side = 2 * kReach + 1, cells = D == 3 ? side * side * side : side * side;
    for (int k = 0; k < cells; ++k) {
      const int shift[3] = {k % side - kReach, k / side % side - kReach, k / (side * side) - kReach};
      Vec<std::int64_t, D> near = at;
      bool in_grid = true;
      for (int d = 0; d < D; ++d) {
        near[d] += shift[d];
        in_grid = in_grid && near[d] >= 0 && near[d] < count_[d];
      }
      if (!in_grid) continue;
      const std::int32_t other = owner_[static_cast<std::size_t>(index(near))];
      if (other == kEmpty) continue;
      const Vec<double, D> r = points_[static_cast<std::size_t>(other)] - x;
      if (dot(r, r) < radius_ * radius_) return false;
    }
    return true;
  }

  void accept(const Vec<double, D>& x) {
    owner_[static_cast<std::size_t>(index(cell_of(x)))] = static_cast<std::int32_t>(points_.size());
    active_.push_back(static_cast<std::int32_t>(points_.size()));
    points_.push_back(x);
  }

  double radius_, cell_;
  Rng rng_;
  Vec<double, D> lower_;
  Vec<std::int64_t, D> count_;
  std::vector<std::int32_t> owner_;
  std::vector<Vec<double, D>> points_;
  std::vector<std::int32_t> active_;
};

// Mean distance `spacing`, about the origin, where inside(x) holds.
template <int D, class Inside>
std::vector<Vec<double, D>> poisson_points(const Vec<double, D>& reach, double spacing, std::uint64_t seed, Inside inside) {
  PoissonDisk<D> disk(reach, kPoissonRadius<D> * spacing, seed);
  return disk.grow(inside);
}

}  // namespace firn
