// A level set sampled on a lattice, in bricks: as a view for host and device, made on demand, and what owns one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "math/vec.h"

namespace firn {

// A level set sampled on a lattice of the body's own frame, in bricks: those near the surface hold values, the others only a bound.
// A plain view over arrays that somebody else owns, for host and device; or over bricks that are made on demand, for the host only.

class LazyBricks;

// What is known of one brick: all its values, or nullptr and a bound.
struct BrickValues {
  const float* phi;
  float bound;
};

struct Bricks {
  static constexpr int kEdge = 8;          // voxels along a brick
  static constexpr int kSide = kEdge + 1;  // values along it: neighbours share faces, so that one brick serves an interpolation
  static constexpr int kValues = kSide * kSide * kSide;
  static constexpr std::int32_t kEmpty = -1;

  Vec<double, 3> lower{0, 0, 0};  // place of the first value, m
  double voxel = 1;               // m
  Vec<std::int32_t, 3> count{0, 0, 0};
  const std::int32_t* number = nullptr;  // per brick, x slowest: which kValues of `phi` are its own, or kEmpty
  const float* bound = nullptr;          // per brick without values: phi is nowhere in it closer to 0
  const float* phi = nullptr;            // m, z fastest
  const float* velocity = nullptr;       // m/s, three per value; nullptr: the body does not deform
  const LazyBricks* lazy = nullptr;      // in place of all arrays
};

// Makes the brick where nobody has asked for it before (LazyBricks).
BrickValues values_on_demand(const LazyBricks& bricks, std::int64_t brick);

namespace detail {

// Where a point lies: its brick, and in it the voxel and the fractions that interpolate.
template <class T>
struct BrickPoint {
  std::int64_t brick = 0;
  int first = 0;  // value at the voxel's lower corner
  Vec<T, 3> fraction{T(0), T(0), T(0)};
  Vec<T, 3> excess{T(0), T(0), T(0)};  // from the nearest point of the lattice's box, m
};

template <class T>
FIRN_HD inline BrickPoint<T> locate(const Bricks& b, const Vec<T, 3>& q) {
  BrickPoint<T> p;
  for (int d = 0; d < 3; ++d) {
    const T s = (q[d] - T(b.lower[d])) / T(b.voxel), end = T(b.count[d] * Bricks::kEdge);
    const T inside = s > T(0) ? min(s, end) : T(0);  // in the box also for a NaN
    p.excess[d] = (s - inside) * T(b.voxel);
    std::int32_t cell = static_cast<std::int32_t>(inside);
    if (cell >= b.count[d] * Bricks::kEdge) cell = b.count[d] * Bricks::kEdge - 1;
    p.fraction[d] = inside - T(cell);
    p.brick = p.brick * b.count[d] + cell / Bricks::kEdge;
    p.first = p.first * Bricks::kSide + cell % Bricks::kEdge;
  }
  return p;
}

FIRN_HD inline BrickValues values_of(const Bricks& b, std::int64_t brick) {
#ifndef __CUDACC__
  if (b.lazy != nullptr) return values_on_demand(*b.lazy, brick);
#endif
  const std::int32_t number = b.number[brick];
  if (number == Bricks::kEmpty) return {nullptr, b.bound[brick]};
  return {b.phi + std::int64_t(number) * Bricks::kValues, 0};
}

// The place of a voxel's k-th corner among the values of a brick, counted from that of its first corner.
FIRN_HD constexpr int corner(int k) { return (k & 4 ? Bricks::kSide * Bricks::kSide : 0) + (k & 2 ? Bricks::kSide : 0) + (k & 1); }

template <class T>
FIRN_HD inline T lerp(const T& a, const T& b, const T& t) {
  return a + t * (b - a);
}

}  // namespace detail

// phi and its gradient; the gradient is zero deep inside, where only a bound is known.
template <class T>
struct BrickSample {
  T phi;
  Vec<T, 3> gradient;
};

template <class T>
FIRN_HD inline BrickSample<T> sample_phi(const Bricks& b, const Vec<T, 3>& q) {
  using detail::lerp;
  const detail::BrickPoint<T> p = detail::locate(b, q);
  BrickSample<T> s{T(0), Vec<T, 3>::zero()};
  const BrickValues values = detail::values_of(b, p.brick);
  if (values.phi == nullptr) {
    s.phi = T(values.bound);
  } else {
    const float* at = values.phi + p.first;
    T f[8];
    for (int k = 0; k < 8; ++k) f[k] = T(at[detail::corner(k)]);
    const T x = p.fraction[0], y = p.fraction[1], z = p.fraction[2];
    const T f00 = lerp(f[0], f[1], z), f01 = lerp(f[2], f[3], z), f10 = lerp(f[4], f[5], z), f11 = lerp(f[6], f[7], z);
    const T f0 = lerp(f00, f01, y), f1 = lerp(f10, f11, y);
    s.phi = lerp(f0, f1, x);
    const T scale = T(1) / T(b.voxel);
    s.gradient[0] = scale * (f1 - f0);
    s.gradient[1] = scale * lerp(f01 - f00, f11 - f10, x);
    s.gradient[2] = scale * lerp(lerp(f[1] - f[0], f[3] - f[2], y), lerp(f[5] - f[4], f[7] - f[6], y), x);
  }
  const T away = norm(p.excess);
  if (away > T(0)) {  // from the box's nearest point the surface is seen at a right angle or more
    const T beyond = max(s.phi, T(0));
    s.phi = sqrt(away * away + beyond * beyond);
    s.gradient = (T(1) / away) * p.excess;
  }
  return s;
}

// The velocity of the deforming body near q; zero where the lattice has no values.
template <class T>
FIRN_HD inline Vec<T, 3> sample_velocity(const Bricks& b, const Vec<T, 3>& q) {
  Vec<T, 3> v = Vec<T, 3>::zero();
  if (b.velocity == nullptr) return v;
  const detail::BrickPoint<T> p = detail::locate(b, q);
  const std::int32_t number = b.number[p.brick];
  if (number == Bricks::kEmpty) return v;
  const float* at = b.velocity + (std::int64_t(number) * Bricks::kValues + p.first) * 3;
  for (int k = 0; k < 8; ++k) {
    const T w = (k & 4 ? p.fraction[0] : T(1) - p.fraction[0]) * (k & 2 ? p.fraction[1] : T(1) - p.fraction[1]) *
                (k & 1 ? p.fraction[2] : T(1) - p.fraction[2]);
    for (int d = 0; d < 3; ++d) v[d] += w * T(at[3 * detail::corner(k) + d]);
  }
  return v;
}

// Bricks that are made when somebody asks for them: a body costs what is looked at of it.

class LazyBricks {
 public:
  explicit LazyBricks(std::size_t bricks);
  virtual ~LazyBricks();
  LazyBricks(const LazyBricks&) = delete;
  LazyBricks& operator=(const LazyBricks&) = delete;

