#include "scene/file_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "geometry/read_mesh.h"
#include "scene/sampled_form.h"

namespace firn {
namespace {

constexpr double kMostVoxelsPerCell = 8;
constexpr double kVoxelsAcross = 3;  // what is thin is resolved by at least so many

Mesh read_any(const std::string& file, double threshold) {
  return std::filesystem::path(file).extension() == ".vdb" ? read_vdb(file, threshold) : read_mesh(file);
}

}  // namespace

FileSurface read_surface(const std::string& file, const Shape& shape, std::vector<std::string>& warnings) {
  Mesh raw = read_any(file, shape.threshold);
  for (Vec<double, 3>& x : raw.points)
    for (int d = 0; d < 3; ++d) x[d] *= shape.scale[static_cast<std::size_t>(d)];
  FileSurface surface;
  const Location where{file};
  if (shape.thickness > 0) {
    surface.mesh = clean(raw, surface.report, where);
    surface.report.area = surface_area(surface.mesh);
    surface.report.volume = surface.report.area * shape.thickness;
    return surface;
  }
  surface.mesh = repair(raw, surface.report, where);
  for (const std::string& warning : firn::warnings(surface.report)) warnings.push_back(fmt::format("{}: {}", file, warning));
  if (surface.report.encloses_nothing())
    throw UserError(where, "the surface encloses nothing: close it, or give it a `thickness` (m) to use it as a sheet");
  // Frames of a sequence keep their points' order where nothing had to be closed.
  if (surface.report.holes > 0) return surface;
  drop_unused_points(raw);
  surface.mesh = std::move(raw);
  return surface;
}

// Thin plates need finer voxels than the grid's. A plate's thickness is twice its volume over its area; bulky bodies give more.
LevelSetOptions sampling_of(const FileSurface& surface, const Shape& shape, double h) {
  const MeshReport& report = surface.report;
  const double across = shape.thickness > 0 ? shape.thickness : 2 * std::abs(report.volume) / report.area;
  return {std::clamp(across / kVoxelsAcross, h / kMostVoxelsPerCell, h / kVoxelsPerCell), kBandCells * h, shape.thickness};
}

}  // namespace firn
