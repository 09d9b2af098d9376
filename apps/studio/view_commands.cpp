// Commands that look at runs: what is streamed, and questions about the state.
#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "recorded.h"
#include "studio.h"

namespace firn::studio {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostArrows = 100'000;

Json poses_json(const SceneBodies& bodies, int run, std::uint32_t serial, double time) {
  Json poses = Json::array();
  const std::vector<BodyPose> all = bodies.poses(time);
  for (std::size_t b = 0; b < all.size(); ++b)
    if (bodies.all()[b].moves) poses.push_back({{"body", b}, {"position", all[b].position}, {"rotation", all[b].rotation}});
  return {{"event", "poses"}, {"run", run}, {"serial", serial}, {"poses", poses}};
}

bool any_moves(const SceneBodies& bodies) {
  return std::any_of(bodies.all().begin(), bodies.all().end(), [](const ShownBody& body) { return body.moves; });
}

Vector turned(const Quaternion& q, const Vector& v) {
  // v + 2 w (u × v) + 2 u × (u × v)
  const auto cross = [](const Vector& a, const Vector& b) -> Vector {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const Vector u{q[1], q[2], q[3]}, uv = cross(u, v), uuv = cross(u, uv);
  return {v[0] + 2 * (q[0] * uv[0] + uuv[0]), v[1] + 2 * (q[0] * uv[1] + uuv[1]), v[2] + 2 * (q[0] * uv[2] + uuv[2])};
}

// The normals of colliders' triangles where they are, evenly chosen.
Arrows normals_of(const SceneBodies& bodies, double time) {
  constexpr std::size_t kMostNormals = 4000;
  std::size_t triangles = 0;
  for (const ShownBody& body : bodies.all()) triangles += body.kind == BodyKind::kCollider ? body.triangles.size() : 0;
  const std::size_t every = triangles / kMostNormals + 1;
  Arrows arrows;
  const std::vector<BodyPose> poses = bodies.poses(time);
  for (std::size_t b = 0; b < bodies.all().size(); ++b) {
    const ShownBody& body = bodies.all()[b];
    if (body.kind != BodyKind::kCollider) continue;
    for (std::size_t t = 0; t < body.triangles.size(); t += every) {
      const Vector &p = body.points[body.triangles[t][0]], &q = body.points[body.triangles[t][1]], &r = body.points[body.triangles[t][2]];
      Vector middle{}, e{}, f{};
      for (std::size_t d = 0; d < 3; ++d) {
        middle[d] = (p[d] + q[d] + r[d]) / 3;
        e[d] = q[d] - p[d];
        f[d] = r[d] - p[d];
      }
      Vector n{e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
      const double length = std::hypot(n[0], n[1], n[2]);
      if (!(length > 0)) continue;
      for (double& x : n) x /= length;
      Vector at = turned(poses[b].rotation, middle);
      for (std::size_t d = 0; d < 3; ++d) at[d] += poses[b].position[d];
      arrows.at.push_back(at);
      arrows.vector.push_back(turned(poses[b].rotation, n));
    }
  }
  return arrows;
}

int every_of(std::size_t particles, std::int64_t most) {
  return static_cast<int>((particles + static_cast<std::size_t>(most) - 1) / static_cast<std::size_t>(most));
}

std::shared_ptr<const std::string> shared(std::string bytes) { return std::make_shared<const std::string>(std::move(bytes)); }

// The particle nearest to the eye among those within `radius` of the ray; nothing: there is none.
std::optional<std::size_t> hit(const Frame& frame, const Vector& origin, Vector direction, double radius) {
  const double length = std::hypot(direction[0], direction[1], direction[2]);
  if (!(length > 0)) throw UserError("'direction' must not be zero");
  for (double& x : direction) x /= length;
  std::optional<std::size_t> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < frame.size(); ++p) {
    double along = 0, square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double r = frame.position[p][d] - origin[d];
      along += r * direction[d];
      square += r * r;
    }
    if (along < 0 || along >= least || square - along * along > radius * radius) continue;
    least = along;
    nearest = p;
  }
  return nearest;
}

Json particle_json(const Frame& frame, std::size_t p, const std::vector<std::string>& materials) {
  Json json{{"id", frame.id[p]}, {"position", frame.position[p]}};
  if (!frame.velocity.empty()) json["velocity"] = frame.velocity[p];
  if (!frame.fe.empty()) json["fe"] = frame.fe[p];
  if (!frame.jp.empty()) json["jp"] = frame.jp[p];
  if (!frame.je.empty()) json["je"] = frame.je[p];
  if (!frame.mass.empty()) json["mass"] = frame.mass[p];
  if (!frame.volume.empty() && !frame.jp.empty() && !frame.je.empty())
    json["density"] = frame.mass[p] / (frame.volume[p] * std::max(1e-3, frame.jp[p] * frame.je[p]));
  if (!frame.material.empty() && frame.material[p] < materials.size()) json["material"] = materials[frame.material[p]];
  return json;
}

Json body_json(const ShownBody& body, const BodyPose& pose, const Scene& scene) {
  constexpr const char* kKinds[] = {"snow", "collider", "source", "sink"};
  Json json{{"name", body.name},
            {"kind", kKinds[static_cast<int>(body.kind)]},
            {"index", body.index},
            {"shape", body.shape},
            {"visible", body.visible},
            {"moves", body.moves},
            {"deforms", body.deforms},
            {"vertices", body.points.size()},
            {"triangles", body.triangles.size()},
            {"position", pose.position},
            {"rotation", pose.rotation}};
  const Shape* shape = nullptr;
  if (body.kind == BodyKind::kCollider) shape = &scene.colliders[body.index].shape;
  if (body.kind == BodyKind::kSink) shape = &scene.sinks[body.index].shape;
  if (shape != nullptr && shape->kind == ShapeKind::kPlane)
    json.update({{"point", pose.position}, {"normal", turned(pose.rotation, shape->normal)}});
  return json;
}

Json histogram_of(const std::vector<float>& numbers, int bins) {
  if (numbers.empty()) return {{"edges", Json::array()}, {"counts", Json::array()}};
  const auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
  const double width = std::max((double(*greatest) - double(*least)) / bins, 1e-6);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins), 0);
  std::vector<double> edges;
  for (int b = 0; b <= bins; ++b) edges.push_back(double(*least) + b * width);
  for (const float x : numbers) ++counts[static_cast<std::size_t>(std::min<double>(bins - 1, (double(x) - double(*least)) / width))];
  return {{"edges", edges}, {"counts", counts}};
}

