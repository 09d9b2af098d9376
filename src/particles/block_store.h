// Where particles live: block by block, a block's particles in groups of kGroupSize slots, all of them full but the last. A step
// moves few particles from one block to another, and only those are touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "grid/block.h"
#include "particles/storage.h"

namespace firn {

enum class Rest : std::uint8_t {
  kAwake,
  kDozing,  // its particles stand still, but what they add to the grid has yet to be found out
  kAsleep,  // nothing about it changes
};

// The speed of a block that is new, higher than any: blocks that sleep beside it had better wake.
inline constexpr double kUnknownSpeed = std::numeric_limits<double>::infinity();

template <int D>
struct ParticleBlock {
  static constexpr std::uint32_t kNowhere = ~std::uint32_t(0);

  BlockKey key = 0;
  Cell<D> first_cell{};
  std::uint32_t count = 0;            // particles
  std::vector<std::uint32_t> groups;  // their numbers; any will do
  std::uint32_t place = kNowhere;     // of what the solver keeps per block, as long as the block lives
  Rest rest = Rest::kAwake;
  bool alone = false;            // its only particle shares no node with any other
  double speed = kUnknownSpeed;  // in the last step: the largest component of any velocity, m/s
  std::uint32_t limited = 0;     // particles at the hardening limit, then
  float quiet_time = 0;          // s, without noticeable motion
  double unbalanced = 0;         // m/s²: what the forces on its nodes would do to the snow, were it not asleep

  void wake() {
    rest = Rest::kAwake;
    quiet_time = 0;
    unbalanced = 0;
  }

  std::uint32_t slot(std::uint32_t particle) const { return groups[particle / kGroupSize] * kGroupSize + particle % kGroupSize; }

  // Calls f(first slot, particles) for every `Width` slots, the last ones perhaps not full.
  template <int Width, class F>
  void for_each_pack(F f) const {
    static_assert(kGroupSize % Width == 0);
    for (std::uint32_t begin = 0; begin < count; begin += Width)
      f(std::size_t(slot(begin)), static_cast<int>(std::min<std::uint32_t>(count - begin, Width)));
  }
};

template <int D>
ParticleBlock<D> make_block(BlockKey key, const Cell<D>& origin) {
  ParticleBlock<D> block;
  block.key = key;
  block.first_cell = origin + BlockShape<D>::kEdge * block_of_key<D>(key);
  return block;
}

// Numbers that are given out, of groups and of tiles, and come back.
class NumberPool {
 public:
  std::uint32_t take() {
    if (free_.empty()) return end_++;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }
  std::size_t end() const { return end_; }  // all that were ever given out are below

 private:
  std::vector<std::uint32_t> free_;
  std::uint32_t end_ = 0;
};

// The slots that columns need for all groups.
inline std::size_t slots_for(const NumberPool& groups) { return groups.end() * kGroupSize; }
inline std::uint32_t groups_for(std::uint32_t particles) { return static_cast<std::uint32_t>(slots_for(particles) / kGroupSize); }

}  // namespace firn
