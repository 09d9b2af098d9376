// Bodies of CpuSolver: particles that come in and go out.
#pragma once

#include "solver/cpu/cpu_solver.h"
#include "solver/outflow.h"

namespace firn::cpu {

// Room for as many slots as the pool has given out.
template <class T, int D>
void make_room(const Model& model, CpuState<T, D>& state) {
  const std::size_t slots = state.pool.slots();
  if (state.particles.J_P.empty()) {
    const OptionalColumns optional{model.solver.transfer == Transfer::kApic, model.varied};
    state.particles.resize(slots, optional);
    state.next.resize(slots, optional, false);
  } else if (std::min(state.particles.slots(), state.next.slots()) < slots) {  // either, should there have been no memory for it before
    Particles<T, D>::grow(state.particles, state.next, slots);
  }
}

template <class T, int D>
void from_row(const Model& model, const ParticleRow& row, std::size_t id, std::size_t k, Particles<T, D>& ps) {
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
  ps.id[k] = static_cast<std::uint32_t>(id);
  ps.material[k] = row.material;
  if (ps.stiffness.empty()) return;
  const SnowParameters<double> s = snow_parameters(model, row.material, row.own);
  ps.stiffness[k] = T(row.own ? row.own->stiffness : 1);
  ps.hardening[k] = T(s.hardening);
  ps.stretch_min[k] = T(s.stretch_min);
  ps.stretch_max[k] = T(s.stretch_max);
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
  row.id = ps.id[k];
  if (!ps.stiffness.empty()) row.own = Variation{ps.stiffness[k], ps.hardening[k], 1 - double(ps.stretch_min[k]), double(ps.stretch_max[k]) - 1};
  return row;
}

// From rows in id order to blocks.
template <class T, int D>
void arrange(const Model& model, const Particles<T, D>& unsorted, CpuState<T, D>& state) {
  const Cell<D> origin = convert_vec<std::int32_t, D>(model.origin);
  BlockSorter<D> sorter;
  sorter.sort({unsorted.cell, unsorted.id, state.particle_count, origin});
  for (const BlockRange& range : sorter.blocks()) {
    ParticleBlock<D>& block = state.blocks.emplace_back(make_block<D>(range.key, origin));
    block.count = range.end - range.begin;
    for (std::uint32_t g = 0; g < groups_for(block.count); ++g) block.groups.push_back(state.pool.take());
  }
  make_room(model, state);
  state.slot_of_id.resize(state.particle_count);
  parallel_for(state.blocks.size(), [&](std::size_t b) {
    const BlockRange& range = sorter.blocks()[b];
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const std::uint32_t to = state.blocks[b].slot(i - range.begin), from = sorter.order()[i];
      state.particles.copy(unsorted, from, to);
      state.slot_of_id[state.particles.id[to]] = to;
    }
  });
}

// Notes whom the outflow takes of one block.
template <class T, int D>
Removed note_removed(const Outflow<T, D>& outflow, std::size_t b, CpuState<T, D>& state) {
  const ParticleBlock<D>& block = state.blocks[b];
  Removed removed;
  if (!outflow.touches(block.first_cell)) return removed;
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const std::uint32_t slot = block.slot(i);
    Cell<D> cell;
    Vec<T, D> offset;
    for (int d = 0; d < D; ++d) {
      cell[d] = state.particles.cell[d][slot];
      offset[d] = state.particles.offset[d][slot];
    }
    const Fate fate = outflow.of(cell, offset);
    if (fate == Fate::kStays) continue;
    ++(fate == Fate::kKilled ? removed.killed : removed.left);
    state.migration.take_away(b, i);
  }
  return removed;
}

// The same of all blocks. Snow that lies beside those who go may have leant on them: it wakes.
template <class T, int D>
Removed choose_removed(const Model& model, const Outflow<T, D>& outflow, CpuState<T, D>& state) {
  std::vector<Removed> of_block(state.blocks.size());
  state.migration.start(state.blocks.size());
  parallel_for(of_block.size(), [&](std::size_t b) { of_block[b] = note_removed(outflow, b, state); });
  const Sleep<T, D> sleep(model, state);
  Removed sum;
  for (std::uint32_t b = 0; b < of_block.size(); ++b) {
    if (of_block[b].killed + of_block[b].left == 0) continue;
    sleep.wake_around(b);
    sum.killed += of_block[b].killed;
    sum.left += of_block[b].left;
  }
  return sum;
}

template <class T, int D, class Kernel, bool Apic>
std::unique_ptr<State> CpuSolver<T, D, Kernel, Apic>::create(const Model& model, ParticleTable table) const {
  auto state = std::make_unique<MyState>();
  for (const SnowParameters<double>& s : model.materials) state->materials.push_back(convert<T>(s));
  check_ids_left(*state, table.size());
  const std::size_t n = state->particle_count = state->next_id = table.size();
  threads_.run([&] {
    {
      Particles<T, D> unsorted;
      unsorted.resize(slots_for(n), {Apic, model.varied});
      parallel_for(n, [&](std::size_t k) { from_row(model, table[k], k, k, unsorted); });
      table.clear();  // the buffers and the grid need the room
      arrange(model, unsorted, *state);
    }
    find_lone(*state);
    allocate_grid(model, *state);
    Sleep<T, D>(model, *state).choose();
    estimate_volumes(model, *state);
  });
  return state;
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::add(const Model& model, State& base, const ParticleTable& table) const {
  if (table.empty()) return;
  MyState& state = static_cast<MyState&>(base);
  check_ids_left(state, table.size());
  threads_.run([&] {
    Particles<T, D>& newcomers = state.migration.admit(static_cast<std::uint32_t>(table.size()), {Apic, model.varied});
    parallel_for(table.size(), [&](std::size_t k) { from_row(model, table[k], state.next_id + k, k, newcomers); });
    state.slot_of_id.resize(state.next_id + table.size(), kNoSlot);
    state.moved = true;
    move_between_blocks(model, state);
  });
  state.next_id += table.size();
  state.particle_count += table.size();
}

template <class T, int D, class Kernel, bool Apic>
Removed CpuSolver<T, D, Kernel, Apic>::remove(const Model& model, State& base) const {
  MyState& state = static_cast<MyState&>(base);
  const Outflow<T, D> outflow(model, state.time);
  if (outflow.empty()) return {};
  return threads_.run([&] {
    move_between_blocks(model, state);
    const Removed removed = choose_removed(model, outflow, state);
    state.moved = removed.killed + removed.left > 0;
    if (state.moved) move_between_blocks(model, state);
    state.particle_count -= static_cast<std::size_t>(removed.killed + removed.left);
    return removed;
  });
}

template <class T, int D, class Kernel, bool Apic>
ParticleTable CpuSolver<T, D, Kernel, Apic>::rows(const Model&, const State& base, std::size_t begin, std::size_t end) const {
  const MyState& state = static_cast<const MyState&>(base);
  ParticleTable table;
  table.reserve(end - begin);
  for (std::size_t id = begin; id < end; ++id)
    if (state.slot_of_id[id] != kNoSlot) table.push_back(to_row(state.particles, state.slot_of_id[id]));
  return table;
}

}  // namespace firn::cpu
