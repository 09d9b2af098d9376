// stats.csv: one line per frame.
#pragma once

#include <array>
#include <string>

#include "core/archive.h"
#include "firn/simulation.h"

namespace firn {

// What happened between two frames.
class FrameStatistics {
 public:
  explicit FrameStatistics(const Scene& scene);

  void add(const StepInfo& info);
  void add_output(double seconds) { output_seconds_ += seconds; }

  std::string header() const;
  std::string line(long frame, const Simulation& simulation) const;
  // For the next frame.
  void clear();

  // What it has counted, but for the seconds: a run that was interrupted goes on with it.
  template <class A, class S>
  static void describe_counts(A& a, S& s) {
    archive(a, s.steps_, s.iterations_, s.rejected_, s.limited_, s.asleep_, s.alone_, s.time_, s.dt_min_, s.dt_max_, s.residual_, s.rules_);
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
  std::int64_t steps_ = 0, iterations_ = 0, rejected_ = 0, limited_ = 0, asleep_ = 0, alone_ = 0;
  double time_ = 0, dt_min_ = 0, dt_max_ = 0, residual_ = 0, output_seconds_ = 0;
  std::array<std::int64_t, kStepRules> rules_{};  // steps that each of them set
  std::vector<std::pair<std::string, double>> seconds_;
};

// The rule that set most of them.
StepRule most_often(const std::array<std::int64_t, kStepRules>& steps);

}  // namespace firn
