#include "geometry/heightfield.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "core/parallel.h"
#include "firn/error.h"

namespace firn {
namespace {

HeightMap flat_map(const GroundArea& area, std::size_t nx, std::size_t nz) {
  HeightMap map;
  map.nx = nx;
  map.nz = nz;
  map.x0 = area.x0;
  map.z0 = area.z0;
  map.dx = (area.x1 - area.x0) / static_cast<double>(nx - 1);
  map.dz = (area.z1 - area.z0) / static_cast<double>(nz - 1);
  map.heights.resize(nx * nz);
  return map;
}

void check_area(const GroundArea& area) {
  if (!(area.x1 > area.x0 && area.z1 > area.z0)) throw UserError("the area of a height field must have a width and a depth");
}

void check_count(double cells_x, double cells_z) {
  if (!((cells_x + 1) * (cells_z + 1) <= static_cast<double>(kMostHeights)))
    throw UserError(fmt::format("a height field of {} × {} points, at most {} in all are allowed; use a larger spacing", cells_x + 1,
                                cells_z + 1, kMostHeights));
}

struct Ground {
  double x, z;
};

// The formula at the points of nz rows of nx, on all threads: a parser each for some rows. What is wrong is told of the first point where
// it is.
template <class F>
std::vector<double> formula_values(const std::string& text, std::size_t nx, std::size_t nz, F place_of) {
  Formula{text};  // a mistake in the text has no place
  constexpr std::size_t kRows = 16;
  std::vector<double> values(nx * nz);
  std::vector<std::exception_ptr> mistakes((nz + kRows - 1) / kRows);
  parallel_for(mistakes.size(), [&](std::size_t part) {
    Formula formula(text);
    try {
      for (std::size_t k = part * kRows; k < std::min((part + 1) * kRows, nz); ++k)
        for (std::size_t i = 0; i < nx; ++i) {
          const Ground at = place_of(i, k);
          values[k * nx + i] = formula(at.x, at.z);
        }
    } catch (const UserError&) {
      mistakes[part] = std::current_exception();
    }
  });
  for (const std::exception_ptr& mistake : mistakes)
    if (mistake) std::rethrow_exception(mistake);
  return values;
}

// Wider than it is long and high: from z = 0 everything else is nearer than its sides.
HeightMap widened(const GroundArea& area, const std::vector<double>& heights) {
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  const double half = 2 * (area.x1 - area.x0 + std::max(std::abs(*low), std::abs(*high)));
  HeightMap map = flat_map({area.x0, -half, area.x1, half}, heights.size(), 2);
  for (std::size_t row = 0; row < 2; ++row)
    std::copy(heights.begin(), heights.end(), map.heights.begin() + static_cast<std::ptrdiff_t>(row * map.nx));
  return map;
}

// The cell of a coordinate and the place in it, from 0 to 1.
struct Place {
  std::size_t cell;
  double part;
};

Place place(double coordinate, double first, double spacing, std::size_t points) {
  const double s = std::clamp((coordinate - first) / spacing, 0.0, static_cast<double>(points - 1));
  const std::size_t cell = std::min(static_cast<std::size_t>(s), points - 2);
  return {cell, s - static_cast<double>(cell)};
}

// The points around the edge of the map, once round.
std::vector<std::uint32_t> rim(const HeightMap& map) {
  const auto index = [&](std::size_t i, std::size_t k) { return static_cast<std::uint32_t>(k * map.nx + i); };
  std::vector<std::uint32_t> points;
  for (std::size_t i = 0; i + 1 < map.nx; ++i) points.push_back(index(i, 0));
  for (std::size_t k = 0; k + 1 < map.nz; ++k) points.push_back(index(map.nx - 1, k));
  for (std::size_t i = map.nx - 1; i > 0; --i) points.push_back(index(i, map.nz - 1));
  for (std::size_t k = map.nz - 1; k > 0; --k) points.push_back(index(0, k));
  return points;
}

void add_surface(const HeightMap& map, Mesh& mesh) {
  for (std::size_t k = 0; k < map.nz; ++k)
    for (std::size_t i = 0; i < map.nx; ++i) mesh.points.push_back(map.point(i, k));
  for (std::size_t k = 0; k + 1 < map.nz; ++k)
    for (std::size_t i = 0; i + 1 < map.nx; ++i) {
      const std::uint32_t a = static_cast<std::uint32_t>(k * map.nx + i), b = a + 1, c = a + static_cast<std::uint32_t>(map.nx), d = c + 1;
      mesh.triangles.push_back({a, c, b});
      mesh.triangles.push_back({b, c, d});
    }
}

}  // namespace

double HeightMap::height(double x, double z) const {
  const Place u = place(x, x0, dx, nx), v = place(z, z0, dz, nz);
  const double near = at(u.cell, v.cell) + u.part * (at(u.cell + 1, v.cell) - at(u.cell, v.cell));
  const double far = at(u.cell, v.cell + 1) + u.part * (at(u.cell + 1, v.cell + 1) - at(u.cell, v.cell + 1));
  return near + v.part * (far - near);
}

double HeightMap::top(double x, double z) const {
  const Place u = place(x, x0, dx, nx), v = place(z, z0, dz, nz);
  const double b = at(u.cell + 1, v.cell), c = at(u.cell, v.cell + 1);
  if (u.part + v.part <= 1) {
    const double a = at(u.cell, v.cell);
    return a + u.part * (b - a) + v.part * (c - a);
  }
  const double d = at(u.cell + 1, v.cell + 1);
  return d + (1 - u.part) * (c - d) + (1 - v.part) * (b - d);
}

HeightMap height_map_from_png(const std::string& path, const GroundArea& area, double lowest, double highest) {
  check_area(area);
  GreyPicture picture = read_grey_png(path, kMostHeights);
  if (picture.width < 2 || picture.height < 2)
    throw UserError(Location{path}, fmt::format("has {} × {} pixels, a height field needs at least 2 × 2", picture.width, picture.height));
  HeightMap map = flat_map(area, static_cast<std::size_t>(picture.width), static_cast<std::size_t>(picture.height));
  map.heights = std::move(picture.values);
  for (double& height : map.heights) height = lowest + height * (highest - lowest);
  return map;
}

HeightMap height_map_from_formula(const std::string& text, const GroundArea& area, double spacing) {
  check_area(area);
  const double cells_x = std::ceil((area.x1 - area.x0) / spacing), cells_z = std::ceil((area.z1 - area.z0) / spacing);
  check_count(cells_x, cells_z);
  HeightMap map = flat_map(area, static_cast<std::size_t>(cells_x) + 1, static_cast<std::size_t>(cells_z) + 1);
  map.heights = formula_values(text, map.nx, map.nz, [&](std::size_t i, std::size_t k) { return Ground{map.x(i), map.z(k)}; });
  return map;
}

HeightMap section_from_formula(const std::string& text, const GroundArea& area, double spacing) {
  check_area(area);
  const double cells = std::ceil((area.x1 - area.x0) / spacing);
  check_count(cells, 0);
  const HeightMap line = flat_map(area, static_cast<std::size_t>(cells) + 1, 2);
  return widened(area, formula_values(text, line.nx, 1, [&](std::size_t i, std::size_t) { return Ground{line.x(i), 0}; }));
}

HeightMap section_of(const HeightMap& map) {
  std::vector<double> heights(map.nx);
  for (std::size_t i = 0; i < map.nx; ++i) heights[i] = map.height(map.x(i), 0);
  return widened({map.x0, map.z0, map.x1(), map.z1()}, heights);
}

HeightMap coarsened(HeightMap map, double spacing) {
  const auto fewer = [&](std::size_t points, double cell) {
    const double cells = std::ceil(static_cast<double>(points - 1) * cell / spacing);
    return 2 * cells < static_cast<double>(points - 1) ? static_cast<std::size_t>(cells) + 1 : points;
  };
  const std::size_t nx = fewer(map.nx, map.dx), nz = fewer(map.nz, map.dz);
  if (nx == map.nx && nz == map.nz) return map;
  HeightMap coarse = flat_map({map.x0, map.z0, map.x1(), map.z1()}, nx, nz);
  // Points of the map from half-way to the point before up to half-way to the next one.
  const auto window = [](double at, double step, double first, double cell, std::size_t points) {
    const double low = std::ceil((at - step / 2 - first) / cell), high = std::floor((at + step / 2 - first) / cell);
    return std::pair{static_cast<std::size_t>(std::max(low, 0.0)),
                     static_cast<std::size_t>(std::min(high, static_cast<double>(points - 1)))};
  };
  parallel_for(nz, [&](std::size_t k) {
    const auto [first_k, last_k] = window(coarse.z(k), coarse.dz, map.z0, map.dz, map.nz);
    for (std::size_t i = 0; i < nx; ++i) {
      const auto [first_i, last_i] = window(coarse.x(i), coarse.dx, map.x0, map.dx, map.nx);
      double sum = 0;
      for (std::size_t pk = first_k; pk <= last_k; ++pk)
        for (std::size_t pi = first_i; pi <= last_i; ++pi) sum += map.at(pi, pk);
      coarse.heights[k * nx + i] = sum / static_cast<double>((last_k - first_k + 1) * (last_i - first_i + 1));
    }
  });
  return coarse;
}

void check_base(double base, double lowest) {
  if (!(base < lowest))
    throw UserError(fmt::format("the base of the height field, {:.6g} m, must lie below its lowest point, {:.6g} m", base, lowest));
}

Mesh to_mesh(const HeightMap& map, double base) {
  check_base(base, *std::min_element(map.heights.begin(), map.heights.end()));
  Mesh mesh;
  add_surface(map, mesh);
  // Skirts from the rim down, and the bottom as a fan about its middle: no triangle without area.
  const std::vector<std::uint32_t> top = rim(map);
  const std::uint32_t first = static_cast<std::uint32_t>(mesh.points.size()), count = static_cast<std::uint32_t>(top.size());
  for (const std::uint32_t point : top) mesh.points.push_back({mesh.points[point][0], base, mesh.points[point][2]});
  const std::uint32_t middle = first + count;
  mesh.points.push_back({(map.x0 + map.x1()) / 2, base, (map.z0 + map.z1()) / 2});
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t next = (i + 1) % count;
    mesh.triangles.push_back({top[i], top[next], first + next});
    mesh.triangles.push_back({top[i], first + next, first + i});
    mesh.triangles.push_back({first + i, first + next, middle});
  }
  return mesh;
}

