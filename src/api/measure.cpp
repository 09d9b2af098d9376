#include "api/measure.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "api/calibration.h"

namespace firn {
namespace {

constexpr int kParts = 5;  // the middle one of which counts: what disturbs the machine for a moment does not

// A stretch of consecutive steps; seconds by phase as in StepInfo.
struct Part {
  int steps = 0;
  std::int64_t iterations = 0;
  double seconds = 0, serial_seconds = 0;
  std::vector<std::pair<std::string, double>> phases;

  double phase(std::size_t p) const { return phases[p].second; }
};

Part take_part(int steps, const std::function<StepInfo()>& one_step) {
  Part part;
  part.steps = steps;
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < steps; ++k) {
    const StepInfo info = one_step();
    part.iterations += info.iterations;
    part.serial_seconds += info.serial_seconds;
    if (part.phases.empty())
      part.phases = info.seconds;
    else
      for (std::size_t p = 0; p < part.phases.size(); ++p) part.phases[p].second += info.seconds[p].second;
  }
  part.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return part;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

// Nanoseconds per particle per step of what `seconds` picks from a part, part by part.
template <class Seconds>
std::vector<double> per_step(const std::vector<Part>& parts, std::size_t particles, Seconds seconds) {
  std::vector<double> ns;
  for (const Part& part : parts) ns.push_back(seconds(part) * 1e9 / (static_cast<double>(particles) * part.steps));
  return ns;
}

// Of the parts that iterated at all.
double per_iteration(const std::vector<Part>& parts, std::size_t particles, std::size_t solve) {
  std::vector<double> ns;
  for (const Part& part : parts)
    if (part.iterations > 0)
      ns.push_back(part.phase(solve) * 1e9 / (static_cast<double>(particles) * static_cast<double>(part.iterations)));
  return ns.empty() ? 0 : median(ns);
}

void summarize(const std::vector<Part>& parts, BenchReport& report) {
  const std::vector<double> whole = per_step(parts, report.particles, [](const Part& part) { return part.seconds; });
  report.ns_per_particle_step = median(whole);
  report.ns_min = *std::min_element(whole.begin(), whole.end());
  report.ns_max = *std::max_element(whole.begin(), whole.end());
  std::int64_t iterations = 0;
  double seconds = 0, serial_seconds = 0;
  for (const Part& part : parts) {
    iterations += part.iterations;
    seconds += part.seconds;
    serial_seconds += part.serial_seconds;
  }
  report.serial_fraction = serial_seconds / seconds;
  report.iterations_per_step = static_cast<double>(iterations) / report.steps;
  report.phases = parts.front().phases;
  for (std::size_t p = 0; p < report.phases.size(); ++p) {
    auto& [name, ns] = report.phases[p];
    ns = median(per_step(parts, report.particles, [p](const Part& part) { return part.phase(p); }));
    if (name == "solve") report.ns_per_particle_iteration = per_iteration(parts, report.particles, p);
  }
}

}  // namespace

int thread_count(int wanted) { return wanted > 0 ? wanted : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

void measure(int steps, const std::function<StepInfo()>& one_step, BenchReport& report) {
  report.steps = steps;
  const int count = std::min(kParts, steps);
  std::vector<Part> parts;
  const Calibration before = calibrate();
  for (int k = 0; k < count; ++k)  // one step apart where the number does not divide
    parts.push_back(take_part(steps * (k + 1) / count - steps * k / count, one_step));
  const Calibration machine = better(before, calibrate());
  summarize(parts, report);
  report.fma_gflops = machine.fma_gflops;
  report.copy_gb_s = machine.copy_gb_s;
}

}  // namespace firn
