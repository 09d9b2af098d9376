// The particles of a frame as a grid of OpenVDB points. Only for the .cpp files that know OpenVDB.
#include "io/vdb_write.h"

#include <fmt/format.h>
#include <openvdb/Grid.h>
#include <openvdb/io/Archive.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointAttribute.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointDataGrid.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cmath>
#include <sstream>

#include "core/files.h"
#include "firn/error.h"
#include "frame/frame_view.h"

namespace firn {
namespace {

namespace points = openvdb::points;
using openvdb::tools::PointIndexGrid;
using points::PointDataGrid;

// A column of the frame as OpenVDB takes it.
template <class Value>
class Values {
 public:
  using PosType = Value;
  using value_type = Value;

  Values(const FrameView& frame, Field field) : frame_(frame), field_(field), reals_(reals(frame, field)) {}

  std::size_t size() const { return frame_.size(); }
  void getPos(std::size_t p, Value& value) const { get(value, p); }
  void get(Value& value, std::size_t p) const {
    if constexpr (std::is_integral_v<Value>) {
      value = field_ == Field::kId ? static_cast<Value>(frame_.id[p]) : static_cast<Value>(frame_.material[p]);
    } else if constexpr (std::is_floating_point_v<Value>) {
      value = static_cast<Value>(reals_[p]);
    } else {
      constexpr std::size_t kComponents = sizeof(Value) / sizeof(typename Value::value_type);
      for (std::size_t c = 0; c < kComponents; ++c)
        value.asPointer()[c] = static_cast<typename Value::value_type>(reals_[p * kComponents + c]);
    }
  }
  void get(Value& value, std::size_t p, openvdb::Index) const { get(value, p); }  // no attribute is an array of them

 private:
  const FrameView& frame_;
  Field field_;
  Numbers reals_;
};

class PointsBuilder {
 public:
  PointsBuilder(const FrameView& frame, const openvdb::math::Transform& transform) : frame_(frame) {
    const Values<openvdb::Vec3d> positions(frame, Field::kPosition);
    index_ = openvdb::tools::createPointIndexGrid<PointIndexGrid>(positions, transform);
    grid_ = points::createPointDataGrid<points::NullCodec, PointDataGrid>(*index_, positions, transform);
  }

  void add(Field field) {
    const Attribute& a = attribute(field);
    if (a.kind == ValueKind::kUint32) return add_as<std::int64_t>(a);  // points have no unsigned numbers
    if (a.kind == ValueKind::kUint16) return add_as<std::int32_t>(a);
    if (frame_.double_precision) return add_reals<double>(a);
    add_reals<float>(a);
  }

  const PointDataGrid::Ptr& grid() const { return grid_; }

 private:
  template <class Real>
  void add_reals(const Attribute& a) {
    if (a.components == 1) return add_as<Real>(a);
    if (a.components == 3) return add_as<openvdb::math::Vec3<Real>>(a);
    add_as<openvdb::math::Mat3<Real>>(a);
  }

  template <class Value>
  void add_as(const Attribute& a) {
    const std::string name(a.name);
    points::appendAttribute<Value>(grid_->tree(), name);
    points::populateAttribute(grid_->tree(), index_->tree(), name, Values<Value>(frame_, a.field));
  }

  const FrameView& frame_;
  PointIndexGrid::Ptr index_;
  PointDataGrid::Ptr grid_;
};

// Named `points`, with every column the frame has as an attribute of the same name; the position is `P`.
openvdb::GridBase::Ptr make_points_grid(const FrameView& frame, double spacing) {
  const openvdb::math::Transform::Ptr transform = openvdb::math::Transform::createLinearTransform(spacing);
  openvdb::GridBase::Ptr grid;
  // On one thread, for the same order of points every time.
  tbb::task_arena(1).execute([&] {
    PointsBuilder builder(frame, *transform);
    for (const Field field : fields_of(frame))
      if (field != Field::kPosition) builder.add(field);
    grid = builder.grid();
  });
  grid->setName("points");
  return grid;
}

using openvdb::FloatGrid;
using openvdb::Vec3s;
using openvdb::Vec3SGrid;

constexpr const char* kCreator = "firn";

// The bytes of a file that io::File opens. io::File's own write() does not notice a full disk and starts every file with a random number.
class MemoryArchive : public openvdb::io::Archive {
 public:
  static std::string bytes(const openvdb::GridCPtrVec& grids, const openvdb::MetaMap& notes) {
    MemoryArchive archive;
    archive.setCompression(openvdb::io::COMPRESS_BLOSC | openvdb::io::COMPRESS_ACTIVE_MASK);
    std::ostringstream stream;
    constexpr bool kSeekable = true;  // with the places of the grids, so that readers can load one of them, and late
    archive.write(stream, grids, kSeekable, notes);
    std::string bytes = std::move(stream).str();
    archive.identify_by_content(bytes);
    return bytes;
  }

