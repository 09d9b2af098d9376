// Verbs about scenes: check, scenes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "firn/spelling.h"
#include "progress.h"

namespace {

std::string describe(const firn::CheckReport::Body& body, int dimension) {
  std::string text = fmt::format("{}: {} particles, {:.4g} kg", body.shape, body.particles, body.mass);
  if (body.content > 0) text += fmt::format(", {:.4g} m{}", body.content, dimension == 3 ? "³" : "²");
  if (body.start > 0) text += fmt::format(", from {:.4g} s on", body.start);
  return text;
}

std::string describe(const firn::CheckReport::Obstacle& body, int dimension) {
  std::string text = body.shape;
  if (body.size[0] > 0) text += fmt::format(", {:.4g} m", fmt::join(body.size.begin(), body.size.begin() + dimension, " x "));
  return text + (body.moves ? ", moves" : "");
}

std::string vector_text(const firn::Vector& v, int dimension) {
  return fmt::format("[{}]", fmt::join(v.begin(), v.begin() + dimension, ", "));
}

// What comes and goes while the run goes on.
void print_flow(const firn::Scene& scene, const firn::CheckReport& report) {
  const auto text = [&](const firn::Vector& v) { return vector_text(v, scene.simulation.dimension); };
  for (std::size_t i = 0; i < report.sources.size(); ++i) {
    const firn::CheckReport::Flow& source = report.sources[i];
    fmt::print("source {:<3} {}: {:.4g} particles/s, {:.0f} particles and {:.4g} kg in all\n", i, source.shape, source.particles_per_second,
               source.particles, source.mass);
  }
  for (std::size_t i = 0; i < report.sinks.size(); ++i) fmt::print("sink {:<5} {}\n", i, report.sinks[i]);
  if (scene.domain) fmt::print("domain     {} to {} m\n", text(scene.domain->lower), text(scene.domain->upper));
  if (!scene.window) return;
  const firn::Window& window = *scene.window;
  const std::string motion =
      window.follow ? fmt::format("with collider {}", *window.follow) : fmt::format("at {} m/s", text(window.velocity));
  fmt::print("window     {} to {} m, moves {}\n", text(window.lower), text(window.upper), motion);
}

struct CheckArguments {
  SceneArguments scene;
  int threads = 0;
};

// What the estimate rests on is said with it.
void print_run_time(const firn::Scene& scene, const firn::CheckReport& report) {
  if (!report.seconds) return;
  const bool solves = scene.solver.integrator == firn::Integrator::kSemiImplicit;
  fmt::print("run time   {} on {} thread{}, if all steps are like the first {}{}; writing frames not counted\n",
             about_text(*report.seconds), report.threads, report.threads == 1 ? "" : "s", report.timed_steps,
             solves ? " with 25 iterations at least" : "");
}

int check_scene(const CheckArguments& arguments) {
  const firn::Scene scene = arguments.scene.load();
  ProgressPrinter printer;
  const firn::CheckReport report = firn::check(
      scene, [&](const std::string& what) { printer.set_up(what); }, arguments.threads);
  printer.finish();
  fmt::print("scene      {} ({}D, spacing {} m, {} frames at {} fps)\n", scene.name, scene.simulation.dimension, scene.simulation.spacing,
             scene.frames(), scene.simulation.fps);
  for (std::size_t i = 0; i < report.snow.size(); ++i)
    fmt::print("snow {:<5} {}\n", i, describe(report.snow[i], scene.simulation.dimension));
  for (std::size_t i = 0; i < report.colliders.size(); ++i)
    fmt::print("collider {} {}\n", i, describe(report.colliders[i], scene.simulation.dimension));
  print_flow(scene, report);
  fmt::print("particles  {}\n", report.particles);
  fmt::print("blocks     {}\n", report.blocks);
  fmt::print("memory     {:.0f} MB\n", report.bytes / 1e6);
  fmt::print("time step  {:.3g} s{}\n", report.time_step, scene.solver.time_step ? " (fixed)" : " at first (auto)");
  const bool hardening_counts = !scene.solver.time_step && scene.solver.integrator == firn::Integrator::kExplicit;
  fmt::print("steps      about {:.0f}{}\n", report.steps, hardening_counts ? ", more once the snow hardens" : "");
  print_run_time(scene, report);
  for (const std::string& warning : report.warnings) fmt::print(stderr, "warning: {}\n", warning);
  return kDone;
}

int list_scenes(const std::string& name) {
  if (name.empty()) {
    for (const firn::GalleryEntry& entry : firn::gallery()) fmt::print("{:<18} {}\n", entry.name, entry.summary);
    return kDone;
  }
  for (const firn::GalleryEntry& entry : firn::gallery()) {
    if (entry.name != name) continue;
    fmt::print("{}", entry.toml);
    return kDone;
  }
  std::vector<std::string_view> names;
  for (const firn::GalleryEntry& entry : firn::gallery()) names.emplace_back(entry.name);
  throw firn::UserError(fmt::format("no gallery scene is called '{}'{}", name, firn::name_suggestion(name, names)));
}

}  // namespace

Command add_check(CLI::App& app) {
  auto a = std::make_shared<CheckArguments>();
  CLI::App* verb = app.add_subcommand("check", "validate a scene and say what running it will take: memory, steps and time");
  add_scene_arguments(*verb, a->scene, true);
  add_threads_argument(*verb, a->threads);
  return [a] { return check_scene(*a); };
}

Command add_scenes(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("scenes", "list the gallery; with a name print that scene");
  verb->add_option("NAME", *name, "a gallery scene");
  return [name] { return list_scenes(*name); };
}
