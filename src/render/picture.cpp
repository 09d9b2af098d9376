#include "firn/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>

#include "firn/error.h"
#include "firn/frame.h"
#include "firn/scene.h"
#include "io/frame_files.h"
#include "render/film.h"
#include "render/fit.h"
#include "render/preview.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr int kSmallest = 16, kLargest = 8192;  // pixels
constexpr std::size_t kFramesToFit = 9;         // of a film, spread over it: enough to see where the snow goes

void check_size(const PreviewOptions& options) {
  for (const int size : {options.width, options.height})
    if (size < kSmallest || size > kLargest)
      throw UserError(fmt::format("a picture of {} pixels; allowed: {} to {}", size, kSmallest, kLargest));
}

// Pictures of some frames of one run, all from the same place.
class Previewer {
 public:
  Previewer(std::vector<FrameFile> frames, std::optional<Scene> scene, const PreviewOptions& options)
      : frames_(std::move(frames)), options_(options) {
    if (scene) scenery_.emplace(std::move(*scene));
  }

  PreviewResult draw(bool film) {
    PreviewResult result;
    const Camera camera = choose_camera();
    const fs::path folder = make_folder();
    const std::string film_path = (folder / "preview.mp4").string();
    std::optional<Film> output;
    if (film) output.emplace(film_path, options_.width, options_.height, fps());
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const Frame frame = read_frame(frames_[i].path);
      const Image image = render_preview(frame, scenery(), camera, {time_of(i), options_.width, options_.height});
      const fs::path path = (folder / fs::path(frames_[i].path).stem()).string() + ".png";
      write_png(path.string(), image);
      if (output) output->add(image);
      result.pictures.push_back(path.string());
      if (options_.progress) options_.progress(static_cast<int>(i + 1), static_cast<int>(frames_.size()));
    }
    if (output) result.warning = output->finish();
    if (output && result.warning.empty()) result.film = film_path;
    return result;
  }

 private:
  const Scenery* scenery() const { return scenery_ ? &*scenery_ : nullptr; }
  double fps() const { return scenery_ ? scenery_->scene.simulation.fps : SimulationSettings{}.fps; }
  double time_of(std::size_t i) const { return frames_[i].number.time(fps(), subframes()); }
  int subframes() const { return scenery_ ? scenery_->scene.output.subframes : 1; }

  Camera choose_camera() const {
    Subject subject;
    const std::size_t count = std::min(kFramesToFit, frames_.size());
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = count > 1 ? k * (frames_.size() - 1) / (count - 1) : 0;
      subject.add(read_frame(frames_[i].path), scenery(), time_of(i));
    }
    return fit_camera(subject, scenery(), static_cast<double>(options_.width) / options_.height);
  }

  fs::path make_folder() const {
    const fs::path folder = fs::path(frames_.front().path).parent_path() / "preview";
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw RunError(fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
    return folder;
  }

  std::vector<FrameFile> frames_;
  std::optional<Scenery> scenery_;
  const PreviewOptions& options_;
};

PreviewResult preview_folder(const fs::path& folder, const PreviewOptions& options) {
  const fs::path scene = folder / "scene.toml";
  std::error_code error;
  if (!fs::exists(scene, error))
    throw UserError(fmt::format("{}: no such file; {} is not the folder of a run", scene.string(), folder.string()));
  std::vector<FrameFile> frames = find_frames(folder.string());
  std::erase_if(frames, [](const FrameFile& f) { return f.number.subframe != 0; });  // the film keeps its speed
  const bool film = options.film && frames.size() > 1;
  return Previewer(std::move(frames), load_scene(scene.string()), options).draw(film);
}

PreviewResult preview_file(const fs::path& file, const PreviewOptions& options) {
  std::optional<Scene> scene;
  std::error_code error;
  if (const fs::path beside = file.parent_path() / "scene.toml"; fs::exists(beside, error)) scene = load_scene(beside.string());
  std::optional<FrameNumber> number = frame_number(file.string());
  // final.ply and the like: bodies stand where the run left them.
  if (!number && scene) number = FrameNumber{std::lround(scene->simulation.duration * scene->simulation.fps), 0};
  return Previewer({{file.string(), number.value_or(FrameNumber{})}}, std::move(scene), options).draw(false);
}

}  // namespace

PreviewResult preview(const std::string& dir_or_frame, const PreviewOptions& options) {
  check_size(options);
  std::error_code error;
  if (!fs::exists(dir_or_frame, error)) throw UserError(dir_or_frame + ": no such file or folder");
  if (fs::is_directory(dir_or_frame, error)) return preview_folder(dir_or_frame, options);
  return preview_file(fs::path(dir_or_frame), options);
}

}  // namespace firn
