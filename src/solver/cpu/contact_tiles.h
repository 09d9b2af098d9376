// Contact that holds (solver/contact.h) on blocks: what particles near bodies tell their nodes, and what nodes that touch tell them. Only
// blocks near bodies take part.
#pragma once

#include "solver/contact.h"
#include "solver/cpu/scratch.h"

namespace firn::cpu {

// The bodies that come as near to a cube of the grid as `margin` cells; the rest are skipped for all its nodes or particles.
template <class T, int D>
inline void near_bodies(const std::vector<Body<T, D>>& bodies, const Cell<D>& first, int edge, T h, std::vector<Body<T, D>>& near,
                        T margin = T(0)) {
  near.clear();
  Vec<T, D> middle = Vec<T, D>::filled(T(0.5) * T(edge));
  const T reach = (norm(middle) + margin) * h * T(1.01);  // some room for rounding
  for (const Body<T, D>& body : bodies)
    if (probe(body, first, middle, h).phi <= reach) near.push_back(body);
}

// Particles farther from all bodies than they can remember any forget, and do so before they get out of sight.
inline constexpr double kForgettingReach = kRememberingReach + 2;

// phi of a group of particles.
template <class T, int D>
inline Lanes<T> phi_of_lanes(const Body<T, D>& body, const Particles<T, D>& ps, std::size_t at, int n, T h) {
  Lanes<T> phi(std::numeric_limits<T>::infinity());
  if (body.solid.kind == SolidKind::kPlane) {
    const Vec<T, D> normal = body.rotation * body.solid.axis;
    Lanes<T> sum(-dot(normal, body.displacement));
    for (int d = 0; d < D; ++d) {
      alignas(64) T cells[kGroup<T>];
      const std::int32_t* cell = ps.cell[d].at(at);
      for (int l = 0; l < kGroup<T>; ++l) cells[l] = T(cell[l] - body.anchor.cell[d]);
      sum = sum + (h * normal[d]) * (Lanes<T>::load(cells) + (Lanes<T>::load(ps.offset[d].at(at)) - body.anchor.offset[d]));
    }
    return select(first_lanes<T>(n), sum, phi);
  }
  for (int l = 0; l < n; ++l) {
    Cell<D> cell;
    Vec<T, D> offset;
    for (int d = 0; d < D; ++d) {
      cell[d] = ps.cell[d][at + l];
      offset[d] = ps.offset[d][at + l];
    }
    phi.set(l, probe(body, cell, offset, h).phi);
  }
  return phi;
}

// With steps 1 and 3: where the snow is, seen from the bodies as they stand when a step begins, and what it remembers.
template <class T, int D, class Kernel>
class ContactScatter {
 public:
  ContactScatter(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, const std::vector<Body<T, D>>& bodies)
      : store_(store), scratch_(scratch), bodies_(bodies), h_(T(model.h)) {}

