// Poisson-disk sampling (Bridson 2007), apart because it knows of points alone: none closer than a radius, grown outwards from accepted
// ones.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "math/random.h"
#include "math/vec.h"

namespace firn {

// Radius over mean spacing of what the growth below leaves; measured, see PoissonSamplingHasTheMeanDensity.
template <int D>
inline constexpr double kPoissonRadius = D == 3 ? 0.823 : 0.7755;

// Where points may lie, about the origin.
template <int D>
struct PointBox {
  Vec<double, D> lower, upper;
};

template <int D>
class PoissonDisk {
 public:
  PoissonDisk(const PointBox<D>& box, double radius, std::uint64_t seed) : radius_(radius), cell_(radius / std::sqrt(D)), rng_(seed) {
    std::size_t total = 1;
    for (int d = 0; d < D; ++d) {
      lower_[d] = box.lower[d] - radius;
      count_[d] = static_cast<std::int64_t>(std::ceil((box.upper[d] - box.lower[d] + 2 * radius) / cell_)) + 1;
      total *= static_cast<std::size_t>(count_[d]);
    }
    owner_.assign(total, kEmpty);
  }

  // Fills a shape, part after part: from the origin if that is inside, then from wherever no point is near yet.
  template <class Inside>
  std::vector<Vec<double, D>> grow(Inside inside) {
    if (in_grid(Vec<double, D>::zero()) && inside(Vec<double, D>::zero())) grow_from(Vec<double, D>::zero(), inside);
    Vec<std::int64_t, D> at = Vec<std::int64_t, D>::zero();
    for (std::size_t i = 0; i < owner_.size(); ++i) {
      Vec<double, D> x;
      for (int d = 0; d < D; ++d) x[d] = lower_[d] + (static_cast<double>(at[d]) + 0.5) * cell_;
      if (owner_[i] == kEmpty && inside(x) && !has_neighbour(at)) grow_from(x, inside);
      for (int d = D - 1; d >= 0 && ++at[d] == count_[d]; --d) at[d] = 0;
    }
    return std::move(points_);
  }

 private:
  static constexpr std::int32_t kEmpty = -1;
  static constexpr int kTries = 20;

  template <class Inside>
  void grow_from(const Vec<double, D>& x, Inside inside) {
    accept(x);
    while (!active_.empty()) grow_one(inside);
  }

  bool in_grid(const Vec<double, D>& x) const {
    for (int d = 0; d < D; ++d)
      if (x[d] < lower_[d] || x[d] >= lower_[d] + static_cast<double>(count_[d]) * cell_) return false;
    return true;
  }

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

  // A random point between one and two radii away.
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

  // Calls f(point) for the points in cells at most `reach` away; stops when it returns false, and returns that.
  template <int Reach, class F>
  bool for_each_near(const Vec<std::int64_t, D>& at, F f) const {
    constexpr int side = 2 * Reach + 1, cells = D == 3 ? side * side * side : side * side;
    for (int k = 0; k < cells; ++k) {
      const int shift[3] = {k % side - Reach, k / side % side - Reach, k / (side * side) - Reach};
      Vec<std::int64_t, D> near = at;
      bool in_grid = true;
      for (int d = 0; d < D; ++d) {
        near[d] += shift[d];
        in_grid = in_grid && near[d] >= 0 && near[d] < count_[d];
      }
      if (!in_grid) continue;
      const std::int32_t other = owner_[static_cast<std::size_t>(index(near))];
      if (other != kEmpty && !f(points_[static_cast<std::size_t>(other)])) return false;
    }
    return true;
  }

  bool is_free(const Vec<double, D>& x) const {
    return for_each_near<2>(cell_of(x), [&](const Vec<double, D>& other) {  // cells are radius/sqrt(D) wide
      const Vec<double, D> r = other - x;
      return dot(r, r) >= radius_ * radius_;
    });
  }

  // Within two radii, where growth would have come.
  bool has_neighbour(const Vec<std::int64_t, D>& at) const {
    return !for_each_near<4>(at, [](const Vec<double, D>&) { return false; });
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
std::vector<Vec<double, D>> poisson_points(const PointBox<D>& box, double spacing, std::uint64_t seed, Inside inside) {
  PoissonDisk<D> disk(box, kPoissonRadius<D> * spacing, seed);
  return disk.grow(inside);
}

}  // namespace firn
