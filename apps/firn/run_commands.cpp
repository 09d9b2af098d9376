// Verbs that take steps: run, resume, bench.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench_json.h"
#include "commands.h"
#include "interrupt.h"
#include "progress.h"

namespace {

struct RunArguments {
  SceneArguments scene;
  MachineArguments machine;
  std::string directory;
  int frames = 0;
  std::int64_t steps = 0;
  bool overwrite = false;
  std::vector<std::string> formats;
  int subframes = 0;           // 0: the scene's
  int checkpoint_frames = -1;  // below 0: the scene's

  // The scene with what the flags say of its output. They are texts as of --set, which take the place of the scene's own before these are
  // checked, so that a flag also helps where the scene is wrong.
  firn::Scene load() const {
    SceneArguments with_output = scene;
    if (!formats.empty()) with_output.overrides.push_back(fmt::format("output.formats=[\"{}\"]", fmt::join(formats, "\", \"")));
    if (checkpoint_frames >= 0) with_output.overrides.push_back(fmt::format("output.checkpoint_frames={}", checkpoint_frames));
    if (subframes > 0) with_output.overrides.push_back(fmt::format("output.subframes={}", subframes));
    return with_output.load();
  }
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const firn::FrameFormat& format : firn::frame_formats()) names.emplace_back(format.name);
  return names;
}

// What a run says at its end; returns the exit code.
int tell(const firn::RunSummary& summary, const std::string& directory, ProgressPrinter& printer) {
  printer.finish();
  fmt::print("{}: {} steps, {:.4g} s of snow in {}; frames 0 to {} and final.ply in {}\n", summary.interrupted ? "interrupted" : "done",
             summary.steps, summary.time, duration_text(summary.seconds), summary.frames, directory);
  if (summary.steps > 0)
    fmt::print("time step: in {:.0f} % of the steps set by {}\n", 100 * summary.rule_share, firn::advice_of(summary.rule));
  if (!summary.interrupted) return kDone;
  if (summary.resumable) fmt::print("to go on: firn resume {}\n", directory);
  return interrupted_code();
}

int run_scene(const RunArguments& a, bool has_frames, bool has_steps) {
  const firn::Scene scene = a.load();
  ProgressPrinter printer;
  firn::RunOptions options;
  options.directory = a.directory.empty() ? firn::default_directory(a.scene.scene, scene) : a.directory;
  if (has_frames) options.frames = a.frames;
  if (has_steps) options.steps = a.steps;
  options.backend = a.machine.chosen(scene);
  options.threads = a.machine.threads;
  options.overwrite = a.overwrite;
  options.setup = [&](const std::string& what) { printer.set_up(what); };
  options.progress = [&](const firn::Progress& p) { printer(p); };
  options.warn = [&](const std::string& text) { printer.warn(text); };
  options.note = [&](const std::string& text) { printer.note(text); };
  options.interrupted = interrupted;

  return tell(firn::run(scene, options), options.directory, printer);
}

firn::Backend backend_of(const std::string& name) {
  for (const firn::Backend backend : {firn::Backend::kCuda, firn::Backend::kReference})
    if (name == firn::name_of(backend)) return backend;
  return firn::Backend::kCpu;
}

struct ResumeArguments {
  std::string directory, backend;
  int frames = 0, threads = 0;
};

int resume_run(const ResumeArguments& a, bool has_frames) {
  ProgressPrinter printer;
  firn::ResumeOptions options;
  if (has_frames) options.frames = a.frames;
  if (!a.backend.empty()) options.backend = backend_of(a.backend);
  options.threads = a.threads;
  options.setup = [&](const std::string& what) { printer.set_up(what); };
  options.progress = [&](const firn::Progress& p) { printer(p); };
  options.warn = [&](const std::string& text) { printer.warn(text); };
  options.interrupted = interrupted;
  return tell(firn::resume(a.directory, options), a.directory, printer);
}

}  // namespace

firn::Backend MachineArguments::chosen(const firn::Scene& scene) const {
  return backend == "auto" ? firn::quickest_backend(scene) : backend_of(backend);
}

void add_scene_arguments(CLI::App& verb, SceneArguments& arguments, bool required) {
  verb.add_option("SCENE", arguments.scene, "a scene file (.toml) or the name of a gallery scene")->required(required);
  verb.add_option("--variant", arguments.variants, "changes that the scene itself names: small, or several, small,icy")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--set", arguments.overrides, "override a key: section.key=value (bodies: snow.0.radius=0.2); may be given many times")
      ->allow_extra_args(false);
}

void add_threads_argument(CLI::App& verb, int& threads) {
  verb.add_option("--threads", threads, "number of threads; default: all cores")->check(CLI::Range(1, 1024));
}

void add_machine_arguments(CLI::App& verb, MachineArguments& arguments) {
  add_threads_argument(verb, arguments.threads);
  verb.add_option("--backend", arguments.backend,
                  "cpu, cuda (a GPU), auto (cuda where there is a GPU) or reference (the slow textbook solver)")
      ->check(CLI::IsMember({"auto", "cpu", "cuda", "reference"}));
}

Command add_run(CLI::App& app) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* verb = app.add_subcommand("run", "simulate a scene and write its frames");
  add_scene_arguments(*verb, a->scene, true);
  verb->add_option("-o,--output", a->directory, "folder for the frames; default: out/<scene>, of out/x/scene.toml out/x_2");
  verb->add_option("--formats", a->formats, "what frames are written as, in place of the scene's: ply,vdb")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(format_names()));
  verb->add_option("--subframes", a->subframes, "written frames per frame, in place of the scene's: 4 writes three between whole ones")
      ->check(CLI::Range(1, 100));
  CLI::Option* frames =
      verb->add_option("--frames", a->frames, "number of frames instead of the scene's duration")->check(CLI::Range(1, 1000000));
  CLI::Option* steps = verb->add_option("--steps", a->steps, "take exactly this many steps and stop")
                           ->check(CLI::Range(std::int64_t(1), std::int64_t(1) << 53))
                           ->excludes(frames);
  verb->add_option("--checkpoint-frames", a->checkpoint_frames, "a checkpoint after every so many frames, in place of the scene's; 0: none")
      ->check(CLI::Range(0, 1000000));
  verb->add_flag("--overwrite", a->overwrite,
                 "write into a folder that is not empty, in the place of a run that is there; files that firn did not write stay");
  add_machine_arguments(*verb, a->machine);
  return [a, frames, steps] { return run_scene(*a, frames->count() > 0, steps->count() > 0); };
}

Command add_resume(CLI::App& app) {
  auto a = std::make_shared<ResumeArguments>();
  CLI::App* verb = app.add_subcommand("resume", "go on with a run from its last checkpoint, bit for bit");
  verb->add_option("DIR", a->directory, "the folder of the run")->required();
  CLI::Option* frames = verb->add_option("--frames", a->frames, "number of frames in all: a run that has ended can be made longer")
                            ->check(CLI::Range(1, 1000000));
  verb->add_option("--backend", a->backend, "go on with cpu or cuda, whichever the run began with; what follows then has other last bits")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  add_threads_argument(*verb, a->threads);
  return [a, frames] { return resume_run(*a, frames->count() > 0); };
}

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
  const firn::Scene scene = a.scene.load();
  a.options.backend = a.machine.chosen(scene);
  a.options.threads = a.machine.threads;
  const firn::BenchReport report = firn::bench(scene, a.options);
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
