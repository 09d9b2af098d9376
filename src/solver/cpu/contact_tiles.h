// Contact that holds (solver/contact.h) on blocks, apart because each stage is a file: what particles near bodies tell their nodes, and
// what nodes that touch tell them. Only blocks near bodies take part.
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

// Cells around bodies in which blocks are looked at at all: particles that get out of reach forget before they get out of sight.
inline constexpr double kSight = 6;

// phi of a group of particles; infinite where there is none.
template <class T, int D>
inline Lanes<T> phi_of_lanes(const Body<T, D>& body, const Particles<T, D>& ps, std::size_t at, int n, T h) {
  Lanes<T> phi(std::numeric_limits<T>::infinity());
  if (body.next != nullptr || body.solid.kind == SolidKind::kSampled) {
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
  Vec<Lanes<T>, D> r, q;
  for (int d = 0; d < D; ++d) {
    alignas(64) T cells[kGroup<T>];
    const std::int32_t* cell = ps.cell[d].at(at);
    for (int l = 0; l < kGroup<T>; ++l) cells[l] = T(cell[l] - body.anchor.cell[d]);
    r[d] = h * (Lanes<T>::load(cells) + (Lanes<T>::load(ps.offset[d].at(at)) - body.anchor.offset[d])) - body.displacement[d];
  }
  for (int d = 0; d < D; ++d) {
    q[d] = body.rotation(0, d) * r[0];
    for (int k = 1; k < D; ++k) q[d] = q[d] + body.rotation(k, d) * r[k];
  }
  return select(first_lanes<T>(n), evaluate(body.solid, q).phi, phi);
}

// The lines of a block's tile, a bit each, that have nodes which may touch the body in this step.
template <class T, int D>
inline std::uint64_t touching_lines(const Body<T, D>& body, const Cell<D>& first, T h) {
  using Shape = BlockShape<D>;
  constexpr int kLines = Shape::kTileNodes / Shape::kTileRow;
  static_assert(kLines < 64 && Shape::kTileRow <= kGroup<float>);
  constexpr std::uint64_t all = (std::uint64_t(1) << kLines) - 1;
  if (body.next != nullptr || body.solid.kind == SolidKind::kSampled || Shape::kTileRow > kGroup<T>) return all;
  const T reach = T(kNodeReach + 0.01) * h + (body.moves() ? h : T(0));  // some room for rounding, and for its way
  const Vec<T, D> r = difference(first - Cell<D>::filled(1), Vec<T, D>::zero(), body.anchor, h) - body.displacement;
  const Vec<T, D> q = transpose(body.rotation) * r;
  const Lanes<T> along = lane_numbers<T, kGroup<T>>();
  std::uint64_t lines = 0;
  for (int line = 0; line < kLines; ++line) {
    Vec<Lanes<T>, D> at;
    for (int d = 0; d < D; ++d) {
      T start = q[d] + h * body.rotation(0, d) * T(D == 3 ? line / Shape::kTileEdge : line);
      if constexpr (D == 3) start += h * body.rotation(1, d) * T(line % Shape::kTileEdge);
      at[d] = start + (h * body.rotation(D - 1, d)) * along;
    }
    if (any((evaluate(body.solid, at).phi <= Lanes<T>(reach)) & first_lanes<T>(Shape::kTileEdge))) lines |= std::uint64_t(1) << line;
  }
  return lines;
}

// f(place of the Row in a plain tile, weight of its line) for the lines of a stencil that may touch.
template <class T, int D, class Kernel, class F>
inline void for_each_touching(const Stencils<T, D, Kernel, PlainTile<T, D>>& s, int l, std::uint64_t lines, F f) {
  using Tile = PlainTile<T, D>;
  int from = s.start[l];
  std::uint64_t left = lines >> (from / Tile::kLine);
  for (int i = 0; i < Kernel::kSupport; ++i, from += kFirstAxisStep<Tile, D>, left >>= kFirstAxisStep<Tile, D> / Tile::kLine)
    for_each_line<Tile, D, Kernel>([&](int at, int j) {
      if (!(left >> j & 1)) return;
      T w = s.w[0][i][l];
      if constexpr (D == 3) w *= s.w[1][j][l];
      f(from + at, w);
    });
}

// With steps 1 and 3: where the snow is, seen from the bodies as they stand when a step begins, and what it remembers.
template <class T, int D, class Kernel>
class ContactScatter {
 public:
  ContactScatter(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, const std::vector<Body<T, D>>& bodies)
      : store_(store), scratch_(scratch), bodies_(bodies), h_(T(model.h)) {
    for (const Body<T, D>& body : bodies) reach_.push_back(touching_reach(body));
  }

  void block(std::size_t b) const {
    const ParticleBlock<D>& particles = store_.blocks[b];
    ContactTile<T>& tile = scratch_.contact_tiles[particles.place];
    tile.bodies.clear();
    tile.told = false;
    bool in_sight = false;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const T least = least_phi(bodies_[k], particles);
      in_sight = in_sight || least <= T(kSight);
      if (least <= reach_[k]) tile.bodies.push_back(static_cast<int>(k));
    }
    if (!in_sight) return;
    if (tile.bodies.empty())
      return particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) { forget(at, first_lanes<T>(n)); });
    tile.phi.resize(particles.groups.size() * kGroupSize);
    Stencils<T, D, Kernel, PlainTile<T, D>> stencils;
    Group group;
    T* phi = tile.phi.data();
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      look(at, n, tile.bodies, group).store(phi);
      phi += kGroup<T>;
      if (!group.any_gap && !group.any_memory) return;
      if (!tile.told) start(particles, tile);
      stencils.compute(store_.particles, at, particles.first_cell);
      if (group.any_memory) add_memory(stencils, at, n, tile);
      if (group.any_gap)
        for (std::size_t first = 0; first < group.gaps.size(); first += kChannels) add_gaps(stencils, n, group, first, tile);
    });
  }

 private:
  struct Group {
    std::vector<Lanes<T>> gaps;  // per body, m; infinite where a step cannot close them
    bool any_gap = false, any_memory = false;
  };

  // Of anything in the block, cells; never too much.
  T least_phi(const Body<T, D>& body, const ParticleBlock<D>& particles) const {
    const Vec<T, D> middle = Vec<T, D>::filled(T(0.5) * T(BlockShape<D>::kEdge));
    T radius = norm(middle);
    if (body.solid.kind == SolidKind::kPlane) {
      const Vec<T, D> n = body.rotation * body.solid.axis;
      radius = T(0);
      for (int d = 0; d < D; ++d) radius += middle[d] * abs(n[d]);
    }
    return probe(body, particles.first_cell, middle, h_).phi / h_ - radius * T(1.01);
  }

  // Those of a group that are out of reach. This does not depend on the step, so that a step that is tried again finds it done.
  void forget(std::size_t at, const LaneMask<T>& out_of_reach) const {
    Particles<T, D>& ps = store_.particles;
    const Lanes<T> zero(T(0));
    if (!any((Lanes<T>::load(ps.touch.at(at)) > zero) & out_of_reach)) return;
    for (Column<T>* column : {&ps.push, &ps.touch, &ps.credit})
      select(out_of_reach, zero, Lanes<T>::load(column->at(at))).store(column->at(at));
  }

  void start(const ParticleBlock<D>& particles, ContactTile<T>& tile) const {
    constexpr std::size_t size = Scratch<T, D>::kTileValues;
    tile.told = true;
    tile.lines = 0;
    for (const int k : tile.bodies) tile.lines |= touching_lines(bodies_[k], particles.first_cell, h_);
    tile.values.resize(size * (1 + (tile.bodies.size() + kChannels - 1) / kChannels));
    std::fill_n(tile.values.begin(), size, T(0));
    std::fill(tile.values.begin() + size, tile.values.end(), std::numeric_limits<T>::infinity());
  }

  // Returns phi of the nearest body.
  Lanes<T> look(std::size_t at, int n, const std::vector<int>& bodies, Group& group) const {
    const Lanes<T> far(std::numeric_limits<T>::infinity()), zero(T(0)), widest(T(kWidestGap) * h_);
    Lanes<T> least = far, beyond = far;  // beyond: how far out of reach, m
    group.gaps.clear();
    group.any_gap = false;
    for (const int k : bodies) {
      const Lanes<T> phi = phi_of_lanes(bodies_[k], store_.particles, at, n, h_);
      least = min(least, phi);
      beyond = min(beyond, phi - Lanes<T>(reach_[k] * h_));
      Lanes<T> gap = far;
      if (any(phi < widest + widest)) {  // no particle is wider than two cells
        gap = phi - half_distances(at, n);
        gap = select(gap < widest, gap, far);
      }
      group.gaps.push_back(gap);
      group.any_gap = group.any_gap || any(gap < far);
    }
    forget(at, (beyond > zero) & first_lanes<T>(n));
    group.any_memory = any((Lanes<T>::load(store_.particles.touch.at(at)) > zero) & first_lanes<T>(n));
    return least;
  }

  // Of a group; particles of one body of snow mostly have one volume.
  Lanes<T> half_distances(std::size_t at, int n) const {
    const T* volume = store_.particles.volume.at(at);
    Lanes<T> half(half_distance<T, D>(volume[0]));
    for (int l = 1; l < n; ++l)
      if (volume[l] != volume[0]) half.set(l, half_distance<T, D>(volume[l]));
    return half;
  }

  void add_memory(const Stencils<T, D, Kernel, PlainTile<T, D>>& s, std::size_t at, int n, ContactTile<T>& tile) const {
    const Particles<T, D>& ps = store_.particles;
    const Lanes<T> mass = Lanes<T>::load(ps.mass.at(at)), touch = Lanes<T>::load(ps.touch.at(at)), zero(T(0));
    alignas(64) T values[kGroup<T>][kChannels];
    lanes_to_quads(zero, mass * Lanes<T>::load(ps.push.at(at)), mass * touch, mass * Lanes<T>::load(ps.credit.at(at)), values[0]);
    for (int l = 0; l < n; ++l) {
      if (!(ps.touch[at + l] > T(0))) continue;
      const Row<T> value = repeat_channels(values[l]) * spread_nodes(s.w_last[l]);
      for_each_touching(s, l, tile.lines, [&](int from, T w) {
        T* row = tile.values.data() + from;
        (Row<T>::load(row) + value * Row<T>(w)).store(row);
      });
    }
  }

  // The least gap of the particles that a node sees, four bodies at a time.
  void add_gaps(const Stencils<T, D, Kernel, PlainTile<T, D>>& s, int n, const Group& group, std::size_t first,
                ContactTile<T>& tile) const {
    const Lanes<T> far(std::numeric_limits<T>::infinity());
    Lanes<T> of_four[kChannels] = {far, far, far, far}, least = far;
    for (std::size_t k = first; k < std::min(group.gaps.size(), first + kChannels); ++k) {
      of_four[k - first] = group.gaps[k];
      least = min(least, group.gaps[k]);
    }
    alignas(64) T quads[kGroup<T>][kChannels];
    alignas(64) T nearest[kGroup<T>];
    lanes_to_quads(of_four[0], of_four[1], of_four[2], of_four[3], quads[0]);
    least.store(nearest);
    T* nodes = tile.values.data() + (1 + first / kChannels) * Scratch<T, D>::kTileValues;
    for (int l = 0; l < n; ++l) {
      if (!(nearest[l] < far[0])) continue;
      const Row<T> gap = repeat_channels(quads[l]), w_last = spread_nodes(s.w_last[l]);
      for_each_touching(s, l, tile.lines,
                        [&](int from, T w) { min(Row<T>::load(nodes + from), gap_in_sight(gap, w * w_last, h_)).store(nodes + from); });
    }
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  const std::vector<Body<T, D>>& bodies_;
  std::vector<T> reach_;  // of each, cells
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
      if (tile.told) add(tile, k, near);
    }
  }

  bool empty() const { return empty_; }
  // m, of body k of those near.
  T gap(std::size_t k, int node) const { return gaps_in(*this, k / kChannels)[node * kChannels + k % kChannels]; }
  // Sums of mass times memory.
  PushMemory<T> memory(int node) const {
    const T* sums = memory_ + node * kChannels;
    return {sums[1], sums[2], sums[3]};
  }

 private:
  static constexpr std::size_t kValues = Scratch<T, D>::kBlockValues;

  // Of every four bodies; `of` is this object, constant or not.
  template <class Self>
  static auto* gaps_in(Self& of, std::size_t four) {
    return four == 0 ? of.first_gaps_ : of.more_gaps_.data() + (four - 1) * kValues;
  }

  void start(std::size_t bodies) {
    constexpr T far = std::numeric_limits<T>::infinity();
    empty_ = false;
    std::fill_n(memory_, kValues, T(0));
    std::fill_n(first_gaps_, kValues, far);
    if (bodies > kChannels) more_gaps_.assign((bodies - 1) / kChannels * kValues, far);
  }

  void add(const ContactTile<T>& tile, int k, const std::vector<Body<T, D>>& near) {
    if (empty_) start(near.size());
    for_overlap<D>(k, [&](int tile_node, int node) {
      T* to = memory_ + node * kChannels;
      (Row<T>::load(to) + Row<T>::load(tile.values.data() + tile_node * kChannels)).store(to);
    });
    const bool same = std::equal(near.begin(), near.end(), tile.bodies.begin(), tile.bodies.end(),
                                 [](const Body<T, D>& body, int number) { return body.number == number; });
    if (same) return add_same(tile, k, near.size());
    for (std::size_t body = 0; body < near.size(); ++body) {
      const auto found = std::find(tile.bodies.begin(), tile.bodies.end(), near[body].number);
      if (found == tile.bodies.end()) continue;
      const std::size_t number = found - tile.bodies.begin();
      const T* from = tile.values.data() + (1 + number / kChannels) * Scratch<T, D>::kTileValues + number % kChannels;
      T* to = gaps_in(*this, body / kChannels) + body % kChannels;
      for_overlap<D>(k, [&](int tile_node, int node) {
        for (int i = 0; i < kRowNodes; ++i) to[(node + i) * kChannels] = min(to[(node + i) * kChannels], from[(tile_node + i) * kChannels]);
      });
    }
  }

  // Of the same bodies in the same order.
  void add_same(const ContactTile<T>& tile, int k, std::size_t bodies) {
    for (std::size_t four = 0; four * kChannels < bodies; ++four) {
      const T* from = tile.values.data() + (1 + four) * Scratch<T, D>::kTileValues;
      T* to = gaps_in(*this, four);
      for_overlap<D>(k, [&](int tile_node, int node) {
        min(Row<T>::load(to + node * kChannels), Row<T>::load(from + tile_node * kChannels)).store(to + node * kChannels);
      });
    }
  }

  bool empty_ = true;
  alignas(64) T memory_[kValues];
  alignas(64) T first_gaps_[kValues];
  std::vector<T> more_gaps_;
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
    const std::uint64_t lines = own.told ? own.lines : ~std::uint64_t(0);
    Stencils<T, D, Kernel, PlainTile<T, D>> stencils;
    PushMemory<T>* next = own.next.data();
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      if (touches) stencils.compute(store_.particles, at, particles.first_cell);
      for (int l = 0; l < n; ++l) {
        alignas(64) T sums[kChannels] = {};
        if (touches) {
          Row<T> sum(T(0));
          for_each_touching(stencils, l, lines, [&](int from, T w) { sum = sum + Row<T>(w) * Row<T>::load(nodes + from); });
          store_sum_of_nodes(sum * spread_nodes(stencils.w_last[l]), sums);
        }
        const Particles<T, D>& ps = store_.particles;
        *next++ = remembered<T>({ps.push[at + l], ps.touch[at + l], ps.credit[at + l]}, sums[0], {sums[1], sums[2], sums[3]}, rates_.kept);
      }
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
      store_.particles.credit[particles.slot(i)] = own.next[i].credit;
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
