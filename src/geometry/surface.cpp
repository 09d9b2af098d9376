// Sums of many small bumps on the values of a sparse lattice, block by block.
#include "geometry/surface.h"

#include <fmt/format.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "core/memory.h"
#include "core/parallel.h"
#include "firn/error.h"
#include "math/vec.h"

namespace firn {
namespace {

// height (1 − (distance/reach)²)³, and 0 beyond its reach. Lengths are in steps of the lattice.
struct Bump {
  Vec<double, 3> center;
  double reach = 0;
  double height = 0;

  double at(double distance) const {
    const double rest = 1 - distance * distance / (reach * reach);
    return rest > 0 ? height * rest * rest * rest : 0;
  }
};

// The blocks of 8×8×8 values that some bump reaches, and which bumps reach which.
class BumpBlocks {
 public:
  static constexpr int kEdge = 8, kValues = kEdge * kEdge * kEdge;
  // Block numbers must fit into their share of a key.
  static constexpr double kFarthest = double(kEdge) * (1 << 20);
  // Bytes while the blocks are made, for each pair of a bump and a block it reaches.
  static constexpr double kBytesPerPair = 16;

  // Pairs of a bump and a block it reaches.
  static double count_pairs(std::span<const Bump> bumps);

  // The bumps must stay where they are, and be nowhere beyond kFarthest.
  explicit BumpBlocks(std::span<const Bump> bumps);

  std::size_t size() const { return first_.size() - 1; }
  // The index of the block's first value.
  std::array<std::int32_t, 3> origin(std::size_t block) const;
  // Takes the bumps away from the block's values, z running fastest. Always in the bumps' order, whichever thread does it.
  void subtract_from(std::size_t block, std::span<float, kValues> values) const;

 private:
  struct Pair {
    std::uint64_t block;
    std::uint32_t bump;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };

  std::span<const Bump> bumps_;
  std::vector<Pair> pairs_;         // by block, then by bump
  std::vector<std::size_t> first_;  // pair of every block, and the end
};

constexpr int kKeyBits = 21;
constexpr std::int64_t kKeyOffset = std::int64_t(1) << (kKeyBits - 1), kKeyMask = (std::int64_t(1) << kKeyBits) - 1;

struct Range {
  std::int64_t first, last;

