// Draws one of many by chance, in a time that does not depend on how many there are (Walker 1977, built as by Vose 1991).
#pragma once

#include <cstdint>
#include <vector>

#include "render/path/random.h"

namespace firn {

class AliasTable {
 public:
  // In proportion to the weights, of which none is below 0; if all are 0, evenly. Fewer than 2³².
  explicit AliasTable(const std::vector<float>& weights);

  std::size_t draw(Rng& rng) const {
    const std::size_t i = (rng.next() >> 32) * entries_.size() >> 32;
    return rng.uniform() < entries_[i].own ? i : entries_[i].other;
  }
  double sum() const { return sum_; }  // of the weights
  float chance(std::size_t i) const { return entries_[i].chance; }

 private:
  // A place of the table has room for the mean weight: its own, filled up with what another one has too much.
  struct Entry {
    float chance;  // of being drawn at all
    float own;     // part of the place
    std::uint32_t other;
  };
  std::vector<Entry> entries_;
  double sum_;
};

}  // namespace firn
