#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <numbers>
#include <string>

#include "core/files.h"
#include "firn/error.h"
#include "io/particle_files.h"

namespace firn {
namespace {

constexpr std::string_view kPrimvars = "primvars:";

// The name of a field in the schema UsdGeomPoints; empty: it has no place for the field.
std::string_view schema_name(Field field) {
  switch (field) {
    case Field::kId: return "ids";
    case Field::kPosition: return "points";
    case Field::kVelocity: return "velocities";
    default: return "";
  }
}

// Plain numbers for the exact copies: not every program knows point3d.
std::string array_type(const Attribute& a, bool double_precision) {
  if (a.field == Field::kId) return "int64[]";
  if (a.kind != ValueKind::kReal) return "int[]";
  if (a.components != 3) return double_precision ? "double[]" : "float[]";
  if (double_precision) return "double3[]";
  return a.field == Field::kPosition ? "point3f[]" : "vector3f[]";
}

UsdaColumn primvar(const Attribute& a, bool double_precision) {
  return {a.field, fmt::format("{}{}", kPrimvars, a.name), array_type(a, double_precision), double_precision};
}

}  // namespace

std::vector<UsdaColumn> usda_columns(const FrameView& frame) {
  std::vector<UsdaColumn> columns;
  for (const Field field : fields_of(frame)) {
    const Attribute& a = attribute(field);
    const std::string_view name = schema_name(field);
    const bool double_precision = frame.double_precision && a.kind == ValueKind::kReal;
    if (!name.empty()) columns.push_back({field, std::string(name), array_type(a, false), false});
    if (name.empty() || double_precision) columns.push_back(primvar(a, double_precision));
  }
  return columns;
}

std::optional<UsdaName> find_usda_name(std::string_view name) {
  for (const Attribute& a : kAttributes)
    if (name == schema_name(a.field)) return UsdaName{a.field, false};
  if (name.substr(0, kPrimvars.size()) != kPrimvars) return std::nullopt;
  const Attribute* a = find_attribute(name.substr(kPrimvars.size()));
  if (a == nullptr || a->field == Field::kId) return std::nullopt;
  return UsdaName{a->field, true};
}

bool is_usda_type(Field field, std::string_view type) {
  constexpr std::array<std::string_view, 5> kWhole{"int", "int64", "uint", "uint64", "uchar"};
  constexpr std::array<std::string_view, 3> kReal{"float", "double", "half"};
  constexpr std::array<std::string_view, 9> kVector{"point3f", "vector3f", "float3",   "point3d", "vector3d",
                                                    "double3", "point3h",  "vector3h", "half3"};
  const auto among = [&](const auto& types) { return std::find(types.begin(), types.end(), type) != types.end(); };
  if (attribute(field).kind != ValueKind::kReal) return among(kWhole);
  return attribute(field).components == 3 ? among(kVector) : among(kReal);
}

std::string usda_declaration(const UsdaColumn& column) {
  const bool primvar = column.name.substr(0, kPrimvars.size()) == kPrimvars;
  const int components = attribute(column.field).components;
  // On one line: three.js loses its way in lines that end with "(" and have a colon.
  return fmt::format("        {} {}{}{}{}\n", column.type, column.name, primvar ? " (" : "", components == 9 ? "elementSize = 9; " : "",
                     primvar ? "interpolation = \"vertex\")" : "");
}

double usda_time_code(double time, double fps) {
  constexpr double kRounding = 1e-9;  // far less than a sub-frame
  const double code = time * fps, whole = std::round(code);
  return std::abs(code - whole) <= kRounding * whole ? whole : code;
}

std::string usda_header(double first_code, double last_code, double fps) {
  return fmt::format(
      "#usda 1.0\n(\n    defaultPrim = \"snow\"\n    endTimeCode = {1}\n    framesPerSecond = {2}\n    metersPerUnit = 1\n"
      "    startTimeCode = {0}\n    timeCodesPerSecond = {2}\n    upAxis = \"Y\"\n)\n\n",
      first_code, last_code, fps);
}

namespace {

constexpr float kLargestFloat = std::numeric_limits<float>::max();

// Text gathered in a buffer; numbers in the fewest digits that read back the same.
class TextFile {
 public:
  explicit TextFile(const std::string& path) : file_(path) {}

  void put(std::string_view text) { buffer_.append(text); }
  template <class Number>
  void put_number(Number number) {
    fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE("{}"), number);
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t(1) << 20;  // few system calls, still in the cache

  void flush() {
    file_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  AtomicFile file_;
  fmt::memory_buffer buffer_;
};

class FrameWriter {
 public:
  FrameWriter(const std::string& path, const FrameView& frame, const FrameNotes& notes)
      : frame_(frame),
        volume_(reals(frame, Field::kVolume)),
        notes_(notes),
        time_code_(usda_time_code(notes.time, notes.fps)),
        columns_(usda_columns(frame)),
        out_(path) {}

