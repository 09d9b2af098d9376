// Particles that change blocks: everybody ends up in the block of its cell with all it has, whatever happened on the way.
#include "particles/migration.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <set>

#include "firn/error.h"
#include "math/random.h"

namespace firn {
namespace {

template <int D>
struct Herd {
  Cell<D> origin = Cell<D>::filled(-7);
  Particles<float, D> particles;
  std::vector<ParticleBlock<D>> blocks;
  NumberPool pool;
  std::vector<std::uint32_t> slot_of_id;
  Migration<float, D> migration;

  // All in one block at first, whatever their cells are.
  explicit Herd(const std::vector<Cell<D>>& cells) {
    blocks.push_back(make_block<D>(block_key<D>(Vec<std::int32_t, D>::zero()), origin));
    blocks[0].count = static_cast<std::uint32_t>(cells.size());
    for (std::uint32_t g = 0; g < groups_for(blocks[0].count); ++g) blocks[0].groups.push_back(pool.take());
    particles.resize(slots_for(pool), {});
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      const std::uint32_t slot = blocks[0].slot(i);
      slot_of_id.push_back(slot);
      particles.id[slot] = i;
      particles.mass[slot] = 0.5f * static_cast<float>(i);
      particles.F_E[D][slot] = static_cast<float>(i) + 0.25f;
      for (int d = 0; d < D; ++d) particles.cell[d][slot] = cells[i][d];
    }
  }

  bool migrate() {
    migration.start(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      std::uint32_t first = 0;
      blocks[b].template for_each_pack<8>([&](std::size_t at, int n) {
        migration.note(blocks[b], b, particles, first, at, n);
        first += 8;
      });
    }
    return run();
  }

  bool run() {
    return migration.run(origin, particles, blocks, pool, slot_of_id,
                         [&] { particles.resize(std::max(slots_for(pool), particles.slots()), {}); });
  }

  Cell<D> cell_of(std::uint32_t id) const {
    Cell<D> c;
    for (int d = 0; d < D; ++d) c[d] = particles.cell[d][slot_of_id[id]];
    return c;
  }

  void expect_in_order() const {
    std::set<std::uint32_t> groups, seen;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const ParticleBlock<D>& block = blocks[b];
      ASSERT_TRUE(b == 0 || blocks[b - 1].key < block.key);
      ASSERT_GT(block.count, 0u) << "an empty block";
      ASSERT_EQ(block.groups.size(), groups_for(block.count));
      for (const std::uint32_t group : block.groups) ASSERT_TRUE(groups.insert(group).second) << "two blocks share a group";
      for (std::uint32_t i = 0; i < block.count; ++i) {
        const std::uint32_t slot = block.slot(i), id = particles.id[slot];
        ASSERT_TRUE(seen.insert(id).second) << "particle " << id << " is there twice";
        ASSERT_EQ(slot_of_id[id], slot);
        ASSERT_EQ(particles.mass[slot], 0.5f * static_cast<float>(id));
        ASSERT_EQ(particles.F_E[D][slot], static_cast<float>(id) + 0.25f);
        for (int d = 0; d < D; ++d) {
          ASSERT_GE(particles.cell[d][slot], block.first_cell[d]);
          ASSERT_LT(particles.cell[d][slot], block.first_cell[d] + BlockShape<D>::kEdge);
        }
      }
    }
    for (std::uint32_t id = 0; id < slot_of_id.size(); ++id) ASSERT_EQ(seen.count(id) == 0, slot_of_id[id] == kNoSlot) << id;
  }

  // One after the other, as a step, then newcomers, then those who go.
  void let_in(const std::vector<Cell<D>>& cells) {
    Particles<float, D>& newcomers = migration.admit(static_cast<std::uint32_t>(cells.size()), {});
    for (std::uint32_t k = 0; k < cells.size(); ++k) {
      const std::uint32_t id = static_cast<std::uint32_t>(slot_of_id.size());
      slot_of_id.push_back(kNoSlot);
      newcomers.id[k] = id;
      newcomers.mass[k] = 0.5f * static_cast<float>(id);
      newcomers.F_E[D][k] = static_cast<float>(id) + 0.25f;
      for (int d = 0; d < D; ++d) newcomers.cell[d][k] = cells[k][d];
    }
    migrate();
  }
  template <class Goes>
  std::size_t take_away(Goes goes) {
    migration.start(blocks.size());
    std::size_t count = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (std::uint32_t i = 0; i < blocks[b].count; ++i)
        if (goes(particles.id[blocks[b].slot(i)])) {
          migration.take_away(b, i);
          ++count;
        }
    run();
    return count;
  }
};

