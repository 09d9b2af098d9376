#include "firn/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "api/run_files.h"
#include "core/files.h"
#include "core/text.h"
#include "firn/error.h"
#include "frame/frame_view.h"
#include "io/formats.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

bool is_pattern(const std::string& path) {
  std::error_code error;
  return path.find_first_of("*?[") != std::string::npos && !fs::exists(path, error);
}

// The files that a shell would put in the pattern's place, in their order.
std::vector<std::string> files_like(const std::string& pattern) {
  glob_t found{};
  const int failure = ::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + (failure == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  if (files.empty()) throw UserError(fmt::format("{}: no file is called like that", pattern));
  return files;
}

std::vector<std::string> list_files(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (is_pattern(input)) {
      for (const std::string& file : files_like(input)) files.push_back(file);
    } else if (fs::is_directory(input, error)) {
      for (const FrameFile& frame : find_frames(input)) files.push_back(frame.path);
    } else if (fs::exists(input, error)) {
      files.push_back(input);
    } else {
      throw UserError(fmt::format("{}: no such file or folder", input));
    }
  }
  return files;
}

// A pattern for frames may be one for the file that ties them together, too.
std::vector<std::string> list_inputs(const std::vector<std::string>& inputs, const ConvertOptions& options) {
  std::vector<std::string> frames = list_files(inputs);
  if (frames.size() < 2) return frames;
  std::erase_if(frames, [&](const std::string& file) {
    if (is_index(file) && options.warn) options.warn(fmt::format("{}: left out, it has no particles of its own", file));
    return is_index(file);
  });
  if (frames.empty()) throw UserError(fmt::format("{}: no frame is among these files", fmt::join(inputs, ", ")));
  return frames;
}

struct Task {
  std::string from, to;
};

void check_free(const std::string& path, bool overwrite) {
  std::error_code error;
  if (!overwrite && fs::exists(path, error)) throw UserError(fmt::format("{}: is there already; use --overwrite to replace it", path));
}

std::vector<Task> plan(const std::vector<std::string>& inputs, const std::string& output, bool overwrite) {
  const std::string name = fs::path(output).filename().string();
  const std::size_t star = name.find('*');
  if (star == std::string::npos && inputs.size() > 1)
    throw UserError(fmt::format("{}: {} files cannot become one; put a * where their names go, as in {}", output, inputs.size(),
                                (fs::path(output).parent_path() / ("*" + fs::path(output).extension().string())).string()));
  if (name.find('*', star + 1) != std::string::npos && star != std::string::npos)
    throw UserError(fmt::format("{}: one * is enough, it stands for the name of the input", output));
  std::vector<Task> tasks;
  std::set<std::string> taken;
  for (const std::string& input : inputs) {
    std::string file = name;
    if (star != std::string::npos) file.replace(star, 1, fs::path(input).stem().string());
    const std::string path = (fs::path(output).parent_path() / file).string();
    if (!taken.insert(path).second) throw UserError(fmt::format("{}: two of the inputs would be written to it", path));
    check_free(path, overwrite);
    tasks.push_back({input, path});
  }
  return tasks;
}

// What files tell of themselves, else the scenes beside them.
class NoteFinder {
 public:
  explicit NoteFinder(const ConvertOptions& options) : options_(options) {}

  FrameNotes notes_for(const std::string& file) {
    const Format& format = format_to_read(file);
    return format.read_notes != nullptr ? with_options(format.read_notes(file)) : notes_of_scene(file);
  }

 private:
  FrameNotes with_options(FrameNotes notes) const {
    notes.fps = options_.fps.value_or(notes.fps);
    notes.dimension = options_.dimension.value_or(notes.dimension);
    notes.spacing = options_.spacing.value_or(notes.spacing);
    notes.kernel = options_.kernel.value_or(notes.kernel);
    return notes;
  }

  FrameNotes notes_of_scene(const std::string& file) {
    FrameNotes notes;
    int subframes = 1;
    double end = 0;
    if (const std::optional<Scene>& scene = scene_beside(file)) {
      notes.fps = scene->simulation.fps;
      notes.dimension = scene->simulation.dimension;
      notes.spacing = scene->simulation.spacing;
      notes.kernel = scene->solver.kernel;
      subframes = scene->output.subframes;
      end = scene->simulation.duration;
    }
    notes = with_options(notes);
    const std::optional<FrameNumber> number = frame_number(file);
    notes.time = recorded_time(file).value_or(number ? number->time(notes.fps, subframes) : end);
    return notes;
  }

  const std::optional<Scene>& scene_beside(const std::string& file) {
    const std::string path = (fs::path(file).parent_path() / "scene.toml").string();
    const auto [entry, is_new] = scenes_.try_emplace(path);
    std::error_code error;
    if (!is_new || !fs::exists(path, error)) return entry->second;
    try {
      entry->second = load_scene(path);
    } catch (const UserError& e) {
      if (options_.warn) options_.warn(fmt::format("frame rate and spacing are not known: {}", e.what()));
    }
    return entry->second;
  }

  const ConvertOptions& options_;
  std::map<std::string, std::optional<Scene>> scenes_;
};

