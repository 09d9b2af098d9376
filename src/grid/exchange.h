// The one seam through which a step gets what is not in a block itself: sums and largest values over all blocks, what neighbours add to a
// block's nodes, and particles on their way to another block. Here all blocks are in one process; where they are in several, this is
// what talks to the others.
#pragma once

#include <span>

#include "core/parallel.h"

namespace firn::exchange {

// The sum of partial sums in the order of the blocks: the same bits however they are spread over threads.
inline double sum(std::span<const double> partial) {
  double total = 0;
  for (const double x : partial) total += x;
  return total;
}

inline double largest(double own) { return own; }

// f(number of a node block) for each of them: what the tiles over it hold is all there then.
template <class Blocks, class F>
void sum_halos(const Blocks& node_blocks, F f) {
  parallel_for(node_blocks.size(), [&](std::size_t i) { f(node_blocks[i]); });
}

// Lets `migration` bring particles to their blocks; says whether the set of blocks has changed.
template <class Migration, class... Parts>
bool migrate(Migration& migration, Parts&&... parts) {
  return migration.run(static_cast<Parts&&>(parts)...);
}

}  // namespace firn::exchange
