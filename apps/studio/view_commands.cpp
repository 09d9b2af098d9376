// Commands that watch runs: what is streamed to whom.
#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "poses.h"
#include "recorded.h"
#include "studio.h"

namespace firn::studio {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostArrows = 100'000;

Clock::duration period_of(double rate) { return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / rate)); }

int every_of(std::size_t particles, std::int64_t most) {
  return static_cast<int>((particles + static_cast<std::size_t>(most) - 1) / static_cast<std::size_t>(most));
}

// `grid` is made when it is first needed. Normals need no simulation and are made beside it.
Arrows arrows_at(Simulation& simulation, ArrowKind kind, std::optional<GridFields>& grid) {
  Arrows arrows;
  if (kind == ArrowKind::kSleep) {
    arrows.at = simulation.sleeping_blocks();
    arrows.vector.resize(arrows.at.size());
    return arrows;
  }
  if (!grid) grid = simulation.grid();
  return arrows_of(*grid, kind, kMostArrows);
}

}  // namespace

bool Studio::has_simulation(const Entry& entry) const {
  const RunStatus status = entry.run->status();
  return status.has_simulation || !entry.was_loaded;
}

void Studio::watch(const Request& request, const Reply& reply) {
  constexpr std::size_t kMostWatched = 4;
  Entry& entry = entry_of(request);
  Member& member = members_.at(reply.member());
  Watch next;
  next.run = entry.number;
  const std::optional<LookChannel> channel = channel_named(request.text_or("colour", "none"));
  if (!channel) throw UserError("'colour' must be none, speed, jp, density, material or stress");
  next.channel = *channel;
  for (const std::string& name : request.texts("show")) {
    const std::optional<ArrowKind> kind = arrows_named(name);
    if (!kind) throw UserError("'show' has any of nodes, velocity, force, normals, sleep");
    next.show.push_back(*kind);
  }
  next.frame = request.frame("frame");
  next.rate = request.number_or("rate", 0.1, 120, 20);
  next.most = request.whole_or("most", 1, 10'000'000, 1'000'000);
  const auto before = member.watches.find(entry.number);
  if (before == member.watches.end() && member.watches.size() >= kMostWatched) throw UserError("a page watches four runs at most");
  if (before != member.watches.end()) {
    *before->second.is_wanted = false;
    next.serial = before->second.serial;
  }
  next.is_wanted = std::make_shared<std::atomic<bool>>(true);
  Watch& watch = member.watches[entry.number] = next;
  reply.ok();
  if (!entry.bodies) make_bodies(entry);  // for poses and normals
  send_next(reply.member(), watch);
}

void Studio::make_bodies(const Entry& entry) {
  workers_.add([this, number = entry.number, scene = entry.running] {
    try {
      const auto bodies = std::make_shared<const SceneBodies>(scene);
      post_([this, number, bodies] {
        if (const auto found = runs_.find(number); found != runs_.end()) found->second.bodies = bodies;
      });
    } catch (const std::exception&) {
      // the run says what is wrong
    }
  });
}

void Studio::ready(const Request& request, const Reply& reply) {
  const Entry& entry = entry_of(request);
  Member& member = members_.at(reply.member());
  const auto found = member.watches.find(entry.number);
  if (found == member.watches.end()) throw UserError("this page does not watch the run");
  const auto serial = static_cast<std::uint32_t>(request.whole("serial", 0, 0xffffffff));
  reply.ok();
  if (found->second.is_ready || serial != found->second.serial) return;  // an old one
  found->second.is_ready = true;
  send_next(reply.member(), found->second);
}

void Studio::send_next(int member, Watch& watch) {
  const Entry& entry = runs_.at(watch.run);
  const bool is_recorded = watch.frame || !has_simulation(entry);
  if (is_recorded && watch.version != 0) return;  // it has that frame already
  ++watch.serial;
  if (is_recorded) {
    send_recorded(member, watch, entry);
  } else {
    send_live(member, watch, entry);
  }
}

void Studio::renew_watches(int run) {
  for (auto& [number, member] : members_) {
    const auto found = member.watches.find(run);
    if (found == member.watches.end() || found->second.frame || !found->second.is_ready) continue;
    found->second.version = 0;
    send_next(number, found->second);
  }
}

// What a frame has beside its particles: normals, where they are to be shown, and poses.
void Studio::add_bodies(const FrameHead& now, const SceneBodies& bodies, const std::vector<ArrowKind>& show, const ParticleLook& snow,
                        Delivery& delivery) {
  if (std::find(show.begin(), show.end(), ArrowKind::kNormals) != show.end())
    delivery.binary.push_back(shared(encode(now, normals_of(bodies, now.time, extent_of(snow)), ArrowKind::kNormals)));
  if (any_moves(bodies)) delivery.text = written(poses_json(bodies, now.run, now.serial, now.time));
}

