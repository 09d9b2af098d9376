// The verb render.
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
