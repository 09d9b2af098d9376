#include "live_run.h"

#include <algorithm>
#include <utility>

#include "document.h"
#include "firn/error.h"
#include "frames.h"

namespace firn::studio {
namespace {

constexpr std::size_t kKeptSteps = 2000;
constexpr std::chrono::milliseconds kBetweenNews{250};

}  // namespace

const char* name_of(RunState state) {
  constexpr const char* kNames[] = {"setting up", "paused", "running", "ended", "failed"};
  return kNames[static_cast<int>(state)];
}

LiveRun::LiveRun(std::string folder, int threads, Hooks hooks)
    : folder_(std::move(folder)), threads_(threads), hooks_(std::move(hooks)), thread_([this] { work(); }) {}

LiveRun::~LiveRun() {
  end();
  thread_.join();
}

void LiveRun::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
}

void LiveRun::start(const Scene& scene, std::optional<bool> goes, bool overwrite) {
  {
    const std::lock_guard lock(mutex_);
    order_ = Order{scene, overwrite, false};
    abandons_ = true;
    if (goes) mode_ = *goes ? Mode::kRunning : Mode::kPaused;
    status_.state = RunState::kSettingUp;
    status_.message.clear();
  }
  changed_.notify_all();
}

void LiveRun::resume(const Scene& scene) {
  {
    const std::lock_guard lock(mutex_);
    order_ = Order{scene, false, true};
    mode_ = Mode::kRunning;
    status_.state = RunState::kSettingUp;
    status_.message.clear();
  }
  changed_.notify_all();
}

void LiveRun::request(Mode mode, int until) {
  {
    const std::lock_guard lock(mutex_);
    mode_ = mode;
    until_ = until;
  }
  changed_.notify_all();
}

void LiveRun::go(std::optional<int> until_frame) { request(until_frame ? Mode::kUntilFrame : Mode::kRunning, until_frame.value_or(0)); }
void LiveRun::pause() { request(Mode::kPaused, 0); }
void LiveRun::step() { request(Mode::kStep, 0); }
void LiveRun::one_frame() { request(Mode::kUntilFrame, std::max(0, status().frame) + 1); }

void LiveRun::edit(const Scene& scene, std::function<void(const EditOutcome&)> answer) {
  std::function<void(const EditOutcome&)> at_once;
  EditOutcome outcome{"now", "", {}};  // of an earlier edit that this one stands for
  {
    const std::lock_guard lock(mutex_);
    const bool is_over = status_.state == RunState::kEnded || status_.state == RunState::kFailed;
    if (is_over) {
      at_once = std::move(answer);
      outcome = {"restart", "the run has come to its end", {}};
    } else {
      if (edit_) at_once = std::move(edit_->answer);
      edit_ = Edit{scene, std::move(answer)};
    }
  }
  if (at_once) at_once(outcome);
  changed_.notify_all();
}

void LiveRun::ask(std::function<void(Simulation*)> question) {
  {
    const std::lock_guard lock(mutex_);
    questions_.push_back(std::move(question));
  }
  changed_.notify_all();
}

void LiveRun::look(Look look) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(looks_, [](const Look& other) { return !other.is_wanted(); });
    looks_.push_back(std::move(look));
  }
  changed_.notify_all();
}

RunStatus LiveRun::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::vector<StepRecord> LiveRun::recent_steps() const {
  const std::lock_guard lock(mutex_);
  return {steps_.begin(), steps_.end()};
}

void LiveRun::tell(bool at_once) {
  const auto now = Clock::now();
  if (!at_once && now - last_told_ < kBetweenNews) return;
  last_told_ = now;
  hooks_.changed();
}

void LiveRun::set_state(RunState state, const std::string& message) {
  {
    const std::lock_guard lock(mutex_);
    if (status_.state == state && status_.message == message) return;
    status_.state = state;
    status_.message = message;
    if (state != RunState::kSettingUp) status_.doing.clear();
    if (state != RunState::kRunning) status_.speed = 0;
  }
  speed_since_ = Clock::now();
  speed_time_ = status().time;
  tell(true);
}

