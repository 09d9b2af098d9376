#include "geometry/level_set.h"

#include <fmt/format.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/memory.h"
#include "core/parallel.h"
#include "firn/error.h"
#include "geometry/volume_builder.h"

namespace firn {
namespace {

using openvdb::FloatGrid;
using openvdb::Int32Grid;

// The mesh as OpenVDB wants to see it: in voxels, counted from the lattice's first value.
class IndexSpaceMesh {
 public:
  IndexSpaceMesh(const Mesh& mesh, const VolumeLattice& lattice) : mesh_(mesh), lattice_(lattice) {}

  std::size_t polygonCount() const { return mesh_.triangles.size(); }
  std::size_t pointCount() const { return mesh_.points.size(); }
  std::size_t vertexCount(std::size_t) const { return 3; }
  void getIndexSpacePoint(std::size_t n, std::size_t v, openvdb::Vec3d& x) const {
    const Vec<double, 3> r = (1 / lattice_.voxel) * (mesh_.points[mesh_.triangles[n][v]] - lattice_.lower);
    x = {r[0], r[1], r[2]};
  }

 private:
  const Mesh& mesh_;
  const VolumeLattice& lattice_;
};

// phi in a tree, in voxels, and the triangle nearest to every active voxel of it.
struct Distances {
  FloatGrid::Ptr phi;
  Int32Grid::Ptr nearest = Int32Grid::create(kNoTriangle);
};

Distances measure(const Mesh& mesh, const VolumeLattice& lattice, const LevelSetOptions& options) {
  const IndexSpaceMesh adapter(mesh, lattice);
  const bool is_sheet = options.thickness > 0;
  const float outside = static_cast<float>((options.band + options.thickness / 2) / lattice.voxel);
  // Distances in voxels: OpenVDB takes a voxel of micrometres for one without size.
  const auto transform = openvdb::math::Transform::createLinearTransform(1.0);
  Distances result;
  // On one thread: the nearest of equally near triangles must not depend on who came first.
  tbb::task_arena(1).execute([&] {
    result.phi = openvdb::tools::meshToVolume<FloatGrid>(adapter, *transform, outside, std::numeric_limits<float>::max(),
                                                         is_sheet ? openvdb::tools::UNSIGNED_DISTANCE_FIELD : 0, result.nearest.get());
  });
  return result;
}

// Which bricks hold active voxels of the tree; trees have nodes of the same size at the same places.
std::vector<std::uint8_t> full_bricks(const FloatGrid& phi, const VolumeLattice& lattice) {
  static_assert(FloatGrid::TreeType::LeafNodeType::DIM == Bricks::kEdge);
  std::vector<std::uint8_t> is_full(lattice.bricks());
  for (auto leaf = phi.tree().cbeginLeaf(); leaf; ++leaf) {
    std::size_t brick = 0;
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      const std::int32_t at = leaf->origin()[d] >> 3;
      inside = inside && at >= 0 && at < lattice.count[d];
      brick = brick * std::size_t(lattice.count[d]) + std::size_t(std::max(at, 0));
    }
    if (inside && leaf->onVoxelCount() > 0) is_full[brick] = 1;
  }
  return is_full;
}

// How many bricks every brick is away from the nearest full one, along the axis where it is farthest: there and back through the
// lattice, each brick one more than the nearest of the neighbours that come before it.
std::vector<std::int32_t> bricks_away(const VolumeLattice& lattice, const Volume& volume) {
  constexpr std::int32_t kFarthest = 1 << 20;
  const std::int64_t ny = lattice.count[1], nz = lattice.count[2];
  std::vector<std::int32_t> away(volume.number.size());
  for (std::size_t b = 0; b < away.size(); ++b) away[b] = volume.number[b] == Bricks::kEmpty ? kFarthest : 0;
  const auto visit = [&](std::int64_t b, int sense) {
    const std::int64_t at[3] = {b / (ny * nz), b / nz % ny, b % nz};
    for (int k = 0; k < 13; ++k) {  // half of the 26 neighbours: those with a smaller number
      const int shift[3] = {sense * (k / 9 - 1), sense * (k / 3 % 3 - 1), sense * (k % 3 - 1)};
      bool in_lattice = true;
      for (int d = 0; d < 3; ++d) in_lattice = in_lattice && at[d] + shift[d] >= 0 && at[d] + shift[d] < lattice.count[d];
      if (!in_lattice) continue;
      const std::int64_t near = b + (shift[0] * ny + shift[1]) * nz + shift[2];
      away[std::size_t(b)] = std::min(away[std::size_t(b)], away[std::size_t(near)] + 1);
    }
  };
  const std::int64_t bricks = static_cast<std::int64_t>(away.size());
  for (std::int64_t b = 0; b < bricks; ++b) visit(b, 1);
  for (std::int64_t b = bricks - 1; b >= 0; --b) visit(b, -1);
  return away;
}

// A brick k bricks away from the nearest full one is at least the band and k − 1 edges away from the surface.
void bound_empty_bricks(const VolumeLattice& lattice, double band, Volume& volume) {
  const std::vector<std::int32_t> away = bricks_away(lattice, volume);
  for (std::size_t b = 0; b < away.size(); ++b) {
    if (volume.number[b] != Bricks::kEmpty) continue;
    // A voxel less: the last values before an empty brick are not interpolated up to it.
    const double least = std::max(band - lattice.voxel, 0.0) + (away[b] - 1) * lattice.voxel * Bricks::kEdge;
    volume.bound[b] = static_cast<float>(volume.bound[b] < 0 ? -least : least);
  }
}

// OpenVDB's trees of distances and triangles, and the values made of them, are not to exceed the memory that is free.
void refuse_beyond_memory(const Mesh& mesh, const LevelSetOptions& options) {
  constexpr double kBytesPerValue = 16;
  const double content = std::abs(signed_volume(mesh)) + surface_area(mesh) * (options.band + options.thickness + 2 * options.voxel);
  const double need = kBytesPerValue * content / std::pow(options.voxel, 3), have = available_memory();
  if (need > have)
    throw UserError(
        fmt::format("as a level set in steps of {:.3g} m it needs {:.3g} GB, this machine has {:.3g} GB free: use a larger spacing "
                    "or a smaller body",
                    options.voxel, need / 1e9, have / 1e9));
}

}  // namespace

