// Shapes with known volume and area.
#pragma once

#include <cmath>
#include <numbers>

#include "geometry/mesh.h"

namespace firn::test {

// The cube [0, 1]³: 8 points, 12 triangles, volume 1, area 6.
inline Mesh cube() {
  Mesh mesh;
  for (int corner = 0; corner < 8; ++corner) mesh.points.push_back({double(corner & 1), double(corner >> 1 & 1), double(corner >> 2 & 1)});
  for (const auto& [a, b, c, d] :
       {std::array<std::uint32_t, 4>{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  }
  return mesh;
}

// The unit sphere by meridians and circles of latitude, down to the latitude with y = cos(`reach`); `n` of each.
inline Mesh dome(std::uint32_t n, double reach) {
  Mesh mesh;
  mesh.points.push_back({0, 1, 0});
  for (std::uint32_t i = 1; i <= n; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      const double polar = reach * i / n, around = 2 * std::numbers::pi * j / n;
      mesh.points.push_back({std::sin(polar) * std::cos(around), std::cos(polar), std::sin(polar) * std::sin(around)});
    }
  const auto at = [n](std::uint32_t i, std::uint32_t j) { return i == 0 ? 0 : 1 + (i - 1) * n + j % n; };
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      if (i > 0) mesh.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i + 1, j)});
    }
  return mesh;
}

// Every triangle with points of its own, as in an STL file.
inline Mesh soup(const Mesh& mesh) {
  Mesh loose;
  for (const Triangle& t : mesh.triangles) {
    const auto first = static_cast<std::uint32_t>(loose.points.size());
    for (const std::uint32_t corner : t) loose.points.push_back(mesh.points[corner]);
    loose.triangles.push_back({first, first + 1, first + 2});
  }
  return loose;
}

inline Mesh moved(Mesh mesh, const Vec<double, 3>& by) {
  for (Vec<double, 3>& point : mesh.points) point += by;
  return mesh;
}

inline Mesh joined(Mesh a, const Mesh& b) {
  const auto first = static_cast<std::uint32_t>(a.points.size());
  a.points.insert(a.points.end(), b.points.begin(), b.points.end());
  for (const Triangle& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

}  // namespace firn::test