  void write() {
    out_.put(usda_header(time_code_, time_code_, notes_.fps));
    out_.put("def Xform \"snow\"\n{\n    def Points \"particles\"\n    {\n");
    // All declarations first: the stage of all frames repeats them up to the empty line.
    const bool widths = std::any_of(columns_.begin(), columns_.end(), [](const UsdaColumn& c) { return c.field == Field::kVolume; });
    out_.put("        float3[] extent\n");
    if (widths) out_.put("        float[] widths (interpolation = \"vertex\")\n");
    for (const UsdaColumn& column : columns_) out_.put(usda_declaration(column));
    out_.put("\n");
    write_extent();
    if (widths) write_samples("float[] widths", volume_.size(), [&](std::size_t p) { out_.put_number(width(p)); });
    for (const UsdaColumn& column : columns_) write_column(column);
    out_.put("    }\n}\n");
    out_.commit();
  }

 private:
  // put(i) writes entry i.
  template <class Put>
  void write_samples(const std::string& attribute, std::size_t entries, Put put) {
    out_.put(fmt::format("        {}.timeSamples = {{\n            {}: [", attribute, time_code_));
    for (std::size_t i = 0; i < entries; ++i) {
      if (i > 0) out_.put(",");
      put(i);
    }
    out_.put("],\n        }\n");
  }

  void write_column(const UsdaColumn& column) {
    const std::string attribute = column.type + " " + column.name;
    if (column.field == Field::kId) {
      write_samples(attribute, frame_.id.size(), [&](std::size_t p) { out_.put_number(frame_.id[p]); });
    } else if (column.field == Field::kMaterial) {
      write_samples(attribute, frame_.material.size(), [&](std::size_t p) { out_.put_number(frame_.material[p]); });
    } else if (column.double_precision) {
      write_reals<double>(attribute, column.field);
    } else {
      write_reals<float>(attribute, column.field);
    }
  }

  template <class Real>
  void write_reals(const std::string& name, Field field) {
    const Numbers& values = reals(frame_, field);
    const auto put = [&](std::size_t i) { out_.put_number(static_cast<Real>(values[i])); };
    if (attribute(field).components != 3) return write_samples(name, values.size(), put);
    write_samples(name, values.size() / 3, [&](std::size_t p) { put_triple([&](std::size_t c) { put(3 * p + c); }); });
  }

  template <class Put>
  void put_triple(Put put) {
    for (std::size_t c = 0; c < 3; ++c) {
      out_.put(c == 0 ? "(" : ",");
      put(c);
    }
    out_.put(")");
  }

  // The diameter of a ball, in 2D of a disk, as large as the particle's snow at the start.
  float width(std::size_t p) const {
    const double volume = volume_[p];
    if (notes_.dimension == 2) return static_cast<float>(2 * std::sqrt(volume / std::numbers::pi));
    return static_cast<float>(std::cbrt(6 * volume / std::numbers::pi));
  }

  // The box about the balls. Of no particles: USD's empty box, whose corners are the wrong way round.
  void write_extent() {
    std::array<float, 3> low, high;
    low.fill(kLargestFloat);
    high.fill(-kLargestFloat);
    const Numbers& position = reals(frame_, Field::kPosition);
    for (std::size_t p = 0; p < frame_.size(); ++p) {
      const double radius = volume_.empty() ? 0 : 0.5 * static_cast<double>(width(p));
      for (std::size_t c = 0; c < 3; ++c) {
        low[c] = std::min(low[c], static_cast<float>(position[3 * p + c] - radius));
        high[c] = std::max(high[c], static_cast<float>(position[3 * p + c] + radius));
      }
    }
    write_samples("float3[] extent", 2,
                  [&](std::size_t corner) { put_triple([&](std::size_t c) { out_.put_number(corner == 0 ? low[c] : high[c]); }); });
  }

