// What the CPU solver needs beside the state, and could make anew from it at any time: a second particle buffer, values on the sparse grid.
#pragma once

#include <algorithm>

#include "core/memory.h"
#include "grid/block.h"
#include "particles/migration.h"
#include "solver/contact.h"
#include "solver/cpu/small_tile.h"
#include "solver/cpu/transfer.h"
#include "solver/time_step.h"
#include "state/state.h"

namespace firn::cpu {

// What a particle pass found in one block; combined in block order.
struct BlockReport {
  StepLimits limits;
  Attempt attempt;
  NearLoads loads;                       // by collisions of particles
  std::int64_t relaxed = 0, capped = 0;  // particles that could not afford their strain, whose J_P ran away
  double dissipated = 0;                 // J, by yielding
  double gravity_work = 0;               // J, on a particle that is alone
  PushMemory<double> memory;             // of one that is alone
  double energy = 0, energy_after = 0;   // J, kinetic and elastic, before and after a semi-implicit step
  bool resists = false;                  // in the solve of a semi-implicit step
};

// What the particles of a block near bodies tell their nodes of them; see contact_tiles.h.
template <class T>
struct ContactTile {
  std::vector<int> bodies;  // numbers of those near; none: there is nothing to tell
  bool told = false;        // there are `values`
  std::uint64_t lines = 0;  // a bit for each line of the tile's nodes: whether any of them may touch
  Array<T>
      values;    // a tile of (least gap to the first body, m push, m touch, m credit), then one of gaps to every four more; on such lines
  T reach = 0;   // m: particles farther away see no node that may touch
  Array<T> phi;  // of the nearest body, at each slot of the block's groups, m
  std::array<Array<T>, 3> next;  // likewise, of particles after the step: push, touch, credit
};

// The sum of all lanes that are used, in double precision.
template <class T>
inline double sum_of(const Lanes<T>& values) {
  double sum = 0;
  for (int l = 0; l < kGroup<T>; ++l) sum += values[l];
  return sum;
}

template <class T, int D>
struct Scratch {
  using Shape = BlockShape<D>;
  static constexpr std::size_t kTileValues = std::size_t(Shape::kTileNodes) * kChannels;
  static constexpr std::size_t kBlockValues = std::size_t(Shape::kNodes) * kChannels;

  Particles<T, D> next;  // a step reads the state's particles and writes what it changes here
  Migration<T, D> migration;
  std::vector<SnowParameters<T>> materials;
  SparseGrid<D> grid;
  std::vector<std::uint32_t> awake, active;  // numbers of the particle blocks and the node blocks that take part in a step
  std::vector<BlockReport> reports;          // per particle block, at its place
  std::vector<std::uint32_t> lone;           // numbers of the blocks whose only particle is alone: they have no place and no nodes
  std::vector<BlockReport> lone_reports;     // of each of them
  bool moved = true;                         // since it was found out who is alone
  std::vector<std::uint32_t> slot_of_id;

  // What the particles of a block add to the nodes they touch: (m, m v) and (stiffness, f).
  Tiles<T> momentum_tiles, force_tiles;
  std::vector<OwnTiles<D>> tiles;  // per particle block, at its place: which of them are its own
  NumberPool whole_tiles, small_tiles;
  // Per node block and node: (mass, v^n) and (preconditioner, v^{n+1}).
  Array<T> mass_velocity, velocity;
  std::vector<double> partial;    // sums per node block, of whoever needs one
  std::vector<float> unbalanced;  // per node block: the largest net force on a node, over the mass of the heaviest, m/s²

  // Where bodies hold snow: per particle block, at its place; then per node (1 where it touches or 0, push, touch, credit), and per node
  // block whether any of its nodes touches.
  std::vector<ContactTile<T>> contact_tiles;
  Array<T> contact;
  std::vector<std::uint8_t> has_contact;

  // Semi-implicit steps only, per node.
  std::vector<Constraint<T, D>> constraints;
  std::vector<std::uint8_t> has_held;  // per node block: whether bodies hold any node of it
  Array<T> r, p, Ar, Ap;

  // f(block, its report) for all blocks in order.
  template <class F>
  void for_each_report(const std::vector<ParticleBlock<D>>& blocks, F f) const {
    std::size_t next = 0;
    for (const ParticleBlock<D>& block : blocks) f(block, block.alone ? lone_reports[next++] : reports[block.place]);
  }

  // After blocks have changed, or the number of particles in them: tiles for all. Those who still have as many keep theirs.
  void assign_tiles(const std::vector<ParticleBlock<D>>& blocks) {
    std::vector<std::uint32_t> particles(std::max(tiles.size(), reports.size()));
    for (const ParticleBlock<D>& block : blocks)
      if (!block.alone) particles[block.place] = std::min(block.count, OwnTiles<D>::kMany);
    tiles.resize(particles.size());
    const auto for_each_change = [&](auto f) {
      for (std::size_t at = 0; at < tiles.size(); ++at)
        if (tiles[at].particles != particles[at]) f(tiles[at], particles[at]);
    };
    for_each_change([&](OwnTiles<D>& own, std::uint32_t) {
      for (std::uint32_t i = 0; i < own.count(); ++i) (own.whole() ? whole_tiles : small_tiles).give_back(own.numbers[i]);
      own.particles = 0;
    });
    for_each_change([&](OwnTiles<D>& own, std::uint32_t now) {
      own.particles = now;
      for (std::uint32_t i = 0; i < own.count(); ++i) own.numbers[i] = (own.whole() ? whole_tiles : small_tiles).take();
    });
    for (Tiles<T>* kind : {&momentum_tiles, &force_tiles}) {
      resize_tightly(kind->whole, whole_tiles.end() * kTileValues);
      resize_tightly(kind->small, SmallTile<T, D>::room_for(small_tiles.end()));
    }
  }

