// Which triangles meet at which edge.
#pragma once

#include <span>
#include <vector>

#include "geometry/mesh.h"

namespace firn {

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

}  // namespace firn