std::set<Field> chosen_fields(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const Attribute& a : kAttributes) known.push_back(a.name);
  std::set<Field> fields{Field::kPosition};
  for (const std::string& name : names) {
    const Attribute* a = find_attribute(name);
    if (a == nullptr) throw UserError(fmt::format("no attribute is called '{}'{}", name, suggestion(name, known)));
    fields.insert(a->field);
  }
  return fields;
}

void keep_only(const std::set<Field>& fields, const std::string& path, Frame& frame) {
  for (const Attribute& a : kAttributes) {
    const bool wanted = fields.contains(a.field);
    if (wanted && frame.size() > 0 && !has(frame, a.field)) throw UserError(fmt::format("{}: its particles have no {}", path, a.name));
    if (!wanted) resize(frame, a.field, 0);
  }
}

void make_folder(const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) throw RunError(fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
}

// The name of the .vdb of the same frame, where there is one.
std::string volume_beside(const std::string& file) {
  std::error_code error;
  const fs::path path = fs::path(file).replace_extension(".vdb");
  return fs::exists(path, error) ? path.filename().string() : "";
}

// Writes what the options ask for, file by file, and counts.
class Converter {
 public:
  Converter(const std::string& output, const ConvertOptions& options)
      : options_(options),
        format_(options.as_surface || file_ending(output) == ".obj" ? nullptr : &format_to_write(output)),
        fields_(chosen_fields(options.attributes)),
        finder_(options) {
    summary_.surfaces = format_ == nullptr;
  }

  // Throws UserError when the file that ties the frames together would replace one.
  void check_index(const std::vector<Task>& tasks, const std::string& folder) const {
    const auto frames = std::count_if(tasks.begin(), tasks.end(), [](const Task& task) { return frame_number(task.from).has_value(); });
    if (frames < 2 || format_ == nullptr) return;
    for (const std::string_view name : format_->index_names) check_free((fs::path(folder) / name).string(), options_.overwrite);
  }

  void write(const Task& task) {
    Frame frame = read_frame(task.from);
    if (!options_.attributes.empty()) keep_only(fields_, task.from, frame);
    notes_ = finder_.notes_for(task.from);
    if (format_ == nullptr)
      write_as_surface(task, frame);
    else
      format_->write(task.to, frame, notes_, options_.format);
    if (frame_number(task.from)) index_.push_back({fs::path(task.to).filename().string(), volume_beside(task.to), notes_.time});
    summary_.files.push_back(task.to);
    summary_.particles += frame.size();
  }

  ConvertSummary stop() {
    summary_.interrupted = true;
    return std::move(summary_);
  }

  ConvertSummary finish(const std::string& folder) {
    if (index_.size() < 2 || format_ == nullptr || format_->write_index == nullptr) return std::move(summary_);
    std::stable_sort(index_.begin(), index_.end(), [](const IndexEntry& a, const IndexEntry& b) { return a.time < b.time; });
    format_->write_index(folder, index_, notes_);
    return std::move(summary_);
  }

 private:
  void write_as_surface(const Task& task, const Frame& frame) {
    if (notes_.dimension == 2) throw UserError(fmt::format("{}: snow of a 2D scene has no surface", task.from));
    SurfaceOptions options = options_.surface;
    if (options.spacing == 0) options.spacing = notes_.spacing;
    const SurfaceReport report = write_surface(task.to, frame, options);
    summary_.triangles += report.triangles;
    summary_.left_out += report.left_out;
  }

  const ConvertOptions& options_;
  const Format* format_;  // nullptr: surfaces
  std::set<Field> fields_;
  NoteFinder finder_;
  FrameNotes notes_;               // of the last file
  std::vector<IndexEntry> index_;  // of frames: a final.ply has no place in the film
  ConvertSummary summary_;
};

// Writes the bodies of a scene.
ConvertSummary convert_bodies(const std::string& scene_file, const std::string& output, const ConvertOptions& options) {
  if (file_ending(output) != ".obj") throw UserError(fmt::format("{}: the bodies of a scene go into an .obj", output));
  const Scene scene = load_scene(scene_file);
  if (!has_body_triangles(scene))
    throw UserError(fmt::format("{}: it has no 3D bodies that are meshes, height fields, text or compounds", scene_file));
  check_free(output, options.overwrite);
  make_folder(output);
  ConvertSummary summary;
  summary.surfaces = true;
  summary.triangles = write_body_triangles(scene, output);
  summary.files.push_back(output);
  if (options.progress) options.progress(output, 1, 1);
  return summary;
}

}  // namespace

ConvertSummary convert(const std::vector<std::string>& inputs, const std::string& output, const ConvertOptions& options) {
  if (inputs.size() == 1 && file_ending(inputs.front()) == ".toml") return convert_bodies(inputs.front(), output, options);
  Converter converter(output, options);
  const std::vector<Task> tasks = plan(list_inputs(inputs, options), output, options.overwrite);
  const std::string folder = fs::path(output).parent_path().string();
  converter.check_index(tasks, folder);
  make_folder(output);
  int done = 0;
  for (const Task& task : tasks) {
    if (options.interrupted && options.interrupted()) return converter.stop();
    converter.write(task);
    if (options.progress) options.progress(task.to, ++done, static_cast<int>(tasks.size()));
  }
  return converter.finish(folder);
}

}  // namespace firn
