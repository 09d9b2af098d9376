#include <chrono>
#include <thread>

#include "firn/simulation.h"

namespace firn {

BenchReport bench(const Scene& scene, const BenchOptions& options) {
  Simulation simulation(scene, options.backend, options.threads);
  const double frame = 1 / scene.simulation.fps;
  const auto one_step = [&] { return simulation.step(scene.solver.time_step.value_or(frame)); };
  for (int k = 0; k < options.warmup; ++k) one_step();

  BenchReport report;
  std::int64_t iterations = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < options.steps; ++k) {
    const StepInfo info = one_step();
    iterations += info.iterations;
    if (report.phases.empty()) report.phases = info.seconds;
    else
      for (std::size_t p = 0; p < report.phases.size(); ++p) report.phases[p].second += info.seconds[p].second;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double per_particle_step = 1e9 / (static_cast<double>(simulation.particles()) * options.steps);

  double solve_seconds = 0;
  for (auto& [name, value] : report.phases) {
    if (name == "solve") solve_seconds = value;
    value *= per_particle_step;
  }
  const SolverSettings& s = scene.solver;
  report.scene = scene.name;
  report.backend = options.backend == Backend::kCpu ? "cpu" : "reference";
  report.precision = s.precision == Precision::kFloat && options.backend == Backend::kCpu ? "float" : "double";
  report.kernel = s.kernel == Kernel::kCubic ? "cubic" : "quadratic";
  report.integrator = s.integrator == Integrator::kExplicit ? "explicit" : "semi-implicit";
  report.particles = simulation.particles();
  report.steps = options.steps;
  report.threads = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  report.ns_per_particle_step = seconds * per_particle_step;
  report.iterations_per_step = static_cast<double>(iterations) / options.steps;
  if (iterations > 0)
    report.ns_per_particle_iteration = solve_seconds * 1e9 / (static_cast<double>(simulation.particles()) * static_cast<double>(iterations));
  report.bytes_per_particle = static_cast<double>(simulation.bytes()) / static_cast<double>(simulation.particles());
  return report;
}

}  // namespace firn
