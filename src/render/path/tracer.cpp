#include "render/path/tracer.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

#include "core/parallel.h"
#include "render/path/deep_snow.h"
#include "render/path/scattering.h"
#include "render/shared/palette.h"

namespace firn {
namespace {

constexpr int kMostEvents = 4096;  // of one path
constexpr int kEventsBeforeChance = 4;

// Snow that absorbs next to nothing lets paths live on: of those that come back, the part with more than n scatterings falls only
// like n^(-1/2). Going on with chance p = (n / (n + 1))^a thins them out like n^(-a); the weights 1 / p keep a finite variance for
// a < 1/2 only, so the usual fixed chance would not do.
constexpr float kThinning = 0.47f;

float brightest(const Colour& c) { return max(c[0], max(c[1], c[2])); }

}  // namespace

struct PathTracer::Path {
  Ray ray;
  float footprint;
  Rng& rng;
  Colour throughput{1, 1, 1};
  float pdf = 0;  // with which the last turn was chosen; 0: from the camera
  int events = 0;
  Sample sample{};

  // What the camera sees.
  void sees(const Colour& albedo, const Float3& normal, float depth) {
    sample.albedo = albedo;
    sample.normal = normal;
    sample.depth = depth;
  }
};

PathTracer::PathTracer(const Medium& medium, const Stage& stage, const Lights& lights, const SnowLook& snow)
    : medium_(medium), stage_(stage), lights_(lights), snow_(snow) {}

// An estimate of the part of light that gets along the ray from a light so far away.
float PathTracer::visibility(const Ray& ray, float farthest, Rng& rng) const {
  constexpr float kShort = 1 - 1e-4f;  // of the way, so that a lamp does not hide itself
  if (lights_.lamp_ahead(ray).hit.t < kShort * farthest || stage_.trace(ray, farthest, Rays::kLight)) return 0;
  return medium_.transmittance(ray, farthest, rng);
}

// Light that comes to p and turns into the path, and the path's way on.
template <class Scattering>
void PathTracer::scatter_at(Path& path, const Float3& p, const Scattering& scattering) const {
  const LightSample sample = lights_.sample(p, path.rng);
  const Colour arriving = multiply(scattering.value(sample.direction), sample.light);
  if (brightest(arriving) > 0) {
    const float part = sample.pdf > 0 ? share(sample.pdf, scattering.pdf(sample.direction)) : 1;
    const float seen = visibility({p, sample.direction}, sample.distance, path.rng);
    path.sample.light += part * seen * multiply(path.throughput, arriving);
  }
  const Turn turn = scattering.turn(path.rng);
  path.throughput = multiply(path.throughput, turn.weight);
  path.pdf = turn.pdf;
  path.ray = {p, turn.direction};
}

Colour PathTracer::snow_albedo(const Float3& p) const {
  return snow_.coloured ? single_scattering_albedo(medium_.reflectance(p), snow_.anisotropy) : snow_.albedo;
}

void PathTracer::meet_snow(Path& path, float t) const {
  const Float3 p = path.ray.origin + t * path.ray.direction;
  const Colour albedo = snow_albedo(p);
  if (path.events == 0) path.sees(albedo, -normalized(medium_.gradient(p)), t);
  scatter_at(path, p, SnowScattering(path.ray.direction, albedo, snow_.anisotropy));
}

// What lies far behind the snow fades into the sky.
void PathTracer::fade(Path& path, float t) const {
  const float lost = haze(t, norm(path.ray.origin));
  if (lost == 0) return;
  path.sample.light += lost * multiply(path.throughput, lights_.backdrop(path.ray.direction));
  path.throughput = (1 - lost) * path.throughput;
}

void PathTracer::meet_body(Path& path, const StageHit& hit) const {
  constexpr float kBlurred = 2;  // view units: light that was scattered before shows no pattern
  const Colour albedo = body_albedo(hit, path.events == 0 ? path.footprint * hit.t : kBlurred);
  if (path.events == 0) {
    path.sees(albedo, hit.normal, hit.t);
    fade(path, hit.t);
  }
  const Float3 p = stage_.departure(hit, path.ray.origin + hit.t * path.ray.direction);
  if (hit.look->is_metal) {
    scatter_at(path, p, MetalScattering(-path.ray.direction, hit.normal, albedo, hit.look->roughness));
  } else {
    scatter_at(path, p, MatteScattering(hit.normal, albedo));
  }
}

// Ends the path at the lamp ahead, or in what is beyond.
void PathTracer::leave(Path& path, const Lights::LampAhead& ahead) const {
  if (path.events == 0 && ahead.lamp != nullptr) path.sees({1, 1, 1}, ahead.hit.normal, ahead.hit.t);
  const FoundLight light = lights_.found(path.ray, ahead);
  const float part = path.events > 0 ? share(path.pdf, light.pdf) : 1;
  path.sample.light += part * multiply(path.throughput, light.radiance);
}

// Whether the path is followed further.
bool PathTracer::go_on(Path& path) const {
  if (++path.events >= kMostEvents) return false;
  if (path.events < kEventsBeforeChance) return true;
  const float n = static_cast<float>(path.events);
  const float chance = min(1.0f, brightest(path.throughput)) * std::pow(n / (n + 1), kThinning);
  if (random_float(path.rng) >= chance) return false;
  path.throughput = (1 / chance) * path.throughput;
  return true;
}

PathTracer::Sample PathTracer::trace(Ray ray, float footprint, Rng& rng) const {
  Path path{ray, footprint, rng};
  do {
    const Lights::LampAhead ahead = lights_.lamp_ahead(path.ray);
    const std::optional<StageHit> hit = stage_.trace(path.ray, ahead.hit.t, path.events == 0 ? Rays::kSight : Rays::kLight);
    const std::optional<float> t = medium_.collide(path.ray, hit ? hit->t : ahead.hit.t, rng);
    if (t) {
      meet_snow(path, *t);
    } else if (hit) {
      meet_body(path, *hit);
    } else {
      leave(path, ahead);
      break;
    }
  } while (go_on(path));
  return path.sample;
}

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
