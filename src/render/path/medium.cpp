#include "render/path/medium.h"

#include <fmt/format.h>
#include <nanovdb/util/GridBuilder.h>
#include <nanovdb/util/SampleFromVoxels.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "firn/error.h"
#include "io/rasterize.h"
#include "render/path/majorants.h"
#include "render/path/phase.h"

namespace firn {
namespace {

constexpr double kPackedDensity = 400;  // kg/m³, of the snow that the extinction is given for

struct Voxel {
  std::array<int, 3> at;
  float value;
};

// A particle stands for many grains. Where voxels are finer than particles, each becomes several, scattered in the ball around it and
// into its neighbours', the same ones in every frame: snow gets the texture of grains instead of the blobs of particles.
Frame as_grains(const Frame& frame, const MediumSettings& settings) {
  constexpr double kMostGrains = 64, kReach = 0.87;  // of the cube's edge: its corners' distance from the middle
  const double ratio = settings.particle / settings.voxel;
  const std::size_t count = static_cast<std::size_t>(std::clamp(std::round(ratio * ratio * ratio), 1.0, kMostGrains));
  Frame grains;
  grains.position.reserve(count * frame.size());
  grains.mass.reserve(count * frame.size());
  for (std::size_t p = 0; p < frame.size(); ++p) {
    Rng rng(frame.id.empty() ? p : frame.id[p]);
    for (std::size_t k = 0; k < count; ++k) {
      const Float3 way = direction_about({0, 1, 0}, 1 - 2 * random_float(rng), random_float(rng));
      const double far = count > 1 ? kReach * settings.particle * std::cbrt(rng.uniform()) : 0;
      std::array<double, 3> x = frame.position[p];
      for (std::size_t d = 0; d < 3; ++d) x[d] += far * way[static_cast<int>(d)];
      grains.position.push_back(x);
      if (!frame.mass.empty()) grains.mass.push_back(frame.mass[p] / static_cast<double>(count));
    }
  }
  return grains;
}

nanovdb::GridHandle<> build(const std::vector<Voxel>& voxels) {
  nanovdb::GridBuilder<float> builder(0.0f);
  auto accessor = builder.getAccessor();
  for (const Voxel& voxel : voxels) accessor.setValue(nanovdb::Coord(voxel.at[0], voxel.at[1], voxel.at[2]), voxel.value);
  return builder.getHandle<>(1.0, nanovdb::Vec3d(0.0), "extinction");
}

Majorants bounds_of(const std::vector<Voxel>& voxels) {
  if (voxels.empty()) return {};
  std::array<int, 3> low = voxels.front().at, high = low;
  for (const Voxel& voxel : voxels)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], voxel.at[d] - 1);  // interpolation reaches one voxel out
      high[d] = std::max(high[d], voxel.at[d]);
    }
  Majorants bounds(low, high);
  for (const Voxel& voxel : voxels) bounds.add(voxel.at, voxel.value);
  return bounds;
}

// Values between voxels. The sampler refers to the accessor, so both must stay where they are.
class Lookup {
 public:
  explicit Lookup(const nanovdb::FloatGrid& grid) : accessor_(grid.getAccessor()), sampler_(accessor_) {}
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  float operator()(const Float3& q) const { return sampler_(nanovdb::Vec3f(q[0], q[1], q[2])); }

 private:
  using Accessor = nanovdb::FloatGrid::AccessorType;
  Accessor accessor_;
  nanovdb::SampleFromVoxels<Accessor, 1, true> sampler_;
};

}  // namespace

struct Medium::Grid {
  Grid(const std::vector<Voxel>& voxels, const Float3& voxel_origin, float voxels_per_unit)
      : handle(build(voxels)), values(handle.grid<float>()), bounds(bounds_of(voxels)), origin(voxel_origin), scale(voxels_per_unit) {}

  Float3 to_voxels(const Float3& p) const { return scale * p + origin; }

  nanovdb::GridHandle<> handle;
  const nanovdb::FloatGrid* values;
  Majorants bounds;
  Float3 origin;  // of the view in voxels
  float scale;    // voxels in a view unit
};

Medium::~Medium() = default;
Medium::Medium(Medium&&) noexcept = default;

