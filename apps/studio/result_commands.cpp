// Commands about scenes at large, and what is made of runs: the gallery, the list of keys, checks, pictures, films, files.
#include <algorithm>

#include "firn/convert.h"
#include "firn/error.h"
#include "firn/picture.h"
#include "guard.h"
#include "page.h"
#include "recorded.h"
#include "studio.h"
#include "transfers.h"

namespace firn::studio {

namespace fs = std::filesystem;

namespace {

Json material_json(const Material& material) {
  return {{"young_modulus", material.young_modulus},
          {"poisson_ratio", material.poisson_ratio},
          {"hardening", material.hardening},
          {"critical_compression", material.critical_compression},
          {"critical_stretch", material.critical_stretch},
          {"density", material.density},
          {"hardening_limit", material.hardening_limit}};
}

// Words for what a preset is like.
std::string summary_of(const std::string& preset) {
  constexpr std::pair<std::string_view, const char*> kSummaries[] = {{"powder", "new snow: the least pull tears it, it runs like dust"},
                                                                     {"packed", "the defaults"},
                                                                     {"wet", "sticky: it gives way and hangs together"},
                                                                     {"icy", "stiff and brittle: shatters into hard pieces"},
                                                                     {"muddy", "bends, flows, is squeezed"},
                                                                     {"crust", "refrozen: stiff and strong, breaks as slabs"},
                                                                     {"chunky", "breaks late, into lumps"}};
  for (const auto& [name, words] : kSummaries)
    if (name == preset) return words;
  return "";
}

// Made once: reading all scenes of the gallery takes a moment.
Json gallery_json() {
  Json scenes = Json::array(), kinds = Json::array();
  for (const GalleryEntry& entry : firn::gallery()) {
    if (entry.name.starts_with("bench_")) continue;  // to be measured, not to be looked at
    Json scene{{"name", entry.name},
               {"summary", entry.summary},
               {"variants", variants_of(entry)},
               {"dimension", entry.toml.find("dimension = 2") == std::string::npos ? 3 : 2}};
    if (const std::string picture = "/gallery/" + entry.name + ".jpg"; find_page_file(picture) != nullptr) scene["picture"] = picture;
    scenes.push_back(std::move(scene));
  }
  for (const Material& preset : presets())
    kinds.push_back({{"name", preset.name}, {"summary", summary_of(preset.name)}, {"values", material_json(preset)}});
  return {{"scenes", scenes}, {"presets", kinds}};
}

Json schema_json() {
  Json schema = Json::parse(scene_schema());
  for (Json& section : schema["sections"]) {
    const std::string name = section["name"];
    for (Json& key : section["keys"])
      key["now"] = takes_effect_now(name + (name == "materials" ? ".any." : ".") + key["name"].get<std::string>());
  }
  return schema;
}

Json check_json(const Scene& scene) {
  const CheckReport report = firn::check(scene, {}, 0, false);
  Json snow = Json::array();
  for (const CheckReport::Body& body : report.snow)
    snow.push_back({{"shape", body.shape}, {"particles", body.particles}, {"mass", body.mass}, {"content", body.content}});
  return {{"particles", report.particles}, {"blocks", report.blocks}, {"bytes", report.bytes},
          {"time_step", report.time_step}, {"steps", report.steps},   {"snow", snow},
          {"warnings", report.warnings},   {"frames", scene.frames()}};
}

// As a shell takes it for one word, and the program for no flag.
std::string shell_word(const std::string& name) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  const std::string word = name.starts_with('-') ? "./" + name : name;
  if (word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Whether any of the formats that its frames are written in can be read again.
bool has_readable_frames(const Scene& scene) {
  const std::vector<std::string>& names = scene.output.formats;
  return std::any_of(frame_formats().begin(), frame_formats().end(), [&](const FrameFormat& format) {
    return format.readable && std::find(names.begin(), names.end(), format.name) != names.end();
  });
}

}  // namespace

void Studio::gallery(const Request&, const Reply& reply) {
  static const Json json = gallery_json();
  reply.ok(json);
}

void Studio::schema(const Request&, const Reply& reply) {
  static const Json json = schema_json();
  reply.ok(json);
}

// Scenes and runs of the work folder, not deeper than runs usually are.
void Studio::files(const Request&, const Reply& reply) {
  at_work(reply, [root = options_.folder] {
    constexpr int kDeepest = 2;
    constexpr std::size_t kMost = 500;
    std::vector<std::string> scenes, folders;
    std::error_code failure;
    fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, failure);
    for (const fs::recursive_directory_iterator end; !failure && at != end; at.increment(failure)) {
      const std::string name = at->path().filename().string();
      if (name.starts_with('.') || at->is_symlink(failure) || at.depth() >= kDeepest) at.disable_recursion_pending();
      if (name.starts_with('.') || at->is_symlink(failure)) continue;
      const std::string relative = at->path().lexically_relative(root).string();
      if (at->is_directory(failure) && fs::exists(at->path() / ".firn", failure)) {
        at.disable_recursion_pending();
        if (folders.size() < kMost) folders.push_back(relative);
      } else if (at->path().extension() == ".toml" && scenes.size() < kMost) {
        scenes.push_back(relative);
      }
    }
    std::sort(scenes.begin(), scenes.end());
    std::sort(folders.begin(), folders.end());
    return Json{{"scenes", scenes}, {"folders", folders}};
  });
}

void Studio::check(const Request& request, const Reply& reply) {
  Document document{request.text("text"), "", {}, 1};
  const auto path = inside(options_.folder, request.text_or("file", "untitled.toml"));
  if (!path) throw UserError("'file' must be in the work folder");
  document.file = path->string();
  if (const std::string variant = request.text_or("variant", ""); !variant.empty()) document.variants = {variant};
  at_work(
      reply, [document, folders = readable_folders()] { return check_json(document.parse(folders)); }, document.file);
}

void Studio::compare(const Request& request, const Reply& reply) {
  const Entry &a = entry_of(request, "a"), &b = entry_of(request, "b");
  Json list = Json::array();
  for (const Difference& difference : differences(a.running, b.running))
    list.push_back({{"key", difference.key}, {"a", difference.a}, {"b", difference.b}});
  reply.ok({{"differences", list}});
}

void Studio::save(const Request& request, const Reply& reply) {
  Entry& entry = entry_of(request);
  const std::string name = request.text("path");
  const auto path = inside(options_.folder, name);
  if (!path || path->extension() != ".toml") throw UserError("'path' must be a .toml file of the work folder");
  if (!entry.is_valid) return reply.error(entry.error);
  // Relative names of files start from the new place.
  Document there = entry.document;
  there.file = path->string();
  const std::vector<std::string> warnings = check_files(there);
  std::error_code failure;
  fs::create_directories(path->parent_path(), failure);
  if (fs::is_symlink(*path, failure)) throw UserError("'path' is a link");
  if (path->filename() == "scene.toml" && fs::exists(path->parent_path() / ".firn", failure))
    throw UserError("'path' is where a run keeps its scene");
  const fs::path fresh = path->string() + ".new";
  if (!write_new(fresh, entry.document.text)) throw UserError(name + ": cannot be written");
  fs::rename(fresh, *path, failure);
  if (failure) throw UserError(name + ": cannot be written: " + failure.message());
  entry.document.file = path->string();
  std::string command = "firn run " + shell_word(name);
  for (const std::string& variant : entry.document.variants) command += " --variant " + variant;
  reply.ok({{"file", name}, {"command", command}, {"warnings", warnings}});
  tell_document(entry, reply.member());
}

// Files that it names must lie where scenes may name them, whichever variant is chosen later. Other mistakes of variants that are not
// chosen now are returned: an edit of the scene may have made them.
std::vector<std::string> Studio::check_files(const Document& document) const {
  Document other = document;
  std::vector<std::string> choices = document.parse(readable_folders()).variants, mistakes;
  choices.insert(choices.begin(), "");
  for (const std::string& variant : choices) {
    other.variants.clear();
    if (!variant.empty()) other.variants.push_back(variant);
    try {
      other.parse(readable_folders());
    } catch (const ForbiddenFile&) {
      throw;
    } catch (const UserError& error) {
      const TextError mistake = text_error(error.what(), other.file);
      const std::string who = variant.empty() ? "without a variant" : "variant " + variant;
      const std::string place = mistake.line > 0 ? ", line " + std::to_string(mistake.line) : "";
      mistakes.push_back(who + place + ": " + mistake.message);
    }
  }
  return mistakes;
}

const Studio::Entry& Studio::with_frames(const Request& request) {
  const Entry& entry = entry_of(request);
  if (!entry.was_loaded && entry.run->status().frame < 0) throw UserError("the run has no frames yet");
  return entry;
}

void Studio::start_job(const Entry& entry, const Reply& reply, const std::string& kind, Jobs::Work work) {
  document_in(entry.run->folder()).parse(readable_folders());  // pictures and films show what the folder's scene names
  if (!entry.was_loaded && has_readable_frames(entry.running))
    work = [work = std::move(work), folder = entry.run->folder(), last = entry.run->status().frame](const auto& progress,
                                                                                                    const auto& is_cancelled) {
      await_frame(folder, last, is_cancelled);
      return work(progress, is_cancelled);
    };
  const int job = jobs_.start(entry.number, kind, std::move(work), [this](const JobNews& news) {
    post_([this, news] {
      const std::string file = news.file.empty() ? "" : fs::path(news.file).lexically_relative(options_.folder).string();
      Json json{{"event", "job"},    {"job", news.job},           {"run", news.run},
                {"kind", news.kind}, {"fraction", news.fraction}, {"seconds_left", news.seconds_left},
                {"file", file},      {"done", news.done}};
      if (!news.error.empty()) json["error"] = news.error;
      broadcast(json);
    });
  });
  reply.ok({{"job", job}});
}

void Studio::picture(const Request& request, const Reply& reply) {
  const Entry& entry = with_frames(request);
  if (request.flag("cancel")) throw UserError("send 'cancel' with the number of the job");
  RenderOptions options;
  const int last = entry.was_loaded ? entry.recorded : entry.run->status().frame;
  options.frames.first = options.frames.last.emplace(request.frame("frame").value_or(last));
  options.samples = static_cast<int>(request.whole_or("samples", 1, 65536, 64));
  options.width = static_cast<int>(request.whole_or("width", 16, 8192, entry.running.render.width));
  options.height = static_cast<int>(request.whole_or("height", 16, 8192, entry.running.render.height));
  start_job(entry, reply, "picture", [options, folder = entry.run->folder()](const auto& progress, const auto& is_cancelled) mutable {
    const std::string number = std::to_string(options.frames.first);
    const std::string file = folder + "/render/frame_" + std::string(number.size() < 4 ? 4 - number.size() : 0, '0') + number + ".png";
    std::error_code failure;
    const auto before = fs::last_write_time(file, failure);  // of an earlier picture
    options.progress = [&](const RenderProgress& p) {
      std::error_code none;
      const bool is_there = fs::exists(file, none) && (failure || fs::last_write_time(file, none) != before);
      progress(p.fraction, p.seconds_left, is_there ? file : "");
    };
    options.interrupted = [&] { return is_cancelled.load(); };
    const RenderResult result = render(folder, options);
    return result.pictures.empty() ? std::string() : result.pictures.front();
  });
}

void Studio::film(const Request& request, const Reply& reply) {
  const Entry& entry = with_frames(request);
  const std::string kind = request.text_or("kind", "preview"), folder = entry.run->folder();
  if (kind == "preview") {
    const std::optional<LookChannel> channel = channel_named(request.text_or("colour", "none"));
    PreviewOptions options;
    if (!channel || *channel == LookChannel::kStress) throw UserError("'colour' must be none, speed, jp, density or material");
    options.colour = static_cast<ColourBy>(*channel);  // the same order
    return start_job(entry, reply, "film", [options, folder](const auto& progress, const auto& is_cancelled) mutable {
      options.progress = [&](int done, int total) {
        if (is_cancelled) throw RunError("cancelled");
        progress(static_cast<double>(done) / total, -1, "");
      };
      const PreviewResult result = preview(folder, options);
      if (!result.warning.empty()) throw RunError(result.warning);
      return result.film;
    });
  }
  if (kind != "render") throw UserError("'kind' must be preview or render");
  RenderOptions options;
  options.samples = static_cast<int>(request.whole_or("samples", 1, 65536, 16));
  options.film = folder + "/render/film.mp4";
  start_job(entry, reply, "film", [options, folder](const auto& progress, const auto& is_cancelled) mutable {
    options.progress = [&](const RenderProgress& p) {
      progress((p.picture - 1 + p.fraction) / std::max(1, p.pictures), p.seconds_left, "");
    };
    options.interrupted = [&] { return is_cancelled.load(); };
    const RenderResult result = render(folder, options);
    if (!result.warning.empty()) throw RunError(result.warning);
    return result.film;
  });
}

void Studio::export_frames(const Request& request, const Reply& reply) {
  const Entry& entry = with_frames(request);
  const std::string format = request.text("format");
  const auto known = [&](const FrameFormat& f) { return f.name == format; };
  if (std::none_of(frame_formats().begin(), frame_formats().end(), known) && format != "obj")
    throw UserError("'format' must be ply, vdb, vtp, bgeo, usda, fpc, or obj for a surface");
  start_job(entry, reply, "export", [format, folder = entry.run->folder()](const auto& progress, const auto& is_cancelled) {
    ConvertOptions options;
    options.overwrite = true;
    options.progress = [&](const std::string&, int done, int total) { progress(static_cast<double>(done) / total, -1, ""); };
    options.interrupted = [&] { return is_cancelled.load(); };
    convert({folder}, folder + "/export/*." + format, options);
    return folder + "/export";
  });
}

void Studio::cancel(const Request& request, const Reply& reply) {
  if (!jobs_.cancel(static_cast<int>(request.whole("job", 1, 1'000'000'000)))) throw UserError("there is no such job");
  reply.ok();
}

}  // namespace firn::studio
