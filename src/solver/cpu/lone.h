// Particles that are alone (kAloneReach), apart because no stage of the others sees them: who they are, and their steps. They need no grid:
// what their own nodes would do is found on the spot, and where no body is near that is a free flight.
#pragma once

#include "solver/cpu/grid_pass.h"
#include "solver/cpu/parallel.h"

namespace firn::cpu {

// Finds blocks by where they are.
template <int D>
class BlockIndex {
 public:
  explicit BlockIndex(const std::vector<ParticleBlock<D>>& blocks) : blocks_(blocks) {
    std::size_t size = 4;
    while (size < 2 * blocks.size()) size *= 2;
    table_.assign(size, kNone);
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      std::size_t at = place(blocks[b].first_cell);
      while (table_[at] != kNone) at = next(at);
      table_[at] = b;
    }
  }

  // Null where there is none.
  const ParticleBlock<D>* find(const Cell<D>& first_cell) const {
    for (std::size_t at = place(first_cell); table_[at] != kNone; at = next(at))
      if (std::equal(first_cell.a, first_cell.a + D, blocks_[table_[at]].first_cell.a)) return &blocks_[table_[at]];
    return nullptr;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t(0);

  std::size_t place(const Cell<D>& cell) const {
    std::uint64_t hash = 0;
    for (int d = 0; d < D; ++d) hash = (hash + static_cast<std::uint32_t>(cell[d])) * 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio
    return (hash >> 32) & (table_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (table_.size() - 1); }

  const std::vector<ParticleBlock<D>>& blocks_;
  std::vector<std::uint32_t> table_;  // at most half full
};

template <class T, int D>
inline Cell<D> cell_of(const Particles<T, D>& particles, std::size_t slot) {
  Cell<D> cell;
  for (int d = 0; d < D; ++d) cell[d] = particles.cell[d][slot];
  return cell;
}

template <class T, int D>
inline bool has_neighbour(const ParticleStore<T, D>& store, const BlockIndex<D>& index, const ParticleBlock<D>& block) {
  constexpr int edge = BlockShape<D>::kEdge, reach = kAloneReach<D>, sides = D == 3 ? 27 : 9;
  const Cell<D> own = cell_of(store.particles, block.slot(0));
  const auto is_near = [&](const Cell<D>& cell) {
    for (int d = 0; d < D; ++d)
      if (std::abs(cell[d] - own[d]) > reach) return false;
    return true;
  };
  for (int side = 0; side < sides; ++side) {
    Cell<D> first = block.first_cell;
    bool in_reach = side != sides / 2;  // that is the block itself
    for (int d = 0, s = side; d < D; ++d, s /= 3) {
      first[d] += (s % 3 - 1) * edge;
      in_reach = in_reach && first[d] <= own[d] + reach && first[d] + edge > own[d] - reach;
    }
    const ParticleBlock<D>* other = in_reach ? index.find(first) : nullptr;
    for (std::uint32_t i = 0; other && i < other->count; ++i)
      if (is_near(cell_of(store.particles, other->slot(i)))) return true;
  }
  return false;
}

// Finds out who is alone; returns whether that has changed for any block. In packed snow no block has a single particle. Where density is
// limited nobody is: there is no stress to be without, and even one particle may pack a node.
template <class T, int D>
bool find_lone(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch) {
  scratch.moved = false;
  if (model.limits_density()) return false;
  std::vector<std::uint32_t> single;
  bool some_were = false;
  for (std::uint32_t b = 0; b < store.blocks.size(); ++b) {
    if (store.blocks[b].count == 1) single.push_back(b);
    some_were = some_were || store.blocks[b].alone;
  }
  if (single.empty() && !some_were) return false;
  const BlockIndex<D> index(store.blocks);
  std::vector<std::uint8_t> is_alone(store.blocks.size());
  parallel_for(single.size(), [&](std::size_t i) { is_alone[single[i]] = !has_neighbour(store, index, store.blocks[single[i]]); });
  bool changed = false;
  for (std::uint32_t b = 0; b < store.blocks.size(); ++b) {
    ParticleBlock<D>& block = store.blocks[b];
    if (block.alone == static_cast<bool>(is_alone[b])) continue;
    block.alone = !block.alone;
    block.speed = kUnknownSpeed;
    block.wake();
    changed = true;
  }
  return changed;
}

template <class T, int D, class Kernel, bool Apic>
class LoneFlight {
 public:
  // before: the bodies when the step begins.
  LoneFlight(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, double dt, const std::vector<Body<T, D>>& bodies,
             const std::vector<Body<T, D>>& before)
      : store_(store),
        scratch_(scratch),
        bodies_(bodies),
        before_(before),
        h_(T(model.h)),
        cells_per_speed_(T(dt / model.h)),
        affine_scale_(T(Kernel::kInverseD / model.h)),
        kept_(T(std::exp(-model.damping * dt))),
        rate_(1 / dt),
        rates_(model, dt),
        implicit_(model.implicit()),
        holds_(model.holds()) {
    for (int d = 0; d < D; ++d) gravity_step_[d] = T(dt * model.gravity[d]);
  }

  // Steps 4 to 10 of number i of the lone.
  void particle(std::size_t i) const {
    const std::uint32_t b = scratch_.lone[i];
    ParticleBlock<D>& block = store_.blocks[b];
    const std::size_t slot = block.slot(0);
    BlockReport& report = scratch_.lone_reports[i];
    Flight flight = load(slot);
    std::vector<Body<T, D>> near;
    near_bodies(bodies_, flight.x.cell - Cell<D>::filled(1), kRowNodes - 1, h_, near, holds_ ? rates_.reach / h_ : T(0));
    start_loads(near, report.loads);
    if (near.empty()) {
      flight.v += gravity_step_;
      flight.memory = {};
    } else {
      through_nodes(near, flight, report.loads);
    }
    report.memory = {flight.memory.push, flight.memory.touch, flight.memory.credit};
    flight.v = kept_ * flight.v;
    flight.v = touch(near, flight.x, flight.v, flight.mass, report.loads);
    store(slot, flight);
    report.attempt = check(flight.v, store_.particles.id[slot]);
    report.gravity_work = flight.mass * dot(gravity_step_, flight.v);
    block.limited = is_limited(slot);
    scratch_.migration.note(block, b, scratch_.next, 0, slot, 1);
  }

 private:
  struct Flight {
    LatticePoint<T, D> x;
    Vec<T, D> v;
    Mat<T, D> B;
    T mass, volume;
    PushMemory<T> memory;
  };

  Flight load(std::size_t slot) const {
    const Particles<T, D>& ps = store_.particles;
    Flight f;
    f.mass = ps.mass[slot];
    f.volume = ps.volume[slot];
    if (holds_) f.memory = {ps.push[slot], ps.touch[slot], ps.credit[slot]};
    for (int d = 0; d < D; ++d) {
      f.x.cell[d] = ps.cell[d][slot];
      f.x.offset[d] = ps.offset[d][slot];
      f.v[d] = ps.velocity[d][slot];
    }
    if constexpr (Apic)
      for (int k = 0; k < D * D; ++k) f.B.a[k] = ps.B[k][slot];
    return f;
  }

  void store(std::size_t slot, const Flight& f) const {
    Particles<T, D>& next = scratch_.next;
    next.copy_changing_slot(store_.particles, slot);
    for (int d = 0; d < D; ++d) {
      const Moved<T> moved = move_offset(f.x.offset[d], cells_per_speed_ * f.v[d]);
      next.offset[d][slot] = moved.offset;
      next.cell[d][slot] = f.x.cell[d] + static_cast<std::int32_t>(moved.cells);
      next.velocity[d][slot] = f.v[d];
    }
    if constexpr (Apic)
      for (int k = 0; k < D * D; ++k) next.B[k][slot] = f.B.a[k];
  }

  // Steps 4 to 8 where bodies are near: all nodes have the particle's velocity (and its affine part) before they collide.
  void through_nodes(const std::vector<Body<T, D>>& near, Flight& flight, NearLoads& loads) const {
    constexpr int S = Kernel::kSupport;
    Cell<D> base;
    Vec<T, D> first;  // from the particle to the first node, cells
    T w[D][S], g[D][S];
    for (int d = 0; d < D; ++d) {
      const T shift = Kernel::base_shift(flight.x.offset[d]);
      base[d] = flight.x.cell[d] + static_cast<std::int32_t>(shift);
      first[d] = shift - flight.x.offset[d];
      Kernel::weights(-first[d], w[d], g[d]);
    }
    const std::vector<T> gaps = gaps_of(flight);
    Vec<T, D> v = Vec<T, D>::zero();
    Mat<T, D> B = Mat<T, D>::zero();
    PushMemory<T> sums;
    T touching(0);
    for (int k = 0; k < (D == 3 ? S * S * S : S * S); ++k) {
      LatticePoint<T, D> node{base, Vec<T, D>::zero()};
      Vec<T, D> r;  // from the particle, cells
      T weight(1);
      for (int d = 0, at = k; d < D; ++d, at /= S) {
        node.cell[d] += at % S;
        r[d] = first[d] + T(at % S);
        weight *= w[d][at % S];
      }
      if (!(weight > T(0))) continue;  // the node has no mass
      Vec<T, D> v_i = flight.v + gravity_step_;
      if constexpr (Apic) v_i += (affine_scale_ * flight.B) * r;
      HeldNode<T> held{{rates_.kept * flight.memory.push, rates_.kept * flight.memory.touch, flight.memory.credit}, false};
      v_i = touch_node({near, gaps, weight, weight * flight.mass, loads}, node, v_i, held);
      if (held.touches) {
        sums = {sums.push + weight * held.memory.push, sums.touch + weight * held.memory.touch, sums.credit + weight * held.memory.credit};
        touching += weight;
      }
      v += weight * v_i;
      if constexpr (Apic) B += (weight * h_) * outer(v_i, r);
    }
    flight.v = v;  // FLIP too: what (M10) adds is nothing when all of v^n is the particle's own
    flight.B = B;
    flight.memory = remembered(flight.memory, touching, sums, rates_.kept);
  }

  // To each of all bodies, as they stand when the step begins, m.
  std::vector<T> gaps_of(const Flight& flight) const {
    std::vector<T> gaps;
    for (const Body<T, D>& body : before_)
      if (holds_) gaps.push_back(probe(body, flight.x.cell, flight.x.offset, h_).phi - half_distance<T, D>(flight.volume));
    return gaps;
  }

  struct NodeTouch {
    const std::vector<Body<T, D>>& near;
    const std::vector<T>& gaps;
    T weight, mass;
    NearLoads& loads;
  };
  // As before and, if there is one, after a solve.
  Vec<T, D> touch_node(const NodeTouch& t, const LatticePoint<T, D>& x, Vec<T, D> v, HeldNode<T>& held) const {
    const auto record = [&](std::size_t k, const BodyContact<T, D>& contact, const Vec<T, D>& taken) {
      t.loads[k].load.add(rate_ * t.mass, contact, taken);
    };
    for (const bool solved : {false, true}) {
      if (solved && !implicit_) break;
      v = holds_ ? hold_node<T, D>(
                       t.near, x, v, rates_, [&](std::size_t k) { return gap_in_sight(t.gaps[t.near[k].number], t.weight, h_); }, solved,
                       held, nullptr, record)
                 : collide<T, D>(t.near, x, v, h_, nullptr, record);
    }
    return v;
  }

  Vec<T, D> touch(const std::vector<Body<T, D>>& near, const LatticePoint<T, D>& x, const Vec<T, D>& v, T mass, NearLoads& loads) const {
    const auto record = [&](std::size_t k, const BodyContact<T, D>& contact, const Vec<T, D>& taken) {
      loads[k].load.add(rate_ * mass, contact, taken);
    };
    return holds_ ? keep_outside<T, D>(near, x, v, h_, rates_.dt, record) : collide<T, D>(near, x, v, h_, nullptr, record);
  }

  Attempt check(const Vec<T, D>& v, std::uint32_t id) const {
    for (int d = 0; d < D; ++d) {
      if (!std::isfinite(v[d])) return {Fault::kNotFinite, id};
      if (abs(cells_per_speed_ * v[d]) > T(1)) return {Fault::kTooFar, id};
    }
    return {};
  }

  bool is_limited(std::size_t slot) const {
    const SnowParameters<Lanes<T>> s = load_materials(scratch_.materials, store_.particles, slot, 1);
    const Lanes<T> exponent = hardening_exponent(s, Lanes<T>(store_.particles.J_P[slot]));
    return abs(exponent[0]) >= s.log_limit[0];
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  const std::vector<Body<T, D>>&bodies_, &before_;
  T h_, cells_per_speed_, affine_scale_, kept_;
  double rate_;
  ContactRates<T> rates_;
  bool implicit_, holds_;
  Vec<T, D> gravity_step_;
};

}  // namespace firn::cpu
