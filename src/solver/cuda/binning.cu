#include <thrust/iterator/transform_iterator.h>

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

// The places of blocks, and the blocks of nodes that each wants.
template <int D>
__global__ void list_node_keys(const Key* keys, int count, Cell<D>* places, Key* wanted) {
  const int b = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (b >= count) return;
  const Cell<D> at = places[b] = block_of<D>(keys[b]);
  for (int k = 0; k < Layout<D>::kOverlap; ++k) {
    const Cell<D> nodes = at + neighbor<D>(k);
    wanted[b * Layout<D>::kOverlap + k] = key_of<D>(nodes);
  }
}

template <int D>
__global__ void link_nodes(const Cell<D>* places, int count, const Key* node_keys, int node_count, int* overlap) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= count * Layout<D>::kOverlap) return;
  const Cell<D> nodes = places[at / Layout<D>::kOverlap] + neighbor<D>(at % Layout<D>::kOverlap);
  const Key key = key_of<D>(nodes);
  int from = 0, to = node_count;
  while (to - from > 1) {
    const int middle = (from + to) / 2;
    (node_keys[middle] <= key ? from : to) = middle;
  }
  overlap[at] = from;
}

template <int D>
__global__ void place_nodes(const Key* node_keys, int node_count, Cell<D>* places) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at < node_count) places[at] = block_of<D>(node_keys[at]);
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

template <int D>
int Binning<D>::read_count() {
  int n = 0;
  check(cudaMemcpy(&n, count_.data(), sizeof n, cudaMemcpyDeviceToHost), "counting blocks");
  return n;
}

template <int D>
int Binning<D>::find_blocks(std::size_t n) {
  count_.reserve(1);
  block_keys_.reserve(n + 1);  // as many blocks as particles, at the most
  begin_.reserve(n + 2);
  const auto blocks = thrust::make_transform_iterator(static_cast<const Key*>(sorted_keys_.data()), DropCell{Layout<D>::kCellBits});
  if (n == 0) return 0;
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(scratch, bytes, blocks, block_keys_.data(), begin_.data(), count_.data(),
                                              static_cast<int>(n));
  });
  const int count = read_count();
  check(cudaMemset(begin_.data() + count, 0, sizeof(int)), "counting particles");
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, begin_.data(), begin_.data(), count + 1);
  });
  return count;
}

template <int D>
int Binning<D>::find_nodes(int blocks) {
  const std::size_t n = std::size_t(blocks) * Layout<D>::kOverlap;
  places_.reserve(blocks + 1);
  overlap_.reserve(n + 1);
  wanted_.reserve(n + 1);
  node_keys_.reserve(n + 1);
  if (blocks == 0) return 0;
  list_node_keys<D><<<launches(blocks, 256), 256>>>(block_keys_.data(), blocks, places_.data(), wanted_.data());
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, wanted_.data(), node_keys_.data(), n);
  });
  wanted_.swap(node_keys_);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(scratch, bytes, wanted_.data(), node_keys_.data(), count_.data(), static_cast<int>(n));
  });
  const int count = read_count();
  node_places_.reserve(count);
  place_nodes<D><<<launches(count, 256), 256>>>(node_keys_.data(), count, node_places_.data());
  link_nodes<D><<<launches(n, 256), 256>>>(places_.data(), blocks, node_keys_.data(), count, overlap_.data());
  check_launch("listing nodes");
  return count;
}

template <int D>
typename Binning<D>::Counts Binning<D>::run(std::size_t n, std::size_t staying) {
  sorted_keys_.reserve(n);
  sorted_order_.reserve(n);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), sorted_keys_.data(), order.data(), sorted_order_.data(), n);
  });
  Counts counts;
  counts.blocks = find_blocks(staying);
  counts.node_blocks = find_nodes(counts.blocks);
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

template class Binning<2>;
template class Binning<3>;

}  // namespace firn::cuda