Volume mesh_to_volume(const Mesh& mesh, const LevelSetOptions& options, std::vector<std::int32_t>* nearest) {
  refuse_beyond_memory(mesh, options);
  const Bounds box = bounds(mesh);
  const VolumeLattice lattice = cover(box.lower, box.upper, options.band + options.thickness / 2 + 2 * options.voxel, options.voxel);
  const Distances distances = measure(mesh, lattice, options);
  Volume volume = allocate(lattice, full_bricks(*distances.phi, lattice));
  const float shift = static_cast<float>(options.thickness / 2), metres = static_cast<float>(lattice.voxel);
  parallel_for(volume.number.size(), [&](std::size_t b) {
    const FloatGrid::ConstAccessor accessor = distances.phi->getConstAccessor();
    const Vec<std::int32_t, 3> first = lattice.first(b);
    const auto value = [&](int i, int j, int k) { return metres * accessor.getValue({first[0] + i, first[1] + j, first[2] + k}) - shift; };
    if (volume.number[b] == Bricks::kEmpty) {
      volume.bound[b] = value(0, 0, 0);
      return;
    }
    float* phi = &volume.phi[std::size_t(volume.number[b]) * Bricks::kValues];
    for (int i = 0; i < Bricks::kSide; ++i)
      for (int j = 0; j < Bricks::kSide; ++j)
        for (int k = 0; k < Bricks::kSide; ++k) *phi++ = value(i, j, k);
  });
  bound_empty_bricks(lattice, options.band, volume);
  if (nearest != nullptr) {
    nearest->resize(volume.phi.size());
    for_each_value(volume, lattice, [&](const Vec<std::int32_t, 3>& index, std::size_t at) {
      std::int32_t triangle;
      const bool is_near = distances.nearest->tree().probeValue({index[0], index[1], index[2]}, triangle);
      (*nearest)[at] = is_near ? triangle : kNoTriangle;
    });
  }
  return volume;
}

