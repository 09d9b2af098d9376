// The density-limited integrator on blocks, apart because each stage is a file: what it does to nodes in the place of steps 3 to 5, and to
// particles in the place of steps 7 to 10.
#pragma once

#include "solver/cpu/grid_pass.h"
#include "solver/cpu/motion.h"
#include "solver/cpu/parallel.h"
#include "solver/density_limit.h"

namespace firn::cpu {

template <class T, int D>
class DensityGrid {
 public:
  using Shape = BlockShape<D>;
  using Quad = Pack<T, kChannels>;

  DensityGrid(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, double dt)
      : store_(store),
        scratch_(scratch),
        dt_(T(dt)),
        mass_floor_(T(model.mass_floor)),
        packed_mass_(T(model.critical_density * std::pow(model.h, D))) {
    for (int d = 0; d < D; ++d) gravity_[d] = T(model.gravity[d]);
  }

  // (m, v^n) of the nodes of a block, then (1 where they are packed or 0, nothing yet).
  void sum(std::size_t b) const {
    store_.loads[b].loads.clear();  // no body touches nodes
    T* m_v = scratch_.mass_velocity.data() + b * Scratch<T, D>::kBlockValues;
    T* v_new = scratch_.velocity.data() + b * Scratch<T, D>::kBlockValues;
    sum_tiles(store_, scratch_, b, scratch_.momentum_tiles, m_v);
    for (int i = 0; i < Shape::kNodes * kChannels; i += kChannels) {
      const T mass = m_v[i];
      Quad old(T(0)), now(T(0));
      if (mass > T(0)) {
        old = Quad::load(m_v + i) / Quad(mass);  // (M4)
        old.set(0, mass);
        now.set(0, mass >= packed_mass_ ? T(1) : T(0));
      }
      old.store(m_v + i);
      now.store(v_new + i);
    }
  }

  // Then v^{n+1} of all nodes, line by line: lines on an axis do not depend on each other, and each writes its own component.
  void limit() const {
    const std::size_t count = scratch_.grid.node_block_count();
    parallel_for(D * count, [&](std::size_t i) {
      const int axis = static_cast<int>(i / count);
      if (neighbour(i % count, axis, -1) == SparseGrid<D>::kNone) limit_chain(i % count, axis);
    });
  }

 private:
  // The number of the next node block on an axis, or kNone.
  std::int32_t neighbour(std::size_t b, int axis, int step) const {
    Vec<std::int32_t, D> block = block_of_key<D>(scratch_.grid.node_key(b));
    block[axis] += step;
    return scratch_.grid.find(block_key<D>(block));
  }

  // From node to node in a block.
  static constexpr int stride(int axis) {
    int step = 1;
    for (int d = D - 1; d > axis; --d) step *= Shape::kEdge;
    return step;
  }

  // All lines through node blocks side by side on an axis, from the first of them as far as there is no gap.
  void limit_chain(std::size_t first, int axis) const {
    std::vector<std::size_t> blocks;
    for (auto at = static_cast<std::int32_t>(first); at != SparseGrid<D>::kNone; at = neighbour(blocks.back(), axis, 1))
      blocks.push_back(static_cast<std::size_t>(at));
    for (int node = 0; node < Shape::kNodes; ++node)
      if (node / stride(axis) % Shape::kEdge == 0) limit_line(blocks, node, axis);
  }

  // The line that begins with node number `node` of the first block.
  void limit_line(const std::vector<std::size_t>& blocks, int node, int axis) const {
    const std::size_t nodes = blocks.size() * Shape::kEdge;
    const auto place = [&](std::size_t k) {
      const int within = node + static_cast<int>(k % Shape::kEdge) * stride(axis);
      return blocks[k / Shape::kEdge] * Scratch<T, D>::kBlockValues + static_cast<std::size_t>(within * kChannels);
    };
    for (const T sign : {T(-1), T(1)}) {
      LineLimit<T> force(sign), velocity(sign);
      for (std::size_t k = 0; k < nodes; ++k) limit_node(place(sign < T(0) ? k : nodes - 1 - k), axis, sign, force, velocity);
    }
  }

