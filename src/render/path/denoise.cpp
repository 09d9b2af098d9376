#include "render/path/denoise.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>

#include "render/path/fireflies.h"
#include "render/path/guides.h"
#include "render/path/patches.h"

namespace firn {
namespace {

constexpr int kBand = 16;    // rows that are filtered together
constexpr int kWindow = 8;   // pixels to each side that a pixel may be a mean of
constexpr int kVicinity = 3; // pixels to each side over which variances are averaged

using Channels = std::array<std::vector<float>, 3>;

// The light that falls on what is seen: textures and the edges of bodies are not blurred with it. Where albedo is the same all around, as
// in snow, this changes nothing but the scale.
Colour divisor(const Colour& albedo) {
  constexpr float kDarkest = 0.05f;  // darker things show little of their noise
  Colour d;
  for (int c = 0; c < 3; ++c) d[c] = max(albedo[c], kDarkest);
  return d;
}

NoisyLight incident_light(const TracedPicture& picture) {
  NoisyLight light{picture.light, picture.variance};
  tbb::parallel_for(std::size_t{0}, light.mean.size(), [&](std::size_t p) {
    const Colour d = divisor(picture.albedo[p]);
    for (int c = 0; c < 3; ++c) {
      light.mean[p][c] /= d[c];
      light.variance[p][c] /= d[c] * d[c];
    }
  });
  return light;
}

// The variances of a few samples are as noisy as the light, and small where the rare bright sample is missing, so that a filter that
// believed them would leave the bright out and darken the picture. Pixels that show the same have about the same variance.
float common_variance(const std::vector<float>& variance, const Guides& guides, int x, int y) {
  const std::size_t p = static_cast<std::size_t>(y) * guides.width() + x;
  float sum = 0, weights = 0;
  for (int v = std::max(y - kVicinity, 0); v <= std::min(y + kVicinity, guides.height() - 1); ++v)
    for (int u = std::max(x - kVicinity, 0); u <= std::min(x + kVicinity, guides.width() - 1); ++u) {
      const std::size_t q = static_cast<std::size_t>(v) * guides.width() + u;
      const float weight = likeness(guides.distance(p, q, {u - x, v - y}));
      sum += weight * variance[q];
      weights += weight;
    }
  return sum / weights;
}

Comparison comparison(const NoisyLight& light, const Guides& guides) {
  const int width = guides.width(), height = guides.height();
  std::vector<float> variance(light.mean.size());
  tbb::parallel_for(std::size_t{0}, variance.size(), [&](std::size_t p) { variance[p] = luminance_variance(light.variance[p]); });
  Comparison result{Plane(width, height), Plane(width, height)};
  tbb::parallel_for(0, height, [&](int y) {
    for (int x = 0; x < width; ++x) {
      result.luminance.row(y)[x] = luminance(light.mean[static_cast<std::size_t>(y) * width + x]);
      result.variance.row(y)[x] = common_variance(variance, guides, x, y);
    }
  });
  result.luminance.fill_margin();
  result.variance.fill_margin();
  return result;
}

Channels channels_of(const std::vector<Colour>& colours) {
  Channels channels;
  for (int c = 0; c < 3; ++c) {
    channels[c].resize(colours.size());
    for (std::size_t p = 0; p < colours.size(); ++p) channels[c][p] = colours[p][c];
  }
  return channels;
}

// Sums over the windows of a band of rows.
class Band {
 public:
  Band(const Comparison& light, const Guides& guides, Range rows)
      : guides_(guides), rows_(rows), patches_(light, guides.width(), rows.size()), weights_(guides.width()) {
    const std::size_t n = static_cast<std::size_t>(rows.size()) * guides.width();
    for (auto* sums : {&sum_[0], &sum_[1], &sum_[2], &total_}) sums->assign(n, 0);
  }

  void add(const Channels& colours, Offset offset) {
    const Range columns = partners(guides_.width(), offset.x), all_rows = partners(guides_.height(), offset.y);
    const Range rows{std::max(rows_.begin, all_rows.begin), std::min(rows_.end, all_rows.end)};
    if (rows.size() <= 0 || columns.size() <= 0) return;
    patches_.measure(rows, columns, offset);
    for (int y = rows.begin; y < rows.end; ++y) add_row(colours, offset, y, columns);
  }

  Colour mean(int x, int y) const {
    const std::size_t i = index(x, y);
    return {sum_[0][i] / total_[i], sum_[1][i] / total_[i], sum_[2][i] / total_[i]};
  }

 private:
  std::size_t index(int x, int y) const { return static_cast<std::size_t>(y - rows_.begin) * guides_.width() + x; }

  void add_row(const Channels& colours, Offset offset, int y, Range columns) {
    const std::size_t p = static_cast<std::size_t>(y) * guides_.width(), q = p + offset.y * guides_.width() + offset.x;
    const float* patch = patches_.row(y);
    float *weight = weights_.data(), *total = total_.data() + index(0, y);
    for (int x = columns.begin; x < columns.end; ++x) {
      weight[x] = likeness(max(patch[x], 0.0f) + guides_.distance(p + x, q + x, offset));
      total[x] += weight[x];
    }
    for (int c = 0; c < 3; ++c) {
      const float* colour = colours[c].data() + q;
      float* sum = sum_[c].data() + index(0, y);
      for (int x = columns.begin; x < columns.end; ++x) sum[x] += weight[x] * colour[x];
    }
  }

  const Guides& guides_;
  Range rows_;
  PatchDistances patches_;
  std::vector<float> weights_;  // of one row
  Channels sum_;
  std::vector<float> total_;
};

}  // namespace

std::vector<Colour> denoise(const TracedPicture& picture) {
  const Guides guides(picture);
  const NoisyLight light = without_fireflies(incident_light(picture), guides);
  const Comparison compared = comparison(light, guides);
  const Channels colours = channels_of(light.mean);
  std::vector<Colour> result = picture.light;
  const int bands = (picture.height + kBand - 1) / kBand;
  tbb::parallel_for(0, bands, [&](int i) {
    const Range rows{i * kBand, std::min((i + 1) * kBand, picture.height)};
    Band band(compared, guides, rows);
    for (int v = -kWindow; v <= kWindow; ++v)
      for (int u = -kWindow; u <= kWindow; ++u) band.add(colours, {u, v});
    for (int y = rows.begin; y < rows.end; ++y)
      for (int x = 0; x < picture.width; ++x) {
        const std::size_t p = picture.at(x, y);
        if (compared.variance.row(y)[x] > 0) result[p] = multiply(band.mean(x, y), divisor(picture.albedo[p]));
      }
  });
  return result;
}

}  // namespace firn