 private:
  // Programs know a file's content by the number in its header: it is made from the content here, and stays different for different ones.
  void identify_by_content(std::string& bytes) const {
    const std::string random = getUniqueTag();
    const std::size_t place = bytes.find(random);
    if (place == std::string::npos) throw RunError("OpenVDB's file header is not as expected: it has no unique tag");
    bytes.replace(place, random.size(), random.size(), '0');
    const boost::uuids::uuid own = boost::uuids::name_generator_sha1(boost::uuids::ns::oid())(bytes.data(), bytes.size());
    bytes.replace(place, random.size(), boost::uuids::to_string(own));
  }
};

bool is_finite(float x) { return std::isfinite(x); }
bool is_finite(const Vec3s& x) { return is_finite(x[0]) && is_finite(x[1]) && is_finite(x[2]); }

class GridMaker {
 public:
  GridMaker(const std::string& path, const NodeFields& fields, const FrameNotes& notes) : path_(path), notes_(notes), fields_(fields) {}

  openvdb::GridBase::Ptr density() const {
    const double cell = std::pow(notes_.spacing, notes_.dimension);
    const FloatGrid::Ptr grid = fill<FloatGrid>("density", 0, [&](std::size_t i) { return static_cast<float>(fields_.mass[i] / cell); });
    grid->setGridClass(openvdb::GRID_FOG_VOLUME);
    return with_unit(grid, "kg/m3");
  }
  openvdb::GridBase::Ptr velocity() const {
    const Attribute& a = attribute(Field::kVelocity);
    const Vec3SGrid::Ptr grid = fill<Vec3SGrid>(a.name, Vec3s(0), [&](std::size_t i) { return Vec3s(fields_.velocity[i].data()); });
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);  // turns and scales with the volume, does not move with it
    return with_unit(grid, a.unit);
  }
  openvdb::GridBase::Ptr jp() const {
    constexpr float kUnpacked = 1;  // J_P of snow that nothing has happened to
    const Attribute& a = attribute(Field::kJp);
    return with_unit(fill<FloatGrid>(a.name, kUnpacked, [&](std::size_t i) { return fields_.jp[i]; }), a.unit);
  }

 private:
  // value_of(i): value i of a channel of the fields.
  template <class GridT, class ValueOf>
  typename GridT::Ptr fill(std::string_view name, const typename GridT::ValueType& background, ValueOf value_of) const {
    using Leaf = typename GridT::TreeType::LeafNodeType;
    static_assert(Leaf::SIZE == NodeFields::kNodes);
    const typename GridT::Ptr grid = GridT::create(background);
    grid->setName(std::string(name));
    grid->setTransform(openvdb::math::Transform::createLinearTransform(notes_.spacing));
    for (std::size_t l = 0; l < fields_.leaves(); ++l) {
      const auto& [x, y, z] = fields_.origin[l];
      auto leaf = std::make_unique<Leaf>(openvdb::Coord(x, y, z), background);
      fields_.for_each_touched(l, [&](int node, std::size_t i) {
        const auto value = value_of(i);
        if (!is_finite(value)) throw RunError(fmt::format("{}: cannot write: a {} does not fit a float", path_, name));
        leaf->setValueOn(static_cast<openvdb::Index>(node), value);
      });
      grid->tree().addLeaf(leaf.release());
    }
    return grid;
  }

  static openvdb::GridBase::Ptr with_unit(openvdb::GridBase::Ptr grid, std::string_view unit) {
    grid->insertMeta("unit", openvdb::StringMetadata(std::string(unit)));
    return grid;
  }

  const std::string& path_;
  const FrameNotes& notes_;
  const NodeFields& fields_;
};

openvdb::GridCPtrVec make_grids(const std::string& path, const FrameView& frame, const FrameNotes& notes, const FormatOptions& options) {
  const NodeFields fields = rasterize(path, frame, {notes.spacing, notes.kernel, notes.dimension});
  const GridMaker make(path, fields, notes);
  const std::vector<Field> present = fields_of(frame);
  const auto is_present = [&](Field field) { return std::find(present.begin(), present.end(), field) != present.end(); };
  openvdb::GridCPtrVec grids{make.density()};
  if (is_present(Field::kVelocity)) grids.push_back(make.velocity());
  if (is_present(Field::kJp)) grids.push_back(make.jp());
  if (options.vdb_points) grids.push_back(make_points_grid(frame, notes.spacing));
  return grids;
}

// A node's index is its place in the volume.
class NodeGridMaker {
 public:
  NodeGridMaker(const std::string& path, const GridFields& grid) : path_(path), grid_(grid) {}

