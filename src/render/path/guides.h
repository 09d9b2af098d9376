// What a denoiser is guided by: how alike two pixels are in what they show, whatever light falls on it.
#pragma once

#include <array>
#include <vector>

#include "render/path/traced_picture.h"

namespace firn {

// From one pixel to another.
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

  // Of pixel q = p + offset from p; of the order of 1 where they begin to show different things.
  float distance(std::size_t p, std::size_t q, Offset offset) const {
    constexpr float kNormal = 0.3f;  // differences from which on surfaces are not the same, here and below
    float normal = 0;
    for (int c = 0; c < 3; ++c) normal += square(normal_[c][p] - normal_[c][q]);
    return of_albedo(p, q) + normal / (square(kNormal) + spread_[p] + spread_[q]) + of_depth(p, q, offset);
  }
  // The same of what pixels are a mixture of: more of one thing changes albedo and depth together.
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
  std::vector<float> level_, slope_x_, slope_y_;  // slack where the surface faces us, and its growth per pixel
};

// The picture with calmer pixels where they show several things: rims, and snow that is nearly seen through. A few samples find one thing
// or the other by chance, so that such pixels are unlike all others, in their features as in their light, and would stay as specks.
TracedPicture with_calm_mixtures(const TracedPicture& picture);

}  // namespace firn
