#include "solver/reference/reference_solver.h"

#include <algorithm>
#include <chrono>

#include "solver/outflow.h"
#include "solver/reference/reference_step.h"

namespace firn {
namespace reference {

template <int D, class Kernel>
class ReferenceSolver : public Solver {
 public:
  std::unique_ptr<State> create(const Model& model, ParticleTable table) const override {
    auto state = std::make_unique<ReferenceState<D>>();
    add(model, *state, table);
    Step<D, Kernel> step(model, *state);
    step.rasterize();
    step.estimate_volumes();
    return state;
  }

  StepReport step(const Model& model, State& base, double longest) const override {
    auto& state = static_cast<ReferenceState<D>&>(base);
    const auto begin = std::chrono::steady_clock::now();
    StepReport report;
    Step<D, Kernel> step(model, state);
    step.find_alone();
    step.rasterize();
    step.add_forces();
    const ChosenStep chosen = choose_time_step(model, with_inflow(step.limits(), model, state.time, longest), step.extent(), longest);
    take_step(model, state, chosen, report, [&](double tried) { return step.try_rest(tried, report); });
    step.accept();
    state.time += report.dt;
    ++state.steps;
    report.limited = step.limited();
    report.alone = step.alone();
    report.loads = step.loads();
    report.seconds[static_cast<int>(Phase::kGrid)] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return report;
  }

  void add(const Model& model, State& base, const ParticleTable& table) const override {
    auto& state = static_cast<ReferenceState<D>&>(base);
    check_ids_left(state, table.size());
    for (const ParticleRow& row : table) {
      state.particles.push_back(from_row(row, model.h));
      state.particles.back().id = static_cast<std::uint32_t>(state.next_id++);
    }
    state.particle_count = state.particles.size();
  }

  Removed remove(const Model& model, State& base) const override {
    auto& state = static_cast<ReferenceState<D>&>(base);
    const Outflow<double, D> outflow(model, state.time);
    Removed removed;
    std::erase_if(state.particles, [&](const Particle<D>& p) {
      const LatticePoint<double, D> x = to_lattice<double, D>(p.x, model.h, false);
      const Fate fate = outflow.of(x.cell, x.offset);
      removed.killed += fate == Fate::kKilled;
      removed.left += fate == Fate::kLeft;
      return fate != Fate::kStays;
    });
    state.particle_count = state.particles.size();
    return removed;
  }

  ParticleTable rows(const Model& model, const State& base, std::size_t begin, std::size_t end) const override {
    const auto& particles = static_cast<const ReferenceState<D>&>(base).particles;  // in id order
    const auto first =
        std::lower_bound(particles.begin(), particles.end(), begin, [](const Particle<D>& p, std::size_t id) { return p.id < id; });
    ParticleTable table;
    for (auto p = first; p != particles.end() && p->id < end; ++p) table.push_back(to_row(*p, model.h));
    return table;
  }

  std::size_t bytes(const State& base) const override {
    return static_cast<const ReferenceState<D>&>(base).particles.capacity() * sizeof(Particle<D>) * 2;
  }

 private:
  static Particle<D> from_row(const ParticleRow& row, double h) {
    Particle<D> p;
    for (int i = 0; i < D; ++i) {
      p.x[i] = row.position(i, h);
      p.v[i] = row.velocity[i];
      for (int j = 0; j < D; ++j) {
        p.F_E(i, j) = row.F_E[3 * i + j];
        p.B(i, j) = row.B[3 * i + j];
      }
    }
    p.F_P = M<D>::identity();  // only its determinant is known, and only that matters
    p.F_P(0, 0) = row.J_P;
    p.mass = row.mass;
    p.volume = row.volume;
    p.material = row.material;
    p.own = row.own;
    return p;
  }

  static ParticleRow to_row(const Particle<D>& p, double h) {
    ParticleRow row;
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
    row.mass = p.mass;
    row.volume = p.volume;
    row.material = p.material;
    row.own = p.own;
    row.id = p.id;
    return row;
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