  void block(std::size_t b) const {
    const ParticleBlock<D>& particles = store_.blocks[b];
    ContactTile<T>& tile = scratch_.contact_tiles[particles.place];
    tile.bodies.clear();
    std::vector<Body<T, D>> near;
    near_bodies(bodies_, particles.first_cell, BlockShape<D>::kEdge, h_, near, T(kForgettingReach));
    if (near.empty()) return;
    near_bodies(bodies_, particles.first_cell, BlockShape<D>::kEdge, h_, near, T(kRememberingReach));
    if (near.empty()) return forget(particles);
    start(near, tile);
    Stencils<T, D, Kernel, PlainTile<T, D>> stencils;
    Group group;
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      look(at, n, near, group);
      if (!group.any_gap && !group.any_memory) return;
      stencils.compute(store_.particles, at, particles.first_cell);
      for (int l = 0; l < n; ++l) {
        if (group.any_memory && store_.particles.touch[at + l] > T(0)) add_memory(stencils, at, l, tile.values.data());
        for (std::size_t first = 0; first < near.size(); first += kChannels) add_gaps(stencils, l, group, first, tile);
      }
    });
  }

 private:
  struct Group {
    std::vector<Lanes<T>> gaps;  // per body, m; infinite where a step cannot close them
    bool any_gap = false, any_memory = false;
  };

  void forget(const ParticleBlock<D>& particles) const {
    for (std::uint32_t i = 0; i < particles.count; ++i)
      store_.particles.push[particles.slot(i)] = store_.particles.touch[particles.slot(i)] = T(0);
  }

  static void start(const std::vector<Body<T, D>>& near, ContactTile<T>& tile) {
    constexpr std::size_t size = Scratch<T, D>::kTileValues;
    for (const Body<T, D>& body : near) tile.bodies.push_back(body.number);
    tile.values.resize(size * (1 + (near.size() + kChannels - 1) / kChannels));
    std::fill_n(tile.values.begin(), size, T(0));
    std::fill(tile.values.begin() + size, tile.values.end(), std::numeric_limits<T>::infinity());
  }

  void look(std::size_t at, int n, const std::vector<Body<T, D>>& near, Group& group) const {
    const Lanes<T> far(std::numeric_limits<T>::infinity()), zero(T(0));
    group.gaps.clear();
    group.any_gap = false;
    group.any_memory = any((Lanes<T>::load(store_.particles.touch.at(at)) > zero) & first_lanes<T>(n));
    for (const Body<T, D>& body : near) {
      Lanes<T>& gap = group.gaps.emplace_back(far);
      const Lanes<T> phi = phi_of_lanes(body, store_.particles, at, n, h_);
      const Lanes<T> most(T(kWidestGap + 1) * h_);  // no particle is wider than two cells
      if (!any(phi < most)) continue;
      for (int l = 0; l < n; ++l) {
        const T own = phi[l] < most[l] ? phi[l] - half_distance<T, D>(store_.particles.volume[at + l]) : far[l];
        if (own < T(kWidestGap) * h_) gap.set(l, own);
      }
      group.any_gap = group.any_gap || any(gap < far);
    }
  }

  void add_memory(const Stencils<T, D, Kernel, PlainTile<T, D>>& stencils, std::size_t at, int l, T* nodes) const {
    const T mass = store_.particles.mass[at + l];
    const T value[kChannels] = {T(0), mass * store_.particles.push[at + l], mass * store_.particles.touch[at + l], T(0)};
    scatter_momentum<T, D, Kernel, false>(stencils, l, value, nullptr, nodes);
  }

  // The least gap of the particles that a node sees, four bodies at a time.
  void add_gaps(const Stencils<T, D, Kernel, PlainTile<T, D>>& s, int l, const Group& group, std::size_t first,
                ContactTile<T>& tile) const {
    constexpr T far = std::numeric_limits<T>::infinity();
    T gaps[kChannels] = {far, far, far, far};
    bool some = false;
    for (std::size_t k = first; k < std::min(group.gaps.size(), first + kChannels); ++k) {
      gaps[k - first] = group.gaps[k][l];
      some = some || gaps[k - first] < far;
    }
    if (!some) return;
    const Row<T> gap = repeat_channels(gaps), w_last = spread_nodes(s.w_last[l]);
    using Tile = PlainTile<T, D>;
    T* plane = tile.values.data() + (1 + first / kChannels) * Scratch<T, D>::kTileValues + s.start[l];
    for (int i = 0; i < Kernel::kSupport; ++i, plane += kFirstAxisStep<Tile, D>)
      for_each_line<Tile, D, Kernel>([&](int at, int j) {
        T w = s.w[0][i][l];
        if constexpr (D == 3) w *= s.w[1][j][l];
        min(Row<T>::load(plane + at), gap_in_sight(gap, w * w_last, h_)).store(plane + at);
      });
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  const std::vector<Body<T, D>>& bodies_;
  T h_;
};

// What the particles around a node block say of the bodies near it.
template <class T, int D>
class ContactNodes {
 public:
  using Shape = BlockShape<D>;

  ContactNodes(const ParticleStore<T, D>& store, const Scratch<T, D>& scratch, std::size_t node_block,
               const std::vector<Body<T, D>>& near) {
    const auto& overlap = scratch.grid.tiles_of(node_block);
    for (int k = Shape::kNeighbors - 1; k >= 0; --k) {
      if (overlap[k] == SparseGrid<D>::kNone) continue;
      const ContactTile<T>& tile = scratch.contact_tiles[store.blocks[overlap[k]].place];
      if (!tile.bodies.empty()) add(tile, k, near);
    }
  }

