#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace {

constexpr auto kRedrawInterval = std::chrono::milliseconds(100);
constexpr int kBarWidth = 24;
constexpr auto kLongSetUp = std::chrono::seconds(2);  // before that it is not worth a word
constexpr auto kWatchInterval = std::chrono::milliseconds(200);

}  // namespace

std::string duration_text(double seconds) {
  const long s = std::lround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

std::string about_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < 1) return "less than 1 s";
  if (seconds < 1.5 * kMinute) return fmt::format("about {:.0f} s", seconds);
  if (seconds < kHour) return fmt::format("about {:.0f} min", seconds / kMinute);
  if (seconds > 2 * kDay) return fmt::format("about {:.0f} days", seconds / kDay);
  const long tens = std::lround(seconds / (10 * kMinute));  // minutes more exact than that would not be honest
  return fmt::format("about {} h{}", tens / 6, tens % 6 == 0 ? "" : fmt::format(" {} min", tens % 6 * 10));
}

namespace {

// Nothing as long as there is no estimate.
std::string left_text(double seconds) { return seconds < 0 ? "" : "  left " + duration_text(seconds); }

}  // namespace

ProgressPrinter::ProgressPrinter() : terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressPrinter::~ProgressPrinter() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

void ProgressPrinter::set_up(const std::string& what) {
  const std::lock_guard lock(mutex_);
  clear_bar();
  set_up_ = what;
  told_ = false;
  set_up_begin_ = std::chrono::steady_clock::now();
  if (!what.empty() && !watcher_.joinable()) watcher_ = std::thread([this] { watch_set_up(); });
}

// On a thread of its own: who sets up is at work and cannot look at the clock.
void ProgressPrinter::watch_set_up() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kWatchInterval, [this] { return over_; })) {
    const auto time = std::chrono::steady_clock::now() - set_up_begin_;
    if (set_up_.empty() || time < kLongSetUp) continue;
    if (terminal_) {
      fmt::print(stderr, "\r\033[K{}  {}", set_up_, duration_text(std::chrono::duration<double>(time).count()));
      std::fflush(stderr);
      bar_shown_ = true;
    } else if (!told_) {
      fmt::print(stderr, "{} ...\n", set_up_);
    }
    told_ = true;
  }
}

void ProgressPrinter::operator()(const firn::Progress& p) {
  const std::lock_guard lock(mutex_);
  set_up_.clear();
  if (terminal_) {
    const std::string count =
        p.steps > 0 ? fmt::format("step {}/{}", p.step, p.steps) : fmt::format("frame {}/{}  step {}", p.frame, p.frames, p.step);
    draw_bar(p.fraction, p.frame_done, fmt::format("{}  dt {:.1e} s  {} particles{}", count, p.dt, p.particles, left_text(p.seconds_left)));
  } else if (p.frame_done) {
    fmt::print(stderr, "frame {}/{}  step {}  t {:.4f} s  {} particles{}\n", p.frame, p.frames, p.step, p.time, p.particles,
               left_text(p.seconds_left));
  }
}

void ProgressPrinter::operator()(const firn::RenderProgress& p) {
  const std::lock_guard lock(mutex_);
  set_up_.clear();
  const bool done = p.fraction >= 1;
  if (terminal_) {
    draw_bar((p.picture - 1 + p.fraction) / p.pictures, done,
             fmt::format("picture {}/{}  left {}", p.picture, p.pictures, duration_text(p.seconds_left)));
  } else if (done) {
    fmt::print(stderr, "picture {}/{}  left {}\n", p.picture, p.pictures, duration_text(p.seconds_left));
  }
}

void ProgressPrinter::draw_bar(double fraction, bool news, const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (!news && now - last_drawn_ < kRedrawInterval) return;
  last_drawn_ = now;
  const double part = std::min(1.0, fraction);
  fmt::print(stderr, "\r\033[K[{:<{}}] {:3.0f} %  {}", std::string(static_cast<std::size_t>(part * kBarWidth), '#'), kBarWidth, 100 * part,
             text);
  std::fflush(stderr);
  bar_shown_ = true;
}

void ProgressPrinter::clear_bar() {
  if (bar_shown_) fmt::print(stderr, "\r\033[K");
  bar_shown_ = false;
}

void ProgressPrinter::warn(const std::string& text) { note("warning: " + text); }

void ProgressPrinter::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  clear_bar();
  fmt::print(stderr, "{}\n", text);
}

void ProgressPrinter::finish() {
  const std::lock_guard lock(mutex_);
  set_up_.clear();
  clear_bar();
}
