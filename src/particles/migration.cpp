#include "particles/migration.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "core/parallel.h"
#include "firn/error.h"

namespace firn {
namespace {

constexpr int kCellBits = 6;  // BlockShape::kNodes cells
constexpr std::size_t kChunks = 64;

std::pair<std::size_t, std::size_t> chunk_range(std::size_t chunk, std::size_t n) {
  return {chunk * n / kChunks, (chunk + 1) * n / kChunks};
}

template <class F>
void for_chunks(std::size_t n, F f) {
  parallel_for(kChunks, [&](std::size_t c) {
    const auto [begin, end] = chunk_range(c, n);
    f(c, begin, end);
  });
}

// Remembers the last block, because neighbours in memory mostly share it and Morton bits are dear.
template <int D>
class KeyMaker {
 public:
  explicit KeyMaker(const Cell<D>& origin) : origin_(origin) {}

  // False when the cell is out of range.
  bool make(const Cell<D>& cell, std::uint64_t& key) {
    using Shape = BlockShape<D>;
    Vec<std::int32_t, D> block;
    std::uint32_t local = 0;
    bool same = valid_;
    for (int d = 0; d < D; ++d) {
      const std::int64_t relative = static_cast<std::int64_t>(cell[d]) - origin_[d];
      const std::int64_t b = relative >> Shape::kLog2Edge;
      if (b <= -kMaxBlock<D> || b >= kMaxBlock<D> - 1) return false;
      block[d] = static_cast<std::int32_t>(b);
      local = local * Shape::kEdge + static_cast<std::uint32_t>(relative & (Shape::kEdge - 1));
      same = same && block[d] == last_[d];
    }
    if (!same) {
      last_ = block;
      last_key_ = block_key<D>(block);
      valid_ = true;
    }
    key = last_key_ << kCellBits | local;
    return true;
  }

 private:
  Cell<D> origin_;
  Vec<std::int32_t, D> last_{};
  BlockKey last_key_ = 0;
  bool valid_ = false;
};

}  // namespace

template <int D>
void BlockSorter<D>::compute_keys(const Input& in) {
  std::atomic<bool> in_range{true};
  keys_.resize(in.size);
  for_chunks(in.size, [&](std::size_t, std::size_t begin, std::size_t end) {
    KeyMaker<D> maker(in.origin);
    bool ok = true;
    for (std::size_t i = begin; i < end; ++i) {
      Cell<D> cell;
      for (int d = 0; d < D; ++d) cell[d] = in.cell[d][i];
      ok = maker.make(cell, keys_[i]) && ok;
    }
    if (!ok) in_range = false;
  });
  if (!in_range) throw RunError("a particle is too far from the others: more than a million cells (is the time step too long?)");
}

template <int D>
void BlockSorter<D>::collect_blocks() {
  const std::size_t n = keys_.size();
  std::array<std::vector<BlockKey>, kChunks> found;
  for_chunks(n, [&](std::size_t c, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const BlockKey key = keys_[i] >> kCellBits;
      if (found[c].empty() || found[c].back() != key) found[c].push_back(key);
    }
    std::sort(found[c].begin(), found[c].end());
    found[c].erase(std::unique(found[c].begin(), found[c].end()), found[c].end());
  });
  std::vector<BlockKey> all;
  for (const auto& keys : found) all.insert(all.end(), keys.begin(), keys.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  blocks_.resize(all.size());
  for (std::size_t b = 0; b < all.size(); ++b) blocks_[b] = {all[b], 0, 0};
}

// Counting sort by block; within a block the old order is kept.
template <int D>
void BlockSorter<D>::distribute() {
  const std::size_t n = keys_.size(), block_count = blocks_.size();
  counts_.resize(kChunks);
  auto visit = [&](std::size_t begin, std::size_t end, auto f) {
    std::size_t rank = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const BlockKey key = keys_[i] >> kCellBits;
      if (i == begin || blocks_[rank].key != key) {
        const auto at = std::lower_bound(blocks_.begin(), blocks_.end(), key, [](const BlockRange& b, BlockKey k) { return b.key < k; });
        rank = static_cast<std::size_t>(at - blocks_.begin());
      }
      f(i, rank);
    }
  };
  for_chunks(n, [&](std::size_t c, std::size_t begin, std::size_t end) {
    counts_[c].assign(block_count, 0);
    visit(begin, end, [&](std::size_t, std::size_t rank) { ++counts_[c][rank]; });
  });
  std::uint32_t running = 0;
  for (std::size_t b = 0; b < block_count; ++b) {
    blocks_[b].begin = running;
    for (std::size_t c = 0; c < kChunks; ++c) {
      const std::uint32_t count = counts_[c][b];
      counts_[c][b] = running;
      running += count;
    }
    blocks_[b].end = running;
  }
  by_block_.resize(n);
  for_chunks(n, [&](std::size_t c, std::size_t begin, std::size_t end) {
    visit(begin, end, [&](std::size_t i, std::size_t rank) { by_block_[counts_[c][rank]++] = static_cast<std::uint32_t>(i); });
  });
}

template <int D>
void BlockSorter<D>::sort_cells(const BlockRange& block, const Column<std::uint32_t>& id) {
  constexpr std::uint64_t kCellMask = (1u << kCellBits) - 1;
  std::array<std::uint32_t, (1u << kCellBits) + 1> start{};
  for (std::uint32_t i = block.begin; i < block.end; ++i) ++start[(keys_[by_block_[i]] & kCellMask) + 1];
  for (std::size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
  std::array<std::uint32_t, (1u << kCellBits)> filled{};
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    const std::uint32_t p = by_block_[i];
    const std::uint32_t cell = static_cast<std::uint32_t>(keys_[p] & kCellMask);
    std::uint32_t* first = order_.data() + block.begin + start[cell];
    std::uint32_t at = filled[cell]++;
    for (; at > 0 && id[first[at - 1]] > id[p]; --at) first[at] = first[at - 1];
    first[at] = p;
  }
}

template <int D>
void BlockSorter<D>::sort(const Input& in) {
  compute_keys(in);
  collect_blocks();
  distribute();
  order_.resize(in.size);
  parallel_for(blocks_.size(), [&](std::size_t b) { sort_cells(blocks_[b], in.id); });
}

template class BlockSorter<2>;
template class BlockSorter<3>;

}  // namespace firn
