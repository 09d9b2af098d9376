// Who is where, apart because each stage is a file: particles are sorted by block and cell, and the blocks of nodes under them are listed.
// Everything is in the order of keys and, where those are equal, in the order before: the same on every run.
#pragma once

#include "solver/cuda/launch.h"
#include "solver/outflow.h"

namespace firn::cuda {

// Blocks near the snow, as keys of few bits, in the same order as those of key_of: so that sorts look at no more.
template <int D>
struct Window {
  Cell<D> low{}, high{};  // both in it
  int bits[D] = {};

  Window() = default;
  Window(const Cell<D>& from, const Cell<D>& to) : low(from), high(to) {
    for (int d = 0; d < D; ++d)
      while ((std::int64_t(1) << bits[d]) <= std::int64_t(to[d]) - from[d]) ++bits[d];
  }
  int block_bits() const {
    int sum = 0;
    for (int b : bits) sum += b;
    return sum;
  }
  // With a bit more than any key of a particle's node: for those that go, behind all others.
  int key_bits() const { return block_bits() + Layout<D>::kCellBits + 1; }
  Key gone() const { return Key(1) << (key_bits() - 1); }

  FIRN_HD Key key_of(const Cell<D>& block) const {
    Key key = 0;
    for (int d = 0; d < D; ++d) key = key << bits[d] | static_cast<Key>(block[d] - low[d]);
    return key;
  }
  FIRN_HD Cell<D> block_of(Key key) const {
    Cell<D> block;
    for (int d = D - 1; d >= 0; key >>= bits[d], --d) block[d] = low[d] + static_cast<std::int32_t>(key & ((Key(1) << bits[d]) - 1));
    return block;
  }
};

// The block of a particle's base, and which of its nodes that is; see layout.h.
template <class T, int D, class Kernel>
FIRN_HD inline Key key_of_place(const Window<D>& window, const Cell<D>& block, const Place<T, D>& place) {
  Cell<D> at;
  Key node = 0;
  for (int d = 0; d < D; ++d) {
    const int base = place.cell(d) + static_cast<int>(Kernel::base_shift(place.offset[d])) + 1;
    at[d] = block[d] + (base >> 2);
    node = node * Layout<D>::kEdge + static_cast<Key>(base & 3);
  }
  return window.key_of(at) << Layout<D>::kCellBits | node;
}

// The cells of a key's particle from its block's first one.
template <class T, int D, class Kernel>
FIRN_HD inline void settle_cell(Key key, Place<T, D>& place) {
  for (int d = D - 1; d >= 0; --d, key >>= 2)
    place.set_cell(d, static_cast<int>(key & 3) - static_cast<int>(Kernel::base_shift(place.offset[d])) - 1);
}

// Keys have so many bits: farther from the origin than this no block may be.
template <int D>
inline constexpr std::int32_t kFarthestBlock = (std::int32_t(1) << (Layout<D>::kKeyBits - 1)) - 2;

// Of the particles that are in blocks; gone: nullptr, or 1 for each that goes.
template <class T, int D, class Kernel>
__global__ void make_keys(ParticleView<T, D> ps, BlockView<D> blocks, Window<D> window, const std::uint8_t* gone, Key none, Key* keys,
                          unsigned* order) {
  const int block = blockIdx.x;
  for (int i = blocks.begin[block] + static_cast<int>(threadIdx.x); i < blocks.begin[block + 1]; i += blockDim.x) {
    keys[i] = gone != nullptr && gone[i] ? none : key_of_place<T, D, Kernel>(window, blocks.place[block], ps.place[i]);
    order[i] = static_cast<unsigned>(i);
  }
}

// Of newcomers, whose cells are counted from the origin.
template <class T, int D, class Kernel>
__global__ void make_new_keys(const Place<T, D>* places, const Cell<D>* cells, Window<D> window, int first, int count, Key* keys,
                              unsigned* order) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= count) return;
  Place<T, D> place = places[first + k];
  Cell<D> block;
  for (int d = 0; d < D; ++d) {
    block[d] = cells[k][d] >> 2;
    place.set_cell(d, cells[k][d] & 3);
  }
  keys[first + k] = key_of_place<T, D, Kernel>(window, block, place);
  order[first + k] = static_cast<unsigned>(first + k);
}