  // Adds to v^{n+1} what force and velocity of this sign bring.
  void limit_node(std::size_t at, int axis, T sign, LineLimit<T>& force, LineLimit<T>& velocity) const {
    const T mass = scratch_.mass_velocity[at], v_n = scratch_.mass_velocity[at + 1 + axis];
    const bool is_packed = scratch_.velocity[at] > T(0);
    const T v = velocity.next(v_n, is_packed), f = force.next(mass * gravity_[axis], is_packed);  // (M21)
    T& v_new = scratch_.velocity[at + 1 + axis];
    if (sign * v_n > T(0)) v_new += v;
    if (mass > T(0) && sign * gravity_[axis] > T(0)) v_new += dt_ * (mass >= mass_floor_ ? f / mass : gravity_[axis]);
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  T dt_, mass_floor_, packed_mass_;
  Vec<T, D> gravity_;
};

template <class T, int D, class Kernel>
class DensityGather {
 public:
  using Shape = BlockShape<D>;
  static constexpr std::size_t kTileValues = Scratch<T, D>::kTileValues;

  DensityGather(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, double dt, const std::vector<Body<T, D>>& bodies)
      : store_(store),
        scratch_(scratch),
        bodies_(bodies),
        motion_(model, store, scratch, dt),
        h_(T(model.h)),
        flip_ratio_(T(model.flip_ratio(dt))),
        kept_(T(std::exp(-model.damping * dt))) {}

  void block(std::size_t b) const {
    ParticleBlock<D>& particles = store_.blocks[b];
    alignas(64) T now[kTileValues], mixed[kTileValues];
    load_tile(scratch_, b, scratch_.velocity, now);
    load_tile(scratch_, b, scratch_.mass_velocity, mixed);
    for (std::size_t i = 0; i < kTileValues; ++i) mixed[i] = now[i] - flip_ratio_ * mixed[i];  // one sum for all of (M10)
    RowTile<T, D> tile;
    tile.unfold(mixed);
    std::vector<Body<T, D>> near;
    near_bodies(bodies_, particles.first_cell, Shape::kEdge, h_, near);
    BlockReport& report = scratch_.reports[particles.place];
    report.attempt = {};
    start_loads(near, report.loads);
    particles.limited = 0;
    Stencils<T, D, Kernel> stencils;
    alignas(64) T sums[kGroup<T>][kChannels] = {};
    std::uint32_t first = 0;
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      stencils.compute(store_.particles, at, particles.first_cell);
      for (int l = 0; l < n; ++l) gather_value(stencils, l, tile.values, sums[l]);
      update(at, n, sums, near, report);
      for (int l = 0; l < n; ++l) particles.limited += now[nearest_node(at + l, particles) * kChannels] > T(0);
      scratch_.migration.note(particles, b, scratch_.next, first, at, n);
      first += kGroup<T>;
    });
  }

 private:
  void update(std::size_t at, int n, const T (&sums)[kGroup<T>][kChannels], const std::vector<Body<T, D>>& near,
              BlockReport& report) const {
    Lanes<T> channels[kChannels];
    quads_to_lanes(sums[0], channels);
    Vec<Lanes<T>, D> v;
    for (int d = 0; d < D; ++d) v[d] = channels[1 + d] + flip_ratio_ * Lanes<T>::load(store_.particles.velocity[d].at(at));  // (M10)
    if (kept_ < T(1)) v = Lanes<T>(kept_) * v;
    if (!near.empty()) motion_.collide_lanes(at, n, first_lanes<T>(n), near, v, report.loads);
    store_all(scratch_.next.velocity, at, v.a);
    motion_.move(at, v);
    store_all(scratch_.next.F_E, at, Mat<Lanes<T>, D>::identity().a);
    Lanes<T>(T(1)).store(scratch_.next.J_P.at(at));
    for (int l = 0; l < n && report.attempt.fault == Fault::kNone; ++l)
      report.attempt = {motion_.fault_of(l, v), store_.particles.id[at + static_cast<std::size_t>(l)]};
  }

  // In the tile of the particle's block.
  std::size_t nearest_node(std::size_t slot, const ParticleBlock<D>& block) const {
    Vec<int, D> node;
    for (int d = 0; d < D; ++d)
      node[d] = store_.particles.cell[d][slot] - block.first_cell[d] + 1 + (store_.particles.offset[d][slot] >= T(0.5));
    return static_cast<std::size_t>(Shape::tile_index(node));
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  const std::vector<Body<T, D>>& bodies_;
  Motion<T, D> motion_;
  T h_, flip_ratio_, kept_;
};

}  // namespace firn::cpu
