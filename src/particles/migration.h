// Who is where: the order particles start in, and who has left the cells of its block brought into the block it is in now.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/parallel.h"
#include "firn/error.h"
#include "grid/block.h"
#include "particles/block_store.h"
#include "particles/storage.h"

namespace firn {

// The order particles start in: by block key, then cell, then id. It depends on the particles alone, not on how they were stored
// before or on threads.

struct BlockRange {
  BlockKey key;
  std::uint32_t begin, end;  // particles

  bool operator==(const BlockRange&) const = default;
};

template <int D>
class BlockSorter {
 public:
  // Where the particles are: cells per axis, ids.
  struct Input {
    const std::array<Column<std::int32_t>, D>& cell;
    const Column<std::uint32_t>& id;
    std::size_t size;
    Cell<D> origin;  // the first cell of block 0
  };

  // Fills blocks() and order(): new position → old position. Throws RunError when a particle is outside the range of block keys.
  void sort(const Input& in);

  const std::vector<BlockRange>& blocks() const { return blocks_; }
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  void compute_keys(const Input& in);
  void collect_blocks();
  void distribute();
  void sort_cells(const BlockRange& block, const Column<std::uint32_t>& id);

  std::vector<std::uint64_t> keys_;  // block key << 6 | cell in the block
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> by_block_;
  std::vector<BlockRange> blocks_;
  std::vector<std::vector<std::uint32_t>> counts_;  // per chunk, per block
};

// From particles in any order to blocks; `grow` gives the columns room for all groups that the pool has given out.
template <class T, int D, class Grow>
void arrange(const Cell<D>& origin, const Particles<T, D>& unsorted, std::size_t count, Particles<T, D>& particles,
             std::vector<ParticleBlock<D>>& blocks, NumberPool& pool, Grow grow) {
  BlockSorter<D> sorter;
  sorter.sort({unsorted.cell, unsorted.id, count, origin});
  for (const BlockRange& range : sorter.blocks()) {
    ParticleBlock<D>& block = blocks.emplace_back(make_block<D>(range.key, origin));
    block.count = range.end - range.begin;
    for (std::uint32_t g = 0; g < groups_for(block.count); ++g) block.groups.push_back(pool.take());
  }
  grow();
  parallel_for(blocks.size(), [&](std::size_t b) {
    const BlockRange& range = sorter.blocks()[b];
    for (std::uint32_t i = range.begin; i < range.end; ++i) particles.copy(unsorted, sorter.order()[i], blocks[b].slot(i - range.begin));
  });
}

inline constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();  // of an id whose particle is gone

// Who leaves and arrives. The outcome depends on the blocks and the order within them alone, not on threads or on which groups are used.

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
      leavers_[block].push_back({x, first + static_cast<std::uint32_t>(l), false});
    }
  }

  // Or, of a block that nobody has left: its particle goes for good. In the order of the particles.
  void take_away(std::size_t block, std::uint32_t particle) { leavers_[block].push_back({{}, particle, true}); }

  // Particles that come from outside with the next run: to be filled in, slots 0 to count − 1.
  Particles<T, D>& admit(std::uint32_t count, const OptionalColumns& optional) {
    newcomers_ = count;
    inbox_.resize(slots_for(count), optional);
    return inbox_;
  }

  // Updates blocks (sorted by key; empty ones go) and slot_of_id. `grow` is called when columns need more slots.
  // Returns whether the set of blocks has changed. Throws RunError when a particle is out of the range of block keys.
  template <class Grow>
  bool run(const Cell<D>& origin, Particles<T, D>& particles, Blocks& blocks, NumberPool& pool, std::vector<std::uint32_t>& slot_of_id,
           Grow grow) {
    if (!count_moves(blocks)) return false;
    if (!take_out(origin, particles, blocks)) {
      newcomers_ = 0;
      throw RunError("a particle is too far from the others: more than a million cells (is the time step too long?)");
    }
    const bool changed = plan(origin, blocks);
    make_room(blocks, pool);
    grow();
    forget_the_gone(slot_of_id);
    parallel_for(blocks.size(), [&](std::size_t b) { settle(particles, blocks[b], changes_[b], slot_of_id); });
    release(blocks, pool);
    forget();
    newcomers_ = 0;
    return changed;
  }

  std::size_t bytes() const {
    std::size_t sum = moves_.capacity() * sizeof(Move) + outbox_.bytes() + inbox_.bytes() + changes_.capacity() * sizeof(Change);
    for (const auto& list : leavers_) sum += list.capacity() * sizeof(Leaver);
    return sum;
  }

 private:
  static constexpr std::uint32_t kNew = std::numeric_limits<std::uint32_t>::max();
  static constexpr BlockKey kNowhere = std::numeric_limits<BlockKey>::max();  // no block has this key, and all have smaller ones

  struct Leaver {
    Cell<D> cell;
    std::uint32_t particle;  // number in its block
    bool gone;               // for good
  };
  struct Move {
    BlockKey target;
    std::uint32_t from;  // in the outbox, in the order of blocks, then of particles in them; after its end, in the inbox

    bool operator<(const Move& other) const { return target != other.target ? target < other.target : from < other.from; }
  };
  struct Change {
    std::uint32_t before = kNew;                   // the block's number before
    std::uint32_t arrivals = 0, arrivals_end = 0;  // in moves_

    std::uint32_t arriving() const { return arrivals_end - arrivals; }
  };

  bool count_moves(const Blocks& blocks) {
    leavers_.resize(std::max(leavers_.size(), blocks.size()));
    first_.resize(blocks.size() + 1);
    first_[0] = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) first_[b + 1] = first_[b] + static_cast<std::uint32_t>(leavers_[b].size());
    moves_.resize(first_.back() + newcomers_);
    return !moves_.empty();
  }

  // Copies the leavers, so that others may take their slots, and sorts all moves by target. Says whether all targets are in range.
  bool take_out(const Cell<D>& origin, const Particles<T, D>& particles, const Blocks& blocks) {
    outbox_.resize(slots_for(first_.back()), particles.optional());
    std::atomic<bool> in_range{true};
    const auto target_of = [&](const Cell<D>& cell) {
      Vec<std::int32_t, D> target;
      for (int d = 0; d < D; ++d) {
        target[d] = (cell[d] - origin[d]) >> Shape::kLog2Edge;
        if (target[d] <= -kMaxBlock<D> || target[d] >= kMaxBlock<D> - 1) in_range = false;
      }
      return block_key<D>(target);
    };
    parallel_for(blocks.size(), [&](std::size_t b) {
      std::uint32_t at = first_[b];
      for (const Leaver& leaver : leavers_[b]) {
        outbox_.copy(particles, blocks[b].slot(leaver.particle), at);
        moves_[at] = {leaver.gone ? kNowhere : target_of(leaver.cell), at};
        ++at;
      }
    });
    parallel_for(newcomers_, [&](std::size_t k) {
      Cell<D> cell;
      for (int d = 0; d < D; ++d) cell[d] = inbox_.cell[d][k];
      const std::uint32_t at = first_.back() + static_cast<std::uint32_t>(k);
      moves_[at] = {target_of(cell), at};
    });
    parallel_sort(moves_.begin(), moves_.end());
    return in_range;
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
    add_new_before(kNowhere);
    blocks = std::move(after);
    return changed;
  }

  std::uint32_t leaving(const Change& change) const {
    return change.before == kNew ? 0 : static_cast<std::uint32_t>(leavers_[change.before].size());
  }

  void make_room(Blocks& blocks, NumberPool& pool) {
    for (ParticleBlock<D>& block : emptied_)
      for (const std::uint32_t group : block.groups) pool.give_back(group);
    emptied_.clear();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::uint32_t count = blocks[b].count - leaving(changes_[b]) + changes_[b].arriving();
      while (blocks[b].groups.size() < groups_for(count)) blocks[b].groups.push_back(pool.take());
    }
  }

  // Their moves come last.
  void forget_the_gone(std::vector<std::uint32_t>& slot_of_id) const {
    for (auto move = moves_.rbegin(); move != moves_.rend() && move->target == kNowhere; ++move)
      slot_of_id[outbox_.id[move->from]] = kNoSlot;
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
      const std::uint32_t from = moves_[a].from;
      if (from < first_.back()) {
        particles.copy(outbox_, from, to);
      } else {
        particles.copy(inbox_, from - first_.back(), to);
      }
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

  static void release(Blocks& blocks, NumberPool& pool) {
    for (ParticleBlock<D>& block : blocks)
      while (block.groups.size() > groups_for(block.count)) {
        pool.give_back(block.groups.back());
        block.groups.pop_back();
      }
  }

  std::vector<std::vector<Leaver>> leavers_;  // per block, before
  std::vector<std::uint32_t> first_;          // per block: where its leavers begin in the outbox
  std::vector<Move> moves_;
  Particles<T, D> outbox_, inbox_;
  std::uint32_t newcomers_ = 0;  // in the inbox
  std::vector<Change> changes_;  // per block, after
  Blocks emptied_;
};

}  // namespace firn
