#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench_json.h"
#include "commands.h"

namespace {

struct BenchArguments {
  SceneArguments scene;
  MachineArguments machine;
  firn::BenchOptions options;
  bool json = false;
};

void print_text(const firn::BenchReport& r) {
  fmt::print("{}: {} particles, {} {} {} {}, {} threads, {} steps\n", r.scene, r.particles, r.backend, r.precision, r.kernel, r.integrator,
             r.threads, r.steps);
  fmt::print("{:8.1f} ns per particle per step, {:.1f} to {:.1f}\n", r.ns_per_particle_step, r.ns_min, r.ns_max);
  if (r.iterations_per_step > 0)
    fmt::print("{:8.1f} ns per particle per iteration, {:.1f} iterations a step\n", r.ns_per_particle_iteration, r.iterations_per_step);
  for (const auto& [name, ns] : r.phases) fmt::print("{:8.1f} ns {}\n", ns, name);
  fmt::print("{:8.0f} bytes per particle\n", r.bytes_per_particle);
  fmt::print("{:8.2f} % of the time outside of what all threads share\n", 100 * r.serial_fraction);
  fmt::print("{:8.1f} GFLOP/s and {:.1f} GB/s: this machine, one thread, multiplying in registers and copying memory\n", r.fma_gflops,
             r.copy_gb_s);
}

int run_bench(BenchArguments& a) {
  if (a.scene.scene.empty()) a.scene.scene = "bench_ball";
  a.options.backend = a.machine.chosen();
  a.options.threads = a.machine.threads;
  const firn::BenchReport report = firn::bench(a.scene.load(), a.options);
  if (a.json)
    fmt::print("{}\n", to_json(report).dump(2));
  else
    print_text(report);
  return kDone;
}

}  // namespace

Command add_bench(CLI::App& app) {
  auto a = std::make_shared<BenchArguments>();
  CLI::App* verb = app.add_subcommand("bench", "measure: nanoseconds per particle per step, by phase");
  add_scene_arguments(*verb, a->scene, false);
  verb->add_option("--steps", a->options.steps, "steps to measure, in five parts; the median part counts")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  verb->add_option("--warmup", a->options.warmup, "steps before the measured ones")->check(CLI::Range(0, 1000000))->capture_default_str();
  verb->add_flag("--json", a->json, "print one JSON object");
  add_machine_arguments(*verb, a->machine);
  return [a] { return run_bench(*a); };
}
