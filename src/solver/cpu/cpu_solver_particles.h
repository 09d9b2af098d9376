// Bodies of CpuSolver: particles that come in and go out. Apart because it is no part of a step.
#pragma once

#include "particles/rows.h"
#include "solver/cpu/cpu_solver.h"
#include "solver/outflow.h"

namespace firn::cpu {

// Room for as many slots as the pool has given out.
template <class T, int D>
void make_room(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch) {
  const std::size_t slots = slots_for(store.pool);
  if (store.particles.J_P.empty()) {
    store.particles.resize(slots, columns_of(model));
    scratch.next.resize(slots, columns_of(model), false);
  } else if (scratch.next.J_P.empty()) {  // of a state from elsewhere
    scratch.next.resize(slots, columns_of(model), false);
  } else if (std::min(store.particles.slots(), scratch.next.slots()) < slots) {  // either, should there have been no memory for it before
    Particles<T, D>::grow(store.particles, scratch.next, slots);
  }
}

template <class T, int D>
void find_slots(const ParticleStore<T, D>& store, std::size_t ids, std::vector<std::uint32_t>& slot_of_id) {
  slot_of_id.assign(ids, kNoSlot);
  parallel_for(store.blocks.size(), [&](std::size_t b) {
    for (std::uint32_t i = 0; i < store.blocks[b].count; ++i)
      slot_of_id[store.particles.id[store.blocks[b].slot(i)]] = store.blocks[b].slot(i);
  });
}

// Notes whom the outflow takes of one block.
template <class T, int D>
Removed note_removed(const Outflow<T, D>& outflow, std::size_t b, ParticleStore<T, D>& store, Scratch<T, D>& scratch) {
  const ParticleBlock<D>& block = store.blocks[b];
  Removed removed;
  if (!outflow.touches(block.first_cell)) return removed;
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const std::uint32_t slot = block.slot(i);
    Cell<D> cell;
    Vec<T, D> offset;
    for (int d = 0; d < D; ++d) {
      cell[d] = store.particles.cell[d][slot];
      offset[d] = store.particles.offset[d][slot];
    }
    const Fate fate = outflow.of(cell, offset);
    if (fate == Fate::kStays) continue;
    ++(fate == Fate::kKilled ? removed.killed : removed.left);
    scratch.migration.take_away(b, i);
  }
  return removed;
}

