#include "io/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "core/files.h"
#include "firn/error.h"
#include "io/particle_files.h"
#include "io/vdb_write.h"

namespace firn {
namespace {

std::string endings(bool readable) {
  std::vector<std::string> names;
  for (const Format& format : formats())
    if (!readable || format.read != nullptr) names.push_back(fmt::format(".{}", format.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {.name = "ply",
       .summary = "binary PLY, every attribute; opens nearly everywhere",
       .write = [](const std::string& path, const FrameView& frame, const FrameNotes&, const FormatOptions&) { write_ply(path, frame); },
       .read = read_ply},
      {.name = "vdb",
       .summary = "OpenVDB volumes of density, velocity and J_P; for renderers",
       .is_volume = true,
       .least_spacing = kLeastVdbSpacing,
       .write = write_vdb},
      {.name = "vtp",
       .summary = "VTK PolyData, every attribute; for ParaView, with frames.pvd for the times",
       .write = [](const std::string& path, const FrameView& frame, const FrameNotes& notes,
                   const FormatOptions&) { write_vtp(path, frame, notes); },
       .read = read_vtp,
       .write_index = write_pvd,
       .index_names = {kPvdName}},
      {.name = "bgeo",
       .summary = "classic Houdini geometry, every attribute as float",
       .write = [](const std::string& path, const FrameView& frame, const FrameNotes&, const FormatOptions&) { write_bgeo(path, frame); },
       .read = read_bgeo},
      {.name = "usda",
       .summary = "USD as text, every attribute, and a stage of all frames",
       .write = [](const std::string& path, const FrameView& frame, const FrameNotes& notes,
                   const FormatOptions&) { write_usda(path, frame, notes); },
       .read = read_usda,
       .write_index = write_usda_index,
       .index_names = {kUsdaIndexName, kUsdaManifestName}},
      {.name = "fpc",
       .summary = "firn's own, compressed: about half of PLY exactly, a quarter to a stated error",
       .write = write_fpc,
       .read = read_fpc,
       .read_notes = [](const std::string& path) { return read_fpc_header(path).notes; }},
  };
  return all;
}

const Format* find_format(std::string_view name) {
  const auto found = std::find_if(formats().begin(), formats().end(), [&](const Format& f) { return f.name == name; });
  return found == formats().end() ? nullptr : &*found;
}

const Format* format_of_path(const std::string& path) {
  const std::string ending = file_ending(path);
  return ending.empty() ? nullptr : find_format(ending.substr(1));
}

bool is_index(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return std::any_of(formats().begin(), formats().end(), [&](const Format& format) {
    return std::find(format.index_names.begin(), format.index_names.end(), name) != format.index_names.end();
  });
}

const std::vector<FrameFormat>& frame_formats() {
  static const std::vector<FrameFormat> all = [] {
    std::vector<FrameFormat> list;
    for (const Format& format : formats()) list.push_back({format.name, format.summary, format.read != nullptr});
    return list;
  }();
  return all;
}

const Format& format_to_write(const std::string& path) {
  const Format* format = format_of_path(path);
  if (format == nullptr) throw UserError(fmt::format("{}: frames cannot be written to such a file, allowed: {}", path, endings(false)));
  return *format;
}

const Format& format_to_read(const std::string& path) {
  const Format* format = format_of_path(path);
  if (format == nullptr || format->read == nullptr)
    throw UserError(fmt::format("{}: particles cannot be read from such a file, allowed: {}", path, endings(true)));
  return *format;
}

void write_frame(const std::string& path, const Frame& frame, const FrameNotes& notes, const FormatOptions& options) {
  format_to_write(path).write(path, frame, notes, options);
}

Frame read_frame(const std::string& path) { return format_to_read(path).read(path); }

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "frame_", kNodesPrefix = "nodes_";
constexpr std::size_t kLeastDigits = 4;

// Whether all of the text is a number.
template <class T>
bool read_number(std::string_view text, T& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

// All of `digits` as a number; nothing: there is something else in it.
template <class T>
std::optional<T> whole_number(std::string_view digits) {
  T number = 0;
  if (!read_number(digits, number) || digits.front() == '-') return std::nullopt;
  return number;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

namespace {

std::string numbered(std::string_view prefix, const FrameNumber& number) {
  const std::string stem = fmt::format("{}{:04d}", prefix, number.frame);
  return number.subframe == 0 ? stem : fmt::format("{}_{}", stem, number.subframe);
}

std::optional<FrameNumber> number_after(std::string_view prefix, const std::string& path) {
  const std::string stem = fs::path(path).stem().string();
  std::string_view digits = stem;
  if (!digits.starts_with(prefix)) return std::nullopt;
  digits.remove_prefix(prefix.size());
  const std::size_t bar = std::min(digits.find('_'), digits.size());
  if (bar < kLeastDigits) return std::nullopt;
  const std::optional<long> frame = whole_number<long>(digits.substr(0, bar));
  if (!frame) return std::nullopt;
  if (bar == digits.size()) return FrameNumber{*frame, 0};
  const std::string_view rest = digits.substr(bar + 1);
  const std::optional<int> subframe = rest.empty() ? std::nullopt : whole_number<int>(rest);
  if (!subframe || *subframe == 0) return std::nullopt;
  return FrameNumber{*frame, *subframe};
}

}  // namespace

std::string frame_stem(const FrameNumber& number) { return numbered(kPrefix, number); }
std::string nodes_stem(const FrameNumber& number) { return numbered(kNodesPrefix, number); }
std::optional<FrameNumber> frame_number(const std::string& path) { return number_after(kPrefix, path); }
std::optional<FrameNumber> nodes_number(const std::string& path) { return number_after(kNodesPrefix, path); }

std::vector<FrameFile> find_frames(const std::string& folder) {
  std::map<FrameNumber, const Format*> best;
  std::map<FrameNumber, std::string> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    const std::optional<FrameNumber> number = frame_number(path);
    const Format* format = format_of_path(path);
    if (!number || format == nullptr || format->read == nullptr) continue;
    const auto [known, is_new] = best.try_emplace(*number, format);
    if (!is_new && known->second <= format) continue;
    known->second = format;
    paths[*number] = path;
  }
  if (error) throw UserError(fmt::format("{}: {}", folder, error.message()));
  if (paths.empty()) throw UserError(fmt::format("{}: no frame_NNNN in this folder that particles can be read from", folder));
  std::vector<FrameFile> files;
  for (const auto& [number, path] : paths) files.push_back({path, number});
  return files;
}

std::vector<RecordedFrame> recorded_frames(const std::string& folder) {
  std::ifstream stats(fs::path(folder) / "stats.csv");
  std::string line;
  std::getline(stats, line);
  const std::vector<std::string> names = cells_of(line);
  const auto particles = static_cast<std::size_t>(std::find(names.begin(), names.end(), "particles") - names.begin());
  std::vector<RecordedFrame> frames;
  while (std::getline(stats, line)) {
    const std::vector<std::string> cells = cells_of(line);
    RecordedFrame frame;
    if (cells.size() < 2 || !read_number(cells[0], frame.frame) || !read_number(cells[1], frame.time)) return {};
    if (particles < cells.size() && !read_number(cells[particles], frame.particles)) return {};
    frames.push_back(frame);
  }
  return frames;
}

// A run by --steps writes no frames that a step jumps over: stats.csv knows.
std::vector<long> missing_frames(const std::string& folder, const std::vector<FrameFile>& frames) {
  std::set<long> written, there;
  for (const RecordedFrame& frame : recorded_frames(folder)) written.insert(frame.frame);
  for (const FrameFile& file : frames)
    if (file.number.subframe == 0) there.insert(file.number.frame);
  std::vector<long> missing;
  if (!there.empty() && written.empty())
    for (long frame = *there.begin(); frame < *there.rbegin(); ++frame) written.insert(frame);
  for (const long frame : written)
    if (!there.contains(frame) && !there.empty() && frame < *there.rbegin()) missing.push_back(frame);
  return missing;
}

std::string number_list(const std::vector<long>& numbers) {
  constexpr std::size_t kMostPieces = 8;
  std::vector<std::string> pieces;
  for (std::size_t first = 0, last = 0; first < numbers.size(); first = last + 1) {
    for (last = first; last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1;) ++last;
    if (pieces.size() == kMostPieces) {
      pieces.push_back(fmt::format("{} more", numbers.size() - first));
      break;
    }
    pieces.push_back(first == last ? fmt::format("{}", numbers[first]) : fmt::format("{} to {}", numbers[first], numbers[last]));
  }
  if (pieces.size() < 2) return pieces.empty() ? "" : pieces.front();
  const std::string last = pieces.back();
  pieces.pop_back();
  return fmt::format("{} and {}", fmt::join(pieces, ", "), last);
}

std::optional<double> recorded_time(const std::string& path) {
  const std::optional<FrameNumber> number = frame_number(path);
  const bool is_final = fs::path(path).filename() == "final.ply";
  if (!is_final && (!number || number->subframe != 0)) return std::nullopt;
  const std::vector<RecordedFrame> frames = recorded_frames(fs::path(path).parent_path().string());
  if (is_final) return frames.empty() ? std::nullopt : std::optional(frames.back().time);  // the last line counts
  const auto found = std::find_if(frames.begin(), frames.end(), [&](const RecordedFrame& f) { return f.frame == number->frame; });
  return found == frames.end() ? std::nullopt : std::optional(found->time);
}

}  // namespace firn
