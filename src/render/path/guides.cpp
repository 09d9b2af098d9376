#include "render/path/guides.h"

#include <algorithm>

#include "core/parallel.h"

namespace firn {
namespace {

// The slope of the surface that pixel p lies on: towards the neighbour that is nearer in depth, as the other may lie on another one.
float slope(const std::vector<float>& depth, std::size_t p, std::size_t before, std::size_t after) {
  const float a = abs(depth[p] - depth[before]), b = abs(depth[p] - depth[after]);
  if (before == p) return b;
  return after == p ? a : min(a, b);
}

// Calls visit(u, v, number of the pixel) for all pixels up to `reach` away from (x, y).
template <class Visit>
void for_each_near(const TracedPicture& picture, int x, int y, int reach, const Visit& visit) {
  for (int v = std::max(y - reach, 0); v <= std::min(y + reach, picture.height - 1); ++v)
    for (int u = std::max(x - reach, 0); u <= std::min(x + reach, picture.width - 1); ++u) visit(u, v, picture.at(u, v));
}

// Pixels that found one thing only are no more certain than those about them: at least the mean over a pixel and its neighbours.
std::vector<float> expected_variance(const TracedPicture& picture, const std::vector<float>& values) {
  std::vector<float> result(values.size());
  parallel_for(picture.height, [&](int y) {
    for (int x = 0; x < picture.width; ++x) {
      float sum = 0, count = 0;
      for_each_near(picture, x, y, 1, [&](int, int, std::size_t q) {
        sum += values[q];
        ++count;
      });
      result[picture.at(x, y)] = max(values[picture.at(x, y)], sum / count);
    }
  });
  return result;
}

}  // namespace

Guides::Guides(const TracedPicture& picture)
    : width_(picture.width),
      height_(picture.height),
      depth_(picture.depth),
      albedo_variance_(picture.albedo_variance),
      depth_variance_(picture.depth_variance) {
  const std::size_t n = picture.light.size();
  for (int c = 0; c < 3; ++c) {
    albedo_[c].resize(n);
    normal_[c].resize(n);
  }
  for (auto* column : {&spread_, &level_, &slope_x_, &slope_y_, &albedo_variance_, &depth_variance_}) column->resize(n);
  parallel_for(height_, [&](int y) {
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

TracedPicture with_calm_mixtures(const TracedPicture& picture) {
  constexpr int kReach = 3;          // pixels to each side that a feature may be a mean of
  constexpr float kDoubt = 2;        // times the variance that a few samples tell: unlikely mixtures are no other things
  constexpr float kUniform = 2e-4f;  // variance of the albedo: what a pattern on the ground has, at its edges
  if (picture.albedo_variance.empty()) return picture;
  TracedPicture expected = picture;
  expected.albedo_variance = expected_variance(picture, picture.albedo_variance);
  expected.depth_variance = expected_variance(picture, picture.depth_variance);
  for (auto* variances : {&expected.albedo_variance, &expected.depth_variance})
    for (float& variance : *variances) variance *= kDoubt;
  const Guides guides(expected);
  TracedPicture calm = expected;
  parallel_for(picture.height, [&](int y) {
    for (int x = 0; x < picture.width; ++x) {
      const std::size_t p = picture.at(x, y);
      if (expected.albedo_variance[p] < kUniform) continue;
      Colour light = Colour::zero(), variance = Colour::zero(), albedo = Colour::zero();
      Float3 normal = Float3::zero();
      float depth = 0, weights = 0, squares = 0;
      float likest = 0;
      const auto add = [&](std::size_t q, float weight) {
        light += weight * picture.light[q];
        variance += weight * weight * picture.variance[q];
        albedo += weight * picture.albedo[q];
        normal += weight * picture.normal[q];
        depth += weight * picture.depth[q];
        weights += weight;
        squares += weight * weight;
      };
      for_each_near(picture, x, y, kReach, [&](int u, int v, std::size_t q) {
        if (q == p) return;
        const float weight = likeness(guides.mixture_distance(p, q, {u - x, v - y}));
        likest = max(likest, weight);
        add(q, weight);
      });
      add(p, likest > 0 ? likest : 1);  // like the likest of the others: an unlikely mixture does not stay what it is
      calm.light[p] = (1 / weights) * light;
      calm.variance[p] = (1 / (weights * weights)) * variance;
      calm.albedo[p] = (1 / weights) * albedo;
      calm.normal[p] = (1 / weights) * normal;
      calm.depth[p] = depth / weights;
      calm.albedo_variance[p] *= squares / (weights * weights);
      calm.depth_variance[p] *= squares / (weights * weights);
    }
  });
  return calm;
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