// Particle `order[i]` becomes particle i: what steps change.
template <class T, int D, class Kernel>
__global__ void permute(ParticleView<T, D> from, ParticleView<T, D> to, const Key* keys, const unsigned* order, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const int j = static_cast<int>(order[i]);
  Place<T, D> place = from.place[j];
  settle_cell<T, D, Kernel>(keys[i], place);
  to.place[i] = place;
  const auto copy = [&](const T* a, T* b, int n) {
    for (int k = 0; a != nullptr && k < n; ++k) b[k * to.room + i] = a[k * from.room + j];
  };
  copy(from.velocity, to.velocity, D);
  copy(from.F_E, to.F_E, D * D);
  copy(from.J_P, to.J_P, 1);
  copy(from.B, to.B, D * D);
  copy(from.held, to.held, 3);
}
// One column of what they leave alone.
template <class V>
__global__ void permute_column(const V* from, V* to, const unsigned* order, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = from[order[i]];
}

// Whom sinks, domain and window take; see Outflow.
template <class T, int D>
struct OutflowView {
  const Body<T, D>* sinks;
  int sink_count;
  OutflowWalls<T, D> walls;
};

template <class T, int D>
__global__ void choose_gone(ParticleView<T, D> ps, BlockView<D> blocks, OutflowView<T, D> outflow, T h, std::uint8_t* gone, int* counts) {
  const int block = blockIdx.x;
  const Cell<D> first = first_cell<D>(blocks.place[block], blocks.origin);
  for (int i = blocks.begin[block] + static_cast<int>(threadIdx.x); i < blocks.begin[block + 1]; i += blockDim.x) {
    Cell<D> cell = first;
    for (int d = 0; d < D; ++d) cell[d] += ps.place[i].cell(d);
    const BodyList<T, D> sinks{outflow.sinks, nullptr, std::size_t(outflow.sink_count)};
    const Fate fate = fate_of<T, D>(sinks, outflow.walls, cell, ps.place[i].offset, h);
    gone[i] = fate != Fate::kStays;
    if (gone[i]) atomicAdd(counts + (fate == Fate::kKilled ? 0 : 1), 1);
  }
}

inline unsigned launches(std::size_t n, int threads) { return static_cast<unsigned>((n + threads - 1) / threads); }

// What the host reads of a sort.
template <int D>
struct FoundBlocks {
  int count;
  Cell<D> low, high;
};

// Memory of the sort and its results. Its bodies are in binning.cu, the one file that has CUB in it.
template <int D>
class Binning {
 public:
  struct Counts {
    int blocks = 0, node_blocks = 0;
  };

  Buffer<Key> keys;  // after a sort: room for anything, as long as the next one has not begun
  Buffer<unsigned> order;

  // Where blocks are now, and newcomers of these blocks.
  Window<D> window_with(const Cell<D>& low, const Cell<D>& high) const;
  // Sorts n keys of that window; those of particles that go come last. Then `staying` of them are in blocks. The order is in
  // sorted_order().
  Counts run(const Window<D>& window, std::size_t n, std::size_t staying);
  // Cuts the blocks into parts of at most `most` particles: (block, which part, how many) in entries(). Returns how many there are.
  int cut(int blocks, int most);

  // Entries of such blocks first: they take longest, and what is long must not be last.
  void order_entries(int count, const std::uint8_t* near);

  const int3* entries() const { return entries_.data(); }
  const Key* sorted_keys() const { return sorted_keys_.data(); }
  const Key* node_keys() const { return node_keys_.data(); }
  const Key* node_keys_before() const { return node_keys_before_.data(); }  // the last sort
  const unsigned* sorted_order() const { return sorted_order_.data(); }
  BlockView<D> view(const Counts& counts, const Cell<D>& origin) const {
    return {begin_.data(), block_keys_.data(),  places_.data(),     overlap_.data(),
            counts.blocks, node_places_.data(), counts.node_blocks, origin};
  }
  std::size_t bytes() const {
    return keys.bytes() + order.bytes() + sorted_keys_.bytes() + sorted_order_.bytes() + begin_.bytes() + block_keys_.bytes() +
           places_.bytes() + overlap_.bytes() + node_places_.bytes() + node_keys_.bytes() + node_keys_before_.bytes() + wanted_.bytes() +
           wanted_too_.bytes() + scratch_.bytes() + parts_.bytes() + entries_.bytes() + ordered_.bytes();
  }

 private:
  template <class F>
  void with_scratch(F f);
  int find_blocks(const Window<D>& window, std::size_t n);
  int find_nodes(const Window<D>& window, int blocks);

  Buffer<Key> sorted_keys_, block_keys_, wanted_, wanted_too_, node_keys_, node_keys_before_;
  Buffer<unsigned> sorted_order_;
  Buffer<int> begin_, overlap_, parts_;
  Buffer<FoundBlocks<D>> found_;
  bool any_ = false;
  Cell<D> low_{}, high_{};  // of the blocks there are, if any
  Buffer<int3> entries_, ordered_;
  Buffer<Cell<D>> places_, node_places_;
  Buffer<char> scratch_;
};

}  // namespace firn::cuda
