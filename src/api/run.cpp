#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "api/checkpoint.h"
#include "api/run_files.h"
#include "core/clock.h"
#include "core/files.h"
#include "firn/simulation.h"
#include "io/particle_files.h"
#include "io/run_folder.h"

namespace firn {
namespace {

class Run {
 public:
  Run(const Scene& scene, const RunOptions& options, RunFolder& folder)
      : Run(scene, options, folder,
            {std::make_unique<Simulation>(scene, options.backend, options.threads, options.setup),
             {options.backend, options.frames, options.steps, {}, 0, 0, {}, 0},
             FrameStatistics(scene)}) {}

  // One that goes on.
  Run(const Scene& scene, const RunOptions& options, RunFolder& folder, RestoredRun restored)
      : scene_(scene),
        options_(options),
        folder_(folder),
        frames_(options.frames.value_or(scene.frames())),
        simulation_(std::move(*restored.simulation)),
        writer_(folder, scene, simulation_.double_frames()),
        progress_(std::move(restored.progress)),
        statistics_(std::move(restored.statistics)),
        checkpoints_(folder, writer_, scene, options.backend) {
    progress_.frames = options.frames;
    progress_.steps = options.steps;
    for (const std::string& warning : simulation_.warnings()) warn(warning);
    if (const auto density = simulation_.critical_density(); density && options.note)
      options.note(fmt::format("critical density {:.4g} kg/m³: where there is more, snow is packed", *density));
  }

  RunSummary go() {
    // From here on whoever asked for an end gets a tidy one.
    attend(nullptr);
    summary_.interrupted = options_.interrupted && options_.interrupted();
    if (summary_.interrupted) return summary_;
    const bool goes_on = !progress_.written.empty();
    goes_on ? reopen_files() : begin_files();
    try {
      if (!goes_on) write_frame({});
      if (options_.steps) {
        go_by_steps(*options_.steps);
      } else {
        go_by_frames();
      }
    } catch (const RunError&) {
      try {
        if (!writer_.has_failed()) finish("failed");  // with the state before the step that failed
      } catch (const RunError&) {                     // what went wrong first says why
      }
      throw;
    }
    if (scene_.output.checkpoints()) checkpoint();
    finish(summary_.interrupted ? "interrupted" : "finished");
    return summary_;
  }

 private:
  void begin_files() {
    folder_.begin(scene_.name);
    for (const std::string& warning : folder_.warnings()) warn(warning);
    folder_.add_text(kRunSceneName, scene_text());
    write_scene();
    const std::vector<std::string>& formats = scene_.output.formats;
    // Volumes are for programs that show bodies, too, but do not know how firn makes them.
    if (std::find(formats.begin(), formats.end(), "vdb") != formats.end() && has_body_triangles(scene_)) {
      folder_.add({kRunBodiesName});
      write_body_triangles(scene_, folder_.file(kRunBodiesName));
    }
    folder_.add({kRunStatsName});
    stats_.open(folder_.file(kRunStatsName));
    stats_.add(statistics_.header());
  }

  std::string scene_text() const { return fmt::format("# {}, with every key\n{}", scene_.name, to_toml(scene_)); }

  void write_scene() const {
    AtomicFile file(folder_.file(kRunSceneName));
    file.write(scene_text());
    file.commit();
  }

  // Whoever accompanies the run may change it.
  void attend(const StepInfo* step) {
    if (!options_.companion) return;
    const bool may_change = simulation_.time() < target_ * (1 - 1e-9) || simulation_.time() == target_;
    const int last = progress_.written.empty() ? -1 : static_cast<int>(frame().frame);
    std::optional<Scene> next = options_.companion({simulation_, step, last, may_change});
    if (!next) return;
    scene_ = std::move(*next);
    is_changed_ = true;
    if (!options_.frames) frames_ = scene_.frames();
    checkpoints_.change(scene_, options_.backend);
    if (last < 0) return;
    folder_.renew_text(kRunSceneName, scene_text());
    write_scene();
  }

