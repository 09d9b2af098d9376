// Verbs that make pictures: preview, render.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "commands.h"
#include "firn/picture.h"
#include "interrupt.h"
#include "progress.h"

namespace {

// --frames and --every of pictures: which frames. The range is read when the verb runs.
struct FrameArguments {
  std::string range;
  int every = 1;

  // Throws UserError.
  firn::FrameRange chosen() const;
};

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

// --colour of pictures.
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

// --show of previews.
void add_show_argument(CLI::App& verb, std::vector<firn::Show>& show) {
  const std::map<std::string, firn::Show> names{
      {"nodes", firn::Show::kNodes}, {"velocity", firn::Show::kVelocity}, {"force", firn::Show::kForce}, {"normals", firn::Show::kNormals}};
  verb.add_option_function<std::vector<std::string>>(
          "--show",
          [&show, names](const std::vector<std::string>& chosen) {
            for (const std::string& name : chosen) show.push_back(names.at(name));
          },
          "draw the method over the snow, any of nodes,velocity,force (of the grid; the run needs output.grid) and normals (of colliders)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"nodes", "velocity", "force", "normals"}));
}

// What preview and render say at the end.
void print_pictures(const std::vector<std::string>& paths) {
  if (paths.empty()) {
    fmt::print("no pictures\n");
  } else {
    fmt::print("{} picture{}, the last is {}\n", paths.size(), paths.size() == 1 ? "" : "s", paths.back());
  }
}

// What went wrong with them, if anything did; returns the exit code.
int end_pictures(const std::string& no_film, const std::vector<std::string>& unreadable) {
  if (no_film.empty() && unreadable.empty()) return kDone;
  const std::string frames = unreadable.size() == 1 ? "1 frame" : fmt::format("{} frames", unreadable.size());
  fmt::print(stderr, "error: {}\n", no_film.empty() ? frames + " could not be read: the pictures are not complete" : no_film);
  return kFailed;
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

const std::map<std::string, firn::Quality> kQualities{
    {"draft", firn::Quality::kDraft}, {"good", firn::Quality::kGood}, {"final", firn::Quality::kFinal}};

struct RenderArguments {
  std::string path, size, quality = "good";
  FrameArguments frames;
  firn::RenderOptions options;
};

// "1920x1080"
void read_size(const std::string& text, firn::RenderOptions& options) {
  int width = 0, height = 0;
  const char *end = text.data() + text.size(), *cross = text.data() + std::min(text.find('x'), text.size());
  const auto first = std::from_chars(text.data(), cross, width);
  const bool has_cross = cross != end && first.ec == std::errc() && first.ptr == cross;
  const auto second = has_cross ? std::from_chars(cross + 1, end, height) : first;
  if (!has_cross || second.ec != std::errc() || second.ptr != end)
    throw firn::UserError(fmt::format("--size {}: expected WIDTHxHEIGHT in pixels, such as 1920x1080", text));
  options.width = width;
  options.height = height;
}

int make_pictures(RenderArguments& a) {
  if (!a.size.empty()) read_size(a.size, a.options);
  a.options.quality = kQualities.at(a.quality);
  a.options.frames = a.frames.chosen();
  ProgressPrinter printer;
  a.options.setup = [&](const std::string& what) {
    if (a.options.film.empty()) end_at_once();  // all pictures so far are complete; a film would not be
    printer.set_up(what);
  };
  a.options.progress = [&](const firn::RenderProgress& p) { printer(p); };
  a.options.warn = [&](const std::string& text) { printer.warn(text); };
  a.options.interrupted = interrupted;
  const firn::RenderResult result = firn::render(a.path, a.options);
  printer.finish();
  if (result.interrupted) fmt::print("interrupted: ");
  print_pictures(result.pictures);
  if (result.interrupted && !result.pictures.empty()) fmt::print("it has {} samples a pixel\n", result.samples);
  if (!result.film.empty()) fmt::print("film: {}\n", result.film);
  if (!result.sheet.empty()) fmt::print("sheet: {}\n", result.sheet);
  const int code = end_pictures(result.warning, result.unreadable);
  return result.interrupted ? interrupted_code() : code;
}

}  // namespace

Command add_preview(CLI::App& app) {
  auto a = std::make_shared<PreviewArguments>();
  CLI::App* verb = app.add_subcommand("preview", "fast pictures and a film of a run, or of one frame; a film of several runs");
  verb->add_option("PATH", a->paths, "a run's folder or one frame (.ply); several folders: one film of them side by side")->required();
  verb->add_option("--width", a->options.width, "picture width, pixels")->check(CLI::Range(16, 8192))->capture_default_str();
  verb->add_option("--height", a->options.height, "picture height, pixels")->check(CLI::Range(16, 8192))->capture_default_str();
  add_colour_argument(*verb, a->options.colour);
  add_show_argument(*verb, a->options.show);
  add_frame_arguments(*verb, a->frames);
  CLI::Option* film =
      verb->add_option("--film", a->options.film_path, "the film, such as snow.mp4; default: preview/preview.mp4 of the run");
  verb->add_flag("--no-film", a->no_film, "pictures only")->excludes(film);
  return [a] { return make_preview(*a); };
}

Command add_render(CLI::App& app) {
  auto a = std::make_shared<RenderArguments>();
  CLI::App* verb = app.add_subcommand("render", "path-traced pictures and a film of a run, or of one frame");
  verb->add_option("PATH", a->path, "a run's folder or one frame (.ply)")->required();
  verb->add_option("--quality", a->quality,
                   fmt::format("{}, {} or {} samples a pixel, the last without denoising", firn::samples_of(firn::Quality::kDraft),
                               firn::samples_of(firn::Quality::kGood), firn::samples_of(firn::Quality::kFinal)))
      ->check(CLI::IsMember({"draft", "good", "final"}))
      ->capture_default_str();
  verb->add_option("--spp", a->options.samples, "samples a pixel, instead of those of the quality");
  verb->add_option("--size", a->size, "of the pictures, WIDTHxHEIGHT; default: that of the scene's [render]");
  add_frame_arguments(*verb, a->frames);
  add_colour_argument(*verb, a->options.colour);
  verb->add_option("--seed", a->options.seed, "of the samples")->capture_default_str();
  verb->add_flag("--exr", a->options.exr, "also OpenEXR files: linear light, albedo, normals and depth");
  verb->add_flag("--volume", a->options.volume,
                 "also OpenVDB files: the density that light goes through, finer than the simulation's grid");
  verb->add_option("--film", a->options.film, "a film of the pictures, such as snow.mp4; also .mov, .webm and .gif");
  verb->add_option("--sheet", a->options.sheet, "six of the pictures at a glance, such as sheet.png");
  return [a] { return make_pictures(*a); };
}
