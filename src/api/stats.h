// stats.csv: one line per frame.
#pragma once

#include <string>

#include "firn/simulation.h"

namespace firn {

// What happened between two frames.
class FrameStatistics {
 public:
  void add(const StepInfo& info);
  void add_output(double seconds) { output_seconds_ += seconds; }
  std::int64_t rejected() const { return rejected_; }

  static std::string header();
  std::string line(long frame, const Simulation& simulation) const;

 private:
  std::int64_t steps_ = 0, iterations_ = 0, rejected_ = 0, limited_ = 0, asleep_ = 0;
  double dt_min_ = 0, dt_max_ = 0, residual_ = 0, output_seconds_ = 0;
  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace firn
