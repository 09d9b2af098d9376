// The progress of a run or of its pictures: a bar on a terminal, one plain line a frame elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "firn/picture.h"
#include "firn/simulation.h"

class ProgressPrinter {
 public:
  ProgressPrinter();

  void operator()(const firn::Progress& progress);
  void operator()(const firn::RenderProgress& progress);
  // Prints above the bar.
  void warn(const std::string& text);
  void finish();

 private:
  // A bar that was drawn a moment ago stays, unless this is news.
  void draw_bar(double fraction, bool news, const std::string& text);
  void clear_bar();

  bool terminal_;
  bool bar_shown_ = false;
  std::chrono::steady_clock::time_point last_drawn_{};
};

// "3 s", "12 min 5 s", "2 h 10 min"
std::string duration_text(double seconds);
// "less than 1 s", "about 12 s", "about 4 min", "about 2 h 10 min", "about 3 days"
std::string about_text(double seconds);