  // The values of a brick, the same for everyone who asks, on any thread.
  BrickValues at(std::int64_t brick) const;

 private:
  // Writes the brick's Bricks::kValues values, or returns the bound of one that needs none. Depends on the brick alone.
  virtual std::optional<float> fill(std::int64_t brick, float* values) const = 0;

  const float* make(std::int64_t brick) const;

  // Who makes bricks side by side keeps them in lists of their own.
  struct Made {
    std::mutex mutex;
    std::vector<std::unique_ptr<float[]>> blocks;
  };
  static constexpr std::size_t kLists = 16;

  // For every brick nullptr, or a block that begins with its bound; after a bound that is not a number come its values. The system gives
  // out zeroed pages only where they are touched.
  const float** blocks_;
  mutable std::array<Made, kLists> made_;
};

// The owner of a sampled level set.

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
  std::size_t bytes() const { return number.size() * sizeof(std::int32_t) + (bound.size() + phi.size() + velocity.size()) * sizeof(float); }
};

// A finished volume, or one whose bricks are made on demand, and the view of it that solids point at.
struct LevelSet {
  explicit LevelSet(Volume values) : volume(std::move(values)), bricks(volume.view()) {}
  // `lattice` has no values of its own.
  LevelSet(Volume lattice, std::unique_ptr<const LazyBricks> on_demand)
      : volume(std::move(lattice)), lazy(std::move(on_demand)), bricks{volume.lower, volume.voxel, volume.count, nullptr,
                                                                       nullptr,      nullptr,      nullptr,      lazy.get()} {}
  LevelSet(const LevelSet&) = delete;
  LevelSet& operator=(const LevelSet&) = delete;

  const Volume volume;
  const std::unique_ptr<const LazyBricks> lazy;
  const Bricks bricks;
};

}  // namespace firn