// The thread: carries out orders, and in between answers with the state that the last one left.
void LiveRun::work() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (order_) {
      const Order order = *std::exchange(order_, std::nullopt);
      abandons_ = false;
      lock.unlock();
      kept_.reset();
      carry_out(order);
      lock.lock();
      continue;
    }
    if (serve(lock, kept_ ? &*kept_ : nullptr)) continue;
    if (edit_) {
      const Edit edit = *std::exchange(edit_, std::nullopt);
      lock.unlock();
      edit.answer({"restart", "the run has come to its end", {}});
      lock.lock();
      continue;
    }
    changed_.wait_until(lock, next_look());
  }
  // Whoever still waits is answered.
  while (serve(lock, nullptr)) {
  }
  if (edit_) edit_->answer({"restart", "the run is closed", {}});
}

LiveRun::Clock::time_point LiveRun::next_look() const {
  auto next = Clock::now() + std::chrono::hours(1);
  for (const Look& look : looks_)
    if (look.version != status_.version) next = std::min(next, look.not_before);
  return next;
}

// Answers what can be answered now; false: there is nothing more. Questions have a fifth of the time, or the first of them would: a page
// that never stops asking slows a run down and does not stop it.
bool LiveRun::serve(std::unique_lock<std::mutex>& lock, Simulation* simulation) {
  constexpr Clock::duration kLongest = std::chrono::milliseconds(50);
  const auto begin = Clock::now(), end = begin + std::min((begin - last_served_) / 4, kLongest);
  bool has_served = false;
  while (!questions_.empty() && !(has_served && Clock::now() > end)) {
    auto question = std::move(questions_.front());
    questions_.pop_front();
    lock.unlock();
    question(simulation);
    question = nullptr;  // with what it holds
    lock.lock();
    has_served = true;
  }
  last_served_ = Clock::now();
  if (simulation == nullptr) return has_served;
  const auto now = Clock::now();
  std::vector<Look> due;
  for (auto at = looks_.begin(); at != looks_.end();) {
    if (at->version == status_.version || at->not_before > now) {
      ++at;
      continue;
    }
    due.push_back(std::move(*at));
    at = looks_.erase(at);
  }
  if (due.empty()) return has_served;
  const RunStatus status = status_;
  lock.unlock();
  for (const Look& look : due)
    if (look.is_wanted()) look.take(*simulation, status);
  lock.lock();
  status_.seconds_shown += std::chrono::duration<double>(Clock::now() - now).count();
  return true;
}

template <class Options>
void LiveRun::fill(Options& options) {
  options.threads = threads_;
  options.setup = [this](const std::string& what) {
    {
      const std::lock_guard lock(mutex_);
      if (ends_ || abandons_) throw Abandoned{};
      status_.doing = what;
    }
    tell(true);
  };
  options.progress = [this](const Progress& progress) { note_progress(progress); };
  options.warn = hooks_.warn;
  options.interrupted = [this] {
    const std::lock_guard lock(mutex_);
    return ends_;
  };
  options.companion = [this](const RunMoment& moment) { return attend(moment); };
  options.keep = [this](Simulation simulation) { kept_.emplace(std::move(simulation)); };
}

void LiveRun::set_up(const Scene& scene) {
  scene_ = scene;
  const std::lock_guard lock(mutex_);
  const std::uint64_t version = status_.version + 1;
  const std::string doing = status_.doing;
  status_ = {};
  status_.state = RunState::kSettingUp;
  status_.doing = doing;
  status_.version = version;
  status_.duration = scene.simulation.duration;
  status_.fps = scene.simulation.fps;
  status_.last = scene.frames();
  status_.dimension = scene.simulation.dimension;
  for (const Material& material : scene.materials) status_.materials.push_back(material.name);
  steps_.clear();
}

void LiveRun::carry_out(const Order& order) {
  try {
    set_up(order.scene);
    tell(true);
    if (!order.resumes) {
      RunOptions options;
      options.directory = folder_;
      options.overwrite = order.overwrite;
      fill(options);
      run(order.scene, options);
    } else {
      ResumeOptions options;
      fill(options);
      firn::resume(folder_, options);
    }
    set_state(RunState::kEnded);
  } catch (const Abandoned&) {
    // for the next order
  } catch (const std::bad_alloc&) {
    set_state(RunState::kFailed, "out of memory: use a larger simulation.spacing or fewer particles");
  } catch (const std::exception& error) {
    set_state(RunState::kFailed, error.what());
  }
  const std::lock_guard lock(mutex_);
  status_.has_simulation = kept_.has_value();
}

