// The columns of the particles.
#include "particles/storage.h"

#include <gtest/gtest.h>

#include <set>

namespace firn {
namespace {

TEST(Column, MayBeReadPastItsEnd) {
  for (const std::size_t n : {1u, 15u, 16u, 17u, 1000u}) {
    Column<float> column;
    column.resize(n);
    for (std::size_t i = 0; i < n + kColumnPadding; ++i) EXPECT_EQ(column[i], 0.0f);
    EXPECT_GE(column.bytes(), (n + kColumnPadding) * sizeof(float));
  }
}

TEST(Column, OfNothingTakesNoMemory) {
  Column<double> column;
  column.resize(0);
  EXPECT_TRUE(column.empty());
  EXPECT_EQ(column.bytes(), 0u);
}

TEST(Column, StartsOnACacheLine) {
  for (int i = 1; i < 50; ++i) {
    Column<float> column;
    column.resize(static_cast<std::size_t>(7 * i));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column.data()) % 64, 0u);
  }
}

template <int D>
void expect_every_column_once() {
  Particles<float, D> particles;
  particles.resize(10, true);
  std::set<const void*> all, dynamic;
  std::size_t count = 0;
  Particles<float, D>::for_each_column(particles, particles, [&](auto& x, auto& y) {
    EXPECT_EQ(&x, &y);
    all.insert(x.data());
    ++count;
  });
  Particles<float, D>::for_each_dynamic_column(particles, particles, [&](auto& x, auto&) { dynamic.insert(x.data()); });
  EXPECT_EQ(all.size(), count) << "a column comes twice";
  EXPECT_EQ(count, static_cast<std::size_t>(3 * D + 2 * D * D + 5));  // cell, offset, velocity; F_E, B; J_P, mass, volume, id, material
  EXPECT_EQ(dynamic.size(), static_cast<std::size_t>(3 * D + 2 * D * D + 1));
  for (const void* data : dynamic) EXPECT_TRUE(all.count(data));
}

TEST(Particles, EveryColumnIsVisitedOnce) {
  expect_every_column_once<2>();
  expect_every_column_once<3>();
}

TEST(Particles, OnlyApicKeepsTheAffinePart) {
  Particles<float, 3> flip, apic;
  flip.resize(100, false);
  apic.resize(100, true);
  for (int k = 0; k < 9; ++k) {
    EXPECT_TRUE(flip.B[k].empty());
    EXPECT_FALSE(apic.B[k].empty());
  }
  EXPECT_EQ(apic.bytes() - flip.bytes(), 9 * (100 + kColumnPadding) * sizeof(float));
  EXPECT_EQ(flip.size(), 100u);
}

TEST(Particles, TheDeformationIsStoredRowByRow) {
  Particles<double, 3> particles;
  particles.resize(3, false);
  for (int k = 0; k < 9; ++k) particles.F_E[k][1] = k;
  const Mat<double, 3> F = particles.deformation(1);
  EXPECT_EQ(F(0, 1), 1);
  EXPECT_EQ(F(1, 0), 3);
  EXPECT_EQ(F(2, 2), 8);
}

}  // namespace
}  // namespace firn
