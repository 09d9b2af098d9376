#include "geometry/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "geometry/mesh.h"

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

namespace {

constexpr double kWeldTolerance = 1e-6;  // of the diagonal: above the rounding of files in single precision, below any detail
// |volume| over area^1.5 (a sphere: 0.09; a plate of 1 m² and 1 mm: 4e-4) that rounding of single precision can give a sheet.
constexpr double kThinnest = 1e-6;

Triangle smallest_first(const Triangle& t) {
  const std::size_t first = static_cast<std::size_t>(std::min_element(t.begin(), t.end()) - t.begin());
  return {t[first], t[(first + 1) % 3], t[(first + 2) % 3]};
}

bool has_area(const Mesh& mesh, const Triangle& t) {
  return t[0] != t[1] && t[1] != t[2] && t[2] != t[0] && has_area(mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]);
}

// Keeps the first of each kind, in the order they had.
void drop_duplicates(std::vector<Triangle>& triangles, MeshReport& report) {
  std::vector<std::pair<Triangle, std::size_t>> sorted(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) sorted[t] = {smallest_first(triangles[t]), t};
  std::sort(sorted.begin(), sorted.end());
  std::vector<bool> is_duplicate(triangles.size(), false);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].first == sorted[i - 1].first) is_duplicate[sorted[i].second] = true;
  std::size_t kept = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (!is_duplicate[t]) triangles[kept++] = triangles[t];
  report.duplicate_triangles = triangles.size() - kept;
  triangles.resize(kept);
}

}  // namespace

void drop_unused_points(Mesh& mesh) {
  constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(mesh.points.size(), kUnused);
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t corner : t) number[corner] = 0;
  std::uint32_t kept = 0;
  for (std::size_t p = 0; p < number.size(); ++p) {
    if (number[p] == kUnused) continue;
    mesh.points[kept] = mesh.points[p];
    number[p] = kept++;
  }
  mesh.points.resize(kept);
  for (Triangle& t : mesh.triangles)
    for (std::uint32_t& corner : t) corner = number[corner];
}

bool MeshReport::encloses_nothing() const { return std::abs(volume) <= kThinnest * std::pow(area, 1.5); }

Mesh clean(const Mesh& mesh, MeshReport& report, const Location& where) {
  check_mesh(mesh, where);
  const std::vector<std::uint32_t> stands_for = weld(mesh, kWeldTolerance * diagonal(bounds(mesh)));
  for (std::size_t p = 0; p < stands_for.size(); ++p) report.welded_points += stands_for[p] != p;
  Mesh result{mesh.points, {}};
  result.triangles.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    const Triangle welded{stands_for[t[0]], stands_for[t[1]], stands_for[t[2]]};
    if (has_area(mesh, welded)) result.triangles.push_back(welded);
  }
  report.flat_triangles = mesh.triangles.size() - result.triangles.size();
  if (result.triangles.empty()) throw UserError(where, "no triangle with an area is left");
  drop_duplicates(result.triangles, report);
  drop_unused_points(result);
  return result;
}

Mesh repair(const Mesh& mesh, MeshReport& report, const Location& where) {
  Mesh result = clean(mesh, report, where);
  make_consistent(result, report);
  close_holes(result, report);
  report.volume = signed_volume(result);
  report.area = surface_area(result);
  report.inside_out = report.volume < 0 && !report.encloses_nothing();
  if (report.inside_out) {
    turn_all(result);
    report.volume = -report.volume;
  }
  return result;
}

std::vector<std::string> warnings(const MeshReport& report) {
  std::vector<std::string> lines;
  if (report.flat_triangles > 0) lines.push_back(fmt::format("{} triangles without area: left out", report.flat_triangles));
  if (report.duplicate_triangles > 0) lines.push_back(fmt::format("{} triangles twice: left out", report.duplicate_triangles));
  if (report.turned_triangles > 0)
    lines.push_back(fmt::format("{} triangles faced another way than their neighbours: turned", report.turned_triangles));
  if (report.twisted_edges > 0)
    lines.push_back(fmt::format("{} edges where the surface has no inside: left as they are", report.twisted_edges));
  if (report.holes > 0) lines.push_back(fmt::format("{} open edges in {} holes: closed", report.open_edges, report.holes));
  if (report.inside_out) lines.push_back("the surface was inside out: turned");
  if (report.encloses_nothing()) lines.push_back("the surface is a sheet, there is nothing inside");
  return lines;
}

