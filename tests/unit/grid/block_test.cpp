// Block keys: Morton order, both ways, over the whole range.
#include "grid/block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "math/random.h"

namespace firn {
namespace {

template <class Size>
class Block : public testing::Test {
 public:
  static constexpr int D = Size::value;
  using Place = Vec<std::int32_t, D>;

  static void expect_round_trip(const Place& place) {
    const Place back = block_of_key<D>(block_key<D>(place));
    for (int d = 0; d < D; ++d) EXPECT_EQ(back[d], place[d]) << "axis " << d;
  }
  static Place random_place(Rng& rng, std::int32_t reach) {
    Place place;
    for (auto& x : place.a) x = static_cast<std::int32_t>((2 * rng.uniform() - 1) * (reach - 2));
    return place;
  }
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Block, Dimensions);

TYPED_TEST(Block, KeysGiveBackTheirBlocks) {
  constexpr int D = TestFixture::D;
  Rng rng(261);
  for (int i = 0; i < 10000; ++i) {
    TestFixture::expect_round_trip(TestFixture::random_place(rng, kMaxBlock<D>));
    TestFixture::expect_round_trip(TestFixture::random_place(rng, 50));
  }
}

TYPED_TEST(Block, ExtremeBlocksHaveKeysToo) {
  constexpr int D = TestFixture::D;
  for (const std::int32_t x : {-kMaxBlock<D>, -kMaxBlock<D> + 1, -1, 0, 1, kMaxBlock<D> - 1})
    for (const std::int32_t y : {-kMaxBlock<D>, -1, 0, kMaxBlock<D> - 1}) {
      auto place = TestFixture::Place::filled(y);
      place[0] = x;
      TestFixture::expect_round_trip(place);
    }
}

// The sorter puts six more bits for the cell below the key.
TYPED_TEST(Block, TheLargestKeyLeavesRoomForTheCell) {
  constexpr int D = TestFixture::D;
  EXPECT_LT(block_key<D>(TestFixture::Place::filled(kMaxBlock<D> - 1)), BlockKey(1) << (64 - 6));
  EXPECT_EQ(BlockShape<D>::kNodes, 1 << 6);
  EXPECT_EQ(BlockShape<D>::kEdge, 1 << BlockShape<D>::kLog2Edge);
}

TYPED_TEST(Block, KeysGrowAlongEveryAxis) {
  constexpr int D = TestFixture::D;
  Rng rng(263);
  for (int i = 0; i < 10000; ++i) {
    const auto place = TestFixture::random_place(rng, i % 2 ? kMaxBlock<D> : 40);
    for (int d = 0; d < D; ++d) {
      auto next = place;
      next[d] += 1 + static_cast<std::int32_t>(rng.uniform() * 3 * (i % 3 == 0));
      next[d] = std::min(next[d], kMaxBlock<D> - 1);
      EXPECT_LT(block_key<D>(place), block_key<D>(next));
    }
  }
}

// Aligned cubes of 2^k blocks are runs of 2^(kD) keys: what makes neighbours near in memory.
TYPED_TEST(Block, AlignedCubesAreRunsOfKeys) {
  constexpr int D = TestFixture::D;
  constexpr int edge = 4, count = D == 3 ? 64 : 16;
  for (const std::int32_t corner : {-8, -4, 0, 4, 12}) {
    std::set<BlockKey> keys;
    for (int i = 0; i < count; ++i) {
      auto place = TestFixture::Place::filled(corner);
      for (int d = 0, rest = i; d < D; ++d, rest /= edge) place[d] += rest % edge;
      keys.insert(block_key<D>(place));
    }
    EXPECT_EQ(keys.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(*keys.rbegin() - *keys.begin(), static_cast<BlockKey>(count - 1));
  }
}

TYPED_TEST(Block, NeighbourOffsetsAreTheCornersInKeyOrder) {
  constexpr int D = TestFixture::D;
  BlockKey last = 0;
  for (int k = 0; k < BlockShape<D>::kNeighbors; ++k) {
    const auto offset = neighbor_offset<D>(k);
    for (int d = 0; d < D; ++d) EXPECT_TRUE(offset[d] == 0 || offset[d] == 1);
    const BlockKey key = block_key<D>(TestFixture::Place::zero() + offset);
    EXPECT_GT(key, last);
    last = key;
  }
}

TYPED_TEST(Block, TilesHaveAPlaceForEveryNodeAndRoomForWholeRows) {
  constexpr int D = TestFixture::D;
  using Shape = BlockShape<D>;
  std::set<int> places;
  const int count = D == 3 ? Shape::kTileEdge * Shape::kTileEdge * Shape::kTileEdge : Shape::kTileEdge * Shape::kTileEdge;
  for (int i = 0; i < count; ++i) {
    Vec<int, D> node;
    for (int d = 0, rest = i; d < D; ++d, rest /= Shape::kTileEdge) node[d] = rest % Shape::kTileEdge;
    places.insert(Shape::tile_index(node));
  }
  EXPECT_EQ(places.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(*places.begin(), 0);
  EXPECT_LT(*places.rbegin(), Shape::kTileNodes);
  EXPECT_EQ(Shape::kTileRow % 4, 0);
}

}  // namespace
}  // namespace firn
