// The progress of a run or of its pictures: a bar on a terminal, one plain line a frame elsewhere. What goes before, setting up, is told
// when it takes long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "firn/picture.h"
#include "firn/simulation.h"

class ProgressPrinter {
 public:
  ProgressPrinter();
  ~ProgressPrinter();

  // What setting up is at from now on; empty: at nothing.
  void set_up(const std::string& what);
  void operator()(const firn::Progress& progress);
  void operator()(const firn::RenderProgress& progress);
  // Prints above the bar.
  void warn(const std::string& text);
  void note(const std::string& text);
  void finish();

 private:
  // A bar that was drawn a moment ago stays, unless this is news.
  void draw_bar(double fraction, bool news, const std::string& text);
  void clear_bar();
  void watch_set_up();

  bool terminal_;
  bool bar_shown_ = false;
  std::chrono::steady_clock::time_point last_drawn_{};

  std::mutex mutex_;  // of all above and below
  std::condition_variable changed_;
  std::string set_up_;  // what it is at
  std::chrono::steady_clock::time_point set_up_begin_{};
  bool told_ = false;  // that it is
  bool over_ = false;
  std::thread watcher_;
};

// "3 s", "12 min 5 s", "2 h 10 min"
std::string duration_text(double seconds);
// "less than 1 s", "about 12 s", "about 4 min", "about 2 h 10 min", "about 3 days"
std::string about_text(double seconds);
