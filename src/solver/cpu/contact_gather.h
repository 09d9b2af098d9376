// Contact that holds, apart because each stage is a file: what nodes that touch bodies tell their particles.
#pragma once

#include "solver/cpu/contact_tiles.h"

namespace firn::cpu {

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
    for (Array<T>& column : own.next) column.resize(own.phi.size());
    alignas(64) T nodes[Scratch<T, D>::kTileValues];
    const bool touches = own.lines != 0 && load(b, own.lines, nodes);
    Stencils<T, D, Kernel, PlainTile<T, D>> stencils;
    std::size_t to = 0;
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      const LaneMask<T> in_reach = (Lanes<T>::load(own.phi.data() + to) <= Lanes<T>(own.reach)) & first_lanes<T>(n);
      const Lanes<T> zero(T(0));
      PushMemory<Lanes<T>> after{zero, zero, zero};
      if (any(in_reach)) {
        Lanes<T> sums[kChannels] = {zero, zero, zero, zero};
        if (touches) {
          stencils.compute(store_.particles, at, particles.first_cell);
          gather(stencils, in_reach, own.lines, nodes, sums);
        }
        const Particles<T, D>& ps = store_.particles;
        after = remembered<Lanes<T>>({Lanes<T>::load(ps.push.at(at)), Lanes<T>::load(ps.touch.at(at)), Lanes<T>::load(ps.credit.at(at))},
                                     sums[0], {sums[1], sums[2], sums[3]}, Lanes<T>(rates_.kept));
      }
      select(in_reach, after.push, zero).store(own.next[0].data() + to);
      select(in_reach, after.touch, zero).store(own.next[1].data() + to);
      select(in_reach, after.credit, zero).store(own.next[2].data() + to);
      to += kGroup<T>;
    });
  }

  // The step was right.
  void accept(std::size_t b) const {
    const ParticleBlock<D>& particles = store_.blocks[b];
    const ContactTile<T>& own = scratch_.contact_tiles[particles.place];
    if (own.bodies.empty()) return;
    Column<T>* const columns[] = {&store_.particles.push, &store_.particles.touch, &store_.particles.credit};
    std::size_t from = 0;
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int) {
      for (int k = 0; k < 3; ++k) Lanes<T>::load(own.next[k].data() + from).store(columns[k]->at(at));
      from += kGroup<T>;
    });
  }

 private:
  // What nodes that touch have, by the weights of the particles in reach: the sum of these, then of push, touch and credit.
  static void gather(const Stencils<T, D, Kernel, PlainTile<T, D>>& stencils, const LaneMask<T>& in_reach, std::uint64_t lines,
                     const T* nodes, Lanes<T> (&sums)[kChannels]) {
    alignas(64) T quads[kGroup<T>][kChannels] = {};
    for (int l = 0; l < kGroup<T>; ++l) {
      if (!in_reach[l]) continue;
      Row<T> sum(T(0));
      for_each_touching(stencils, l, lines, [&](int from, T w) { sum = sum + Row<T>(w) * Row<T>::load(nodes + from); });
      store_sum_of_nodes(sum * spread_nodes(stencils.w_last[l]), quads[l]);
    }
    quads_to_lanes(quads[0], sums);
  }

  // The memory of nodes that touch, and zero for the others; false: there are none.
  bool load(std::size_t b, std::uint64_t lines, T* nodes) const {
    const auto& overlap = scratch_.grid.nodes_of(b);
    if (std::none_of(overlap.begin(), overlap.end(), [&](std::int32_t node_block) { return scratch_.has_contact[node_block]; }))
      return false;
    for (int k = 0; k < BlockShape<D>::kNeighbors; ++k) {
      const T* from = scratch_.contact.data() + overlap[k] * Scratch<T, D>::kBlockValues;
      for_touching_overlap<D>(k, lines, [&](int tile_node, int node) {
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
