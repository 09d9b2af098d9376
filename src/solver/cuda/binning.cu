#include <thrust/iterator/transform_iterator.h>

#include <climits>
#include <cub/cub.cuh>

#include "solver/cuda/binning.h"

namespace firn::cuda {
namespace {

struct DropCell {
  int bits;
  __host__ __device__ Key operator()(Key key) const { return key >> bits; }
};

// The way to the k-th of the blocks around, as Layout::overlap_of counts them.
template <int D>
FIRN_HD Cell<D> neighbor(int k) {
  Cell<D> step;
  for (int d = D - 1; d >= 0; --d, k /= 3) step[d] = k % 3 - 1;
  return step;
}

// The places of blocks, their keys everywhere, and the blocks of nodes that each wants.
template <int D>
__global__ void list_node_keys(Window<D> window, const Key* keys_in_window, int count, Key* keys, Cell<D>* places, Key* wanted,
                               FoundBlocks<D>* found) {
  const int b = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const Cell<D> at = window.block_of(keys_in_window[::min(b, count - 1)]);
  for (int d = 0; d < D; ++d) {
    const int low = __reduce_min_sync(~0u, at[d]), high = __reduce_max_sync(~0u, at[d]);
    if (threadIdx.x % 32 != 0) continue;
    atomicMin(&found->low[d], low);
    atomicMax(&found->high[d], high);
  }
  if (b >= count) return;
  places[b] = at;
  keys[b] = key_of<D>(at);
  for (int k = 0; k < Layout<D>::kOverlap; ++k) wanted[b * Layout<D>::kOverlap + k] = window.key_of(at + neighbor<D>(k));
}

template <int D>
__global__ void link_nodes(const Cell<D>* places, int count, const Key* node_keys, int node_count, int* overlap) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= count * Layout<D>::kOverlap) return;
  const Cell<D> nodes = places[at / Layout<D>::kOverlap] + neighbor<D>(at % Layout<D>::kOverlap);
  overlap[at] = find_key(node_keys, node_count, key_of<D>(nodes));
}

template <int D>
__global__ void place_nodes(Window<D> window, const Key* keys_in_window, int node_count, Key* keys, Cell<D>* places) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= node_count) return;
  places[at] = window.block_of(keys_in_window[at]);
  keys[at] = key_of<D>(places[at]);
}

__device__ int parts_of(int count, int most) { return (count + most - 1) / most; }

__global__ void count_parts(const int* begin, int blocks, int most, int* parts) {
  const int b = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (b < blocks) parts[b] = parts_of(begin[b + 1] - begin[b], most);
}

__global__ void list_parts(const int* begin, const int* first, int blocks, int most, int3* entries) {
  const int b = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (b >= blocks) return;
  const int parts = parts_of(begin[b + 1] - begin[b], most);
  for (int k = 0; k < parts; ++k) entries[first[b] + k] = make_int3(b, k, parts);
}

}  // namespace

template <int D>
template <class F>
void Binning<D>::with_scratch(F f) {
  std::size_t bytes = 0;
  check(f(nullptr, bytes), "asking how much memory a sort takes");
  scratch_.reserve(bytes + 1);
  bytes = scratch_.room();
  check(f(scratch_.data(), bytes), "sorting");
}

// Blocks that particles are in, or come to: one around those there are, and one for what wandered in the meantime; and around each its
// blocks of nodes.
template <int D>
Window<D> Binning<D>::window_with(const Cell<D>& low, const Cell<D>& high) const {
  Cell<D> from = low, to = high;
  for (int d = 0; d < D; ++d) {
    if (any_) from[d] = std::min(from[d], low_[d]), to[d] = std::max(to[d], high_[d]);
    from[d] -= 3;
    to[d] += 3;
  }
  return {from, to};
}

