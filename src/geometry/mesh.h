// Triangles in space and what is simply computed from them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firn/error.h"
#include "math/bounds.h"

namespace firn {

using Triangle = std::array<std::uint32_t, 3>;

struct Mesh {
  std::vector<Vec<double, 3>> points;  // m
  std::vector<Triangle> triangles;     // counterclockwise seen from outside
};

// Beyond this a model was surely not made in metres; within it, squares and cubes of coordinates are far from overflow.
inline constexpr double kLargestCoordinate = 1e6;  // m

// The box around all points; of none, a box at the origin.
Bounds bounds(const Mesh& mesh);
double diagonal(const Bounds& box);

// What the surface encloses; negative when the triangles face inwards. Of an open surface it means nothing.
double signed_volume(const Mesh& mesh);
double surface_area(const Mesh& mesh);

// At every point the mean direction of its triangles, the larger ones counting more; of length 1, zero where there is none.
std::vector<Vec<double, 3>> vertex_normals(const Mesh& mesh);

// True when the corners do not lie on a line, to rounding.
bool has_area(const Vec<double, 3>& a, const Vec<double, 3>& b, const Vec<double, 3>& c);

// The weights of the corners at the triangle's point nearest to x.
Vec<double, 3> nearest_weights(const Vec<double, 3>& x, const Vec<double, 3>& a, const Vec<double, 3>& b, const Vec<double, 3>& c);

// The same triangle seen from the other side.
inline Triangle turned(const Triangle& t) { return {t[0], t[2], t[1]}; }
void turn_all(Mesh& mesh);

// Throws UserError that names the vertex when a coordinate is not a finite number.
void check_finite(const Vec<double, 3>& point, std::size_t number, const Location& where);
// Throws UserError when a coordinate is not finite or too large, or a triangle has a corner that does not exist.
void check_mesh(const Mesh& mesh, const Location& where);

}  // namespace firn
