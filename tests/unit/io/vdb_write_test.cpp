#include "io/vdb_write.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "frames.h"
#include "io/formats.h"
#include "small_disk.h"
#include "support/error_of.h"
#include "temp_folder.h"
#include "volumes.h"

namespace firn {
namespace {

using openvdb::FloatGrid;
using openvdb::Vec3s;
using openvdb::Vec3SGrid;
using test::kSpacing;
using test::make_frame;
using test::notes_2d;
using test::notes_3d;
using test::read_bytes;
using test::SmallDisk;
using test::TempFolder;
using test::Volume;

Frame flattened(Frame frame) {
  for (auto& x : frame.position) x[2] = 0;
  return frame;
}

template <class GridT>
openvdb::BBoxd world_box(const GridT& grid) {
  const openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox();
  return {grid.indexToWorld(box.min()), grid.indexToWorld(box.max())};
}

TEST(VdbWrite, GridsHaveTheirNamesClassesUnitsAndPlace) {
  const TempFolder folder;
  write_vdb(folder / "a.vdb", make_frame(50, false), notes_3d(), {});
  Volume volume(folder / "a.vdb");
  EXPECT_EQ(volume.names(), (std::set<std::string>{"density", "velocity", "jp"}));
  const FloatGrid::Ptr density = volume.grid<FloatGrid>("density"), jp = volume.grid<FloatGrid>("jp");
  const Vec3SGrid::Ptr velocity = volume.grid<Vec3SGrid>("velocity");
  ASSERT_TRUE(density && jp && velocity);
  EXPECT_EQ(density->getGridClass(), openvdb::GRID_FOG_VOLUME);
  EXPECT_EQ(velocity->getVectorType(), openvdb::VEC_CONTRAVARIANT_RELATIVE);
  EXPECT_TRUE(velocity->isInWorldSpace());
  EXPECT_EQ(density->metaValue<std::string>("unit"), "kg/m3");
  EXPECT_EQ(velocity->metaValue<std::string>("unit"), "m/s");
  EXPECT_EQ(jp->metaValue<std::string>("unit"), "");
  EXPECT_EQ(density->background(), 0);
  EXPECT_EQ(jp->background(), 1);
  for (const openvdb::GridBase::Ptr& grid :
       {openvdb::GridBase::Ptr(density), openvdb::GridBase::Ptr(velocity), openvdb::GridBase::Ptr(jp)}) {
    EXPECT_EQ(grid->voxelSize(), openvdb::Vec3d(kSpacing));
    EXPECT_EQ(grid->indexToWorld(openvdb::Coord(3, -2, 1)), openvdb::Vec3d(3 * kSpacing, -2 * kSpacing, kSpacing));
    EXPECT_FALSE(grid->saveFloatAsHalf());
  }
  EXPECT_EQ(density->activeVoxelCount(), velocity->activeVoxelCount());
  EXPECT_EQ(density->activeVoxelCount(), jp->activeVoxelCount());
}

TEST(VdbWrite, FileSaysWhenAndOnWhichGrid) {
  const TempFolder folder;
  write_vdb(folder / "a.vdb", flattened(make_frame(5, false)), notes_2d(), {});
  openvdb::MetaMap notes = Volume(folder / "a.vdb").notes();
  EXPECT_EQ(notes.metaCount(), 6u);
  EXPECT_EQ(notes.metaValue<std::string>("creator"), "firn");
  EXPECT_EQ(notes.metaValue<double>("time"), 0.125);
  EXPECT_EQ(notes.metaValue<double>("frames_per_second"), 48);
  EXPECT_EQ(notes.metaValue<std::int32_t>("dimension"), 2);
  EXPECT_EQ(notes.metaValue<double>("spacing"), kSpacing);
  EXPECT_EQ(notes.metaValue<std::string>("kernel"), "quadratic");
}

TEST(VdbWrite, DensityTimesVolumeIsTheMassOfTheParticles) {
  const TempFolder folder;
  for (const FrameNotes& notes : {notes_3d(), notes_2d()}) {
    Frame frame = make_frame(100000, false);
    if (notes.dimension == 2) frame = flattened(frame);
    write_vdb(folder / "a.vdb", frame, notes, {});
    double density = 0;
    const FloatGrid::Ptr grid = Volume(folder / "a.vdb").grid<FloatGrid>("density");
    for (auto value = grid->cbeginValueOn(); value; ++value) density += *value;
    const double mass = std::accumulate(frame.mass.begin(), frame.mass.end(), 0.0);
    EXPECT_NEAR(density * std::pow(kSpacing, notes.dimension), mass, 1e-5 * mass);
  }
}

TEST(VdbWrite, VolumeEndsWhereTheKernelsOfTheParticlesEnd) {
  const TempFolder folder;
  for (const Kernel kernel : {Kernel::kCubic, Kernel::kQuadratic}) {
    FrameNotes notes = notes_3d();
    notes.kernel = kernel;
    Frame frame;
    frame.position = {{-1.01, 0.52, 3.03}, {2.03, 0.87, 3.51}};
    frame.mass = {1, 1};
    write_vdb(folder / "a.vdb", frame, notes, {});
    const openvdb::BBoxd box = world_box(*Volume(folder / "a.vdb").grid<FloatGrid>("density"));
    const double reach = (kernel == Kernel::kCubic ? 2 : 1.5) * kSpacing;
    for (int d = 0; d < 3; ++d) {
      const auto a = static_cast<std::size_t>(d);
      EXPECT_GT(box.min()[d], frame.position[0][a] - reach);
      EXPECT_LT(box.min()[d], frame.position[0][a] - reach + kSpacing);
      EXPECT_LT(box.max()[d], frame.position[1][a] + reach);
      EXPECT_GT(box.max()[d], frame.position[1][a] + reach - kSpacing);
    }
  }
}

TEST(VdbWrite, SnowThatMovesAsOneHasThatVelocityAndItsJpEverywhere) {
  const TempFolder folder;
  Frame frame = make_frame(2000, false);
  frame.velocity.assign(frame.size(), {1.5, -2.25, 1.0 / 3});
  frame.jp.assign(frame.size(), 0.9);
  write_vdb(folder / "a.vdb", frame, notes_3d(), {});
  Volume volume(folder / "a.vdb");
  const Vec3SGrid::Ptr velocity = volume.grid<Vec3SGrid>("velocity");
  const FloatGrid::Ptr jp = volume.grid<FloatGrid>("jp");
  ASSERT_GT(velocity->activeVoxelCount(), 1000u);
  for (auto value = velocity->cbeginValueOn(); value; ++value) ASSERT_EQ(*value, Vec3s(1.5f, -2.25f, 1.0f / 3));
  for (auto value = jp->cbeginValueOn(); value; ++value) ASSERT_EQ(*value, 0.9f);
}

TEST(VdbWrite, TwoDimensionsAreOneVoxelThick) {
  const TempFolder folder;
  write_vdb(folder / "a.vdb", flattened(make_frame(100, false)), notes_2d(), {});
  const openvdb::CoordBBox box = Volume(folder / "a.vdb").grid<FloatGrid>("density")->evalActiveVoxelBoundingBox();
  EXPECT_EQ(box.min().z(), 0);
  EXPECT_EQ(box.max().z(), 0);
  EXPECT_GT(box.dim().x(), 10);
}

TEST(VdbWrite, GridsOfColumnsTheFrameLacksAreLeftOut) {
  const TempFolder folder;
  Frame frame;
  frame.position = {{1, 2, 3}};
  frame.mass = {1};
  write_vdb(folder / "a.vdb", frame, notes_3d(), {});
  EXPECT_EQ(Volume(folder / "a.vdb").names(), std::set<std::string>{"density"});
}

TEST(VdbWrite, FrameWithoutParticlesIsAFileOfEmptyGrids) {
  const TempFolder folder;
  for (const bool points : {false, true}) {
    write_vdb(folder / "a.vdb", FrameView(), notes_3d(), {.vdb_points = points});
    Volume volume(folder / "a.vdb");
    std::set<std::string> expected{"density", "velocity", "jp"};
    if (points) expected.insert("points");
    EXPECT_EQ(volume.names(), expected);
    EXPECT_EQ(volume.grid<FloatGrid>("density")->activeVoxelCount(), 0u);
  }
}

TEST(VdbWrite, SameStateGivesTheSameBytesOnAnyNumberOfThreads) {
  const TempFolder folder;
  const Frame frame = make_frame(30000, true);
  const FormatOptions options{.vdb_points = true};
  write_vdb(folder / "a.vdb", frame, notes_3d(), options);
  {
    const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
    write_vdb(folder / "b.vdb", frame, notes_3d(), options);
  }
  EXPECT_EQ(read_bytes(folder / "a.vdb"), read_bytes(folder / "b.vdb"));
}

TEST(VdbWrite, UniqueTagOfAnotherStateIsAnother) {
  const TempFolder folder;
  const auto tag = [&](std::size_t particles) {
    write_vdb(folder / "a.vdb", make_frame(particles, false), notes_3d(), {});
    openvdb::io::File file(folder / "a.vdb");
    file.open();
    return file.getUniqueTag();
  };
  EXPECT_EQ(tag(3), tag(3));
  EXPECT_NE(tag(3), tag(4));
}

TEST(VdbWrite, GridsCanBeReadOneByOneAndLate) {
  const TempFolder folder;
  write_vdb(folder / "a.vdb", make_frame(2000, false), notes_3d(), {});
  openvdb::initialize();
  openvdb::io::File file(folder / "a.vdb");
  constexpr bool kDelayed = true;
  file.open(kDelayed);
  const FloatGrid::Ptr jp = openvdb::gridPtrCast<FloatGrid>(file.readGrid("jp"));
  ASSERT_TRUE(jp);
  ASSERT_TRUE(jp->tree().cbeginLeaf());
  EXPECT_TRUE(jp->tree().cbeginLeaf()->buffer().isOutOfCore());
  EXPECT_GT(*jp->cbeginValueOn(), 0.1f);
}

TEST(VdbWrite, FailedWriteKeepsTheOldFileAndRemovesTheTemporary) {
  const TempFolder folder;
  write_vdb(folder / "a.vdb", make_frame(2, false), notes_3d(), {});
  const std::string before = read_bytes(folder / "a.vdb");
  {
    const SmallDisk disk(100000);
    EXPECT_THROW(write_vdb(folder / "a.vdb", make_frame(50000, false), notes_3d(), {}), RunError);
    EXPECT_THROW(write_vdb(folder / "b.vdb", make_frame(50000, false), notes_3d(), {}), RunError);
  }
  EXPECT_EQ(read_bytes(folder / "a.vdb"), before);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(VdbWrite, FramesThatMakeNoVolumeAreRefusedAndNothingStays) {
  const TempFolder folder;
  const std::string path = folder / "a.vdb";
  const auto error = [&](const Frame& frame, const FrameNotes& notes) {
    return test::error_of([&] { write_vdb(path, frame, notes, {}); });
  };
  EXPECT_EQ(error(make_frame(2, false), FrameNotes()),
            path + ": the grid spacing of the volume is not known: give it in metres with --spacing");
  FrameNotes tiny = notes_3d();
  tiny.spacing = 1e-5;
  EXPECT_EQ(error(Frame(), tiny), path + ": the grid spacing is 1e-05 m, volumes need at least 2e-05 m");
  tiny.spacing = 2e-5;
  EXPECT_EQ(error(Frame(), tiny), "no error");
  std::filesystem::remove(path);
  Frame frame = make_frame(2, false);
  frame.mass.clear();
  EXPECT_EQ(error(frame, notes_3d()), path + ": density needs the mass of the particles, and they have none");
  frame = make_frame(2, false);
  frame.jp.pop_back();
  EXPECT_THROW(write_vdb(path, frame, notes_3d(), {}), RunError);
  frame = make_frame(2, false);
  frame.double_precision = true;
  frame.mass[0] = 1e200;
  EXPECT_THROW(write_vdb(path, frame, notes_3d(), {}), RunError);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(VdbWrite, IsAFormatThatIsWrittenByItsEndingAndNotRead) {
  const TempFolder folder;
  write_frame(folder / "ein Schnee ❄ früh.vdb", make_frame(20, false), notes_3d());
  EXPECT_EQ(Volume(folder / "ein Schnee ❄ früh.vdb").names().size(), 3u);
  ASSERT_NE(find_format("vdb"), nullptr);
  EXPECT_FALSE(find_format("vdb")->read != nullptr);
  EXPECT_NE(test::error_of([&] { read_frame(folder / "ein Schnee ❄ früh.vdb"); }).find("cannot be read"), std::string::npos);
}

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "cannot run " + command;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) output.append(part.data(), n);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return output;
}

TEST(VdbWrite, VdbPrintWhichWeDidNotWriteListsTheGrids) {
  const TempFolder folder;
  write_vdb(folder / "a.vdb", make_frame(200, false), notes_3d(), {.vdb_points = true});
  const std::string output = output_of(std::string(FIRN_VDB_PRINT) + " -l '" + (folder / "a.vdb") + "' 2>&1");
  for (const char* fact :
       {"density", "velocity", "jp", "points", "fog volume", "kg/m3", "m/s", "creator: firn", "kernel: cubic", "time: 0.125"})
    EXPECT_NE(output.find(fact), std::string::npos) << fact << " is not in\n" << output;
}

}  // namespace
}  // namespace firn
