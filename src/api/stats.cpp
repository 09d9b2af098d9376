#include "api/stats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "solver/solver.h"

namespace firn {
namespace {

// Of more colliders only those that have a name are in the table: it is for people and plots.
constexpr std::size_t kMostUnnamed = 16;

void add(const BodyLoad& from, BodyLoad& to) {
  for (int d = 0; d < 3; ++d) {
    to.impulse[d] += from.impulse[d];
    to.turning[d] += from.turning[d];
  }
  to.work += from.work;
}

}  // namespace

StepRule most_often(const std::array<std::int64_t, kStepRules>& steps) {
  return static_cast<StepRule>(std::max_element(steps.begin(), steps.end()) - steps.begin());
}

FrameStatistics::FrameStatistics(const Scene& scene) {
  for (std::size_t c = 0; c < scene.colliders.size(); ++c)
    if (scene.colliders.size() <= kMostUnnamed || !scene.colliders[c].name.empty()) columns_.push_back({name_of(scene, c), c, {}});
}

void FrameStatistics::clear() {
  std::vector<Column> columns = std::move(columns_);
  for (Column& column : columns) column.load = {};
  *this = FrameStatistics(Scene{});
  columns_ = std::move(columns);
}

void FrameStatistics::add(const StepInfo& info) {
  dt_min_ = steps_ == 0 ? info.dt : std::min(dt_min_, info.dt);
  dt_max_ = std::max(dt_max_, info.dt);
  time_ += info.dt;
  ++steps_;
  ++rules_[static_cast<int>(info.rule)];
  iterations_ += info.iterations;
  residual_ = std::max(residual_, info.residual);
  rejected_ += info.rejected;
  limited_ = info.limited;
  asleep_ = info.asleep;
  alone_ = info.alone;
  for (Column& column : columns_) firn::add(info.loads[column.collider], column.load);
  if (seconds_.empty())
    seconds_ = info.seconds;
  else
    for (std::size_t p = 0; p < seconds_.size(); ++p) seconds_[p].second += info.seconds[p].second;
}

std::string FrameStatistics::header() const {
  std::string text =
      "frame,time,steps,dt_min,dt_max,step_rule,iterations,residual,rejected,limited,asleep,alone,particles,emitted,killed,left,mass,"
      "momentum_x,momentum_y,momentum_z,kinetic_energy,elastic_energy,jp_min,jp_max,jp_mean";
  for (const Column& column : columns_)
    for (const char* quantity : {"force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z", "work"})
      text += fmt::format(",{}_{}", column.name, quantity);
  for (const char* phase : kPhaseNames) text += fmt::format(",seconds_{}", phase);
  return text + ",seconds_output\n";
}

std::string FrameStatistics::line(long frame, const Simulation& simulation) const {
  const Statistics s = simulation.statistics();
  std::string text = fmt::format(
      "{},{:.9g},{},{:.6g},{:.6g},{},{},{:.3g},{},{},{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.6g},{:.6g},{:.6g}", frame,
      simulation.time(), steps_, dt_min_, dt_max_, steps_ > 0 ? name_of(most_often(rules_)) : "", iterations_, residual_, rejected_, limited_,
      asleep_, alone_, simulation.particles(), simulation.emitted(), simulation.killed(), simulation.left(), s.mass, s.momentum[0],
      s.momentum[1], s.momentum[2], s.kinetic_energy, s.elastic_energy, s.jp_min, s.jp_max, s.jp_mean);
  const double rate = time_ > 0 ? 1 / time_ : 0;  // forces and torques are means over the frame, work is its sum
  for (const Column& column : columns_) {
    for (const Vector& sum : {column.load.impulse, column.load.turning})
      for (const double component : sum) text += fmt::format(",{:.6g}", rate * component);
    text += fmt::format(",{:.6g}", column.load.work);
  }
  for (int p = 0; p < kPhases; ++p) text += fmt::format(",{:.4f}", seconds_.empty() ? 0.0 : seconds_[p].second);
  return text + fmt::format(",{:.4f}\n", output_seconds_);
}

}  // namespace firn
