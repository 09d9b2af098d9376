#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <future>
#include <mutex>

#include "build/sampled_form.h"
#include "geometry/level_set.h"
#include "scene/scene_files.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

// Deforming bodies may move far in a frame: distances and velocities are known so many cells out, and farther where points move more than
// that. Half-way through a frame (M20) looks for the body half of its way from where it is in the files.
constexpr double kSequenceBandCells = 4;

// Frames k and k + 1, each with the velocity of the move from one to the other.
struct Interval {
  std::size_t index = 0;
  std::shared_ptr<const SurfaceFrame> last;  // for the next interval
  std::shared_ptr<const LevelSet> from, to;
  double top_speed = 0;
};

// Where a time falls among the frames: between `index` and the next one.
struct Moment {
  std::size_t index;
  double gamma;
  bool rests;  // before the first frame or after the last one
};

Moment moment_of(const Shape& shape, std::size_t files, double span, double t) {
  const double last = static_cast<double>(files - 1);
  const double frames = std::clamp((t - shape.start) / span, 0.0, last);
  const std::size_t index = std::min(static_cast<std::size_t>(frames), files - 2);
  return {index, frames - static_cast<double>(index), t < shape.start || frames >= last};
}

double span_of(const Shape& shape, double fps) { return 1 / (shape.fps > 0 ? shape.fps : fps); }

bool is_mesh(const std::string& file) { return fs::path(file).extension() != ".vdb"; }

class Sequence : public Deformation {
 public:
  Sequence(Shape shape, std::vector<std::string> files, double h, double span)
      : shape_(std::move(shape)), files_(std::move(files)), h_(h), span_(span) {}

  DeformedShape at(double t) const override {
    const Moment moment = moment_of(shape_, files_.size(), span_, t);
    const std::lock_guard lock(mutex_);
    const Interval& interval = find(moment.index);
    return moment.rests ? at_rest(moment.gamma < 0.5 ? interval.from : interval.to)
                        : DeformedShape{interval.from, interval.to, moment.gamma, span_, interval.top_speed};
  }

  const Volume& first_volume() const {
    const std::lock_guard lock(mutex_);
    return find(0).from->volume;
  }

  // The first frame says what is wrong with all of them; later ones repeat it.
  std::vector<std::string> first_warnings() const {
    std::vector<std::string> warnings;
    read_surface(files_.front(), shape_, warnings);
    return warnings;
  }

 private:
  // Only one end of an interval, without velocity.
  DeformedShape at_rest(const std::shared_ptr<const LevelSet>& end) const {
    if (resting_for_ != end) {
      Volume still = end->volume;
      still.velocity.clear();
      resting_ = std::make_shared<const LevelSet>(std::move(still));
      resting_for_ = end;
    }
    return {resting_, resting_, 0, span_, 0};
  }

  // A step that crosses from one interval to the next asks for both in turn, so the one before stays.
  const Interval& find(std::size_t index) const {
    if (now_.from && now_.index == index) return now_;
    if (before_.from && before_.index == index) return before_;
    Interval found = take(index);
    before_ = std::move(now_);
    now_ = std::move(found);
    if (index + 2 < files_.size()) {
      ahead_index_ = index + 1;
      ahead_ = std::async(std::launch::async, [this, next = index + 1, last = now_.last] { return load(next, last); });
    }
    return now_;
  }

  Interval take(std::size_t index) const {
    try {
      if (ahead_.valid() && ahead_index_ == index) return ahead_.get();
      if (ahead_.valid()) ahead_.wait();
      return load(index, nullptr);
    } catch (const UserError& e) {
      if (!now_.from) throw;  // while the scene is built
      throw RunError(e.what());
    }
  }

  Interval load(std::size_t index, std::shared_ptr<const SurfaceFrame> first) const {
    const double least = kSequenceBandCells * h_;
    if (!first) first = read_frame(index, least);
    Interval interval;
    interval.index = index;
    interval.last = read_frame(index + 1, least);
    // By this interval alone: what was read before it must not matter.
    const double way = longest_way(first->mesh, interval.last->mesh), band = way > least ? least + way : least;
    if (first->band != band) first = read_frame(index, band);
    if (interval.last->band != band) interval.last = read_frame(index + 1, band);
    const auto with_velocity = [&](const SurfaceFrame& frame) {
      Volume volume = frame.volume;
      volume.velocity = surface_velocities(*first, *interval.last, frame, span_);
      interval.top_speed = std::max(interval.top_speed, top_speed(volume.velocity));
      return std::make_shared<const LevelSet>(std::move(volume));
    };
    interval.from = with_velocity(*first);
    interval.to = with_velocity(*interval.last);
    return interval;
  }

  std::shared_ptr<const SurfaceFrame> read_frame(std::size_t index, double band) const {
    std::vector<std::string> repeated;
    FileSurface surface = read_surface(files_[index], shape_, repeated);
    LevelSetOptions options = sampling_of(surface, shape_, h_);
    options.band = band;
    SurfaceFrame frame;
    frame.band = band;
    frame.volume = mesh_to_volume(surface.mesh, options, &frame.nearest);
    if (is_mesh(files_[index])) frame.mesh = std::move(surface.mesh);
    return std::make_shared<const SurfaceFrame>(std::move(frame));
  }

  const Shape shape_;
  const std::vector<std::string> files_;
  const double h_, span_;  // m, s

  mutable std::mutex mutex_;
  mutable Interval now_, before_;
  mutable std::shared_ptr<const LevelSet> resting_, resting_for_;
  mutable std::size_t ahead_index_ = 0;
  mutable std::future<Interval> ahead_;  // last: its destructor waits for work that uses the rest
};

}  // namespace

SequenceForm make_sequence(const Shape& shape, double h, double fps, std::vector<std::string>& warnings) {
  auto sequence = std::make_shared<const Sequence>(shape, find_sequence(shape.file), h, span_of(shape, fps));
  for (const std::string& warning : sequence->first_warnings()) warnings.push_back(warning);
  const Volume& first = sequence->first_volume();
  return {sequence, first.lower, first.upper()};
}

std::optional<Mesh> sequence_mesh(const Shape& shape, double fps, double t) {
  const std::vector<std::string> files = find_sequence(shape.file);
  const Moment moment = moment_of(shape, files.size(), span_of(shape, fps), t);
  const std::string &before = files[moment.index], &after = files[moment.index + 1];
  if (!is_mesh(before) || !is_mesh(after)) return std::nullopt;
  std::vector<std::string> repeated;
  Mesh mesh = read_surface(before, shape, repeated).mesh;
  const Mesh next = read_surface(after, shape, repeated).mesh;
  if (!has_same_topology(mesh, next)) return std::nullopt;
  for (std::size_t i = 0; i < mesh.points.size(); ++i) mesh.points[i] += moment.gamma * (next.points[i] - mesh.points[i]);
  return mesh;
}

}  // namespace firn