  // Away with what was written after the checkpoint, and on.
  void reopen_files() {
    const FrameNumber last = progress_.written.back().number;
    stats_.reopen(folder_.file(kRunStatsName), static_cast<long>(progress_.stats_bytes));
    folder_.go_on([&](const std::string& name) {
      if (std::filesystem::path(name).has_parent_path()) return false;
      const std::optional<FrameNumber> frame = frame_number(name), nodes = nodes_number(name);
      return name == kRunFinalName || (frame && *frame > last) || (nodes && *nodes > last);
    });
    for (const std::string& warning : folder_.warnings()) warn(warning);
    stats_.truncate();
    checkpoints_.know(simulation_.steps());
    for (const RunProgress::WrittenFrame& frame : progress_.written) writer_.know(frame.number, frame.time);
    writer_.renew_indexes();
  }

  // All frames, and what is left of the duration after the last whole one.
  void go_by_frames() {
    const auto go_to = [&](double time) {
      target_ = time;
      do {
        is_changed_ = false;
        simulation_.advance_to(time, [&](const StepInfo& info) { return took(info); });
      } while (is_changed_ && !summary_.interrupted);
      return !summary_.interrupted;
    };
    do {
      while (frame().frame < frames_) {
        const FrameNumber next = numbered(count_of(frame()) + 1);
        if (!go_to(time_of(next))) return;
        write_frame(next);
        attend(nullptr);
      }
      if (!options_.frames && !go_to(scene_.simulation.duration)) return;
    } while (frame().frame < frames_);  // it may have become longer
  }

  // Exactly `count` steps; a frame is written at the first step that reaches its time.
  void go_by_steps(std::int64_t count) {
    while (simulation_.steps() < count && !summary_.interrupted) {
      const double next_frame = time_of(numbered(count_of(frame()) + 1));
      took(simulation_.step(scene_.solver.time_step.value_or(next_frame - simulation_.time())));
      const long reached = frames_until(simulation_.time());
      if (reached > count_of(frame())) write_frame(numbered(reached));
    }
  }

  // Frames and sub-frames, counted together.
  long frames_until(double time) const {
    constexpr double kRounding = 1e-9;
    return static_cast<long>(time * scene_.simulation.fps * scene_.output.subframes * (1 + kRounding));
  }
  FrameNumber frame() const { return progress_.written.empty() ? FrameNumber{} : progress_.written.back().number; }  // the last one
  long count_of(const FrameNumber& number) const { return number.frame * scene_.output.subframes + number.subframe; }
  FrameNumber numbered(long count) const { return {count / scene_.output.subframes, static_cast<int>(count % scene_.output.subframes)}; }
  double time_of(const FrameNumber& number) const { return number.time(scene_.simulation.fps, scene_.output.subframes); }

  // The last state, and a line for the steps since the last frame, counted towards the next.
  void finish(const char* how) {
    writer_.finish();
    summary_.resumable = scene_.output.checkpoints() && !warn_of_checkpoint();
    write_final_state();
    if (progress_.since_frame > 0) add_line(frame().frame + 1);
    summary_.frames = static_cast<int>(frame().frame);
    summary_.rejected = progress_.rejected;
    summary_.steps = simulation_.steps();
    summary_.time = simulation_.time();
    summary_.seconds = seconds_since(begin_);
    summary_.rule = most_often(progress_.rules);
    const auto taken = std::accumulate(progress_.rules.begin(), progress_.rules.end(), std::int64_t(0));
    if (taken > 0) summary_.rule_share = static_cast<double>(progress_.rules[static_cast<int>(summary_.rule)]) / static_cast<double>(taken);
    folder_.end(how);
    if (options_.keep) options_.keep(std::move(simulation_));
  }

