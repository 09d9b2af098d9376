// Upper bounds of the extinction, block by block, and the blocks that a ray goes through: free flights step through thin snow in large
// steps and through dense snow in small ones.
#include <fmt/format.h>
#include <nanovdb/util/GridBuilder.h>
#include <nanovdb/util/SampleFromVoxels.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "firn/error.h"
#include "render/path/snow_grains.h"
#include "render/path/tracer.h"
#include "render/shared/vector.h"

namespace firn {

class Majorants {
 public:
  static constexpr std::size_t kMostBlocks = std::size_t{1} << 24;

  Majorants() = default;
  // Voxels `low` to `high`, both with values; blocks of 8³ voxels, larger ones where those would be too many.
  Majorants(const std::array<int, 3>& low, const std::array<int, 3>& high) : low_(low) {
    do {
      for (std::size_t d = 0; d < 3; ++d) n_[d] = ((high[d] - low[d]) >> log2_) + 1;
    } while (static_cast<double>(n_[0]) * n_[1] * n_[2] > kMostBlocks && ++log2_);
    bound_.resize(static_cast<std::size_t>(n_[0]) * static_cast<std::size_t>(n_[1]) * static_cast<std::size_t>(n_[2]));
  }

  // A value counts in the block of its voxel and, being interpolated, in those just below it.
  void add(const std::array<int, 3>& voxel, float value) {
    for (int corner = 0; corner < 8; ++corner) {
      std::size_t at[3];
      bool inside = true;
      for (int d = 0; d < 3; ++d) {
        const int relative = voxel[static_cast<std::size_t>(d)] - (corner >> d & 1) - low_[static_cast<std::size_t>(d)];
        inside = inside && relative >= 0;
        at[d] = static_cast<std::size_t>(relative >> log2_);
      }
      if (!inside) continue;
      float& bound = bound_[index(at[0], at[1], at[2])];
      bound = std::max(bound, value);
    }
  }

  // Calls visit(t0, t1, bound) for the blocks along origin + t·direction, in order, t from 0 to `farthest`, until it returns false.
  // Points are in voxels. Blocks with nothing in them are left out.
  template <class Visit>
  void walk(const Float3& origin, const Float3& direction, float farthest, Visit visit) const {
    float enter = 0, leave = farthest;
    const float edge = static_cast<float>(1 << log2_);
    Float3 o, d;  // in blocks, from the first
    for (int a = 0; a < 3; ++a) {
      o[a] = (origin[a] - static_cast<float>(low_[static_cast<std::size_t>(a)])) / edge;
      d[a] = direction[a] / edge;
      const float near = (0 - o[a]) / d[a], far = (static_cast<float>(n_[static_cast<std::size_t>(a)]) - o[a]) / d[a];
      if (d[a] == 0 && (o[a] < 0 || o[a] >= static_cast<float>(n_[static_cast<std::size_t>(a)]))) return;
      if (d[a] == 0) continue;
      enter = std::max(enter, std::min(near, far));
      leave = std::min(leave, std::max(near, far));
    }
    if (bound_.empty() || !(enter < leave)) return;
    step_through(o, d, enter, leave, visit);
  }

 private:
  std::size_t index(std::size_t i, std::size_t j, std::size_t k) const {
    return (i * static_cast<std::size_t>(n_[1]) + j) * static_cast<std::size_t>(n_[2]) + k;
  }

  template <class Visit>
  void step_through(const Float3& o, const Float3& d, float t, float leave, Visit visit) const {
    int cell[3], step[3];
    float next[3], delta[3];
    for (int a = 0; a < 3; ++a) {
      const int last = n_[static_cast<std::size_t>(a)] - 1;
      cell[a] = std::clamp(static_cast<int>(std::floor(o[a] + t * d[a])), 0, last);
      step[a] = d[a] > 0 ? 1 : -1;
      delta[a] = d[a] != 0 ? std::abs(1 / d[a]) : std::numeric_limits<float>::infinity();
      next[a] = d[a] != 0 ? (static_cast<float>(cell[a] + (d[a] > 0)) - o[a]) / d[a] : std::numeric_limits<float>::infinity();
    }
    while (t < leave) {
      const int a = next[0] < next[1] ? (next[0] < next[2] ? 0 : 2) : (next[1] < next[2] ? 1 : 2);
      const float end = std::min(next[a], leave);
      const float bound =
          bound_[index(static_cast<std::size_t>(cell[0]), static_cast<std::size_t>(cell[1]), static_cast<std::size_t>(cell[2]))];
      if (bound > 0 && end > t && !visit(t, end, bound)) return;
      t = std::max(t, end);
      cell[a] += step[a];
      next[a] += delta[a];
      if (cell[a] < 0 || cell[a] >= n_[static_cast<std::size_t>(a)]) return;
    }
  }

