#include "io/raster_blocks.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace firn {

BlockBox::BlockBox(const std::vector<Block>& blocks) : lower_(blocks.front()) {
  Block upper = lower_;
  for (const Block& b : blocks)
    for (int d = 0; d < 3; ++d) {
      lower_[d] = std::min(lower_[d], b[d]);
      upper[d] = std::max(upper[d], b[d]);
    }
  for (int d = 0; d < 3; ++d) extent_[d] = static_cast<std::uint64_t>(std::int64_t{upper[d]} - lower_[d]) + 2;  // and the leaves above
}

std::array<std::int32_t, 3> BlockBox::first_node(std::uint64_t number) const {
  const std::uint64_t step[] = {number / extent_[2] / extent_[1], number / extent_[2] % extent_[1], number % extent_[2]};
  std::array<std::int32_t, 3> node{};
  for (std::size_t d = 0; d < 3; ++d)
    node[d] = static_cast<std::int32_t>((lower_[static_cast<int>(d)] + static_cast<std::int64_t>(step[d])) * NodeFields::kEdge);
  return node;
}

// Radix sort from the lowest digit up.
void sort_by_block(std::vector<BlockEntry>& entries, std::uint64_t end) {
  constexpr int kDigitBits = 11;  // the counters of a digit stay in the first cache
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  std::vector<BlockEntry> sorted(entries.size());
  std::vector<std::size_t> place(kDigits);
  const int bits = static_cast<int>(std::bit_width(end));
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = [shift](const BlockEntry& e) { return e.block >> shift & (kDigits - 1); };
    std::fill(place.begin(), place.end(), 0);
    for (const BlockEntry& e : entries) ++place[digit(e)];
    std::size_t before = 0;
    for (std::size_t& p : place) before += std::exchange(p, before);
    for (const BlockEntry& e : entries) sorted[place[digit(e)]++] = e;
    entries.swap(sorted);
  }
}

}  // namespace firn
