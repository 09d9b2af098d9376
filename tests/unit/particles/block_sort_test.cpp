// The canonical order: by block key, then cell, then id, whatever the order before.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "firn/error.h"
#include "math/random.h"
#include "particles/migration.h"

namespace firn {
namespace {

template <int D>
struct Cloud {
  std::vector<Cell<D>> cell;
  std::vector<std::uint32_t> id;
  Cell<D> origin{};

  std::size_t size() const { return id.size(); }
  void add(const Cell<D>& c) {
    cell.push_back(c);
    id.push_back(static_cast<std::uint32_t>(id.size()));
  }
  void shuffle(Rng& rng) {
    for (std::size_t i = size(); i > 1; --i) {
      const auto j = static_cast<std::size_t>(rng.uniform() * static_cast<double>(i));
      std::swap(cell[i - 1], cell[j]);
      std::swap(id[i - 1], id[j]);
    }
  }
  // What the order is defined by.
  std::tuple<BlockKey, int, std::uint32_t> rank(std::size_t i) const {
    using Shape = BlockShape<D>;
    Vec<std::int32_t, D> block;
    int local = 0;
    for (int d = 0; d < D; ++d) {
      const int relative = cell[i][d] - origin[d];
      block[d] = static_cast<int>(std::floor(double(relative) / Shape::kEdge));
      local = local * Shape::kEdge + (relative - block[d] * Shape::kEdge);
    }
    return {block_key<D>(block), local, id[i]};
  }
  Cloud ordered(const std::vector<std::uint32_t>& order) const {
    Cloud r{{}, {}, origin};
    for (const std::uint32_t i : order) {
      r.cell.push_back(cell[i]);
      r.id.push_back(id[i]);
    }
    return r;
  }
};

template <int D>
struct Sorted {
  std::vector<std::uint32_t> order;
  std::vector<BlockRange> blocks;
};

template <int D>
Sorted<D> sort(const Cloud<D>& cloud, BlockSorter<D>& sorter) {
  Particles<float, D> particles;
  particles.resize(slots_for(cloud.size()), {});
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    for (int d = 0; d < D; ++d) particles.cell[d][i] = cloud.cell[i][d];
    particles.id[i] = cloud.id[i];
  }
  sorter.sort({particles.cell, particles.id, cloud.size(), cloud.origin});
  return {sorter.order(), sorter.blocks()};
}
template <int D>
Sorted<D> sort(const Cloud<D>& cloud) {
  BlockSorter<D> sorter;
  return sort(cloud, sorter);
}

template <int D>
Cloud<D> random_cloud(std::size_t count, int extent) {
  Rng rng(241);
  Cloud<D> cloud;
  for (int d = 0; d < D; ++d) cloud.origin[d] = -3 + 5 * d;
  for (std::size_t i = 0; i < count; ++i) {
    Cell<D> c;
    for (int d = 0; d < D; ++d) c[d] = cloud.origin[d] + static_cast<int>((rng.uniform() - 0.3) * extent);
    cloud.add(c);
  }
  return cloud;
}

// The order is a permutation into canonical order, and the blocks cover it without gaps.
template <int D>
void expect_canonical(const Cloud<D>& cloud, const Sorted<D>& s) {
  std::vector<std::uint32_t> once = s.order;
  std::sort(once.begin(), once.end());
  for (std::size_t i = 0; i < cloud.size(); ++i) ASSERT_EQ(once[i], i);
  for (std::size_t i = 1; i < cloud.size(); ++i) ASSERT_LT(cloud.rank(s.order[i - 1]), cloud.rank(s.order[i]));
  std::uint32_t at = 0;
  for (std::size_t b = 0; b < s.blocks.size(); ++b) {
    ASSERT_EQ(s.blocks[b].begin, at);
    ASSERT_LT(s.blocks[b].begin, s.blocks[b].end) << "an empty block";
    ASSERT_TRUE(b == 0 || s.blocks[b - 1].key < s.blocks[b].key);
    for (; at < s.blocks[b].end; ++at) ASSERT_EQ(std::get<0>(cloud.rank(s.order[at])), s.blocks[b].key);
  }
  ASSERT_EQ(at, cloud.size());
}

template <class Size>
class BlockSort : public testing::Test {
 public:
  static constexpr int D = Size::value;
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(BlockSort, Dimensions);

TYPED_TEST(BlockSort, ShuffledParticlesComeOutInCanonicalOrder) {
  for (const std::size_t count : {2u, 3u, 63u, 64u, 65u, 1000u, 20000u}) {
    Rng rng(243);
    auto cloud = random_cloud<TestFixture::D>(count, count < 100 ? 12 : 60);
    cloud.shuffle(rng);
    expect_canonical(cloud, sort(cloud));
  }
}

TYPED_TEST(BlockSort, TheResultDoesNotDependOnTheOrderBefore) {
  constexpr int D = TestFixture::D;
  Rng rng(247);
  auto cloud = random_cloud<D>(3000, 40);
  const Cloud<D> expected = cloud.ordered(sort(cloud).order);
  const auto blocks = sort(cloud).blocks;
  BlockSorter<D> used;  // what it sorted before must not matter either
  for (int i = 0; i < 10; ++i) {
    cloud.shuffle(rng);
    const auto s = sort(cloud, used);
    EXPECT_EQ(cloud.ordered(s.order).id, expected.id);
    EXPECT_EQ(s.blocks, blocks);
  }
}

TYPED_TEST(BlockSort, OneParticleIsOneBlock) {
  constexpr int D = TestFixture::D;
  Cloud<D> cloud;
  cloud.add(Cell<D>::filled(-5));
  const auto s = sort(cloud);
  ASSERT_EQ(s.blocks.size(), 1u);
  EXPECT_EQ(s.blocks[0], (BlockRange{block_key<D>(Vec<std::int32_t, D>::filled(D == 3 ? -2 : -1)), 0, 1}));
}

TYPED_TEST(BlockSort, NoParticlesAreNoBlocks) {
  Cloud<TestFixture::D> cloud;
  const auto s = sort(cloud);
  EXPECT_TRUE(s.blocks.empty());
}

TYPED_TEST(BlockSort, InACrowdedCellIdsDecide) {
  constexpr int D = TestFixture::D;
  Rng rng(251);
  Cloud<D> cloud;
  for (int i = 0; i < 200; ++i) cloud.add(Cell<D>::filled(7));
  cloud.shuffle(rng);
  const auto s = sort(cloud);
  ASSERT_EQ(s.blocks.size(), 1u);
  const auto ordered = cloud.ordered(s.order);
  for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(ordered.id[i], i);
}

// The last blocks that fit, on both sides of every axis, and the first that do not.
TYPED_TEST(BlockSort, ParticlesTooFarAwayAreAnError) {
  constexpr int D = TestFixture::D;
  constexpr std::int64_t edge = BlockShape<D>::kEdge, reach = edge * kMaxBlock<D>;
  for (int d = 0; d < D; ++d) {
    const auto with = [&](std::int64_t place) {
      auto cloud = random_cloud<D>(100, 20);
      cloud.origin = Cell<D>::zero();
      Cell<D> far = Cell<D>::zero();
      far[d] = static_cast<std::int32_t>(place);
      cloud.add(far);
      return cloud;
    };
    expect_canonical(with(reach - edge - 1), sort(with(reach - edge - 1)));  // its stencil needs the block after
    expect_canonical(with(-reach + edge), sort(with(-reach + edge)));
    EXPECT_THROW(sort(with(reach - edge)), RunError);
    EXPECT_THROW(sort(with(-reach + edge - 1)), RunError);
    EXPECT_THROW(sort(with(INT32_MAX)), RunError);
    EXPECT_THROW(sort(with(INT32_MIN)), RunError);
  }
}

TYPED_TEST(BlockSort, AFarOriginDoesNotOverflow) {
  constexpr int D = TestFixture::D;
  auto cloud = random_cloud<D>(1000, 30);
  const auto near = sort(cloud);
  for (auto& c : cloud.cell) c += Cell<D>::filled(2'000'000'000);
  cloud.origin += Cell<D>::filled(2'000'000'000);
  const auto far = sort(cloud);
  EXPECT_EQ(far.order, near.order);
  EXPECT_EQ(far.blocks, near.blocks);
  cloud.origin = Cell<D>::filled(-2'000'000'000);
  EXPECT_THROW(sort(cloud), RunError);
}

}  // namespace
}  // namespace firn
