#include "render/path/alias_table.h"

#include <numeric>

namespace firn {

AliasTable::AliasTable(const std::vector<float>& weights)
    : entries_(weights.size()), sum_(std::accumulate(weights.begin(), weights.end(), 0.0)) {
  const double mean = sum_ / static_cast<double>(weights.size());
  std::vector<double> left(weights.size());  // of each weight, in units of a place, not yet put anywhere
  std::vector<std::uint32_t> poor, rich;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    left[i] = mean > 0 ? weights[i] / mean : 1;
    entries_[i] = {static_cast<float>(left[i] / static_cast<double>(weights.size())), 1, i};
    (left[i] < 1 ? poor : rich).push_back(i);
  }
  while (!poor.empty() && !rich.empty()) {
    const std::uint32_t filled = poor.back(), giver = rich.back();
    poor.pop_back();
    entries_[filled].own = static_cast<float>(left[filled]);
    entries_[filled].other = giver;
    left[giver] -= 1 - left[filled];
    if (left[giver] >= 1) continue;
    rich.pop_back();
    poor.push_back(giver);
  }
}

}  // namespace firn
