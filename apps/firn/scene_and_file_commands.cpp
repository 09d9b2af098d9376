// Verbs that look: at scenes (check, scenes) and at the files of runs (convert, info).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "firn/convert.h"
#include "firn/spelling.h"
#include "interrupt.h"
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
void print_run_time(const firn::CheckReport& report) {
  if (!report.seconds) return;
  fmt::print("run time   {} on {} thread{}, if all steps are like the first {}{}; writing frames not counted\n",
             about_text(*report.seconds), report.threads, report.threads == 1 ? "" : "s", report.timed_steps,
             report.least_iterations > 0 ? fmt::format(" with {} iterations at least", report.least_iterations) : "");
}

int check_scene(const CheckArguments& arguments) {
  const firn::Scene scene = arguments.scene.load();
  ProgressPrinter printer;
  const firn::CheckReport report = firn::check(
      scene, [&](const std::string& what) { printer.set_up(what); }, arguments.threads);
  printer.finish();
  for (const std::string& variant : scene.variants)  // that they can be read, too
    if (arguments.scene.variants.empty()) firn::load_scene(arguments.scene.scene, arguments.scene.overrides, {variant});
  fmt::print("scene      {} ({}D, spacing {} m, {} frames at {} fps)\n", scene.name, scene.simulation.dimension, scene.simulation.spacing,
             scene.frames(), scene.simulation.fps);
  if (!scene.variants.empty()) fmt::print("variants   {}\n", fmt::join(scene.variants, ", "));
  for (std::size_t i = 0; i < report.snow.size(); ++i)
    fmt::print("snow {:<5} {}\n", i, describe(report.snow[i], scene.simulation.dimension));
  for (std::size_t i = 0; i < report.colliders.size(); ++i)
    fmt::print("collider {} {}\n", i, describe(report.colliders[i], scene.simulation.dimension));
  print_flow(scene, report);
  fmt::print("particles  {}\n", report.particles);
  fmt::print("blocks     {}\n", report.blocks);
  fmt::print("memory     {:.0f} MB\n", report.bytes / 1e6);
  if (report.critical_density) fmt::print("critical   {:.4g} kg/m³, where nodes are packed\n", *report.critical_density);
  fmt::print("time step  {:.3g} s{}\n", report.time_step, scene.solver.time_step ? " (fixed)" : " at first (auto)");
  const bool hardening_counts = !scene.solver.time_step && scene.solver.integrator == firn::Integrator::kExplicit;
  fmt::print("steps      about {:.0f}{}\n", report.steps, hardening_counts ? ", more once the snow hardens" : "");
  print_run_time(report);
  for (const std::string& warning : report.warnings) fmt::print(stderr, "warning: {}\n", warning);
  return kDone;
}