  int log2_ = 3;
  std::array<int, 3> low_{0, 0, 0}, n_{0, 0, 0};
  std::vector<float> bound_;
};

namespace {

constexpr double kPackedDensity = 400;  // kg/m³, of the snow that the extinction is given for
// A voxel where light gets no farther than a part of it is as good as solid: what is denser looks the same, and following light through it
// in ever smaller steps would never end.
constexpr float kMostPerVoxel = 64;

struct Voxel {
  std::array<int, 3> at;
  float value;
};

// Colours are where velocities would be: rasterize() takes means of those, weighted by mass.
Frame coloured_grains(const Frame& frame, const MediumSettings& settings, const std::vector<Colour>& colours) {
  Frame grains = as_grains(frame, settings.particle, settings.voxel, settings.particles);
  if (settings.blur > 0) blur(grains, frame, settings.blur);
  if (colours.empty()) return grains;
  const std::size_t count = grains.size() / frame.size();  // for every particle
  grains.velocity.resize(grains.size());
  for (std::size_t k = 0; k < grains.size(); ++k)
    for (int c = 0; c < 3; ++c) grains.velocity[k][static_cast<std::size_t>(c)] = colours[k / count][c];
  return grains;
}

// value(i) of the i-th voxel.
template <class Value>
nanovdb::GridHandle<> build(const std::vector<Voxel>& voxels, const char* name, const Value& value) {
  using Number = decltype(value(0));
  nanovdb::GridBuilder<Number> builder(Number(0.0f));
  auto accessor = builder.getAccessor();
  for (std::size_t i = 0; i < voxels.size(); ++i)
    accessor.setValue(nanovdb::Coord(voxels[i].at[0], voxels[i].at[1], voxels[i].at[2]), value(i));
  return builder.template getHandle<>(1.0, nanovdb::Vec3d(0.0), name);
}

nanovdb::GridHandle<> build_extinction(const std::vector<Voxel>& voxels) {
  return build(voxels, "extinction", [&](std::size_t i) { return voxels[i].value; });
}

// The reflectance times the extinction: what can be interpolated up to where the snow ends. Nothing of snow without colours.
nanovdb::GridHandle<> build_coloured(const std::vector<Voxel>& voxels, const std::vector<std::array<float, 3>>& reflectance) {
  if (reflectance.empty()) return {};
  return build(voxels, "coloured extinction", [&](std::size_t i) {
    const auto& [r, g, b] = reflectance[i];
    return voxels[i].value * nanovdb::Vec3f(r, g, b);
  });
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

// Values between voxels.
template <class Grid>
class Lookup {
 public:
  using Value = typename Grid::ValueType;

  explicit Lookup(const Grid& grid) : accessor_(grid.getAccessor()) {}

  // One of the eight voxels around q, chosen with the weights of linear interpolation: the interpolated value in the mean, which is all
  // that tracking needs, for an eighth of the reads.
  Value one_near(const Float3& q, Rng& rng) const {
    constexpr int kBits = 21;
    constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;
    const std::uint64_t random = rng.next();
    nanovdb::Coord at;
    for (int d = 0; d < 3; ++d) {
      const float floor = std::floor(q[d]);
      const float chance = static_cast<float>(random >> (d * kBits) & kMask) * 0x1p-21f;
      at[d] = static_cast<int>(floor) + (chance < q[d] - floor);
    }
    return accessor_.getValue(at);
  }

  Value operator()(const Float3& q) const {
    return nanovdb::SampleFromVoxels<Accessor, 1, false>(accessor_)(nanovdb::Vec3f(q[0], q[1], q[2]));
  }

 private:
  using Accessor = typename Grid::AccessorType;
  Accessor accessor_;
};

// The optical length to the next trial.
float flight(Rng& rng) { return -std::log(1 - random_float(rng)); }

}  // namespace

struct Medium::Grid {
  // `reflectance` of all voxels; empty: the snow has no colours of its own.
  Grid(const std::vector<Voxel>& voxels, const std::vector<std::array<float, 3>>& reflectance, const Float3& voxel_origin,
       float voxels_per_unit)
      : handle(build_extinction(voxels)),
        values(handle.grid<float>()),
        coloured_handle(build_coloured(voxels, reflectance)),
        coloured(reflectance.empty() ? nullptr : coloured_handle.grid<nanovdb::Vec3f>()),
        bounds(bounds_of(voxels)),
        origin(voxel_origin),
        scale(voxels_per_unit) {}

