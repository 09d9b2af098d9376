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
  bool changed = state.migration.run(convert_vec<std::int32_t, D>(model.origin), state.particles, state.blocks, state.pool, state.slot_of_id,
                                     [&] { make_room(model, state); });
  if (changed || state.moved) changed |= find_lone(state);
  if (changed) allocate_grid(model, state);
}

// New blocks get the places of those that are gone, then new ones, and a clean report. Who is alone needs none.
template <int D>
void assign_places(std::vector<ParticleBlock<D>>& blocks, std::vector<BlockReport>& reports) {
  constexpr std::uint32_t kNowhere = ParticleBlock<D>::kNowhere;
  std::vector<std::uint8_t> taken;
  for (ParticleBlock<D>& block : blocks) {
    if (block.alone) block.place = kNowhere;
    if (block.place == kNowhere) continue;
    if (block.place >= taken.size()) taken.resize(block.place + 1);
    taken[block.place] = 1;
  }
  reports.resize(taken.size());
  std::uint32_t next = 0;
  for (ParticleBlock<D>& block : blocks) {
    if (block.place != kNowhere || block.alone) continue;
    while (next < taken.size() && taken[next]) ++next;
    block.place = next++;
    if (block.place >= reports.size()) reports.resize(block.place + 1);
    reports[block.place] = {};
    reports[block.place].speed = std::numeric_limits<double>::infinity();  // who sleeps beside it had better wake
  }
}