  bool took(const StepInfo& info) {
    if (writer_.has_failed()) writer_.finish();  // throws: why go on
    statistics_.add(info);
    ++progress_.rules[static_cast<int>(info.rule)];
    progress_.rejected += info.rejected;
    ++progress_.since_frame;
    if (info.rejected > 0)
      warn(fmt::format("step {}: cut to {:.3g} s after {} tries: {}", simulation_.steps(), info.dt, info.rejected, info.rejection));
    report(info.dt, false);
    attend(&info);
    summary_.interrupted = options_.interrupted && options_.interrupted();
    warn_of_checkpoint();
    const double minutes = scene_.output.checkpoint_minutes;
    if (minutes > 0 && !summary_.interrupted && seconds_since(last_checkpoint_) >= 60 * minutes) is_checkpoint_due_ = true;
    // Where a step ends a frame, the frame comes first.
    if (is_checkpoint_due_ && simulation_.time() < time_of(numbered(count_of(frame()) + 1)) * (1 - 1e-9)) checkpoint();
    return !summary_.interrupted && !is_changed_;
  }

  void checkpoint() {
    is_checkpoint_due_ = false;
    try {
      stats_.sync();
    } catch (const RunError& error) {
      return warn(fmt::format("no checkpoint: {}", error.what()));
    }
    progress_.stats_bytes = stats_.size();
    checkpoints_.write(simulation_, progress_, statistics_);
    last_checkpoint_ = Clock::now();
  }

  // Whether the last one could not be written.
  bool warn_of_checkpoint() {
    const std::string failure = checkpoints_.take_failure();
    if (!failure.empty()) warn(fmt::format("no checkpoint: {}", failure));
    return !failure.empty();
  }

  void add_line(long frame) {
    const Statistics s = simulation_.statistics();
    stats_.add(statistics_.line(frame, simulation_, s));
    if (frame > 0) warn_of_places(s);  // of the first, setting up has warned
  }

  // Snow where none can be: each kind once.
  void warn_of_places(const Statistics& s) {
    if (s.inside > 0 && !std::exchange(has_warned_inside_, true))
      warn(fmt::format(
          "t = {:.4g} s: {} particles are more than a cell inside colliders: pressed between bodies that leave no room, or hit by "
          "one that moves in jumps; where they come out is chance",
          simulation_.time(), s.inside));
    if (s.squeezed > 0 && !std::exchange(has_warned_squeezed_, true))
      warn(fmt::format(
          "t = {:.4g} s: {} particles are squeezed to more than twice the density of ice: bodies that move press them harder than "
          "snow can bear",
          simulation_.time(), s.squeezed));
  }

  // The frame is on its way to the disk when this returns; whole ones have a line of statistics.
  void write_frame(const FrameNumber& number) {
    const auto begin = Clock::now();
    writer_.make_room(simulation_.particles());
    writer_.add(number, simulation_.time(), snapshot(), scene_.output.grid.empty() ? GridFields{} : simulation_.grid());
    progress_.written.push_back({number, simulation_.time()});
    statistics_.add_output(seconds_since(begin));
    if (number.subframe == 0) {
      add_line(number.frame);
      statistics_.clear();
      progress_.since_frame = 0;
      report(0, true);
      const int every = scene_.output.checkpoint_frames;
      is_checkpoint_due_ |= every > 0 && number.frame > 0 && number.frame % every == 0;
    }
    if (is_checkpoint_due_) checkpoint();
  }

  Snapshot snapshot() const {
    Snapshot all(simulation_.particles(), simulation_.double_frames());
    for_each_piece(false, [&](const Frame& piece) { all.append(piece); });
    return all;
  }

  void write_final_state() {
    folder_.add({kRunFinalName});
    PlyWriter writer(folder_.file(kRunFinalName), simulation_.particles());
    for_each_piece(true, [&](const Frame& piece) { writer.append(piece); });
    writer.commit();
  }

