// Ground as heights over the horizontal plane, from a picture or a formula, and as a closed mesh.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "geometry/mesh.h"

namespace firn {

// A rectangle of the ground, m.
struct GroundArea {
  double x0, z0, x1, z1;
};

// Heights at the points of a regular grid.
struct HeightMap {
  std::size_t nx = 0, nz = 0;  // points per axis, at least 2
  double x0 = 0, z0 = 0;       // where the first point is, m
  double dx = 0, dz = 0;       // spacing, m
  std::vector<double> heights;  // m; x runs fastest

  double at(std::size_t i, std::size_t k) const { return heights[k * nx + i]; }
  double x(std::size_t i) const { return x0 + dx * static_cast<double>(i); }
  double z(std::size_t k) const { return z0 + dz * static_cast<double>(k); }
  Vec<double, 3> point(std::size_t i, std::size_t k) const { return {x(i), at(i, k), z(k)}; }
  double x1() const { return x(nx - 1); }
  double z1() const { return z(nz - 1); }

  // Bilinear; beyond an edge as high as the edge.
  double height(double x, double z) const;
  // Likewise of the two triangles that to_mesh makes of a cell.
  double top(double x, double z) const;
};

inline constexpr std::size_t kMostHeights = std::size_t{1} << 24;  // 4096²

// A grey PNG laid over the area: its left edge at x0, its top at z0; black is `lowest`, white `highest`. Throws UserError.
HeightMap height_map_from_png(const std::string& path, const GroundArea& area, double lowest, double highest);

// A formula of x and z (see Formula) at points no farther apart than `spacing`. Throws UserError.
HeightMap height_map_from_formula(const std::string& formula, const GroundArea& area, double spacing);

// Ground that has the same heights for all z: those of the formula, or of the map, where z = 0. It is so wide that its sides are nowhere near.
HeightMap section_from_formula(const std::string& formula, const GroundArea& area, double spacing);
HeightMap section_of(const HeightMap& map);

// The map with points up to `spacing` apart, where it has at least twice as many: each the mean of those it stands for.
HeightMap coarsened(HeightMap map, double spacing);

// Throws UserError when the base of the ground is not below its lowest point.
void check_base(double base, double lowest);

// The ground down to the flat bottom at `base`, which must lie below all of it (else UserError); closed, facing outwards.
Mesh to_mesh(const HeightMap& map, double base);

}  // namespace firn
