#include "api/measure.h"
#include "scene/limits.h"

namespace firn {

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
  report.backend = options.backend == Backend::kCpu ? "cpu" : "reference";
  report.precision = s.precision == Precision::kFloat && options.backend == Backend::kCpu ? "float" : "double";
  report.kernel = name_in(schema::kKernelNames, s.kernel);
  report.integrator = name_in(schema::kIntegratorNames, s.integrator);
  report.particles = simulation.particles();
  report.threads = thread_count(options.threads);
  measure(options.steps, one_step, report);
  report.bytes_per_particle = static_cast<double>(simulation.bytes()) / static_cast<double>(simulation.particles());
  return report;
}

}  // namespace firn
