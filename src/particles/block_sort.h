// The order particles start in: by block key, then cell, then id. It depends on the particles alone, not on how they were stored
// before or on threads.
#pragma once

#include <cstdint>
#include <vector>

#include "grid/block.h"
#include "particles/storage.h"

namespace firn {

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

}  // namespace firn