template <int D>
std::vector<Cell<D>> random_cells(std::size_t n, int extent, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Cell<D>> cells(n);
  for (Cell<D>& c : cells)
    for (int d = 0; d < D; ++d) c[d] = static_cast<int>((rng.uniform() - 0.4) * extent);
  return cells;
}

// Walks every particle by up to `reach` cells, differently each time.
template <int D>
void walk(Herd<D>& herd, Rng& rng, int reach) {
  for (std::uint32_t id = 0; id < herd.slot_of_id.size(); ++id)
    for (int d = 0; d < D && herd.slot_of_id[id] != kNoSlot; ++d)
      herd.particles.cell[d][herd.slot_of_id[id]] += static_cast<int>((2 * rng.uniform() - 1) * (reach + 1));
}

template <class Size>
class Migrating : public testing::Test {
 public:
  static constexpr int D = Size::value;
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Migrating, Dimensions);

TYPED_TEST(Migrating, EverybodyEndsUpInTheBlockOfItsCell) {
  constexpr int D = TestFixture::D;
  for (const std::size_t n : {1u, 15u, 16u, 17u, 100u, 3000u}) {
    Herd<D> herd(random_cells<D>(n, 40, 11));
    Rng rng(13);
    for (int round = 0; round < 30; ++round) {
      std::vector<Cell<D>> before;
      for (std::uint32_t id = 0; id < n; ++id) before.push_back(herd.cell_of(id));
      herd.migrate();
      herd.expect_in_order();
      for (std::uint32_t id = 0; id < n; ++id)
        for (int d = 0; d < D; ++d) ASSERT_EQ(herd.cell_of(id)[d], before[id][d]);
      walk(herd, rng, round % 3);
    }
  }
}

TYPED_TEST(Migrating, NewcomersAndThoseWhoGoLoseAndDoubleNobody) {
  constexpr int D = TestFixture::D;
  Herd<D> herd(random_cells<D>(700, 40, 31));
  herd.migrate();
  Rng rng(37);
  std::size_t living = 700;
  for (int round = 0; round < 30; ++round) {
    walk(herd, rng, 1);
    const std::size_t newcomers = round % 4 * 50;
    herd.let_in(random_cells<D>(newcomers, 40, 100 + static_cast<std::uint64_t>(round)));
    herd.expect_in_order();
    living += newcomers;
    living -= herd.take_away([&](std::uint32_t) { return rng.uniform() < 0.15; });
    herd.expect_in_order();
    std::size_t counted = 0;
    for (const ParticleBlock<D>& block : herd.blocks) counted += block.count;
    ASSERT_EQ(counted, living);
  }
}

TYPED_TEST(Migrating, AnEmptiedHerdTakesInNewcomers) {
  constexpr int D = TestFixture::D;
  Herd<D> herd(random_cells<D>(100, 40, 41));
  herd.migrate();
  EXPECT_EQ(herd.take_away([](std::uint32_t) { return true; }), 100u);
  EXPECT_TRUE(herd.blocks.empty());
  EXPECT_FALSE(herd.migrate());
  herd.let_in(random_cells<D>(60, 40, 43));
  herd.expect_in_order();
  EXPECT_FALSE(herd.blocks.empty());
}

TYPED_TEST(Migrating, WhoComesOrGoesBesideASleeperWakesItsBlock) {
  constexpr int D = TestFixture::D;
  Herd<D> herd(std::vector<Cell<D>>(40, Cell<D>::filled(0)));
  herd.migrate();
  herd.blocks[0].rest = Rest::kAsleep;
  herd.let_in({Cell<D>::filled(0)});
  EXPECT_EQ(herd.blocks[0].rest, Rest::kAwake);
  herd.blocks[0].rest = Rest::kAsleep;
  herd.take_away([](std::uint32_t id) { return id == 7; });
  EXPECT_EQ(herd.blocks[0].rest, Rest::kAwake);
}

