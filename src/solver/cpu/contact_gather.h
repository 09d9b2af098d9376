// Contact that holds, apart because each stage is a file: what nodes that touch bodies tell their particles.
#pragma once

#include "solver/cpu/contact_tiles.h"

namespace firn::cpu {

// With steps 7 to 10: what the particles of a block will remember.
template <class T, int D, class Kernel>
class ContactGather {
 public:
  ContactGather(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, double dt)
      : store_(store), scratch_(scratch), rates_(model, dt), holds_(model.holds()) {}

  // What a block's gather calls for each group of its particles.
  class OfBlock {
   public:
    OfBlock(const ContactGather& all, std::size_t b) : all_(all) {
      if (!all.holds_) return;
      ContactTile<T>& own = all.scratch_.contact_tiles[all.store_.blocks[b].place];
      if (own.bodies.empty()) return;
      own_ = &own;
      for (Array<T>& column : own.next) column.resize(own.phi.size());
      if (own.lines != 0) lines_ = all.load(b, own.lines, nodes_);
    }

    void operator()(const Stencils<T, D, Kernel>& stencils, std::size_t at, int n) {
      if (own_ == nullptr) return;
      const LaneMask<T> in_reach = (Lanes<T>::load(own_->phi.data() + first_) <= Lanes<T>(own_->reach)) & first_lanes<T>(n);
      const Lanes<T> zero(T(0));
      PushMemory<Lanes<T>> after{zero, zero, zero};
      if (any(in_reach)) {
        Lanes<T> sums[kChannels] = {zero, zero, zero, zero};
        if (lines_ != 0) gather(stencils, in_reach, lines_, nodes_, sums);
        const Particles<T, D>& ps = all_.store_.particles;
        after = remembered<Lanes<T>>({Lanes<T>::load(ps.push.at(at)), Lanes<T>::load(ps.touch.at(at)), Lanes<T>::load(ps.credit.at(at))},
                                     sums[0], {sums[1], sums[2], sums[3]}, Lanes<T>(all_.rates_.kept));
      }
      select(in_reach, after.push, zero).store(own_->next[0].data() + first_);
      select(in_reach, after.touch, zero).store(own_->next[1].data() + first_);
      select(in_reach, after.credit, zero).store(own_->next[2].data() + first_);
      first_ += kGroup<T>;
    }

   private:
    const ContactGather& all_;
    ContactTile<T>* own_ = nullptr;  // none: no body is near
    std::uint64_t lines_ = 0;        // those with nodes that touch
    std::size_t first_ = 0;          // of the group, among the block's
    alignas(64) T nodes_[Scratch<T, D>::kTileValues];
  };

  OfBlock of_block(std::size_t b) const { return OfBlock(*this, b); }

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
  static void gather(const Stencils<T, D, Kernel>& stencils, const LaneMask<T>& in_reach, std::uint64_t lines, const T* nodes,
                     Lanes<T> (&sums)[kChannels]) {
    alignas(64) T quads[kGroup<T>][kChannels] = {};
    for (int l = 0; l < kGroup<T>; ++l) {
      if (!in_reach[l]) continue;
      const TouchingLines<T, D, Kernel> touching(stencils, l, lines);
      if (!touching.any()) continue;
      Row<T> sum(T(0));
      touching.for_each([&](int from, T w) { sum = sum + Row<T>(w) * Row<T>::load(nodes + from); });
      store_sum_of_nodes(sum * spread_nodes(stencils.w_last[l]), quads[l]);
    }
    quads_to_lanes(quads[0], sums);
  }

  // The memory of nodes that touch, and zero for others on their lines; returns these.
  std::uint64_t load(std::size_t b, std::uint64_t lines, T* nodes) const {
    const auto& overlap = scratch_.grid.nodes_of(b);
    if (std::none_of(overlap.begin(), overlap.end(), [&](std::int32_t node_block) { return scratch_.has_contact[node_block]; })) return 0;
    std::uint64_t touching = 0;
    for (int k = 0; k < BlockShape<D>::kNeighbors; ++k) {
      const T* from = scratch_.contact.data() + overlap[k] * Scratch<T, D>::kBlockValues;
      for_touching_overlap<D>(k, lines, [&](int tile_node, int node) {
        Row<T> row(T(0));
        if (scratch_.has_contact[overlap[k]]) row = Row<T>::load(from + node * kChannels);
        row = spread_first_channel(row) * row;
        if (any(row > Row<T>(T(0)))) touching |= std::uint64_t(1) << (tile_node / BlockShape<D>::kTileRow);
        row.store(nodes + tile_node * kChannels);
      });
    }
    return touching;
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  ContactRates<T> rates_;
  bool holds_;
};

}  // namespace firn::cpu
