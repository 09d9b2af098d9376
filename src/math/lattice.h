// Points as integer cell + offset in the cell, both in units of the grid spacing, so that precision does not depend on where a
// scene sits in the world.
#pragma once

#include <cmath>
#include <cstdint>

#include "math/vec.h"

namespace firn {

template <int D>
using Cell = Vec<std::int32_t, D>;

template <class T, int D>
struct LatticePoint {
  Cell<D> cell;
  Vec<T, D> offset;  // in [0, 1)
};

// A box of cells; the upper ones are the first beyond it.
template <int D>
struct CellBox {
  Cell<D> lower, upper;

  FIRN_HD bool contains(const Cell<D>& cell) const {
    for (int d = 0; d < D; ++d)
      if (cell[d] < lower[d] || cell[d] >= upper[d]) return false;
    return true;
  }
};

// Coordinates that users write down are rounded to this part of a cell. Decimal input such as 0.015 with h = 0.005 then means
// exactly "on node 3", and a body moved by whole cells keeps exactly its place in its cell.
inline constexpr double kSnapsPerCell = 1 << 26;

inline double snapped(double s) { return std::nearbyint(s * kSnapsPerCell) / kSnapsPerCell; }

// Splits s, in cells, into its cell and offset.
template <class T>
inline void split_coordinate(double s, bool snap, std::int32_t& cell, T& offset) {
  if (snap) s = snapped(s);
  const double base = std::floor(s);
  cell = static_cast<std::int32_t>(base);
  offset = static_cast<T>(s - base);
  if (offset >= T(1)) {  // rounding to T may reach the next cell
    ++cell;
    offset = T(0);
  }
}

template <class T, int D>
inline LatticePoint<T, D> to_lattice(const Vec<double, D>& x, double h, bool snap) {
  LatticePoint<T, D> p;
  for (int d = 0; d < D; ++d) split_coordinate(x[d] / h, snap, p.cell[d], p.offset[d]);
  return p;
}

// a − b in metres, exact in the integer part.
template <class T, int D>
FIRN_HD inline Vec<T, D> difference(const Cell<D>& a_cell, const Vec<T, D>& a_offset, const LatticePoint<T, D>& b, T h) {
  Vec<T, D> r;
  for (int d = 0; d < D; ++d) r[d] = (T(a_cell[d] - b.cell[d]) + (a_offset[d] - b.offset[d])) * h;
  return r;
}

// Step 10 on one axis, in cells: the place in the cell, and how many cells on that is. A way of more than two cells is rejected.
template <class N>
struct Moved {
  N offset, cells;
};
template <class N>
FIRN_HD inline Moved<N> move_offset(const N& offset, const N& way) {
  using T = Scalar<N>;
  const N zero(T(0)), one(T(1)), two(T(2)), below_one(T(1) - kEpsilon<N>), moved = offset + way;
  const N up = select(moved >= two, two, one), down = select(moved < -one, -two, -one);
  const N cells = select(moved >= one, up, select(moved < zero, down, zero));
  return {min(moved - cells, below_one), cells};  // −tiny + 1 rounds to 1
}

}  // namespace firn