namespace {

using Point = Vec<double, 3>;

constexpr std::size_t kFinestEdge = 4;  // cells: few enough to look at one by one

double square(double x) { return x * x; }

double beyond(double x, double low, double high) { return std::max({low - x, x - high, 0.0}); }

}  // namespace

// Looks for the nearest point of the surface, in smaller and smaller squares of it, and only in those that may have a nearer one.
class HeightSolid::Search {
 public:
  Search(const HeightSolid& solid, const Point& q, double farthest) : solid_(solid), map_(solid.map_), q_(q), best_(square(farthest)) {}

  // Squared, and no more than that of the farthest that matters.
  double nearest() {
    try_below();
    try_walls();
    const double reach = std::sqrt(best_);
    for (const Level& level : solid_.levels_) {
      const Span x = squares(q_[0] - reach, q_[0] + reach, map_.x0, map_.dx, level.edge, level.nx);
      const Span z = squares(q_[2] - reach, q_[2] + reach, map_.z0, map_.dz, level.edge, level.nz);
      if (x.last - x.first > 1 || z.last - z.first > 1) continue;
      for (std::size_t k = z.first; k <= z.last; ++k)
        for (std::size_t i = x.first; i <= x.last; ++i) visit(static_cast<std::size_t>(&level - solid_.levels_.data()), i, k);
      break;
    }
    return best_;
  }

