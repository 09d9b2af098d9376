// The progress of a run: a bar on a terminal, one plain line a frame elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "firn/simulation.h"

class ProgressPrinter {
 public:
  ProgressPrinter();

  void operator()(const firn::Progress& progress);
  // Prints above the bar.
  void warn(const std::string& text);
  void finish();

 private:
  void draw_bar(const firn::Progress& progress);
  void clear_bar();

  bool terminal_;
  bool bar_shown_ = false;
  std::chrono::steady_clock::time_point last_drawn_{};
};

// "3 s", "12 min 5 s", "2 h 10 min"
std::string duration_text(double seconds);
