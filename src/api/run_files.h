// What a run writes beside checkpoints: stats.csv, bodies, and frames on a thread of their own.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/bytes.h"
#include "firn/scene.h"
#include "firn/simulation.h"
#include "io/formats.h"
#include "io/run_folder.h"

namespace firn {

// stats.csv: one line per frame.

// What happened between two frames.
class FrameStatistics {
 public:
  explicit FrameStatistics(const Scene& scene);

  void add(const StepInfo& info);
  void add_output(double seconds) { output_seconds_ += seconds; }

  std::string header() const;
  // s: of the simulation as it is.
  std::string line(long frame, const Simulation& simulation, const Statistics& s);
  // Starts anew for the next frame.
  void clear();

  // What it has counted, but for the seconds: a run that was interrupted goes on with it.
  template <class A, class S>
  static void describe_counts(A& a, S& s) {
    archive(a, s.steps_, s.iterations_, s.rejected_, s.limited_, s.asleep_, s.alone_, s.time_, s.dt_min_, s.dt_max_, s.residual_, s.rules_,
            s.relaxed_, s.capped_, s.gravity_work_, s.body_work_, s.plastic_work_, s.energy_);
    for (auto& column : s.columns_) archive(a, column.load.impulse, column.load.turning, column.load.work);
  }

 private:
  // What one collider felt.
  struct Column {
    std::string name;
    std::size_t collider;
    BodyLoad load;
  };

  std::vector<Column> columns_;
  std::int64_t steps_ = 0, iterations_ = 0, rejected_ = 0, limited_ = 0, asleep_ = 0, alone_ = 0, relaxed_ = 0, capped_ = 0;
  double gravity_work_ = 0, body_work_ = 0, plastic_work_ = 0;  // J; the first two on the snow, the third lost by it
  std::optional<double> energy_;                                // J, kinetic and elastic, in the line before
  double time_ = 0, dt_min_ = 0, dt_max_ = 0, residual_ = 0, output_seconds_ = 0;
  std::array<std::int64_t, kStepRules> rules_{};  // steps that each of them set
  std::array<double, kPhases> seconds_{};
};

// The rule that set most of them.
StepRule most_often(const std::array<std::int64_t, kStepRules>& steps);

// The triangles of a scene's bodies in a file, for other programs that show them.

// Whether a 3D scene has bodies that are more than a formula: meshes, height fields, text and compounds that are visible.
bool has_body_triangles(const Scene& scene);

// Writes those bodies, each as an object "collider_NUMBER" in its own frame, without its motion; returns how many triangles. Throws
// UserError at a collider's place, RunError when the file cannot be written.
std::size_t write_body_triangles(const Scene& scene, const std::string& path);

// Throws UserError at the key that has to change when the scene's frames cannot be written in the formats of its output.
void check_formats(const Scene& scene);

class FrameWriter {
 public:
  // In all formats of scene.output, into `folder`, which outlives this; frames are of doubles or of floats.
  FrameWriter(const RunFolder& folder, const Scene& scene, bool double_precision);
  // Frames that are waiting are still written.
  ~FrameWriter();
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  // Waits until the frames in memory and one of `particles` more are not too much. Throws RunError when an earlier frame could not be
  // written.
  void make_room(std::size_t particles);
  // `grid`: its nodes, where the scene's output has some of them.
  void add(const FrameNumber& number, double time, Snapshot frame, GridFields grid = {});
  // Other work for the thread, in turn, with what it holds in memory. Waits until that is not too much. Throws like make_room().
  void add(std::size_t bytes, std::function<void()> work);
  // Frames that are there already, of a run that goes on.
  void know(const FrameNumber& number, double time);
  // The files that tie frames together, with those that are known.
  void renew_indexes();
  // Waits until all frames are on the disk. Throws like make_room().
  void finish();
  // Whether a frame could not be written: no other is tried after it.
  bool has_failed() const;

 private:
  struct Job {
    double bytes;
    std::function<void()> work;
    bool is_frame;
  };

  void work();
  void write(const FrameNumber& number, double time, const FrameView& frame, const GridFields& grid);
  void note_written(const FrameNumber& number, double time);
  void wait_for_room(double bytes);
  void list_files(const FrameNumber& number) const;
  // The files that tie the frames together are as long as the run: they are written when no other frame waits.
  bool is_last() const;
  void write_indexes() const;
  double bytes(std::size_t particles) const;
  void rethrow() const;

  const RunFolder& folder_;
  std::size_t particle_bytes_;
  std::vector<const Format*> formats_;
  FormatOptions options_;
  FrameNotes notes_;
  std::map<const Format*, std::vector<IndexEntry>> written_;
  std::vector<GridField> grid_fields_;
  std::vector<IndexEntry> written_grids_;

  bool indexes_are_old_ = false;  // a frame was written since they were

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;  // the first is being written
  std::exception_ptr failure_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace firn