  bool empty() const { return gaps_.empty(); }
  // m, of body k of those near.
  T gap(std::size_t k, int node) const { return gaps_[k * Shape::kNodes + node]; }
  // Sums of mass times memory.
  PushMemory<T> memory(int node) const { return {memory_[node * kChannels + 1], memory_[node * kChannels + 2]}; }

 private:
  void add(const ContactTile<T>& tile, int k, const std::vector<Body<T, D>>& near) {
    if (empty()) {
      gaps_.assign(near.size() * Shape::kNodes, std::numeric_limits<T>::infinity());
      memory_.assign(Scratch<T, D>::kBlockValues, T(0));
    }
    for_overlap<D>(k, [&](int tile_node, int node) {
      T* to = memory_.data() + node * kChannels;
      (Row<T>::load(to) + Row<T>::load(tile.values.data() + tile_node * kChannels)).store(to);
    });
    for (std::size_t body = 0; body < near.size(); ++body) {
      const auto found = std::find(tile.bodies.begin(), tile.bodies.end(), near[body].number);
      if (found == tile.bodies.end()) continue;
      const std::size_t number = found - tile.bodies.begin();
      const T* from = tile.values.data() + (1 + number / kChannels) * Scratch<T, D>::kTileValues + number % kChannels;
      T* to = gaps_.data() + body * Shape::kNodes;
      for_overlap<D>(k, [&](int tile_node, int node) {
        for (int i = 0; i < kRowNodes; ++i) to[node + i] = min(to[node + i], from[(tile_node + i) * kChannels]);
      });
    }
  }

  std::vector<T> gaps_;
  Array<T> memory_;
};

// With steps 7 to 10: what the particles of a block will remember.
template <class T, int D, class Kernel>
class ContactGather {
 public:
  ContactGather(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, double dt)
      : store_(store), scratch_(scratch), rates_(model, dt) {}

  void block(std::size_t b) const {
    const ParticleBlock<D>& particles = store_.blocks[b];
    ContactTile<T>& own = scratch_.contact_tiles[particles.place];
    if (own.bodies.empty()) return;
    own.next.resize(particles.count);
    alignas(64) T nodes[Scratch<T, D>::kTileValues];
    const bool touches = load(b, nodes);
    Stencils<T, D, Kernel, PlainTile<T, D>> stencils;
    std::uint32_t first = 0;
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      if (touches) stencils.compute(store_.particles, at, particles.first_cell);
      for (int l = 0; l < n; ++l) {
        alignas(64) T sums[kChannels] = {};
        if (touches) gather_value(stencils, l, nodes, sums);
        own.next[first + l] =
            remembered<T>({store_.particles.push[at + l], store_.particles.touch[at + l]}, sums[0], {sums[1], sums[2]}, rates_.kept);
      }
      first += n;
    });
  }

  // The step was right.
  void accept(std::size_t b) const {
    const ParticleBlock<D>& particles = store_.blocks[b];
    const ContactTile<T>& own = scratch_.contact_tiles[particles.place];
    if (own.bodies.empty()) return;
    for (std::uint32_t i = 0; i < particles.count; ++i) {
      store_.particles.push[particles.slot(i)] = own.next[i].push;
      store_.particles.touch[particles.slot(i)] = own.next[i].touch;
    }
  }

 private:
  // The memory of nodes that touch, and zero for the others; false: there are none.
  bool load(std::size_t b, T* nodes) const {
    const auto& overlap = scratch_.grid.nodes_of(b);
    if (std::none_of(overlap.begin(), overlap.end(), [&](std::int32_t node_block) { return scratch_.has_contact[node_block]; }))
      return false;
    for (int k = 0; k < BlockShape<D>::kNeighbors; ++k) {
      const T* from = scratch_.contact.data() + overlap[k] * Scratch<T, D>::kBlockValues;
      for_overlap<D>(k, [&](int tile_node, int node) {
        Row<T> row(T(0));
        if (scratch_.has_contact[overlap[k]]) row = Row<T>::load(from + node * kChannels);
        (spread_first_channel(row) * row).store(nodes + tile_node * kChannels);
      });
    }
    return true;
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  ContactRates<T> rates_;
};

}  // namespace firn::cpu
