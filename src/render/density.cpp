#include "render/density.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.h"

namespace firn {
namespace {

constexpr int kLevels = 5;              // the coarsest cells are 16 times as large: far enough for a contact shadow
constexpr int kMargin = 3;              // cells of air around the snow
constexpr float kCellPerRadius = 2.6f;  // a cell holds a few particles, so that packed snow is smooth
constexpr double kMostCells = 6e6;
constexpr float kRegion = 3;      // view units; snow farther out does not shape the picture
constexpr float kOpacity = 1.1f;  // of a cell of packed snow, as an optical depth

float sphere_volume(float r) { return static_cast<float>(4 * std::numbers::pi / 3) * r * r * r; }

bool in_region(const Float3& p) { return std::max({std::abs(p[0]), std::abs(p[1]), std::abs(p[2])}) < kRegion; }

// out = (1 2 1)/4 along a line of values `stride` apart.
void smooth_line(float* values, int n, std::size_t stride) {
  float before = 0;
  for (int i = 0; i < n; ++i) {
    float& value = values[i * stride];
    const float after = i + 1 < n ? values[(i + 1) * stride] : 0.0f;
    const float smoothed = 0.25f * before + 0.5f * value + 0.25f * after;
    before = value;
    value = smoothed;
  }
}

}  // namespace

DensityField::DensityField(const std::vector<Sphere>& spheres, float radius) {
  choose_grid(spheres, radius);
  scatter(spheres);
  smooth();
  add_coarser_levels();
}

void DensityField::choose_grid(const std::vector<Sphere>& spheres, float radius) {
  Float3 low = Float3::filled(kRegion), high = Float3::filled(-kRegion);
  for (const Sphere& s : spheres) {
    if (!in_region(s.center)) continue;
    for (int d = 0; d < 3; ++d) {
      low[d] = min(low[d], s.center[d]);
      high[d] = max(high[d], s.center[d]);
    }
  }
  cell_ = max(kCellPerRadius * radius, 1e-3f);
  Level& level = levels_.emplace_back();
  for (double cells = 2 * kMostCells; cells > kMostCells;) {
    cells = 1;
    for (int d = 0; d < 3; ++d) {
      level.n[d] = low[d] > high[d] ? 1 : static_cast<int>((high[d] - low[d]) / cell_) + 2 + 2 * kMargin;
      cells *= level.n[d];
    }
    if (cells > kMostCells) cell_ *= 1.25f;
  }
  low_ = low - Float3::filled(kMargin * cell_);
  level.value.assign(static_cast<std::size_t>(level.n[0]) * level.n[1] * level.n[2], 0.0f);
}

void DensityField::scatter(const std::vector<Sphere>& spheres) {
  Level& level = levels_.front();
  const float per_cell = 1 / (cell_ * cell_ * cell_);
  for (const Sphere& s : spheres) {
    if (!in_region(s.center)) continue;
    int base[3];
    float f[3];
    for (int d = 0; d < 3; ++d) {
      const float x = (s.center[d] - low_[d]) / cell_;
      base[d] = std::min(static_cast<int>(x), level.n[d] - 2);
      f[d] = x - static_cast<float>(base[d]);
    }
    const float amount = sphere_volume(s.radius) * per_cell;
    for (int corner = 0; corner < 8; ++corner) {
      const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
      level.value[level.at(base[0] + i, base[1] + j, base[2] + k)] +=
          amount * (i ? f[0] : 1 - f[0]) * (j ? f[1] : 1 - f[1]) * (k ? f[2] : 1 - f[2]);
    }
  }
}

void DensityField::smooth() {
  Level& level = levels_.front();
  const int nx = level.n[0], ny = level.n[1], nz = level.n[2];
  parallel_for(nz, [&](int k) {
    for (int j = 0; j < ny; ++j) smooth_line(&level.value[level.at(0, j, k)], nx, 1);
    for (int i = 0; i < nx; ++i) smooth_line(&level.value[level.at(i, 0, k)], ny, nx);
  });
  parallel_for(ny, [&](int j) {
    for (int i = 0; i < nx; ++i) smooth_line(&level.value[level.at(i, j, 0)], nz, static_cast<std::size_t>(nx) * ny);
  });
}

void DensityField::add_coarser_levels() {
  for (int l = 1; l < kLevels; ++l) {
    const Level& fine = levels_.back();
    Level coarse;
    for (int d = 0; d < 3; ++d) coarse.n[d] = (fine.n[d] + 1) / 2;
    coarse.value.assign(static_cast<std::size_t>(coarse.n[0]) * coarse.n[1] * coarse.n[2], 0.0f);
    for (int k = 0; k < fine.n[2]; ++k)
      for (int j = 0; j < fine.n[1]; ++j)
        for (int i = 0; i < fine.n[0]; ++i) coarse.value[coarse.at(i / 2, j / 2, k / 2)] += 0.125f * fine.value[fine.at(i, j, k)];
    levels_.push_back(std::move(coarse));
  }
}

float DensityField::at(const Float3& p, int l) const {
  const Level& level = levels_[l];
  // Values of level l sit in the middle of 2^l fine nodes.
  const float scale = 1 / (cell_ * static_cast<float>(1 << l)), shift = 0.5f - 0.5f / static_cast<float>(1 << l);
  int base[3];
  float f[3];
  for (int d = 0; d < 3; ++d) {
    const float x = (p[d] - low_[d]) * scale - shift;
    if (!(x >= 0 && x < static_cast<float>(level.n[d] - 1))) return 0;
    base[d] = static_cast<int>(x);
    f[d] = x - static_cast<float>(base[d]);
  }
  const float* v = level.value.data() + level.at(base[0], base[1], base[2]);
  const std::size_t y = level.n[0], z = y * level.n[1];
  const float low = mix(mix(v[0], v[1], f[0]), mix(v[y], v[y + 1], f[0]), f[1]);
  const float high = mix(mix(v[z], v[z + 1], f[0]), mix(v[z + y], v[z + y + 1], f[0]), f[1]);
  return mix(low, high, f[2]);
}

Float3 DensityField::gradient(const Float3& p) const {
  const float step = 0.75f * cell_;
  Float3 g;
  for (int d = 0; d < 3; ++d) {
    Float3 before = p, after = p;
    before[d] -= step;
    after[d] += step;
    g[d] = (at(after, 0) - at(before, 0)) / 1.5f;
  }
  return g;
}

float DensityField::visibility(const Float3& p, const Float3& direction) const {
  float depth = 0;
  for (int l = 0; l < kLevels; ++l) {
    const float distance = 1.5f * cell_ * static_cast<float>(1 << l);
    depth += at(p + distance * direction, l);
  }
  return std::exp(-kOpacity * depth);
}

bool DensityField::is_buried(const Float3& p) const {
  constexpr float kPacked = 0.75f;  // half of the cell's particles could hide nothing
  const float shell = 2.5f * cell_;
  for (int d = 0; d < 3; ++d)
    for (const float side : {-shell, shell}) {
      Float3 q = p;
      q[d] += side;
      if (at(q, 0) < kPacked) return false;
    }
  return true;
}

bool DensityField::is_near(const Float3& p) const {
  const float reach = 1.5f * cell_ * static_cast<float>(1 << (kLevels - 1));
  for (int d = 0; d < 3; ++d)
    if (p[d] < low_[d] - reach || p[d] > low_[d] + cell_ * static_cast<float>(levels_[0].n[d]) + reach) return false;
  return true;
}

}  // namespace firn
