// Contact that holds (solver/contact.h) on blocks, apart because each stage is a file: what particles near bodies tell their nodes. Only
// blocks near bodies take part.
#pragma once

#include <bit>

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

// The lines of a stencil that may touch, a bit each, and where in a plain tile the first line's Row is.
template <class T, int D, class Kernel>
class TouchingLines {
  using Tile = PlainTile<T, D>;
  static constexpr int kPlane = kFirstAxisStep<Tile, D> / Tile::kLine;  // in lines

 public:
  TouchingLines(const Stencils<T, D, Kernel>& s, int l, std::uint64_t lines) : s_(s), l_(l) {
    using Own = RowTile<T, D>;  // of the stencil
    const int start = s.start[l], line = start / Own::kLine;
    from_ = line * Tile::kLine + start % Own::kLine / Own::kRow * Tile::kRow;
    lines_ = lines >> line & kStencil;
  }

  bool any() const { return lines_ != 0; }

  // f(place of the Row, weight of its line)
  template <class F>
  void for_each(F f) const {
    for (int i = 0; i < Kernel::kSupport; ++i) {
      const T w = s_.w[0][i][l_];
      const int plane = from_ + i * kPlane * Tile::kLine;
      for (std::uint64_t left = lines_ >> (i * kPlane) & kLinesOfPlane; left != 0; left &= left - 1) {
        const int j = std::countr_zero(left);
        f(plane + j * Tile::kLine, D == 3 ? w * s_.w[D - 2][j][l_] : w);
      }
    }
  }

 private:
  static constexpr std::uint64_t kLinesOfPlane = (std::uint64_t(1) << (D == 3 ? Kernel::kSupport : 1)) - 1;
  static constexpr std::uint64_t kStencil = [] {
    std::uint64_t lines = 0;
    for (int i = 0; i < Kernel::kSupport; ++i) lines |= kLinesOfPlane << (i * kPlane);
    return lines;
  }();

  const Stencils<T, D, Kernel>& s_;
  int l_, from_;
  std::uint64_t lines_;
};

// Where a tile and node block k under it overlap, on lines that may touch.
template <int D, class F>
inline void for_touching_overlap(int k, std::uint64_t lines, F f) {
  for_overlap<D>(k, [&](int tile_node, int node) {
    if (lines >> (tile_node / BlockShape<D>::kTileRow) & 1) f(tile_node, node);
  });
}

// Where in a ContactTile the gaps to its k-th body are: the first has a channel beside what particles remember.
template <int D>
constexpr std::size_t gaps_tile(std::size_t k) {
  return (k + kChannels - 1) / kChannels * (BlockShape<D>::kTileNodes * kChannels);
}
constexpr std::size_t gaps_channel(std::size_t k) { return (k + kChannels - 1) % kChannels * (k > 0); }

// With steps 1 and 3: where the snow is, seen from the bodies as they stand when a step begins, and what it remembers.
template <class T, int D, class Kernel>
class ContactScatter {
 public:
  ContactScatter(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, const std::vector<Body<T, D>>& bodies)
      : store_(store), scratch_(scratch), bodies_(bodies), h_(T(model.h)), holds_(model.holds()) {
    for (const Body<T, D>& body : bodies) reach_.push_back(touching_reach(body));
  }

  struct Group {
    std::vector<Lanes<T>> gaps;  // per body, m; infinite where a step cannot close them
    bool any_gap = false, any_memory = false;
    T volume = T(-1), half_distance = T(0);  // of the particle that was asked last
  };

  // What a block's scatter calls for each group of its particles.
  class OfBlock {
   public:
    OfBlock(const ContactScatter& all, ContactTile<T>* tile) : all_(all), tile_(tile) {}
    void operator()(const Stencils<T, D, Kernel>& stencils, std::size_t at, int n) {
      if (tile_ == nullptr) return;
      all_.tell(stencils, at, n, tile_->phi.data() + first_, *tile_, group_);
      first_ += kGroup<T>;
    }

   private:
    const ContactScatter& all_;
    ContactTile<T>* tile_;  // none: no body is near
    Group group_;
    std::size_t first_ = 0;  // of the group, among the block's
  };

  OfBlock of_block(std::size_t b) const { return {*this, holds_ ? start_block(store_.blocks[b]) : nullptr}; }

