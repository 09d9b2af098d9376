// What the pictures of the gallery claim, as numbers, from the particles of one moment.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include "firn/frame.h"
#include "firn/scene.h"

namespace firn::test {

using Point = std::array<double, 3>;
using Which = std::function<bool(std::size_t particle)>;

inline bool any_particle(std::size_t) { return true; }

inline double mass_of(const Frame& frame, const Which& which = any_particle) {
  double sum = 0;
  for (std::size_t i = 0; i < frame.size(); ++i)
    if (which(i)) sum += frame.mass[i];
  return sum;
}

inline Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline double length_of(const Point& a) { return std::hypot(a[0], a[1], a[2]); }

inline double share_of(const Frame& frame, const Which& which) { return mass_of(frame, which) / mass_of(frame); }

inline Point middle_of(const Frame& frame, const Which& which = any_particle) {
  Point sum{};
  for (std::size_t i = 0; i < frame.size(); ++i)
    for (int d = 0; d < 3; ++d) sum[d] += which(i) ? frame.mass[i] * frame.position[i][d] : 0;
  for (double& x : sum) x /= mass_of(frame, which);
  return sum;
}

inline Point velocity_of(const Frame& frame, const Which& which) {
  Point sum{};
  for (std::size_t i = 0; i < frame.size(); ++i)
    for (int d = 0; d < 3; ++d) sum[d] += which(i) ? frame.mass[i] * frame.velocity[i][d] : 0;
  for (double& v : sum) v /= mass_of(frame, which);
  return sum;
}

// The distance from the middle, on the ground, within which 95 % of the mass lie, m.
inline double spread_of(const Frame& frame) {
  const Point middle = middle_of(frame);
  std::vector<double> away;
  for (const auto& x : frame.position) away.push_back(std::hypot(x[0] - middle[0], x[2] - middle[2]));
  const auto place = away.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(away.size()));
  std::nth_element(away.begin(), place, away.end());
  return *place;
}

// Groups of cells, joined by their faces, that are filled to at least a quarter of `density`: their shares of all mass, the largest first.
struct Pieces {
  std::vector<double> shares;
  std::vector<int> of;  // the piece of each particle; −1: powder

  int count(double least_share) const {
    return static_cast<int>(std::count_if(shares.begin(), shares.end(), [&](double share) { return share >= least_share; }));
  }
  double largest() const { return shares.empty() ? 0 : shares[0]; }
  double powder() const { return 1 - std::accumulate(shares.begin(), shares.end(), 0.0); }
};

inline Pieces pieces_of(const Frame& frame, double cell, double density, int dimension) {
  using Index = std::array<int, 3>;
  const auto index_of = [&](std::size_t i) {
    Index index{};
    for (int d = 0; d < dimension; ++d) index[d] = static_cast<int>(std::floor(frame.position[i][d] / cell));
    return index;
  };
  std::map<Index, double> mass;
  for (std::size_t i = 0; i < frame.size(); ++i) mass[index_of(i)] += frame.mass[i];
  std::erase_if(mass, [&](const auto& entry) { return entry.second < 0.25 * density * std::pow(cell, dimension); });
  std::map<Index, int> piece;
  std::vector<double> sums;
  for (const auto& [start, own] : mass) {
    if (piece.contains(start)) continue;
    const int number = static_cast<int>(sums.size());
    sums.push_back(0);
    std::vector<Index> open{start};
    piece[start] = number;
    while (!open.empty()) {
      const Index at = open.back();
      open.pop_back();
      sums[number] += mass[at];
      for (int d = 0; d < dimension; ++d)
        for (const int way : {-1, 1}) {
          Index next = at;
          next[d] += way;
          if (mass.contains(next) && piece.emplace(next, number).second) open.push_back(next);
        }
    }
  }
  std::vector<int> order(sums.size()), rank(sums.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return sums[a] > sums[b]; });
  Pieces pieces;
  const double all = mass_of(frame);
  for (std::size_t k = 0; k < order.size(); ++k) {
    rank[order[k]] = static_cast<int>(k);
    pieces.shares.push_back(sums[order[k]] / all);
  }
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const auto found = piece.find(index_of(i));
    pieces.of.push_back(found == piece.end() ? -1 : rank[found->second]);
  }
  return pieces;
}

// How fast a cloud turns about the z axis through its middle: Σ m (r × v) / Σ m r², 1/s.
inline double turning_of(const Frame& frame, const Which& which) {
  const Point middle = middle_of(frame, which), speed = velocity_of(frame, which);
  double moment = 0, inertia = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (!which(i)) continue;
    const double x = frame.position[i][0] - middle[0], y = frame.position[i][1] - middle[1];
    moment += frame.mass[i] * (x * (frame.velocity[i][1] - speed[1]) - y * (frame.velocity[i][0] - speed[0]));
    inertia += frame.mass[i] * (x * x + y * y);
  }
  return moment / inertia;
}

// The height below which 95 % of the particles of a column over a rectangle of the ground lie; 0: there are none.
inline double surface_at(const Frame& frame, double x, double z, double half_edge) {
  std::vector<double> heights;
  for (const auto& at : frame.position)
    if (std::abs(at[0] - x) < half_edge && std::abs(at[2] - z) < half_edge) heights.push_back(at[1]);
  if (heights.empty()) return 0;
  const auto place = heights.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(heights.size()));
  std::nth_element(heights.begin(), place, heights.end());
  return *place;
}

}  // namespace firn::test