namespace {

using Point = Vec<double, 3>;

// Values far from every triangle take the mean of the others in their brick.
void fill_gaps(const std::vector<std::int32_t>& nearest, std::vector<float>& velocity) {
  parallel_for(nearest.size() / Bricks::kValues, [&](std::size_t brick) {
    const std::size_t begin = brick * Bricks::kValues, end = begin + Bricks::kValues;
    double mean[3] = {0, 0, 0}, known = 0;
    for (std::size_t at = begin; at < end; ++at) {
      if (nearest[at] == kNoTriangle) continue;
      known += 1;
      for (int d = 0; d < 3; ++d) mean[d] += velocity[3 * at + d];
    }
    for (std::size_t at = begin; at < end && known > 0; ++at)
      if (nearest[at] == kNoTriangle)
        for (int d = 0; d < 3; ++d) velocity[3 * at + d] = static_cast<float>(mean[d] / known);
  });
}

std::vector<float> from_points(const SurfaceFrame& from, const SurfaceFrame& to, const SurfaceFrame& at, double span) {
  std::vector<float> velocity(3 * at.volume.phi.size());
  const VolumeLattice lattice = lattice_of(at.volume);
  for_each_value(at.volume, lattice, [&](const Vec<std::int32_t, 3>& index, std::size_t i) {
    if (at.nearest[i] == kNoTriangle) return;
    const auto& corner = at.mesh.triangles[static_cast<std::size_t>(at.nearest[i])];
    const Point w = nearest_weights(lattice.point(index), at.mesh.points[corner[0]], at.mesh.points[corner[1]], at.mesh.points[corner[2]]);
    Point v{0, 0, 0};
    for (int k = 0; k < 3; ++k) v += (w[k] / span) * (to.mesh.points[corner[k]] - from.mesh.points[corner[k]]);
    for (int d = 0; d < 3; ++d) velocity[3 * i + d] = static_cast<float>(v[d]);
  });
  fill_gaps(at.nearest, velocity);
  return velocity;
}

// phi changes by −v·n per second where the surface passes.
std::vector<float> from_distances(const SurfaceFrame& from, const SurfaceFrame& to, const SurfaceFrame& at, double span) {
  std::vector<float> velocity(3 * at.volume.phi.size());
  const VolumeLattice lattice = lattice_of(at.volume);
  const Bricks before = from.volume.view(), after = to.volume.view(), here = at.volume.view();
  for_each_value(at.volume, lattice, [&](const Vec<std::int32_t, 3>& index, std::size_t i) {
    const Point x = lattice.point(index), gradient = sample_phi(here, x).gradient;
    const double steepness = norm(gradient);
    if (steepness == 0) return;
    const double speed = (sample_phi(before, x).phi - sample_phi(after, x).phi) / span;
    for (int d = 0; d < 3; ++d) velocity[3 * i + d] = static_cast<float>(speed * gradient[d] / steepness);
  });
  return velocity;
}

}  // namespace

bool has_same_topology(const Mesh& a, const Mesh& b) {
  return !a.triangles.empty() && a.points.size() == b.points.size() && a.triangles == b.triangles;
}

double longest_way(const Mesh& a, const Mesh& b) {
  double longest = 0;
  if (!has_same_topology(a, b)) return longest;
  for (std::size_t i = 0; i < a.points.size(); ++i) longest = std::max(longest, norm(b.points[i] - a.points[i]));
  return longest;
}

std::vector<float> surface_velocities(const SurfaceFrame& from, const SurfaceFrame& to, const SurfaceFrame& at, double span) {
  return has_same_topology(from.mesh, to.mesh) ? from_points(from, to, at, span) : from_distances(from, to, at, span);
}

double top_speed(const std::vector<float>& velocities) {
  double top = 0;
  for (std::size_t i = 0; i + 2 < velocities.size(); i += 3)
    top = std::max(top, std::hypot(double(velocities[i]), double(velocities[i + 1]), double(velocities[i + 2])));
  return top;
}

}  // namespace firn
