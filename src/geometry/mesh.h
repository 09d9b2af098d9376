// Triangles in space and what is computed from them: bounds, edges, normals for shading.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "firn/error.h"
#include "math/vec.h"

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

// Which triangles meet at which edge.

// One side of a triangle: edge `corner % 3` of triangle `corner / 3`, between the points low < high.
struct EdgeUse {
  std::uint32_t low, high;
  std::uint64_t corner;

  std::size_t triangle() const { return corner / 3; }
  // The triangle runs through the edge from low to high.
  bool forward(const Mesh& mesh) const { return mesh.triangles[triangle()][corner % 3] == low; }
};

// All sides of all triangles, those of one edge behind each other, in the order of the points and then of the triangles.
// The three corners of a triangle must differ.
std::vector<EdgeUse> sorted_edge_uses(const Mesh& mesh);

// Calls `visit` with the uses of each edge.
template <class Visit>
void for_each_edge(std::span<const EdgeUse> uses, const Visit& visit) {
  for (std::size_t first = 0; first < uses.size();) {
    std::size_t last = first + 1;
    while (last < uses.size() && uses[last].low == uses[first].low && uses[last].high == uses[first].high) ++last;
    visit(uses.subspan(first, last - first));
    first = last;
  }
}

// Normals for shading: smooth where a surface is meant to be round, with the edges that it is meant to have.

// The normals at the corners of a triangle, of length 1.
using CornerNormals = std::array<Vec<float, 3>, 3>;

// The normals of every triangle. Around a point, triangles share one, their mean weighted by the angles there (Thürmer and Wüthrich
// 1998), as far as one gets from one to the next over edges where their own normals have at least `least_cosine`. Wants a clean mesh.
std::vector<CornerNormals> corner_normals(const Mesh& mesh, double least_cosine);

}  // namespace firn