std::vector<std::string> names_of(const std::vector<Material>& materials) {
  std::vector<std::string> names;
  for (const Material& material : materials) names.push_back(material.name);
  return names;
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
  if (!entry.bodies) {  // for poses and normals
    workers_.add([this, number = entry.number, scene = entry.running] {
      try {
        const auto bodies = std::make_shared<const SceneBodies>(scene);
        post_([this, number, bodies] {
          if (const auto found = runs_.find(number); found != runs_.end() && !found->second.bodies) found->second.bodies = bodies;
        });
      } catch (const std::exception&) {
        // the run says what is wrong
      }
    });
  }
  send_next(reply.member(), watch);
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

void Studio::send_live(int number, const Watch& watch, const Entry& entry) {
  const FrameHead head{watch.run, true, entry.running.simulation.dimension == 2, watch.serial, 0, 0};
  LiveRun::Look look;
  look.version = watch.version;
  look.not_before = watch.sent + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / watch.rate));
  look.is_wanted = [wanted = watch.is_wanted] { return wanted->load(); };
  look.take = [this, number, head, bodies = entry.bodies, channel = watch.channel, show = watch.show, most = watch.most](
                  Simulation& simulation, const RunStatus& status) {
    FrameHead now = head;
    now.frame = static_cast<std::uint32_t>(std::max(0, status.frame));
    now.time = simulation.time();
    Delivery delivery;
    delivery.version = status.version;
    delivery.binary.push_back(shared(encode(now, simulation.look(channel, std::max(1, every_of(simulation.particles(), most))), channel)));
    std::optional<GridFields> grid;
    for (const ArrowKind kind : show) {
      Arrows arrows;
      if (kind == ArrowKind::kSleep) {
        arrows.at = simulation.sleeping_blocks();
        arrows.vector.resize(arrows.at.size());
      } else if (kind == ArrowKind::kNormals) {
        if (bodies) arrows = normals_of(*bodies, simulation.time());
      } else {
        if (!grid) grid = simulation.grid();
        arrows = arrows_of(*grid, kind, kMostArrows);
      }
      delivery.binary.push_back(shared(encode(now, arrows, kind)));
    }
    if (bodies && any_moves(*bodies)) delivery.text = written(poses_json(*bodies, now.run, now.serial, now.time));
    post_([this, number, run = now.run, serial = now.serial, delivery = std::move(delivery)] { deliver(number, run, serial, delivery); });
  };
  entry.run->look(std::move(look));
}

