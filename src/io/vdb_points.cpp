#include "io/vdb_points.h"

#include <openvdb/points/PointAttribute.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointDataGrid.h>
#include <tbb/task_arena.h>

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

}  // namespace

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

}  // namespace firn