 private:
  struct Span {
    std::size_t first, last;
  };
  static Span squares(double low, double high, double start, double cell, std::size_t edge, std::size_t count) {
    const double size = cell * static_cast<double>(edge), most = static_cast<double>(count - 1);
    const auto at = [&](double x) { return static_cast<std::size_t>(std::clamp(std::floor((x - start) / size), 0.0, most)); };
    return {at(low), at(high)};
  }

  void offer(const Point& x) { best_ = std::min(best_, dot(x - q_, x - q_)); }

  // Points of the ground that are near: straight below or above, and where the normal through q would meet an even slope.
  void try_below() {
    const double x = std::clamp(q_[0], map_.x0, map_.x1()), z = std::clamp(q_[2], map_.z0, map_.z1());
    const double y = map_.top(x, z);
    offer({x, y, z});
    offer({x, solid_.base_, z});
    const double ahead_x = x + map_.dx <= map_.x1() ? map_.dx : -map_.dx, ahead_z = z + map_.dz <= map_.z1() ? map_.dz : -map_.dz;
    const double slope_x = (map_.top(x + ahead_x, z) - y) / ahead_x, slope_z = (map_.top(x, z + ahead_z) - y) / ahead_z;
    const double way = (q_[1] - y) / (1 + square(slope_x) + square(slope_z));
    const double foot_x = std::clamp(x + way * slope_x, map_.x0, map_.x1()), foot_z = std::clamp(z + way * slope_z, map_.z0, map_.z1());
    offer({foot_x, map_.top(foot_x, foot_z), foot_z});
  }

