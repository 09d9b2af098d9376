// Where blocks keep what their particles add to nodes. A block of many particles has a tile of all the nodes it may touch. One of few has
// small tiles, of the nodes that each particle touches; a node that several touch is in the first of theirs and zero in the others.
#pragma once

#include <cstdint>

#include "core/memory.h"
#include "particles/block_store.h"
#include "solver/cpu/row_tile.h"

namespace firn::cpu {

// Blocks of so many particles or fewer have small tiles.
inline constexpr std::uint32_t kMostSmallTiles = 4;

template <class T, int D>
struct SmallTile {
  using Shape = BlockShape<D>;
  static constexpr int kLines = D == 3 ? kRowNodes * kRowNodes : kRowNodes;  // of one Row each
  static constexpr int kRow = kRowNodes * kChannels;
  static constexpr std::size_t kValues = std::size_t(kLines) * kRow;

  // Many of them in an array, with a Row of room at both ends.
  static std::size_t room_for(std::size_t count) { return count ? count * kValues + 2 * kRow : 0; }
  template <class Values>
  static auto at(Values& values, std::uint32_t number) {
    return values.data() + kRow + number * kValues;
  }

  // Its Rows in a tile of plain nodes, from `first` on: to zero before particles add to them, and out of it afterwards.
  static void clear(T* tile, const Vec<int, D>& first) {
    for_each_line(tile, first, [](int, T* row) { Row<T>(T(0)).store(row); });
  }
  static void take(T* tile, const Vec<int, D>& first, T* values) {
    for_each_line(tile, first, [&](int line, T* row) {
      Row<T>::load(row).store(values + line * kRow);
      Row<T>(T(0)).store(row);
    });
  }

  // Adds itself to the nodes of a node block; `first`, counted from the block's, may lie before them. Where Rows overlap in part, it reads
  // up to a Row beyond `values` on either side.
  static void add_to(T* nodes, const Vec<int, D>& first, const T* values) {
    const auto for_inside = [&](int d, auto f) {
      for (int i = std::max(0, -first[d]); i < std::min(kRowNodes, Shape::kEdge - first[d]); ++i) f(i);
    };
    for (int n = 0; n < Shape::kEdge; n += kRowNodes) {
      const int shift = (n - first[D - 1]) * kChannels;
      if (shift <= -kRow || shift >= kRow) continue;
      const Row<T> lane = lane_numbers<T, kRow>();
      const auto own = (lane >= Row<T>(T(-shift))) & (lane < Row<T>(T(kRow - shift)));
      const auto add = [&](int line, int own_line) {
        T* to = nodes + (line * Shape::kEdge + n) * kChannels;
        (Row<T>::load(to) + select(own, Row<T>::load(values + own_line * kRow + shift), Row<T>(T(0)))).store(to);
      };
      for_inside(0, [&](int i) {
        if constexpr (D == 2) add(first[0] + i, i);
        if constexpr (D == 3) for_inside(1, [&](int j) { add((first[0] + i) * Shape::kEdge + first[1] + j, i * kRowNodes + j); });
      });
    }
  }

 private:
  template <class F>
  static void for_each_line(T* tile, const Vec<int, D>& first, F f) {
    T* begin = tile + Shape::tile_index(first) * kChannels;
    for (int line = 0; line < kLines; ++line)
      f(line, begin + (D == 3 ? line / kRowNodes * Shape::kTileEdge + line % kRowNodes : line) * Shape::kTileRow * kChannels);
  }
};

// Which tiles a block has. They stay the same as long as its number of particles does.
template <int D>
struct OwnTiles {
  static constexpr std::uint32_t kMany = kMostSmallTiles + 1;
  std::uint32_t particles = 0;  // kMany stands for more as well
  std::uint32_t numbers[kMostSmallTiles] = {};
  Vec<int, D> first[kMostSmallTiles];  // node of each small tile, counted from the block's

  bool whole() const { return particles == kMany; }
  std::uint32_t count() const { return whole() ? 1 : particles; }
};

// One kind of what particles add, of all blocks.
template <class T>
struct Tiles {
  Array<T> whole, small;
};

}  // namespace firn::cpu