  const FrameView& frame_;
  const Numbers& volume_;
  const FrameNotes& notes_;
  double time_code_;
  std::vector<UsdaColumn> columns_;
  TextFile out_;
};

// The schema's points and velocities are single precision in any frame.
void check_schema_range(const std::string& path, const FrameView& frame) {
  for (const Field field : {Field::kPosition, Field::kVelocity})
    for (const double value : reals(frame, field))
      if (std::abs(value) > static_cast<double>(kLargestFloat))
        throw RunError(fmt::format("{}: cannot write: a {} is {}, more than USD's points can hold", path, attribute(field).name, value));
}

}  // namespace

void write_usda(const std::string& path, const FrameView& frame, const FrameNotes& notes) {
  check_writable(path, frame);
  check_schema_range(path, frame);
  FrameWriter(path, frame, notes).write();
}

namespace {

// A grid of the .vdb files and what USD wants to know of it.
struct VolumeField {
  std::string_view name, type, role;
};
constexpr VolumeField kVolumeFields[] = {{"density", "float", "None"}, {"velocity", "float3", "Vector"}, {"jp", "float", "None"}};

// A file beside this one. Names with @ in them stand between @@@, where three in a row are escaped.
std::string asset_path(std::string_view file) {
  if (file.find('@') == std::string_view::npos) return fmt::format("@./{}@", file);
  constexpr std::string_view kQuotes = "@@@";
  std::string text(file);
  for (std::size_t at = text.find(kQuotes); at != std::string::npos; at = text.find(kQuotes, at + kQuotes.size() + 1))
    text.insert(at, 1, '\\');
  return fmt::format("@@@./{}@@@", text);
}

// The declarations of a frame that write_usda() has written: from the Points prim to the empty line.
std::string declarations(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text, line;
  bool inside = false;
  while (std::getline(in, line) && !(inside && line.empty())) {
    if (inside) text += line + '\n';
    inside |= line == "    {";
  }
  if (!in || !inside) throw RunError(fmt::format("{}: cannot be read to make {}", path, kUsdaIndexName));
  return text;
}

class IndexWriter {
 public:
  IndexWriter(const std::string& folder, const std::vector<IndexEntry>& frames, const FrameNotes& notes)
      : folder_(folder), frames_(frames), fps_(notes.fps) {
    if (!frames.empty()) declarations_ = declarations(path(frames.back().file));
  }

  void write() const {
    const std::string header = frames_.empty() ? usda_header(0, 0, fps_) : usda_header(code(frames_.front()), code(frames_.back()), fps_);
    write_file(kUsdaManifestName,
               fmt::format("{}over \"snow\"\n{{\n    over \"particles\"\n    {{\n{}    }}\n}}\n", header, declarations_));
    write_file(kUsdaIndexName, fmt::format("{}def Xform \"snow\"\n{{\n{}{}}}\n", header, particles(), volume()));
  }

 private:
  double code(const IndexEntry& entry) const { return usda_time_code(entry.time, fps_); }
  std::string path(std::string_view name) const { return (std::filesystem::path(folder_) / name).string(); }

  void write_file(std::string_view name, const std::string& text) const {
    AtomicFile file(path(name));
    file.write(text);
    file.commit();
  }

  // Each clip holds from its own time code to the next one's, and has the same time codes as the stage.
  std::string particles() const {
    if (frames_.empty()) return "    def Points \"particles\"\n    {\n    }\n";
    std::vector<std::string> active, assets, times;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const double at = code(frames_[i]);
      active.push_back(fmt::format("({}, {})", at, i));
      assets.push_back(asset_path(frames_[i].file));
      times.push_back(fmt::format("({0}, {0})", at));
    }
    return fmt::format(
        "    def Points \"particles\" (\n        clips = {{\n            dictionary default = {{\n"
        "                double2[] active = [{}]\n                asset[] assetPaths = [{}]\n"
        "                asset manifestAssetPath = {}\n                string primPath = \"/snow/particles\"\n"
        "                double2[] times = [{}]\n            }}\n        }}\n    )\n    {{\n{}    }}\n",
        fmt::join(active, ", "), fmt::join(assets, ", "), asset_path(kUsdaManifestName), fmt::join(times, ", "), declarations_);
  }

  std::string volume() const {
    if (std::all_of(frames_.begin(), frames_.end(), [](const IndexEntry& entry) { return entry.volume.empty(); })) return "";
    std::string text = "\n    def Volume \"volume\"\n    {\n";
    for (const VolumeField& field : kVolumeFields) text += fmt::format("        rel field:{0} = </snow/volume/{0}>\n", field.name);
    const std::string samples = volume_samples();
    for (const VolumeField& field : kVolumeFields)
      text += fmt::format(
          "\n        def OpenVDBAsset \"{0}\"\n        {{\n            token fieldDataType = \"{1}\"\n            token fieldName = "
          "\"{0}\"\n"
          "            asset filePath.timeSamples = {{\n{3}            }}\n            token vectorDataRoleHint = \"{2}\"\n        }}\n",
          field.name, field.type, field.role, samples);
    return text + "    }\n";
  }

  // A frame without a volume blocks the one before.
  std::string volume_samples() const {
    std::string text;
    for (const IndexEntry& entry : frames_)
      text += fmt::format("                {}: {},\n", code(entry), entry.volume.empty() ? "None" : asset_path(entry.volume));
    return text;
  }

  const std::string& folder_;
  const std::vector<IndexEntry>& frames_;
  double fps_;
  std::string declarations_;
};

}  // namespace

void write_usda_index(const std::string& folder, const std::vector<IndexEntry>& frames, const FrameNotes& notes) {
  IndexWriter(folder, frames, notes).write();
}

}  // namespace firn
