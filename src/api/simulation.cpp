#include "firn/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/look.h"
#include "build/build.h"
#include "core/clock.h"
#include "solver/cuda/cuda_solver.h"
#include "solver/solver.h"
#include "state/state.h"

namespace firn {

const char* version() { return FIRN_VERSION; }
std::string cuda_device() { return cuda_device_name(); }
Backend quickest_backend(const Scene& scene) {
  return why_no_cuda(scene.simulation.dimension, scene.solver).empty() ? Backend::kCuda : Backend::kCpu;
}

// What a Simulation holds.
struct Simulation::Parts {
  Model model;
  std::unique_ptr<Solver> solver;
  State state;
  Population population;
  bool double_frames = false;
  std::vector<std::string> warnings;

  // All but the particles, the state and the solver.
  void take(const Scene& scene, Built& built);
  // With the particles in it.
  const State& whole_state() {
    solver->bring_home(model, state);
    return state;
  }
  // After a step: lets in who has come and takes out who must go.
  void exchange_particles();
};

Simulation::Simulation(const Scene& scene, Backend backend, int threads, const SetupProgress& setup) : parts_(std::make_unique<Parts>()) {
  Built built = build(scene, setup);
  settle(scene, backend, threads, setup, built);
  parts_->take(scene, built);
  if (setup) setup("sorting particles into blocks");
  parts_->solver = make_solver(parts_->model, backend, threads);
  parts_->state = parts_->solver->create(parts_->model, std::move(built.particles));
  parts_->state.population = std::move(built.population_state);
}

namespace {

// What loading cannot know: that a state is of this model.
void check_state_fits(const Model& model, Backend backend, const State& state) {
  const auto refuse = [](const char* what) { throw UserError(fmt::format("the state is of a scene with other {}", what)); };
  if (state.poses.size() != model.bodies.size()) refuse("bodies");
  const bool is_double = model.solver.precision == Precision::kDouble || backend == Backend::kReference;
  if (state.store.index() != static_cast<std::size_t>(2 * is_double + (model.dimension == 3))) refuse("dimension or precision");
  std::visit(
      [&](const auto& store) {
        const OptionalColumns& optional = store.particles.optional();
        if (store.blocks.empty()) return;
        const OptionalColumns wanted = columns_of(model);
        if (optional.affine != wanted.affine || optional.varied != wanted.varied || optional.held != wanted.held)
          refuse("transfer, variation or contact");
        for (const auto& block : store.blocks)
          for (std::uint32_t i = 0; i < block.count; ++i) {
            if (store.particles.material[block.slot(i)] >= model.materials.size()) refuse("materials");
            if (store.particles.id[block.slot(i)] >= state.next_id) refuse("particles");
          }
      },
      state.store);
}

}  // namespace

Simulation::Simulation(const Scene& scene, const std::function<std::size_t(char*, std::size_t)>& read, Backend backend, int threads,
                       const SetupProgress& setup)
    : parts_(std::make_unique<Parts>()) {
  Built built = build(scene, setup);
  built.particles.clear();
  parts_->take(scene, built);
  if (setup) setup("reading the state");
  ByteReader reader(read);
  parts_->state = load_state(reader);
  check_state_fits(parts_->model, backend, parts_->state);
  parts_->solver = make_solver(parts_->model, backend, threads);
  parts_->solver->attach(parts_->model, parts_->state);
}

void Simulation::Parts::take(const Scene& scene, Built& built) {
  model = std::move(built.model);
  population = std::move(built.population);
  double_frames = built.double_frames || scene.solver.precision == Precision::kDouble;
  warnings = std::move(built.warnings);
}

void Simulation::save(const std::function<void(std::string_view)>& write) const {
  parts_->solver->in_threads([&] {  // whoever compresses the bytes uses no more threads than the solver
    ByteWriter writer(write);
    firn::save(parts_->whole_state(), writer);
  });
}

std::string Simulation::hash() const { return hash_of(parts_->whole_state()); }

namespace {

// What particles and the grid are made for.
void check_unchanged(const Scene& scene, const Model& now, const Model& next) {
  const auto refuse = [&](const char* what) {
    throw UserError(fmt::format("{}: {} cannot change while a simulation runs", scene.name, what));
  };
  if (next.dimension != now.dimension) refuse("simulation.dimension");
  if (next.h != now.h) refuse("simulation.spacing");
  if (next.solver.precision != now.solver.precision) refuse("solver.precision");
  if (next.solver.kernel != now.solver.kernel) refuse("solver.kernel");
  if (next.solver.transfer != now.solver.transfer) refuse("solver.transfer");
  if (next.limits_density() != now.limits_density()) refuse("solver.integrator to or from \"density-limited\"");
  if (next.solver.contact != now.solver.contact) refuse("solver.contact");
  if (next.varied != now.varied) refuse("whether particles have parameters of their own (noise, shell)");
  if (next.materials.size() < now.materials.size()) refuse("the number of materials to a smaller one");
  if (next.bodies.size() != now.bodies.size()) refuse("the number of colliders");
  if (next.window.has_value() != now.window.has_value()) refuse("whether there is a window");
  if (next.inflows.size() != now.inflows.size()) refuse("the number of sources, and of bodies of snow in a window,");
}

}  // namespace

void Simulation::change(const Scene& scene) {
  Built built = build(scene);
  Parts& p = *parts_;
  check_unchanged(scene, p.model, built.model);
  if (built.population.late().size() != p.population.late().size())
    throw UserError(fmt::format("{}: the number of bodies of snow that come later cannot change while a simulation runs", scene.name));
  built.model.origin = p.model.origin;  // of the blocks there are
  built.model.mass_floor = std::min(built.model.mass_floor, p.model.mass_floor);
  built.double_frames |= p.double_frames;
  p.take(scene, built);
  // What a source has not given out until now, at another rate, it does not owe.
  PopulationState& population = p.state.population;
  for (std::size_t e = 0; e < population.given.size(); ++e) population.given[e] = p.population.emitters()[e].count(time());
  p.solver->bring_home(p.model, p.state);
  p.state.span = {};
  set_time(p.model, p.state, time());
  std::visit(
      [](auto& store) {
        for (auto& block : store.blocks) block.wake();
        store.loads.clear();
      },
      p.state.store);
  p.solver->attach(p.model, p.state);
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

double Simulation::time() const { return parts_->state.time; }
std::int64_t Simulation::steps() const { return parts_->state.steps; }
std::size_t Simulation::particles() const { return parts_->state.particle_count; }
std::size_t Simulation::ids() const { return parts_->state.next_id; }
std::int64_t Simulation::emitted() const { return parts_->state.population.emitted; }
std::int64_t Simulation::killed() const { return parts_->state.population.killed; }
std::int64_t Simulation::left() const { return parts_->state.population.left; }
std::size_t Simulation::bytes() const { return parts_->solver->bytes(parts_->state); }
const std::vector<std::string>& Simulation::warnings() const { return parts_->warnings; }
std::optional<double> Simulation::critical_density() const {
  if (!parts_->model.limits_density()) return std::nullopt;
  return parts_->model.critical_density;
}
bool Simulation::double_frames() const { return parts_->double_frames; }

void Simulation::Parts::exchange_particles() {
  ParticleTable arrivals;
  solver->in_threads([&] { arrivals = population.arrivals(model, state.time, state.population); });
  solver->add(model, state, arrivals);
  state.population.emitted += static_cast<std::int64_t>(arrivals.size());
  const Removed removed = solver->remove(model, state);
  state.population.killed += removed.killed;
  state.population.left += removed.left;
}

StepInfo Simulation::step(double longest) {
  // An automatic step ends where snow comes in.
  if (!parts_->model.solver.time_step) longest = std::min(longest, parts_->population.next_start(time()) - time());
  StepInfo info = parts_->solver->step(parts_->model, parts_->state, longest);
  const auto begin = Clock::now();
  parts_->exchange_particles();
  info.seconds[static_cast<int>(Phase::kSort)] += seconds_since(begin);
  return info;
}

void Simulation::advance_to(double end, const std::function<bool(const StepInfo&)>& on_step) {
  constexpr double kSliver = 1e-9;  // of the span: rounding, not time left to simulate
  TimeSpan& current = parts_->state.span;
  const bool goes_on = current.end == end && time() > current.begin;  // with one that was interrupted, perhaps at its very end
  if (end <= time() && !goes_on) return;
  if (!goes_on) current = {time(), end};
  const double span = end - current.begin;
  if (time() - end > kSliver * span) return;
  const auto fixed = parts_->model.solver.time_step;
  // A whole number of equal steps, none longer than the one asked for.
  const double dt = fixed ? span / std::ceil(span / *fixed * (1 - kSliver)) : 0;
  while (end - time() > kSliver * span) {
    const StepInfo info = step(fixed ? dt : end - time());
    if (on_step && !on_step(info)) return;
  }
  set_time(parts_->model, parts_->state, end);  // away with the rounding of the sum
}

Statistics Simulation::statistics() const {
  Statistics statistics;
  parts_->solver->in_threads([&] { statistics = sum_up(parts_->model, *parts_->solver, parts_->state); });
  return statistics;
}

GridFields Simulation::grid() {
  GridFields fields = parts_->solver->grid(parts_->model, parts_->state);
  fields.double_precision = parts_->double_frames;
  return fields;
}

ParticleLook Simulation::look(LookChannel channel, int every) const {
  ParticleLook look;
  parts_->solver->in_threads([&] { look = look_at(parts_->model, parts_->whole_state(), channel, every); });
  return look;
}

std::vector<Vector> Simulation::sleeping_blocks() const { return firn::sleeping_blocks(parts_->model, parts_->state); }

std::vector<std::array<double, 9>> Simulation::stress(const Frame& frame) const {
  std::vector<std::array<double, 9>> all(frame.fe.size());
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = stress_of(parts_->model, frame, p);
  return all;
}

Frame Simulation::frame(bool complete, std::size_t begin, std::size_t end) const {
  const Model& model = parts_->model;
  Frame frame;
  frame.double_precision = parts_->double_frames;
  constexpr std::size_t kPiece = 8192;  // rows are large: few of them at a time
  for (std::size_t at = begin; at < end; at += kPiece)
    for (const ParticleRow& row : parts_->solver->rows(model, parts_->state, at, std::min(end, at + kPiece))) {
      frame.position.push_back({row.position(0, model.h), row.position(1, model.h), row.position(2, model.h)});
      frame.je.push_back(elastic_volume(row));
#define FIRN_Every true
#define FIRN_Complete complete
#define FIRN_OF_ROW(member, type, shape, change, needs, initial, frames, field, name, ...) \
  if (FIRN_##frames) frame.name.push_back(row.member);
#define FIRN_OWN(member, type, shape, change, needs, initial, frames, field, name, ...) frame.name.push_back(own.member);
      FIRN_CORE_FIELDS(FIRN_NO_FIELD, FIRN_NO_FIELD, FIRN_OF_ROW)
      if (model.solver.transfer == Transfer::kApic) {
        FIRN_AFFINE_FIELDS(FIRN_NO_FIELD, FIRN_NO_FIELD, FIRN_OF_ROW)
      }
      if (model.holds()) {
        FIRN_HELD_FIELDS(FIRN_NO_FIELD, FIRN_NO_FIELD, FIRN_OF_ROW)
      }
      if (model.varied && complete) {
        const Variation own = own_of(model, row);
        FIRN_VARIED_FIELDS(FIRN_NO_FIELD, FIRN_NO_FIELD, FIRN_OWN)
      }
#undef FIRN_Every
#undef FIRN_Complete
#undef FIRN_OF_ROW
#undef FIRN_OWN
    }
  return frame;
}

}  // namespace firn
