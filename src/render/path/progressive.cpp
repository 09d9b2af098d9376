#include "render/path/progressive.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "core/parallel.h"

namespace firn {
namespace {

constexpr int kTile = 16;  // pixels

int tiles_along(int pixels) { return (pixels + kTile - 1) / kTile; }

}  // namespace

ProgressivePicture::ProgressivePicture(std::vector<Moment> moments, const PictureSize& size)
    : moments_(std::move(moments)),
      size_(size),
      across_(tiles_along(size.width)),
      counts_(static_cast<std::size_t>(across_) * static_cast<std::size_t>(tiles_along(size.height))),
      sums_(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)) {
  for (const Moment& moment : moments_) projections_.push_back(projection_of(moment.camera, size.width, size.height));
}

// Calls visit(x, y, number of the pixel).
template <class Visit>
void ProgressivePicture::for_each_pixel(int tile, Visit visit) const {
  const int x0 = tile % across_ * kTile, y0 = tile / across_ * kTile;
  for (int y = y0; y < std::min(y0 + kTile, size_.height); ++y)
    for (int x = x0; x < std::min(x0 + kTile, size_.width); ++x)
      visit(x, y, static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) + static_cast<std::size_t>(x));
}

void ProgressivePicture::add_to_tile(int tile, int samples) {
  int& count = counts_[static_cast<std::size_t>(tile)];
  for_each_pixel(tile, [&](int x, int y, std::size_t at) {
    Sums& sums = sums_[at];
    for (int s = count; s < count + samples; ++s) {
      Rng rng(Rng::cell_key(size_.seed, x, y, s));
      const float u = static_cast<float>(x) + random_float(rng), v = static_cast<float>(y) + random_float(rng);
      const std::size_t moment = static_cast<std::size_t>(s) % moments_.size();
      const Projection& projection = projections_[moment];
      const PathTracer::Sample sample = moments_[moment].tracer.trace(projection.ray_through(u, v), 1 / projection.scale, rng);
      sums.light += sample.light;
      sums.squares += multiply(sample.light, sample.light);
      sums.albedo += sample.albedo;
      sums.normal += sample.normal;
      sums.depth += sample.depth;
      sums.squared_albedo += dot(sample.albedo, sample.albedo);
      sums.squared_depth += sample.depth * sample.depth;
    }
  });
  count += samples;
}

bool ProgressivePicture::add(int samples, const std::function<bool(double fraction)>& progress) {
  const int tiles = static_cast<int>(counts_.size());
  std::atomic<bool> stopped = false;
  std::mutex reporting;
  int done = 0;
  parallel_for(tiles, [&](int tile) {
    if (stopped) return;
    add_to_tile(tile, samples);
    const std::lock_guard lock(reporting);
    if (!stopped && progress && !progress(static_cast<double>(++done) / tiles)) stopped = true;
  });
  return !stopped;
}

int ProgressivePicture::samples() const { return *std::min_element(counts_.begin(), counts_.end()); }

TracedPicture ProgressivePicture::picture() const {
  TracedPicture picture{size_.width, size_.height, {}, {}, {}, {}, {}, {}, {}};
  picture.light.resize(sums_.size());
  picture.variance.resize(sums_.size());
  picture.albedo.resize(sums_.size());
  picture.normal.resize(sums_.size());
  for (auto* column : {&picture.depth, &picture.albedo_variance, &picture.depth_variance}) column->resize(sums_.size());
  for (int tile = 0; tile < static_cast<int>(counts_.size()); ++tile) {
    const float n = static_cast<float>(counts_[static_cast<std::size_t>(tile)]), each = 1 / n;
    for_each_pixel(tile, [&](int, int, std::size_t at) {
      const Colour light = each * sums_[at].light;
      const Colour spread = each * sums_[at].squares - multiply(light, light);
      picture.light[at] = light;
      for (int c = 0; c < 3; ++c) picture.variance[at][c] = n > 1 ? max(spread[c], 0.0f) / (n - 1) : light[c] * light[c];
      picture.albedo[at] = each * sums_[at].albedo;
      picture.normal[at] = each * sums_[at].normal;
      picture.depth[at] = each * sums_[at].depth;
      const Colour& albedo = picture.albedo[at];
      const auto variance = [n](float mean_square, float square_of_mean) {
        return n > 1 ? max(mean_square - square_of_mean, 0.0f) / (n - 1) : 0;
      };
      picture.albedo_variance[at] = variance(each * sums_[at].squared_albedo, dot(albedo, albedo));
      picture.depth_variance[at] = variance(each * sums_[at].squared_depth, picture.depth[at] * picture.depth[at]);
    });
  }
  return picture;
}

}  // namespace firn
