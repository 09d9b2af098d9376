#include "geometry/contour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "core/parallel.h"
#include "math/decompose.h"

namespace firn {
namespace {

constexpr int kEdge = 8;              // cells of a block along an axis
constexpr int kNodes = kEdge + 1;     // corners of them
constexpr double kSlack = 1.01;       // distances are right to rounding only
constexpr double kOffLattice = 0.37;  // of a cell: faces at round coordinates do not run through corners of cells
constexpr double kFlat = 0.1;         // of the largest eigenvalue: planes that differ by less do not make an edge
constexpr double kStep = 1e-3;        // of a cell, for normals
constexpr int kRefinements = 5;       // of the place where an edge is crossed

using Point = Vec<double, 3>;
using Cell = std::array<int, 3>;
using Distance = std::function<double(const Point&)>;

// Where cells are.
struct Lattice {
  Point lower;
  double cell;

  Point corner(const Cell& c) const { return {lower[0] + cell * c[0], lower[1] + cell * c[1], lower[2] + cell * c[2]}; }
};

std::size_t node_index(int i, int j, int k) { return (static_cast<std::size_t>(i) * kNodes + j) * kNodes + k; }

// Where the surface crosses an edge of a cell.
struct Crossing {
  Point place, normal;
};

// The point of a cell, and how many planes decide on it: 1 on a face, 2 on an edge, 3 at a corner.
struct Meeting {
  Point place;
  int rank;
};

// An edge that the surface crosses: from a corner along an axis; whether it leads out.
struct CrossedEdge {
  Cell from;
  int axis;
  bool outward;
};

struct Block {
  Cell first;                                             // its first cell
  std::array<std::int32_t, kEdge * kEdge * kEdge> point;  // of every cell, in `meetings`; -1: the surface is elsewhere
  std::vector<Meeting> meetings;
  std::vector<CrossedEdge> edges;
  std::size_t first_point = 0;  // of its points, among all

  static std::size_t index(int i, int j, int k) { return (static_cast<std::size_t>(i) * kEdge + j) * kEdge + k; }
};

Crossing find_crossing(const Distance& distance, Point a, double phi_a, Point b, double phi_b, double cell) {
  // The Illinois method: of two ends with different signs, the one that stays counts half the next time.
  Point p = a;
  for (int k = 0; k < kRefinements; ++k) {
    const double t = phi_a / (phi_a - phi_b);
    p = (1 - t) * a + t * b;
    const double phi = distance(p);
    if (phi == 0) break;
    if ((phi < 0) == (phi_b < 0)) {
      b = p;
      phi_b = phi;
      phi_a *= 0.5;
    } else {
      a = p;
      phi_a = phi;
      phi_b *= 0.5;
    }
  }
  Point normal;
  for (int d = 0; d < 3; ++d) {
    Point side = Point::zero();
    side[d] = kStep * cell;
    normal[d] = distance(p + side) - distance(p - side);
  }
  const double length = norm(normal);
  return {p, length > 0 ? (1 / length) * normal : Point::zero()};
}

// Where the planes through the crossings meet, as nearly as they do: the least squares solution nearest to the middle of the crossings.
Meeting meet(const std::vector<Crossing>& crossings, const Point& low, double cell) {
  Point middle = Point::zero();
  for (const Crossing& c : crossings) middle += (1.0 / static_cast<double>(crossings.size())) * c.place;
  Mat<double, 3> a = Mat<double, 3>::zero();
  Point b = Point::zero();
  for (const Crossing& c : crossings) {
    a += outer(c.normal, c.normal);
    b += dot(c.normal, c.place - middle) * c.normal;
  }
  const SymmetricEigen<double, 3> eigen = symmetric_eigen(a);
  const double most = std::max({eigen.values[0], eigen.values[1], eigen.values[2]});
  Meeting result{middle, 0};
  for (int k = 0; k < 3; ++k) {
    if (!(eigen.values[k] > kFlat * most)) continue;
    Point axis;
    for (int d = 0; d < 3; ++d) axis[d] = eigen.V(d, k);
    result.place += (dot(axis, b) / eigen.values[k]) * axis;
    ++result.rank;
  }
  for (int d = 0; d < 3; ++d) result.place[d] = std::clamp(result.place[d], low[d], low[d] + cell);
  return result;
}

// Fills a block: the points of its cells, and the crossed edges that begin in it.
class BlockContour {
 public:
  BlockContour(const Lattice& lattice, const Distance& distance, Block& block) : lattice_(lattice), distance_(distance), block_(block) {
    for (int i = 0; i < kNodes; ++i)
      for (int j = 0; j < kNodes; ++j)
        for (int k = 0; k < kNodes; ++k) phi_[node_index(i, j, k)] = distance(lattice.corner(global({i, j, k})));
    for (auto& edges : crossing_of_) edges.fill(-1);
    find_edges();
    for (int i = 0; i < kEdge; ++i)
      for (int j = 0; j < kEdge; ++j)
        for (int k = 0; k < kEdge; ++k) place_point({i, j, k});
  }