// For other node blocks: snow that sleeps in those that stay still weighs on what is under it.
template <int D, class Build>
void keep_loads(SparseGrid<D>& grid, std::vector<NearLoads>& loads, Build build) {
  std::vector<std::pair<BlockKey, NearLoads>> kept;
  for (std::size_t b = 0; b < loads.size(); ++b)
    if (!loads[b].empty()) kept.emplace_back(grid.node_key(b), std::move(loads[b]));
  build();
  loads.assign(grid.node_block_count(), {});
  std::size_t b = 0;
  for (auto& [key, load] : kept) {  // both in the order of keys
    while (b < loads.size() && grid.node_key(b) < key) ++b;
    if (b < loads.size() && grid.node_key(b) == key) loads[b] = std::move(load);
  }
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::allocate_grid(const Model& model, MyState& state) const {
  std::vector<BlockKey> keys;
  keys.reserve(state.blocks.size());
  for (const ParticleBlock<D>& block : state.blocks) keys.push_back(block.alone ? SparseGrid<D>::kNoNodes : block.key);
  keep_loads(state.grid, state.node_loads, [&] { state.grid.build(keys); });
  assign_places(state.blocks, state.reports);
  const std::size_t places = state.reports.size();
  resize_tightly(state.momentum_tiles, places * MyState::kTileValues);
  resize_tightly(state.force_tiles, places * MyState::kTileValues);
  const std::size_t nodes = state.grid.node_block_count();
  resize_tightly(state.mass_velocity, nodes * MyState::kBlockValues);
  resize_tightly(state.velocity, nodes * MyState::kBlockValues);
  if (model.solver.integrator == Integrator::kExplicit) return;
  state.constraints.resize(nodes * BlockShape<D>::kNodes);
  state.has_held.resize(nodes);
  state.partial.resize(nodes);
  for (Array<T>* a : {&state.r, &state.p, &state.Ar, &state.Ap}) resize_tightly(*a, nodes * MyState::kBlockValues);
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::scatter(const Model& model, MyState& state) const {
  const Scatter<T, D, Kernel, Apic> pass(model, state);
  parallel_for(state.awake.size(), [&](std::size_t i) { pass.block(state.awake[i]); });
  parallel_for(state.lone.size(), [&](std::size_t i) {
    const std::size_t slot = state.blocks[state.lone[i]].slot(0);
    Vec<double, D> v;
    for (int d = 0; d < D; ++d) v[d] = state.particles.velocity[d][slot];
    state.lone_reports[i].limits = {0, 0, norm(v)};
  });
}

template <class T, int D, class Kernel, bool Apic>
bool CpuSolver<T, D, Kernel, Apic>::solve(const Model& model, MyState& state, const GridPass<T, D>& grid, double dt, StepReport& report) const {
  ImplicitSystem<T, D, Kernel> system(model, state, dt);
  const double rounding = 10 * kEpsilon<T> * system.velocity_norm();
  const LinearResult result = conjugate_residuals(system, {model.solver.tolerance, rounding, model.solver.max_iterations});
  report.iterations += result.iterations;
  report.residual = result.residual;
  if (!result.converged) return false;
  const std::vector<std::uint32_t> held = system.push_of_held();
  parallel_for(held.size(), [&](std::size_t i) { grid.add_reactions(held[i]); });
  parallel_for(state.active.size(), [&](std::size_t i) { grid.collide_again(state.active[i]); });
  return true;
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
    if (!solve(model, state, grid, dt, report)) return {Fault::kSolve, 0};
  }
  // Steps 7 to 10: deformation, velocities, collisions, positions.
  const PhaseTimer timer(report, Phase::kGather);
  state.migration.start(state.blocks.size());
  const Gather<T, D, Kernel, Apic> pass(model, state, dt, bodies.list);
  parallel_for(state.awake.size(), [&](std::size_t i) {
    if (state.blocks[state.awake[i]].rest == Rest::kAwake) pass.block(state.awake[i]);
  });
  const LoneFlight<T, D, Kernel, Apic> flight(model, state, dt, bodies.list);
  parallel_for(state.lone.size(), [&](std::size_t i) { flight.particle(i); });
  Attempt failed;
  state.for_each_report([&](const ParticleBlock<D>&, const BlockReport& of) {
    if (failed.fault == Fault::kNone) failed = of.attempt;
  });
  return failed;
}

// On every body, in the mean of the step.
template <class T, int D>
std::vector<Load> sum_loads(const CpuState<T, D>& state, std::size_t bodies) {
  std::vector<Load> sum(bodies);
  const auto add = [&sum](const NearLoads& loads) {
    for (const NearLoad& near : loads) sum[near.body].add(1, near.load);
  };
  for (const NearLoads& loads : state.node_loads) add(loads);
  state.for_each_report([&](const ParticleBlock<D>&, const BlockReport& report) { add(report.loads); });
  return sum;
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
    state.for_each_report([&](const ParticleBlock<D>& block, const BlockReport& own) {
      snow.include(block.first_cell, BlockShape<D>::kEdge);
      limits.wave = std::max(limits.wave, own.limits.wave);
      limits.soft_wave = std::max(limits.soft_wave, own.limits.soft_wave);
      limits.speed = std::max(limits.speed, own.limits.speed);
    });
    const ChosenStep chosen = choose_time_step(model, with_inflow(limits, model, state.time, longest), snow, longest);
    try {
      take_step(model, state, chosen, report, [&](double tried) { return try_rest(model, state, tried, report); });
    } catch (...) {
      state.migration.forget();  // of particles that have not moved after all
      throw;
    }
    state.particles.swap_changing(state.next);
    state.moved = true;
    state.for_each_report([&](const ParticleBlock<D>& block, const BlockReport& of) {
      report.limited += of.limited;
      if (block.rest != Rest::kAwake) report.asleep += block.count;
    });
    report.alone = static_cast<std::int64_t>(state.lone.size());
    report.loads = sum_loads(state, model.bodies.size());
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
  parallel_for(state.awake.size(), [&](std::size_t i) {
    const std::size_t b = state.awake[i];
    const ParticleBlock<D>& block = state.blocks[b];
    alignas(64) T nodes[MyState::kTileValues];
    load_tile(state, b, state.mass_velocity, nodes);
    RowTile<T, D> tile;
    tile.unfold(nodes);
    Stencils<T, D, Kernel> stencils;
    block.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      stencils.compute(state.particles, at, block.first_cell);
      alignas(64) T sums[kGroup<T>][kChannels] = {};
      for (int l = 0; l < n; ++l) gather_value(stencils, l, tile.values, sums[l]);
      Lanes<T> mass[kChannels];  // that the particle sees, in channel 0
      quads_to_lanes(sums[0], mass);
      const Lanes<T> given = Lanes<T>::load(state.particles.volume.at(at)), own = Lanes<T>::load(state.particles.mass.at(at));
      const LaneMask<T> unknown = first_lanes<T>(n) & (given <= Lanes<T>(T(0)));
      select(unknown, own / mass[0] * T(cell_volume), given).store(state.particles.volume.at(at));  // (M5)
    });
  });
  for (const std::uint32_t b : state.lone) {  // its density is its own mass, spread and gathered again
    const std::size_t slot = state.blocks[b].slot(0);
    if (state.particles.volume[slot] > T(0)) continue;
    double squares = 1;  // of the weights
    for (int d = 0; d < D; ++d) {
      const double offset = state.particles.offset[d][slot];
      double w[kRowNodes], g[kRowNodes], sum = 0;
      Kernel::weights(offset - Kernel::base_shift(offset), w, g);
      for (int k = 0; k < Kernel::kSupport; ++k) sum += w[k] * w[k];
      squares *= sum;
    }
    state.particles.volume[slot] = T(cell_volume / squares);
  }
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
