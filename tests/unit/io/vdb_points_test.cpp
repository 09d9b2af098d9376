#include <gtest/gtest.h>
#include <openvdb/points/PointCount.h>
#include <openvdb/points/PointDataGrid.h>

#include "frames.h"
#include "io/vdb_write.h"
#include "temp_folder.h"
#include "volumes.h"

namespace firn {
namespace {

namespace points = openvdb::points;
using openvdb::Vec3s;
using test::kSpacing;
using test::make_frame;
using test::notes_3d;
using test::TempFolder;
using test::Volume;

TEST(VdbPoints, HaveEveryAttributeOfTheFrame) {
  const TempFolder folder;
  Frame frame = make_frame(300, true);
  frame.id[7] = 4000000000;
  write_vdb(folder / "a.vdb", frame, notes_3d(), {.vdb_points = true});
  Volume volume(folder / "a.vdb");
  EXPECT_EQ(volume.names(), (std::set<std::string>{"density", "velocity", "jp", "points"}));
  const points::PointDataGrid::Ptr grid = volume.grid<points::PointDataGrid>("points");
  ASSERT_TRUE(grid);
  ASSERT_EQ(points::pointCount(grid->tree()), frame.size());
  std::size_t seen = 0;
  for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
    for (const Field field : fields_of(frame))
      EXPECT_TRUE(leaf->hasAttribute(field == Field::kPosition ? "P" : std::string(attribute(field).name))) << attribute(field).name;
    const points::AttributeHandle<std::int64_t> id(leaf->constAttributeArray("id"));
    const points::AttributeHandle<std::int32_t> material(leaf->constAttributeArray("material"));
    const points::AttributeHandle<Vec3s> position(leaf->constAttributeArray("P")), velocity(leaf->constAttributeArray("velocity"));
    const points::AttributeHandle<float> mass(leaf->constAttributeArray("mass"));
    const points::AttributeHandle<openvdb::math::Mat3<float>> fe(leaf->constAttributeArray("fe"));
    for (auto point = leaf->beginIndexOn(); point; ++point, ++seen) {
      const std::size_t p = id.get(*point) == 4000000000 ? 7 : static_cast<std::size_t>(id.get(*point));
      const openvdb::Vec3d x = grid->indexToWorld(position.get(*point) + point.getCoord().asVec3d());
      EXPECT_EQ(material.get(*point), frame.material[p]);
      EXPECT_EQ(mass.get(*point), static_cast<float>(frame.mass[p]));
      EXPECT_EQ(fe.get(*point)(0, 1), static_cast<float>(frame.fe[p][1]));
      for (int d = 0; d < 3; ++d) {
        const auto a = static_cast<std::size_t>(d);
        EXPECT_NEAR(x[d], frame.position[p][a], 1e-7 * kSpacing);
        EXPECT_EQ(velocity.get(*point)[d], static_cast<float>(frame.velocity[p][a]));
      }
    }
  }
  EXPECT_EQ(seen, frame.size());
}

TEST(VdbPoints, OfADoubleRunKeepEveryBit) {
  const TempFolder folder;
  Frame frame = make_frame(20, false);
  frame.double_precision = true;
  write_vdb(folder / "a.vdb", frame, notes_3d(), {.vdb_points = true});
  const points::PointDataGrid::Ptr grid = Volume(folder / "a.vdb").grid<points::PointDataGrid>("points");
  for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) {
    const points::AttributeHandle<std::int64_t> id(leaf->constAttributeArray("id"));
    const points::AttributeHandle<double> jp(leaf->constAttributeArray("jp"));
    for (auto point = leaf->beginIndexOn(); point; ++point) EXPECT_EQ(jp.get(*point), frame.jp[static_cast<std::size_t>(id.get(*point))]);
  }
}

}  // namespace
}  // namespace firn
