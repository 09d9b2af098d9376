#include "geometry/heightfield.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "core/parallel.h"
#include "firn/error.h"
#include "geometry/formula.h"
#include "geometry/grey_png.h"

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
    throw UserError(fmt::format("a height field of {} × {} points, at most {} in all are allowed; use a larger spacing", cells_x + 1, cells_z + 1,
                                kMostHeights));
}

struct Ground {
  double x, z;
};

// The formula at the points of nz rows of nx, on all threads: a parser each for some rows. What is wrong is told of the first point where it is.
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
  for (std::size_t row = 0; row < 2; ++row) std::copy(heights.begin(), heights.end(), map.heights.begin() + static_cast<std::ptrdiff_t>(row * map.nx));
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
    for (std::size_t i = 0; i < map.nx; ++i)
      mesh.points.push_back(map.point(i, k));
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
    return std::pair{static_cast<std::size_t>(std::max(low, 0.0)), static_cast<std::size_t>(std::min(high, static_cast<double>(points - 1)))};
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
  if (!(base < lowest)) throw UserError(fmt::format("the base of the height field, {:.6g} m, must lie below its lowest point, {:.6g} m", base, lowest));
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

}  // namespace firn
