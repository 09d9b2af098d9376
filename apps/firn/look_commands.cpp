// Verbs that show something: check, scenes, preview.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <memory>

#include "commands.h"
#include "firn/picture.h"
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

struct PreviewArguments {
  std::vector<std::string> paths;
  FrameArguments frames;
  firn::PreviewOptions options;
  bool no_film = false;
};

int make_preview(PreviewArguments& a) {
  a.options.film = !a.no_film;
  a.options.frames = a.frames.chosen();
  ProgressPrinter printer;
  a.options.setup = [&](const std::string& what) { printer.set_up(what); };
  a.options.progress = [&](int done, int total) {
    printer.finish();
    fmt::print(stderr, "picture {}/{}\n", done, total);
  };
  a.options.warn = [&](const std::string& text) { printer.warn(text); };
  const bool is_one = a.paths.size() == 1;
  const firn::PreviewResult result = is_one ? firn::preview(a.paths.front(), a.options) : firn::compare(a.paths, a.options);
  if (is_one) print_pictures(result.pictures);
  if (!result.film.empty()) fmt::print("film: {}\n", result.film);
  return end_pictures(result.warning, result.unreadable);
}

}  // namespace

void print_pictures(const std::vector<std::string>& paths) {
  if (paths.empty()) {
    fmt::print("no pictures\n");
  } else {
    fmt::print("{} picture{}, the last is {}\n", paths.size(), paths.size() == 1 ? "" : "s", paths.back());
  }
}

int end_pictures(const std::string& no_film, const std::vector<std::string>& unreadable) {
  if (no_film.empty() && unreadable.empty()) return kDone;
  const std::string frames = unreadable.size() == 1 ? "1 frame" : fmt::format("{} frames", unreadable.size());
  fmt::print(stderr, "error: {}\n", no_film.empty() ? frames + " could not be read: the pictures are not complete" : no_film);
  return kFailed;
}

firn::FrameRange FrameArguments::chosen() const {
  firn::FrameRange result;
  result.every = every;
  if (range.empty()) return result;
  const char *begin = range.data(), *end = begin + range.size();
  const auto first = std::from_chars(begin, end, result.first);
  bool good = first.ec == std::errc() && result.first >= 0;
  const bool is_range = good && first.ptr != end && *first.ptr == '-';
  if (good && !is_range) {
    good = first.ptr == end;
    result.last = result.first;
  } else if (good && first.ptr + 1 != end) {
    long last = 0;
    const auto second = std::from_chars(first.ptr + 1, end, last);
    good = second.ec == std::errc() && second.ptr == end && last >= 0;
    result.last = last;
  }
  if (!good) throw firn::UserError(fmt::format("--frames {}: expected a frame or a range of them, such as 12, 10-20 or 10-", range));
  if (result.last && *result.last < result.first) throw firn::UserError(fmt::format("--frames {}: the range ends before it begins", range));
  return result;
}

void add_frame_arguments(CLI::App& verb, FrameArguments& arguments) {
  verb.add_option("--frames", arguments.range, "of a run: frame 12, frames 10-20, or 10- for the rest; default: all");
  verb.add_option("--every", arguments.every, "of these frames, every so many; a film keeps its speed")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
}

void add_colour_argument(CLI::App& verb, firn::ColourBy& colour) {
  const std::map<std::string, firn::ColourBy> names{{"speed", firn::ColourBy::kSpeed},
                                                    {"jp", firn::ColourBy::kJp},
                                                    {"density", firn::ColourBy::kDensity},
                                                    {"material", firn::ColourBy::kMaterial}};
  verb.add_option_function<std::string>(
          "--colour,--color", [&colour, names](const std::string& name) { colour = names.at(name); },
          "colour the snow by its speed, jp (plastic volume), density or material, with a legend; default: as snow is")
      ->check(CLI::IsMember({"speed", "jp", "density", "material"}));
}

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

Command add_preview(CLI::App& app) {
  auto a = std::make_shared<PreviewArguments>();
  CLI::App* verb = app.add_subcommand("preview", "fast pictures and a film of a run, or of one frame; a film of several runs");
  verb->add_option("PATH", a->paths, "a run's folder or one frame (.ply); several folders: one film of them side by side")->required();
  verb->add_option("--width", a->options.width, "picture width, pixels")->check(CLI::Range(16, 8192))->capture_default_str();
  verb->add_option("--height", a->options.height, "picture height, pixels")->check(CLI::Range(16, 8192))->capture_default_str();
  add_colour_argument(*verb, a->options.colour);
  add_frame_arguments(*verb, a->frames);
  CLI::Option* film =
      verb->add_option("--film", a->options.film_path, "the film, such as snow.mp4; default: preview/preview.mp4 of the run");
  verb->add_flag("--no-film", a->no_film, "pictures only")->excludes(film);
  return [a] { return make_preview(*a); };
}
