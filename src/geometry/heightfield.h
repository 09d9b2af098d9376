// Ground as heights over the horizontal plane: from a picture or a formula, as a closed mesh, as a solid with distances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "geometry/mesh.h"

namespace firn {

// A height as a formula of x and z.

// Numbers, + - * / ^ and parentheses, x and z in metres, pi, sin cos tan exp log (natural) sqrt abs, min and max of several, and
// noise(a, b): smooth and random between -1 and 1, with features one unit wide.
class Formula {
 public:
  // Throws UserError that says at which character the text is not a formula.
  explicit Formula(const std::string& text);
  ~Formula();
  Formula(Formula&&) noexcept;
  Formula& operator=(Formula&&) noexcept;

  // Throws UserError that names the point when the result is not a finite number.
  double operator()(double x, double z);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Grey pictures as numbers.

struct GreyPicture {
  int width = 0, height = 0;
  std::vector<double> values;  // row by row from the top: 0 black, 1 white, as stored, without gamma
};

// 1 to 16 bits a pixel, without colour or transparency. Throws UserError for anything else, and for more than `most_pixels`.
GreyPicture read_grey_png(const std::string& path, std::size_t most_pixels);

// A rectangle of the ground, m.
struct GroundArea {
  double x0, z0, x1, z1;
};

// Heights at the points of a regular grid.
struct HeightMap {
  std::size_t nx = 0, nz = 0;   // points per axis, at least 2
  double x0 = 0, z0 = 0;        // where the first point is, m
  double dx = 0, dz = 0;        // spacing, m
  std::vector<double> heights;  // m; x runs fastest

  double at(std::size_t i, std::size_t k) const { return heights[k * nx + i]; }
  double x(std::size_t i) const { return x0 + dx * static_cast<double>(i); }
  double z(std::size_t k) const { return z0 + dz * static_cast<double>(k); }
  Vec<double, 3> point(std::size_t i, std::size_t k) const { return {x(i), at(i, k), z(k)}; }
  double x1() const { return x(nx - 1); }
  double z1() const { return z(nz - 1); }

  // The height at (x, z), bilinear; beyond an edge as high as the edge.
  double height(double x, double z) const;
  // The height of the two triangles that to_mesh makes of a cell; beyond an edge as high as the edge.
  double top(double x, double z) const;
};

inline constexpr std::size_t kMostHeights = std::size_t{1} << 24;  // 4096²

// A grey PNG laid over the area: its left edge at x0, its top at z0; black is `lowest`, white `highest`. Throws UserError.
HeightMap height_map_from_png(const std::string& path, const GroundArea& area, double lowest, double highest);

// A formula of x and z (see Formula) at points no farther apart than `spacing`. Throws UserError.
HeightMap height_map_from_formula(const std::string& formula, const GroundArea& area, double spacing);

// Ground that has the same heights for all z: those of the formula, or of the map, where z = 0. It is so wide that its sides are nowhere
// near.
HeightMap section_from_formula(const std::string& formula, const GroundArea& area, double spacing);
HeightMap section_of(const HeightMap& map);

// The map with points up to `spacing` apart, where it has at least twice as many: each the mean of those it stands for.
HeightMap coarsened(HeightMap map, double spacing);

// Throws UserError when the base of the ground is not below its lowest point.
void check_base(double base, double lowest);

// The ground down to the flat bottom at `base`, which must lie below all of it (else UserError); closed, facing outwards.
Mesh to_mesh(const HeightMap& map, double base);

// The ground of a height field as a solid: the distance to it, computed where somebody asks.

class HeightSolid {
 public:
  // From the heights down to the flat bottom at `base`, which must lie below all of them (else UserError).
  HeightSolid(HeightMap map, double base);

  // To the same surface as to_mesh's; negative inside. Beyond `farthest` it is not looked for: that is the distance then.
  double distance(const Vec<double, 3>& q, double farthest = std::numeric_limits<double>::infinity()) const;

  // The box around it, and what it holds, m³.
  Vec<double, 3> lower() const { return {map_.x0, base_, map_.z0}; }
  Vec<double, 3> upper() const { return {map_.x1(), levels_.back().ranges.front().high, map_.z1()}; }
  double content() const;

 private:
  struct Range {
    double low, high;
  };
  // Ranges of height over squares of cells; every level has squares twice as wide as the one before, the last has one.
  struct Level {
    std::size_t edge;  // cells along a square
    std::size_t nx, nz;
    std::vector<Range> ranges;
  };
  class Search;

  void add_finest_level();
  void add_coarser_level();

  HeightMap map_;
  double base_;
  std::vector<Level> levels_;
};

}  // namespace firn
