// The table of particles between the layers: what goes in comes out, and what few rows have costs only them.
#include "particles/table.h"

#include <gtest/gtest.h>

namespace firn {
namespace {

ParticleRow numbered(int i) {
  ParticleRow row;
  row.mass = i;
  row.id = static_cast<std::uint32_t>(i);
  return row;
}

TEST(ParticleTable, GivesBackWhatWasPutIn) {
  ParticleTable table;
  for (int i = 0; i < 10; ++i) {
    ParticleRow row = numbered(i);
    if (i >= 4) row.B[2] = i;  // begins in the middle
    if (i % 3 == 2) row.own = Variation{1.0 * i, 2, 3, 4};
    table.push_back(row);
  }
  ASSERT_EQ(table.size(), 10u);
  int i = 0;
  for (const ParticleRow& row : table) {
    EXPECT_EQ(row.mass, i);
    EXPECT_EQ(row.id, static_cast<std::uint32_t>(i));
    EXPECT_EQ(row.B[2], i >= 4 ? i : 0);
    ASSERT_EQ(row.own.has_value(), i % 3 == 2);
    if (row.own) {
      EXPECT_EQ(row.own->stiffness, i);
    }
    ++i;
  }
}

TEST(ParticleTable, RemovesRowsFromAPlaceOn) {
  ParticleTable table;
  for (int i = 0; i < 10; ++i) {
    ParticleRow row = numbered(i);
    row.own = Variation{1.0 * i, 2, 3, 4};
    table.push_back(row);
  }
  table.remove_if(4, [](const ParticleRow& row) { return row.id % 2 == 0; });
  ASSERT_EQ(table.size(), 7u);
  for (std::size_t i = 4; i < 7; ++i) {
    EXPECT_EQ(table[i].id, 2 * i - 3);
    EXPECT_EQ(table[i].own->stiffness, table[i].mass);
  }
  table.clear();
  EXPECT_TRUE(table.empty());
}

}  // namespace
}  // namespace firn
