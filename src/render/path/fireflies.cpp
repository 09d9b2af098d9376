#include "render/path/fireflies.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/parallel.h"

namespace firn {
namespace {

constexpr int kReach = 2;       // pixels to each side that a pixel is compared with
constexpr int kQuorum = 6;      // fewer neighbours of its kind cannot judge a pixel
constexpr float kExcess = 2;    // times what is bright nearby: beyond what skewed noise does often
constexpr float kDoubt = 0.5f;  // relative deviation from which on a pixel's light may be that of one sample

// The third brightest of what was added: two fireflies side by side do not vouch for each other.
class Bright {
 public:
  void add(float luminance) {
    ++count_;
    if (luminance > top_[2]) top_[2] = luminance;
    if (top_[2] > top_[1]) std::swap(top_[2], top_[1]);
    if (top_[1] > top_[0]) std::swap(top_[1], top_[0]);
  }
  int count() const { return count_; }
  float third() const { return top_[2]; }

 private:
  std::array<float, 3> top_{};
  int count_ = 0;
};

// The luminance that pixel (x, y) would not be much above by itself.
float bright_nearby(const std::vector<Colour>& light, const Guides& guides, int x, int y) {
  const auto at = [&](int u, int v) { return static_cast<std::size_t>(v) * guides.width() + u; };
  const std::size_t p = at(x, y);
  Bright alike, all;
  for (int v = std::max(y - kReach, 0); v <= std::min(y + kReach, guides.height() - 1); ++v)
    for (int u = std::max(x - kReach, 0); u <= std::min(x + kReach, guides.width() - 1); ++u) {
      const std::size_t q = at(u, v);
      if (q == p) continue;
      all.add(luminance(light[q]));
      if (guides.distance(p, q, {u - x, v - y}) < 1) alike.add(luminance(light[q]));
    }
  if (alike.count() >= kQuorum) return alike.third();
  return all.count() >= kQuorum ? all.third() : std::numeric_limits<float>::infinity();
}

}  // namespace

NoisyLight without_fireflies(const NoisyLight& light, const Guides& guides) {
  NoisyLight calm = light;
  parallel_for(guides.height(), [&](int y) {
    for (int x = 0; x < guides.width(); ++x) {
      const std::size_t p = static_cast<std::size_t>(y) * guides.width() + x;
      const float shown = luminance(light.mean[p]);
      if (luminance_variance(light.variance[p]) < kDoubt * kDoubt * shown * shown) continue;
      const float bright = bright_nearby(light.mean, guides, x, y);
      // Where nearly all is dark, light is rare and not wrong: it is left to be spread.
      if (bright == 0 || shown <= kExcess * bright) continue;
      const float dimming = bright / shown;
      calm.mean[p] = dimming * light.mean[p];
      calm.variance[p] = dimming * dimming * light.variance[p];
    }
  });
  return calm;
}

}  // namespace firn
