// Who is alone, apart because it is about particles and their neighbours, not about a grid.
#pragma once

#include "solver/cuda/launch.h"

namespace firn::cuda {

// Who is alone (kAloneReach). In dense snow one of the next in memory is near.
template <class T, int D>
struct AloneSearch {
  static constexpr int kReach = kAloneReach<D>;
  static constexpr int kNext = 4;  // looked at first

  const ParticleView<T, D>& ps;
  const BlockView<D>& blocks;

  __device__ bool is_near_next(int block, int i) const {
    const int begin = blocks.begin[block], end = blocks.begin[block + 1];
    for (int j = ::max(begin, i - kNext); j < ::min(end, i + kNext + 1); ++j)
      if (j != i && is_near(ps.place[i], ps.place[j], Cell<D>::zero())) return true;
    return false;
  }
  // By one thread, or by several that share the work; any(found): whether one of them has found somebody.
  template <class Any>
  __device__ bool is_near_anyone(int block, int i, int lane, int lanes, Any any) const {
    // The cells of a block's particles are −2 … 5 from its first. Its own block first.
    Cell<D> lowest, highest;
    for (int d = 0; d < D; ++d) {
      lowest[d] = (ps.place[i].cell(d) - kReach - Layout<D>::kEdge - 1 + 3) >> 2;
      highest[d] = (ps.place[i].cell(d) + kReach + 2) >> 2;
    }
    Cell<D> step = Cell<D>::zero();
    if (finds(block, i, step, lane, lanes, any)) return true;
    step = lowest;
    for (;;) {
      bool own = true;
      for (int d = 0; d < D; ++d) own = own && step[d] == 0;
      if (!own && finds(find_key(blocks.key, blocks.count, key_of<D>(blocks.place[block] + step)), i, step, lane, lanes, any)) return true;
      int d = D - 1;
      while (d >= 0 && step[d] == highest[d]) step[d] = lowest[d], --d;
      if (d < 0) return false;
      ++step[d];
    }
  }
  __device__ bool is_alone(int block, int i) const {
    return !is_near_next(block, i) && !is_near_anyone(block, i, 0, 1, [](bool found) { return found; });
  }

 private:
  __device__ static bool is_near(const Place<T, D>& a, const Place<T, D>& b, const Cell<D>& blocks_between) {
    int farthest = 0;
    for (int d = 0; d < D; ++d)
      farthest = ::max(farthest, ::abs(b.cell(d) + std::int32_t(Layout<D>::kEdge) * blocks_between[d] - a.cell(d)));
    return farthest <= kReach;
  }

  template <class Any>
  __device__ bool finds(int other, int i, const Cell<D>& step, int lane, int lanes, Any any) const {
    if (other < 0) return false;
    for (int from = blocks.begin[other]; from < blocks.begin[other + 1]; from += lanes) {
      const int j = from + lane;
      if (any(j < blocks.begin[other + 1] && j != i && is_near(ps.place[i], ps.place[j], step))) return true;
    }
    return false;
  }
};

// For steps that must know it before they scatter: of blocks with few particles, because more are never alone. By a warp.
inline constexpr int kFewInBlock = 16;
template <class T, int D>
__device__ inline void find_alone(const StepArgs<T, D>& a, int block) {
  const int begin = a.blocks.begin[block], count = a.blocks.begin[block + 1] - begin, lane = threadIdx.x % 32;
  if (count > kFewInBlock) return;
  const AloneSearch<T, D> search{a.now, a.blocks};
  unsigned alone = __ballot_sync(~0u, lane < count && !search.is_near_next(block, begin + lane));
  for (unsigned left = alone; left != 0; left &= left - 1) {
    const int k = __ffs(static_cast<int>(left)) - 1;
    if (search.is_near_anyone(block, begin + k, lane, 32, [](bool found) { return __any_sync(~0u, found) != 0; })) alone &= ~(1u << k);
  }
  if (lane < count) a.alone[begin + lane] = (alone >> lane & 1) != 0;
  if (lane == 0 && alone != 0) atomicAdd(&a.report->alone, __popc(alone));
}

}  // namespace firn::cuda