template <int D>
int Binning<D>::find_blocks(const Window<D>& window, std::size_t n) {
  if (n == 0) return 0;
  const auto blocks = thrust::make_transform_iterator(static_cast<const Key*>(sorted_keys_.data()), DropCell{Layout<D>::kCellBits});
  int* const counts = reinterpret_cast<int*>(order.data());
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(scratch, bytes, blocks, keys.data(), counts, &found_.data()->count, static_cast<int>(n));
  });
  int count = 0;
  check(cudaMemcpy(&count, &found_.data()->count, sizeof count, cudaMemcpyDeviceToHost), "counting blocks");
  block_keys_.reserve(count);
  places_.reserve(count);
  begin_.reserve(count + 1);
  with_scratch(
      [&](void* scratch, std::size_t& bytes) { return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts, begin_.data(), count); });
  const int all = static_cast<int>(n);
  check(cudaMemcpyAsync(begin_.data() + count, &all, sizeof all, cudaMemcpyHostToDevice), "counting particles");
  const std::size_t wanted = std::size_t(count) * Layout<D>::kOverlap;
  wanted_.reserve(wanted);
  wanted_too_.reserve(wanted);
  FoundBlocks<D> start{};
  for (int d = 0; d < D; ++d) start.low[d] = INT_MAX, start.high[d] = INT_MIN;
  check(cudaMemcpyAsync(found_.data(), &start, sizeof start, cudaMemcpyHostToDevice), "finding blocks");
  list_node_keys<D>
      <<<launches(count, 256), 256>>>(window, keys.data(), count, block_keys_.data(), places_.data(), wanted_.data(), found_.data());
  return count;
}

template <int D>
int Binning<D>::find_nodes(const Window<D>& window, int blocks) {
  const std::size_t n = std::size_t(blocks) * Layout<D>::kOverlap;
  node_keys_.swap(node_keys_before_);
  any_ = blocks > 0;
  if (!any_) return 0;
  overlap_.reserve(n);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, wanted_.data(), wanted_too_.data(), n, 0, window.block_bits());
  });
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(scratch, bytes, wanted_too_.data(), wanted_.data(), &found_.data()->count, static_cast<int>(n));
  });
  FoundBlocks<D> found{};
  check(cudaMemcpy(&found, found_.data(), sizeof found, cudaMemcpyDeviceToHost), "counting blocks of nodes");
  low_ = found.low;
  high_ = found.high;
  node_keys_.reserve(found.count);
  node_places_.reserve(found.count);
  place_nodes<D><<<launches(found.count, 256), 256>>>(window, wanted_.data(), found.count, node_keys_.data(), node_places_.data());
  link_nodes<D><<<launches(n, 256), 256>>>(places_.data(), blocks, node_keys_.data(), found.count, overlap_.data());
  check_launch("listing nodes");
  return found.count;
}

template <int D>
typename Binning<D>::Counts Binning<D>::run(const Window<D>& window, std::size_t n, std::size_t staying) {
  sorted_keys_.reserve(n);
  sorted_order_.reserve(n);
  found_.reserve(1);
  cub::DoubleBuffer<Key> key_buffers(keys.data(), sorted_keys_.data());
  cub::DoubleBuffer<unsigned> order_buffers(order.data(), sorted_order_.data());
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, order_buffers, n, 0, window.key_bits());
  });
  if (key_buffers.Current() == keys.data()) keys.swap(sorted_keys_);
  if (order_buffers.Current() == order.data()) order.swap(sorted_order_);
  Counts counts;
  counts.blocks = find_blocks(window, staying);
  counts.node_blocks = find_nodes(window, counts.blocks);
  return counts;
}

template <int D>
int Binning<D>::cut(int blocks, int most) {
  if (blocks == 0) return 0;
  parts_.reserve(blocks + 1);
  check(cudaMemsetAsync(parts_.data() + blocks, 0, sizeof(int)), "cutting blocks");
  count_parts<<<launches(blocks, 256), 256>>>(begin_.data(), blocks, most, parts_.data());
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, parts_.data(), parts_.data(), blocks + 1);
  });
  int count = 0;
  check(cudaMemcpy(&count, parts_.data() + blocks, sizeof count, cudaMemcpyDeviceToHost), "cutting blocks");
  entries_.reserve(count);
  list_parts<<<launches(blocks, 256), 256>>>(begin_.data(), parts_.data(), blocks, most, entries_.data());
  check_launch("cutting blocks");
  return count;
}

namespace {
struct IsNear {
  const std::uint8_t* near;
  __device__ bool operator()(const int3& entry) const { return near[entry.x] != 0; }
};
}  // namespace

template <int D>
void Binning<D>::order_entries(int count, const std::uint8_t* near) {
  if (count == 0) return;
  ordered_.reserve(count);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DevicePartition::If(scratch, bytes, entries_.data(), ordered_.data(), &found_.data()->count, count, IsNear{near});
  });
  entries_.swap(ordered_);
}

template class Binning<2>;
template class Binning<3>;

}  // namespace firn::cuda