  Float3 to_voxels(const Float3& p) const { return scale * p + origin; }

  nanovdb::GridHandle<> handle;
  const nanovdb::FloatGrid* values;
  nanovdb::GridHandle<> coloured_handle;
  const nanovdb::Vec3fGrid* coloured;  // null: without colours
  Majorants bounds;
  Float3 origin;  // of the view in voxels
  float scale;    // voxels in a view unit
};

Medium::~Medium() = default;
Medium::Medium(Medium&&) noexcept = default;

NodeFields snow_voxels(const Frame& frame, const MediumSettings& settings, const std::vector<Colour>& colours) {
  if (settings.blur > 0 && frame.velocity.size() != frame.size())
    throw UserError(settings.frame + ": motion blur (shutter) needs velocities, and the frame has none");
  return rasterize(settings.frame, coloured_grains(frame, settings, colours), {settings.voxel, Kernel::kCubic, 3});
}

Medium::Medium(const NodeFields& snow, const Camera& camera, const MediumSettings& settings) {
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
  const float most = kMostPerVoxel * static_cast<float>(camera.radius / settings.voxel);
  std::vector<Voxel> voxels;
  voxels.reserve(snow.mass.size());
  for (std::size_t leaf = 0; leaf < snow.leaves(); ++leaf)
    snow.for_each_touched(leaf, [&](int offset, std::size_t value) {
      const std::array<int, 3> in_leaf{offset >> 6, offset >> 3 & 7, offset & 7};
      Voxel voxel{{}, std::min(factor * snow.mass[value], most)};
      for (std::size_t d = 0; d < 3; ++d) voxel.at[d] = snow.origin[leaf][d] + in_leaf[d] - base[d];
      voxels.push_back(voxel);
    });
  // The values of nodes are in the order in which the leaves were gone through.
  grid_ = std::make_unique<Grid>(voxels, snow.velocity, origin, static_cast<float>(camera.radius / settings.voxel));
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
  grid_ = std::make_unique<Grid>(voxels, std::vector<std::array<float, 3>>{}, -scale * low, scale);
}

float Medium::extinction(const Float3& p) const { return Lookup(*grid_->values)(grid_->to_voxels(p)); }

Colour Medium::reflectance(const Float3& p) const {
  constexpr float kLeast = 1e-20f;  // at the snow's very rim rounding may leave nothing of it
  const nanovdb::Vec3f coloured = Lookup(*grid_->coloured)(grid_->to_voxels(p));
  const float scale = 1 / max(extinction(p), kLeast);
  return {min(scale * coloured[0], 1.0f), min(scale * coloured[1], 1.0f), min(scale * coloured[2], 1.0f)};
}

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
  float left = flight(rng);
  grid_->bounds.walk(from, way, farthest, [&](float t, float end, float bound) {
    while (bound * (end - t) > left) {
      t += left / bound;
      left = flight(rng);
      if (random_float(rng) * bound >= value.one_near(from + t * way, rng)) continue;
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
  float left = flight(rng);
  grid_->bounds.walk(from, way, farthest, [&](float t, float end, float bound) {
    while (bound * (end - t) > left) {
      t += left / bound;
      left = flight(rng);
      through *= 1 - value.one_near(from + t * way, rng) / bound;
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
