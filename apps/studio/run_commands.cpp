// Commands that open, steer and change runs.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "firn/error.h"
#include "firn/files.h"
#include "guard.h"
#include "studio.h"

namespace firn::studio {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestText = std::size_t{1} << 20;  // bytes, as of a message

// Editors in browsers know one kind of line end.
std::string with_plain_line_ends(std::string text) {
  for (std::size_t at = 0; (at = text.find("\r\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

std::string read_text(const fs::path& path) {
  std::error_code failure;
  const std::string name = path.filename().string();
  if (!fs::is_regular_file(path, failure)) throw UserError(name + ": there is no such file");
  if (fs::file_size(path, failure) > kLargestText) throw UserError(name + ": larger than 1 MiB");
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) throw UserError(name + ": cannot be read");
  return with_plain_line_ends(text.str());
}

// The number of the last frame in a folder; -1: there is none.
int last_frame(const fs::path& folder) {
  int last = -1;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    int number = 0, length = 0;
    const std::string name = at->path().filename().string();
    if (std::sscanf(name.c_str(), "frame_%d.%n", &number, &length) == 1 && length > 0) last = std::max(last, number);
  }
  return last;
}

bool concerns_bodies(const Scene& a, const Scene& b) {
  const std::vector<Difference> all = differences(a, b);
  return std::any_of(all.begin(), all.end(), [](const Difference& d) {
    return d.key.starts_with("collider.") || d.key.starts_with("source.") || d.key.starts_with("sink.");
  });
}

bool has_checkpoint(const fs::path& folder) {
  std::error_code failure;
  fs::directory_iterator at(folder / "checkpoints", failure);
  return !failure && at != fs::directory_iterator();
}

}  // namespace

// Folders that scenes may name files of.
std::vector<std::string> Studio::readable_folders() const {
  std::vector<std::string> folders{options_.folder.string(), gallery_folder(), "/usr/share/fonts"};
  for (const fs::path& folder : options_.trusted) folders.push_back(folder.string());
  return folders;
}

// out/NAME of the work folder, or with the first number that is free.
std::string Studio::free_folder(const std::string& name) const {
  const fs::path first = options_.folder / "out" / name;
  if (!is_inside(options_.folder, first)) throw UserError("out/" + name + " would not lie in the work folder: a link leads out of it");
  for (int number = 1;; ++number) {
    const fs::path path = number == 1 ? first : fs::path(first.string() + "_" + std::to_string(number));
    std::error_code failure;
    const bool is_open =
        std::any_of(runs_.begin(), runs_.end(), [&](const auto& run) { return run.second.run->folder() == path.string(); });
    if (!is_open && !fs::exists(fs::symlink_status(path, failure))) return path.string();
  }
}

Studio::Entry& Studio::add_entry(Document document, std::string folder) {
  if (runs_.size() >= kMostRuns) throw UserError("eight runs are open already; close one");
  if (closing_runs_ >= kMostClosing) throw UserError("too many runs are still closing; wait a moment");
  int number = 1;
  while (runs_.contains(number)) ++number;
  LiveRun::Hooks hooks;
  hooks.changed = [this, number] { post_([this, number] { tell_run(number); }); };
  hooks.warn = [this, number](const std::string& message) {
    post_([this, number, message] { broadcast({{"event", "warning"}, {"run", number}, {"message", message}}); });
  };
  auto run = std::make_unique<LiveRun>(std::move(folder), options_.threads, std::move(hooks));
  Entry& entry = runs_[number];
  entry.number = number;
  entry.document = std::move(document);
  entry.run = std::move(run);
  return entry;
}

void Studio::begin(Entry& entry, std::optional<bool> goes) {
  entry.running = entry.scene;
  if (std::exchange(entry.bodies, nullptr)) make_bodies(entry);
  std::error_code failure;
  const bool overwrite = fs::exists(entry.run->folder(), failure);
  entry.run->start(entry.scene, goes, overwrite);
  if (std::exchange(entry.was_loaded, false)) renew_watches(entry.number);
}

Studio::Entry& Studio::open_document(Document document, bool goes) {
  const Scene scene = document.parse(readable_folders());
  Entry& entry = add_entry(std::move(document), free_folder(scene.name));
  entry.scene = scene;
  begin(entry, goes);
  return entry;
}

// The scene of a run.
Document Studio::document_in(const fs::path& folder) const {
  const fs::path file = folder / "scene.toml";
  if (!is_inside(folder, file)) throw UserError("scene.toml is a link that leads out of its folder");
  return {read_text(file), file.string(), {}, 1};
}

Studio::Entry& Studio::open_folder(const fs::path& folder) {
  Document document = document_in(folder);
  const Scene scene = document.parse(readable_folders());
  if (std::any_of(runs_.begin(), runs_.end(), [&](const auto& run) { return run.second.run->folder() == folder.string(); }))
    throw UserError("this run is open already");
  Entry& entry = add_entry(std::move(document), folder.string());
  entry.scene = entry.running = scene;
  entry.scene.name = entry.running.name = folder.filename().string();
  entry.was_loaded = true;
  entry.recorded = last_frame(folder);
  entry.is_resumable = has_checkpoint(folder);
  return entry;
}

Document Studio::document_of(const Request& request) const {
  Document document;
  if (request.has("gallery")) {
    const std::string name = request.text("gallery");
    document = gallery_document(name, options_.folder);
    const auto entry = std::find_if(firn::gallery().begin(), firn::gallery().end(), [&](const auto& e) { return e.name == name; });
    const std::vector<std::string> variants = variants_of(*entry);
    if (!request.has("variant") && std::find(variants.begin(), variants.end(), "small") != variants.end()) document.variants = {"small"};
  } else if (request.has("file")) {
    const auto path = inside(options_.folder, request.text("file"));
    if (!path || path->extension() != ".toml") throw UserError("'file' must be a .toml file of the work folder");
    document = {read_text(*path), path->string(), {}, 1};
  } else {
    const auto path = inside(options_.folder, request.text_or("name", "untitled") + ".toml");
    if (!path) throw UserError("'name' must be a plain name");
    document = {with_plain_line_ends(request.text("text")), path->string(), {}, 1};
  }
  if (const std::string variant = request.text_or("variant", ""); !variant.empty()) document.variants = {variant};
  return document;
}

void Studio::open(const Request& request, const Reply& reply) {
  if (request.has("folder")) {
    const auto path = inside(options_.folder, request.text("folder"));
    if (!path) throw UserError("'folder' must be a folder of the work folder");
    const Entry& entry = open_folder(*path);
    tell_run(entry.number);
    tell_document(entry, reply.member());
    return reply.ok({{"run", entry.number}});
  }
  const Document document = document_of(request);
  try {
    const Entry& entry = open_document(document, request.flag("go"));
    tell_run(entry.number);
    tell_document(entry, reply.member());
    reply.ok({{"run", entry.number}});
  } catch (const UserError& error) {
    reply.error(text_error(error.what(), document.file));
  }
}

void Studio::open_path(const std::string& path) {
  std::error_code failure;
  const fs::path whole = fs::absolute(path).lexically_normal();
  if (fs::is_directory(whole, failure)) {
    const fs::path folder = fs::canonical(whole);
    options_.trusted.push_back(folder);
    open_folder(folder);
  } else if (fs::exists(whole, failure)) {
    options_.trusted.push_back(whole.parent_path());
    open_document({read_text(whole), whole.string(), {}, 1}, false);
  } else {
    open_document(gallery_document(path, options_.folder), false);
  }
}

void Studio::close(const Request& request, const Reply& reply) {
  Entry& entry = entry_of(request);
  const int number = entry.number;
  for (auto& [name, member] : members_)
    if (const auto watch = member.watches.find(number); watch != member.watches.end()) {
      *watch->second.is_wanted = false;
      member.watches.erase(watch);
    }
  entry.run->end();
  // It may have to finish a step and a checkpoint.
  ++closing_runs_;
  closing_.add([this, run = std::shared_ptr<LiveRun>(std::move(entry.run))]() mutable {
    run.reset();
    post_([this] { --closing_runs_; });
  });
  runs_.erase(number);
  reply.ok();
  broadcast({{"event", "closed"}, {"run", number}});
}

void Studio::edit(const Request& request, const Reply& reply) {
  Entry& entry = entry_of(request);
  if (const auto revision = request.whole("revision", 0, 1'000'000'000); revision != entry.document.revision)
    return reply.error({"the document has changed since: it is at revision " + std::to_string(entry.document.revision)}, true);
  entry.document.text = with_plain_line_ends(request.text("text"));
  if (request.has("variant")) {
    const std::string variant = request.text("variant");
    entry.document.variants = variant.empty() ? std::vector<std::string>{} : std::vector<std::string>{variant};
  }
  const int revision = ++entry.document.revision, number = entry.number;
  Scene scene;
  try {
    scene = entry.document.parse(readable_folders());
  } catch (const UserError& error) {
    entry.is_valid = false;
    entry.error = text_error(error.what(), entry.document.file);
    tell_document(entry, reply.member());
    tell_run(number);
    return reply.error(entry.error);
  }
  entry.is_valid = true;
  scene.name = entry.scene.name;
  entry.scene = scene;
  tell_document(entry, reply.member());
  const RunStatus status = entry.run->status();
  const bool has_begun = entry.was_loaded || status.frame >= 0;
  if (!has_begun) {
    begin(entry, std::nullopt);
    return reply.ok({{"revision", revision}, {"effect", "none"}});
  }
  tell_run(number);
  entry.run->edit(scene, [this, reply, revision, number, scene](const EditOutcome& outcome) {
    Json json{{"revision", revision}, {"effect", outcome.effect}};
    if (!outcome.reason.empty()) json["reason"] = outcome.reason;
    reply.ok(json);
    post_([this, number, running = outcome.running] {
      const auto found = runs_.find(number);
      if (found == runs_.end() || !running) return;
      const bool has_moved = concerns_bodies(found->second.running, *running);
      found->second.running = *running;
      if (has_moved) make_bodies(found->second);
    });
  });
}

void Studio::document(const Request& request, const Reply& reply) {
  const Entry& entry = entry_of(request);
  Json json{{"text", entry.document.text},
            {"revision", entry.document.revision},
            {"file", fs::path(entry.document.file).lexically_relative(options_.folder).string()},
            {"valid", entry.is_valid}};
  if (!entry.is_valid) json["mistake"] = error_json(entry.error);  // an "error" would be of the request
  reply.ok(json);
}

void Studio::resolved(const Request& request, const Reply& reply) { reply.ok({{"text", to_toml(entry_of(request).running)}}); }

void Studio::want_simulation(const Entry& entry) const {
  if (entry.was_loaded && !entry.run->status().has_simulation && entry.run->status().state != RunState::kSettingUp)
    throw UserError("the run has been loaded from its folder; resume or restart it");
  if (entry.run->status().state == RunState::kEnded) throw UserError("the run has come to its end; restart it");
  if (entry.run->status().state == RunState::kFailed) throw UserError("the run has failed; restart it");
}

void Studio::go(const Request& request, const Reply& reply) {
  Entry& entry = entry_of(request);
  want_simulation(entry);
  std::optional<int> until;
  if (request.has("until")) until = static_cast<int>(request.whole("until", 0, 1'000'000));
  entry.run->go(until);
  reply.ok();
}

void Studio::pause(const Request& request, const Reply& reply) {
  entry_of(request).run->pause();
  reply.ok();
}

void Studio::step(const Request& request, const Reply& reply) {
  Entry& entry = entry_of(request);
  want_simulation(entry);
  entry.run->step();
  reply.ok();
}

void Studio::one_frame(const Request& request, const Reply& reply) {
  Entry& entry = entry_of(request);
  want_simulation(entry);
  entry.run->one_frame();
  reply.ok();
}

void Studio::restart(const Request& request, const Reply& reply) {
  Entry& entry = entry_of(request);
  if (!entry.is_valid) return reply.error(entry.error);
  begin(entry, request.flag("go"));
  reply.ok();
  tell_run(entry.number);
}

void Studio::resume(const Request& request, const Reply& reply) {
  Entry& entry = entry_of(request);
  if (entry.run->status().has_simulation || entry.run->status().state == RunState::kSettingUp)
    throw UserError("the run is at work; 'go' goes on with it");
  if (!entry.is_resumable) throw UserError("there is no checkpoint to go on from");
  entry.run->resume(document_in(entry.run->folder()).parse(readable_folders()));  // it may be another one by now
  entry.was_loaded = false;
  renew_watches(entry.number);
  reply.ok();
  tell_run(entry.number);
}

}  // namespace firn::studio
