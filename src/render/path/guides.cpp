#include <algorithm>

#include "core/parallel.h"
#include "render/path/denoise.h"

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

void Plane::fill_margin() {
  for (int y = 0; y < height_; ++y) {
    std::fill_n(at(-kMargin, y), kMargin, *at(0, y));
    std::fill_n(at(width_, y), kMargin, *at(width_ - 1, y));
  }
  for (int m = 1; m <= kMargin; ++m) {
    std::copy_n(at(-kMargin, 0), stride(), at(-kMargin, -m));
    std::copy_n(at(-kMargin, height_ - 1), stride(), at(-kMargin, height_ - 1 + m));
  }
}

PatchDistances::PatchDistances(const Comparison& light, int radius, int width, int most_rows)
    : light_(light),
      radius_(radius),
      stride_(static_cast<std::size_t>(width + 2 * radius)),
      pixels_(stride_ * (most_rows + 2 * radius)),
      sums_(stride_),
      result_(stride_ * most_rows) {}

void PatchDistances::measure(PixelRange rows, PixelRange columns, Offset offset) {
  rows_ = rows;
  for (int y = rows.begin - radius_; y < rows.end + radius_; ++y) measure_pixels(y, columns, offset);
  for (int y = rows.begin; y < rows.end; ++y) sum_patches(y, columns);
}

// The squared difference less what the variances make us expect, in units of those (Rousselle et al. 2012). One pixel counts no more than
// a difference of two deviations: a single outlier does not tell patches apart, an edge through them does.
void PatchDistances::measure_pixels(int y, PixelRange columns, Offset offset) {
  constexpr float kTolerance = 0.45f * 0.45f;  // smaller: more detail and more noise stay
  constexpr float kUnseen = 1e-8f;             // a squared difference in light that no picture shows
  constexpr float kMost = (2 * 2 - 1) / kTolerance;
  const int begin = columns.begin - radius_, count = columns.size() + 2 * radius_;
  const float *u_p = light_.luminance.at(begin, y), *u_q = light_.luminance.at(begin + offset.x, y + offset.y);
  const float *v_p = light_.variance.at(begin, y), *v_q = light_.variance.at(begin + offset.x, y + offset.y);
  float* distance = pixels(begin, y);
  for (int i = 0; i < count; ++i) {
    const float difference = u_p[i] - u_q[i], expected = v_p[i] + v_q[i];
    distance[i] = min((difference * difference - expected) / (kTolerance * expected + kUnseen), kMost);
  }
}

void PatchDistances::sum_patches(int y, PixelRange columns) {
  const int edge = 2 * radius_ + 1, begin = columns.begin - radius_, count = columns.size() + 2 * radius_;
  const float share = 1 / static_cast<float>(edge * edge);
  std::fill_n(sums_.begin(), count, 0.0f);
  for (int v = -radius_; v <= radius_; ++v) {
    const float* distance = pixels(begin, y + v);
    for (int i = 0; i < count; ++i) sums_[i] += distance[i];
  }
  float* result = result_.data() + (y - rows_.begin) * stride_ + columns.begin;
  for (int i = 0; i < columns.size(); ++i) {
    float sum = 0;
    for (int u = 0; u < edge; ++u) sum += sums_[i + u];
    result[i] = share * sum;
  }
}

}  // namespace firn
