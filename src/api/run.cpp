#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "api/body_file.h"
#include "api/frame_writer.h"
#include "api/stats.h"
#include "firn/simulation.h"
#include "io/file.h"
#include "io/line_file.h"
#include "io/ply_writer.h"
#include "io/run_folder.h"

namespace firn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class Run {
 public:
  Run(const Scene& scene, const RunOptions& options, RunFolder& folder)
      : scene_(scene),
        options_(options),
        folder_(folder),
        frames_(options.frames.value_or(scene.frames())),
        simulation_(scene, options.backend, options.threads, options.setup),
        writer_(folder, scene, simulation_.double_frames()),
        statistics_(scene) {
    for (const std::string& warning : simulation_.warnings()) warn(warning);
  }

  RunSummary go() {
    // From here on whoever asked for an end gets a tidy one.
    summary_.interrupted = options_.interrupted && options_.interrupted();
    if (summary_.interrupted) return summary_;
    begin_files();
    try {
      write_frame();
      if (options_.steps) {
        go_by_steps(*options_.steps);
      } else {
        go_by_frames();
      }
    } catch (const RunError&) {
      if (!writer_.has_failed()) finish("failed");  // with the state before the step that failed
      throw;
    }
    finish(summary_.interrupted ? "interrupted" : "finished");
    return summary_;
  }

 private:
  void begin_files() {
    folder_.begin(scene_.name);
    for (const std::string& warning : folder_.warnings()) warn(warning);
    const std::string text = to_toml(scene_);
    folder_.add_text(kRunSceneName, text);
    AtomicFile scene_file(folder_.file(kRunSceneName));
    scene_file.write(text);
    scene_file.commit();
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

  // All frames, and what is left of the duration after the last whole one.
  void go_by_frames() {
    const auto go_to = [&](double time) {
      simulation_.advance_to(time, [&](const StepInfo& info) { return took(info); });
      return !summary_.interrupted;
    };
    while (frame_.frame < frames_) {
      const FrameNumber next = numbered(written_ + 1);
      if (!go_to(time_of(next))) return;
      frame_ = next;
      ++written_;
      write_frame();
    }
    if (!options_.frames) go_to(scene_.simulation.duration);
  }

  // Exactly `count` steps; a frame is written at the first step that reaches its time.
  void go_by_steps(std::int64_t count) {
    for (std::int64_t k = 0; k < count && !summary_.interrupted; ++k) {
      const double next_frame = time_of(numbered(written_ + 1));
      took(simulation_.step(scene_.solver.time_step.value_or(next_frame - simulation_.time())));
      const long reached = frames_until(simulation_.time());
      if (reached > written_) {
        written_ = reached;
        frame_ = numbered(reached);
        write_frame();
      }
    }
  }

  // Frames and sub-frames, counted together.
  long frames_until(double time) const {
    constexpr double kRounding = 1e-9;
    return static_cast<long>(time * scene_.simulation.fps * scene_.output.subframes * (1 + kRounding));
  }
  FrameNumber numbered(long count) const { return {count / scene_.output.subframes, static_cast<int>(count % scene_.output.subframes)}; }
  double time_of(const FrameNumber& number) const { return number.time(scene_.simulation.fps, scene_.output.subframes); }

  // The last state, and a line for the steps since the last frame, counted towards the next.
  void finish(const char* how) {
    writer_.finish();
    write_final_state();
    if (since_frame_ > 0) stats_.add(statistics_.line(frame_.frame + 1, simulation_));
    summary_.frames = static_cast<int>(frame_.frame);
    summary_.steps = simulation_.steps();
    summary_.time = simulation_.time();
    summary_.seconds = seconds_since(begin_);
    summary_.rule = most_often(rules_);
    const auto taken = std::accumulate(rules_.begin(), rules_.end(), std::int64_t(0));
    if (taken > 0) summary_.rule_share = static_cast<double>(rules_[static_cast<int>(summary_.rule)]) / static_cast<double>(taken);
    folder_.end(how);
  }

  bool took(const StepInfo& info) {
    if (writer_.has_failed()) writer_.finish();  // throws: why go on
    statistics_.add(info);
    ++rules_[static_cast<int>(info.rule)];
    summary_.rejected += info.rejected;
    ++since_frame_;
    if (info.rejected > 0)
      warn(fmt::format("step {}: cut to {:.3g} s after {} tries: {}", simulation_.steps(), info.dt, info.rejected, info.rejection));
    summary_.interrupted = options_.interrupted && options_.interrupted();
    report(info.dt, false);
    return !summary_.interrupted;
  }

  // The frame is on its way to the disk when this returns; whole ones have a line of statistics.
  void write_frame() {
    const auto begin = Clock::now();
    writer_.make_room(simulation_.particles());
    writer_.add(frame_, simulation_.time(), snapshot());
    statistics_.add_output(seconds_since(begin));
    if (frame_.subframe != 0) return;
    stats_.add(statistics_.line(frame_.frame, simulation_));
    statistics_.clear();
    since_frame_ = 0;
    report(0, true);
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

  void report(double dt, bool frame_done) {
    if (!options_.progress) return;
    Progress p;
    p.frame = static_cast<int>(frame_.frame);
    p.frames = frames_;
    p.step = simulation_.steps();
    p.steps = options_.steps.value_or(0);
    p.time = simulation_.time();
    p.dt = dt;
    p.particles = simulation_.particles();
    p.fraction = options_.steps ? static_cast<double>(p.step) / static_cast<double>(std::max<std::int64_t>(p.steps, 1))
                                : p.time / (options_.frames ? frames_ / scene_.simulation.fps : scene_.simulation.duration);
    if (p.fraction > 0) p.seconds_left = std::max(0.0, seconds_since(begin_) * (1 - p.fraction) / p.fraction);
    p.frame_done = frame_done;
    options_.progress(p);
  }

  void warn(const std::string& text) const {
    if (options_.warn) options_.warn(text);
  }

  const Scene& scene_;
  const RunOptions& options_;
  RunFolder& folder_;
  int frames_;
  FrameNumber frame_;  // the last one
  long written_ = 0;   // frames and sub-frames, without the first
  std::int64_t since_frame_ = 0;
  Simulation simulation_;
  FrameWriter writer_;
  FrameStatistics statistics_;
  std::array<std::int64_t, kStepRules> rules_{};  // steps that each of them set
  LineFile stats_;
  RunSummary summary_;
  Clock::time_point begin_ = Clock::now();
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

}  // namespace firn
