#include "build/population.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "build/bodies.h"
#include "build/snow.h"
#include "core/parallel.h"
#include "math/random.h"
#include "solver/outflow.h"

namespace firn {
namespace {

// The part of a particle that may be missing from a whole one: times are sums of steps, and their rounding must not hold it back.
constexpr double kRounding = 1e-6;

constexpr int kTries = 10;  // to shake a point without leaving the shape: in an edge of a box each works with 1/4 at least

// The shuffle of Fisher and Yates.
template <class T>
void shuffle(std::vector<T>& values, std::uint64_t seed) {
  Rng rng(Rng::cell_key(seed, 0, 0, 0));
  for (std::size_t n = values.size(); n > 1; --n)
    std::swap(values[n - 1], values[static_cast<std::size_t>(rng.uniform() * static_cast<double>(n))]);
}

}  // namespace

Snow snow_of(const Source& source) {
  Snow snow;
  snow.shape = source.shape;
  snow.velocity = source.velocity;
  snow.material = source.material;
  snow.particles_per_cell = source.particles_per_cell;
  snow.seed = source.seed;
  snow.location = source.location;
  return snow;
}

Emitter::Emitter(const Scene& scene, const Source& source, const Form& form)
    : source_(source),
      form_(form),
      h_(scene.simulation.spacing),
      mass_(scene.materials[material_index(scene, source.material)].density * particle_volume(scene, snow_of(source))),
      rows_(fresh_rows(scene, snow_of(source), form)),
      points_(sample_form(form, snow_of(source), h_)) {
  if (points_.empty())
    throw UserError(source.location,
                    "this source has no room for a particle: it is much smaller than a grid cell; use a smaller simulation.spacing");
  shuffle(points_, source.seed);
}

std::int64_t Emitter::count(double t) const {
  const double seconds = std::min(t, source_.end.value_or(std::numeric_limits<double>::infinity())) - source_.start;
  constexpr double kMost = 1e18;  // still a 64-bit number, and far beyond what any memory holds
  return seconds <= 0 ? 0 : static_cast<std::int64_t>(std::floor(std::min(seconds * particles_per_second() + kRounding, kMost)));
}

ParticleRow Emitter::particle(std::int64_t k, double t) const {
  const double own_time = source_.start + static_cast<double>(k + 1) / particles_per_second();
  return rows_.at(moved(place(k), (std::max(t - own_time, 0.0) / h_) * to_vec(source_.velocity)));
}

// The points of the shape one after the other; from the second round on each is shaken within its part of a cell, so that no two
// particles follow the same path.
LatticePoint<double, 3> Emitter::place(std::int64_t k) const {
  const auto size = static_cast<std::int64_t>(points_.size());
  const std::int64_t round = k / size;
  const LatticePoint<double, 3>& point = points_[static_cast<std::size_t>(k % size)];
  if (round == 0) return point;
  const LatticePoint<double, 3> origin = to_lattice<double, 3>(form_.origin, h_, true);
  const double spacing = std::pow(source_.particles_per_cell, -1.0 / form_.dimension);
  Rng rng(Rng::cell_key(source_.seed, round, k % size, 1));
  for (int t = 0; t < kTries; ++t) {
    Vec<double, 3> shift{0, 0, 0};
    for (int d = 0; d < form_.dimension; ++d) shift[d] = (rng.uniform() - 0.5) * spacing;
    const LatticePoint<double, 3> shaken = moved(point, shift);
    if (form_.distance(difference(shaken.cell, shaken.offset, origin, h_)) <= 0) return shaken;
  }
  return point;
}

LatticePoint<double, 3> Emitter::moved(LatticePoint<double, 3> x, const Vec<double, 3>& cells) const {
  for (int d = 0; d < form_.dimension; ++d) {
    std::int32_t whole;
    split_coordinate(x.offset[d] + cells[d], false, whole, x.offset[d]);
    x.cell[d] += whole;
  }
  return x;
}

namespace {

struct Block {
  BlockKey key;
  CellBox<3> cells;
};

// The part of the window, in whole blocks, that a form may have snow in.
CellBox<3> around(const Form& form, const Model& model, CellBox<3> window) {
  const double edge = model.dimension == 3 ? BlockShape<3>::kEdge : BlockShape<2>::kEdge;
  const Bounds box = form.world_box();
  for (int d = 0; d < model.dimension; ++d) {
    const auto blocks_to = [&](double x) { return std::floor((x / model.h - window.lower[d]) / edge); };
    const double count = (window.upper[d] - window.lower[d]) / edge;
    const double first = std::clamp(blocks_to(form.origin[d] + box.lower[d]) - 1, 0.0, count);  // one more for rounding
    const double end = std::clamp(blocks_to(form.origin[d] + box.upper[d]) + 2, first, count);
    window.upper[d] = window.lower[d] + static_cast<std::int32_t>(end * edge);
    window.lower[d] += static_cast<std::int32_t>(first * edge);
  }
  return window;
}

// The blocks in `box` that the window has not been to and that have had no snow.
template <int D>
std::vector<Block> new_blocks(const Cell<3>& origin, const CellBox<3>& box, const WindowState& state) {
  constexpr int edge = BlockShape<D>::kEdge;
  const Cell<3> size{edge, edge, D == 3 ? edge : 1};
  std::vector<Block> blocks;
  for (std::int32_t i = box.lower[0]; i < box.upper[0]; i += size[0])
    for (std::int32_t j = box.lower[1]; j < box.upper[1]; j += size[1])
      for (std::int32_t k = box.lower[2]; k < box.upper[2]; k += size[2]) {
        const Cell<3> first{i, j, k};
        if (state.cells && state.cells->contains(first)) continue;
        Vec<std::int32_t, D> number;
        for (int d = 0; d < D; ++d) number[d] = (first[d] - origin[d]) >> BlockShape<D>::kLog2Edge;
        const BlockKey key = block_key<D>(number);
        if (!state.filled.contains(key)) blocks.push_back({key, {first, first + size}});
      }
  return blocks;
}

bool same(const CellBox<3>& a, const CellBox<3>& b) {
  for (int d = 0; d < 3; ++d)
    if (a.lower[d] != b.lower[d] || a.upper[d] != b.upper[d]) return false;
  return true;
}

}  // namespace

bool has_come(double start, double t) {
  constexpr double kRounding = 1e-9;  // relative
  return t >= start * (1 - kRounding);
}

std::vector<std::vector<LatticePoint<double, 3>>> enter_window(const std::vector<Snow>& snow, const std::vector<Form>& forms,
                                                               const Model& model, double t, std::vector<WindowState>& states) {
  std::vector<std::vector<LatticePoint<double, 3>>> points(snow.size());
  const CellBox<3> now = window_cells(model, t);
  states.resize(snow.size());
  for (std::size_t s = 0; s < snow.size(); ++s) {
    WindowState& state = states[s];
    if (snow[s].shape.kind == ShapeKind::kParticles || !has_come(snow[s].start, t) || (state.cells && same(*state.cells, now))) continue;
    const CellBox<3> box = around(forms[s], model, now);
    const std::vector<Block> blocks =
        model.dimension == 3 ? new_blocks<3>(model.origin, box, state) : new_blocks<2>(model.origin, box, state);
    std::vector<std::vector<LatticePoint<double, 3>>> in_block(blocks.size());
    parallel_for(blocks.size(), [&](std::size_t b) { in_block[b] = sample_form(forms[s], snow[s], model.h, blocks[b].cells); });
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (!in_block[b].empty()) state.filled.insert(blocks[b].key);
      points[s].insert(points[s].end(), in_block[b].begin(), in_block[b].end());
    }
    state.cells = now;
  }
  return points;
}

