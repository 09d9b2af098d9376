// The generator: uniform, and different for different keys.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "math/random.h"

namespace firn {
namespace {

constexpr int kDraws = 200000;

TEST(Rng, NumbersAreUniformInMeanVarianceAndHistogram) {
  for (const std::uint64_t key : {0ull, 1ull, 2ull, 1ull << 40, ~0ull}) {
    Rng rng(key);
    double sum = 0, squares = 0;
    std::vector<int> bins(100);
    for (int i = 0; i < kDraws; ++i) {
      const double u = rng.uniform();
      ASSERT_GE(u, 0);
      ASSERT_LT(u, 1);
      sum += u;
      squares += u * u;
      ++bins[static_cast<std::size_t>(u * 100)];
    }
    const double mean = sum / kDraws;
    EXPECT_NEAR(mean, 0.5, 5 / std::sqrt(12.0 * kDraws));
    EXPECT_NEAR(squares / kDraws - mean * mean, 1.0 / 12, 5 / std::sqrt(180.0 * kDraws));
    double chi2 = 0;
    for (const int n : bins) chi2 += (n - kDraws / 100.0) * (n - kDraws / 100.0) / (kDraws / 100.0);
    EXPECT_LT(chi2, 99 + 5 * std::sqrt(2 * 99.0));
    EXPECT_GT(chi2, 99 - 5 * std::sqrt(2 * 99.0));
  }
}

// The sampler takes a few numbers from each of very many keys.
TEST(Rng, FirstNumbersOfNeighbouringKeysAreUniformAndIndependent) {
  double sum = 0, product = 0, across = 0, last = 0.5;
  for (int key = 0; key < kDraws; ++key) {
    Rng rng(Rng::cell_key(1, key % 60 - 30, key / 60 % 60 - 30, key / 3600));
    const double a = rng.uniform(), b = rng.uniform();
    sum += a;
    product += (a - 0.5) * (b - 0.5);
    across += (a - 0.5) * (last - 0.5);
    last = a;
  }
  const double sigma = 1 / std::sqrt(double(kDraws));
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * sigma / std::sqrt(12.0));
  EXPECT_NEAR(product / kDraws, 0, 5 * sigma / 12);
  EXPECT_NEAR(across / kDraws, 0, 5 * sigma / 12);
}

TEST(Rng, TheSameKeyGivesTheSameNumbers) {
  Rng a(77), b(77);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Rng, DifferentKeysGiveDifferentNumbers) {
  std::set<std::uint64_t> first;
  for (std::uint64_t key = 0; key < 10000; ++key) first.insert(Rng(key).next());
  EXPECT_EQ(first.size(), 10000u);
}

TEST(Rng, CellsAndSeedsHaveDifferentKeys) {
  std::set<std::uint64_t> keys;
  std::size_t count = 0;
  for (const std::uint64_t seed : {0, 1, 2, 0x7fffffff})
    for (int i = -8; i < 8; ++i)
      for (int j = -8; j < 8; ++j)
        for (int k = -8; k < 8; ++k, ++count) keys.insert(Rng::cell_key(seed, i, j, k));
  EXPECT_EQ(keys.size(), count);
}

}  // namespace
}  // namespace firn