int list_scenes(const std::string& name) {
  if (name.empty()) {
    for (const firn::GalleryEntry& entry : firn::gallery()) {
      const std::vector<std::string> variants = firn::variants_of(entry);
      fmt::print("{:<24} {}{}\n", entry.name, entry.summary,
                 variants.empty() ? "" : fmt::format(" · variants {}", fmt::join(variants, ", ")));
    }
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

namespace {

struct ConvertArguments {
  std::vector<std::string> files;  // the last one is the output
  std::string kernel;
  double fps = 0, spacing = 0;
  int dimension = 0;
  firn::ConvertOptions options;
  std::function<void(const std::string& output)> check;  // that no flag is given in vain
};

void print_summary(const firn::ConvertSummary& summary) {
  fmt::print("{} file{}, {} particles", summary.files.size(), summary.files.size() == 1 ? "" : "s", summary.particles);
  if (summary.surfaces) fmt::print(", {} triangles", summary.triangles);
  if (summary.left_out > 0) fmt::print(" ({} loose particles are smaller than a voxel and were left out)", summary.left_out);
  if (summary.files.empty())
    fmt::print("\n");
  else
    fmt::print(", the last is {}\n", summary.files.back());
}

int convert_files(ConvertArguments& a) {
  if (a.files.size() < 2)
    throw firn::UserError("convert wants at least two names: what to read, then what to write (see firn convert --help)");
  const std::string output = a.files.back();
  a.files.pop_back();
  a.check(output);
  if (a.fps > 0) a.options.fps = a.fps;
  if (a.spacing > 0) a.options.spacing = a.spacing;
  if (a.dimension > 0) a.options.dimension = a.dimension;
  if (!a.kernel.empty()) a.options.kernel = a.kernel == "cubic" ? firn::Kernel::kCubic : firn::Kernel::kQuadratic;
  ProgressPrinter printer;
  printer.set_up("converting " + a.files.front());
  a.options.warn = [&](const std::string& text) { printer.warn(text); };
  a.options.progress = [&](const std::string& file, int done, int total) {
    printer.finish();
    if (total > 1) fmt::print(stderr, "{}/{}  {}\n", done, total, file);
    if (done < total) printer.set_up(fmt::format("converting file {} of {}", done + 1, total));
  };
  a.options.interrupted = interrupted_in_haste;
  const firn::ConvertSummary summary = firn::convert(a.files, output, a.options);
  printer.finish();
  print_summary(summary);
  return summary.interrupted ? interrupted_code() : kDone;
}

nlohmann::ordered_json to_json(const firn::FileReport& report) {
  nlohmann::ordered_json json{{"format", report.format}};
  for (const auto& [name, value] : report.entries) json[name] = value;
  for (const firn::FileReport::Column& c : report.columns)
    json["columns"].push_back(
        {{"name", c.name}, {"type", c.type}, {"unit", c.unit}, {"min", c.least}, {"max", c.greatest}, {"mean", c.mean}, {"note", c.note}});
  return json;
}

int print_info(const std::string& path, bool json) {
  ProgressPrinter printer;
  printer.set_up("reading " + path);
  const firn::FileReport report = firn::inspect(path);
  printer.finish();
  if (json) {
    fmt::print("{}\n", to_json(report).dump(2));
    return kDone;
  }
  fmt::print("{:<18} {}\n", "format", report.format);
  for (const auto& [name, value] : report.entries) fmt::print("{:<18} {}\n", name, value);
  if (!report.columns.empty()) fmt::print("\n{:<22} {:<10} {:<6} {:>12} {:>12} {:>12}\n", "name", "type", "unit", "min", "max", "mean");
  for (const firn::FileReport::Column& c : report.columns)
    fmt::print("{:<22} {:<10} {:<6} {:>12.6g} {:>12.6g} {:>12.6g}  {}\n", c.name, c.type, c.unit, c.least, c.greatest, c.mean, c.note);
  return kDone;
}

std::string allowed_formats() {
  std::vector<std::string> lines;
  for (const firn::FrameFormat& format : firn::frame_formats())
    lines.push_back(fmt::format("  .{:<5} {}{}", format.name, format.summary, format.readable ? "" : " (only written)"));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace

// Flags that mean something for some outputs only.
void refuse_in_vain(const std::vector<CLI::Option*>& flags, bool meaningful, const char* outputs) {
  for (const CLI::Option* flag : flags)
    if (flag->count() > 0 && !meaningful) throw firn::UserError(fmt::format("{} is for {} only", flag->get_name(), outputs));
}

Command add_convert(CLI::App& app) {
  auto a = std::make_shared<ConvertArguments>();
  CLI::App* verb = app.add_subcommand("convert", "frames from one format to another");
  verb->footer("Formats, by the ending of a name:\n" + allowed_formats() +
               "\n\nExamples:\n  firn convert out/ball/final.ply ball.vtp\n  firn convert 'out/ball/*.ply' 'vtp/*.vtp'\n"
               "  firn convert out/ball 'volumes/*.vdb' --spacing 0.01\n  firn convert out/ball 'surfaces/*.obj'\n"
               "  firn convert out/ball/scene.toml out/ball/bodies.obj   # the bodies of the scene, for blender/import_run.py");
  verb->add_option("FILES", a->files,
                   "what to read: frames, patterns or the folder of a run; and last what to write, with a * for the names of several")
      ->required();
  verb->add_option("--attributes", a->options.attributes, "keep only these beside the position: velocity,jp")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_option("--fps", a->fps, "frames per second; default: of the .fpc or the scene.toml beside the frames, else 24")
      ->check(CLI::Range(0.01, 1e5));
  verb->add_option("--spacing", a->spacing, "voxel size of volumes, m; default: of the .fpc or the scene.toml beside the frames")
      ->check(CLI::Range(1e-6, 100.0));
  verb->add_option("--kernel", a->kernel, "of volumes; default: likewise, else cubic")->check(CLI::IsMember({"cubic", "quadratic"}));
  verb->add_option("--dimension", a->dimension, "2 or 3; default: likewise, else 3")->check(CLI::IsMember({2, 3}));
  CLI::Option* error =
      verb->add_option("--error", a->options.format.fpc_error, ".fpc: the most a position may be wrong, m; default: nothing is lost")
          ->check(CLI::Range(0.0, 1.0));
  CLI::Option* points = verb->add_flag("--points", a->options.format.vdb_points, ".vdb: the particles as well");
  verb->add_flag("--surface", a->options.as_surface,
                 "a smooth surface of the snow instead of particles; OUT is a .ply or .obj, which needs no flag");
  CLI::Option* voxel =
      verb->add_option("--voxel", a->options.surface.voxel, "of surfaces: size of the triangles, m; default: about 0.28 of the spacing")
          ->check(CLI::Range(1e-6, 1e6));
  CLI::Option* smoothing =
      verb->add_option("--smoothing", a->options.surface.smoothing, "of surfaces: less shows single particles, more rounds edges off")
          ->check(CLI::Range(firn::kLeastSmoothing, firn::kMostSmoothing))
          ->capture_default_str();
  CLI::Option* adaptivity =
      verb->add_option("--adaptivity", a->options.surface.adaptivity, "of surfaces: 0 to 1, larger triangles where it is flat")
          ->check(CLI::Range(0.0, 1.0))
          ->capture_default_str();
  verb->add_flag("--overwrite", a->options.overwrite, "replace files that are there already");
  a->check = [=, options = &a->options](const std::string& output) {
    const auto ends = [&](const char* ending) { return output.ends_with(ending); };
    refuse_in_vain({error}, ends(".fpc"), ".fpc files");
    refuse_in_vain({points}, ends(".vdb"), ".vdb files");
    refuse_in_vain({voxel, smoothing, adaptivity}, options->as_surface || ends(".obj") || ends(".OBJ"), "surfaces");
  };
  return [a] { return convert_files(*a); };
}

Command add_info(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("info", "what is in a file, or what a run is");
  verb->add_option("PATH", *path, "a frame, a volume (.vdb), a mesh or the folder of a run")->required();
  verb->add_flag("--json", *json, "print one JSON object");
  return [path, json] { return print_info(*path, *json); };
}