  // After the grid has changed.
  void resize_grid(bool implicit, bool holds) {
    const std::size_t nodes = grid.node_block_count();
    if (holds) {
      contact_tiles.resize(reports.size());
      resize_tightly(contact, nodes * kBlockValues);
      has_contact.assign(nodes, 0);
    }
    resize_tightly(mass_velocity, nodes * kBlockValues);
    resize_tightly(velocity, nodes * kBlockValues);
    partial.resize(nodes);
    unbalanced.resize(nodes);
    if (!implicit) return;
    constraints.resize(nodes * Shape::kNodes);
    has_held.resize(nodes);
    for (Array<T>* a : {&r, &p, &Ar, &Ap}) resize_tightly(*a, nodes * kBlockValues);
  }

  std::size_t bytes() const {
    std::size_t values = 0;
    for (const Tiles<T>* kind : {&momentum_tiles, &force_tiles}) values += kind->whole.capacity() + kind->small.capacity();
    for (const Array<T>* a : {&mass_velocity, &velocity, &contact, &r, &p, &Ar, &Ap}) values += a->capacity();
    for (const ContactTile<T>& tile : contact_tiles) values += tile.values.capacity() + tile.phi.capacity() + 3 * tile.next[0].capacity();
    return next.bytes() + migration.bytes() + grid.bytes() + values * sizeof(T) + constraints.capacity() * sizeof(Constraint<T, D>) +
           reports.capacity() * sizeof(BlockReport) + tiles.capacity() * sizeof(OwnTiles<D>) +
           slot_of_id.capacity() * sizeof(std::uint32_t) + partial.capacity() * sizeof(double);
  }

  // And per particle what does not change within such a step: it lives in the second buffer until gather needs that.
  std::array<Column<T>, D * D>& solve_rotation() { return next.F_E; }
  Column<T>& solve_mu() { return next.velocity[0]; }
  Column<T>& solve_lambda() { return next.velocity[1]; }
};

// Where a particle block's tile and node block k of 2^D under it overlap: f(tile node, block node) for every Row. At the end of a
// tile's line a Row reaches into the padding, which is zero in what is summed and never used in what is loaded.
template <int D, class F>
inline void for_overlap(int k, F f) {
  using Shape = BlockShape<D>;
  const Vec<int, D> o = neighbor_offset<D>(k);
  Vec<int, D> at = Shape::kEdge * o;
  const auto line = [&](int block_line) {
    for (int n = 0; n < (o[D - 1] ? kRowNodes : Shape::kEdge); n += kRowNodes) f(Shape::tile_index(at) + n, block_line * Shape::kEdge + n);
  };
  for (int i = 0; i < (o[0] ? Shape::kHalo : Shape::kEdge); ++i) {
    at[0] = Shape::kEdge * o[0] + i;
    if constexpr (D == 2) {
      line(i);
    } else {
      for (int j = 0; j < (o[1] ? Shape::kHalo : Shape::kEdge); ++j) {
        at[1] = Shape::kEdge * o[1] + j;
        line(i * Shape::kEdge + j);
      }
    }
  }
}

// Copies the node values under a particle block into a contiguous tile.
template <class T, int D>
inline void load_tile(const Scratch<T, D>& scratch, std::size_t block, const Array<T>& nodes, T* tile) {
  const auto& overlap = scratch.grid.nodes_of(block);
  for (int k = 0; k < BlockShape<D>::kNeighbors; ++k) {
    const T* from = nodes.data() + overlap[k] * Scratch<T, D>::kBlockValues;
    for_overlap<D>(k, [&](int tile_node, int node) { Row<T>::load(from + node * kChannels).store(tile + tile_node * kChannels); });
  }
}

// Lets `make` write what a block's particles add to plain nodes, and keeps it in the block's tiles.
template <class T, int D, class Make>
inline void make_tile(const OwnTiles<D>& own, Tiles<T>& tiles, Make make) {
  alignas(64) T nodes[Scratch<T, D>::kTileValues];
  make(own.whole() ? tiles.whole.data() + own.numbers[0] * Scratch<T, D>::kTileValues : nodes);
  if (own.whole()) return;
  for (std::uint32_t i = 0; i < own.particles; ++i)
    SmallTile<T, D>::take(nodes, own.first[i], SmallTile<T, D>::at(tiles.small, own.numbers[i]));
}

// For particles to add to: the nodes that the block's tiles will hold.
template <class T, int D>
inline void clear_tile(const OwnTiles<D>& own, T* nodes) {
  if (own.whole()) std::fill_n(nodes, Scratch<T, D>::kTileValues, T(0));
  for (std::uint32_t i = 0; !own.whole() && i < own.particles; ++i) SmallTile<T, D>::clear(nodes, own.first[i]);
}

// The tiles over a node block, in the order of their keys.
template <class T, int D>
struct TilesOver {
  struct One {
    const OwnTiles<D>* own;
    int k;  // of the 2^D that overlap the node block
  };
  One list[BlockShape<D>::kNeighbors];
  int count = 0;
  bool all_whole = true;

