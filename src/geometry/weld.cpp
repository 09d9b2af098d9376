#include "geometry/weld.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace firn {
namespace {

using Cell = std::array<std::int64_t, 3>;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
// Edge of a cell over the tolerance: larger, and a cell holds more points that are apart; smaller, and a search meets more cells.
constexpr double kCellsEdge = 4;

// Points that are apart, findable by place: a hash table with open addressing in which points of one cell stand behind each other.
class PointGrid {
 public:
  // `lower`: below all points; cells are counted from there, so that their numbers stay small.
  PointGrid(const std::vector<Vec<double, 3>>& points, const Vec<double, 3>& lower, double tolerance)
      : points_(points),
        lower_(lower),
        tolerance_(tolerance),
        per_cell_(tolerance > 0 ? 1 / (kCellsEdge * tolerance) : 1),
        slots_(kFirstSlots, kNone) {}

  // The first point added within the tolerance of `x`, or kNone.
  std::uint32_t find(const Vec<double, 3>& x) const {
    const Cell home = cell_of(x);
    std::uint32_t found = search(home, x, kNone);
    if (found != kNone && dot(points_[found] - x, points_[found] - x) == 0)
      return found;  // all others are farther from it than the tolerance
    const Vec<double, 3> reach = Vec<double, 3>::filled(tolerance_);
    const Cell lower = cell_of(x - reach), upper = cell_of(x + reach);
    Cell cell;
    for (cell[0] = lower[0]; cell[0] <= upper[0]; ++cell[0])
      for (cell[1] = lower[1]; cell[1] <= upper[1]; ++cell[1])
        for (cell[2] = lower[2]; cell[2] <= upper[2]; ++cell[2])
          if (cell != home) found = search(cell, x, found);
    return found;
  }

  void add(std::uint32_t point) {
    added_.push_back(point);
    if (2 * added_.size() > slots_.size()) {
      slots_.assign(2 * slots_.size(), kNone);
      for (const std::uint32_t each : added_) place(each);
    } else {
      place(point);
    }
  }

 private:
  static constexpr std::size_t kFirstSlots = 1 << 10;  // a power of two, always

  Cell cell_of(const Vec<double, 3>& x) const {
    Cell cell;
    for (int i = 0; i < 3; ++i) cell[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(std::floor((x[i] - lower_[i]) * per_cell_));
    return cell;
  }
  std::size_t first_slot(const Cell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t number : cell) {
      hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio
      hash ^= hash >> 32;
    }
    return hash & (slots_.size() - 1);
  }
  std::uint32_t search(const Cell& cell, const Vec<double, 3>& x, std::uint32_t found) const {
    for (std::size_t s = first_slot(cell); slots_[s] != kNone; s = (s + 1) & (slots_.size() - 1)) {
      const Vec<double, 3> apart = points_[slots_[s]] - x;
      if (dot(apart, apart) <= tolerance_ * tolerance_) found = std::min(found, slots_[s]);
    }
    return found;
  }
  void place(std::uint32_t point) {
    std::size_t s = first_slot(cell_of(points_[point]));
    while (slots_[s] != kNone) s = (s + 1) & (slots_.size() - 1);
    slots_[s] = point;
  }

  const std::vector<Vec<double, 3>>& points_;
  Vec<double, 3> lower_;
  double tolerance_, per_cell_;
  std::vector<std::uint32_t> slots_, added_;
};

}  // namespace

std::vector<std::uint32_t> weld(const Mesh& mesh, double tolerance) {
  const std::vector<Vec<double, 3>>& points = mesh.points;
  std::vector<std::uint32_t> stands_for(points.size());
  PointGrid grid(points, bounds(mesh).lower, tolerance);
  for (std::uint32_t p = 0; p < points.size(); ++p) {
    const std::uint32_t earlier = grid.find(points[p]);
    stands_for[p] = earlier == kNone ? p : earlier;
    if (earlier == kNone) grid.add(p);
  }
  return stands_for;
}

}  // namespace firn