 private:
  Cell global(const Cell& local) const { return {block_.first[0] + local[0], block_.first[1] + local[1], block_.first[2] + local[2]}; }

  void find_edges() {
    for (int axis = 0; axis < 3; ++axis)
      for (int i = 0; i < kNodes; ++i)
        for (int j = 0; j < kNodes; ++j)
          for (int k = 0; k < kNodes; ++k) find_edge({i, j, k}, axis);
  }

  void find_edge(const Cell& from, int axis) {
    Cell to = from;
    if (++to[static_cast<std::size_t>(axis)] >= kNodes) return;
    const double a = phi_[node_index(from[0], from[1], from[2])], b = phi_[node_index(to[0], to[1], to[2])];
    if ((a < 0) == (b < 0)) return;
    crossing_of_[static_cast<std::size_t>(axis)][node_index(from[0], from[1], from[2])] = static_cast<std::int32_t>(crossings_.size());
    crossings_.push_back(find_crossing(distance_, lattice_.corner(global(from)), a, lattice_.corner(global(to)), b, lattice_.cell));
    const bool is_own = from[0] < kEdge && from[1] < kEdge && from[2] < kEdge;
    if (is_own) block_.edges.push_back({global(from), axis, a < 0});
  }

  void place_point(const Cell& c) {
    std::vector<Crossing> around;
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 4; ++side) {
        Cell from = c;
        from[static_cast<std::size_t>((axis + 1) % 3)] += side & 1;
        from[static_cast<std::size_t>((axis + 2) % 3)] += side >> 1;
        const std::int32_t at = crossing_of_[static_cast<std::size_t>(axis)][node_index(from[0], from[1], from[2])];
        if (at >= 0) around.push_back(crossings_[static_cast<std::size_t>(at)]);
      }
    std::int32_t& point = block_.point[Block::index(c[0], c[1], c[2])];
    point = around.empty() ? -1 : static_cast<std::int32_t>(block_.meetings.size());
    if (!around.empty()) block_.meetings.push_back(meet(around, lattice_.corner(global(c)), lattice_.cell));
  }

