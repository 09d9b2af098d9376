#include "geometry/edges.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace firn {

// Counted into one bucket per low point, then the buckets, which are small, are sorted.
std::vector<EdgeUse> sorted_edge_uses(const Mesh& mesh) {
  const auto low_of = [](const Triangle& t, std::size_t i) { return std::min(t[i], t[(i + 1) % 3]); };
  std::vector<std::size_t> ends(mesh.points.size() + 1, 0);
  for (const Triangle& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) ++ends[low_of(t, i)];
  std::size_t total = 0;
  for (std::size_t& end : ends) end = std::exchange(total, total + end);  // where each bucket begins; filling moves it to the end

  std::vector<EdgeUse> uses(total);
  for (std::size_t n = 0; n < mesh.triangles.size(); ++n)
    for (std::size_t i = 0; i < 3; ++i) {
      const Triangle& t = mesh.triangles[n];
      const std::uint32_t low = low_of(t, i);
      uses[ends[low]++] = {low, std::max(t[i], t[(i + 1) % 3]), 3 * n + i};
    }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    std::sort(uses.begin() + static_cast<std::ptrdiff_t>(begin), uses.begin() + static_cast<std::ptrdiff_t>(end),
              [](const EdgeUse& a, const EdgeUse& b) { return std::tie(a.high, a.corner) < std::tie(b.high, b.corner); });
    begin = end;
  }
  return uses;
}

}  // namespace firn