  // The particles, some at a time: a whole frame in double precision would be half the size of the state.
  template <class F>
  void for_each_piece(bool complete, F f) const {
    constexpr std::size_t kPiece = 32768;
    for (std::size_t at = 0; at < simulation_.ids(); at += kPiece)
      f(simulation_.frame(complete, at, std::min(simulation_.ids(), at + kPiece)));
  }

  // The part of the run that is done.
  double fraction() const {
    if (options_.steps) return static_cast<double>(simulation_.steps()) / static_cast<double>(std::max<std::int64_t>(*options_.steps, 1));
    return simulation_.time() / (options_.frames ? frames_ / scene_.simulation.fps : scene_.simulation.duration);
  }

  void report(double dt, bool frame_done) {
    if (!options_.progress) return;
    Progress p;
    p.frame = static_cast<int>(frame().frame);
    p.frames = frames_;
    p.step = simulation_.steps();
    p.steps = options_.steps.value_or(0);
    p.time = simulation_.time();
    p.dt = dt;
    p.particles = simulation_.particles();
    p.fraction = fraction();
    const double taken = p.fraction - first_fraction_;
    if (taken > 0) p.seconds_left = std::max(0.0, seconds_since(begin_) * (1 - p.fraction) / taken);
    p.frame_done = frame_done;
    options_.progress(p);
  }

  void warn(const std::string& text) const {
    if (options_.warn) options_.warn(text);
  }

  Scene scene_;
  const RunOptions& options_;
  RunFolder& folder_;
  int frames_;
  Simulation simulation_;
  FrameWriter writer_;
  RunProgress progress_;
  FrameStatistics statistics_;
  CheckpointKeeper checkpoints_;
  double target_ = std::numeric_limits<double>::infinity();  // s: where the steps now taken lead
  bool is_changed_ = false;                                  // the scene is another since then
  bool is_checkpoint_due_ = false, has_warned_inside_ = false, has_warned_squeezed_ = false;
  LineFile stats_;
  RunSummary summary_;
  double first_fraction_ = fraction();  // of a run that goes on: was done before
  Clock::time_point begin_ = Clock::now(), last_checkpoint_ = begin_;
};

}  // namespace

std::string default_directory(const std::string& path_or_name, const Scene& scene) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path file(path_or_name);
  fs::path folder = file.parent_path();
  if (file.filename() != kRunSceneName || !fs::exists(file, error) || !is_run_folder(folder.string())) return "out/" + scene.name;
  if (folder.empty() || folder.filename() == "." || folder.filename() == "..") folder = fs::canonical(folder.empty() ? "." : folder, error);
  for (int number = 2;; ++number) {
    const std::string name = fmt::format("{}_{}", folder.string(), number);
    if (!fs::exists(fs::symlink_status(name, error))) return name;
  }
}

RunSummary run(const Scene& scene, const RunOptions& options) {
  RunFolder folder(options.directory, options.overwrite);
  check_formats(scene);
  return Run(scene, options, folder).go();
}

RunSummary resume(const std::string& directory, const ResumeOptions& options) {
  RunFolder folder = RunFolder::of_run(directory);
  Scene scene = load_scene((std::filesystem::path(directory) / kRunSceneName).string());
  scene.name = read_run_record(directory).scene;
  RestoredRun restored = restore_run(directory, scene, options);
  if (const long done = restored.progress.written.back().number.frame; options.frames && *options.frames < done)
    throw UserError(fmt::format("--frames {}: the run has {} frames already", *options.frames, done));
  RunOptions of_run;
  of_run.directory = directory;
  of_run.frames = options.frames ? options.frames : restored.progress.frames;
  if (!options.frames) of_run.steps = restored.progress.steps;
  of_run.backend = restored.progress.backend;
  of_run.threads = options.threads;
  of_run.progress = options.progress;
  of_run.warn = options.warn;
  of_run.interrupted = options.interrupted;
  of_run.companion = options.companion;
  of_run.keep = options.keep;
  return Run(scene, of_run, folder, std::move(restored)).go();
}

}  // namespace firn
