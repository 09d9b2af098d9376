#include "render/shared/shoot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "build/form.h"
#include "collide/motion.h"
#include "firn/error.h"
#include "render/shared/film.h"
#include "scene/rules.h"

namespace firn {
namespace {

constexpr double kNearestTarget = 1e-9;  // m: nearer, rounding decides where the camera looks

struct Sight {
  Vec<double, 3> position, target;  // m
  double tangent;                   // of half the field of view
};

// The way of the camera, along the same curves as those of bodies.
class CameraPath {
 public:
  explicit CameraPath(const RenderSettings& settings) {
    for (RigidMotion* motion : {&position_, &target_, &zoom_}) motion->smooth = settings.interpolation == Interpolation::kSmooth;
    for (const CameraKey& key : settings.keys) {
      position_.keys.push_back({key.t, to_vec(key.position), {}});
      target_.keys.push_back({key.t, to_vec(key.target), {}});
      zoom_.keys.push_back({key.t, {std::log(half_tangent(key.fov)), 0, 0}, {}});
    }
  }

  Sight at(double time) const {
    return {position_.at(time).displacement, target_.at(time).displacement, std::exp(zoom_.at(time).displacement[0])};
  }

 private:
  // The logarithm of the tangent: things grow evenly in the picture, and no curve gets beyond what a lens can do.
  RigidMotion position_, target_, zoom_;
};

Sight sight_at(const RenderSettings& settings, double time) {
  if (!settings.keys.empty()) return CameraPath(settings).at(time);
  return {to_vec(*settings.position), to_vec(*settings.target), half_tangent(settings.fov)};
}

void look_along(Camera& camera, const Vec<double, 3>& forward) {
  const Sides sides = sides_of(forward);
  camera.forward = to_float(forward);
  camera.right = to_float(sides.right);
  camera.up = to_float(sides.up);
}

}  // namespace

Camera scene_camera(const RenderSettings& settings, double time, const Camera& fitted) {
  Camera camera = fitted;
  if (fitted.orthographic()) return camera;
  if (settings.sun) {
    const Vec<double, 3> sun = to_vec(*settings.sun);
    camera.sun = to_float((1 / norm(sun)) * sun);
  }
  if (settings.keys.empty() && !settings.position) return camera;
  const Sight sight = sight_at(settings, time);
  const Vec<double, 3> ahead = sight.target - sight.position;
  const double distance = norm(ahead);
  if (distance < kNearestTarget)
    throw UserError(settings.location, fmt::format("at {:.4g} s the camera stands on its target, and cannot tell where to look", time));
  camera.eye = camera.to_view(sight.position);
  camera.tangent = static_cast<float>(sight.tangent);
  look_along(camera, (1 / distance) * ahead);
  return camera;
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFramesToRead = 9;  // of a film, spread over it: enough to see where the snow goes, and how

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

}  // namespace

void check_picture_size(int width, int height) {
  for (const int size : {width, height})
    if (!schema::kPixels.contains(size))
      throw UserError(fmt::format("a picture of {} pixels; allowed: {} to {}", size, schema::kPixels.low, schema::kPixels.high));
}

Shoot::Shoot(const std::string& dir_or_frame, Warn warn, const FrameRange& range, SetupProgress setup)
    : is_run_(is_folder(dir_or_frame)),
      visit_(is_run_ ? dir_or_frame : fs::path(dir_or_frame).parent_path().string()),
      warn_(std::move(warn)),
      setup_(std::move(setup)),
      every_(range.every) {
  std::error_code error;
  if (!fs::exists(dir_or_frame, error)) throw UserError(dir_or_frame + ": no such file or folder");
  if (is_run_) {
    find_run(dir_or_frame, range);
  } else {
    if (!range.is_all()) throw UserError(dir_or_frame + ": one frame has no range of frames, give the folder of a run");
    find_frame(dir_or_frame);
  }
}

void Shoot::find_run(const std::string& folder, const FrameRange& range) {
  const fs::path scene = fs::path(folder) / "scene.toml";
  std::error_code error;
  if (!fs::exists(scene, error)) throw UserError(fmt::format("{}: no such file; {} is not the folder of a run", scene.string(), folder));
  frames_ = find_frames(folder);
  std::erase_if(frames_, [](const FrameFile& f) { return f.number.subframe != 0; });  // the film keeps its speed
  for (std::size_t i = 0; i < frames_.size(); ++i)
    if (range.contains(frames_[i].number.frame)) shown_.push_back(i);
  if (shown_.empty() && !frames_.empty())
    throw UserError(
        fmt::format("{}: no frame in the range, the run has {} to {}", folder, frames_.front().number.frame, frames_.back().number.frame));
  scenery_.emplace(load_scene(scene.string()), setup_);
  std::vector<long> missing = missing_frames(folder, frames_);
  std::erase_if(missing, [&](long frame) { return !range.contains(frame); });
  if (!missing.empty() && warn_)
    warn_(fmt::format("{}: frame{} {} {} missing, a film jumps there", folder, missing.size() == 1 ? "" : "s", number_list(missing),
                      missing.size() == 1 ? "is" : "are"));
}

void Shoot::find_frame(const std::string& file) {
  std::error_code error;
  const fs::path scene = fs::path(file).parent_path() / "scene.toml";
  if (fs::exists(scene, error)) scenery_.emplace(load_scene(scene.string()), setup_);
  std::optional<FrameNumber> number = frame_number(file);
  // final.ply and the like: bodies stand where the run left them.
  if (!number && scenery_) number = FrameNumber{std::lround(scenery_->scene.simulation.duration * fps()), 0};
  frames_.push_back({file, number.value_or(FrameNumber{})});
  shown_.push_back(0);
}

std::string Shoot::folder() const { return fs::path(frames_.front().path).parent_path().string(); }

std::vector<std::size_t> Shoot::spread_frames() const {
  const std::size_t count = std::min(kFramesToRead, frames_.size());
  std::vector<std::size_t> result;
  for (std::size_t k = 0; k < count; ++k) result.push_back(count > 1 ? k * (frames_.size() - 1) / (count - 1) : 0);
  return result;
}

// Nothing: this frame of a run cannot be read. The others are shown without it.
std::optional<Frame> Shoot::read(std::size_t i) {
  const std::string& path = frames_[i].path;
  try {
    return read_frame(path);
  } catch (const UserError& error) {
    const bool is_new = unreadable_.insert(path).second;
    if (!is_run_ || unreadable_.size() == frames_.size()) throw;
    if (is_new && warn_) warn_(fmt::format("{}; there is no picture of it", error.what()));
    return std::nullopt;
  }
}

Overview Shoot::overview(int width, int height, ColourBy by) {
  Subject subject;
  std::optional<Tint> tint;
  if (by != ColourBy::kNone) tint.emplace(by, scenery());
  if (setup_) setup_("finding a place for the camera");
  for (const std::size_t i : spread_frames()) {
    const std::optional<Frame> frame = read(i);
    if (!frame) continue;
    subject.add(*frame, scenery(), time_of(i));
    if (tint) tint->include(*frame, frames_[i].path);
  }
  const Camera fitted = fit_camera(subject, scenery(), static_cast<double>(width) / height);
  return {fitted, std::move(tint), subject.particles, subject.particle_size};
}

// A film is the run's where it is put beside the pictures, else the user's.
void Shoot::list_film(const ShootPlan& plan, const std::string& folder) {
  std::error_code error;
  const fs::path film = fs::absolute(plan.film, error);
  if (!plan.film.empty() && fs::equivalent(film.parent_path(), folder, error)) visit_.add(plan.folder, {film.filename().string()});
}

void Shoot::list_files(const ShootPlan& plan, std::size_t i) {
  const std::string stem = fs::path(frames_[i].path).stem().string();
  std::vector<std::string> names{stem + ".png"};
  for (const std::string& ending : plan.other_endings) names.push_back(stem + ending);
  visit_.add(plan.folder, names);
}

Pictures Shoot::take(const ShootPlan& plan, const Camera& fitted, const std::function<std::optional<Image>(const Take&)>& make) {
  Pictures result;
  const RenderSettings look = settings();
  std::vector<Camera> cameras;  // all of them first: a mistake is told before anything is written
  for (std::size_t k = 0; k < size(); ++k) cameras.push_back(scene_camera(look, time(k), fitted));
  const fs::path folder_of_pictures = visit_.make_folder(plan.folder);
  list_film(plan, folder_of_pictures.string());
  std::optional<Film> film;
  if (!plan.film.empty()) film.emplace(plan.film, plan.width, plan.height, film_fps());
  for (std::size_t k = 0; k < size(); ++k) {
    const std::optional<Frame> frame = this->frame(k);
    if (!frame) continue;
    list_files(plan, shown_[k]);
    const std::string stem = (folder_of_pictures / fs::path(path(k)).stem()).string();
    const std::optional<Image> image = make({*frame, cameras[k], time(k), k, path(k), stem});
    if (!image) break;
    write_png(stem + ".png", *image);
    if (film) film->add(*image);
    result.paths.push_back(stem + ".png");
    if (plan.progress) plan.progress(static_cast<int>(k + 1), static_cast<int>(size()));
  }
  if (film && !result.paths.empty()) result.warning = film->finish();
  if (film && !result.paths.empty() && result.warning.empty()) result.film = plan.film;
  return result;
}

}  // namespace firn
