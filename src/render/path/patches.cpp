#include "render/path/patches.h"

#include <algorithm>

namespace firn {

void Plane::fill_margin() {
  for (int y = 0; y < height_; ++y) {
    std::fill_n(row(y) - kMargin, kMargin, row(y)[0]);
    std::fill_n(row(y) + width_, kMargin, row(y)[width_ - 1]);
  }
  for (int m = 1; m <= kMargin; ++m) {
    std::copy_n(row(0) - kMargin, stride(), row(-m) - kMargin);
    std::copy_n(row(height_ - 1) - kMargin, stride(), row(height_ - 1 + m) - kMargin);
  }
}

PatchDistances::PatchDistances(const Comparison& light, int width, int most_rows)
    : light_(light),
      stride_(static_cast<std::size_t>(width + 2 * kRadius)),
      pixels_(stride_ * (most_rows + 2 * kRadius)),
      columns_(stride_),
      result_(stride_ * most_rows) {}

void PatchDistances::measure(Range rows, Range columns, Offset offset) {
  rows_ = rows;
  for (int y = rows.begin - kRadius; y < rows.end + kRadius; ++y) measure_pixels(y, columns, offset);
  for (int y = rows.begin; y < rows.end; ++y) sum_patches(y, columns);
}

// The squared difference less what the variances make us expect, in units of those (Rousselle et al. 2012).
void PatchDistances::measure_pixels(int y, Range columns, Offset offset) {
  constexpr float kTolerance = 0.45f * 0.45f;  // smaller: more detail and more noise stay
  constexpr float kUnseen = 1e-8f;             // a squared difference in light that no picture shows
  const float *u_p = light_.luminance.row(y), *u_q = light_.luminance.row(y + offset.y) + offset.x;
  const float *v_p = light_.variance.row(y), *v_q = light_.variance.row(y + offset.y) + offset.x;
  float* distance = pixels(y);
  for (int x = columns.begin - kRadius; x < columns.end + kRadius; ++x) {
    const float difference = u_p[x] - u_q[x], expected = v_p[x] + v_q[x];
    distance[x] = (difference * difference - expected) / (kTolerance * expected + kUnseen);
  }
}

void PatchDistances::sum_patches(int y, Range columns) {
  constexpr float kShare = 1.0f / ((2 * kRadius + 1) * (2 * kRadius + 1));
  float* sums = columns_.data() + kRadius;
  for (int x = columns.begin - kRadius; x < columns.end + kRadius; ++x) {
    float sum = 0;
    for (int v = -kRadius; v <= kRadius; ++v) sum += pixels(y + v)[x];
    sums[x] = sum;
  }
  float* result = result_.data() + (y - rows_.begin) * stride_ + kRadius;
  for (int x = columns.begin; x < columns.end; ++x) {
    float sum = 0;
    for (int u = -kRadius; u <= kRadius; ++u) sum += sums[x + u];
    result[x] = kShare * sum;
  }
}

}  // namespace firn