Population::Population(const Scene& scene, const Forms& forms) {
  for (std::size_t s = 0; s < scene.sources.size(); ++s) emitters_.emplace_back(scene, scene.sources[s], forms.sources[s]);
  for (const Snow& snow : scene.snow)
    if (snow.start > 0) starts_.push_back(snow.start);
  if (!scene.window) return;
  snow_ = scene.snow;
  forms_ = forms.snow;
  for (std::size_t s = 0; s < snow_.size(); ++s) fresh_.push_back(fresh_rows(scene, snow_[s], forms_[s]));
}

double Population::next_start(double t) const {
  double next = std::numeric_limits<double>::infinity();
  for (const double start : starts_)
    if (!has_come(start, t)) next = std::min(next, start);
  return next;
}

ParticleTable Population::arrivals(const Model& model, double t, PopulationState& state) const {
  ParticleTable rows;
  if (model.window) {
    const auto points = enter_window(snow_, forms_, model, t, state.window);
    for (std::size_t s = 0; s < points.size(); ++s)
      for (const LatticePoint<double, 3>& x : points[s]) rows.push_back(fresh_[s].at(x));
  }
  state.late_has_come.resize(late_.size());
  for (std::size_t s = 0; s < late_.size(); ++s) {
    if (state.late_has_come[s] || !has_come(late_[s].start, t)) continue;
    state.late_has_come[s] = true;
    for (const ParticleRow& row : late_[s].rows) rows.push_back(row);
  }
  state.given.resize(emitters_.size());
  for (std::size_t e = 0; e < emitters_.size(); ++e)
    for (const std::int64_t until = emitters_[e].count(t); state.given[e] < until; ++state.given[e])
      rows.push_back(emitters_[e].particle(state.given[e], t));
  return rows;
}

namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