void Studio::send_recorded(int number, const Watch& watch, const Entry& entry) {
  const int last = entry.was_loaded ? entry.recorded : entry.run->status().frame;
  const int frame = std::clamp(watch.frame.value_or(last), 0, std::max(0, last));
  const FrameHead head{watch.run,
                       false,
                       entry.running.simulation.dimension == 2,
                       watch.serial,
                       static_cast<std::uint32_t>(frame),
                       frame / entry.running.simulation.fps};
  workers_.add([this, number, head, frame, folder = entry.run->folder(), bodies = entry.bodies, channel = watch.channel, show = watch.show,
                most = watch.most, wanted = watch.is_wanted] {
    if (!*wanted) return;
    Delivery delivery;
    delivery.version = 1;
    try {
      const Frame particles = recorded_frame(folder, frame);
      delivery.binary.push_back(shared(encode(head, look_at(particles, channel, std::max(1, every_of(particles.size(), most))), channel)));
      if (bodies && std::find(show.begin(), show.end(), ArrowKind::kNormals) != show.end())
        delivery.binary.push_back(shared(encode(head, normals_of(*bodies, head.time), ArrowKind::kNormals)));
      if (bodies && any_moves(*bodies)) delivery.text = written(poses_json(*bodies, head.run, head.serial, head.time));
    } catch (const std::exception& error) {
      delivery.error = error.what();
    }
    post_([this, number, run = head.run, serial = head.serial, delivery = std::move(delivery)] { deliver(number, run, serial, delivery); });
  });
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
  watch->second.sent = Clock::now();
}

void Studio::ask_simulation(const Entry& entry, const Reply& reply, std::function<Json(Simulation&)> question) {
  entry.run->ask([reply, question = std::move(question)](Simulation* simulation) {
    try {
      if (simulation == nullptr) throw UserError("the run has no state now");
      reply.ok(question(*simulation));
    } catch (const std::exception& error) {
      reply.error({error.what()});
    }
  });
}

void Studio::pick(const Request& request, const Reply& reply) {
  const Entry& entry = entry_of(request);
  const bool has_ray = !request.has("particle");
  const Vector origin = has_ray ? request.vector("origin") : Vector{}, direction = has_ray ? request.vector("direction") : Vector{};
  const double radius = has_ray ? request.number("radius", 1e-6, 100) : 0;
  const auto wanted = has_ray ? 0U : static_cast<std::uint32_t>(request.whole("particle", 0, 0xffffffff));
  const auto find = [=](const Frame& frame) -> std::size_t {
    if (has_ray) {
      if (const auto found = hit(frame, origin, direction, radius)) return *found;
      throw UserError("there is no snow");
    }
    const auto found = std::lower_bound(frame.id.begin(), frame.id.end(), wanted);
    if (found == frame.id.end() || *found != wanted) throw UserError("there is no particle " + std::to_string(wanted) + " now");
    return static_cast<std::size_t>(found - frame.id.begin());
  };
  const std::string folder = entry.run->folder();
  const double fps = entry.running.simulation.fps;
  const int dimension = entry.running.simulation.dimension;
  const std::vector<std::string> materials = names_of(entry.running.materials);
  const std::optional<int> frame = request.frame("frame");
  const int last = entry.was_loaded ? entry.recorded : entry.run->status().frame;
  if (frame || !has_simulation(entry)) {
    return at_work(reply, [=] {
      const Frame all = recorded_frame(folder, frame.value_or(last));
      Json json = particle_json(all, find(all), materials);
      json["path"] = recorded_path(folder, last, fps, json["id"].get<std::uint32_t>());
      return json;
    });
  }
  entry.run->ask([=, this](Simulation* simulation) {
    try {
      if (simulation == nullptr) throw UserError("the run has no state now");
      const Frame all = simulation->frame(false);
      const std::uint32_t id = all.id[find(all)];
      const Frame one = simulation->frame(true, id, id + 1);
      Json json = particle_json(one, 0, materials);
      const std::array<double, 9> stress = simulation->stress(one).front();
      json["stress"] = stress;
      json["pressure"] = -(stress[0] + stress[4] + stress[8]) / dimension;
      workers_.add([=] {
        Json with_path = json;
        with_path["path"] = recorded_path(folder, last, fps, id);
        reply.ok(with_path);
      });
    } catch (const std::exception& error) {
      reply.error({error.what()});
    }
  });
}

