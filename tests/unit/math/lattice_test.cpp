// Cells and offsets: where decimal coordinates land, and that they survive the way back.
#include "math/lattice.h"

#include <gtest/gtest.h>

#include "math/random.h"

namespace firn {
namespace {

template <class T>
struct Split {
  std::int32_t cell;
  T offset;
};

template <class T>
Split<T> split(double s, bool snap) {
  Split<T> r;
  split_coordinate(s, snap, r.cell, r.offset);
  return r;
}

TEST(Lattice, DecimalCoordinatesLandOnTheirNode) {
  for (const double h : {0.005, 0.01, 0.02, 0.1, 0.3, 1.0 / 3, 0.007})
    for (int n = -3000; n <= 3000; ++n) {
      const Split<double> p = split<double>(n * h / h, true);
      ASSERT_EQ(p.cell, n) << h;
      ASSERT_EQ(p.offset, 0) << h;
    }
  const auto p = to_lattice<double, 3>({0.015, 0.3, -0.035}, 0.005, true);
  const int expected[3] = {3, 60, -7};
  for (int d = 0; d < 3; ++d) {
    EXPECT_EQ(p.cell[d], expected[d]);
    EXPECT_EQ(p.offset[d], 0);
  }
}

// The texts a user writes: "0.005", "0.01", … up to two metres, over h = 0.005.
TEST(Lattice, DecimalTextsLandOnTheirNode) {
  for (int n = -400; n <= 400; ++n) {
    const double x = std::stod(std::to_string(n * 5) + "e-3");
    const auto p = to_lattice<float, 2>({x, -x}, 0.005, true);
    ASSERT_EQ(p.cell[0], n);
    ASSERT_EQ(p.cell[1], -n);
    ASSERT_EQ(p.offset[0], 0);
    ASSERT_EQ(p.offset[1], 0);
  }
}

TEST(Lattice, OnlyNearlyWholeCoordinatesSnap) {
  EXPECT_EQ(split<double>(3 - 1e-10, true).cell, 3);
  EXPECT_EQ(split<double>(3 - 1e-10, true).offset, 0);
  EXPECT_EQ(split<double>(3 + 1e-10, true).offset, 0);
  EXPECT_EQ(split<double>(3 - 1e-8, true).cell, 2);
  EXPECT_GT(split<double>(3 + 1e-8, true).offset, 0);
}

TEST(Lattice, WithoutSnappingNothingMoves) {
  EXPECT_EQ(split<double>(3 - 1e-10, false).cell, 2);
  EXPECT_EQ(split<double>(3 - 1e-10, false).offset, (3 - 1e-10) - 2);
  EXPECT_EQ(split<double>(3 + 1e-10, false).offset, (3 + 1e-10) - 3);
}

TEST(Lattice, ADecimalPlaceOffTheNodesKeepsItsOffsetWhereverItIs) {
  for (int cells = 1; cells < 100000; cells = cells * 3 + 1) {
    const double h = 0.005, x = 0.1234, moved = x + cells * h;
    EXPECT_EQ(split<double>(moved / h, true).offset, split<double>(x / h, true).offset) << cells;
    EXPECT_EQ(split<double>(moved / h, true).cell, split<double>(x / h, true).cell + cells);
  }
}

TEST(Lattice, RoundingToOneGoesToTheNextCell) {
  const double almost = 5 - 1e-12;  // its offset rounds to 1 in float, not in double
  EXPECT_EQ(split<float>(almost, false).cell, 5);
  EXPECT_EQ(split<float>(almost, false).offset, 0.0f);
  EXPECT_EQ(split<double>(almost, false).cell, 4);
  EXPECT_LT(split<double>(almost, false).offset, 1.0);
  EXPECT_EQ(split<double>(-1e-17, false).cell, 0);  // −1e-17 + 1 is 1 in double as well
  EXPECT_EQ(split<double>(-1e-17, false).offset, 0.0);
  EXPECT_EQ(split<float>(-1e-12, false).cell, 0);
}

TEST(Lattice, NegativeCoordinatesHaveOffsetsTowardsPlus) {
  const Split<double> p = split<double>(-2.25, true);
  EXPECT_EQ(p.cell, -3);
  EXPECT_EQ(p.offset, 0.75);
  EXPECT_EQ(split<double>(-3, true).cell, -3);
  EXPECT_EQ(split<double>(-3, true).offset, 0);
}

template <class T>
void expect_random_points_come_back(double tolerance) {
  Rng rng(41);
  for (int i = 0; i < 100000; ++i) {
    const double s = (rng.uniform() - 0.5) * (i % 2 == 0 ? 10 : 1e6);
    for (const bool snap : {false, true}) {
      const Split<T> p = split<T>(s, snap);
      ASSERT_GE(p.offset, T(0));
      ASSERT_LT(p.offset, T(1));
      ASSERT_NEAR(p.cell + double(p.offset), s, tolerance + (snap ? 0.5 / kSnapsPerCell : 0));
    }
  }
}

TEST(Lattice, OffsetsLieInTheCellAndPointsComeBack) {
  expect_random_points_come_back<float>(6e-8);  // half a unit of a float below 1, wherever the cell is
  expect_random_points_come_back<double>(1e-16);
}

TEST(Lattice, DifferencesDoNotDependOnWhereTheSceneStands) {
  Rng rng(43);
  for (int i = 0; i < 1000; ++i) {
    Cell<3> a, far;
    LatticePoint<float, 3> b, far_b;
    Vec<float, 3> offset;
    for (int d = 0; d < 3; ++d) {
      a[d] = static_cast<int>(100 * rng.uniform());
      b.cell[d] = static_cast<int>(100 * rng.uniform());
      offset[d] = 0.99f * static_cast<float>(rng.uniform());
      b.offset[d] = 0.99f * static_cast<float>(rng.uniform());
      far[d] = a[d] + 100'000'000;
      far_b.cell[d] = b.cell[d] + 100'000'000;
      far_b.offset[d] = b.offset[d];
    }
    const auto near_difference = difference(a, offset, b, 0.01f), far_difference = difference(far, offset, far_b, 0.01f);
    for (int d = 0; d < 3; ++d) {
      EXPECT_EQ(near_difference[d], far_difference[d]);
      EXPECT_NEAR(near_difference[d], 0.01 * (a[d] + double(offset[d]) - b.cell[d] - double(b.offset[d])), 2e-7);
    }
  }
}

}  // namespace
}  // namespace firn