WindowModel make_window(const Window& window, const Model& model) {
  WindowModel result{{{0, 0, 0}, {0, 0, 0}}, {}, to_vec(window.lower), to_vec(window.upper)};
  if (window.follow) {
    const BodyModel& body = model.bodies[static_cast<std::size_t>(*window.follow)];
    result.anchor = body.anchor;
    result.motion = body.motion;
  } else {
    result.motion.velocity = to_vec(window.velocity);
  }
  return result;
}

// How far shell and noise may change a body's snow.
struct Factors {
  double stiffest = 1, lightest = 1;
};

Factors bounds_of(const Snow& snow) {
  Factors f;
  if (snow.shell) f = {std::max(1.0, snow.shell->factor.stiffness), std::min(1.0, snow.shell->factor.density)};
  for (const SnowNoise& noise : snow.noise) {
    f.stiffest *= 1 + noise.amplitude.stiffness;
    f.lightest /= 1 + noise.amplitude.density;
  }
  return f;
}

std::vector<std::uint16_t> materials_of(const Scene& scene, const Snow& snow) {
  std::vector<std::uint16_t> all{material_index(scene, snow.material)};
  for (const SnowLayer& layer : snow.layers) all.push_back(material_index(scene, layer.material));
  return all;
}

// m/s; never less than that of any of the body's snow, unhardened.
double wave_speed(const Scene& scene, const Snow& snow, const Model& model) {
  const Factors f = bounds_of(snow);
  double speed = 0;
  for (const std::uint16_t material : materials_of(scene, snow)) {
    const SnowParameters<double>& s = model.materials[material];
    speed = std::max(speed, std::sqrt((s.lambda0 + 2 * s.mu0) * f.stiffest / (scene.materials[material].density * f.lightest)));
  }
  return speed;
}

}  // namespace

void add_outflow(const Scene& scene, Model& model, std::vector<std::string>& warnings) {
  for (const Sink& sink : scene.sinks) {
    const Form form = make_form_at(sink.shape, scene, sink.location, warnings);
    model.sinks.push_back({make_body(Collider{}, form, model.h), sink.start, sink.end.value_or(kForever)});
  }
  if (scene.domain)
    model.domain = DomainModel{to_lattice<double, 3>(to_vec(scene.domain->lower), model.h, true),
                               to_lattice<double, 3>(to_vec(scene.domain->upper), model.h, true)};
  if (!scene.window) return;
  const WindowModel window = make_window(*scene.window, model);
  const Vec<double, 3> moved = window.motion.at(0).displacement;
  for (int d = 0; d < model.dimension; ++d) {
    const double cells = snapped(window.anchor.offset[d] + (moved[d] + window.lower[d]) / model.h);
    model.origin[d] = window.anchor.cell[d] + static_cast<std::int32_t>(std::floor(cells));
  }
  model.window = window;
}

void add_inflows(const Scene& scene, const Forms& forms, Model& model) {
  for (const Source& source : scene.sources)
    model.inflows.push_back(
        {source.start, source.end.value_or(kForever), wave_speed(scene, snow_of(source), model), norm(to_vec(source.velocity))});
  if (!scene.window) return;
  for (std::size_t s = 0; s < scene.snow.size(); ++s) {
    const Snow& snow = scene.snow[s];
    if (snow.shape.kind == ShapeKind::kParticles) continue;  // all there from the start
    const double reach = std::max(norm(forms.snow[s].lower), norm(forms.snow[s].upper));
    const double speed = norm(to_vec(snow.velocity)) + norm(to_vec(snow.spin)) * reach;
    model.inflows.push_back({snow.start, kForever, wave_speed(scene, snow, model), speed});
  }
}

double lightest_fresh(const Scene& scene, const Snow& snow) {
  double density = kForever;
  for (const std::uint16_t material : materials_of(scene, snow)) density = std::min(density, scene.materials[material].density);
  return density * bounds_of(snow).lightest * particle_volume(scene, snow);
}

double particles_to_come(const Scene& scene, const Population& population) {
  double sum = 0;
  for (const Emitter& emitter : population.emitters()) sum += static_cast<double>(emitter.count(scene.simulation.duration));
  return sum;
}

double time_to_clear(const Scene& scene, const Source& source, const Form& form) {
  const Vec<double, 3> gravity = to_vec(scene.simulation.gravity), velocity = to_vec(source.velocity);
  const Bounds box = form.world_box();
  const double speed = norm(velocity), pull = norm(gravity);
  if (speed == 0 && pull == 0) return kForever;
  const Vec<double, 3> direction = speed > 0 ? (1 / speed) * velocity : (1 / pull) * gravity;
  double length = 0;
  for (int d = 0; d < scene.simulation.dimension; ++d) length += (box.upper[d] - box.lower[d]) * std::abs(direction[d]);
  const double acceleration = std::max(dot(gravity, direction), 0.0);
  if (acceleration == 0) return length / speed;
  return (std::sqrt(speed * speed + 2 * acceleration * length) - speed) / acceleration;
}

}  // namespace firn