  const Lattice& lattice_;
  const Distance& distance_;
  Block& block_;
  std::array<double, kNodes * kNodes * kNodes> phi_;
  std::array<std::array<std::int32_t, kNodes * kNodes * kNodes>, 3> crossing_of_;  // by the corner that an edge begins at; -1: none
  std::vector<Crossing> crossings_;
};

// Blocks that the surface may go through.
struct Course {
  std::vector<Cell> first;  // cells of theirs; not of more than were asked for
  double count;             // about how many there are
};

// A cube is divided until its middle is too far from the surface.
Course blocks_along(const Lattice& lattice, const std::array<int, 3>& cells, const Distance& distance, std::size_t most) {
  int edge = kEdge;
  while (edge < *std::max_element(cells.begin(), cells.end())) edge *= 2;
  std::vector<Cell> cubes{{0, 0, 0}};
  for (;; edge /= 2) {
    const double reach = kSlack * std::sqrt(3.0) / 2 * edge * lattice.cell;
    std::vector<std::uint8_t> is_near(cubes.size());
    parallel_for(cubes.size(), [&](std::size_t i) {
      const Point middle = lattice.corner(cubes[i]) + Point::filled(0.5 * edge * lattice.cell);
      is_near[i] = std::abs(distance(middle)) <= reach;
    });
    std::vector<Cell> near;
    for (std::size_t i = 0; i < cubes.size(); ++i)
      if (is_near[i]) near.push_back(cubes[i]);
    const double parts = static_cast<double>(edge / kEdge);
    const double count = static_cast<double>(near.size()) * (near.size() > most ? parts * parts : 1);  // they cover a surface
    if (edge == kEdge || near.size() > most) return {near, count};
    cubes.clear();
    for (const Cell& cube : near)
      for (int part = 0; part < 8; ++part) {
        const Cell corner{cube[0] + (part & 1) * edge / 2, cube[1] + (part >> 1 & 1) * edge / 2, cube[2] + (part >> 2) * edge / 2};
        if (corner[0] < cells[0] && corner[1] < cells[1] && corner[2] < cells[2]) cubes.push_back(corner);
      }
  }
}

// Joins the points of the four cells around every crossed edge.
class Joiner {
 public:
  explicit Joiner(const std::vector<Block>& blocks) : blocks_(blocks) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      number_.emplace(key(blocks[b].first), b);
      for (const Meeting& meeting : blocks[b].meetings) {
        mesh_.points.push_back(meeting.place);
        rank_.push_back(meeting.rank);
      }
    }
  }

  Mesh join() {
    for (const Block& block : blocks_)
      for (const CrossedEdge& edge : block.edges) add_quad(edge);
    return std::move(mesh_);
  }

 private:
  static std::uint64_t key(const Cell& c) {
    constexpr int kBits = 21;
    std::uint64_t result = 0;
    for (const int i : c) result = result << kBits | static_cast<std::uint64_t>(i / kEdge);
    return result;
  }

  // -1: it has none.
  std::int64_t point_of(const Cell& c) const {
    if (c[0] < 0 || c[1] < 0 || c[2] < 0) return -1;
    const auto found = number_.find(key(c));
    if (found == number_.end()) return -1;
    const Block& block = blocks_[found->second];
    const std::int32_t at = block.point[Block::index(c[0] % kEdge, c[1] % kEdge, c[2] % kEdge)];
    return at < 0 ? -1 : static_cast<std::int64_t>(block.first_point) + at;
  }

  void add_quad(const CrossedEdge& edge) {
    const auto u = static_cast<std::size_t>((edge.axis + 1) % 3), v = static_cast<std::size_t>((edge.axis + 2) % 3);
    std::array<std::uint32_t, 4> corner;
    for (std::size_t k = 0; k < 4; ++k) {  // counterclockwise, seen from the end of the axis
      Cell c = edge.from;
      c[u] -= k == 0 || k == 3;
      c[v] -= k < 2;
      const std::int64_t point = point_of(c);
      if (point < 0) return;
      corner[k] = static_cast<std::uint32_t>(point);
    }
    if (!edge.outward) std::swap(corner[1], corner[3]);
    // A sharp edge runs along the diagonal that joins points on it; elsewhere the shorter one bends less.
    const auto rank = [&](std::size_t k) { return rank_[corner[k]]; };
    const auto length = [&](std::size_t i, std::size_t k) { return norm(mesh_.points[corner[i]] - mesh_.points[corner[k]]); };
    const int more = rank(0) + rank(2) - rank(1) - rank(3);
    const bool first = more != 0 ? more > 0 : length(0, 2) <= length(1, 3);
    const std::size_t s = first ? 0 : 1;
    add_triangle({corner[s], corner[s + 1], corner[s + 2]});
    add_triangle({corner[s + 2], corner[(s + 3) % 4], corner[s]});
  }

  void add_triangle(const Triangle& t) {
    if (has_area(mesh_.points[t[0]], mesh_.points[t[1]], mesh_.points[t[2]])) mesh_.triangles.push_back(t);
  }

  const std::vector<Block>& blocks_;
  std::unordered_map<std::uint64_t, std::size_t> number_;  // of blocks, by their place
  std::vector<int> rank_;                                  // of points
  Mesh mesh_;
};

}  // namespace

Mesh contour(const Bounds& box, const Distance& distance, const ContourSettings& settings) {
  Lattice lattice{{}, settings.cell};
  Course course;
  for (bool fits = false; !fits;) {
    std::array<int, 3> cells;
    for (int d = 0; d < 3; ++d) {
      lattice.lower[d] = box.lower[d] - (1 + kOffLattice) * lattice.cell;
      cells[static_cast<std::size_t>(d)] = static_cast<int>(std::ceil((box.upper[d] - lattice.lower[d]) / lattice.cell)) + 1;
    }
    course = blocks_along(lattice, cells, distance, settings.most_blocks);
    const double excess = course.count / static_cast<double>(settings.most_blocks);
    fits = excess <= 1;
    if (!fits) lattice.cell *= 1.05 * std::sqrt(excess);
  }
  std::vector<Block> blocks(course.first.size());
  parallel_for(blocks.size(), [&](std::size_t b) {
    blocks[b].first = course.first[b];
    BlockContour(lattice, distance, blocks[b]);
  });
  std::size_t points = 0;
  for (Block& block : blocks) {
    block.first_point = points;
    points += block.meetings.size();
  }
  return Joiner(blocks).join();
}

}  // namespace firn