  std::int64_t size() const { return std::max<std::int64_t>(last - first + 1, 0); }
};

// Indices of the lattice that a bump reaches along an axis; none when it lies between two of them.
Range reached(const Bump& bump, int axis) {
  return {static_cast<std::int64_t>(std::ceil(bump.center[axis] - bump.reach)),
          static_cast<std::int64_t>(std::floor(bump.center[axis] + bump.reach))};
}

Range reached_blocks(const Bump& bump, int axis) {
  const auto [first, last] = reached(bump, axis);
  if (first > last) return {0, -1};
  return {first >> 3, last >> 3};
}

std::uint64_t to_key(std::int64_t x, std::int64_t y, std::int64_t z) {
  return static_cast<std::uint64_t>(((x + kKeyOffset) << kKeyBits | (y + kKeyOffset)) << kKeyBits | (z + kKeyOffset));
}

std::size_t count_blocks(const Bump& bump) {
  return static_cast<std::size_t>(reached_blocks(bump, 0).size() * reached_blocks(bump, 1).size() * reached_blocks(bump, 2).size());
}

double BumpBlocks::count_pairs(std::span<const Bump> bumps) {
  double pairs = 0;
  for (const Bump& bump : bumps) pairs += std::pow(2 * bump.reach / kEdge + 1, 3);
  return pairs;
}

BumpBlocks::BumpBlocks(std::span<const Bump> bumps) : bumps_(bumps) {
  std::vector<std::size_t> first(bumps.size() + 1, 0);
  for (std::size_t b = 0; b < bumps.size(); ++b) first[b + 1] = first[b] + count_blocks(bumps[b]);
  pairs_.resize(first.back());
  parallel_for(bumps.size(), [&](std::size_t b) {
    std::size_t at = first[b];
    const Range xs = reached_blocks(bumps[b], 0), ys = reached_blocks(bumps[b], 1), zs = reached_blocks(bumps[b], 2);
    for (std::int64_t x = xs.first; x <= xs.last; ++x)
      for (std::int64_t y = ys.first; y <= ys.last; ++y)
        for (std::int64_t z = zs.first; z <= zs.last; ++z) pairs_[at++] = {to_key(x, y, z), static_cast<std::uint32_t>(b)};
  });
  parallel_sort(pairs_.begin(), pairs_.end());
  for (std::size_t p = 0; p < pairs_.size(); ++p)
    if (p == 0 || pairs_[p].block != pairs_[p - 1].block) first_.push_back(p);
  first_.push_back(pairs_.size());
}

std::array<std::int32_t, 3> BumpBlocks::origin(std::size_t block) const {
  const std::int64_t key = static_cast<std::int64_t>(pairs_[first_[block]].block);
  const auto index = [&](int axis) {
    return static_cast<std::int32_t>(((key >> ((2 - axis) * kKeyBits) & kKeyMask) - kKeyOffset) * kEdge);
  };
  return {index(0), index(1), index(2)};
}

void BumpBlocks::subtract_from(std::size_t block, std::span<float, kValues> values) const {
  const std::array<std::int32_t, 3> start = origin(block);
  for (std::size_t p = first_[block]; p < first_[block + 1]; ++p) {
    const Bump& bump = bumps_[pairs_[p].bump];
    float center[3];  // from the block's first value, where single precision is plenty
    int first[3], last[3];
    for (int d = 0; d < 3; ++d) {
      const Range range = reached(bump, d);
      center[d] = static_cast<float>(bump.center[d] - start[static_cast<std::size_t>(d)]);
      first[d] = static_cast<int>(std::max<std::int64_t>(range.first - start[static_cast<std::size_t>(d)], 0));
      last[d] = static_cast<int>(std::min<std::int64_t>(range.last - start[static_cast<std::size_t>(d)], kEdge - 1));
    }
    const float height = static_cast<float>(bump.height), scale = static_cast<float>(1 / (bump.reach * bump.reach));
    for (int x = first[0]; x <= last[0]; ++x)
      for (int y = first[1]; y <= last[1]; ++y) {
        const float dx = float(x) - center[0], dy = float(y) - center[1];
        const float rest_xy = 1 - scale * (dx * dx + dy * dy);
        if (rest_xy <= 0) continue;
        float* row = &values[static_cast<std::size_t>((x * kEdge + y) * kEdge)];
        for (int z = 0; z < kEdge; ++z) {  // all of the row: a loop of fixed length goes through the machine's vector units
          const float dz = float(z) - center[2];
          const float rest = std::max(rest_xy - scale * dz * dz, 0.0f);
          row[z] -= height * rest * rest * rest;
        }
      }
  }
}

using openvdb::FloatGrid;
using Leaf = FloatGrid::TreeType::LeafNodeType;
static_assert(Leaf::DIM == BumpBlocks::kEdge);

constexpr double kHalfFull = 0.5;  // share of snow at the surface
// The integral of a bump of height 1 is this times reach³.
constexpr double kBumpVolume = 64 * std::numbers::pi / 315;
// Voxels. Bumps of a shorter reach would fall between the values.
constexpr double kLeastReach = 2;
// Voxels. From √3/2 on every sphere has a value inside; triangles cut its corners, and only this one comes out, on average, with the volume
// of a loose particle in the usual voxels.
constexpr double kLeastRadius = 1.15;
constexpr double kSmallestSeen = 0.5;  // voxels: the radius below which a loose particle is left out
constexpr double kLooseRadius = 0.8;   // of a packed particle's: loose snow is powder, not popcorn
constexpr double kSphereReach = 1.5;   // radii: how far a loose particle's own sphere blends with its neighbours'

// One particle's snow, spread: the bump's integral is the particle's volume.
Bump spread(const Vec<double, 3>& point, double radius, const SurfaceOptions& options) {
  const double r = radius * options.radius_factor / options.voxel;
  const double reach = std::max(options.smoothing * r, kLeastReach);
  return {(1 / options.voxel) * point, reach, 4.0 / 3 * std::numbers::pi * r * r * r / (kBumpVolume * reach * reach * reach)};
}

double radius_of(const Bump& bump) { return std::cbrt(bump.height * kBumpVolume * 3 / (4 * std::numbers::pi)) * bump.reach; }

// What lifts the field of a particle alone, `spread`, to the surface's value on a sphere.
Bump own_sphere(const Bump& spread, double radius) {
  const double r = std::max(kLooseRadius * radius, kLeastRadius);
  Bump sphere{spread.center, kSphereReach * r, 1};
  sphere.height = (kHalfFull - spread.at(r)) / sphere.at(r);
  return sphere;
}

[[noreturn]] void refuse(double need, const SurfaceOptions& options) {
  throw UserError(fmt::format("a surface in voxels of {:.3g} m needs {:.3g} GB, this machine has {:.3g} GB free: use a larger voxel",
                              options.voxel, need / 1e9, available_memory() / 1e9));
}

std::vector<Bump> spread_all(const std::vector<Vec<double, 3>>& points, const std::vector<double>& radii, const SurfaceOptions& options) {
  std::vector<Bump> bumps(points.size());
  parallel_for(points.size(), [&](std::size_t p) { bumps[p] = spread(points[p], radii[p], options); });
  for (std::size_t p = 0; p < bumps.size(); ++p)
    if (const double size = bumps[p].reach + norm(bumps[p].center); !std::isfinite(size))
      throw UserError(fmt::format("particle {} is too large or too far away for a surface in voxels", p));
  for (const Bump& bump : bumps)
    for (int d = 0; d < 3; ++d)
      if (!(std::abs(bump.center[d]) + bump.reach < BumpBlocks::kFarthest))
        throw UserError(
            fmt::format("a particle at {} = {:.3g} m is too far from the origin for voxels of {:.3g} m: at most {:.3g} m are allowed",
                        "xyz"[d], bump.center[d] * options.voxel, options.voxel, BumpBlocks::kFarthest * options.voxel));
  const double need = BumpBlocks::kBytesPerPair * BumpBlocks::count_pairs(bumps);
  if (need > available_memory()) refuse(need, options);
  return bumps;
}

// Half minus the share of snow: below 0 inside, as in a level set.
class Field {
 public:
  explicit Field(const SurfaceOptions& options) : options_(options), grid_(FloatGrid::create(float(kHalfFull))) {
    grid_->setGridClass(openvdb::GRID_LEVEL_SET);
  }