  openvdb::GridBase::Ptr make(GridField field) const {
    const auto vector = [](const Vector& v) { return Vec3s(Vec3s::ValueType(v[0]), Vec3s::ValueType(v[1]), Vec3s::ValueType(v[2])); };
    switch (field) {
      case GridField::kMass: return fill<FloatGrid>(field, 0, "kg", [&](std::size_t i) { return static_cast<float>(grid_.mass[i]); });
      case GridField::kVelocity: return fill<Vec3SGrid>(field, Vec3s(0), "m/s", [&](std::size_t i) { return vector(grid_.velocity[i]); });
      case GridField::kForce: break;
    }
    return fill<Vec3SGrid>(field, Vec3s(0), "N", [&](std::size_t i) { return vector(grid_.force[i]); });
  }

 private:
  template <class GridT, class ValueOf>
  openvdb::GridBase::Ptr fill(GridField field, const typename GridT::ValueType& background, const char* unit, ValueOf value_of) const {
    const char* const name = kGridFieldNames[static_cast<int>(field)];
    const typename GridT::Ptr grid = GridT::create(background);
    grid->setName(name);
    grid->setTransform(openvdb::math::Transform::createLinearTransform(grid_.spacing));
    auto nodes = grid->getAccessor();
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      const auto value = value_of(i);
      if (!is_finite(value)) throw RunError(fmt::format("{}: cannot write: a {} does not fit a float", path_, name));
      nodes.setValueOn(openvdb::Coord(grid_.node[i][0], grid_.node[i][1], grid_.node[i][2]), value);
    }
    grid->insertMeta("unit", openvdb::StringMetadata(unit));
    return grid;
  }

  const std::string& path_;
  const GridFields& grid_;
};

openvdb::MetaMap make_notes(const FrameNotes& notes) {
  openvdb::MetaMap map;
  map.insertMeta("creator", openvdb::StringMetadata(kCreator));
  map.insertMeta("time", openvdb::DoubleMetadata(notes.time));
  map.insertMeta("frames_per_second", openvdb::DoubleMetadata(notes.fps));
  map.insertMeta("dimension", openvdb::Int32Metadata(notes.dimension));
  map.insertMeta("spacing", openvdb::DoubleMetadata(notes.spacing));
  map.insertMeta("kernel", openvdb::StringMetadata(kKernelNames[static_cast<int>(notes.kernel)]));
  return map;
}

void check_spacing(const std::string& path, const FrameNotes& notes) {
  if (!(notes.spacing > 0))
    throw UserError(fmt::format("{}: the grid spacing of the volume is not known: give it in metres with --spacing", path));
  if (notes.spacing < kLeastVdbSpacing)
    throw UserError(fmt::format("{}: the grid spacing is {} m, volumes need at least {} m", path, notes.spacing, kLeastVdbSpacing));
}

void write_grids(const std::string& path, const openvdb::GridCPtrVec& grids, const FrameNotes& notes) {
  AtomicFile file(path);
  file.write(MemoryArchive::bytes(grids, make_notes(notes)));
  file.commit();
}

}  // namespace

void write_vdb(const std::string& path, const FrameView& frame, const FrameNotes& notes, const FormatOptions& options) {
  check_spacing(path, notes);
  check_writable(path, frame);
  openvdb::initialize();
  write_grids(path, make_grids(path, frame, notes, options), notes);
}

void write_grid_vdb(const std::string& path, const GridFields& grid, const std::vector<GridField>& which, const FrameNotes& notes) {
  check_spacing(path, notes);
  openvdb::initialize();
  openvdb::GridCPtrVec grids;
  for (const GridField field : which) grids.push_back(NodeGridMaker(path, grid).make(field));
  write_grids(path, grids, notes);
}

void write_density(const std::string& path, const NodeFields& fields, const FrameNotes& notes) {
  check_spacing(path, notes);
  openvdb::initialize();
  write_grids(path, {GridMaker(path, fields, notes).density()}, notes);
}

}  // namespace firn
