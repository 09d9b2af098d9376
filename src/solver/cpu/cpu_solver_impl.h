// Bodies of CpuSolver: the step. Apart because the generated file of each dimension, precision and kernel includes it.
#pragma once

#include "core/clock.h"
#include "grid/exchange.h"
#include "solver/cpu/contact_gather.h"
#include "solver/cpu/cpu_solver_particles.h"

namespace firn::cpu {

// Adds the seconds until its end to one phase.
class PhaseTimer {
 public:
  PhaseTimer(StepInfo& report, Phase phase) : to_(report.seconds[static_cast<int>(phase)]) {}
  ~PhaseTimer() { to_ += seconds_since(begin_); }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double& to_;
  Clock::time_point begin_ = Clock::now();
};

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::move_between_blocks(const Model& model, Store& store) {
  bool changed = exchange::migrate(scratch_.migration, convert_vec<std::int32_t, D>(model.origin), store.particles, store.blocks,
                                   store.pool, scratch_.slot_of_id, [&] { make_room(model, store, scratch_); });
  if (changed || scratch_.moved) changed |= find_lone(model, store, scratch_);
  if (changed) allocate_grid(model, store);
  scratch_.assign_tiles(store.blocks);
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
  }
}

// For other node blocks: those that stay keep their loads.
template <int D>
void keep_loads(const SparseGrid<D>& grid, std::vector<NodeBlockLoads>& loads) {
  std::vector<NodeBlockLoads> before = std::move(loads);
  loads.clear();
  loads.reserve(grid.node_block_count());
  std::size_t old = 0;
  for (std::size_t b = 0; b < grid.node_block_count(); ++b) {  // both in the order of keys
    const BlockKey key = grid.node_key(b);
    while (old < before.size() && before[old].key < key) ++old;
    const bool stays = old < before.size() && before[old].key == key;
    loads.push_back({key, stays ? std::move(before[old].loads) : NearLoads()});
  }
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::allocate_grid(const Model& model, Store& store) {
  std::vector<BlockKey> keys;
  keys.reserve(store.blocks.size());
  for (const ParticleBlock<D>& block : store.blocks) keys.push_back(block.alone ? SparseGrid<D>::kNoNodes : block.key);
  scratch_.grid.build(keys);
  keep_loads(scratch_.grid, store.loads);
  assign_places(store.blocks, scratch_.reports);
  scratch_.resize_grid(model.implicit(), model.holds());
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::scatter(const Model& model, Store& store, const std::vector<Body<T, D>>& bodies) {
  const Scatter<T, D, Kernel, Apic> pass(model, store, scratch_);
  const ContactScatter<T, D, Kernel> contact(model, store, scratch_, bodies);
  parallel_for(scratch_.awake.size(), [&](std::size_t i) { pass.block(scratch_.awake[i], contact.of_block(scratch_.awake[i])); });
  parallel_for(scratch_.lone.size(), [&](std::size_t i) {
    const std::size_t slot = store.blocks[scratch_.lone[i]].slot(0);
    Vec<double, D> v;
    for (int d = 0; d < D; ++d) v[d] = store.particles.velocity[d][slot];
    scratch_.lone_reports[i].limits = {0, 0, norm(v)};
  });
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::migrate(Work& work) {
  move_between_blocks(work.model, work.store);
  return {};
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::choose_awake(Work& work) {
  Sleep<T, D>(work.model, work.state, work.store, scratch_).choose();
  return {};
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::scatter(Work& work) {
  scatter(work.model, work.store, work.before.list);
  return {};
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::scatter_again(Work& work) {
  if (work.report.rejected > 0) scatter(work.model, work.store, work.before.list);
  return {};
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::update_grid(Work& work) {
  const GridPass<T, D> grid(work.model, work.store, scratch_, work.dt, work.bodies.list);
  exchange::sum_halos(scratch_.active, [&](std::uint32_t b) { grid.block(b); });
  work.gravity_work = sum_over_active();
  return {};
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::limit_density(Work& work) {
  const DensityGrid<T, D> grid(work.model, work.store, scratch_, work.dt);
  exchange::sum_halos(scratch_.active, [&](std::uint32_t b) { grid.sum(b); });
  grid.limit();
  const GridPass<T, D> after(work.model, work.store, scratch_, work.dt, work.bodies.list);
  parallel_for(scratch_.active.size(),
               [&](std::size_t i) { scratch_.partial[scratch_.active[i]] = after.work_of_gravity(scratch_.active[i]); });
  work.gravity_work = sum_over_active();
  return {};
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::carry_particles(Work& work) {
  scratch_.migration.start(work.store.blocks.size());
  const DensityGather<T, D, Kernel> pass(work.model, work.store, scratch_, work.dt, work.bodies.list);
  parallel_for(scratch_.awake.size(), [&](std::size_t i) { pass.block(scratch_.awake[i]); });
  return first_failure(work.store.blocks);
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::first_failure(const std::vector<ParticleBlock<D>>& blocks) const {
  Attempt failed;
  scratch_.for_each_report(blocks, [&](const ParticleBlock<D>&, const BlockReport& of) {
    if (failed.fault == Fault::kNone) failed = of.attempt;
  });
  return failed;
}

// Of what node blocks have in `partial`.
template <class T, int D, class Kernel, bool Apic>
double CpuSolver<T, D, Kernel, Apic>::sum_over_active() const {
  double sum = 0;
  for (const std::uint32_t b : scratch_.active) sum += scratch_.partial[b];
  return exchange::sum({&sum, 1});
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::solve(Work& work) {
  const Model& model = work.model;
  ImplicitSystem<T, D, Kernel> system(model, work.store, scratch_, work.dt);
  const double rounding = 10 * kEpsilon<T> * system.solution_norm();
  const LinearResult result = conjugate_residuals(system, {model.solver.tolerance, rounding, kMostError, model.solver.max_iterations});
  work.report.iterations += result.iterations;
  work.report.residual = result.residual;
  if (!result.converged) return {Fault::kSolve, 0};
  if (!result.trusted && may_be_cut_for_energy(model, work.report)) return {Fault::kUntrusted, 0};
  const GridPass<T, D> grid(model, work.store, scratch_, work.dt, work.bodies.list);
  const std::vector<std::uint32_t> held = system.push_of_held();
  parallel_for(held.size(), [&](std::size_t i) { grid.add_reactions(held[i]); });
  parallel_for(scratch_.active.size(), [&](std::size_t i) {
    const std::uint32_t b = scratch_.active[i];
    grid.collide_again(b);
    scratch_.partial[b] = grid.work_of_gravity(b);
  });
  work.gravity_work = sum_over_active();
  return {};
}

// On every body, in the mean of the step.
template <class T, int D>
std::vector<Load> sum_loads(const ParticleStore<T, D>& store, const Scratch<T, D>& scratch, std::size_t bodies) {
  std::vector<Load> sum(bodies);
  const auto add = [&sum](const NearLoads& loads) {
    for (const NearLoad& near : loads) sum[near.body].add(1, near.load);
  };
  for (const NodeBlockLoads& block : store.loads) add(block.loads);
  scratch.for_each_report(store.blocks, [&](const ParticleBlock<D>&, const BlockReport& report) { add(report.loads); });
  return sum;
}

template <class T, int D, class Kernel, bool Apic>
EnergyBalance CpuSolver<T, D, Kernel, Apic>::balance(const Work& work) const {
  EnergyBalance balance{0, 0, work.gravity_work, 0};
  for (const std::uint32_t b : scratch_.awake) {
    const ParticleBlock<D>& block = work.store.blocks[b];
    if (block.rest != Rest::kAwake) continue;
    balance.before += scratch_.reports[block.place].energy;
    balance.after += scratch_.reports[block.place].energy_after;
  }
  for (const Load& load : sum_loads(work.store, scratch_, work.model.bodies.size())) balance.bodies -= load.power * work.dt;
  return balance;
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::update_particles(Work& work) {
  Store& store = work.store;
  scratch_.migration.start(store.blocks.size());
  const Gather<T, D, Kernel, Apic> pass(work.model, store, scratch_, work.dt, work.bodies.list);
  const ContactGather<T, D, Kernel> contact(work.model, store, scratch_, work.dt);
  parallel_for(scratch_.awake.size(), [&](std::size_t i) {
    if (store.blocks[scratch_.awake[i]].rest != Rest::kAwake) return;
    pass.block(scratch_.awake[i], contact.of_block(scratch_.awake[i]));
  });
  const LoneFlight<T, D, Kernel, Apic> flight(work.model, store, scratch_, work.dt, work.bodies.list, work.before.list);
  parallel_for(scratch_.lone.size(), [&](std::size_t i) { flight.particle(i); });
  Attempt failed = first_failure(store.blocks);
  if (failed.fault == Fault::kNone && work.model.checks_energy() && may_be_cut_for_energy(work.model, work.report) &&
      balance(work).is_bad())
    failed.fault = Fault::kEnergy;
  return failed;
}

template <class T, int D, class Kernel, bool Apic>
ChosenStep CpuSolver<T, D, Kernel, Apic>::choose_step(const Work& work, double longest) const {
  StepLimits limits;
  SnowExtent snow(work.state.time);
  scratch_.for_each_report(work.store.blocks, [&](const ParticleBlock<D>& block, const BlockReport& own) {
    snow.include(block.first_cell);
    limits.wave = std::max(limits.wave, own.limits.wave);
    limits.soft_wave = std::max(limits.soft_wave, own.limits.soft_wave);
    limits.speed = std::max(limits.speed, own.limits.speed);
  });
  for (double* limit : {&limits.wave, &limits.soft_wave, &limits.speed}) *limit = exchange::largest(*limit);
  return choose_time_step(work.model, with_inflow(limits, work.model, work.state.time, longest), snow, longest);
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::remember(Work& work) {
  const ContactGather<T, D, Kernel> contact(work.model, work.store, scratch_, work.dt);
  parallel_for(scratch_.awake.size(), [&](std::size_t i) {
    if (work.store.blocks[scratch_.awake[i]].rest == Rest::kAwake) contact.accept(scratch_.awake[i]);
  });
  Particles<T, D>& particles = work.store.particles;
  for (std::size_t i = 0; i < scratch_.lone.size(); ++i) {
    const std::uint32_t slot = work.store.blocks[scratch_.lone[i]].slot(0);
    particles.push[slot] = scratch_.lone_reports[i].memory.push;
    particles.touch[slot] = scratch_.lone_reports[i].memory.touch;
    particles.credit[slot] = scratch_.lone_reports[i].memory.credit;
  }
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::accept(Work& work) {
  StepInfo& report = work.report;
  work.store.particles.swap_changing(scratch_.next);
  if (work.model.holds()) remember(work);
  scratch_.moved = true;
  for (const ParticleBlock<D>& block : work.store.blocks) {
    report.limited += block.limited;
    if (block.rest != Rest::kAwake) report.asleep += block.count;
  }
  report.gravity_work = work.gravity_work;
  for (const std::uint32_t b : scratch_.awake) {
    if (work.store.blocks[b].rest != Rest::kAwake) continue;
    const BlockReport& own = scratch_.reports[work.store.blocks[b].place];
    report.relaxed += own.relaxed;
    report.capped += own.capped;
    report.plastic_work += own.dissipated;
  }
  for (const BlockReport& own : scratch_.lone_reports) report.gravity_work += own.gravity_work;
  report.alone = static_cast<std::int64_t>(scratch_.lone.size());
  report.loads = loads_over(report.dt, sum_loads(work.store, scratch_, work.model.bodies.size()));
  Sleep<T, D>(work.model, work.state, work.store, scratch_).fall_asleep(report.dt);
  work.state.time += report.dt;
  work.state.poses = std::move(work.poses);
  ++work.state.steps;
}

template <class T, int D, class Kernel, bool Apic>
Attempt CpuSolver<T, D, Kernel, Apic>::run(std::span<const Stage> stages, Work& work) {
  for (const Stage& stage : stages) {
    const PhaseTimer timer(work.report, stage.phase);
    if (const Attempt attempt = (this->*stage.run)(work); attempt.fault != Fault::kNone) return attempt;
  }
  return {};
}

template <class T, int D, class Kernel, bool Apic>
StepInfo CpuSolver<T, D, Kernel, Apic>::step(const Model& model, State& state, double longest) {
  return threads_.run([&] {
    StepInfo report;
    Work work{model, state, state.of<T, D>(), report, 0, 0, freeze<T, D>(model.bodies, state.poses, state.time), {}, {}};
    const auto begin = Clock::now();
    const double parallel_before = ParallelTime::seconds();
    run(kBefore, work);
    try {
      take_step(model, state, choose_step(work, longest), report, [&](double dt) {
        work.dt = dt;
        work.poses = poses_at(model.bodies, state.time + dt);
        work.bodies = freeze<T, D>(model.bodies, work.poses, state.time + dt);
        return run(tried(model), work);
      });
    } catch (...) {
      scratch_.migration.forget();  // of particles that have not moved after all
      throw;
    }
    accept(work);
    report.serial_seconds = seconds_since(begin) - (ParallelTime::seconds() - parallel_before);
    return report;
  });
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::estimate_volumes(const Model& model, Store& store) {
  scatter(model, store, {});
  const double cell_volume = std::pow(model.h, D);
  parallel_for(scratch_.grid.node_block_count(), [&](std::size_t b) {
    sum_tiles(store, scratch_, b, scratch_.momentum_tiles, &scratch_.mass_velocity[b * Scratch<T, D>::kBlockValues]);
  });
  parallel_for(scratch_.awake.size(), [&](std::size_t i) {
    const std::size_t b = scratch_.awake[i];
    const ParticleBlock<D>& block = store.blocks[b];
    alignas(64) T nodes[Scratch<T, D>::kTileValues];
    load_tile(scratch_, b, scratch_.mass_velocity, nodes);
    RowTile<T, D> tile;
    tile.unfold(nodes);
    Stencils<T, D, Kernel> stencils;
    block.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      stencils.compute(store.particles, at, block.first_cell);
      alignas(64) T sums[kGroup<T>][kChannels] = {};
      for (int l = 0; l < n; ++l) gather_value(stencils, l, tile.values, sums[l]);
      Lanes<T> mass[kChannels];  // that the particle sees, in channel 0
      quads_to_lanes(sums[0], mass);
      const Lanes<T> given = Lanes<T>::load(store.particles.volume.at(at)), own = Lanes<T>::load(store.particles.mass.at(at));
      const LaneMask<T> unknown = first_lanes<T>(n) & (given <= Lanes<T>(T(0)));
      select(unknown, own / mass[0] * T(cell_volume), given).store(store.particles.volume.at(at));  // (M5)
    });
  });
  for (const std::uint32_t b : scratch_.lone) {  // its density is its own mass, spread and gathered again
    const std::size_t slot = store.blocks[b].slot(0);
    if (store.particles.volume[slot] > T(0)) continue;
    double squares = 1;  // of the weights
    for (int d = 0; d < D; ++d) {
      const double offset = store.particles.offset[d][slot];
      double w[kRowNodes], g[kRowNodes], sum = 0;
      Kernel::weights(offset - Kernel::base_shift(offset), w, g);
      for (int k = 0; k < Kernel::kSupport; ++k) sum += w[k] * w[k];
      squares *= sum;
    }
    store.particles.volume[slot] = T(cell_volume / squares);
  }
}

template <class T, int D, class Kernel, bool Apic>
std::size_t CpuSolver<T, D, Kernel, Apic>::bytes(const State& state) const {
  return state.of<T, D>().particles.bytes() + scratch_.bytes();
}

}  // namespace firn::cpu
