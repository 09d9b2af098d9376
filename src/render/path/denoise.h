// Takes the noise of few samples out of a traced picture: what guides it, fireflies, how alike patches are.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "render/path/picture.h"

namespace firn {

// What a denoiser is guided by: how alike two pixels are in what they show, whatever light falls on it.

// The way from one pixel to another.
struct Offset {
  int x, y;
};

// 1 for a distance of 0, falling like exp(-distance), 0 from kFarthest on; without the cost of an exponential.
inline constexpr float kFarthest = 4;
inline float likeness(float distance) {
  const float r = max(0.0f, 1 - distance / kFarthest);
  return (r * r) * (r * r);
}

// The features of a picture, one array of each, so that loops over a row work on many pixels at once.
class Guides {
 public:
  explicit Guides(const TracedPicture& picture);

  int width() const { return width_; }
  int height() const { return height_; }

  // How unlike the features of pixels p and q = p + offset are; of the order of 1 where they begin to show different things.
  float distance(std::size_t p, std::size_t q, Offset offset) const {
    constexpr float kNormal = 0.3f;  // differences from which on surfaces are not the same, here and below
    float normal = 0;
    for (int c = 0; c < 3; ++c) normal += square(normal_[c][p] - normal_[c][q]);
    return of_albedo(p, q) + normal / (square(kNormal) + spread_[p] + spread_[q]) + of_depth(p, q, offset);
  }
  // How unlike they are in what they are a mixture of: more of one thing changes albedo and depth together.
  float mixture_distance(std::size_t p, std::size_t q, Offset offset) const { return max(of_albedo(p, q), of_depth(p, q, offset)); }

 private:
  static float square(float x) { return x * x; }

  float of_albedo(std::size_t p, std::size_t q) const {
    constexpr float kAlbedo = 0.08f;
    float albedo = 0;
    for (int c = 0; c < 3; ++c) albedo += square(albedo_[c][p] - albedo_[c][q]);
    return albedo / (square(kAlbedo) + albedo_variance_[p] + albedo_variance_[q]);
  }
  float of_depth(std::size_t p, std::size_t q, Offset offset) const {
    const float slack = min(slack_at(p, offset), slack_at(q, offset));
    return square(depth_[p] - depth_[q]) / (square(slack) + depth_variance_[p] + depth_variance_[q]);
  }

  // The difference in depth that the pixel's surface, gone on straight, may have at an offset.
  float slack_at(std::size_t p, Offset offset) const {
    return level_[p] + abs(static_cast<float>(offset.x)) * slope_x_[p] + abs(static_cast<float>(offset.y)) * slope_y_[p];
  }
  void measure_depth(const TracedPicture& picture, int x, int y);

  int width_, height_;
  std::array<std::vector<float>, 3> albedo_, normal_;
  std::vector<float> spread_;  // variance of the normals in a pixel: rough snow is not told apart by them
  std::vector<float> depth_;
  std::vector<float> albedo_variance_, depth_variance_;  // of the means: at rims, a few samples of snow and ground are a mixture by chance
  std::vector<float> level_, slope_x_, slope_y_;         // slack where the surface faces us, and its growth per pixel
};

// The picture with calmer pixels where they show several things: rims, and snow that is nearly seen through. A few samples find one thing
// or the other by chance, so that such pixels are unlike all others, in their features as in their light, and would stay as specks.
TracedPicture with_calm_mixtures(const TracedPicture& picture);

// Pixels in which one sample outshines all others: paths that found the light by a rare way.

struct NoisyLight {
  std::vector<Colour> mean;
  std::vector<Colour> variance;  // of that mean
};

// The light with such pixels dimmed to what their surroundings show. No mean over a neighbourhood would be wide enough to hide them.
NoisyLight without_fireflies(const NoisyLight& light, const Guides& guides);

// The variance of the luminance from that of the channels: those of a path are bright and dark together, so their deviations add up.
inline float luminance_variance(const Colour& v) {
  const float deviation = luminance({sqrt(v[0]), sqrt(v[1]), sqrt(v[2])});
  return deviation * deviation;
}

// How alike the light about two pixels is: the distance of non-local means, for whole rows of pixels at a time.

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
  // The distances of pixel (x, y) and those right of it, as last measured. About 0 where only noise makes the difference, about 1 where
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

// The light of the picture with every pixel a mean of those around it that show the same thing in the same light. The same thing: first
// seen albedo, normal and depth agree. The same light: small patches about the two differ by no more than their variances make likely
// (non-local means: Buades et al. 2005; with variances and features: Rousselle et al. 2012, 2013). Single outshining samples are dimmed
// first. Edges stay, the mean of the picture stays to about 1 %, pixels without variance stay as they are, bit by bit. The result does
// not depend on the number of threads.
std::vector<Colour> denoise(const TracedPicture& picture);

}  // namespace firn
