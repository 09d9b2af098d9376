#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/parallel.h"
#include "render/preview/painter.h"

namespace firn {
namespace {

constexpr int kTile = 64;                // pixels; one tile of depth and index stays in the first-level cache
constexpr int kChunk = 1 << 15;          // spheres binned together
constexpr float kSmallestRadius = 0.7f;  // pixels; always covers a pixel's middle
constexpr float kNearest = 0.05f;        // view units; what is nearer to the eye is not drawn

struct Range {
  int x0, x1, y0, y1;  // half open; empty when nothing of the splat is on the picture
  bool empty() const { return x0 >= x1 || y0 >= y1; }
};

// Clamped before the cast: a far-off splat may lie beyond what an int holds.
int pixel(float x, int size) { return static_cast<int>(clamp(x, 0.0f, static_cast<float>(size))); }

Range covered(const Splat& s, const Projection& p) {
  if (p.perspective && s.depth < kNearest) return {0, 0, 0, 0};
  const float r = s.radius;
  return {pixel(std::ceil(s.x - r - 0.5f), p.width), pixel(std::floor(s.x + r + 0.5f), p.width), pixel(std::ceil(s.y - r - 0.5f), p.height),
          pixel(std::floor(s.y + r + 0.5f), p.height)};
}

// For every tile the splats that touch it, in their order: a counting sort over chunks that are independent of each other.
class TileBins {
 public:
  TileBins(const std::vector<Splat>& splats, const Projection& p)
      : columns_((p.width + kTile - 1) / kTile), tiles_(columns_ * ((p.height + kTile - 1) / kTile)) {
    const int chunks = static_cast<int>((splats.size() + kChunk - 1) / kChunk);
    std::vector<std::vector<std::uint32_t>> cursor(chunks, std::vector<std::uint32_t>(tiles_, 0));
    parallel_for(chunks, [&](int c) { visit(splats, p, c, [&](int tile, std::uint32_t) { ++cursor[c][tile]; }); });
    begin_.assign(tiles_ + 1, 0);
    std::uint32_t sum = 0;
    for (int tile = 0; tile < tiles_; ++tile) {
      begin_[tile] = sum;
      for (int c = 0; c < chunks; ++c) sum += std::exchange(cursor[c][tile], sum);
    }
    begin_[tiles_] = sum;
    entries_.resize(sum);
    parallel_for(chunks, [&](int c) { visit(splats, p, c, [&](int tile, std::uint32_t i) { entries_[cursor[c][tile]++] = i; }); });
  }

  int tiles() const { return tiles_; }
  int x_of(int tile) const { return tile % columns_ * kTile; }
  int y_of(int tile) const { return tile / columns_ * kTile; }
  const std::uint32_t* begin(int tile) const { return entries_.data() + begin_[tile]; }
  const std::uint32_t* end(int tile) const { return entries_.data() + begin_[tile + 1]; }

 private:
  template <class Use>
  void visit(const std::vector<Splat>& splats, const Projection& p, int chunk, const Use& use) const {
    const std::size_t end = std::min(splats.size(), (static_cast<std::size_t>(chunk) + 1) * kChunk);
    for (std::size_t i = static_cast<std::size_t>(chunk) * kChunk; i < end; ++i) {
      const Range r = covered(splats[i], p);
      if (r.empty()) continue;
      for (int ty = r.y0 / kTile; ty <= (r.y1 - 1) / kTile; ++ty)
        for (int tx = r.x0 / kTile; tx <= (r.x1 - 1) / kTile; ++tx) use(ty * columns_ + tx, static_cast<std::uint32_t>(i));
    }
  }

  int columns_, tiles_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> entries_;
};

// A paraboloid instead of the sphere's front: nearly the same surface without a square root a pixel.
void draw(const Splat& s, std::uint32_t index, const Range& r, DepthMap& map) {
  const float inverse = 1 / (s.radius * s.radius);
  for (int y = r.y0; y < r.y1; ++y) {
    const float dy = static_cast<float>(y) + 0.5f - s.y;
    float* depth = map.depth.data() + map.at(0, y);
    std::uint32_t* indices = map.index.data() + map.at(0, y);
    for (int x = r.x0; x < r.x1; ++x) {
      const float dx = static_cast<float>(x) + 0.5f - s.x;
      const float height = 1 - (dx * dx + dy * dy) * inverse;
      const float z = s.depth - s.thickness * height;
      const bool nearer = height > 0 && z < depth[x];
      depth[x] = nearer ? z : depth[x];
      indices[x] = nearer ? index : indices[x];
    }
  }
}

}  // namespace

DepthMap splat(const std::vector<Sphere>& spheres, const Projection& p) {
  DepthMap map{p.width, p.height, {}, {}};
  map.depth.assign(static_cast<std::size_t>(p.width) * p.height, kFarAway);
  map.index.assign(map.depth.size(), 0);
  std::vector<Splat> splats(spheres.size());
  // In chunks that are always the same: where a loop ends decides which spheres the compiler takes one by one instead of in a SIMD
  // register, and that can change the last bit.
  parallel_for((spheres.size() + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    for (std::size_t i = chunk * kChunk; i < std::min(spheres.size(), (chunk + 1) * kChunk); ++i) {
      splats[i] = p.project(spheres[i]);
      splats[i].radius = max(splats[i].radius, kSmallestRadius);
    }
  });
  const TileBins bins(splats, p);
  parallel_for(bins.tiles(), [&](int tile) {
    const int x0 = bins.x_of(tile), y0 = bins.y_of(tile);
    for (const std::uint32_t* i = bins.begin(tile); i != bins.end(tile); ++i) {
      Range r = covered(splats[*i], p);
      r = {std::max(r.x0, x0), std::min(r.x1, x0 + kTile), std::max(r.y0, y0), std::min(r.y1, y0 + kTile)};
      draw(splats[*i], *i, r, map);
    }
  });
  return map;
}

namespace {

constexpr int kLevels = 5;              // the coarsest cells are 16 times as large: far enough for a contact shadow
constexpr int kAirMargin = 3;           // cells of air around the snow
constexpr float kCellPerRadius = 2.6f;  // a cell holds a few particles, so that packed snow is smooth
constexpr double kMostCells = 6e6;
constexpr float kShapedRegion = 3;  // view units; snow farther out does not shape the picture
constexpr float kOpacity = 1.1f;    // of a cell of packed snow, as an optical depth

float sphere_volume(float r) { return static_cast<float>(4 * std::numbers::pi / 3) * r * r * r; }

bool in_region(const Float3& p) { return std::max({std::abs(p[0]), std::abs(p[1]), std::abs(p[2])}) < kShapedRegion; }

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
  Float3 low = Float3::filled(kShapedRegion), high = Float3::filled(-kShapedRegion);
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
      level.n[d] = low[d] > high[d] ? 1 : static_cast<int>((high[d] - low[d]) / cell_) + 2 + 2 * kAirMargin;
      cells *= level.n[d];
    }
    if (cells > kMostCells) cell_ *= 1.25f;
  }
  low_ = low - Float3::filled(kAirMargin * cell_);
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
