// Questions about the state of a run: one particle, tables, distributions, bodies.
#include <algorithm>
#include <cmath>
#include <limits>

#include "firn/error.h"
#include "poses.h"
#include "recorded.h"
#include "studio.h"

namespace firn::studio {

namespace {

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
  Json json{{"particle", frame.id[p]}, {"position", frame.position[p]}};
  if (!frame.velocity.empty()) json["velocity"] = frame.velocity[p];
  if (!frame.fe.empty()) json["fe"] = frame.fe[p];
  if (!frame.jp.empty()) json["jp"] = frame.jp[p];
  if (!frame.je.empty()) json["je"] = frame.je[p];
  if (!frame.mass.empty()) json["mass"] = frame.mass[p];
  if (!frame.mass.empty() && !frame.volume.empty() && !frame.jp.empty() && !frame.je.empty())
    json["density"] = frame.mass[p] / (frame.volume[p] * std::max(1e-3, frame.jp[p] * frame.je[p]));
  if (!frame.material.empty() && frame.material[p] < materials.size()) json["material"] = materials[frame.material[p]];
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

void Studio::ask_simulation(const Entry& entry, const Reply& reply, std::function<Json(Simulation&)> question) {
  entry.run->ask([share = share_of(reply), reply, question = std::move(question)](Simulation* simulation) {
    if (!*share.is_there) return;
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
    const auto found = std::find(frame.id.begin(), frame.id.end(), wanted);
    if (found == frame.id.end()) throw UserError("there is no particle " + std::to_string(wanted) + " now");
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
      json["path"] = recorded_path(folder, last, fps, json["particle"].get<std::uint32_t>());
      return json;
    });
  }
  entry.run->ask([=, this, share = share_of(reply)](Simulation* simulation) {
    if (!*share.is_there) return;
    try {
      if (simulation == nullptr) throw UserError("the run has no state now");
      const Frame all = simulation->frame(false);
      const std::uint32_t id = all.id[find(all)];
      const Frame one = simulation->frame(true, id, id + 1);
      Json json = particle_json(one, 0, materials);
      const std::array<double, 9> stress = simulation->stress(one).front();
      json["stress"] = stress;
      json["pressure"] = -(stress[0] + stress[4] + stress[8]) / dimension;
      const auto add_path = [=] {
        Json with_path = json;
        try {
          with_path["path"] = recorded_path(folder, last, fps, id);
          reply.ok(with_path);
        } catch (const std::exception& error) {
          reply.error({error.what()});
        }
      };
      workers_.add(add_path, reply.member());
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
      list.push_back(body_json(body, poses[b]));
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
