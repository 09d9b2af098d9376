#include <fmt/format.h>
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Count.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <new>

#include "core/processes.h"
#include "firn/error.h"
#include "geometry/level_set.h"
#include "geometry/read_mesh.h"

namespace firn {
namespace {

using openvdb::FloatGrid;

openvdb::GridPtrVecPtr read_grids(const std::string& path) {
  openvdb::io::File file(path);
  file.open(false);  // values at once: a file that changes later must not matter
  return file.getGrids();
}

// What damaged bytes can do to OpenVDB, they do to a process of its own first.
void refuse_what_crashes(const std::string& path) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  constexpr std::uint64_t kSomeMemory = std::uint64_t{1} << 30, kExpansion = 100;  // compressed files grow
  constexpr int kSeconds = 60;
  ChildProcess child({kSomeMemory + kExpansion * (error ? 0 : size), kSeconds}, [&](int output) {
    try {
      new openvdb::GridPtrVecPtr(read_grids(path));  // never freed: OpenVDB would use threads for that, and here are none
    } catch (const std::bad_alloc&) {
      write_all(output, "m", 1);
    }
  });
  char too_large;
  if (child.read(&too_large, 1))
    throw UserError(fmt::format("{}: the file is damaged, or too large: reading it takes more than {:.3g} GB", path,
                                double(kSomeMemory + kExpansion * size) / 1e9));
  const ChildEnd end = child.wait();
  if (end.signal != 0)
    throw UserError(fmt::format("{}: the file is damaged: reading it {}", path, end.out_of_time() ? "does not end" : "crashes"));
}

// What `read` makes of a file that cannot crash; what OpenVDB complains of is the user's mistake.
template <class Read>
auto read_safely(const std::string& path, Read read) {
  openvdb::initialize();
  refuse_what_crashes(path);
  try {
    return read();
  } catch (const std::exception& e) {
    throw UserError(fmt::format("{}: not a readable .vdb file: {}", path, e.what()));
  }
}

// The first level set, else the first grid of numbers.
FloatGrid::Ptr read_grid(const std::string& path) {
  FloatGrid::Ptr found;
  const openvdb::GridPtrVecPtr grids = read_safely(path, [&] { return read_grids(path); });
  for (const openvdb::GridBase::Ptr& grid : *grids) {
    const FloatGrid::Ptr values = openvdb::gridPtrCast<FloatGrid>(grid);
    if (!values) continue;
    const bool is_level_set = values->getGridClass() == openvdb::GRID_LEVEL_SET;
    if (!found || (is_level_set && found->getGridClass() != openvdb::GRID_LEVEL_SET)) found = values;
  }
  if (!found) throw UserError(fmt::format("{}: no level set and no fog volume (a grid of floats) in it", path));
  if (found->activeVoxelCount() == 0) throw UserError(fmt::format("{}: grid '{}' is empty", path, found->getName()));
  return found;
}

double isovalue(const FloatGrid& grid, double threshold, const std::string& path) {
  if (grid.getGridClass() == openvdb::GRID_LEVEL_SET) return 0;
  const double largest = openvdb::tools::minMax(grid.tree()).max();
  if (!(largest > 0) || !std::isfinite(largest))
    throw UserError(fmt::format("{}: the largest value of grid '{}' is {}: neither a level set nor fog", path, grid.getName(), largest));
  return threshold * largest;
}

std::vector<std::pair<std::string, std::string>> words_of(const openvdb::MetaMap& map) {
  std::vector<std::pair<std::string, std::string>> words;
  for (auto entry = map.beginMeta(); entry != map.endMeta(); ++entry) words.emplace_back(entry->first, entry->second->str());
  return words;
}

// The number of a voxel's value that is the c-th of `kSize`.
double part(float value, int) { return value; }
double part(double value, int) { return value; }
double part(const openvdb::Vec3s& value, int c) { return value[c]; }

template <class Grid, int kSize>
bool measure(const openvdb::GridBase& any, VdbGrid& report) {
  if (!any.isType<Grid>()) return false;
  report.least = std::numeric_limits<double>::infinity();
  report.greatest = -report.least;
  for (auto value = static_cast<const Grid&>(any).cbeginValueOn(); value; ++value)
    for (int c = 0; c < kSize; ++c) {
      const double x = part(*value, c);
      report.least = std::min(report.least, x);
      report.greatest = std::max(report.greatest, x);
      report.sum += x * static_cast<double>(value.getVoxelCount());
    }
  report.components = kSize;
  return true;
}

VdbGrid describe(const openvdb::GridBase& grid) {
  VdbGrid report;
  report.name = grid.getName();
  report.type = grid.valueType();
  report.voxels = grid.activeVoxelCount();
  report.voxel = grid.voxelSize()[0];
  report.metadata = words_of(grid);
  if (report.voxels == 0) return report;
  const openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox();
  const openvdb::Vec3d lower = grid.indexToWorld(box.min()), upper = grid.indexToWorld(box.max());
  report.box = {{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
  if (!measure<FloatGrid, 1>(grid, report) && !measure<openvdb::DoubleGrid, 1>(grid, report)) measure<openvdb::Vec3SGrid, 3>(grid, report);
  return report;
}

using Node = std::array<std::int32_t, 3>;

// The values of the grid of that name at all nodes; empty: there is none.
template <class Grid, class Value, class Convert>
std::vector<Value> values_at(const std::vector<Node>& nodes, const openvdb::GridPtrVec& grids, GridField field, Convert convert) {
  std::vector<Value> values;
  const openvdb::GridBase::Ptr any = openvdb::findGridByName(grids, kGridFieldNames[static_cast<int>(field)]);
  if (!any || !any->isType<Grid>()) return values;
  const auto at = static_cast<const Grid&>(*any).getConstAccessor();
  values.reserve(nodes.size());
  for (const Node& node : nodes) values.push_back(convert(at.getValue(openvdb::Coord(node[0], node[1], node[2]))));
  return values;
}

// All grids of a file are active at the same nodes.
template <class Grid>
void add_nodes(const openvdb::GridBase& any, std::vector<Node>& nodes) {
  if (!any.isType<Grid>()) return;
  for (auto value = static_cast<const Grid&>(any).cbeginValueOn(); value; ++value)
    if (value.isVoxelValue()) nodes.push_back({value.getCoord()[0], value.getCoord()[1], value.getCoord()[2]});
}

}  // namespace

GridFields read_grid_vdb(const std::string& path) {
  return read_safely(path, [&] {
    const openvdb::GridPtrVecPtr grids = read_grids(path);
    GridFields fields;
    if (grids->empty()) return fields;
    const openvdb::GridBase& first = *grids->front();
    fields.spacing = first.voxelSize()[0];
    add_nodes<FloatGrid>(first, fields.node);
    add_nodes<openvdb::Vec3SGrid>(first, fields.node);
    std::sort(fields.node.begin(), fields.node.end());
    const auto vector = [](const openvdb::Vec3s& v) { return Vector{v[0], v[1], v[2]}; };
    fields.mass = values_at<FloatGrid, double>(fields.node, *grids, GridField::kMass, [](float mass) { return mass; });
    fields.velocity = values_at<openvdb::Vec3SGrid, Vector>(fields.node, *grids, GridField::kVelocity, vector);
    fields.force = values_at<openvdb::Vec3SGrid, Vector>(fields.node, *grids, GridField::kForce, vector);
    return fields;
  });
}

VdbContent describe_vdb(const std::string& path) {
  return read_safely(path, [&] {
    openvdb::io::File file(path);
    file.open(false);
    VdbContent content;
    const openvdb::GridPtrVecPtr grids = file.getGrids();
    for (const openvdb::GridBase::Ptr& grid : *grids) content.grids.push_back(describe(*grid));
    const openvdb::MetaMap::Ptr metadata = file.getMetadata();
    content.metadata = words_of(*metadata);
    return content;
  });
}

Mesh read_vdb(const std::string& path, double threshold) {
  const FloatGrid::Ptr grid = read_grid(path);
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  std::vector<openvdb::Vec4I> quads;
  // On one thread, for the same order of points every time.
  tbb::task_arena(1).execute([&] { openvdb::tools::volumeToMesh(*grid, points, triangles, quads, isovalue(*grid, threshold, path), 0.0); });
  Mesh mesh;
  for (const openvdb::Vec3s& x : points) mesh.points.push_back({x[0], x[1], x[2]});
  for (const openvdb::Vec3I& t : triangles) mesh.triangles.push_back({t[0], t[1], t[2]});
  for (const openvdb::Vec4I& q : quads) {
    mesh.triangles.push_back({q[0], q[1], q[2]});
    mesh.triangles.push_back({q[0], q[2], q[3]});
  }
  if (mesh.triangles.size() > kMostTriangles)
    throw UserError(fmt::format("{}: the surface of grid '{}' has {} triangles, at most {} are allowed", path, grid->getName(),
                                mesh.triangles.size(), kMostTriangles));
  if (mesh.triangles.empty()) throw UserError(fmt::format("{}: grid '{}' has no surface", path, grid->getName()));
  return mesh;
}

}  // namespace firn
