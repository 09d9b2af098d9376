// Brings particles that have left the cells of their block into the block they are in now. The outcome depends on the blocks and the
// order within them alone, not on threads or on which groups are used.
#pragma once

#include <atomic>
#include <limits>

#include "core/parallel.h"
#include "firn/error.h"
#include "particles/block_store.h"

namespace firn {

template <class T, int D>
class Migration {
 public:
  using Shape = BlockShape<D>;
  using Blocks = std::vector<ParticleBlock<D>>;

  // Before particles are moved: forgets what was noted …
  void start(std::size_t blocks) {
    leavers_.resize(std::max(leavers_.size(), blocks));
    forget();
  }
  void forget() {
    for (std::vector<Leaver>& list : leavers_) list.clear();
  }
  // … and after: notes those of n particles, from number `first` of the block and slot `at` on, that have left it.
  void note(const ParticleBlock<D>& from, std::size_t block, const Particles<T, D>& particles, std::uint32_t first, std::size_t at, int n) {
    std::array<const std::int32_t*, D> cell;
    for (int d = 0; d < D; ++d) cell[d] = particles.cell[d].at(at);
    std::uint32_t some = 0;
    std::uint32_t outside[kGroupSize] = {};  // a cell of the block, counted from its first, needs no higher bits
    for (int l = 0; l < n; ++l) {
      for (int d = 0; d < D; ++d) outside[l] |= static_cast<std::uint32_t>(cell[d][l] - from.first_cell[d]) >> Shape::kLog2Edge;
      some |= outside[l];
    }
    for (int l = 0; some && l < n; ++l) {
      if (!outside[l]) continue;
      Cell<D> x;
      for (int d = 0; d < D; ++d) x[d] = cell[d][l];
      leavers_[block].push_back({x, first + static_cast<std::uint32_t>(l)});
    }
  }

  // Updates blocks (sorted by key; empty ones go) and slot_of_id. `grow` is called when columns need more slots.
  // Returns whether the set of blocks has changed. Throws RunError when a particle is out of the range of block keys.
  template <class Grow>
  bool run(const Cell<D>& origin, Particles<T, D>& particles, Blocks& blocks, GroupPool& pool, std::vector<std::uint32_t>& slot_of_id,
           Grow grow) {
    if (!count_leavers(blocks)) return false;
    take_out(origin, particles, blocks);
    const bool changed = plan(origin, blocks);
    make_room(blocks, pool);
    grow();
    parallel_for(blocks.size(), [&](std::size_t b) { settle(particles, blocks[b], changes_[b], slot_of_id); });
    release(blocks, pool);
    forget();
    return changed;
  }

  std::size_t bytes() const {
    std::size_t sum = moves_.capacity() * sizeof(Move) + outbox_.bytes() + changes_.capacity() * sizeof(Change);
    for (const auto& list : leavers_) sum += list.capacity() * sizeof(Leaver);
    return sum;
  }

 private:
  static constexpr std::uint32_t kNew = std::numeric_limits<std::uint32_t>::max();

  struct Leaver {
    Cell<D> cell;
    std::uint32_t particle;  // number in its block
  };
  struct Move {
    BlockKey target;
    std::uint32_t outbox;  // in the order of blocks, then of particles in them

    bool operator<(const Move& other) const { return target != other.target ? target < other.target : outbox < other.outbox; }
  };
  struct Change {
    std::uint32_t before = kNew;              // the block's number before
    std::uint32_t arrivals = 0, arrivals_end = 0;  // in moves_

    std::uint32_t arriving() const { return arrivals_end - arrivals; }
  };

  bool count_leavers(const Blocks& blocks) {
    leavers_.resize(std::max(leavers_.size(), blocks.size()));
    first_.resize(blocks.size() + 1);
    first_[0] = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) first_[b + 1] = first_[b] + static_cast<std::uint32_t>(leavers_[b].size());
    moves_.resize(first_.back());
    return !moves_.empty();
  }