void Studio::send_live(int number, const Watch& watch, const Entry& entry) {
  const FrameHead head{watch.run, true, entry.running.simulation.dimension == 2, watch.serial, 0, 0};
  LiveRun::Look look;
  look.version = watch.version;
  look.not_before = watch.sent + period_of(watch.rate);
  look.is_wanted = [wanted = watch.is_wanted] { return wanted->load(); };
  look.take = [this, number, head, bodies = entry.bodies, channel = watch.channel, show = watch.show, most = watch.most,
               wanted = watch.is_wanted](Simulation& simulation, const RunStatus& status) {
    FrameHead now = head;
    now.frame = static_cast<std::uint32_t>(std::max(0, status.frame));
    now.time = simulation.time();
    // The run waits while its state is read, not while messages are made of it.
    auto seen = std::make_shared<ParticleLook>(simulation.look(channel, std::max(1, every_of(simulation.particles(), most))));
    std::vector<std::pair<ArrowKind, Arrows>> arrows;
    std::optional<GridFields> grid;
    for (const ArrowKind kind : show)
      if (kind != ArrowKind::kNormals) arrows.emplace_back(kind, arrows_at(simulation, kind, grid));
    encoders_.add([this, number, now, seen, channel, show, arrows = std::move(arrows), bodies, version = status.version, wanted] {
      if (!*wanted) return;
      Delivery delivery;
      delivery.version = version;
      delivery.binary.push_back(shared(encode(now, *seen, channel)));
      for (const auto& [kind, some] : arrows) delivery.binary.push_back(shared(encode(now, some, kind)));
      if (bodies) add_bodies(now, *bodies, show, *seen, delivery);
      post_([this, number, run = now.run, serial = now.serial, delivery = std::move(delivery)] { deliver(number, run, serial, delivery); });
    });
  };
  entry.run->look(std::move(look));
}

void Studio::send_recorded(int number, const Watch& watch, const Entry& entry) {
  const int last = entry.was_loaded ? entry.recorded : entry.run->status().frame;
  const int wanted_frame = std::clamp(watch.frame.value_or(last), 0, std::max(0, last));
  const FrameHead head{watch.run, false, entry.running.simulation.dimension == 2, watch.serial, 0, 0};
  const auto send = [this, number, head, wanted_frame, fps = entry.running.simulation.fps, folder = entry.run->folder(),
                     bodies = entry.bodies, channel = watch.channel, show = watch.show, most = watch.most, wanted = watch.is_wanted] {
    if (!*wanted) return;
    int frame = wanted_frame;
    while (frame > 0 && !has_frame(folder, frame)) --frame;  // the newest ones may be on their way to the disk
    FrameHead now = head;
    now.frame = static_cast<std::uint32_t>(frame);
    now.time = frame / fps;
    Delivery delivery;
    delivery.version = 1;
    try {
      const Frame particles = recorded_frame(folder, frame);
      const ParticleLook look = look_at(particles, channel, std::max(1, every_of(particles.size(), most)));
      delivery.binary.push_back(shared(encode(now, look, channel)));
      if (bodies) add_bodies(now, *bodies, show, look, delivery);
    } catch (const std::exception& error) {
      delivery.error = error.what();
    }
    post_([this, number, run = now.run, serial = now.serial, delivery = std::move(delivery)] { deliver(number, run, serial, delivery); });
  };
  workers_.add(send, number);
}

void Studio::deliver(int number, int run, std::uint32_t serial, const Delivery& delivery) {
  const auto member = members_.find(number);
  if (member == members_.end()) return;
  const auto watch = member->second.watches.find(run);
  if (watch == member->second.watches.end() || watch->second.serial != serial) return;
  if (!delivery.error.empty()) send(number, {{"event", "warning"}, {"run", run}, {"message", delivery.error}});
  for (const auto& bytes : delivery.binary) member->second.client->send_binary(bytes);
  if (!delivery.text.empty()) member->second.client->send_text(delivery.text);
  watch->second.version = delivery.version;
  watch->second.is_ready = false;
  // By the clock, not by when the last one came: a step that ends late does not make the next one late.
  const auto now = Clock::now(), due = watch->second.sent + period_of(watch->second.rate);
  watch->second.sent = now - due < period_of(watch->second.rate) ? due : now;
}

}  // namespace firn::studio
