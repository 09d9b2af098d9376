#include "api/stats.h"

#include <fmt/format.h>

#include <algorithm>

#include "solver/solver.h"

namespace firn {

void FrameStatistics::add(const StepInfo& info) {
  dt_min_ = steps_ == 0 ? info.dt : std::min(dt_min_, info.dt);
  dt_max_ = std::max(dt_max_, info.dt);
  ++steps_;
  iterations_ += info.iterations;
  residual_ = std::max(residual_, info.residual);
  rejected_ += info.rejected;
  limited_ = info.limited;
  asleep_ = info.asleep;
  if (seconds_.empty())
    seconds_ = info.seconds;
  else
    for (std::size_t p = 0; p < seconds_.size(); ++p) seconds_[p].second += info.seconds[p].second;
}

std::string FrameStatistics::header() {
  std::string text =
      "frame,time,steps,dt_min,dt_max,iterations,residual,rejected,limited,asleep,particles,emitted,killed,left,mass,momentum_x,momentum_y,"
      "momentum_z,"
      "kinetic_energy,elastic_energy,jp_min,jp_max,jp_mean";
  for (const char* phase : kPhaseNames) text += fmt::format(",seconds_{}", phase);
  return text + ",seconds_output\n";
}

std::string FrameStatistics::line(long frame, const Simulation& simulation) const {
  const Statistics s = simulation.statistics();
  std::string text = fmt::format(
      "{},{:.9g},{},{:.6g},{:.6g},{},{:.3g},{},{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.6g},{:.6g},{:.6g}", frame,
      simulation.time(), steps_, dt_min_, dt_max_, iterations_, residual_, rejected_, limited_, asleep_, simulation.particles(),
      simulation.emitted(), simulation.killed(), simulation.left(), s.mass, s.momentum[0], s.momentum[1], s.momentum[2], s.kinetic_energy,
      s.elastic_energy, s.jp_min, s.jp_max, s.jp_mean);
  for (int p = 0; p < kPhases; ++p) text += fmt::format(",{:.4f}", seconds_.empty() ? 0.0 : seconds_[p].second);
  return text + fmt::format(",{:.4f}\n", output_seconds_);
}

}  // namespace firn
