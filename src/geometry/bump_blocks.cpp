#include "geometry/bump_blocks.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace firn {
namespace {

constexpr int kKeyBits = 21;
constexpr std::int64_t kKeyOffset = std::int64_t(1) << (kKeyBits - 1), kKeyMask = (std::int64_t(1) << kKeyBits) - 1;

struct Range {
  std::int64_t first, last;

  std::int64_t size() const { return std::max<std::int64_t>(last - first + 1, 0); }
};

// Indices of the lattice that a bump reaches along an axis; none when it lies between two of them.
Range reached(const Bump& bump, int axis) {
  return {static_cast<std::int64_t>(std::ceil(bump.center[axis] - bump.reach)),
          static_cast<std::int64_t>(std::floor(bump.center[axis] + bump.reach))};
}

Range reached_blocks(const Bump& bump, int axis) {
  const auto [first, last] = reached(bump, axis);
  if (first > last) return {0, -1};
  return {first >> 3, last >> 3};
}

std::uint64_t to_key(std::int64_t x, std::int64_t y, std::int64_t z) {
  return static_cast<std::uint64_t>(((x + kKeyOffset) << kKeyBits | (y + kKeyOffset)) << kKeyBits | (z + kKeyOffset));
}

std::size_t count_blocks(const Bump& bump) {
  return static_cast<std::size_t>(reached_blocks(bump, 0).size() * reached_blocks(bump, 1).size() * reached_blocks(bump, 2).size());
}

}  // namespace

double BumpBlocks::count_pairs(std::span<const Bump> bumps) {
  double pairs = 0;
  for (const Bump& bump : bumps) pairs += std::pow(2 * bump.reach / kEdge + 1, 3);
  return pairs;
}

BumpBlocks::BumpBlocks(std::span<const Bump> bumps) : bumps_(bumps) {
  std::vector<std::size_t> first(bumps.size() + 1, 0);
  for (std::size_t b = 0; b < bumps.size(); ++b) first[b + 1] = first[b] + count_blocks(bumps[b]);
  pairs_.resize(first.back());
  parallel_for(bumps.size(), [&](std::size_t b) {
    std::size_t at = first[b];
    const Range xs = reached_blocks(bumps[b], 0), ys = reached_blocks(bumps[b], 1), zs = reached_blocks(bumps[b], 2);
    for (std::int64_t x = xs.first; x <= xs.last; ++x)
      for (std::int64_t y = ys.first; y <= ys.last; ++y)
        for (std::int64_t z = zs.first; z <= zs.last; ++z) pairs_[at++] = {to_key(x, y, z), static_cast<std::uint32_t>(b)};
  });
  parallel_sort(pairs_.begin(), pairs_.end());
  for (std::size_t p = 0; p < pairs_.size(); ++p)
    if (p == 0 || pairs_[p].block != pairs_[p - 1].block) first_.push_back(p);
  first_.push_back(pairs_.size());
}

std::array<std::int32_t, 3> BumpBlocks::origin(std::size_t block) const {
  const std::int64_t key = static_cast<std::int64_t>(pairs_[first_[block]].block);
  const auto index = [&](int axis) {
    return static_cast<std::int32_t>(((key >> ((2 - axis) * kKeyBits) & kKeyMask) - kKeyOffset) * kEdge);
  };
  return {index(0), index(1), index(2)};
}

void BumpBlocks::subtract_from(std::size_t block, std::span<float, kValues> values) const {
  const std::array<std::int32_t, 3> start = origin(block);
  for (std::size_t p = first_[block]; p < first_[block + 1]; ++p) {
    const Bump& bump = bumps_[pairs_[p].bump];
    float center[3];  // from the block's first value, where single precision is plenty
    int first[3], last[3];
    for (int d = 0; d < 3; ++d) {
      const Range range = reached(bump, d);
      center[d] = static_cast<float>(bump.center[d] - start[static_cast<std::size_t>(d)]);
      first[d] = static_cast<int>(std::max<std::int64_t>(range.first - start[static_cast<std::size_t>(d)], 0));
      last[d] = static_cast<int>(std::min<std::int64_t>(range.last - start[static_cast<std::size_t>(d)], kEdge - 1));
    }
    const float height = static_cast<float>(bump.height), scale = static_cast<float>(1 / (bump.reach * bump.reach));
    for (int x = first[0]; x <= last[0]; ++x)
      for (int y = first[1]; y <= last[1]; ++y) {
        const float dx = float(x) - center[0], dy = float(y) - center[1];
        const float rest_xy = 1 - scale * (dx * dx + dy * dy);
        if (rest_xy <= 0) continue;
        float* row = &values[static_cast<std::size_t>((x * kEdge + y) * kEdge)];
        for (int z = 0; z < kEdge; ++z) {  // all of the row: a loop of fixed length goes through the machine's vector units
          const float dz = float(z) - center[2];
          const float rest = std::max(rest_xy - scale * dz * dz, 0.0f);
          row[z] -= height * rest * rest * rest;
        }
      }
  }
}

}  // namespace firn
