// A run that pages see and steer: firn::run on a thread of its own, with a companion that waits, looks and changes between steps. What it
// computes and writes is what `firn run` does with the same scene.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "firn/simulation.h"

namespace firn::studio {

enum class RunState { kSettingUp, kPaused, kRunning, kEnded, kFailed };
const char* name_of(RunState state);

struct StepRecord {
  double time, dt;  // s
  int iterations;
};

// What is known of a run at a moment; plain data.
struct RunStatus {
  RunState state = RunState::kPaused;
  std::string doing, message;  // what setting up is at; why it failed
  int frame = -1, last = 0;    // the last frame that was written, and of the whole run; -1: none
  double time = 0, duration = 0, fps = 24, dt = 0, seconds_left = -1, speed = 0;
  std::int64_t steps = 0, asleep = 0;
  int iterations = 0;
  StepRule rule = StepRule::kFrameEnd;
  std::size_t particles = 0, bytes = 0;
  std::uint64_t version = 0;  // another for every state of the snow
  std::vector<std::string> materials;
  int dimension = 3;
  Vector lower{0, 0, 0}, upper{0, 0, 0};  // around the snow, at the last frame
  bool has_simulation = false;
  double seconds_shown = 0;  // that it waited while pages looked
};

struct EditOutcome {
  std::string effect;            // "now", "restart" or "none"
  std::string reason;            // of a restart
  std::optional<Scene> running;  // what the solver has from now on, where that is new
};

class LiveRun {
 public:
  struct Hooks {
    std::function<void()> changed;                 // something of status() is new; from the run's thread, at most some times a second
    std::function<void(const std::string&)> warn;  // likewise
  };
  // `folder` is where its files go.
  LiveRun(std::string folder, int threads, Hooks hooks);
  // Stops the run with a checkpoint.
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  // Back to t = 0 with this scene; whether it goes on from there: nullopt is as it was. `overwrite`: the folder has a run already, whose
  // files go.
  void start(const Scene& scene, std::optional<bool> goes, bool overwrite);
  // Goes on from the folder's checkpoint; `scene` is that of the folder.
  void resume(const Scene& scene);
  void go(std::optional<int> until_frame);
  void pause();
  void step();
  void one_frame();
  // The answer comes on the run's thread, or at once.
  void edit(const Scene& scene, std::function<void(const EditOutcome&)> answer);
  // Called between steps, on the run's thread, once: with the simulation, or null where there is none.
  void ask(std::function<void(Simulation*)> question);
  // Likewise, as soon as the state is another than `version` and the time has come; `is_wanted` false: not at all.
  struct Look {
    std::uint64_t version;
    std::chrono::steady_clock::time_point not_before;
    std::function<bool()> is_wanted;
    std::function<void(Simulation&, const RunStatus&)> take;
  };
  void look(Look look);
  // Asks it to stop, without waiting.
  void end();

  RunStatus status() const;
  std::vector<StepRecord> recent_steps() const;
  const std::string& folder() const { return folder_; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Mode { kPaused, kRunning, kStep, kUntilFrame };
  struct Order {
    Scene scene;
    bool overwrite, resumes;
  };
  struct Edit {
    Scene scene;
    std::function<void(const EditOutcome&)> answer;
  };
  struct Abandoned {};

  void work();
  void carry_out(const Order& order);
  void set_up(const Scene& scene);
  std::optional<Scene> attend(const RunMoment& moment);
  void note(const RunMoment& moment);
  void note_progress(const Progress& progress);
  void note_extent(const Simulation& simulation);
  bool is_to_go_on(const RunMoment& moment);
  std::optional<Scene> apply(Simulation& simulation, const Edit& edit);
  bool serve(std::unique_lock<std::mutex>& lock, Simulation* simulation);
  Clock::time_point next_look() const;
  void set_state(RunState state, const std::string& message = "");
  void tell(bool at_once);
  void request(Mode mode, int until);
  template <class Options>
  void fill(Options& options);

  const std::string folder_;
  const int threads_;
  const Hooks hooks_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Order> order_;
  Mode mode_ = Mode::kPaused;
  int until_ = 0;  // frame
  bool ends_ = false, abandons_ = false;
  std::optional<Edit> edit_;
  std::deque<std::function<void(Simulation*)>> questions_;
  std::vector<Look> looks_;
  RunStatus status_;
  std::deque<StepRecord> steps_;

  // Of the run's thread alone.
  Scene scene_;
  std::optional<Simulation> kept_;  // after the end
  Clock::time_point last_told_{}, last_served_{}, speed_since_{};
  double speed_time_ = 0;

  std::thread thread_;
};

}  // namespace firn::studio
