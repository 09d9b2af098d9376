#include "studio.h"

#include <thread>

#include "firn/error.h"
#include "guard.h"

namespace firn::studio {

namespace fs = std::filesystem;

Studio::Studio(StudioOptions options, Post post) : options_(std::move(options)), post_(std::move(post)) {}

Studio::~Studio() { end(); }

void Studio::end() {
  jobs_.cancel_all();
  for (auto& [number, entry] : runs_) entry.run->end();
}

const std::map<std::string_view, Studio::Command>& Studio::commands() {
  static const std::map<std::string_view, Command> all{
      {"hello", &Studio::hello},       {"gallery", &Studio::gallery},      {"schema", &Studio::schema},   {"files", &Studio::files},
      {"open", &Studio::open},         {"close", &Studio::close},          {"check", &Studio::check},     {"edit", &Studio::edit},
      {"document", &Studio::document}, {"resolved", &Studio::resolved},    {"go", &Studio::go},           {"pause", &Studio::pause},
      {"step", &Studio::step},         {"frame", &Studio::one_frame},      {"restart", &Studio::restart}, {"resume", &Studio::resume},
      {"watch", &Studio::watch},       {"ready", &Studio::ready},          {"pick", &Studio::pick},       {"series", &Studio::series},
      {"bodies", &Studio::bodies},     {"histogram", &Studio::histogram},  {"compare", &Studio::compare}, {"picture", &Studio::picture},
      {"film", &Studio::film},         {"export", &Studio::export_frames}, {"save", &Studio::save},       {"cancel", &Studio::cancel},
  };
  return all;
}

int Studio::join(std::shared_ptr<Client> client) {
  members_[next_member_].client = std::move(client);
  return next_member_++;
}

void Studio::leave(int member) {
  const auto found = members_.find(member);
  if (found == members_.end()) return;
  for (auto& [run, watch] : found->second.watches) *watch.is_wanted = false;
  *found->second.is_there = false;
  members_.erase(found);
}

void Studio::receive(int member, std::string_view text) {
  Reply reply(this, member, 0);
  try {
    const Request request(text);
    reply = Reply(this, member, request.id());
    const auto command = commands().find(request.what());
    if (command == commands().end()) throw UserError("there is no command '" + request.what().substr(0, 40) + "'");
    (this->*command->second)(request, reply);
  } catch (const std::exception& error) {
    if (const std::int64_t id = id_of(text); id != 0) reply = Reply(this, member, id);
    reply.error({error.what()});
  }
}

void Studio::Reply::ok(Json json) const {
  json["id"] = id_;
  json["ok"] = true;
  studio_->post_([studio = studio_, member = member_, json = std::move(json)] { studio->send(member, json); });
}

void Studio::Reply::error(const TextError& error, bool is_stale) const {
  Json json{{"id", id_}, {"error", error_json(error)}};
  if (is_stale) json["error"]["stale"] = true;
  studio_->post_([studio = studio_, member = member_, json = std::move(json)] { studio->send(member, json); });
}

void Studio::send(int member, const Json& json) {
  if (const auto found = members_.find(member); found != members_.end()) found->second.client->send_text(written(json));
}

void Studio::broadcast(const Json& event) {
  const std::string text = written(event);
  for (auto& [number, member] : members_) member.client->send_text(text);
}

Studio::Share Studio::share_of(const Reply& reply) {
  Member& member = members_.at(reply.member());
  if (member.at_work >= kMostAtWork) throw UserError("too many requests at once; wait for some answers");
  ++member.at_work;
  const auto give_back = [this, number = reply.member()](void*) {
    post_([this, number] {
      if (const auto found = members_.find(number); found != members_.end()) --found->second.at_work;
    });
  };
  return {std::shared_ptr<void>(this, give_back), member.is_there};
}

void Studio::at_work(const Reply& reply, std::function<Json()> work, const std::string& file, std::function<void()> after) {
  const auto run = [share = share_of(reply), reply, work = std::move(work), file, after = std::move(after)] {
    if (!*share.is_there) return;
    try {
      reply.ok(work());
      if (after) after();
    } catch (const std::exception& error) {
      reply.error(text_error(error.what(), file));
    }
  };
  workers_.add(run, reply.member());
}

Studio::Entry& Studio::entry_of(const Request& request, const char* name) {
  const auto number = static_cast<int>(request.whole(name, 1, 255));
  const auto found = runs_.find(number);
  if (found == runs_.end()) throw UserError("there is no run " + std::to_string(number));
  return found->second;
}

Json Studio::run_json(const Entry& entry) const {
  const RunStatus s = entry.run->status();
  const bool is_stored = entry.was_loaded && !s.has_simulation && s.state != RunState::kSettingUp;  // nothing but files
  const Scene& scene = s.has_simulation ? entry.running : entry.scene;
  const int computed = is_stored ? entry.recorded : s.frame;
  Json materials = Json::array();
  for (const Material& material : scene.materials) materials.push_back(material.name);
  Json json{{"run", entry.number},
            {"name", scene.name},
            {"folder", fs::path(entry.run->folder()).lexically_relative(options_.folder).string()},
            {"state", is_stored && s.message.empty() ? "ended" : name_of(s.state)},
            {"doing", s.doing},
            {"message", s.message},
            {"revision", entry.document.revision},
            {"valid", entry.is_valid},
            {"variant", entry.document.variants.empty() ? "" : entry.document.variants.front()},
            {"variants", scene.variants},
            {"dimension", scene.simulation.dimension},
            {"spacing", scene.simulation.spacing},
            {"started", s.steps > 0 || computed >= 0},
            {"live", !is_stored},
            {"time", is_stored ? computed / scene.simulation.fps : s.time},
            {"duration", scene.simulation.duration},
            {"fps", scene.simulation.fps},
            {"frame", std::max(0, computed)},
            {"frames", computed + 1},
            {"last", scene.frames()},
            {"steps", s.steps},
            {"dt", s.dt},
            {"rule", firn::name_of(s.rule)},
            {"iterations", s.iterations},
            {"particles", s.particles},
            {"asleep", s.asleep},
            {"bytes", s.bytes},
            {"seconds_left", s.seconds_left},
            {"speed", s.speed},
            {"seconds_shown", s.seconds_shown},
            {"resumable", is_stored && entry.is_resumable},
            {"materials", materials},
            {"box", {{"lower", s.lower}, {"upper", s.upper}}},
            {"domain", nullptr},
            {"window", nullptr}};
  if (scene.domain) json["domain"] = {{"lower", scene.domain->lower}, {"upper", scene.domain->upper}};
  if (scene.window) json["window"] = {{"lower", scene.window->lower}, {"upper", scene.window->upper}};
  if (scene.window && scene.window->follow) json["window"]["follow"] = *scene.window->follow;
  if (scene.window && !scene.window->follow) json["window"]["velocity"] = scene.window->velocity;
  return json;
}

void Studio::tell_run(int number) {
  const auto found = runs_.find(number);
  if (found == runs_.end()) return;
  Json json = run_json(found->second);
  json["event"] = "run";
  broadcast(json);
}

void Studio::tell_document(const Entry& entry, int by) {
  broadcast({{"event", "document"},
             {"run", entry.number},
             {"text", entry.document.text},
             {"revision", entry.document.revision},
             {"file", fs::path(entry.document.file).lexically_relative(options_.folder).string()},
             {"by", by}});
}

void Studio::hello(const Request& request, const Reply& reply) {
  if (const auto version = request.whole("version", 0, 1'000'000); version != kProtocolVersion)
    throw UserError("this program speaks version " + std::to_string(kProtocolVersion) + " of the protocol; load the page again");
  Json runs = Json::array();
  for (const auto& [number, entry] : runs_) runs.push_back(run_json(entry));
  const int threads = options_.threads > 0 ? options_.threads : static_cast<int>(std::thread::hardware_concurrency());
  reply.ok({{"version", kProtocolVersion},
            {"firn", version()},
            {"threads", threads},
            {"folder", options_.folder.string()},
            {"you", reply.member()},
            {"runs", runs}});
}

}  // namespace firn::studio
