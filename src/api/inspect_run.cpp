#include "api/inspect_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <filesystem>
#include <map>

#include "api/checkpoint.h"
#include "firn/error.h"
#include "firn/scene.h"
#include "io/formats.h"
#include "io/frame_files.h"
#include "io/run_record.h"

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

}  // namespace

FileReport inspect_run(const std::string& folder) { return RunReport(folder).report(); }

}  // namespace firn
