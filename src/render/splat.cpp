#include "render/splat.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.h"

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

}  // namespace firn