  // Copies the leavers, so that others may take their slots, and sorts their moves by target.
  void take_out(const Cell<D>& origin, const Particles<T, D>& particles, const Blocks& blocks) {
    outbox_.resize(slots_for(first_.back()), particles.optional());
    std::atomic<bool> in_range{true};
    parallel_for(blocks.size(), [&](std::size_t b) {
      std::uint32_t at = first_[b];
      for (const Leaver& leaver : leavers_[b]) {
        outbox_.copy(particles, blocks[b].slot(leaver.particle), at);
        Vec<std::int32_t, D> target;
        for (int d = 0; d < D; ++d) {
          target[d] = (leaver.cell[d] - origin[d]) >> Shape::kLog2Edge;
          if (target[d] <= -kMaxBlock<D> || target[d] >= kMaxBlock<D> - 1) in_range = false;
        }
        moves_[at] = {block_key<D>(target), at};
        ++at;
      }
    });
    if (!in_range) throw RunError("a particle is too far from the others: more than a million cells (is the time step too long?)");
    parallel_sort(moves_.begin(), moves_.end());
  }

  // What every block gets; adds the new blocks and drops those that end up empty.
  bool plan(const Cell<D>& origin, Blocks& blocks) {
    changes_.clear();
    bool changed = false;
    Blocks after;
    after.reserve(blocks.size());
    std::uint32_t move = 0;
    const auto arrivals_of = [&](BlockKey key, std::uint32_t before) {
      Change change{before, move, move};
      while (change.arrivals_end < moves_.size() && moves_[change.arrivals_end].target == key) ++change.arrivals_end;
      move = change.arrivals_end;
      return change;
    };
    const auto add_new_before = [&](BlockKey limit) {
      while (move < moves_.size() && moves_[move].target < limit) {
        const BlockKey key = moves_[move].target;
        after.push_back(make_block<D>(key, origin));
        changes_.push_back(arrivals_of(key, kNew));
        changed = true;
      }
    };
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      add_new_before(blocks[b].key);
      const Change change = arrivals_of(blocks[b].key, b);
      if (blocks[b].count + change.arriving() == leavers_[b].size()) {
        emptied_.push_back(std::move(blocks[b]));
        changed = true;
      } else {
        after.push_back(std::move(blocks[b]));
        changes_.push_back(change);
      }
    }
    add_new_before(std::numeric_limits<BlockKey>::max());
    blocks = std::move(after);
    return changed;
  }

  std::uint32_t leaving(const Change& change) const {
    return change.before == kNew ? 0 : static_cast<std::uint32_t>(leavers_[change.before].size());
  }

  void make_room(Blocks& blocks, GroupPool& pool) {
    for (ParticleBlock<D>& block : emptied_)
      for (const std::uint32_t group : block.groups) pool.give_back(group);
    emptied_.clear();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::uint32_t count = blocks[b].count - leaving(changes_[b]) + changes_[b].arriving();
      while (blocks[b].groups.size() < groups_for(count)) blocks[b].groups.push_back(pool.take());
    }
  }

  // Arrivals take the places of leavers, then new ones at the end; places left over are filled from the end.
  void settle(Particles<T, D>& particles, ParticleBlock<D>& block, const Change& change, std::vector<std::uint32_t>& slot_of_id) {
    static const std::vector<Leaver> none;
    const std::vector<Leaver>& leavers = change.before == kNew ? none : leavers_[change.before];
    std::size_t filled = 0;
    // What moves here changes one buffer only: a block that has just begun to sleep must take another step.
    if (change.arriving() > 0 || (block.rest != Rest::kAwake && !leavers.empty())) block.wake();
    for (std::uint32_t a = change.arrivals; a < change.arrivals_end; ++a) {
      const std::uint32_t to = block.slot(filled < leavers.size() ? leavers[filled++].particle : block.count++);
      particles.copy(outbox_, moves_[a].outbox, to);
      slot_of_id[particles.id[to]] = to;
    }
    std::size_t holes = leavers.size();
    while (filled < holes) {
      const std::uint32_t last = --block.count;
      if (leavers[holes - 1].particle == last) {  // the last one has left itself
        --holes;
        continue;
      }
      const std::uint32_t to = block.slot(leavers[filled++].particle);
      particles.copy(particles, block.slot(last), to);
      slot_of_id[particles.id[to]] = to;
    }
  }

  static void release(Blocks& blocks, GroupPool& pool) {
    for (ParticleBlock<D>& block : blocks)
      while (block.groups.size() > groups_for(block.count)) {
        pool.give_back(block.groups.back());
        block.groups.pop_back();
      }
  }

  std::vector<std::vector<Leaver>> leavers_;  // per block, before
  std::vector<std::uint32_t> first_;          // per block: where its leavers begin in the outbox
  std::vector<Move> moves_;
  Particles<T, D> outbox_;
  std::vector<Change> changes_;  // per block, after
  Blocks emptied_;
};

}  // namespace firn
