#include "solver/reference/reference_solver.h"

#include <chrono>

#include "solver/reference/reference_step.h"

namespace firn {
namespace reference {

template <int D, class Kernel>
class ReferenceSolver : public Solver {
 public:
  std::unique_ptr<State> create(const Model& model, ParticleTable table) const override {
    auto state = std::make_unique<ReferenceState<D>>();
    for (const ParticleRow& row : table) state->particles.push_back(from_row(row, model.h));
    state->particle_count = table.size();
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
    step.rasterize();
    step.add_forces();
    const double dt = choose_time_step(model, step.limits(), step.extent(), longest);
    take_step(model, state, dt, report, [&](double tried) { return step.try_rest(tried, report); });
    step.accept();
    state.time += report.dt;
    ++state.steps;
    report.limited = step.limited();
    report.seconds[static_cast<int>(Phase::kGrid)] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return report;
  }

  ParticleTable rows(const Model& model, const State& base, std::size_t begin, std::size_t end) const override {
    const auto& particles = static_cast<const ReferenceState<D>&>(base).particles;
    ParticleTable table;
    for (std::size_t id = begin; id < end; ++id) table.push_back(to_row(particles[id], model.h));
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
