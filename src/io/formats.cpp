#include "io/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/file_ending.h"
#include "firn/error.h"
#include "io/bgeo.h"
#include "io/fpc.h"
#include "io/ply_writer.h"
#include "io/usda.h"
#include "io/vdb_write.h"
#include "io/vtp.h"

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

}  // namespace firn
