// Bodies of CpuSolver; included by the generated file of each dimension, precision and kernel. Here: the step.
#pragma once

#include "solver/cpu/cpu_solver_particles.h"

namespace firn::cpu {

// Adds the seconds until its end to one phase.
class PhaseTimer {
 public:
  PhaseTimer(StepReport& report, Phase phase) : to_(report.seconds[static_cast<int>(phase)]) {}
  ~PhaseTimer() { to_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double& to_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::move_between_blocks(const Model& model, MyState& state) const {
  if (state.migration.run(convert_vec<std::int32_t, D>(model.origin), state.particles, state.blocks, state.pool, state.slot_of_id,
                          [&] { make_room(model, state); }))
    allocate_grid(model, state);
}

// New blocks get the places of those that are gone, then new ones, and a clean report.
template <int D>
void assign_places(std::vector<ParticleBlock<D>>& blocks, std::vector<BlockReport>& reports) {
  constexpr std::uint32_t kNowhere = ParticleBlock<D>::kNowhere;
  std::vector<std::uint8_t> taken(blocks.size());
  for (const ParticleBlock<D>& block : blocks) {
    if (block.place == kNowhere) continue;
    if (block.place >= taken.size()) taken.resize(block.place + 1);
    taken[block.place] = 1;
  }
  reports.resize(taken.size());
  std::uint32_t next = 0;
  for (ParticleBlock<D>& block : blocks) {
    if (block.place != kNowhere) continue;
    while (taken[next]) ++next;
    block.place = next++;
    reports[block.place] = {};
    reports[block.place].speed = std::numeric_limits<double>::infinity();  // who sleeps beside it had better wake
  }
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::allocate_grid(const Model& model, MyState& state) const {
  std::vector<BlockKey> keys;
  keys.reserve(state.blocks.size());
  for (const ParticleBlock<D>& block : state.blocks) keys.push_back(block.key);
  state.grid.build(keys);
  assign_places(state.blocks, state.reports);
  const std::size_t places = state.reports.size();
  resize_tightly(state.momentum_tiles, places * MyState::kTileValues);
  resize_tightly(state.force_tiles, places * MyState::kTileValues);
  const std::size_t nodes = state.grid.node_block_count();
  resize_tightly(state.mass_velocity, nodes * MyState::kBlockValues);
  resize_tightly(state.velocity, nodes * MyState::kBlockValues);
  if (model.solver.integrator == Integrator::kExplicit) return;
  state.constraints.resize(nodes * BlockShape<D>::kNodes);
  state.partial.resize(nodes);
  for (Array<T>* a : {&state.r, &state.p, &state.Ar, &state.Ap}) resize_tightly(*a, nodes * MyState::kBlockValues);
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::scatter(const Model& model, MyState& state) const {
  const Scatter<T, D, Kernel, Apic> pass(model, state);
  parallel_for(state.awake.size(), [&](std::size_t i) { pass.block(state.awake[i]); });
}

template <class T, int D, class Kernel, bool Apic>
bool CpuSolver<T, D, Kernel, Apic>::solve(const Model& model, MyState& state, double dt, StepReport& report) const {
  ImplicitSystem<T, D, Kernel> system(model, state, dt);
  const double rounding = 10 * kEpsilon<T> * system.velocity_norm();
  const LinearResult result = conjugate_residuals(system, {model.solver.tolerance, rounding, model.solver.max_iterations});
  report.iterations += result.iterations;
  report.residual = result.residual;
  return result.converged;
}

// Steps 4 to 10; they write the second particle buffer only, so a try that fails leaves nothing behind.
template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::try_rest(const Model& model, MyState& state, double dt, StepReport& report) const {
  const bool implicit = model.solver.integrator == Integrator::kSemiImplicit;
  if (implicit && report.rejected > 0) {  // the try before has used up forces and what the solve needs
    const PhaseTimer timer(report, Phase::kScatter);
    scatter(model, state);
  }
  const Bodies<T, D> bodies = freeze<T, D>(model.bodies, state.time + dt);
  const GridPass<T, D> grid(model, state, dt, bodies.list);
  {  // steps 4 and 5: forces, gravity, collisions
    const PhaseTimer timer(report, Phase::kGrid);
    parallel_for(state.active.size(), [&](std::size_t i) { grid.block(state.active[i]); });
  }
  if (implicit) {  // step 6
    const PhaseTimer timer(report, Phase::kSolve);
    if (!solve(model, state, dt, report)) return {Fault::kSolve, 0};
    parallel_for(state.active.size(), [&](std::size_t i) { grid.collide_again(state.active[i]); });
  }
  // Steps 7 to 10: deformation, velocities, collisions, positions.
  const PhaseTimer timer(report, Phase::kGather);
  state.migration.start(state.blocks.size());
  const Gather<T, D, Kernel, Apic> pass(model, state, dt, bodies.list);
  parallel_for(state.awake.size(), [&](std::size_t i) {
    if (state.blocks[state.awake[i]].rest == Rest::kAwake) pass.block(state.awake[i]);
  });
  for (const ParticleBlock<D>& block : state.blocks) {
    const Attempt& attempt = state.reports[block.place].attempt;
    if (attempt.fault != Fault::kNone) return attempt;
  }
  return {};
}

template <class T, int D, class Kernel, bool Apic>
StepReport CpuSolver<T, D, Kernel, Apic>::step(const Model& model, State& base, double longest) const {
  return threads_.run([&] {
    MyState& state = static_cast<MyState&>(base);
    StepReport report;
    const auto begin = std::chrono::steady_clock::now();
    const double parallel_before = ParallelTime::seconds();
    {
      const PhaseTimer timer(report, Phase::kSort);
      move_between_blocks(model, state);
      Sleep<T, D>(model, state).choose();
    }
    {  // steps 1 and 3: mass, momentum, forces (step 2 was taken when the state was made)
      const PhaseTimer timer(report, Phase::kScatter);
      scatter(model, state);
    }
    StepLimits limits;
    SnowExtent snow(state.time);
    for (const ParticleBlock<D>& block : state.blocks) {
      snow.include(block.first_cell, BlockShape<D>::kEdge);
      const StepLimits& own = state.reports[block.place].limits;
      limits.wave = std::max(limits.wave, own.wave);
      limits.soft_wave = std::max(limits.soft_wave, own.soft_wave);
      limits.speed = std::max(limits.speed, own.speed);
    }
    const double dt = choose_time_step(model, with_inflow(limits, model, state.time, longest), snow, longest);
    try {
      take_step(model, state, dt, report, [&](double tried) { return try_rest(model, state, tried, report); });
    } catch (...) {
      state.migration.forget();  // of particles that have not moved after all
      throw;
    }
    state.particles.swap_changing(state.next);
    for (const ParticleBlock<D>& block : state.blocks) {
      report.limited += state.reports[block.place].limited;
      if (block.rest != Rest::kAwake) report.asleep += block.count;
    }
    Sleep<T, D>(model, state).lull(report.dt);
    state.time += report.dt;
    ++state.steps;
    report.serial_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() -
                            (ParallelTime::seconds() - parallel_before);
    return report;
  });
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::estimate_volumes(const Model& model, MyState& state) const {
  scatter(model, state);
  const double cell_volume = std::pow(model.h, D);
  parallel_for(state.grid.node_block_count(), [&](std::size_t b) {
    sum_tiles(state, b, state.momentum_tiles, &state.mass_velocity[b * MyState::kBlockValues]);
  });
  parallel_for(state.blocks.size(), [&](std::size_t b) {
    const ParticleBlock<D>& block = state.blocks[b];
    alignas(64) T nodes[MyState::kTileValues];
    load_tile(state, b, state.mass_velocity, nodes);
    RowTile<T, D> tile;
    tile.unfold(nodes);
    Stencils<T, D, Kernel> stencils;
    block.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      stencils.compute(state.particles, at, block.first_cell);
      for (int l = 0; l < n; ++l) {
        if (state.particles.volume[at + l] > T(0)) continue;
        T sums[kChannels];
        gather_value(stencils, l, tile.values, sums);
        state.particles.volume[at + l] = state.particles.mass[at + l] / sums[0] * T(cell_volume);  // (M5)
      }
    });
  });
}

template <class T, int D, class Kernel, bool Apic>
std::size_t CpuSolver<T, D, Kernel, Apic>::bytes(const State& base) const {
  const MyState& s = static_cast<const MyState&>(base);
  std::size_t values = s.momentum_tiles.capacity() + s.force_tiles.capacity() + s.mass_velocity.capacity() + s.velocity.capacity() +
                       s.r.capacity() + s.p.capacity() + s.Ar.capacity() + s.Ap.capacity();
  return s.particles.bytes() + s.next.bytes() + s.migration.bytes() + s.grid.bytes() + values * sizeof(T) +
         s.constraints.capacity() * sizeof(Constraint<T, D>) + s.reports.capacity() * sizeof(BlockReport) +
         s.slot_of_id.capacity() * sizeof(std::uint32_t) +
         s.partial.capacity() * sizeof(double);
}

}  // namespace firn::cpu