Medium::Medium(const Frame& frame, const Camera& camera, const MediumSettings& settings) {
  const NodeFields nodes = rasterize("the frame", as_grains(frame, settings), {settings.voxel, Kernel::kCubic, 3});
  // Voxels are counted from the one at the camera's focus: far from the world's origin floats would be too coarse.
  std::array<int, 3> base;
  Float3 origin;
  for (std::size_t d = 0; d < 3; ++d) {
    const double focus = camera.focus[static_cast<int>(d)] / settings.voxel;
    base[d] = static_cast<int>(std::floor(focus));
    origin[static_cast<int>(d)] = static_cast<float>(focus - base[d]);
  }
  const double volume = settings.voxel * settings.voxel * settings.voxel;
  const float factor = static_cast<float>(settings.extinction / kPackedDensity / volume * camera.radius);
  std::vector<Voxel> voxels;
  voxels.reserve(nodes.mass.size());
  for (std::size_t leaf = 0; leaf < nodes.leaves(); ++leaf)
    nodes.for_each_touched(leaf, [&](int offset, std::size_t value) {
      const std::array<int, 3> in_leaf{offset >> 6, offset >> 3 & 7, offset & 7};
      Voxel voxel{{}, factor * nodes.mass[value]};
      for (std::size_t d = 0; d < 3; ++d) voxel.at[d] = nodes.origin[leaf][d] + in_leaf[d] - base[d];
      voxels.push_back(voxel);
    });
  grid_ = std::make_unique<Grid>(voxels, origin, static_cast<float>(camera.radius / settings.voxel));
}

Medium::Medium(const Float3& low, const Float3& high, float extinction, int count) {
  float longest = 0;
  for (int d = 0; d < 3; ++d) longest = max(longest, high[d] - low[d]);
  const float scale = static_cast<float>(count) / longest;
  std::vector<Voxel> voxels;
  std::array<int, 3> n;
  for (int d = 0; d < 3; ++d) n[static_cast<std::size_t>(d)] = static_cast<int>(std::lround((high[d] - low[d]) * scale));
  for (int i = 0; i <= n[0]; ++i)
    for (int j = 0; j <= n[1]; ++j)
      for (int k = 0; k <= n[2]; ++k) voxels.push_back({{i, j, k}, extinction});
  grid_ = std::make_unique<Grid>(voxels, -scale * low, scale);
}

float Medium::extinction(const Float3& p) const { return Lookup(*grid_->values)(grid_->to_voxels(p)); }

Float3 Medium::gradient(const Float3& p) const {
  const float step = 1 / grid_->scale;  // a voxel
  Float3 g;
  for (int d = 0; d < 3; ++d) {
    Float3 to_side = Float3::zero();
    to_side[d] = step;
    g[d] = (extinction(p + to_side) - extinction(p - to_side)) / (2 * step);
  }
  return g;
}

std::optional<float> Medium::collide(const Ray& ray, float farthest, Rng& rng) const {
  const Float3 from = grid_->to_voxels(ray.origin), way = grid_->scale * ray.direction;
  const Lookup value(*grid_->values);
  std::optional<float> found;
  float left = -std::log1p(-random_float(rng));  // optical length to the next trial
  grid_->bounds.walk(from, way, farthest, [&](float t, float end, float bound) {
    while (bound * (end - t) > left) {
      t += left / bound;
      left = -std::log1p(-random_float(rng));
      if (random_float(rng) * bound >= value(from + t * way)) continue;
      found = t;
      return false;
    }
    left -= bound * (end - t);
    return true;
  });
  return found;
}

float Medium::transmittance(const Ray& ray, float farthest, Rng& rng) const {
  constexpr float kFaint = 0.1f;  // below, most estimates end early
  const Float3 from = grid_->to_voxels(ray.origin), way = grid_->scale * ray.direction;
  const Lookup value(*grid_->values);
  float through = 1;
  float left = -std::log1p(-random_float(rng));
  grid_->bounds.walk(from, way, farthest, [&](float t, float end, float bound) {
    while (bound * (end - t) > left) {
      t += left / bound;
      left = -std::log1p(-random_float(rng));
      through *= 1 - value(from + t * way) / bound;
      if (through >= kFaint) continue;
      if (random_float(rng) * kFaint >= through) {
        through = 0;
        return false;
      }
      through = kFaint;
    }
    left -= bound * (end - t);
    return true;
  });
  return through;
}

}  // namespace firn
