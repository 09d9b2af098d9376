#include "render/path/denoise.h"

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

namespace {

constexpr int kBand = 16;     // rows that are filtered together
constexpr int kWindow = 7;    // pixels to each side that a pixel may be a mean of
constexpr int kVicinity = 3;  // pixels to each side over which variances are averaged
// Radii of the patches that are compared, pixels: wide ones see through the noise, small ones find what is left of it.
constexpr int kFirstPatch = 3, kSecondPatch = 1;

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
  parallel_for(light.mean.size(), [&](std::size_t p) {
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

// Light to be filtered, or filtered, and the variance of its luminance.
struct Light {
  std::vector<Colour> mean;
  std::vector<float> variance;
};

Light with_common_variance(const NoisyLight& light, const Guides& guides) {
  std::vector<float> own(light.mean.size()), common(own.size());
  parallel_for(own.size(), [&](std::size_t p) { own[p] = luminance_variance(light.variance[p]); });
  parallel_for(guides.height(), [&](int y) {
    for (int x = 0; x < guides.width(); ++x) common[static_cast<std::size_t>(y) * guides.width() + x] = common_variance(own, guides, x, y);
  });
  return {light.mean, common};
}

Comparison comparison(const Light& light, int width, int height) {
  Comparison result{Plane(width, height), Plane(width, height)};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::size_t p = static_cast<std::size_t>(y) * width + x;
      *result.luminance.at(x, y) = luminance(light.mean[p]);
      *result.variance.at(x, y) = light.variance[p];
    }
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

// All that one pass reads.
struct Input {
  const Guides& guides;
  const std::vector<float>& variance;
  Comparison compared;
  Channels colours;
};

// Sums over the windows of a band of rows.
class Band {
 public:
  Band(const Input& input, PixelRange rows, int patch_radius)
      : input_(input), width_(input.guides.width()), rows_(rows), patches_(input.compared, patch_radius, width_, rows.size()) {
    const std::size_t n = static_cast<std::size_t>(rows.size()) * width_;
    for (auto* sums : {&sum_[0], &sum_[1], &sum_[2], &variance_, &total_}) sums->assign(n, 0);
  }

  // Adds to every pixel the one at an offset from it, where there is one.
  void add(Offset offset) {
    const PixelRange columns = partners(width_, offset.x), all_rows = partners(input_.guides.height(), offset.y);
    const PixelRange rows{std::max(rows_.begin, all_rows.begin), std::min(rows_.end, all_rows.end)};
    if (rows.size() <= 0 || columns.size() <= 0) return;
    patches_.measure(rows, columns, offset);
    for (int y = rows.begin; y < rows.end; ++y) add_row(y, columns, offset);
  }

  Colour mean(int x, int y) const {
    const std::size_t i = index(x, y);
    return {sum_[0][i] / total_[i], sum_[1][i] / total_[i], sum_[2][i] / total_[i]};
  }
  // The variance of that mean.
  float variance(int x, int y) const {
    const std::size_t i = index(x, y);
    return variance_[i] / (total_[i] * total_[i]);
  }

 private:
  std::size_t index(int x, int y) const { return static_cast<std::size_t>(y - rows_.begin) * width_ + x; }

  void add_row(int y, PixelRange columns, Offset offset) {
    for (int x = columns.begin; x < columns.end; x += kPiece) add_piece(y, {x, std::min(x + kPiece, columns.end)}, offset);
  }

  // Weights on the stack overlap with nothing the compiler knows of, and only so it works on many of them at once.
  void add_piece(int y, PixelRange columns, Offset offset) {
    const int n = columns.size();
    const std::size_t p = static_cast<std::size_t>(y) * width_ + columns.begin, first = index(columns.begin, y);
    const std::size_t q = static_cast<std::size_t>(y + offset.y) * width_ + columns.begin + offset.x;
    const float *patch = patches_.at(columns.begin, y), *variance = input_.variance.data() + q;
    float weight[kPiece];
    for (int i = 0; i < n; ++i) weight[i] = likeness(max(patch[i], 0.0f) + input_.guides.distance(p + i, q + i, offset));
    float *total = total_.data() + first, *variances = variance_.data() + first;
    for (int i = 0; i < n; ++i) total[i] += weight[i];
    for (int i = 0; i < n; ++i) variances[i] += weight[i] * weight[i] * variance[i];
    for (int c = 0; c < 3; ++c) {
      const float* colour = input_.colours[c].data() + q;
      float* sum = sum_[c].data() + first;
      for (int i = 0; i < n; ++i) sum[i] += weight[i] * colour[i];
    }
  }

  static constexpr int kPiece = 256;  // pixels of a row

  const Input& input_;
  int width_;
  PixelRange rows_;
  PatchDistances patches_;
  Channels sum_;
  std::vector<float> variance_, total_;
};

// Every pixel a mean over its window.
Light filter(const Light& light, const Guides& guides, int patch_radius) {
  const int width = guides.width(), height = guides.height();
  const Input input{guides, light.variance, comparison(light, width, height), channels_of(light.mean)};
  Light result = light;
  const int bands = (height + kBand - 1) / kBand;
  parallel_for(bands, [&](int i) {
    Band band(input, {i * kBand, std::min((i + 1) * kBand, height)}, patch_radius);
    for (int v = -kWindow; v <= kWindow; ++v)
      for (int u = -kWindow; u <= kWindow; ++u) band.add({u, v});
    for (int y = i * kBand; y < std::min((i + 1) * kBand, height); ++y)
      for (int x = 0; x < width; ++x) {
        const std::size_t p = static_cast<std::size_t>(y) * width + x;
        result.mean[p] = band.mean(x, y);
        result.variance[p] = band.variance(x, y);
      }
  });
  return result;
}

}  // namespace

std::vector<Colour> denoise(const TracedPicture& traced) {
  const TracedPicture picture = with_calm_mixtures(traced);
  const Guides guides(picture);
  const Light noisy = with_common_variance(without_fireflies(incident_light(picture), guides), guides);
  // Where a patch is so unlikely that hardly any is like it, the first pass leaves noise, and a variance that says so to the second.
  const Light calm = filter(filter(noisy, guides, kFirstPatch), guides, kSecondPatch);
  std::vector<Colour> result = picture.light;
  parallel_for(result.size(), [&](std::size_t p) {
    if (noisy.variance[p] > 0) result[p] = multiply(calm.mean[p], divisor(picture.albedo[p]));
  });
  return result;
}

}  // namespace firn
