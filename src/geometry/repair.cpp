#include "geometry/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/weld.h"

namespace firn {
namespace {

constexpr double kWeldTolerance = 1e-6;  // of the diagonal: above the rounding of files in single precision, below any detail
// |volume| over area^1.5 (a sphere: 0.09; a plate of 1 m² and 1 mm: 4e-4) that rounding of single precision can give a sheet.
constexpr double kThinnest = 1e-6;

Triangle smallest_first(const Triangle& t) {
  const std::size_t first = static_cast<std::size_t>(std::min_element(t.begin(), t.end()) - t.begin());
  return {t[first], t[(first + 1) % 3], t[(first + 2) % 3]};
}

bool has_area(const Mesh& mesh, const Triangle& t) {
  return t[0] != t[1] && t[1] != t[2] && t[2] != t[0] && has_area(mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]);
}

// Keeps the first of each kind, in the order they had.
void drop_duplicates(std::vector<Triangle>& triangles, MeshReport& report) {
  std::vector<std::pair<Triangle, std::size_t>> sorted(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) sorted[t] = {smallest_first(triangles[t]), t};
  std::sort(sorted.begin(), sorted.end());
  std::vector<bool> is_duplicate(triangles.size(), false);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].first == sorted[i - 1].first) is_duplicate[sorted[i].second] = true;
  std::size_t kept = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (!is_duplicate[t]) triangles[kept++] = triangles[t];
  report.duplicate_triangles = triangles.size() - kept;
  triangles.resize(kept);
}

}  // namespace

void drop_unused_points(Mesh& mesh) {
  constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(mesh.points.size(), kUnused);
  for (const Triangle& t : mesh.triangles)
    for (const std::uint32_t corner : t) number[corner] = 0;
  std::uint32_t kept = 0;
  for (std::size_t p = 0; p < number.size(); ++p) {
    if (number[p] == kUnused) continue;
    mesh.points[kept] = mesh.points[p];
    number[p] = kept++;
  }
  mesh.points.resize(kept);
  for (Triangle& t : mesh.triangles)
    for (std::uint32_t& corner : t) corner = number[corner];
}

bool MeshReport::encloses_nothing() const { return std::abs(volume) <= kThinnest * std::pow(area, 1.5); }

Mesh clean(const Mesh& mesh, MeshReport& report, const Location& where) {
  check_mesh(mesh, where);
  const std::vector<std::uint32_t> stands_for = weld(mesh, kWeldTolerance * diagonal(bounds(mesh)));
  for (std::size_t p = 0; p < stands_for.size(); ++p) report.welded_points += stands_for[p] != p;
  Mesh result{mesh.points, {}};
  result.triangles.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {
    const Triangle welded{stands_for[t[0]], stands_for[t[1]], stands_for[t[2]]};
    if (has_area(mesh, welded)) result.triangles.push_back(welded);
  }
  report.flat_triangles = mesh.triangles.size() - result.triangles.size();
  if (result.triangles.empty()) throw UserError(where, "no triangle with an area is left");
  drop_duplicates(result.triangles, report);
  drop_unused_points(result);
  return result;
}

Mesh repair(const Mesh& mesh, MeshReport& report, const Location& where) {
  Mesh result = clean(mesh, report, where);
  make_consistent(result, report);
  close_holes(result, report);
  report.volume = signed_volume(result);
  report.area = surface_area(result);
  report.inside_out = report.volume < 0 && !report.encloses_nothing();
  if (report.inside_out) {
    turn_all(result);
    report.volume = -report.volume;
  }
  return result;
}

std::vector<std::string> warnings(const MeshReport& report) {
  std::vector<std::string> lines;
  if (report.flat_triangles > 0) lines.push_back(fmt::format("{} triangles without area: left out", report.flat_triangles));
  if (report.duplicate_triangles > 0) lines.push_back(fmt::format("{} triangles twice: left out", report.duplicate_triangles));
  if (report.turned_triangles > 0)
    lines.push_back(fmt::format("{} triangles faced another way than their neighbours: turned", report.turned_triangles));
  if (report.twisted_edges > 0)
    lines.push_back(fmt::format("{} edges where the surface has no inside: left as they are", report.twisted_edges));
  if (report.holes > 0) lines.push_back(fmt::format("{} open edges in {} holes: closed", report.open_edges, report.holes));
  if (report.inside_out) lines.push_back("the surface was inside out: turned");
  if (report.encloses_nothing()) lines.push_back("the surface is a sheet, there is nothing inside");
  return lines;
}

}  // namespace firn
