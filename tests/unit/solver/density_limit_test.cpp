// (M21), and how far a step may carry a particle.
#include "solver/density_limit.h"

#include <gtest/gtest.h>

#include <vector>

#include "math/random.h"
#include "solver/cpu/transfer.h"

namespace firn {
namespace {

TEST(DensityLimit, AComponentIsAtMostThatOfPackedSnowAhead) {
  EXPECT_EQ(no_more_than(3.0, 2.0), 2);
  EXPECT_EQ(no_more_than(3.0, 4.0), 3);
  EXPECT_EQ(no_more_than(-3.0, -2.0), -2);
  EXPECT_EQ(no_more_than(-3.0, -4.0), -3);
}

TEST(DensityLimit, PackedSnowThatRestsOrOpposesStopsIt) {
  for (const double ahead : {0.0, -1.0, -9.0}) EXPECT_EQ(no_more_than(3.0, ahead), 0);
  for (const double ahead : {0.0, 1.0, 9.0}) EXPECT_EQ(no_more_than(-3.0, ahead), 0);
}

struct Line {
  std::vector<double> q;
  std::vector<bool> is_packed;
};

Line random_line(std::uint64_t seed) {
  Rng rng(seed);
  Line line;
  for (int i = 0; i < 40; ++i) {
    line.q.push_back(rng.uniform() < 0.1 ? 0 : 2 * rng.uniform() - 1);
    line.is_packed.push_back(rng.uniform() < 0.8);
  }
  return line;
}

// Up for what points down, down for what points up.
std::vector<double> walked(const Line& line) {
  std::vector<double> q = line.q;
  const std::size_t n = q.size();
  LineLimit<double> down(-1), up(1);
  for (std::size_t i = 0; i < n; ++i)
    if (const double left = down.next(line.q[i], line.is_packed[i]); line.q[i] < 0) q[i] = left;
  for (std::size_t i = n; i-- > 0;)
    if (const double left = up.next(line.q[i], line.is_packed[i]); line.q[i] > 0) q[i] = left;
  return q;
}

// The plain rule with the values before, until nothing changes.
std::vector<double> repeated(const Line& line) {
  std::vector<double> q = line.q, before;
  while (q != before) {
    before = q;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const std::size_t ahead = before[i] > 0 ? i + 1 : i - 1;
      if (ahead < q.size() && line.is_packed[ahead]) q[i] = no_more_than(before[i], before[ahead]);
    }
  }
  return q;
}

TEST(DensityLimit, OneWalkAlongALineIsTheRuleRepeatedUntilNothingChanges) {
  for (std::uint64_t seed = 1; seed < 500; ++seed) {
    const Line line = random_line(seed);
    const std::vector<double> q = walked(line);
    ASSERT_EQ(q, repeated(line)) << seed;
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_LE(std::abs(q[i]), std::abs(line.q[i]));
      EXPECT_GE(q[i] * line.q[i], 0);
    }
  }
}

TEST(MovedOffset, CountsUpToTwoCellsEitherWay) {
  for (double offset = 0; offset < 1; offset += 0.0625)
    for (double way = -2; way <= 2; way += 0.0625) {
      const Moved<double> moved = move_offset(offset, way);
      EXPECT_EQ(moved.cells, std::floor(offset + way));
      EXPECT_EQ(moved.offset, offset + way - moved.cells);
    }
}

}  // namespace
}  // namespace firn
