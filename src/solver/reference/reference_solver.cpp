#include <algorithm>

#include "core/clock.h"
#include "particles/rows.h"
#include "solver/outflow.h"
#include "solver/reference/reference.h"

namespace firn {
namespace reference {

// The way back.
template <int D>
ParticleRow to_row(const Particle<D>& p, double h) {
  ParticleRow row = p;
  const LatticePoint<double, D> x = to_lattice<double, D>(p.x, h, false);
  for (int i = 0; i < D; ++i) {
    row.cell[i] = x.cell[i];
    row.offset[i] = x.offset[i];
    row.velocity[i] = p.v[i];
    for (int j = 0; j < D; ++j) {
      row.F_E[3 * i + j] = p.F_E(i, j);
      row.B[3 * i + j] = p.B(i, j);
    }
  }
  row.J_P = p.J_P();
  return row;
}

// The state has all particles in one block, in the order of their ids; between steps that is where they are.
template <int D, class Kernel>
class ReferenceSolver : public Solver {
 public:
  State create(const Model& model, ParticleTable table) override {
    State state;
    set_time(model, state, 0);
    state.store.emplace<ParticleStore<double, D>>();
    add(model, state, table);
    std::vector<Particle<D>> particles = load(model, state);
    Step<D, Kernel> step(model, state, particles);
    step.rasterize();
    step.estimate_volumes();
    store(model, particles, state);
    return state;
  }

  void attach(const Model&, State&) override {}

  StepInfo step(const Model& model, State& state, double longest) override {
    const auto begin = Clock::now();
    StepInfo report;
    std::vector<Particle<D>> particles = load(model, state);
    Step<D, Kernel> step(model, state, particles);
    step.find_alone();
    step.rasterize();
    step.add_forces();
    const ChosenStep chosen = choose_time_step(model, with_inflow(step.limits(), model, state.time, longest), step.extent(), longest);
    take_step(model, state, chosen, report, [&](double tried) { return step.try_steps_4_to_10(tried, report); });
    step.accept();
    store(model, particles, state);
    set_time(model, state, state.time + report.dt);
    ++state.steps;
    report.limited = step.limited();
    report.alone = step.alone();
    report.loads = loads_over(report.dt, step.loads());
    report.seconds[static_cast<int>(Phase::kGrid)] = seconds_since(begin);
    return report;
  }

  void add(const Model& model, State& state, const ParticleTable& table) override {
    check_ids_left(state, table.size());
    std::vector<Particle<D>> particles = load(model, state);
    for (const ParticleRow& row : table) {
      particles.push_back(from_row<D>(row, model.h));
      particles.back().id = static_cast<std::uint32_t>(state.next_id++);
    }
    store(model, particles, state);
  }

  Removed remove(const Model& model, State& state) override {
    const Outflow<double, D> outflow(model, state.time);
    Removed removed;
    if (outflow.empty()) return removed;
    std::vector<Particle<D>> particles = load(model, state);
    std::erase_if(particles, [&](const Particle<D>& p) {
      const LatticePoint<double, D> x = to_lattice<double, D>(p.x, model.h, false);
      const Fate fate = outflow.of(x.cell, x.offset);
      removed.killed += fate == Fate::kKilled;
      removed.left += fate == Fate::kLeft;
      return fate != Fate::kStays;
    });
    store(model, particles, state);
    return removed;
  }

  ParticleTable rows(const Model&, const State& state, std::size_t begin, std::size_t end) const override {
    const auto& particles = state.of<double, D>().particles;
    ParticleTable table;
    for (std::size_t i = 0; i < state.particle_count; ++i)
      if (particles.id[i] >= begin && particles.id[i] < end) table.push_back(firn::to_row(particles, i));
    return table;
  }

  // Of the snow that is not alone: the CPU solver has no nodes for the rest.
  GridFields grid(const Model& model, State& state) override {
    std::vector<Particle<D>> particles = load(model, state);
    Step<D, Kernel> step(model, state, particles);
    step.find_alone();
    std::erase_if(particles, [](const Particle<D>& p) { return p.alone; });
    step.rasterize();
    step.add_forces();
    GridFields fields;
    fields.spacing = model.h;
    for (const auto& [cell, i] : step.grid())
      if (i.mass > 0) add_node<D>(cell, i.mass, i.v_n, i.force, fields);
    return fields;
  }

  std::size_t bytes(const State& state) const override {
    return state.of<double, D>().particles.bytes() + 2 * state.particle_count * sizeof(Particle<D>);
  }

 private:
  static std::vector<Particle<D>> load(const Model& model, const State& state) {
    std::vector<Particle<D>> particles;
    particles.reserve(state.particle_count);
    for (std::size_t i = 0; i < state.particle_count; ++i)
      particles.push_back(from_row<D>(firn::to_row(state.of<double, D>().particles, i), model.h));
    return particles;
  }

  static void store(const Model& model, const std::vector<Particle<D>>& particles, State& state) {
    ParticleStore<double, D>& to = state.of<double, D>();
    state.particle_count = particles.size();
    to.blocks.resize(1);
    ParticleBlock<D>& all = to.blocks[0];
    all.count = static_cast<std::uint32_t>(particles.size());
    while (all.groups.size() < groups_for(all.count)) all.groups.push_back(to.pool.take());
    to.particles.resize(slots_for(to.pool), columns_of(model));
    for (std::size_t i = 0; i < particles.size(); ++i) {
      const ParticleRow row = to_row(particles[i], model.h);
      firn::from_row(row, own_of(model, row), row.id, i, to.particles);
    }
  }
};

template <int D>
std::unique_ptr<Solver> make(Kernel kernel) {
  if (kernel == Kernel::kCubic) return std::make_unique<ReferenceSolver<D, CubicKernel>>();
  return std::make_unique<ReferenceSolver<D, QuadraticKernel>>();
}

}  // namespace reference

std::unique_ptr<Solver> make_reference_solver(const Model& model) {
  return model.dimension == 3 ? reference::make<3>(model.solver.kernel) : reference::make<2>(model.solver.kernel);
}

}  // namespace firn