void Studio::series(const Request& request, const Reply& reply) {
  const Entry& entry = entry_of(request);
  const auto from = static_cast<std::size_t>(request.whole_or("from", 0, 1'000'000'000, 0));
  const bool has_files = entry.was_loaded || entry.run->status().frame >= 0;
  Json steps = Json::array();
  for (const StepRecord& step : entry.run->recent_steps()) steps.push_back({step.time, step.dt, step.iterations});
  at_work(reply, [folder = entry.run->folder(), from, steps = std::move(steps), has_files] {
    Json json = has_files ? recorded_series(folder, from) : Json{{"columns", Json::array()}, {"rows", Json::array()}};
    json["steps"] = steps;
    return json;
  });
}

void Studio::histogram(const Request& request, const Reply& reply) {
  const Entry& entry = entry_of(request);
  const std::optional<LookChannel> channel = channel_named(request.text_or("of", "jp"));
  if (!channel || *channel == LookChannel::kNone) throw UserError("'of' must be speed, jp, density, material or stress");
  const auto bins = static_cast<int>(request.whole_or("bins", 1, 1000, 50));
  const std::optional<int> frame = request.frame("frame");
  if (frame || !has_simulation(entry)) {
    const int last = entry.was_loaded ? entry.recorded : entry.run->status().frame;
    return at_work(reply, [folder = entry.run->folder(), number = frame.value_or(last), channel, bins] {
      return histogram_of(look_at(recorded_frame(folder, number), *channel, 1).channel, bins);
    });
  }
  ask_simulation(entry, reply, [channel, bins](Simulation& simulation) { return histogram_of(simulation.look(*channel).channel, bins); });
}

void Studio::bodies(const Request& request, const Reply& reply) {
  const Entry& entry = entry_of(request);
  const std::optional<int> frame = request.frame("frame");
  const double time = frame ? *frame / entry.running.simulation.fps : entry.run->status().time;
  const FrameHead head{
      entry.number, !frame.has_value(), entry.running.simulation.dimension == 2, 0, static_cast<std::uint32_t>(frame.value_or(0)), time};
  using Triangles = std::vector<std::shared_ptr<const std::string>>;
  const auto triangles = std::make_shared<Triangles>();
  const auto work = [this, head, time, scene = entry.running, known = entry.bodies, triangles] {
    const auto made = known ? known : std::make_shared<const SceneBodies>(scene);
    Json list = Json::array();
    const std::vector<BodyPose> poses = made->poses(time);
    for (std::size_t b = 0; b < made->all().size(); ++b) {
      const ShownBody body = made->at(b, time);
      list.push_back(body_json(body, poses[b], scene));
      if (!body.triangles.empty()) triangles->push_back(shared(encode(head, static_cast<std::uint32_t>(b), body.points, body.triangles)));
    }
    post_([this, made, run = head.run] {
      if (const auto found = runs_.find(run); found != runs_.end() && !found->second.bodies) found->second.bodies = made;
    });
    return Json{{"bodies", list}};
  };
  at_work(reply, work, "", [this, triangles, number = reply.member()] {
    post_([this, triangles, number] {
      if (const auto member = members_.find(number); member != members_.end())
        for (const auto& bytes : *triangles) member->second.client->send_binary(bytes);
    });
  });
}

}  // namespace firn::studio
