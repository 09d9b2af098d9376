#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "api/inspect_run.h"
#include "core/file_ending.h"
#include "firn/convert.h"
#include "firn/error.h"
#include "geometry/read_mesh.h"
#include "geometry/vdb_content.h"
#include "io/checkpoint_file.h"
#include "io/file.h"
#include "io/formats.h"
#include "io/fpc.h"
#include "io/frame_view.h"
#include "io/ply_header.h"

namespace firn {
namespace {

std::string type_text(const Attribute& a, bool double_precision) {
  const char* number = a.kind == ValueKind::kUint32   ? "uint32"
                       : a.kind == ValueKind::kUint16 ? "uint16"
                       : double_precision             ? "double"
                                                      : "float";
  return a.components == 1 ? number : fmt::format("{} × {}", a.components, number);
}

FileReport::Column describe(const Frame& frame, const Attribute& a) {
  FileReport::Column column;
  column.name = a.name;
  column.type = type_text(a, frame.double_precision);
  column.unit = a.unit;
  double sum = 0;
  column.least = std::numeric_limits<double>::infinity();
  column.greatest = -column.least;
  for (std::size_t p = 0; p < frame.size(); ++p)
    for (int c = 0; c < a.components; ++c) {
      const double value = get(frame, a.field, p, c);
      column.least = std::min(column.least, value);
      column.greatest = std::max(column.greatest, value);
      sum += value;
    }
  column.mean = sum / (static_cast<double>(frame.size()) * a.components);
  return column;
}

template <class Point>
std::string box_text(const Point& lower, const Point& upper) {
  return fmt::format("[{:.6g}, {:.6g}, {:.6g}] to [{:.6g}, {:.6g}, {:.6g}] m", lower[0], lower[1], lower[2], upper[0], upper[1], upper[2]);
}

void add_box(const Frame& frame, FileReport& report) {
  std::array<double, 3> lower = frame.position.front(), upper = lower;
  for (const std::array<double, 3>& x : frame.position)
    for (std::size_t d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], x[d]);
      upper[d] = std::max(upper[d], x[d]);
    }
  report.entries.emplace_back("box", box_text(lower, upper));
}

FileReport inspect_particles(const std::string& path) {
  const Format& format = format_to_read(path);
  const Frame frame = format.read(path);
  FileReport report{std::string(format.name), {}, {}};
  report.entries.emplace_back("particles", fmt::format("{}", frame.size()));
  if (frame.size() == 0) return report;
  add_box(frame, report);
  double mass = 0;
  for (const double m : frame.mass) mass += m;
  if (has(frame, Field::kMass)) report.entries.emplace_back("mass", fmt::format("{:.9g} kg", mass));
  for (const Field field : fields_of(frame)) report.columns.push_back(describe(frame, attribute(field)));
  return report;
}

// What a cache says about itself: when it was, and how exact it is.
void add_cache_notes(const std::string& path, FileReport& report) {
  const FpcHeader header = read_fpc_header(path);
  report.entries.emplace_back("time", fmt::format("{:.9g} s", header.notes.time));
  report.entries.emplace_back("fps", fmt::format("{:.9g}", header.notes.fps));
  report.entries.emplace_back("spacing", fmt::format("{:.9g} m", header.notes.spacing));
  for (const FpcColumn& stored : header.columns)
    for (FileReport::Column& column : report.columns)
      if (column.name == attribute(stored.field).name) column.note = stored.error > 0 ? fmt::format("to ±{:.3g}", stored.error) : "exact";
}

// What a density has to be multiplied with for the mass of a voxel; in 2D that is per metre of depth.
double voxel_volume(const VdbContent& content, const VdbGrid& grid) {
  const bool is_flat = std::find(content.metadata.begin(), content.metadata.end(), std::pair<std::string, std::string>("dimension", "2")) !=
                       content.metadata.end();
  return std::pow(grid.voxel, is_flat ? 2 : 3);
}

