// The columns of the particles.
#include "particles/storage.h"

#include <gtest/gtest.h>

#include <set>

namespace firn {
namespace {

template <class T, int D>
std::size_t count_columns(Particles<T, D>& particles) {
  std::size_t count = 0;
  Particles<T, D>::for_each_column(particles, particles, [&](auto&, auto&) { ++count; });
  return count;
}

// A number that no other slot and column has.
template <class T, int D>
void number_everything(Particles<T, D>& particles, std::size_t slots) {
  int column_number = 0;
  Particles<T, D>::for_each_column(particles, particles, [&](auto& column, auto&) {
    for (std::size_t i = 0; i < slots; ++i) column[i] = static_cast<std::remove_reference_t<decltype(column[0])>>(column_number + 50 * i);
    ++column_number;
  });
}
template <class T, int D>
void expect_numbered(Particles<T, D>& particles, std::size_t slots) {
  int column_number = 0;
  Particles<T, D>::for_each_column(particles, particles, [&](auto& column, auto&) {
    for (std::size_t i = 0; i < slots; ++i) ASSERT_EQ(double(column[i]), column_number + 50.0 * i) << "column " << column_number;
    ++column_number;
  });
}

TEST(Particles, EveryColumnIsVisitedOnce) {
  Particles<float, 2> two;
  Particles<float, 3> three;
  two.resize(16, {.affine = true});
  three.resize(16, {.affine = true, .varied = true});
  EXPECT_EQ(count_columns(two), 3u * 2 + 2 * 4 + 5);        // cell, offset, velocity; F_E, B; J_P, mass, volume, id, material
  EXPECT_EQ(count_columns(three), 3u * 3 + 2 * 9 + 5 + 4);  // and the parameters of varied runs
}

TEST(Particles, NoValueSharesAPlaceWithAnother) {
  Particles<float, 3> particles;
  particles.resize(80, {.affine = true, .varied = true});
  number_everything(particles, 80);
  expect_numbered(particles, 80);
}

TEST(Particles, GrowingKeepsWhatIsThereAndAddsZeros) {
  Particles<double, 2> particles;
  particles.resize(32, {});
  number_everything(particles, 32);
  particles.resize(4800, {});
  expect_numbered(particles, 32);
  EXPECT_EQ(particles.slots(), 4800u);
  for (std::size_t i = 32; i < 4800; ++i) ASSERT_EQ(particles.F_E[3][i], 0);
}

TEST(Particles, AGroupOfAColumnIsContiguousAndStartsOnItsOwnCacheLine) {
  Particles<float, 3> particles;
  particles.resize(64, {.affine = true});
  for (std::size_t slot = 0; slot < 64; ++slot) {
    EXPECT_EQ(particles.velocity[1].at(slot), particles.velocity[1].at(slot / 16 * 16) + slot % 16);
    if (slot % 16 == 0) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(particles.velocity[1].at(slot)) % 64, 0u);
    }
  }
}

TEST(Particles, OnlyApicKeepsTheAffinePart) {
  Particles<float, 3> flip, apic;
  flip.resize(160, {});
  apic.resize(160, {.affine = true});
  for (int k = 0; k < 9; ++k) {
    EXPECT_TRUE(flip.B[k].empty());
    EXPECT_FALSE(apic.B[k].empty());
  }
  EXPECT_EQ(apic.bytes() - flip.bytes(), 9 * 160 * sizeof(float));
}

TEST(Particles, OnlyVariedRunsKeepParametersOfTheirOwn) {
  Particles<float, 3> plain, varied;
  plain.resize(160, {});
  varied.resize(160, {.varied = true});
  EXPECT_TRUE(plain.stiffness.empty());
  EXPECT_FALSE(varied.critical_stretch.empty());
  EXPECT_EQ(varied.bytes() - plain.bytes(), 4 * 160 * sizeof(float));
}

TEST(Particles, SwappingExchangesWhatAStepChangesAndNothingElse) {
  Particles<float, 3> particles, next;
  particles.resize(16, {});
  next.resize(16, {}, false);
  number_everything(particles, 16);
  next.J_P[3] = -1;
  next.cell[2][5] = -2;
  const float mass = particles.mass[3];
  particles.swap_changing(next);
  EXPECT_EQ(particles.J_P[3], -1);
  EXPECT_EQ(particles.cell[2][5], -2);
  EXPECT_EQ(particles.mass[3], mass);
  particles.swap_changing(next);
  expect_numbered(particles, 16);
}

TEST(Particles, ACopyHasEverything) {
  Particles<float, 3> particles, other;
  particles.resize(32, {.affine = true, .varied = true});
  other.resize(32, {.affine = true, .varied = true});
  number_everything(particles, 32);
  for (std::size_t i = 0; i < 32; ++i) other.copy(particles, i, i);
  expect_numbered(other, 32);
}

}  // namespace
}  // namespace firn
