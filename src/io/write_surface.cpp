#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/file_ending.h"
#include "core/parallel.h"
#include "firn/error.h"
#include "firn/surface.h"
#include "geometry/surface.h"
#include "io/frame_view.h"
#include "io/mesh_write.h"
#include "io/present_volume.h"

namespace firn {
namespace {

constexpr double kSwelling = 1;      // torn snow gets gaps, it does not grow into jelly
constexpr double kUsualVoxel = 0.9;  // radii: fine enough for the sphere of a loose particle

double sphere_volume(double radius) { return 4.0 / 3 * std::numbers::pi * radius * radius * radius; }

using MeshWriter = void (*)(const std::string& path, const Mesh& mesh);

MeshWriter writer_of(const std::string& path) {
  const std::string ending = file_ending(path);
  if (ending == ".obj") return write_obj;
  if (ending == ".ply") return write_mesh_ply;
  throw UserError(fmt::format("{}: surfaces cannot be written to such a file, allowed: .obj, .ply", path));
}

struct OptionRange {
  const char* name;
  double value, least, most;
};

void check(const SurfaceOptions& options) {
  constexpr double kLongest = 1e6;  // m; more is surely a mistake
  const OptionRange ranges[] = {{"voxel", options.voxel, 0, kLongest},
                                {"radius", options.radius, 0, kLongest},
                                {"spacing", options.spacing, 0, kLongest},
                                {"radius_factor", options.radius_factor, 0.1, 10},
                                {"smoothing", options.smoothing, kLeastSmoothing, kMostSmoothing},
                                {"adaptivity", options.adaptivity, 0, 1}};
  for (const OptionRange& range : ranges)
    if (!(range.value >= range.least && range.value <= range.most))
      throw UserError(fmt::format("surface: {} is {}, it must be from {} to {}", range.name, range.value, range.least, range.most));
}

// V⁰ of a typical particle. It does not change while snow packs, and neither do voxels that go by it.
double typical_volume(const std::string& path, const Frame& frame, const SurfaceOptions& options) {
  if (options.radius > 0) return sphere_volume(options.radius);
  if (!frame.volume.empty()) return median(frame.volume);
  if (options.spacing > 0) return usual_volume(options.spacing, 3);
  throw UserError(
      fmt::format("{}: the size of the particles is not known: the frame has no volumes, give a radius or the spacing of the grid", path));
}

// Frames of 2D scenes have z = 0 throughout.
void refuse_flat(const std::string& path, const Frame& frame) {
  const bool is_flat = std::all_of(frame.position.begin(), frame.position.end(), [](const auto& x) { return x[2] == 0; });
  if (frame.size() > 1 && is_flat) throw UserError(fmt::format("{}: all particles have z = 0: snow of a 2D scene has no surface", path));
}

Surface surface_of(const std::string& path, const Frame& frame, SurfaceOptions options) {
  const double typical = typical_volume(path, frame, options);
  if (options.voxel == 0) options.voxel = kUsualVoxel * options.radius_factor * sphere_radius(typical);
  const PresentVolume volume_of(frame, typical, kSwelling);
  std::vector<Vec<double, 3>> points(frame.size());
  std::vector<double> radii(frame.size());
  parallel_for(frame.size(), [&](std::size_t p) {
    points[p] = {frame.position[p][0], frame.position[p][1], frame.position[p][2]};
    radii[p] = options.radius > 0 ? options.radius : sphere_radius(volume_of(p));
  });
  return make_surface(points, radii, options);
}

}  // namespace

SurfaceReport write_surface(const std::string& path, const Frame& frame, const SurfaceOptions& options) {
  const MeshWriter write = writer_of(path);
  check(options);
  check_writable(path, frame);
  refuse_flat(path, frame);
  const Surface surface = frame.size() == 0 ? Surface{} : surface_of(path, frame, options);
  write(path, surface.mesh);
  return {surface.mesh.points.size(), surface.mesh.triangles.size(), surface_area(surface.mesh), signed_volume(surface.mesh),
          surface.left_out};
}

}  // namespace firn
