// Upper bounds of the extinction, block by block, and the blocks that a ray goes through: free flights step through thin snow in large
// steps and through dense snow in small ones.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "render/vector.h"

namespace firn {

class Majorants {
 public:
  static constexpr std::size_t kMostBlocks = std::size_t{1} << 24;

  Majorants() = default;
  // Voxels `low` to `high`, both with values; blocks of 8³ voxels, larger ones where those would be too many.
  Majorants(const std::array<int, 3>& low, const std::array<int, 3>& high) : low_(low) {
    do {
      for (std::size_t d = 0; d < 3; ++d) n_[d] = ((high[d] - low[d]) >> log2_) + 1;
    } while (static_cast<double>(n_[0]) * n_[1] * n_[2] > kMostBlocks && ++log2_);
    bound_.resize(static_cast<std::size_t>(n_[0]) * static_cast<std::size_t>(n_[1]) * static_cast<std::size_t>(n_[2]));
  }

  // A value counts in the block of its voxel and, being interpolated, in those just below it.
  void add(const std::array<int, 3>& voxel, float value) {
    for (int corner = 0; corner < 8; ++corner) {
      std::size_t at[3];
      bool inside = true;
      for (int d = 0; d < 3; ++d) {
        const int relative = voxel[static_cast<std::size_t>(d)] - (corner >> d & 1) - low_[static_cast<std::size_t>(d)];
        inside = inside && relative >= 0;
        at[d] = static_cast<std::size_t>(relative >> log2_);
      }
      if (!inside) continue;
      float& bound = bound_[index(at[0], at[1], at[2])];
      bound = std::max(bound, value);
    }
  }

  // Calls visit(t0, t1, bound) for the blocks along origin + t·direction, in order, t from 0 to `farthest`, until it returns false.
  // Points are in voxels. Blocks with nothing in them are left out.
  template <class Visit>
  void walk(const Float3& origin, const Float3& direction, float farthest, Visit visit) const {
    float enter = 0, leave = farthest;
    const float edge = static_cast<float>(1 << log2_);
    Float3 o, d;  // in blocks, from the first
    for (int a = 0; a < 3; ++a) {
      o[a] = (origin[a] - static_cast<float>(low_[static_cast<std::size_t>(a)])) / edge;
      d[a] = direction[a] / edge;
      const float near = (0 - o[a]) / d[a], far = (static_cast<float>(n_[static_cast<std::size_t>(a)]) - o[a]) / d[a];
      if (d[a] == 0 && (o[a] < 0 || o[a] >= static_cast<float>(n_[static_cast<std::size_t>(a)]))) return;
      if (d[a] == 0) continue;
      enter = std::max(enter, std::min(near, far));
      leave = std::min(leave, std::max(near, far));
    }
    if (bound_.empty() || !(enter < leave)) return;
    step_through(o, d, enter, leave, visit);
  }

 private:
  std::size_t index(std::size_t i, std::size_t j, std::size_t k) const {
    return (i * static_cast<std::size_t>(n_[1]) + j) * static_cast<std::size_t>(n_[2]) + k;
  }

  template <class Visit>
  void step_through(const Float3& o, const Float3& d, float t, float leave, Visit visit) const {
    int cell[3], step[3];
    float next[3], delta[3];
    for (int a = 0; a < 3; ++a) {
      const int last = n_[static_cast<std::size_t>(a)] - 1;
      cell[a] = std::clamp(static_cast<int>(std::floor(o[a] + t * d[a])), 0, last);
      step[a] = d[a] > 0 ? 1 : -1;
      delta[a] = d[a] != 0 ? std::abs(1 / d[a]) : std::numeric_limits<float>::infinity();
      next[a] = d[a] != 0 ? (static_cast<float>(cell[a] + (d[a] > 0)) - o[a]) / d[a] : std::numeric_limits<float>::infinity();
    }
    while (t < leave) {
      const int a = next[0] < next[1] ? (next[0] < next[2] ? 0 : 2) : (next[1] < next[2] ? 1 : 2);
      const float end = std::min(next[a], leave);
      const float bound =
          bound_[index(static_cast<std::size_t>(cell[0]), static_cast<std::size_t>(cell[1]), static_cast<std::size_t>(cell[2]))];
      if (bound > 0 && end > t && !visit(t, end, bound)) return;
      t = std::max(t, end);
      cell[a] += step[a];
      next[a] += delta[a];
      if (cell[a] < 0 || cell[a] >= n_[static_cast<std::size_t>(a)]) return;
    }
  }

  int log2_ = 3;
  std::array<int, 3> low_{0, 0, 0}, n_{0, 0, 0};
  std::vector<float> bound_;
};

}  // namespace firn
