#include "api/measure.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <thread>

#include "core/clock.h"
#include "math/pack.h"
#include "scene/rules.h"

namespace firn {
namespace {

using Register = Pack<float, kSimdBytes / sizeof(float)>;

constexpr int kChains = 12;          // enough to hide the latency of an FMA on two ports; with the constants they fit 16 registers
constexpr int kFmaPerChunk = 10000;  // in a chain, between two looks at the clock
constexpr double kFmaSeconds = 0.05;
constexpr std::size_t kCopyBytes = std::size_t(128) << 20;
constexpr int kCopies = 4;

void multiply_add(Register (&sums)[kChains]) {
  const Register factor(0.999f), term(0.001f);
  Register x[kChains];
  std::copy(std::begin(sums), std::end(sums), x);
  for (int k = 0; k < kFmaPerChunk; ++k) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) x[c] = x[c] * factor + term;
  }
  std::copy(std::begin(x), std::end(x), sums);
}

double measure_fma() {
  Register sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = Register(0.1f * static_cast<float>(c));
  constexpr double kOperations = 2.0 * kFmaPerChunk * kChains * Register::kLanes;
  double done = 0, seconds = 0;
  const auto begin = Clock::now();
  while (seconds < kFmaSeconds) {
    multiply_add(sums);
    done += kOperations;
    seconds = seconds_since(begin);
  }
  volatile float keep = sums[0][0];
  for (const Register& sum : sums) keep = keep + sum[0];
  return done / seconds * 1e-9;
}

double measure_copy() {
  const auto from = std::make_unique_for_overwrite<std::byte[]>(kCopyBytes), to = std::make_unique_for_overwrite<std::byte[]>(kCopyBytes);
  std::memset(from.get(), 1, kCopyBytes);
  std::memset(to.get(), 2, kCopyBytes);
  double best = 0;
  for (int k = 0; k < kCopies; ++k) {
    const auto begin = Clock::now();
    std::memcpy(to.get(), from.get(), kCopyBytes);
    const volatile std::byte last = to[kCopyBytes - 1 - k];
    static_cast<void>(last);
    best = std::max(best, 2.0 * kCopyBytes / seconds_since(begin) * 1e-9);
  }
  return best;
}

}  // namespace

Calibration calibrate() { return {measure_fma(), measure_copy()}; }

Calibration better(const Calibration& a, const Calibration& b) {
  return {std::max(a.fma_gflops, b.fma_gflops), std::max(a.copy_gb_s, b.copy_gb_s)};
}

namespace {

constexpr int kParts = 5;  // the middle one of which counts: what disturbs the machine for a moment does not

// A stretch of consecutive steps; seconds by phase as in StepInfo.
struct Part {
  int steps = 0;
  std::int64_t iterations = 0;
  double seconds = 0, serial_seconds = 0;
  std::array<double, kPhases> phases{};
};

Part take_part(int steps, const std::function<StepInfo()>& one_step) {
  Part part;
  part.steps = steps;
  const auto begin = Clock::now();
  for (int k = 0; k < steps; ++k) {
    const StepInfo info = one_step();
    part.iterations += info.iterations;
    part.serial_seconds += info.serial_seconds;
    for (int p = 0; p < kPhases; ++p) part.phases[p] += info.seconds[p];
  }
  part.seconds = seconds_since(begin);
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

// Nanoseconds per particle and iteration, the median of the parts that iterated at all; 0 when none did.
double per_iteration(const std::vector<Part>& parts, std::size_t particles) {
  std::vector<double> ns;
  for (const Part& part : parts)
    if (part.iterations > 0)
      ns.push_back(part.phases[static_cast<int>(Phase::kSolve)] * 1e9 /
                   (static_cast<double>(particles) * static_cast<double>(part.iterations)));
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
  for (int p = 0; p < kPhases; ++p)
    report.phases.emplace_back(kPhaseNames[p], median(per_step(parts, report.particles, [p](const Part& part) { return part.phases[p]; })));
  report.ns_per_particle_iteration = per_iteration(parts, report.particles);
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

BenchReport bench(const Scene& scene, const BenchOptions& options) {
  Simulation simulation(scene, options.backend, options.threads);
  const double frame = 1 / scene.simulation.fps;
  const auto one_step = [&] { return simulation.step(scene.solver.time_step.value_or(frame)); };
  for (int k = 0; k < options.warmup; ++k) one_step();
  if (simulation.particles() == 0)
    throw UserError("nothing to measure: the scene has no particles yet, use more steps before with --warmup");

  const SolverSettings& s = scene.solver;
  BenchReport report;
  report.scene = scene.name;
  report.backend = name_of(options.backend);
  if (options.backend == Backend::kCuda) report.device = cuda_device();
  report.precision = s.precision == Precision::kFloat && options.backend != Backend::kReference ? "float" : "double";
  report.kernel = kKernelNames[static_cast<int>(s.kernel)];
  report.integrator = name_in(schema::kIntegratorNames, s.integrator);
  report.particles = simulation.particles();
  report.threads = thread_count(options.threads);
  measure(options.steps, one_step, report);
  report.bytes_per_particle = static_cast<double>(simulation.bytes()) / static_cast<double>(simulation.particles());
  return report;
}

}  // namespace firn
