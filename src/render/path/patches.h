// How alike the light about two pixels is: the distance of non-local means, for whole rows of pixels at a time.
#pragma once

#include <vector>

#include "render/path/guides.h"

namespace firn {

// Numbers of a picture with a margin around it that repeats the outermost pixels.
class Plane {
 public:
  static constexpr int kMargin = 3;  // pixels

  Plane(int width, int height) : width_(width), height_(height), values_(stride() * (height + 2 * kMargin)) {}

  // Pixel (0, y); the row goes on by the margin to both sides, and there are rows of the margin above and below.
  float* row(int y) { return values_.data() + (y + kMargin) * stride() + kMargin; }
  const float* row(int y) const { return values_.data() + (y + kMargin) * stride() + kMargin; }
  void fill_margin();

 private:
  std::size_t stride() const { return static_cast<std::size_t>(width_ + 2 * kMargin); }

  int width_, height_;
  std::vector<float> values_;
};

// What is compared: luminance and its variance, with margins.
struct Comparison {
  Plane luminance, variance;
};

// Pixels begin to end of a row or column.
struct Range {
  int begin, end;
  int size() const { return end - begin; }
};

// The pixels of 0 to n that have a partner `offset` further on within 0 to n.
inline Range partners(int n, int offset) { return {std::max(0, -offset), std::min(n, n - offset)}; }

// Distances of the patches about all pixels of a band of rows from those at an offset. One is used for many offsets.
class PatchDistances {
 public:
  static constexpr int kRadius = 3;  // of a patch, pixels
  static_assert(kRadius <= Plane::kMargin);

  PatchDistances(const Comparison& light, int width, int most_rows);

  void measure(Range rows, Range columns, Offset offset);
  // Of pixel (0, y), a row of the last measure(); only its columns are valid. About 0 where only noise makes the difference, of the order
  // of 1 where the light begins to differ.
  const float* row(int y) const { return result_.data() + (y - rows_.begin) * stride_ + kRadius; }

 private:
  void measure_pixels(int y, Range columns, Offset offset);
  void sum_patches(int y, Range columns);
  float* pixels(int y) { return pixels_.data() + (y - rows_.begin + kRadius) * stride_ + kRadius; }

  const Comparison& light_;
  std::size_t stride_;
  Range rows_{0, 0};
  std::vector<float> pixels_, columns_, result_;
};

}  // namespace firn