// make_consistent: neighbours agree when they run through their common edge in opposite directions.

namespace {

constexpr std::uint32_t kNoNeighbour = std::numeric_limits<std::uint32_t>::max();

enum class Side : std::uint8_t { kUnknown, kKept, kTurned };

Side other(Side side) { return side == Side::kKept ? Side::kTurned : Side::kKept; }

// Behind each side of a triangle: who is there, and does it face the same way.
struct Neighbour {
  std::uint32_t triangle = kNoNeighbour;
  bool agrees = true;
};

std::vector<Neighbour> find_neighbours(const Mesh& mesh, MeshReport& report) {
  std::vector<Neighbour> neighbours(3 * mesh.triangles.size());
  const std::vector<EdgeUse> uses = sorted_edge_uses(mesh);
  for_each_edge(uses, [&](std::span<const EdgeUse> edge) {
    ++report.edges;
    if (edge.size() % 2 != 0) ++report.open_edges;
    if (edge.size() != 2) return;
    const bool agree = edge[0].forward(mesh) != edge[1].forward(mesh);
    neighbours[edge[0].corner] = {static_cast<std::uint32_t>(edge[1].triangle()), agree};
    neighbours[edge[1].corner] = {static_cast<std::uint32_t>(edge[0].triangle()), agree};
  });
  return neighbours;
}

class Orientation {
 public:
  Orientation(Mesh& mesh, MeshReport& report)
      : mesh_(mesh), report_(report), neighbours_(find_neighbours(mesh, report)), sides_(mesh.triangles.size(), Side::kUnknown) {}

  void apply() {
    for (std::uint32_t t = 0; t < sides_.size(); ++t)
      if (sides_[t] == Side::kUnknown) turn_fewer(flood(t));
    report_.twisted_edges /= 2;  // each was met from both of its triangles
  }

 private:
  // The triangles that hang together with `start`, each with its side decided.
  std::vector<std::uint32_t> flood(std::uint32_t start) {
    std::vector<std::uint32_t> component{start};
    sides_[start] = Side::kKept;
    for (std::size_t next = 0; next < component.size(); ++next) {
      const std::uint32_t t = component[next];
      for (std::size_t i = 0; i < 3; ++i) {
        const Neighbour& neighbour = neighbours_[3 * std::size_t{t} + i];
        if (neighbour.triangle == kNoNeighbour) continue;
        Side& side = sides_[neighbour.triangle];
        const Side wanted = neighbour.agrees ? sides_[t] : other(sides_[t]);
        if (side == Side::kUnknown) {
          side = wanted;
          component.push_back(neighbour.triangle);
        } else if (side != wanted) {
          ++report_.twisted_edges;
        }
      }
    }
    return component;
  }

  void turn_fewer(const std::vector<std::uint32_t>& component) {
    std::size_t turned_ones = 0;
    for (const std::uint32_t t : component) turned_ones += sides_[t] == Side::kTurned;
    const bool turn_the_others = 2 * turned_ones > component.size();
    for (const std::uint32_t t : component) {
      if ((sides_[t] == Side::kTurned) == turn_the_others) continue;
      mesh_.triangles[t] = turned(mesh_.triangles[t]);
      ++report_.turned_triangles;
    }
  }

  Mesh& mesh_;
  MeshReport& report_;
  std::vector<Neighbour> neighbours_;
  std::vector<Side> sides_;
};

}  // namespace

void make_consistent(Mesh& mesh, MeshReport& report) { Orientation(mesh, report).apply(); }

}  // namespace firn
