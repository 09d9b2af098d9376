// The desk of firn studio: what pages ask for, and what they are told. All of it happens on one thread; runs, workers and jobs have theirs
// and come back by `post`.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document.h"
#include "firn/bodies.h"
#include "frames.h"
#include "jobs.h"
#include "live_run.h"
#include "protocol.h"
#include "workers.h"

namespace firn::studio {

// A page, as the desk sees it.
class Client {
 public:
  virtual ~Client() = default;
  virtual void send_text(std::string text) = 0;
  virtual void send_binary(std::shared_ptr<const std::string> bytes) = 0;
};

struct StudioOptions {
  std::filesystem::path folder;                // the work folder, whole path
  int threads = 0;                             // of every run; 0: all cores
  std::vector<std::filesystem::path> trusted;  // folders whose files scenes may name, beside the work folder and the gallery's
};

class Studio {
 public:
  using Post = std::function<void(std::function<void()>)>;  // from any thread: to be done on the desk's

  Studio(StudioOptions options, Post post);
  // Stops all runs, with checkpoints.
  ~Studio();
  Studio(const Studio&) = delete;
  Studio& operator=(const Studio&) = delete;

  int join(std::shared_ptr<Client> client);
  void leave(int member);
  void receive(int member, std::string_view text);

  // A scene file or the folder of a run, from the command line. Throws UserError.
  void open_path(const std::string& path);
  // Asks everything to stop, without waiting.
  void end();

  std::size_t pages() const { return members_.size(); }

 private:
  struct Watch {
    int run = 0;
    LookChannel channel = LookChannel::kNone;
    std::vector<ArrowKind> show;
    std::optional<int> frame;  // none: live
    double rate = 20;          // a second, at most
    std::int64_t most = 1'000'000;
    std::uint32_t serial = 0;
    bool is_ready = true;
    std::uint64_t version = 0;  // that it has seen
    std::chrono::steady_clock::time_point sent{};
    std::shared_ptr<std::atomic<bool>> is_wanted;  // shared with what is under way for it
  };
  struct Member {
    std::shared_ptr<Client> client;
    std::map<int, Watch> watches;  // by run
    int at_work = 0;
    std::shared_ptr<std::atomic<bool>> is_there = std::make_shared<std::atomic<bool>>(true);  // false: it has left
  };
  // A page's share of the work: it counts as one of its requests at work as long as a copy of it lives.
  struct Share {
    std::shared_ptr<void> counted;
    std::shared_ptr<const std::atomic<bool>> is_there;
  };
  struct Entry {
    int number = 0;
    Document document;
    bool is_valid = true;
    TextError error;
    Scene scene;    // the last valid one
    Scene running;  // as the solver has it
    bool has_files = false;
    bool was_loaded = false;  // from a folder, and not started since
    int recorded = -1;        // of a folder: its last frame
    bool is_resumable = false;
    std::string ended;
    std::unique_ptr<LiveRun> run;
    std::shared_ptr<const SceneBodies> bodies;
  };
  // Answers a request, from any thread and once.
  class Reply {
   public:
    Reply(Studio* studio, int member, std::int64_t id) : studio_(studio), member_(member), id_(id) {}
    void ok(Json json = Json::object()) const;
    void error(const TextError& error, bool is_stale = false) const;
    int member() const { return member_; }

   private:
    Studio* studio_;
    int member_;
    std::int64_t id_;
  };
  struct Delivery {
    std::vector<std::shared_ptr<const std::string>> binary;
    std::string text;  // after it; empty: none
    std::uint64_t version = 0;
    std::string error;
  };
  using Command = void (Studio::*)(const Request&, const Reply&);
  static const std::map<std::string_view, Command>& commands();

  // studio.cpp
  void broadcast(const Json& event);
  void send(int member, const Json& json);
  Json run_json(const Entry& entry) const;
  void tell_run(int number);
  void tell_document(const Entry& entry, int by);
  Entry& entry_of(const Request& request, const char* name = "run");
  // Throws UserError where the page has too many requests at work.
  Share share_of(const Reply& reply);
  // Work of a page that takes long. `work` gives the answer and may throw; mistakes are in the text of `file`. `after` comes after the
  // answer.
  void at_work(const Reply& reply, std::function<Json()> work, const std::string& file = "", std::function<void()> after = {});
  void hello(const Request& request, const Reply& reply);

  // run_commands.cpp
  void open(const Request& request, const Reply& reply);
  void close(const Request& request, const Reply& reply);
  void edit(const Request& request, const Reply& reply);
  void go(const Request& request, const Reply& reply);
  void pause(const Request& request, const Reply& reply);
  void step(const Request& request, const Reply& reply);
  void one_frame(const Request& request, const Reply& reply);
  void restart(const Request& request, const Reply& reply);
  void resume(const Request& request, const Reply& reply);
  void document(const Request& request, const Reply& reply);
  void resolved(const Request& request, const Reply& reply);
  Entry& add_entry(Document document, std::string folder);
  Entry& open_document(Document document, bool goes);
  Entry& open_folder(const std::filesystem::path& folder);
  Document document_of(const Request& request) const;
  std::vector<std::string> readable_folders() const;
  Document document_in(const std::filesystem::path& folder) const;
  std::string free_folder(const std::string& name) const;
  void begin(Entry& entry, std::optional<bool> goes);
  void want_simulation(const Entry& entry) const;

  // view_commands.cpp
  void watch(const Request& request, const Reply& reply);
  void ready(const Request& request, const Reply& reply);
  void make_bodies(const Entry& entry);
  void renew_watches(int run);  // of a run that was loaded and is now computed
  static void add_bodies(const FrameHead& now, const SceneBodies& bodies, const std::vector<ArrowKind>& show, const ParticleLook& snow,
                         Delivery& delivery);
  void send_live(int member, const Watch& watch, const Entry& entry);
  void send_recorded(int member, const Watch& watch, const Entry& entry);
  void deliver(int member, int run, std::uint32_t serial, const Delivery& delivery);
  bool has_simulation(const Entry& entry) const;

  // question_commands.cpp
  void pick(const Request& request, const Reply& reply);
  void series(const Request& request, const Reply& reply);
  void histogram(const Request& request, const Reply& reply);
  void bodies(const Request& request, const Reply& reply);
  void send_next(int member, Watch& watch);
  void ask_simulation(const Entry& entry, const Reply& reply, std::function<Json(Simulation&)> question);

  // result_commands.cpp
  void gallery(const Request& request, const Reply& reply);
  void schema(const Request& request, const Reply& reply);
  void files(const Request& request, const Reply& reply);
  void check(const Request& request, const Reply& reply);
  void compare(const Request& request, const Reply& reply);
  void save(const Request& request, const Reply& reply);
  std::vector<std::string> check_files(const Document& document) const;
  void picture(const Request& request, const Reply& reply);
  void film(const Request& request, const Reply& reply);
  void export_frames(const Request& request, const Reply& reply);
  void cancel(const Request& request, const Reply& reply);
  const Entry& with_frames(const Request& request);
  void start_job(const Entry& entry, const Reply& reply, const std::string& kind, Jobs::Work work);

  StudioOptions options_;
  Post post_;
  std::map<int, Member> members_;
  int next_member_ = 1;
  Workers workers_{3};
  Workers encoders_{1};  // of what is streamed
  Workers closing_{1};   // waits for runs that were closed
  std::size_t closing_runs_ = 0;
  Jobs jobs_;
  std::map<int, Entry> runs_;  // the first to go: they hand work to all others
};

}  // namespace firn::studio