TYPED_TEST(Migrating, ABlockThatAllHaveLeftIsGoneAndItsGroupsAreUsedAgain) {
  constexpr int D = TestFixture::D;
  Herd<D> herd(std::vector<Cell<D>>(200, Cell<D>::filled(2)));
  herd.migrate();
  const std::size_t slots = slots_for(herd.pool);
  for (int round = 0; round < 20; ++round) {
    for (std::uint32_t slot : herd.slot_of_id) herd.particles.cell[0][slot] += BlockShape<D>::kEdge;
    EXPECT_TRUE(herd.migrate());
    herd.expect_in_order();
    ASSERT_EQ(herd.blocks.size(), 1u);
  }
  EXPECT_LE(slots_for(herd.pool), 2 * slots);
}

TYPED_TEST(Migrating, WhoStaysIsNotTouched) {
  constexpr int D = TestFixture::D;
  Herd<D> herd(random_cells<D>(500, 20, 17));
  herd.migrate();
  const std::vector<std::uint32_t> before = herd.slot_of_id;
  EXPECT_FALSE(herd.migrate());
  EXPECT_EQ(herd.slot_of_id, before);
}

TYPED_TEST(Migrating, TheSetOfBlocksIsReportedAsChangedExactlyWhenItIs) {
  constexpr int D = TestFixture::D;
  Herd<D> herd(random_cells<D>(800, 30, 19));
  Rng rng(23);
  for (int round = 0; round < 40; ++round) {
    const auto keys = [&] {
      std::vector<BlockKey> k;
      for (const auto& block : herd.blocks) k.push_back(block.key);
      return k;
    };
    const auto before = keys();
    const bool changed = herd.migrate();
    EXPECT_EQ(changed, keys() != before);
    walk(herd, rng, 0);
    if (round % 4 == 0) walk(herd, rng, 1);
  }
}

// The order within blocks is part of the result: sums depend on it.
TYPED_TEST(Migrating, TheOrderDoesNotDependOnThreads) {
  constexpr int D = TestFixture::D;
  const auto order_with = [](int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    Herd<D> herd(random_cells<D>(4000, 40, 29));
    Rng rng(31);
    for (int round = 0; round < 10; ++round) {
      herd.migrate();
      walk(herd, rng, 1);
    }
    herd.migrate();
    std::vector<std::uint32_t> ids;
    for (const auto& block : herd.blocks)
      for (std::uint32_t i = 0; i < block.count; ++i) ids.push_back(herd.particles.id[block.slot(i)]);
    return ids;
  };
  EXPECT_EQ(order_with(1), order_with(4));
}

// Its other buffer does not know what has moved.
TYPED_TEST(Migrating, ABlockThatHasJustFallenAsleepWakesWhenSomebodyLeavesOrComes) {
  constexpr int D = TestFixture::D;
  Cell<D> other = Cell<D>::filled(-7);
  other[0] += 3 * BlockShape<D>::kEdge;
  std::vector<Cell<D>> cells(20, Cell<D>::filled(-7));
  cells.resize(40, other);
  Herd<D> herd(cells);
  herd.migrate();
  ASSERT_EQ(herd.blocks.size(), 2u);
  for (auto& block : herd.blocks) block.rest = Rest::kDozing;
  EXPECT_FALSE(herd.migrate());
  for (auto& block : herd.blocks) EXPECT_EQ(block.rest, Rest::kDozing);
  herd.particles.cell[0][herd.slot_of_id[3]] += BlockShape<D>::kEdge;  // into a third block
  herd.migrate();
  ASSERT_EQ(herd.blocks.size(), 3u);
  EXPECT_EQ(herd.blocks[0].rest, Rest::kAwake);
  int dozing = 0;
  for (auto& block : herd.blocks) dozing += block.rest == Rest::kDozing;
  EXPECT_EQ(dozing, 1);
}

TYPED_TEST(Migrating, WhoHasMovedIsForgotten) {
  constexpr int D = TestFixture::D;
  Herd<D> herd(random_cells<D>(300, 20, 41));
  herd.migrate();
  const auto slots = herd.slot_of_id;
  EXPECT_FALSE(herd.migration.run(herd.origin, herd.particles, herd.blocks, herd.pool, herd.slot_of_id, [] {}));
  EXPECT_EQ(herd.slot_of_id, slots);
}

TYPED_TEST(Migrating, AParticleTooFarAwayIsAnError) {
  constexpr int D = TestFixture::D;
  Herd<D> herd(random_cells<D>(50, 10, 37));
  herd.migrate();
  herd.particles.cell[D - 1][herd.slot_of_id[7]] = herd.origin[D - 1] + BlockShape<D>::kEdge * (kMaxBlock<D> - 1);
  EXPECT_THROW(herd.migrate(), RunError);
}

}  // namespace
}  // namespace firn
