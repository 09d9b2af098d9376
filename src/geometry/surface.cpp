#include "geometry/surface.h"

#include <fmt/format.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/memory.h"
#include "core/parallel.h"
#include "firn/error.h"
#include "geometry/bump_blocks.h"

namespace firn {
namespace {

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

Surface make_surface(const std::vector<Vec<double, 3>>& points, const std::vector<double>& radii, const SurfaceOptions& options) {
  openvdb::initialize();
  const std::vector<Bump> bumps = spread_all(points, radii, options);
  Field field(options);
  field.subtract(bumps);
  Surface surface;
  const std::vector<Bump> spheres = loose_spheres(field, bumps, surface.left_out);
  field.subtract(spheres);
  surface.mesh = make_mesh(field.grid(), options);
  return surface;
}

}  // namespace firn