 private:
  ContactTile<T>* start_block(const ParticleBlock<D>& particles) const {
    ContactTile<T>& tile = scratch_.contact_tiles[particles.place];
    tile.bodies.clear();
    tile.told = false;
    bool in_sight = false;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const T least = least_phi(bodies_[k], particles);
      in_sight = in_sight || least <= T(kSight);
      if (least <= reach_[k]) tile.bodies.push_back(static_cast<int>(k));
    }
    if (!in_sight) return nullptr;
    if (tile.bodies.empty()) {
      particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) { forget(at, first_lanes<T>(n)); });
      return nullptr;
    }
    tile.lines = 0;
    tile.reach = 0;
    for (const int k : tile.bodies) {
      tile.lines |= touching_lines(bodies_[k], particles.first_cell, h_);
      tile.reach = max(tile.reach, (reach_[k] + (bodies_[k].moves() ? T(1) : T(0))) * h_);
    }
    tile.phi.resize(particles.groups.size() * kGroupSize);
    return &tile;
  }

  void tell(const Stencils<T, D, Kernel>& stencils, std::size_t at, int n, T* phi, ContactTile<T>& tile, Group& group) const {
    look(at, n, tile.bodies, group).store(phi);
    if (tile.lines == 0 || (!group.any_gap && !group.any_memory)) return;
    if (!tile.told) start(tile);
    add_memory(stencils, at, n, group, tile);
    for (std::size_t first = 1; first < group.gaps.size(); first += kChannels) add_gaps(stencils, n, group, first, tile);
  }

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

  void start(ContactTile<T>& tile) const {
    constexpr std::size_t size = Scratch<T, D>::kTileValues, line = BlockShape<D>::kTileRow * kChannels;
    tile.told = true;
    tile.values.resize(gaps_tile<D>(tile.bodies.size() - 1) + size);
    alignas(64) constexpr T nothing[kChannels] = {kFar, T(0), T(0), T(0)};
    const Row<T> first = repeat_channels(nothing), other(kFar);
    for (std::size_t at = 0; at < tile.values.size(); at += line)
      if (tile.lines >> (at % size / line) & 1)
        for (std::size_t i = 0; i < line; i += kRowNodes * kChannels) (at < size ? first : other).store(tile.values.data() + at + i);
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
        gap = phi - half_distances(at, n, group);
        gap = select(gap < widest, gap, far);
      }
      group.gaps.push_back(gap);
      group.any_gap = group.any_gap || any(gap < far);
    }
    forget(at, (beyond > zero) & first_lanes<T>(n));
    group.any_memory = any((Lanes<T>::load(store_.particles.touch.at(at)) > zero) & first_lanes<T>(n));
    return least;
  }

  // Of a group; particles of one body of snow mostly have one volume, so the last one's is kept.
  Lanes<T> half_distances(std::size_t at, int n, Group& group) const {
    const T* volume = store_.particles.volume.at(at);
    if (volume[0] != group.volume) {
      group.volume = volume[0];
      group.half_distance = half_distance<T, D>(volume[0]);
    }
    Lanes<T> half(group.half_distance);
    const Lanes<T> all = Lanes<T>::load(volume), first(volume[0]);
    if (any(((all < first) | (all > first)) & first_lanes<T>(n)))
      for (int l = 1; l < n; ++l)
        if (volume[l] != volume[0]) half.set(l, half_distance<T, D>(volume[l]));
    return half;
  }

  // What a group remembers, and the least gap of the particles that a node sees to the first body.
  void add_memory(const Stencils<T, D, Kernel>& s, std::size_t at, int n, const Group& group, ContactTile<T>& tile) const {
    const Particles<T, D>& ps = store_.particles;
    const Lanes<T> mass = Lanes<T>::load(ps.mass.at(at)), touch = Lanes<T>::load(ps.touch.at(at)), zero(T(0)), far(kFar);
    alignas(64) T values[kGroup<T>][kChannels], gaps[kGroup<T>][kChannels];
    lanes_to_quads(zero, mass * Lanes<T>::load(ps.push.at(at)), mass * touch, mass * Lanes<T>::load(ps.credit.at(at)), values[0]);
    lanes_to_quads(group.gaps[0], far, far, far, gaps[0]);
    T* nodes = tile.values.data();
    for (int l = 0; l < n; ++l) {
      if (!(values[l][2] > T(0)) && !(gaps[l][0] < kFar)) continue;
      const TouchingLines<T, D, Kernel> lines(s, l, tile.lines);
      if (!lines.any()) continue;
      const Row<T> w_last = spread_nodes(s.w_last[l]), gap = repeat_channels(gaps[l]), value = repeat_channels(values[l]) * w_last;
      const auto is_gap = gap < Row<T>(kFar);
      lines.for_each([&](int from, T w) {
        T* row = nodes + from;
        const Row<T> old = Row<T>::load(row);
        select(is_gap, min(old, gap_in_sight(gap, w * w_last, h_)), old + value * Row<T>(w)).store(row);
      });
    }
  }

  // The least gaps to other bodies, four at a time.
  void add_gaps(const Stencils<T, D, Kernel>& s, int n, const Group& group, std::size_t first, ContactTile<T>& tile) const {
    const Lanes<T> far(kFar);
    Lanes<T> of_four[kChannels] = {far, far, far, far}, least = far;
    for (std::size_t k = first; k < std::min(group.gaps.size(), first + kChannels); ++k) {
      of_four[k - first] = group.gaps[k];
      least = min(least, group.gaps[k]);
    }
    alignas(64) T quads[kGroup<T>][kChannels];
    alignas(64) T nearest[kGroup<T>];
    lanes_to_quads(of_four[0], of_four[1], of_four[2], of_four[3], quads[0]);
    least.store(nearest);
    T* nodes = tile.values.data() + gaps_tile<D>(first);
    for (int l = 0; l < n; ++l) {
      if (!(nearest[l] < kFar)) continue;
      const TouchingLines<T, D, Kernel> lines(s, l, tile.lines);
      if (!lines.any()) continue;
      const Row<T> gap = repeat_channels(quads[l]), w_last = spread_nodes(s.w_last[l]);
      lines.for_each([&](int from, T w) { min(Row<T>::load(nodes + from), gap_in_sight(gap, w * w_last, h_)).store(nodes + from); });
    }
  }

  static constexpr T kFar = std::numeric_limits<T>::infinity();

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  const std::vector<Body<T, D>>& bodies_;
  std::vector<T> reach_;  // of each, cells
  T h_;
  bool holds_;
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
  T gap(std::size_t k, int node) const { return gaps_of(*this, k)[node * kChannels]; }
  // Sums of mass times memory.
  PushMemory<T> memory(int node) const {
    const T* sums = values_ + node * kChannels;
    return {sums[1], sums[2], sums[3]};
  }

 private:
  static constexpr std::size_t kValues = Scratch<T, D>::kBlockValues;
  static constexpr T kFar = std::numeric_limits<T>::infinity();

  // Where the gaps to body k are, as in a ContactTile; `of` is this object, constant or not.
  template <class Self>
  static auto* gaps_of(Self& of, std::size_t k) {
    return k == 0 ? of.values_ : of.more_gaps_.data() + (k - 1) / kChannels * kValues + gaps_channel(k);
  }

  void start(std::size_t bodies) {
    empty_ = false;
    alignas(64) constexpr T nothing[kChannels] = {kFar, T(0), T(0), T(0)};
    const Row<T> first = repeat_channels(nothing);
    for (std::size_t at = 0; at < kValues; at += kRowNodes * kChannels) first.store(values_ + at);
    if (bodies > 1) more_gaps_.assign((bodies + kChannels - 2) / kChannels * kValues, kFar);
  }

  void add(const ContactTile<T>& tile, int k, const std::vector<Body<T, D>>& near) {
    if (empty_) start(near.size());
    // Mostly both know one body, the same: then its gaps are beside the memory in both.
    const bool same_first = tile.bodies[0] == near[0].number;
    alignas(64) constexpr T gap_channel[kChannels] = {T(1), T(0), T(0), T(0)};
    const auto is_gap = repeat_channels(gap_channel) > Row<T>(T(0));
    for_touching_overlap<D>(k, tile.lines, [&](int tile_node, int node) {
      T* to = values_ + node * kChannels;
      const Row<T> old = Row<T>::load(to), more = Row<T>::load(tile.values.data() + tile_node * kChannels);
      select(is_gap, same_first ? min(old, more) : old, old + more).store(to);
    });
    for (std::size_t body = same_first ? 1 : 0; body < near.size(); ++body) {
      const auto found = std::find(tile.bodies.begin(), tile.bodies.end(), near[body].number);
      if (found == tile.bodies.end()) continue;
      const std::size_t number = found - tile.bodies.begin();
      const T* from = tile.values.data() + gaps_tile<D>(number) + gaps_channel(number);
      T* to = gaps_of(*this, body);
      for_touching_overlap<D>(k, tile.lines, [&](int tile_node, int node) {
        for (int i = 0; i < kRowNodes; ++i) to[(node + i) * kChannels] = min(to[(node + i) * kChannels], from[(tile_node + i) * kChannels]);
      });
    }
  }

  bool empty_ = true;
  alignas(64) T values_[kValues];  // the gap to the first body, and sums of memory
  std::vector<T> more_gaps_;       // to others, four at a time
};

}  // namespace firn::cpu
