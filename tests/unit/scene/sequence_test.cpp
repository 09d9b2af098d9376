// Bodies key-framed by files.
#include <gtest/gtest.h>

#include "build/sampled_form.h"
#include "scene/scene_files.h"
#include "support/mesh_files.h"
#include "support/meshes.h"
#include "support/temp_folder.h"

namespace firn {
namespace {

constexpr double kSequenceSpacing = 0.1, kFps = 10;

// A cube that moves by these distances from frame to frame.
class Sequences : public ::testing::Test {
 protected:
  SequenceForm moving(const std::vector<double>& ways) {
    double x = 0;
    int number = 7;
    const auto write = [&] { folder_.write("a_" + std::to_string(number++) + ".obj", test::obj(test::moved(test::cube(), {x, 0, 0}))); };
    write();
    for (const double way : ways) {
      x += way;
      write();
    }
    return again();
  }
  SequenceForm again() {
    Shape shape;
    shape.kind = ShapeKind::kSequence;
    shape.file = folder_.file("a_##.obj");
    shape.start = 0.5;
    std::vector<std::string> warnings;
    return make_sequence(shape, kSequenceSpacing, kFps, warnings);
  }

  test::TempFolder folder_;
};

TEST_F(Sequences, StandStillBeforeTheirFirstAndAfterTheirLastFrame) {
  const SequenceForm cube = moving({0.1, 0.1});
  for (const double t : {-3.0, 0.0, 0.49, 0.701, 0.8, 100.0}) EXPECT_EQ(cube.deformation->at(t).top_speed, 0) << t;
  EXPECT_NEAR(cube.deformation->at(0.55).top_speed, 0.1 * kFps, 1e-4);
  EXPECT_NEAR(cube.deformation->at(0.55).gamma, 0.5, 1e-9);
  const DeformedShape end = cube.deformation->at(5);
  EXPECT_NEAR(sample_phi(end.from->bricks, Vec<double, 3>{1.3, 0.5, 0.5}).phi, 0.1, 0.01);
}

TEST_F(Sequences, AreTheSameWhateverWasAskedBefore) {
  const SequenceForm steady = moving({0.05, 0.9, 0.05, 0.05});
  for (double t = 0.4; t < 0.85; t += 0.02) steady.deformation->at(t);
  const SequenceForm direct = again();
  for (const double t : {0.85, 0.75, 0.55, 0.65}) {
    const DeformedShape a = steady.deformation->at(t), b = direct.deformation->at(t);
    EXPECT_EQ(a.gamma, b.gamma);
    EXPECT_EQ(a.from->volume.phi, b.from->volume.phi) << t;
    EXPECT_EQ(a.to->volume.phi, b.to->volume.phi) << t;
    EXPECT_EQ(a.from->volume.velocity, b.from->volume.velocity) << t;
  }
}

TEST_F(Sequences, OfDamagedFilesStopWhenTheyAreDue) {
  moving({0.1, 0.1, 0.1});
  folder_.write("a_9.obj", "nothing");
  const SequenceForm cube = again();
  EXPECT_NO_THROW(cube.deformation->at(0.55));
  EXPECT_THROW(cube.deformation->at(0.65), RunError);
  folder_.write("a_7.obj", "nothing");
  EXPECT_THROW(again(), UserError);
}

TEST(FileSequence, IsFoundInTheOrderOfItsNumbers) {
  const test::TempFolder folder;
  for (const char* name : {"b_10.obj", "b_9.obj", "b_11.obj", "b_x.obj", "b_12.stl", "c_1.obj"}) folder.write(name, "");
  EXPECT_EQ(find_sequence(folder.file("b_####.obj")),
            (std::vector<std::string>{folder.file("b_9.obj"), folder.file("b_10.obj"), folder.file("b_11.obj")}));
}

TEST(FileSequence, ThatHasGapsOrIsNoneIsRefused) {
  const test::TempFolder folder;
  for (const char* name : {"b_1.obj", "b_3.obj", "c_1.obj"}) folder.write(name, "");
  for (const char* pattern : {"b_#.obj", "c_#.obj", "d_#.obj", "b_1.obj", "b#_#.obj", "no/such/b_#.obj"})
    EXPECT_THROW(find_sequence(folder.file(pattern)), UserError) << pattern;
}

}  // namespace
}  // namespace firn