FileReport inspect_volumes(const std::string& path) {
  const VdbContent content = describe_vdb(path);
  FileReport report{"vdb", {}, {}};
  for (const auto& [name, value] : content.metadata) report.entries.emplace_back(name, value);
  for (const VdbGrid& grid : content.grids) {
    FileReport::Column column;
    column.name = grid.name;
    column.type = grid.type;
    for (const auto& [name, value] : grid.metadata)
      if (name == "unit") column.unit = value;
    column.note = fmt::format("{} voxels of {:.6g} m", grid.voxels, grid.voxel);
    if (grid.components > 0 && grid.voxels > 0) {
      column.least = grid.least;
      column.greatest = grid.greatest;
      column.mean = grid.sum / (static_cast<double>(grid.voxels) * grid.components);
    }
    if (grid.name == "density" && grid.components == 1) {
      report.entries.emplace_back("box", box_text(grid.box.lower, grid.box.upper));
      report.entries.emplace_back("mass", fmt::format("{:.9g} kg", grid.sum * voxel_volume(content, grid)));
    }
    report.columns.push_back(std::move(column));
  }
  return report;
}

FileReport inspect_mesh(const std::string& path) {
  const Mesh mesh = read_mesh(path);
  FileReport report{"mesh", {}, {}};
  report.entries.emplace_back("triangles", fmt::format("{}", mesh.triangles.size()));
  report.entries.emplace_back("points", fmt::format("{}", mesh.points.size()));
  if (mesh.points.empty()) return report;
  const Bounds box = bounds(mesh);
  report.entries.emplace_back("box", box_text(box.lower, box.upper));
  report.entries.emplace_back("area", fmt::format("{:.6g} m2", surface_area(mesh)));
  return report;
}

bool ends_in(const std::string& path, std::initializer_list<std::string_view> endings) {
  return std::find(endings.begin(), endings.end(), file_ending(path)) != endings.end();
}

// A surface in PLY has faces beside its points.
bool has_faces(const std::string& path) {
  constexpr std::size_t kLongestHeader = 65536;
  const PlyHeader header = parse_ply_header(path, read_file_start(path, kLongestHeader));
  return std::any_of(header.elements.begin(), header.elements.end(), [](const PlyElement& e) { return e.name == "face" && e.count > 0; });
}

FileReport inspect_checkpoint(const std::string& path) {
  CheckpointReader file(path);
  file.read_to_end();
  const CheckpointHead& head = file.head();
  FileReport report{"checkpoint", {}, {}};
  report.entries = {{"scene", head.scene},
                    {"time", fmt::format("{:.6g} s", head.time)},
                    {"step", fmt::format("{}", head.steps)},
                    {"frames", fmt::format("0 to {}", head.frames)},
                    {"particles", fmt::format("{}", head.particles)},
                    {"written by", head.program},
                    {"solver", head.variant},
                    {"hash", file.hash()}};
  return report;
}

FileReport inspect_any(const std::string& path) {
  if (ends_in(path, {".state"})) return inspect_checkpoint(path);
  if (ends_in(path, {".toml"})) throw UserError(fmt::format("{}: a scene: firn check tells what is in it", path));
  if (ends_in(path, {".vdb"})) return inspect_volumes(path);
  if (ends_in(path, {".obj", ".stl", ".gltf", ".glb", ".fbx"}) || (ends_in(path, {".ply"}) && has_faces(path))) return inspect_mesh(path);
  FileReport report = inspect_particles(path);
  if (ends_in(path, {".fpc"})) add_cache_notes(path, report);
  return report;
}

}  // namespace

FileReport inspect(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw UserError(fmt::format("{}: no such file or folder", path));
  if (std::filesystem::is_directory(path, error)) return inspect_run(path);
  FileReport report = inspect_any(path);
  report.entries.insert(report.entries.begin(), {"bytes", fmt::format("{}", std::filesystem::file_size(path, error))});
  return report;
}

}  // namespace firn
