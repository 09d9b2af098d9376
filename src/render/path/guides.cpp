#include "render/path/guides.h"

#include <tbb/parallel_for.h>

#include <algorithm>

namespace firn {
namespace {

// The slope of the surface that pixel p lies on: towards the neighbour that is nearer in depth, as the other may lie on another one.
float slope(const std::vector<float>& depth, std::size_t p, std::size_t before, std::size_t after) {
  const float a = abs(depth[p] - depth[before]), b = abs(depth[p] - depth[after]);
  if (before == p) return b;
  return after == p ? a : min(a, b);
}

}  // namespace

Guides::Guides(const TracedPicture& picture) : width_(picture.width), height_(picture.height), depth_(picture.depth) {
  const std::size_t n = picture.light.size();
  for (int c = 0; c < 3; ++c) {
    albedo_[c].resize(n);
    normal_[c].resize(n);
  }
  for (auto* column : {&spread_, &level_, &slope_x_, &slope_y_}) column->resize(n);
  tbb::parallel_for(0, height_, [&](int y) {
    for (int x = 0; x < width_; ++x) {
      const std::size_t p = picture.at(x, y);
      for (int c = 0; c < 3; ++c) {
        albedo_[c][p] = picture.albedo[p][c];
        normal_[c][p] = picture.normal[p][c];
      }
      const bool sky = picture.depth[p] == 0;
      spread_[p] = sky ? 0 : max(0.0f, 1 - dot(picture.normal[p], picture.normal[p]));
      measure_depth(picture, x, y);
    }
  });
}

void Guides::measure_depth(const TracedPicture& picture, int x, int y) {
  constexpr float kRelative = 0.01f;  // of the depth: what light enters the snow, and grains
  constexpr float kLeast = 1e-6f;     // view units; the sky has no depth to take a part of
  const std::size_t p = picture.at(x, y);
  level_[p] = kLeast + kRelative * picture.depth[p];
  slope_x_[p] = slope(picture.depth, p, picture.at(std::max(x - 1, 0), y), picture.at(std::min(x + 1, width_ - 1), y));
  slope_y_[p] = slope(picture.depth, p, picture.at(x, std::max(y - 1, 0)), picture.at(x, std::min(y + 1, height_ - 1)));
}

}  // namespace firn
