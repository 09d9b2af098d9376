#include "geometry/heightfield.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
      mesh.points.push_back({map.x0 + map.dx * static_cast<double>(i), map.at(i, k), map.z0 + map.dz * static_cast<double>(k)});
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

HeightMap height_map_from_png(const std::string& path, const GroundArea& area, double lowest, double highest) {
  check_area(area);
  const GreyPicture picture = read_grey_png(path, kMostHeights);
  if (picture.width < 2 || picture.height < 2)
    throw UserError(Location{path}, fmt::format("has {} × {} pixels, a height field needs at least 2 × 2", picture.width, picture.height));
  HeightMap map = flat_map(area, static_cast<std::size_t>(picture.width), static_cast<std::size_t>(picture.height));
  for (std::size_t i = 0; i < map.heights.size(); ++i) map.heights[i] = lowest + picture.values[i] * (highest - lowest);
  return map;
}

HeightMap height_map_from_formula(const std::string& text, const GroundArea& area, double spacing) {
  check_area(area);
  const double cells_x = std::ceil((area.x1 - area.x0) / spacing), cells_z = std::ceil((area.z1 - area.z0) / spacing);
  if (!((cells_x + 1) * (cells_z + 1) <= static_cast<double>(kMostHeights)))
    throw UserError(fmt::format("a height field of {} × {} points, at most {} in all are allowed; use a larger spacing", cells_x + 1, cells_z + 1,
                                kMostHeights));
  Formula formula(text);
  HeightMap map = flat_map(area, static_cast<std::size_t>(cells_x) + 1, static_cast<std::size_t>(cells_z) + 1);
  for (std::size_t k = 0; k < map.nz; ++k)
    for (std::size_t i = 0; i < map.nx; ++i)
      map.heights[k * map.nx + i] = formula(map.x0 + map.dx * static_cast<double>(i), map.z0 + map.dz * static_cast<double>(k));
  return map;
}

Mesh to_mesh(const HeightMap& map, double base) {
  const double lowest = *std::min_element(map.heights.begin(), map.heights.end());
  if (!(base < lowest)) throw UserError(fmt::format("the base of the height field, {:.6g} m, must lie below its lowest point, {:.6g} m", base, lowest));
  Mesh mesh;
  add_surface(map, mesh);
  // Skirts from the rim down, and the bottom as a fan about its middle: no triangle without area.
  const std::vector<std::uint32_t> top = rim(map);
  const std::uint32_t first = static_cast<std::uint32_t>(mesh.points.size()), count = static_cast<std::uint32_t>(top.size());
  for (const std::uint32_t point : top) mesh.points.push_back({mesh.points[point][0], base, mesh.points[point][2]});
  const std::uint32_t middle = first + count;
  mesh.points.push_back({map.x0 + map.dx * static_cast<double>(map.nx - 1) / 2, base, map.z0 + map.dz * static_cast<double>(map.nz - 1) / 2});
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t next = (i + 1) % count;
    mesh.triangles.push_back({top[i], top[next], first + next});
    mesh.triangles.push_back({top[i], first + next, first + i});
    mesh.triangles.push_back({first + i, first + next, middle});
  }
  return mesh;
}

}  // namespace firn