  void subtract(const std::vector<Bump>& bumps) {
    const BumpBlocks blocks(bumps);
    constexpr double kBytesPerValue = 16;  // this one, and what OpenVDB notes of it while it makes triangles
    const double need = kBytesPerValue * BumpBlocks::kValues * static_cast<double>(blocks.size());
    if (need > available_memory()) refuse(need, options_);
    std::vector<float*> values(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto [x, y, z] = blocks.origin(b);
      Leaf* leaf = grid_->tree().touchLeaf({x, y, z});
      leaf->setValuesOn();
      values[b] = leaf->buffer().data();
    }
    parallel_for(blocks.size(),
                 [&](std::size_t b) { blocks.subtract_from(b, std::span<float, BumpBlocks::kValues>(values[b], BumpBlocks::kValues)); });
  }

  // The share of snow at any place, linear between the voxels.
  double snow(const Vec<double, 3>& at) const {
    const FloatGrid::ConstAccessor accessor = grid_->getConstAccessor();
    openvdb::Coord low;
    double part[3], sum = 0;
    for (int d = 0; d < 3; ++d) {
      low[d] = static_cast<std::int32_t>(std::floor(at[d]));
      part[d] = at[d] - low[d];
    }
    for (int corner = 0; corner < 8; ++corner) {
      const int i = corner >> 2, j = corner >> 1 & 1, k = corner & 1;
      const double weight = (i ? part[0] : 1 - part[0]) * (j ? part[1] : 1 - part[1]) * (k ? part[2] : 1 - part[2]);
      sum += weight * accessor.getValue(low.offsetBy(i, j, k));
    }
    return kHalfFull - sum;
  }

  const FloatGrid& grid() const { return *grid_; }

 private:
  const SurfaceOptions& options_;
  FloatGrid::Ptr grid_;
};

// Spheres for the particles that the field leaves outside, or nearly. The more snow is around one, the less of a sphere it is: so nothing
// jumps when a particle comes loose.
std::vector<Bump> loose_spheres(const Field& field, const std::vector<Bump>& spread, std::size_t& left_out) {
  std::vector<Bump> spheres(spread.size());
  parallel_for(spread.size(), [&](std::size_t p) {
    const double alone = spread[p].height, around = field.snow(spread[p].center);
    if (around >= kHalfFull || alone >= kHalfFull) return;
    spheres[p] = own_sphere(spread[p], radius_of(spread[p]));
    spheres[p].height *= std::min((kHalfFull - around) / (kHalfFull - alone), 1.0);
  });
  std::vector<Bump> seen;
  for (std::size_t p = 0; p < spread.size(); ++p) {
    if (spheres[p].height <= 0) continue;
    if (radius_of(spread[p]) < kSmallestSeen) {
      ++left_out;
    } else {
      seen.push_back(spheres[p]);
    }
  }
  return seen;
}

Mesh make_mesh(const FloatGrid& grid, const SurfaceOptions& options) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  // On one thread, for the same order of points every time.
  tbb::task_arena(1).execute([&] { openvdb::tools::volumeToMesh(grid, points, triangles, quads, 0.0, options.adaptivity); });
  Mesh mesh;
  mesh.points.reserve(points.size());
  mesh.triangles.reserve(triangles.size() + 2 * quads.size());
  for (const openvdb::Vec3s& x : points) mesh.points.push_back({options.voxel * x[0], options.voxel * x[1], options.voxel * x[2]});
  // OpenVDB's polygons run clockwise.
  for (const openvdb::Vec3I& t : triangles) mesh.triangles.push_back({t[0], t[2], t[1]});
  for (const openvdb::Vec4I& q : quads) {
    mesh.triangles.push_back({q[0], q[2], q[1]});
    mesh.triangles.push_back({q[0], q[3], q[2]});
  }
  return mesh;
}

}  // namespace

SnowSurface make_surface(const std::vector<Vec<double, 3>>& points, const std::vector<double>& radii, const SurfaceOptions& options) {
  openvdb::initialize();
  const std::vector<Bump> bumps = spread_all(points, radii, options);
  Field field(options);
  field.subtract(bumps);
  SnowSurface surface;
  const std::vector<Bump> spheres = loose_spheres(field, bumps, surface.left_out);
  field.subtract(spheres);
  surface.mesh = make_mesh(field.grid(), options);
  return surface;
}

}  // namespace firn