  // A wall ends at the rim of the ground, whose triangles are looked at anyway: the point of it at q's own height is all it may add.
  void try_walls() {
    const double x = std::clamp(q_[0], map_.x0, map_.x1()), z = std::clamp(q_[2], map_.z0, map_.z1());
    for (const Vec<double, 2>& wall : {Vec<double, 2>{map_.x0, z}, {map_.x1(), z}, {x, map_.z0}, {x, map_.z1()}}) {
      if (square(wall[0] - q_[0]) + square(wall[1] - q_[2]) >= best_) continue;
      offer({wall[0], std::clamp(q_[1], solid_.base_, map_.top(wall[0], wall[1])), wall[1]});
    }
  }

  // The squared distance to the box around the cells [i, i_end) x [k, k_end).
  double to_box(std::size_t i, std::size_t i_end, std::size_t k, std::size_t k_end, const Range& y) const {
    return square(beyond(q_[0], map_.x(i), map_.x(i_end))) + square(beyond(q_[1], y.low, y.high)) +
           square(beyond(q_[2], map_.z(k), map_.z(k_end)));
  }
  double to_square(const Level& level, std::size_t i, std::size_t k) const {
    const std::size_t e = level.edge;
    return to_box(i * e, std::min((i + 1) * e, map_.nx - 1), k * e, std::min((k + 1) * e, map_.nz - 1), level.ranges[k * level.nx + i]);
  }

  void visit(std::size_t number, std::size_t i, std::size_t k) {
    if (to_square(solid_.levels_[number], i, k) >= best_) return;
    if (number == 0) return visit_cells(i * kFinestEdge, k * kFinestEdge);
    // The quarter that q is over comes first, the one across last: what is found in one spares a look into the next.
    const Level& finer = solid_.levels_[number - 1];
    const std::size_t middle_i = std::min((2 * i + 1) * finer.edge, map_.nx - 1),
                      middle_k = std::min((2 * k + 1) * finer.edge, map_.nz - 1);
    const std::size_t own = (q_[0] > map_.x(middle_i) ? 1 : 0) + (q_[2] > map_.z(middle_k) ? 2 : 0);
    for (std::size_t c = 0; c < 4; ++c) {
      const std::size_t child_i = 2 * i + (c ^ own) % 2, child_k = 2 * k + (c ^ own) / 2;
      if (child_i < finer.nx && child_k < finer.nz) visit(number - 1, child_i, child_k);
    }
  }

  // Looks at those of the square's cells that may be nearer than the best so far.
  void visit_cells(std::size_t first_i, std::size_t first_k) {
    const double reach = std::sqrt(best_);
    const Span x = squares(q_[0] - reach, q_[0] + reach, map_.x0, map_.dx, 1, map_.nx - 1);
    const Span z = squares(q_[2] - reach, q_[2] + reach, map_.z0, map_.dz, 1, map_.nz - 1);
    for (std::size_t k = std::max(first_k, z.first); k <= std::min(first_k + kFinestEdge - 1, z.last); ++k)
      for (std::size_t i = std::max(first_i, x.first); i <= std::min(first_i + kFinestEdge - 1, x.last); ++i) {
        const double a = map_.at(i, k), b = map_.at(i + 1, k), c = map_.at(i, k + 1), d = map_.at(i + 1, k + 1);
        if (to_box(i, i + 1, k, k + 1, {std::min({a, b, c, d}), std::max({a, b, c, d})}) >= best_) continue;
        if (may_be_nearer(q_[0] - map_.x(i), q_[2] - map_.z(k), a, b - a, c - a))
          try_triangle(map_.point(i, k), map_.point(i, k + 1), map_.point(i + 1, k));
        if (may_be_nearer(q_[0] - map_.x(i + 1), q_[2] - map_.z(k + 1), d, d - c, d - b))
          try_triangle(map_.point(i + 1, k), map_.point(i, k + 1), map_.point(i + 1, k + 1));
      }
  }

