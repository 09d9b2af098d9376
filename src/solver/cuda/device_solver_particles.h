// Bodies of CudaSolver: particles that come in and go out, and the way between the device and a state. Apart because it is no part of a
// step.
#pragma once

#include <tbb/task_arena.h>

#include "particles/migration.h"
#include "particles/rows.h"
#include "solver/cuda/device_solver.h"

namespace firn::cuda {

template <class T, int D, class Kernel>
State CudaSolver<T, D, Kernel>::create(const Model& model, ParticleTable table) {
  State state;
  check_ids_left(state, table.size());
  set_time(model, state, 0);
  state.store.template emplace<Store>();
  attach(model, state);
  add(model, state, table);
  table.clear();
  if (count_ == 0) return state;
  sort_into_blocks(model, count_, nullptr);
  // Step 2: the masses of a grid do not depend on volumes.
  reserve_grid(model, scatter_now_);
  start_reports<<<1, 128>>>(reports_.data(), 0, true, false);
  StepArgs<T, D> a = args(model, 1);
  a.c.holds = a.c.implicit = a.c.checks_energy = false;
  scatter_now_.clear(a.blocks.nodes());
  scatter<T, D, Kernel><<<blocks_.blocks, kOfBlocks>>>(a, true);
  estimate_volumes<T, D, Kernel><<<blocks_.blocks, kOfBlocks>>>(a);
  check_launch("estimating volumes");
  return state;
}

template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::attach(const Model& model, State& state) {
  Store& store = state.of<T, D>();
  bricks_ = {};
  for (DeviceBodies<T, D>* bodies : {&bodies_, &before_, &sinks_}) *bodies = {};
  std::vector<SnowParameters<T>> materials;
  for (const SnowParameters<double>& s : model.materials) materials.push_back(convert<T>(s));
  materials_.reserve(materials.size());
  check(cudaMemcpy(materials_.data(), materials.data(), materials.size() * sizeof materials[0], cudaMemcpyHostToDevice), "materials");
  const std::size_t reports = 1 + (model.bodies.size() * kLoadValues * sizeof(double) + sizeof(Reports) - 1) / sizeof(Reports);
  reports_.reserve(reports);
  reports_here_.reserve(reports);
  check(cudaMemset(reports_.data(), 0, reports_.bytes()), "clearing reports");
  solve_state_.reserve(1);
  gone_counts_.reserve(2);
  changed();
  if (count_ > 0 && store.blocks.empty()) return;  // they are here alone
  particles_ = ParticleArrays<T, D>(columns_of(model));
  count_ = binned_ = 0;
  is_between_orders_ = false;
  std::vector<std::uint32_t> slots;
  for (const ParticleBlock<D>& block : store.blocks)
    for (std::uint32_t i = 0; i < block.count; ++i) slots.push_back(block.slot(i));
  append(model, store.particles, slots);
}

inline RunError too_far_away() {
  return RunError("a particle is too far from the others: more than a million cells (is the time step too long?)");
}

template <class T, int D>
void check_cells(const Particles<T, D>& particles, const std::vector<std::uint32_t>& slots, const Cell<D>& origin) {
  constexpr std::int64_t kFarthest = std::int64_t(Layout<D>::kEdge) * (kFarthestBlock<D> - 1);
  for (const std::uint32_t slot : slots)
    for (int d = 0; d < D; ++d)
      if (std::abs(std::int64_t(particles.cell[d][slot]) - origin[d]) >= kFarthest) throw too_far_away();
}

// The blocks that the cells are in.
template <class T, int D>
std::pair<Cell<D>, Cell<D>> bounds_of(const Particles<T, D>& particles, const std::vector<std::uint32_t>& slots, const Cell<D>& origin) {
  Cell<D> low, high;
  for (int d = 0; d < D; ++d) {
    low[d] = INT_MAX, high[d] = INT_MIN;
    for (const std::uint32_t slot : slots) {
      const std::int32_t block = (particles.cell[d][slot] - origin[d]) >> 2;
      low[d] = std::min(low[d], block), high[d] = std::max(high[d], block);
    }
  }
  return {low, high};
}

template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::append(const Model& model, const Particles<T, D>& from, const std::vector<std::uint32_t>& slots) {
  if (slots.empty()) return;
  check_cells<T, D>(from, slots, origin(model));
  if (binned_ < count_) sort_into_blocks(model, count_, nullptr);  // cells of earlier newcomers are still in new_cells_
  particles_.reserve(count_ + slots.size(), count_);
  particles_.write(from, slots, count_, origin(model), new_cells_);
  const auto [low, high] = bounds_of<T, D>(from, slots, origin(model));
  new_low_ = low;
  new_high_ = high;
  count_ += slots.size();
  changed();
}

template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::add(const Model& model, State& state, const ParticleTable& table) {
  if (table.empty()) return;
  check_ids_left(state, table.size());
  Particles<T, D> newcomers;
  newcomers.resize(slots_for(table.size()), columns_of(model));
  std::vector<std::uint32_t> slots(table.size());
  parallel_for(table.size(), [&](std::size_t k) {
    const ParticleRow row = table[k];
    from_row(row, own_of(model, row), state.next_id + k, k, newcomers);
    slots[k] = static_cast<std::uint32_t>(k);
  });
  leave_home(state);
  append(model, newcomers, slots);
  state.next_id += table.size();
  state.particle_count += table.size();
}

template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::sort_into_blocks(const Model& model, std::size_t staying, const std::uint8_t* gone) {
  const auto start = Clock::now();
  binning_.keys.reserve(count_);
  binning_.order.reserve(count_);
  const ParticleView<T, D> now = particles_.now();
  const Window<D> window = binning_.window_with(new_low_, new_high_);
  for (int d = 0; d < D; ++d)
    if (count_ > 0 && std::max(std::abs(window.low[d]), std::abs(window.high[d])) >= kFarthestBlock<D> - 1) throw too_far_away();
  if (blocks_.blocks > 0 && binned_ > 0)
    make_keys<T, D, Kernel><<<blocks_.blocks, kOfBlocks>>>(now, binning_.view(blocks_, origin(model)), window, gone, window.gone(),
                                                           binning_.keys.data(), binning_.order.data());
  const int newcomers = static_cast<int>(count_ - binned_);
  if (newcomers > 0)
    make_new_keys<T, D, Kernel><<<launches(newcomers, 256), 256>>>(now.place, new_cells_.data(), window, static_cast<int>(binned_),
                                                                   newcomers, binning_.keys.data(), binning_.order.data());
  check_launch("finding blocks");
  is_between_orders_ = true;  // until all of it is done
  carried_ = blocks_;
  ++sorts_;
  blocks_ = binning_.run(window, count_, staying);
  if (staying > 0) {
    permute<T, D, Kernel><<<launches(staying, 256), 256>>>(now, particles_.next(), binning_.sorted_keys(), binning_.sorted_order(),
                                                           static_cast<int>(staying));
    particles_.for_each_fixed([&](auto* column) {
      auto* const sorted = reinterpret_cast<decltype(column)>(binning_.keys.data());
      permute_column<<<launches(staying, 256), 256>>>(column, sorted, binning_.sorted_order(), static_cast<int>(staying));
      check(cudaMemcpyAsync(column, sorted, staying * sizeof *column, cudaMemcpyDeviceToDevice), "sorting particles");
    });
  }
  check_launch("sorting particles");
  particles_.swap_changing();
  count_ = binned_ = staying;
  is_between_orders_ = false;
  if (newcomers > static_cast<int>(count_ / 8)) new_cells_ = {};  // not soon that many again
  reserve_work(model);
  changed();
  sort_seconds_ += seconds_since(start);
}

template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::reserve_grid(const Model& model, Scattered& grid) {
  grid.nodes.reserve(2 * std::size_t(blocks_.node_blocks) * Layout<D>::kNodes);
  if (!model.holds()) return;
  grid.layer_first.reserve(blocks_.node_blocks);
  grid.layer_count.reserve(blocks_.node_blocks);
}

template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::reserve_work(const Model& model) {
  const std::size_t nodes = std::size_t(blocks_.node_blocks) * Layout<D>::kNodes;
  velocity_.reserve(nodes);
  alone_.reserve(particles_.room());
  check(cudaMemsetAsync(alone_.data(), 0, alone_.room()), "clearing who is alone");
  if (is_fused(model)) {
    near_blocks_.reserve(blocks_.blocks);
    entry_count_ = binning_.cut(blocks_.blocks, kMostOfPart);
    tallies_.reserve(entry_count_);
    if (overflow_room_ == 0) make_overflow_room(static_cast<int>(4096 + count_ / 64));
  }
  if (!model.implicit()) return;
  if (kMayFuse) entry_count_ = binning_.cut(blocks_.blocks, kMostOfPart);
  for (Buffer<Quad<T>>* buffer : {&r_, &p_, &Ap_, &Ar_, &Hu_}) buffer->reserve(nodes);
  constraints_.reserve(nodes);
  solve_.reserve(particles_.room() * (D * D + 2));
  partial_.reserve(2 * launches(nodes, kVectorThreads));
}

template <class T, int D, class Kernel>
Removed CudaSolver<T, D, Kernel>::remove(const Model& model, State& state) {
  const Outflow<T, D> outflow(model, state.time);
  Removed removed;
  if (outflow.empty() || count_ == 0) return removed;
  if (binned_ < count_) sort_into_blocks(model, count_, nullptr);
  Bodies<T, D> sinks;
  sinks.list = outflow.sinks();
  const OutflowView<T, D> view{sinks_.bring(sinks, bricks_), static_cast<int>(sinks.list.size()), outflow.walls()};
  check(cudaMemsetAsync(gone_counts_.data(), 0, 2 * sizeof(int)), "counting who goes");
  choose_gone<T, D><<<blocks_.blocks, kOfBlocks>>>(particles_.now(), binning_.view(blocks_, origin(model)), view, T(model.h), alone_.data(),
                                                   gone_counts_.data());
  check_launch("choosing who goes");
  int counts[2];
  copy_to_host(gone_counts_.data(), 2, counts, "counting who goes");
  removed = {counts[0], counts[1]};
  const std::size_t gone = static_cast<std::size_t>(counts[0]) + static_cast<std::size_t>(counts[1]);
  if (gone == 0) return removed;
  leave_home(state);
  sort_into_blocks(model, count_ - gone, alone_.data());
  state.particle_count -= gone;
  return removed;
}

template <class T, int D, class Kernel>
const typename CudaSolver<T, D, Kernel>::Home& CudaSolver<T, D, Kernel>::home(const Model& model) const {
  const std::lock_guard lock(home_mutex_);
  if (home_) return *home_;
  // Several threads may ask for rows at once; the one that fetches them must not begin with another's work meanwhile, and ask again.
  tbb::this_task_arena::isolate([&] { fetch_home(model); });
  return *home_;
}

template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::fetch_home(const Model& model) const {
  auto* self = const_cast<CudaSolver*>(this);  // sorting changes nothing that anyone can see
  if (binned_ < count_) self->sort_into_blocks(model, count_, nullptr);
  if (is_between_orders_) throw RunError("the particles are lost: sorting them failed");
  auto home = std::make_unique<Home>();
  std::vector<Cell<D>> first_cell_of(count_);
  if (count_ > 0) {
    const BlockView<D> blocks = binning_.view(blocks_, origin(model));
    std::vector<int> begin(blocks.count + 1);
    std::vector<Cell<D>> place(blocks.count);
    copy_to_host(blocks.begin, begin.size(), begin.data(), "bringing blocks back");
    copy_to_host(blocks.place, place.size(), place.data(), "bringing blocks back");
    parallel_for(place.size(), [&](std::size_t b) {
      std::fill(first_cell_of.begin() + begin[b], first_cell_of.begin() + begin[b + 1], first_cell<D>(place[b], blocks.origin));
    });
  }
  particles_.read(count_, first_cell_of, home->particles);
  std::uint32_t ids = 0;
  for (std::size_t i = 0; i < count_; ++i) ids = std::max(ids, home->particles.id[i] + 1);
  home->slot_of_id.assign(ids, kNoSlot);
  for (std::size_t i = 0; i < count_; ++i) home->slot_of_id[home->particles.id[i]] = static_cast<std::uint32_t>(i);
  home_ = std::move(home);
}

template <class T, int D, class Kernel>
ParticleTable CudaSolver<T, D, Kernel>::rows(const Model& model, const State&, std::size_t begin, std::size_t end) const {
  const Home& there = home(model);
  ParticleTable table;
  for (std::size_t id = begin; id < std::min(end, there.slot_of_id.size()); ++id)
    if (there.slot_of_id[id] != kNoSlot) table.push_back(to_row(there.particles, there.slot_of_id[id]));
  return table;
}

template <class T, int D, class Kernel>
void CudaSolver<T, D, Kernel>::bring_home(const Model& model, State& state) {
  Store& store = state.of<T, D>();
  if (!store.blocks.empty()) return;  // they have never left
  const Home& there = home(model);
  arrange(origin(model), there.particles, count_, store.particles, store.blocks, store.pool,
          [&] { store.particles.resize(slots_for(store.pool), columns_of(model)); });
}

template <class T, int D, class Kernel>
GridFields CudaSolver<T, D, Kernel>::grid(const Model& model, State& state) {
  GridFields fields;
  fields.spacing = model.h;
  scatter_again(model, state, false);
  if (count_ == 0) return fields;
  const BlockView<D> blocks = binning_.view(blocks_, origin(model));
  std::vector<Quad<T>> momentum(blocks.nodes()), force(blocks.nodes());
  std::vector<Cell<D>> place(blocks.node_count);
  copy_to_host(scatter_now_.momentum(), momentum.size(), momentum.data(), "bringing the grid back");
  copy_to_host(scatter_now_.force(blocks.nodes()), force.size(), force.data(), "bringing the grid back");
  copy_to_host(blocks.node_place, place.size(), place.data(), "bringing the grid back");
  for (std::size_t at = 0; at < momentum.size(); ++at) {
    const T mass = momentum[at][0];
    if (!(mass > T(0))) continue;
    const Cell<D> first = first_node<D>(place[at / Layout<D>::kNodes], blocks.origin);
    Vec<double, D> v, f;
    for (int d = 0; d < D; ++d) {
      v[d] = momentum[at][1 + d] / mass;  // (M4)
      f[d] = force[at][1 + d];
    }
    add_node<D>(first + Layout<D>::node_of(static_cast<int>(at % Layout<D>::kNodes)), mass, v, f, fields);
  }
  return in_node_order(model, {fields});
}

template <class T, int D, class Kernel>
std::size_t CudaSolver<T, D, Kernel>::bytes(const State&) const {
  std::size_t sum = particles_.bytes() + binning_.bytes() + alone_.bytes() + solve_.bytes() + constraints_.bytes() + scatter_now_.bytes() +
                    scatter_next_.bytes() + overflow_.bytes() + overflow_where_.bytes() + near_blocks_.bytes() + new_cells_.bytes() +
                    partial_.bytes();
  for (const Buffer<Quad<T>>* buffer : {&velocity_, &r_, &p_, &Ap_, &Ar_, &Hu_}) sum += buffer->bytes();
  return sum;
}

}  // namespace firn::cuda
