#include "collide/bricks.h"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>

namespace firn {

LazyBricks::LazyBricks(std::size_t bricks) : blocks_(static_cast<const float**>(std::calloc(bricks, sizeof(const float*)))) {
  if (blocks_ == nullptr) throw std::bad_alloc();
}

LazyBricks::~LazyBricks() { std::free(blocks_); }

BrickValues LazyBricks::at(std::int64_t brick) const {
  const float* block = std::atomic_ref<const float*>(blocks_[brick]).load(std::memory_order_acquire);
  if (block == nullptr) block = make(brick);
  if (std::isnan(*block)) return {block + 1, 0};
  return {nullptr, *block};
}

// Two threads may make the same brick at once; the first to be done wins, and the other's was the same.
const float* LazyBricks::make(std::int64_t brick) const {
  std::unique_ptr<float[]> block(new float[1 + Bricks::kValues]);
  const std::optional<float> bound = fill(brick, block.get() + 1);
  if (bound) block = std::make_unique<float[]>(1);
  block[0] = bound.value_or(std::numeric_limits<float>::quiet_NaN());
  const float* winner = nullptr;
  if (!std::atomic_ref<const float*>(blocks_[brick]).compare_exchange_strong(winner, block.get(), std::memory_order_acq_rel)) return winner;
  winner = block.get();
  Made& list = made_[static_cast<std::size_t>(brick) % kLists];
  const std::lock_guard lock(list.mutex);
  list.blocks.push_back(std::move(block));
  return winner;
}

BrickValues values_on_demand(const LazyBricks& bricks, std::int64_t brick) { return bricks.at(brick); }

}  // namespace firn
