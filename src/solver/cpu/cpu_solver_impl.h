// Bodies of CpuSolver; included by the generated file of each dimension, precision and kernel.
#pragma once

#include "solver/cpu/cpu_solver.h"

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

// Steps from one canonical order to the next. In between the order within a block is that of arrival, which costs a little locality
// and saves most of the moving.
inline constexpr std::int64_t kCanonicalInterval = 32;

// Brings a block's particles together. From step to step few of them change places, so most of the way goes in long runs.
template <class T, int D>
void copy_block(const Particles<T, D>& from, const std::vector<std::uint32_t>& order, const BlockRange& block, Particles<T, D>& to) {
  struct Run {
    std::uint32_t from, to, count;
  };
  thread_local std::vector<Run> runs;
  runs.clear();
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    if (!runs.empty() && order[i] == runs.back().from + runs.back().count) {
      ++runs.back().count;
    } else {
      runs.push_back({order[i], i, 1});
    }
  }
  Particles<T, D>::for_each_column(from, to, [&](const auto& source, auto& target) {
    if (source.empty()) return;
    for (const Run& run : runs)
      for (std::uint32_t k = 0; k < run.count; ++k) target[run.to + k] = source[run.from + k];
  });
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::sort(const Model& model, MyState& state) const {
  Particles<T, D>& ps = state.particles;
  typename BlockSorter<D>::Input input{{}, ps.id.data(), ps.size(), convert_vec<std::int32_t, D>(model.origin)};
  for (int d = 0; d < D; ++d) input.cell[d] = ps.cell[d].data();
  const bool canonical = state.steps % kCanonicalInterval == 0;
  if (canonical ? state.sorter.sort(input) : state.sorter.sort_by_block(input)) {
    const std::vector<BlockRange>& blocks = state.sorter.blocks();
    parallel_for(blocks.size(), [&](std::size_t b) { copy_block(ps, state.sorter.order(), blocks[b], state.next); });
    std::swap(state.particles, state.next);
    parallel_for(ps.size(), [&](std::size_t i) { state.slot_of_id[ps.id[i]] = static_cast<std::uint32_t>(i); });
  }
  allocate_grid(model, state);
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::allocate_grid(const Model& model, MyState& state) const {
  std::vector<BlockKey> keys;
  keys.reserve(state.block_count());
  for (const BlockRange& block : state.sorter.blocks()) keys.push_back(block.key);
  state.grid.build(keys);
  state.reports.resize(keys.size());
  state.tiles.resize(keys.size() * MyState::kTileValues);
  const std::size_t nodes = state.grid.node_block_count();
  state.mass_velocity.resize(nodes * MyState::kBlockValues);
  state.velocity.resize(nodes * MyState::kBlockValues);
  if (model.solver.integrator == Integrator::kExplicit) return;
  state.operator_tiles.resize(keys.size() * MyState::kRowTileValues);
  state.constraints.resize(nodes * BlockShape<D>::kNodes);
  state.partial.resize(nodes);
  for (Array<T>* a : {&state.r, &state.p, &state.Ar, &state.Ap}) a->resize(nodes * MyState::kBlockValues);
  for (auto& column : state.rotation) column.resize(state.particles.size());
  for (auto& column : state.lame) column.resize(state.particles.size());
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::scatter(const Model& model, MyState& state) const {
  const Scatter<T, D, Kernel, Apic> pass(model, state);
  parallel_for(state.block_count(), [&](std::size_t b) { pass.block(b); });
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
  const std::vector<Body<T, D>> bodies = freeze_bodies<T, D>(model, state.time + dt);
  const GridPass<T, D> grid(model, state, dt, bodies);
  {  // steps 4 and 5: forces, gravity, collisions
    const PhaseTimer timer(report, Phase::kGrid);
    parallel_for(state.grid.node_block_count(), [&](std::size_t b) { grid.block(b); });
  }
  if (model.solver.integrator == Integrator::kSemiImplicit) {  // step 6
    const PhaseTimer timer(report, Phase::kSolve);
    if (!solve(model, state, dt, report)) return {Fault::kSolve, 0};
    parallel_for(state.grid.node_block_count(), [&](std::size_t b) { grid.collide_again(b); });
  }
  // Steps 7 to 10: deformation, velocities, collisions, positions.
  const PhaseTimer timer(report, Phase::kGather);
  const Gather<T, D, Kernel, Apic> pass(model, state, dt, bodies);
  parallel_for(state.block_count(), [&](std::size_t b) { pass.block(b); });
  for (const BlockReport& block : state.reports)
    if (block.attempt.fault != Fault::kNone) return block.attempt;
  return {};
}

template <class T, int D, class Kernel, bool Apic>
StepReport CpuSolver<T, D, Kernel, Apic>::step(const Model& model, State& base, double longest) const {
  return threads_.run([&] {
    MyState& state = static_cast<MyState&>(base);
    StepReport report;
    {
      const PhaseTimer timer(report, Phase::kSort);
      sort(model, state);
    }
    {  // steps 1 and 3: mass, momentum, forces (step 2 was taken when the state was made)
      const PhaseTimer timer(report, Phase::kScatter);
      scatter(model, state);
    }
    StepLimits limits;
    for (const BlockReport& block : state.reports) {
      limits.wave = std::max(limits.wave, block.limits.wave);
      limits.soft_wave = std::max(limits.soft_wave, block.limits.soft_wave);
      limits.speed = std::max(limits.speed, block.limits.speed);
    }
    const double dt = choose_time_step(model, limits, longest);
    take_step(model, state, dt, report, [&](double tried) { return try_rest(model, state, tried, report); });
    Particles<T, D>::for_each_dynamic_column(state.particles, state.next, [](auto& a, auto& b) { std::swap(a, b); });
    for (const BlockReport& block : state.reports) report.limited += block.limited;
    state.time += report.dt;
    ++state.steps;
    return report;
  });
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::estimate_volumes(const Model& model, MyState& state) const {
  scatter(model, state);
  const double cell_volume = std::pow(model.h, D);
  parallel_for(state.grid.node_block_count(), [&](std::size_t b) {
    alignas(64) T sums[BlockShape<D>::kNodes * kNodeChannels];
    sum_tiles<kNodeChannels>(state, b, state.tiles, sums);
    for (int i = 0; i < BlockShape<D>::kNodes; ++i) state.mass_velocity[b * MyState::kBlockValues + i * kChannels] = sums[i * kNodeChannels];
  });
  parallel_for(state.block_count(), [&](std::size_t b) {
    const BlockRange& range = state.sorter.blocks()[b];
    const Cell<D> first = state.first_cell(convert_vec<std::int32_t, D>(model.origin), range.key);
    alignas(64) T tile[MyState::kTileValues] = {};
    load_tile<kNodeChannels>(state, b, state.mass_velocity, tile);
    Stencils<T, D, Kernel> stencils;
    for (std::size_t at = range.begin; at < range.end; ++at) {
      if (state.particles.volume[at] > T(0)) continue;
      stencils.compute(state.particles, at, first);
      const T mass = gather<T, D, Kernel, false>(stencils, 0, tile).value[0];
      state.particles.volume[at] = state.particles.mass[at] / mass * T(cell_volume);  // (M5)
    }
  });
}

template <class T, int D>
void from_row(const ParticleRow& row, std::size_t k, Particles<T, D>& ps) {
  for (int i = 0; i < D; ++i) {
    split_coordinate<T>(row.offset[i], false, ps.cell[i][k], ps.offset[i][k]);
    ps.cell[i][k] += row.cell[i];
    ps.velocity[i][k] = T(row.velocity[i]);
    for (int j = 0; j < D; ++j) {
      ps.F_E[i * D + j][k] = T(row.F_E[3 * i + j]);
      if (!ps.B[0].empty()) ps.B[i * D + j][k] = T(row.B[3 * i + j]);
    }
  }
  ps.J_P[k] = T(row.J_P);
  ps.mass[k] = T(row.mass);
  ps.volume[k] = T(row.volume);
  ps.id[k] = static_cast<std::uint32_t>(k);
  ps.material[k] = row.material;
}

template <class T, int D>
ParticleRow to_row(const Particles<T, D>& ps, std::size_t k) {
  ParticleRow row;
  for (int i = 0; i < D; ++i) {
    row.cell[i] = ps.cell[i][k];
    row.offset[i] = ps.offset[i][k];
    row.velocity[i] = ps.velocity[i][k];
    for (int j = 0; j < D; ++j) {
      row.F_E[3 * i + j] = ps.F_E[i * D + j][k];
      if (!ps.B[0].empty()) row.B[3 * i + j] = ps.B[i * D + j][k];
    }
  }
  row.J_P = ps.J_P[k];
  row.mass = ps.mass[k];
  row.volume = ps.volume[k];
  row.material = ps.material[k];
  return row;
}

template <class T, int D, class Kernel, bool Apic>
std::unique_ptr<State> CpuSolver<T, D, Kernel, Apic>::create(const Model& model, ParticleTable table) const {
  auto state = std::make_unique<MyState>();
  for (const SnowParameters<double>& s : model.materials) state->materials.push_back(convert<T>(s));
  const std::size_t n = state->particle_count = table.size();
  state->particles.resize(n, Apic);
  threads_.run([&] { parallel_for(n, [&](std::size_t k) { from_row(table[k], k, state->particles); }); });
  ParticleTable().swap(table);  // the second buffer and the grid need the room
  state->next.resize(n, Apic);
  state->slot_of_id.resize(n);
  for (std::size_t k = 0; k < n; ++k) state->slot_of_id[k] = static_cast<std::uint32_t>(k);
  threads_.run([&] {
    sort(model, *state);
    estimate_volumes(model, *state);
  });
  return state;
}

template <class T, int D, class Kernel, bool Apic>
ParticleTable CpuSolver<T, D, Kernel, Apic>::rows(const Model&, const State& base, std::size_t begin, std::size_t end) const {
  const MyState& state = static_cast<const MyState&>(base);
  ParticleTable table(end - begin);
  for (std::size_t id = begin; id < end; ++id) table[id - begin] = to_row(state.particles, state.slot_of_id[id]);
  return table;
}

template <class T, int D, class Kernel, bool Apic>
std::size_t CpuSolver<T, D, Kernel, Apic>::bytes(const State& base) const {
  const MyState& s = static_cast<const MyState&>(base);
  std::size_t values = s.tiles.capacity() + s.operator_tiles.capacity() + s.mass_velocity.capacity() + s.velocity.capacity() +
                       s.r.capacity() + s.p.capacity() + s.Ar.capacity() + s.Ap.capacity();
  for (const auto& column : s.rotation) values += column.bytes() / sizeof(T);
  for (const auto& column : s.lame) values += column.bytes() / sizeof(T);
  return s.particles.bytes() + s.next.bytes() + s.sorter.bytes() + s.grid.bytes() + values * sizeof(T) +
         s.constraints.capacity() * sizeof(Constraint<T, D>) + s.reports.capacity() * sizeof(BlockReport);
}

}  // namespace firn::cpu