void LiveRun::note(const RunMoment& moment) {
  const Simulation& simulation = moment.simulation;
  const bool is_new_frame = moment.step == nullptr;
  if (is_new_frame) note_extent(simulation);
  const std::size_t bytes = is_new_frame ? simulation.bytes() : 0;
  const std::lock_guard lock(mutex_);
  ++status_.version;
  status_.has_simulation = true;
  status_.time = simulation.time();
  status_.steps = simulation.steps();
  status_.particles = simulation.particles();
  status_.frame = moment.frame;
  if (is_new_frame) status_.bytes = bytes;
  if (moment.step == nullptr) return;
  status_.dt = moment.step->dt;
  status_.rule = moment.step->rule;
  status_.iterations = moment.step->iterations;
  status_.asleep = moment.step->asleep;
  steps_.push_back({simulation.time(), moment.step->dt, moment.step->iterations});
  if (steps_.size() > kKeptSteps) steps_.pop_front();
}

void LiveRun::note_extent(const Simulation& simulation) {
  const Extent extent = extent_of(simulation.look(LookChannel::kNone));
  const std::lock_guard lock(mutex_);
  status_.lower = extent.lower;
  status_.upper = extent.upper;
}

void LiveRun::note_progress(const Progress& progress) {
  const double seconds = std::chrono::duration<double>(Clock::now() - speed_since_).count();
  const std::lock_guard lock(mutex_);
  status_.seconds_left = progress.seconds_left;
  if (seconds < 0.5) return;
  status_.speed = std::max(0.0, (progress.time - speed_time_) / seconds);
  speed_since_ = Clock::now();
  speed_time_ = progress.time;
}

bool LiveRun::is_to_go_on(const RunMoment& moment) {
  if (mode_ == Mode::kStep) return true;  // still to be taken
  if (mode_ == Mode::kUntilFrame) return moment.frame < until_;
  return mode_ == Mode::kRunning;
}

std::optional<Scene> LiveRun::apply(Simulation& simulation, const Edit& edit) {
  const LiveChange change = live_change(scene_, edit.scene);
  EditOutcome outcome{change.reason.empty() ? "now" : "restart", change.reason, {}};
  if (change.has_now) {
    try {
      if (change.concerns_solver) simulation.change(change.scene);
      scene_ = change.scene;
      outcome.running = scene_;
    } catch (const UserError& error) {
      outcome = {"restart", error.what(), {}};
    }
  }
  if (outcome.running) {
    const std::lock_guard lock(mutex_);
    ++status_.version;
    status_.duration = scene_.simulation.duration;
    status_.last = scene_.frames();
  }
  edit.answer(outcome);
  return outcome.running;
}

std::optional<Scene> LiveRun::attend(const RunMoment& moment) {
  note(moment);
  std::unique_lock lock(mutex_);
  if (mode_ == Mode::kStep && moment.step != nullptr) mode_ = Mode::kPaused;
  if (!moment.may_change) return std::nullopt;
  std::optional<Scene> next;
  while (true) {
    if (abandons_) throw Abandoned{};
    if (ends_) break;
    if (edit_) {
      const Edit edit = *std::exchange(edit_, std::nullopt);
      lock.unlock();
      if (std::optional<Scene> changed = apply(moment.simulation, edit)) next = std::move(changed);
      lock.lock();
      continue;
    }
    const bool goes = is_to_go_on(moment);
    lock.unlock();
    set_state(goes ? RunState::kRunning : RunState::kPaused);
    lock.lock();
    const bool has_served = serve(lock, &moment.simulation), still_goes = is_to_go_on(moment);
    if (goes && still_goes) break;
    if (goes != still_goes || has_served || abandons_ || ends_ || edit_) continue;  // else pages would not be told of the change
    changed_.wait_until(lock, next_look());
  }
  lock.unlock();
  tell(false);
  return next;
}

}  // namespace firn::studio