  TilesOver(const ParticleStore<T, D>& store, const Scratch<T, D>& scratch, std::size_t node_block, bool only_resisting) {
    const auto& overlap = scratch.grid.tiles_of(node_block);
    for (int k = BlockShape<D>::kNeighbors - 1; k >= 0; --k) {
      if (overlap[k] == SparseGrid<D>::kNone) continue;
      const ParticleBlock<D>& block = store.blocks[overlap[k]];
      if (only_resisting && (block.rest != Rest::kAwake || !scratch.reports[block.place].resists)) continue;
      const OwnTiles<D>& own = scratch.tiles[block.place];
      list[count++] = {&own, k};
      all_whole = all_whole && own.whole();
    }
  }
};

// What whole and small tiles hold at the nodes of a node block.
template <class T, int D>
inline void sum_with_small(const TilesOver<T, D>& over, const Tiles<T>& tiles, T* sum) {
  std::fill_n(sum, Scratch<T, D>::kBlockValues, T(0));
  for (int t = 0; t < over.count; ++t) {
    const OwnTiles<D>& own = *over.list[t].own;
    const int k = over.list[t].k;
    if (own.whole()) {
      const T* tile = tiles.whole.data() + own.numbers[0] * Scratch<T, D>::kTileValues;
      for_overlap<D>(k, [&](int tile_node, int node) {
        (Row<T>::load(sum + node * kChannels) + Row<T>::load(tile + tile_node * kChannels)).store(sum + node * kChannels);
      });
    } else {
      for (std::uint32_t i = 0; i < own.particles; ++i)
        SmallTile<T, D>::add_to(sum, own.first[i] - BlockShape<D>::kEdge * neighbor_offset<D>(k),
                                SmallTile<T, D>::at(tiles.small, own.numbers[i]));
    }
  }
}

// f(place of a Row in the node block, what the tiles over it hold there, summed in the order of their keys), for all its Rows.
template <class T, int D, class F>
inline void for_each_sum(const ParticleStore<T, D>& store, const Scratch<T, D>& scratch, std::size_t node_block, const Tiles<T>& tiles,
                         bool only_resisting, F f) {
  using Shape = BlockShape<D>;
  const TilesOver<T, D> over(store, scratch, node_block, only_resisting);
  if (!over.all_whole) {
    alignas(64) T sum[Scratch<T, D>::kBlockValues];
    sum_with_small(over, tiles, sum);
    for (int node = 0; node < Shape::kNodes; node += kRowNodes) f(node * kChannels, Row<T>::load(sum + node * kChannels));
    return;
  }
  struct Part {
    const T* first;   // of the tile's Rows that lie in the node block
    Vec<int, D> end;  // how far they reach, nodes
  };
  Part parts[Shape::kNeighbors];
  for (int t = 0; t < over.count; ++t) {
    const Vec<int, D> o = neighbor_offset<D>(over.list[t].k);
    const std::size_t tile = over.list[t].own->numbers[0];
    parts[t].first = tiles.whole.data() + tile * Scratch<T, D>::kTileValues + Shape::tile_index(Shape::kEdge * o) * kChannels;
    for (int d = 0; d < D; ++d) parts[t].end[d] = o[d] ? Shape::kHalo : Shape::kEdge;
  }
  int node = 0;
  const auto line = [&](int i, int j, int from) {
    for (int n = 0; n < Shape::kEdge; n += kRowNodes, node += kRowNodes) {
      Row<T> sum(T(0));
      for (int k = 0; k < over.count; ++k)
        if (i < parts[k].end[0] && j < parts[k].end[D - 2] && n < parts[k].end[D - 1])
          sum = sum + Row<T>::load(parts[k].first + (from + n) * kChannels);
      f(node * kChannels, sum);
    }
  };
  for (int i = 0; i < Shape::kEdge; ++i) {
    if constexpr (D == 2) {
      line(i, i, i * Shape::kTileRow);
    } else {
      for (int j = 0; j < Shape::kEdge; ++j) line(i, j, (i * Shape::kTileEdge + j) * Shape::kTileRow);
    }
  }
}

template <class T, int D>
inline void sum_tiles(const ParticleStore<T, D>& store, const Scratch<T, D>& scratch, std::size_t node_block, const Tiles<T>& tiles,
                      T* nodes, bool only_resisting = false) {
  for_each_sum(store, scratch, node_block, tiles, only_resisting, [&](int at, const Row<T>& sum) { sum.store(nodes + at); });
}

}  // namespace firn::cpu
