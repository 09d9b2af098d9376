// From the triangles of a file to a closed surface that faces outwards, with a report of what had to be done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "geometry/mesh.h"

namespace firn {

// Points that are meant to be one.

// For every point the number of the one that stands for it: an earlier one within `tolerance`, or itself. No two points that stand for
// others or themselves are within `tolerance` of each other. Takes time in proportion to the number of points, however they lie.
std::vector<std::uint32_t> weld(const Mesh& mesh, double tolerance);

// The parts can be used alone: a sheet that is to get a thickness must not have its holes closed.

struct MeshReport {
  std::size_t welded_points = 0;        // that another one stands for; common: STL files repeat every point
  std::size_t flat_triangles = 0;       // left out: no area
  std::size_t duplicate_triangles = 0;  // left out: the same corners in the same sense
  std::size_t edges = 0;                // of the clean surface
  std::size_t open_edges = 0;           // of these, used by an odd number of triangles
  std::size_t holes = 0;                // loops of open edges that were closed
  std::size_t turned_triangles = 0;     // that faced another way than their neighbours
  std::size_t twisted_edges = 0;        // where neighbours cannot agree, as on a Moebius strip
  bool inside_out = false;              // all triangles were turned
  double volume = 0, area = 0;          // of the result, m³ and m²

  // No two triangles are joined: the file is a heap of loose triangles.
  bool all_open() const { return edges > 0 && open_edges == edges; }
  // A sheet, folded or not, with nothing inside.
  bool encloses_nothing() const;
};

// Joins points closer than a millionth of the mesh's size, leaves out triangles without area and duplicates, and points that no triangle
// has. Throws UserError when an index or a coordinate is not valid, or no triangle with an area is left.
Mesh clean(const Mesh& mesh, MeshReport& report, const Location& where = {});

// The others are numbered anew, in the same order.
void drop_unused_points(Mesh& mesh);

// Turns as few triangles as possible so that neighbours agree on which side is outside. Only edges of two triangles count: where more meet,
// there is no telling. Wants a clean mesh, and counts its edges.
void make_consistent(Mesh& mesh, MeshReport& report);

// Covers every loop of open edges by a fan of triangles around its middle. Wants a clean mesh.
void close_holes(Mesh& mesh, MeshReport& report);

// All of the above, and turns the surface when it is inside out.
Mesh repair(const Mesh& mesh, MeshReport& report, const Location& where = {});

// What the user should know, one line each.
std::vector<std::string> warnings(const MeshReport& report);

}  // namespace firn
