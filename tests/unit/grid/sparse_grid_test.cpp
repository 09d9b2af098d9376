// Which node blocks exist, and that they hold every node a particle can touch.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "grid/block.h"
#include "math/bspline.h"
#include "math/random.h"

namespace firn {
namespace {

template <class Size>
class Sparse : public testing::Test {
 public:
  static constexpr int D = Size::value;
  static constexpr int kNeighbors = BlockShape<D>::kNeighbors;
  using Place = Vec<std::int32_t, D>;

  static std::vector<BlockKey> random_blocks(std::size_t count, int extent, std::uint64_t seed) {
    Rng rng(seed);
    std::set<BlockKey> keys;
    while (keys.size() < count) {
      Place place;
      for (auto& x : place.a) x = static_cast<std::int32_t>((rng.uniform() - 0.5) * extent);
      keys.insert(block_key<D>(place));
    }
    return {keys.begin(), keys.end()};
  }

  static SparseGrid<D> build(const std::vector<BlockKey>& blocks) {
    SparseGrid<D> grid;
    grid.build(blocks);
    return grid;
  }
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Sparse, Dimensions);

std::int32_t floor_divide(std::int32_t a, std::int32_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

TYPED_TEST(Sparse, NodeBlocksAreThoseAtTheCornersOfParticleBlocks) {
  constexpr int D = TestFixture::D;
  const auto blocks = TestFixture::random_blocks(200, 24, 271);
  const auto grid = TestFixture::build(blocks);
  std::set<BlockKey> expected;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (int k = 0; k < TestFixture::kNeighbors; ++k) {
      const BlockKey key = block_key<D>(block_of_key<D>(blocks[b]) + neighbor_offset<D>(k));
      expected.insert(key);
      EXPECT_EQ(grid.node_key(static_cast<std::size_t>(grid.nodes_of(b)[k])), key);
    }
  ASSERT_EQ(grid.node_block_count(), expected.size());
  std::size_t at = 0;
  for (const BlockKey key : expected) {  // sorted, each once
    EXPECT_EQ(grid.find(key), static_cast<std::int32_t>(at));
    EXPECT_EQ(grid.node_key(at++), key);
  }
  EXPECT_EQ(grid.find(*expected.rbegin() + 1), grid.kNone);
}

TYPED_TEST(Sparse, NodesOfAndTilesOfAreEachOthersInverse) {
  const auto blocks = TestFixture::random_blocks(200, 24, 277);
  const auto grid = TestFixture::build(blocks);
  std::size_t down = 0, up = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (int k = 0; k < TestFixture::kNeighbors; ++k, ++down)
      EXPECT_EQ(grid.tiles_of(static_cast<std::size_t>(grid.nodes_of(b)[k]))[k], static_cast<std::int32_t>(b));
  for (std::size_t n = 0; n < grid.node_block_count(); ++n)
    for (int k = 0; k < TestFixture::kNeighbors; ++k) {
      const std::int32_t tile = grid.tiles_of(n)[k];
      if (tile == SparseGrid<TestFixture::D>::kNone) continue;
      ++up;
      EXPECT_EQ(grid.nodes_of(static_cast<std::size_t>(tile))[k], static_cast<std::int32_t>(n));
    }
  EXPECT_EQ(up, down);
}

// Node n lies in node block ⌊(n + 1)/edge⌋: blocks of nodes start one node below blocks of cells.
template <int D, class Kernel>
void expect_stencils_inside(std::uint64_t seed) {
  constexpr int edge = BlockShape<D>::kEdge;
  Rng rng(seed);
  std::vector<Vec<std::int32_t, D>> cells(2000);
  std::set<BlockKey> keys;
  for (auto& cell : cells) {
    Vec<std::int32_t, D> block;
    for (int d = 0; d < D; ++d) {
      cell[d] = static_cast<std::int32_t>((rng.uniform() - 0.5) * 60);
      block[d] = floor_divide(cell[d], edge);
    }
    keys.insert(block_key<D>(block));
  }
  const std::vector<BlockKey> blocks(keys.begin(), keys.end());
  SparseGrid<D> grid;
  grid.build(blocks);
  for (const auto& cell : cells) {
    Vec<std::int32_t, D> first, last, block;
    for (int d = 0; d < D; ++d) {
      block[d] = floor_divide(cell[d], edge);
      const double shift = Kernel::base_shift(rng.uniform());
      first[d] = floor_divide(cell[d] + static_cast<int>(shift) + 1, edge);
      last[d] = floor_divide(cell[d] + static_cast<int>(shift) + Kernel::kSupport, edge);
    }
    const auto b = static_cast<std::size_t>(std::lower_bound(blocks.begin(), blocks.end(), block_key<D>(block)) - blocks.begin());
    std::set<BlockKey> named;
    for (const std::int32_t n : grid.nodes_of(b)) named.insert(grid.node_key(static_cast<std::size_t>(n)));
    ASSERT_EQ(named.size(), static_cast<std::size_t>(BlockShape<D>::kNeighbors));
    for (int corner = 0; corner < BlockShape<D>::kNeighbors; ++corner) {  // of the stencil
      const auto o = neighbor_offset<D>(corner);
      Vec<std::int32_t, D> node_block;
      for (int d = 0; d < D; ++d) node_block[d] = o[d] ? last[d] : first[d];
      ASSERT_TRUE(named.count(block_key<D>(node_block)));
    }
  }
}

TYPED_TEST(Sparse, EveryNodeOfAStencilLiesInTheNamedBlocks) {
  expect_stencils_inside<TestFixture::D, CubicKernel>(281);
  expect_stencils_inside<TestFixture::D, QuadraticKernel>(283);
}

TYPED_TEST(Sparse, ALonelyBlockHasItsCornersToItself) {
  constexpr int D = TestFixture::D;
  const auto grid = TestFixture::build({block_key<D>(TestFixture::Place::filled(-3))});
  ASSERT_EQ(grid.node_block_count(), static_cast<std::size_t>(TestFixture::kNeighbors));
  for (std::size_t n = 0; n < grid.node_block_count(); ++n)
    for (int k = 0; k < TestFixture::kNeighbors; ++k)
      EXPECT_EQ(grid.tiles_of(n)[k], grid.nodes_of(0)[k] == static_cast<std::int32_t>(n) ? 0 : SparseGrid<D>::kNone);
}

TYPED_TEST(Sparse, RebuildingLeavesNothingOfTheOldBlocks) {
  SparseGrid<TestFixture::D> reused;
  for (const std::uint64_t seed : {1, 2, 2, 3}) {
    const auto blocks = TestFixture::random_blocks(20 + 30 * (seed % 3), 16, seed);
    reused.build(blocks);
    const auto fresh = TestFixture::build(blocks);
    ASSERT_EQ(reused.node_block_count(), fresh.node_block_count());
    for (std::size_t n = 0; n < fresh.node_block_count(); ++n) {
      EXPECT_EQ(reused.node_key(n), fresh.node_key(n));
      EXPECT_EQ(reused.tiles_of(n), fresh.tiles_of(n));
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) EXPECT_EQ(reused.nodes_of(b), fresh.nodes_of(b));
  }
  reused.build({});
  EXPECT_EQ(reused.node_block_count(), 0u);
}

TYPED_TEST(Sparse, BlocksAtTheEndOfTheRangeStillHaveTheirNodes) {
  constexpr int D = TestFixture::D;
  const std::vector<BlockKey> blocks{block_key<D>(TestFixture::Place::filled(-kMaxBlock<D> + 1)),
                                     block_key<D>(TestFixture::Place::filled(kMaxBlock<D> - 2))};
  const auto grid = TestFixture::build(blocks);
  EXPECT_EQ(grid.node_block_count(), static_cast<std::size_t>(2 * TestFixture::kNeighbors));
}

}  // namespace
}  // namespace firn