// The same of all blocks. Snow that lies beside those who go may have leant on them: it wakes.
template <class T, int D>
Removed choose_removed(const Model& model, const Outflow<T, D>& outflow, const State& state, ParticleStore<T, D>& store,
                       Scratch<T, D>& scratch) {
  std::vector<Removed> of_block(store.blocks.size());
  scratch.migration.start(store.blocks.size());
  parallel_for(of_block.size(), [&](std::size_t b) { of_block[b] = note_removed(outflow, b, store, scratch); });
  const Sleep<T, D> sleep(model, state, store, scratch);
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
State CpuSolver<T, D, Kernel, Apic>::create(const Model& model, ParticleTable table) {
  State state;
  check_ids_left(state, table.size());
  const std::size_t n = state.particle_count = state.next_id = table.size();
  set_time(model, state, 0);
  Store& store = state.store.template emplace<Store>();
  scratch_ = {};
  threads_.run([&] {
    Particles<T, D> unsorted;
    unsorted.resize(slots_for(n), columns_of(model));
    parallel_for(n, [&](std::size_t k) { from_row(table[k], own_of(model, table[k]), k, k, unsorted); });
    table.clear();  // the buffers and the grid need the room
    arrange(convert_vec<std::int32_t, D>(model.origin), unsorted, n, store.particles, store.blocks, store.pool,
            [&] { make_room(model, store, scratch_); });
    find_lone(model, store, scratch_);
  });
  attach(model, state);
  threads_.run([&] {
    Sleep<T, D>(model, state, store, scratch_).choose();
    estimate_volumes(model, store);
  });
  return state;
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::attach(const Model& model, State& state) {
  Store& store = state.of<T, D>();
  scratch_.materials.clear();
  for (const SnowParameters<double>& s : model.materials) scratch_.materials.push_back(convert<T>(s));
  threads_.run([&] {
    make_room(model, store, scratch_);
    find_slots(store, state.next_id, scratch_.slot_of_id);
    scratch_.moved = true;
    allocate_grid(model, store);
    scratch_.assign_tiles(store.blocks);
    scratch_.migration.start(store.blocks.size());
    const Scatter<T, D, Kernel, Apic> pass(model, store, scratch_);
    const Bodies<T, D> bodies = freeze<T, D>(model.bodies, state.poses, state.time);
    const ContactScatter<T, D, Kernel> contact(model, store, scratch_, bodies.list);
    parallel_for(store.blocks.size(), [&](std::size_t b) {
      const ParticleBlock<D>& block = store.blocks[b];
      block.template for_each_pack<kGroupSize>([&, first = std::uint32_t(0)](std::size_t at, int n) mutable {
        scratch_.migration.note(block, b, store.particles, first, at, n);
        first += kGroupSize;
      });
      if (block.rest == Rest::kAwake) return;
      for (const std::uint32_t group : block.groups) scratch_.next.copy_changing(store.particles, group);
      if (block.rest == Rest::kAsleep) pass.block(b, contact.of_block(b));
    });
  });
}

template <class T, int D, class Kernel, bool Apic>
void CpuSolver<T, D, Kernel, Apic>::add(const Model& model, State& state, const ParticleTable& table) {
  if (table.empty()) return;
  check_ids_left(state, table.size());
  threads_.run([&] {
    Particles<T, D>& newcomers = scratch_.migration.admit(static_cast<std::uint32_t>(table.size()), columns_of(model));
    parallel_for(table.size(), [&](std::size_t k) { from_row(table[k], own_of(model, table[k]), state.next_id + k, k, newcomers); });
    scratch_.slot_of_id.resize(state.next_id + table.size(), kNoSlot);
    scratch_.moved = true;
    move_between_blocks(model, state.of<T, D>());
  });
  state.next_id += table.size();
  state.particle_count += table.size();
}

template <class T, int D, class Kernel, bool Apic>
Removed CpuSolver<T, D, Kernel, Apic>::remove(const Model& model, State& state) {
  const Outflow<T, D> outflow(model, state.time);
  if (outflow.empty()) return {};
  Store& store = state.of<T, D>();
  return threads_.run([&] {
    move_between_blocks(model, store);
    const Removed removed = choose_removed(model, outflow, state, store, scratch_);
    scratch_.moved = removed.killed + removed.left > 0;
    if (scratch_.moved) move_between_blocks(model, store);
    state.particle_count -= static_cast<std::size_t>(removed.killed + removed.left);
    return removed;
  });
}

template <class T, int D, class Kernel, bool Apic>
ParticleTable CpuSolver<T, D, Kernel, Apic>::rows(const Model&, const State& state, std::size_t begin, std::size_t end) const {
  const Store& store = state.of<T, D>();
  ParticleTable table;
  table.reserve(end - begin);
  for (std::size_t id = begin; id < end; ++id)
    if (scratch_.slot_of_id[id] != kNoSlot) table.push_back(to_row(store.particles, scratch_.slot_of_id[id]));
  return table;
}

// Awake snow scatters as at the beginning of a step; what bodies have to do with it is left alone. The tiles of sleepers are there.
template <class T, int D, class Kernel, bool Apic>
GridFields CpuSolver<T, D, Kernel, Apic>::grid(const Model& model, State& state) {
  using Shape = BlockShape<D>;
  Store& store = state.of<T, D>();
  std::vector<GridFields> of_block;
  threads_.run([&] {
    move_between_blocks(model, store);
    const Scatter<T, D, Kernel, Apic> pass(model, store, scratch_);
    parallel_for(store.blocks.size(), [&](std::size_t b) {
      if (!store.blocks[b].alone && store.blocks[b].rest != Rest::kAsleep) pass.block(b, [](const auto&...) {});
    });
    of_block.resize(scratch_.grid.node_block_count());
    parallel_for(of_block.size(), [&](std::size_t b) {
      alignas(64) T momentum[Shape::kNodes * kChannels], force[Shape::kNodes * kChannels];
      sum_tiles(store, scratch_, b, scratch_.momentum_tiles, momentum);
      sum_tiles(store, scratch_, b, scratch_.force_tiles, force);
      const Cell<D> first = first_node<D>(scratch_.grid.node_key(b), convert_vec<std::int32_t, D>(model.origin));
      for (int i = 0; i < Shape::kNodes; ++i) {
        const T mass = momentum[i * kChannels];
        if (!(mass > T(0))) continue;
        Vec<double, D> v, f;
        for (int d = 0; d < D; ++d) {
          v[d] = momentum[i * kChannels + 1 + d] / mass;  // (M4)
          f[d] = force[i * kChannels + 1 + d];
        }
        add_node<D>(node_of_block<D>(first, i), mass, v, f, of_block[b]);
      }
    });
  });
  return in_node_order(model, of_block);
}

}  // namespace firn::cpu
