// Checkpoints of a run: DIR/checkpoints/step_00000421.state, of which the last two are kept.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/run_files.h"
#include "firn/simulation.h"
#include "io/checkpoint_file.h"

namespace firn {

// How far a run has got with its files, beside the state of its simulation.
struct RunProgress {
  struct WrittenFrame {
    FrameNumber number;
    double time;
  };

  Backend backend = Backend::kCpu;
  std::optional<int> frames;          // that it was asked for
  std::optional<std::int64_t> steps;  // likewise
  std::vector<WrittenFrame> written;  // also sub-frames, in order
  std::int64_t since_frame = 0;       // steps
  std::int64_t rejected = 0;
  std::array<std::int64_t, kStepRules> rules{};  // steps that each of them set
  std::int64_t stats_bytes = 0;                  // of stats.csv
};

// Paths of those on the list of the run, the newest first: what else is there is not the run's.
std::vector<std::string> checkpoints_in(const std::string& directory);

// What the checkpoints of a run say that they are of.
CheckpointHead head_of(const Scene& scene, Backend backend);

class CheckpointKeeper {
 public:
  // Writes through `writer`, after the frames that wait there; all of them outlive this.
  CheckpointKeeper(RunFolder& folder, FrameWriter& writer, const Scene& scene, Backend backend);

  // From now on they are of this scene.
  void change(const Scene& scene, Backend backend) { head_ = head_of(scene, backend); }
  // Finds the checkpoints of a run that goes on from this step. Later ones are removed.
  void know(std::int64_t step);
  // The state as it is now is on its way to the disk when this returns. A checkpoint that cannot be written is no reason to stop: see
  // take_failure().
  void write(const Simulation& simulation, const RunProgress& progress, const FrameStatistics& statistics);
  // Why the last one could not be written, once; empty: it could, or is still being written.
  std::string take_failure();

 private:
  struct Shared {
    std::mutex mutex;
    std::string failure;
    std::vector<std::string> kept;  // names, the oldest first
  };

  RunFolder& folder_;
  FrameWriter& writer_;
  CheckpointHead head_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();  // with the writer's thread
};

// A run as a checkpoint has it.
struct RestoredRun {
  std::unique_ptr<Simulation> simulation;
  RunProgress progress;
  FrameStatistics statistics;
};

// The run of the newest checkpoint in the folder that is not damaged; `warn` is told of damaged ones. Throws UserError when there is none,
// or when it is of another scene, version or variant of the solver.
RestoredRun restore_run(const std::string& directory, const Scene& scene, const ResumeOptions& options);

}  // namespace firn
