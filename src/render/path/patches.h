// How alike the light about two pixels is: the distance of non-local means, for whole rows of pixels at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "render/path/guides.h"

namespace firn {

// Numbers of a picture with a margin around it that repeats the outermost pixels.
class Plane {
 public:
  static constexpr int kMargin = 3;  // pixels

  Plane(int width, int height) : width_(width), height_(height), values_(stride() * (height + 2 * kMargin)) {}

  // Pixel (x, y) and those to the right of it; within the picture or its margin.
  float* at(int x, int y) { return values_.data() + (y + kMargin) * stride() + x + kMargin; }
  const float* at(int x, int y) const { return values_.data() + (y + kMargin) * stride() + x + kMargin; }
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
struct PixelRange {
  int begin, end;
  int size() const { return end - begin; }
};

// The pixels of 0 to n that have a partner `offset` further on within 0 to n.
inline PixelRange partners(int n, int offset) { return {std::max(0, -offset), std::min(n, n - offset)}; }

// Distances of the patches about all pixels of a band of rows from those at an offset. One is used for many offsets.
class PatchDistances {
 public:
  // `radius` of a patch, at most Plane::kMargin.
  PatchDistances(const Comparison& light, int radius, int width, int most_rows);

  // `rows` and `columns` of pixels whose partners are within the picture.
  void measure(PixelRange rows, PixelRange columns, Offset offset);
  // Of pixel (x, y) and those to the right of it, as last measured. About 0 where only noise makes the difference, of the order of 1 where
  // the light begins to differ.
  const float* at(int x, int y) const { return result_.data() + (y - rows_.begin) * stride_ + x; }

 private:
  void measure_pixels(int y, PixelRange columns, Offset offset);
  void sum_patches(int y, PixelRange columns);
  // Rows and columns start `radius` before the picture's.
  float* pixels(int x, int y) { return pixels_.data() + (y - rows_.begin + radius_) * stride_ + x + radius_; }

  const Comparison& light_;
  int radius_;
  std::size_t stride_;
  PixelRange rows_{0, 0};
  std::vector<float> pixels_, sums_, result_;
};

}  // namespace firn
