#include "render/path/patches.h"

namespace firn {

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
