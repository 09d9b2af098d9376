// A block's nodes as stencils want them: for every line of nodes along the last axis and every cell of the block on it, the Row of four
// nodes that a particle in that cell meets. So every Row is aligned; the price is that a node is there up to four times.
#pragma once

#include <algorithm>

#include "grid/block.h"
#include "solver/cpu/row.h"

namespace firn::cpu {

template <class T, int D>
struct RowTile {
  using Shape = BlockShape<D>;
  static constexpr int kLines = D == 3 ? Shape::kTileEdge * Shape::kTileEdge : Shape::kTileEdge;
  static constexpr int kRow = kRowNodes * kChannels;       // values from a Row to the next
  static constexpr int kLine = Shape::kEdge * kRow;        // from a line to the next
  static constexpr int kPlane = Shape::kTileEdge * kLine;  // 3D: from one value of the first axis to the next
  static constexpr int kNodeLine = Shape::kTileRow * kChannels;

  alignas(64) T values[kLines * kLine];

  void clear() { std::fill_n(values, kLines * kLine, T(0)); }

  // From and to plain nodes, kTileNodes of kChannels each; fold() sets the padding to zero.
  void unfold(const T* nodes) {
    for (int line = 0; line < kLines; ++line)
      for (int cell = 0; cell < Shape::kEdge; ++cell)
        Row<T>::load(nodes + line * kNodeLine + cell * kChannels).store(values + line * kLine + cell * kRow);
  }
  void fold(T* nodes) const {
    using Quad = Pack<T, kChannels>;
    for (int line = 0; line < kLines; ++line) {
      Quad sums[Shape::kTileRow];
      for (Quad& sum : sums) sum = Quad(T(0));
      for (int cell = 0; cell < Shape::kEdge; ++cell)
        for (int k = 0; k < kRowNodes; ++k)
          sums[cell + k] = sums[cell + k] + Quad::load(values + line * kLine + cell * kRow + k * kChannels);
      for (int n = 0; n < Shape::kTileRow; ++n) sums[n].store(nodes + line * kNodeLine + n * kChannels);
    }
  }
};

// The steps between plain nodes, with the same names: a few particles do not pay for the copies of a RowTile.
template <class T, int D>
struct PlainTile {
  using Shape = BlockShape<D>;
  static constexpr int kRow = kChannels;
  static constexpr int kLine = Shape::kTileRow * kChannels;
  static constexpr int kPlane = Shape::kTileEdge * kLine;
};

}  // namespace firn::cpu