  // Whether the plane of a triangle is: by the height of one corner, how far q is from that, and how much the plane rises over a cell.
  bool may_be_nearer(double x, double z, double y, double rise_x, double rise_z) const {
    const double slope_x = rise_x / map_.dx, slope_z = rise_z / map_.dz;
    return square(q_[1] - y - x * slope_x - z * slope_z) < best_ * (1 + square(slope_x) + square(slope_z));
  }

  void try_triangle(const Point& a, const Point& b, const Point& c) {
    const Point w = nearest_weights(q_, a, b, c);
    offer(w[0] * a + w[1] * b + w[2] * c);
  }

  const HeightSolid& solid_;
  const HeightMap& map_;
  const Point q_;
  double best_;
};

HeightSolid::HeightSolid(HeightMap map, double base) : map_(std::move(map)), base_(base) {
  add_finest_level();
  while (levels_.back().nx > 1 || levels_.back().nz > 1) add_coarser_level();
  check_base(base, levels_.back().ranges.front().low);
}

void HeightSolid::add_finest_level() {
  const auto squares = [](std::size_t points) { return (points - 1 + kFinestEdge - 1) / kFinestEdge; };
  Level level{kFinestEdge, squares(map_.nx), squares(map_.nz), {}};
  level.ranges.resize(level.nx * level.nz);
  parallel_for(level.nz, [&](std::size_t k) {
    for (std::size_t i = 0; i < level.nx; ++i) {
      Range range{map_.at(i * kFinestEdge, k * kFinestEdge), map_.at(i * kFinestEdge, k * kFinestEdge)};
      for (std::size_t pk = k * kFinestEdge; pk <= std::min((k + 1) * kFinestEdge, map_.nz - 1); ++pk)
        for (std::size_t pi = i * kFinestEdge; pi <= std::min((i + 1) * kFinestEdge, map_.nx - 1); ++pi)
          range = {std::min(range.low, map_.at(pi, pk)), std::max(range.high, map_.at(pi, pk))};
      level.ranges[k * level.nx + i] = range;
    }
  });
  levels_.push_back(std::move(level));
}

void HeightSolid::add_coarser_level() {
  const Level& finer = levels_.back();
  Level level{2 * finer.edge, (finer.nx + 1) / 2, (finer.nz + 1) / 2, {}};
  level.ranges.assign(level.nx * level.nz, {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()});
  for (std::size_t k = 0; k < finer.nz; ++k)
    for (std::size_t i = 0; i < finer.nx; ++i) {
      Range& range = level.ranges[k / 2 * level.nx + i / 2];
      const Range& part = finer.ranges[k * finer.nx + i];
      range = {std::min(range.low, part.low), std::max(range.high, part.high)};
    }
  levels_.push_back(std::move(level));
}

double HeightSolid::distance(const Vec<double, 3>& q, double farthest) const {
  const double away = std::sqrt(Search(*this, q, farthest).nearest());
  const bool over_area = q[0] > map_.x0 && q[0] < map_.x1() && q[2] > map_.z0 && q[2] < map_.z1();
  return over_area && q[1] > base_ && q[1] < map_.top(q[0], q[2]) ? -away : away;
}

double HeightSolid::content() const {
  std::vector<double> rows(map_.nz - 1);
  parallel_for(rows.size(), [&](std::size_t k) {
    // A cell is two triangles: the corners of their common edge count twice.
    for (std::size_t i = 0; i + 1 < map_.nx; ++i)
      rows[k] += (map_.at(i, k) + 2 * map_.at(i + 1, k) + 2 * map_.at(i, k + 1) + map_.at(i + 1, k + 1)) / 6 - base_;
  });
  double sum = 0;
  for (const double row : rows) sum += row;
  return sum * map_.dx * map_.dz;
}

}  // namespace firn
