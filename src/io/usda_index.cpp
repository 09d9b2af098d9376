#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "firn/error.h"
#include "io/file.h"
#include "io/usda.h"
#include "io/usda_layout.h"

namespace firn {
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
