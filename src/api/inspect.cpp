// What the folder of a run has in it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>

#include "api/checkpoint.h"
#include "core/files.h"
#include "firn/convert.h"
#include "firn/error.h"
#include "firn/scene.h"
#include "frame/frame_view.h"
#include "geometry/level_set.h"
#include "geometry/read_mesh.h"
#include "io/checkpoint_file.h"
#include "io/formats.h"
#include "io/particle_files.h"
#include "io/ply_header.h"
#include "io/run_folder.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

struct FileCount {
  std::size_t files = 0;
  std::uintmax_t bytes = 0;
};

// What is there, by the names of the files.
struct Contents {
  std::map<std::string, FileCount> formats;  // of frames
  std::vector<FrameFile> frames;             // one of every number, in whatever format
  std::uintmax_t bytes = 0;                  // of all files, also in folders; not of what links lead to
};

Contents look_into(const std::string& folder) {
  Contents found;
  std::map<FrameNumber, std::string> frames;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::directory_entry& entry = *at;
    std::error_code gone;  // a run may be at work
    if (!entry.is_regular_file(gone) || entry.is_symlink(gone)) continue;
    const std::uintmax_t bytes = entry.file_size(gone);
    if (gone) continue;
    found.bytes += bytes;
    const std::string path = entry.path().string();
    const Format* format = format_of_path(path);
    const std::optional<FrameNumber> number = frame_number(path);
    if (at.depth() > 0 || format == nullptr || !number) continue;
    FileCount& count = found.formats[std::string(format->name)];
    ++count.files;
    count.bytes += bytes;
    frames.try_emplace(*number, path);
  }
  if (error) throw UserError(fmt::format("{}: {}", folder, error.message()));
  for (const auto& [number, path] : frames) found.frames.push_back({path, number});
  return found;
}

std::string size_text(std::uintmax_t bytes) { return fmt::format("{:.3g} MB", static_cast<double>(bytes) / 1e6); }

std::string state_text(const std::string& folder, const RunRecord& record) {
  if (is_being_written(folder)) return "running";
  if (!record.exists) return "not known, there is no list of its files (.firn)";
  if (record.ended == "failed") return "failed: stopped by an error";
  return record.ended.empty() ? "stopped before its end" : record.ended;
}

std::string frames_text(const std::vector<FrameFile>& frames) {
  if (frames.empty()) return "none";
  std::size_t subframes = 0;
  for (const FrameFile& file : frames) subframes += file.number.subframe != 0 ? 1 : 0;
  std::string text = fmt::format("{} to {}", frames.front().number.frame, frames.back().number.frame);
  if (subframes > 0) text += fmt::format(", and {} between them", subframes);
  return text;
}

std::size_t pictures_in(const fs::path& folder) {
  std::size_t count = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) count += entry.path().extension() == ".png" ? 1 : 0;
  return count;
}

class RunReport {
 public:
  explicit RunReport(const std::string& folder) : folder_(folder), record_(read_run_record(folder)), contents_(look_into(folder)) {}

  FileReport report() {
    if (!is_run_folder(folder_) && contents_.frames.empty())
      throw UserError(fmt::format("{}: not the folder of a run, it has neither a list of one (.firn) nor frames", folder_));
    add("bytes", fmt::format("{}", contents_.bytes));
    add_scene();
    add("state", state_text(folder_, record_));
    add_frames();
    add_statistics();
    std::error_code error;
    add("final state", fs::exists(fs::path(folder_) / kRunFinalName, error) ? kRunFinalName : "none");
    add_checkpoints();
    add_pictures();
    return report_;
  }

 private:
  void add(const char* name, std::string value) { report_.entries.emplace_back(name, std::move(value)); }

  void add_scene() {
    const fs::path file = fs::path(folder_) / kRunSceneName;
    std::error_code error;
    if (!record_.scene.empty()) add("scene", record_.scene);
    if (!fs::exists(file, error)) return;
    try {
      const Scene scene = load_scene(file.string());
      duration_ = scene.simulation.duration;
      add("simulation", fmt::format("{}D, spacing {} m, {} frames at {} fps", scene.simulation.dimension, scene.simulation.spacing,
                                    scene.frames(), scene.simulation.fps));
    } catch (const UserError& damage) {
      add("simulation", fmt::format("not known: {}", damage.what()));
    }
  }

  void add_frames() {
    add("frames", frames_text(contents_.frames));
    if (const std::vector<long> missing = missing_frames(folder_, contents_.frames); !missing.empty()) add("missing", number_list(missing));
    std::vector<std::string> formats;
    for (const auto& [name, count] : contents_.formats)
      formats.push_back(fmt::format("{} ({} file{}, {})", name, count.files, count.files == 1 ? "" : "s", size_text(count.bytes)));
    if (!formats.empty()) add("formats", fmt::format("{}", fmt::join(formats, ", ")));
  }

  void add_statistics() {
    const std::vector<RecordedFrame> recorded = recorded_frames(folder_);
    if (recorded.empty()) return;
    const std::string of = duration_ > 0 ? fmt::format(" of {:.6g} s", duration_) : "";
    add("time", fmt::format("{:.6g} s{}", recorded.back().time, of));
    const long first = recorded.front().particles, last = recorded.back().particles;
    add("particles", first == last ? fmt::format("{}", last) : fmt::format("{} at first, {} at last", first, last));
  }

  void add_checkpoints() {
    std::vector<std::string> names;
    for (const std::string& path : checkpoints_in(folder_)) names.push_back(fs::path(path).filename().string());
    if (!names.empty()) add("checkpoints", fmt::format("{}", fmt::join(names, ", ")));
  }

  void add_pictures() {
    std::vector<std::string> kinds;
    for (const char* kind : {"preview", "render"})
      if (const std::size_t count = pictures_in(fs::path(folder_) / kind); count > 0) kinds.push_back(fmt::format("{} in {}", count, kind));
    if (!kinds.empty()) add("pictures", fmt::format("{}", fmt::join(kinds, ", ")));
  }

  const std::string& folder_;
  RunRecord record_;
  Contents contents_;
  double duration_ = 0;  // s; 0: not known
  FileReport report_{"run", {}, {}};
};

// Nothing but the list, stats.csv, scene.toml and names of files is read. Throws UserError for a folder that is not a run's.
FileReport inspect_run(const std::string& folder) { return RunReport(folder).report(); }

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
