#include <gtest/gtest.h>

#include "firn/error.h"
#include "frames.h"
#include "io/particle_files.h"
#include "temp_folder.h"

namespace firn {
namespace {

using test::read_bytes;
using test::TempFolder;

Frame two_points() {
  Frame frame;
  frame.position = {{1, 2, 3}, {4, 5, 6}};
  frame.mass = {1, 1};
  return frame;
}

TEST(UsdaIndex, NamesFramesAndVolumesByTheirTimeCodes) {
  const TempFolder folder;
  FrameNotes notes;
  notes.fps = 30;
  write_usda(folder / "frame_0000.usda", two_points(), notes);
  write_usda(folder / "frame 1@.usda", two_points(), notes);
  write_usda_index(folder.path(), {{"frame_0000.usda", "frame_0000.vdb", 0}, {"frame 1@.usda", "", 0.05}}, notes);
  const std::string header = R"(#usda 1.0
(
    defaultPrim = "snow"
    endTimeCode = 1.5
    framesPerSecond = 30
    metersPerUnit = 1
    startTimeCode = 0
    timeCodesPerSecond = 30
    upAxis = "Y"
)

)";
  const std::string declarations = R"(        float3[] extent
        point3f[] points
        float[] primvars:mass (interpolation = "vertex")
)";
  EXPECT_EQ(read_bytes(folder / "frames.manifest.usda"),
            header + "over \"snow\"\n{\n    over \"particles\"\n    {\n" + declarations + "    }\n}\n");
  EXPECT_EQ(read_bytes(folder / "frames.usda"), header + R"(def Xform "snow"
{
    def Points "particles" (
        clips = {
            dictionary default = {
                double2[] active = [(0, 0), (1.5, 1)]
                asset[] assetPaths = [@./frame_0000.usda@, @@@./frame 1@.usda@@@]
                asset manifestAssetPath = @./frames.manifest.usda@
                string primPath = "/snow/particles"
                double2[] times = [(0, 0), (1.5, 1.5)]
            }
        }
    )
    {
)" + declarations + R"(    }

    def Volume "volume"
    {
        rel field:density = </snow/volume/density>
        rel field:velocity = </snow/volume/velocity>
        rel field:jp = </snow/volume/jp>

        def OpenVDBAsset "density"
        {
            token fieldDataType = "float"
            token fieldName = "density"
            asset filePath.timeSamples = {
                0: @./frame_0000.vdb@,
                1.5: None,
            }
            token vectorDataRoleHint = "None"
        }

        def OpenVDBAsset "velocity"
        {
            token fieldDataType = "float3"
            token fieldName = "velocity"
            asset filePath.timeSamples = {
                0: @./frame_0000.vdb@,
                1.5: None,
            }
            token vectorDataRoleHint = "Vector"
        }

        def OpenVDBAsset "jp"
        {
            token fieldDataType = "float"
            token fieldName = "jp"
            asset filePath.timeSamples = {
                0: @./frame_0000.vdb@,
                1.5: None,
            }
            token vectorDataRoleHint = "None"
        }
    }
}
)");
}

// 7 / 25 * 25 is not 7; at time code 7 a program would show frame 6.
TEST(UsdaIndex, WholeFramesHaveWholeTimeCodes) {
  const TempFolder folder;
  FrameNotes notes;
  for (const double fps : {23.976, 25.0, 30.0, 60.0}) {
    notes.fps = fps;
    std::string active;
    std::vector<IndexEntry> entries;
    for (int k = 0; k < 130; ++k) {
      notes.time = k / fps;
      write_usda(folder / "a.usda", two_points(), notes);
      ASSERT_NE(read_bytes(folder / "a.usda").find("    startTimeCode = " + std::to_string(k) + "\n"), std::string::npos)
          << k << " of " << fps;
      entries.push_back({"a.usda", "", notes.time});
      active += (k == 0 ? "(" : ", (") + std::to_string(k) + ", " + std::to_string(k) + ")";
    }
    write_usda_index(folder.path(), entries, notes);
    EXPECT_NE(read_bytes(folder / "frames.usda").find("active = [" + active + "]"), std::string::npos) << fps;
  }
}

TEST(UsdaIndex, FramesWithoutVolumesHaveNoVolumePrim) {
  const TempFolder folder;
  write_usda(folder / "a.usda", two_points(), {});
  write_usda_index(folder.path(), {{"a.usda", "", 0}}, {});
  EXPECT_EQ(read_bytes(folder / "frames.usda").find("Volume"), std::string::npos);
}

TEST(UsdaIndex, OfNoFramesIsAnEmptyStage) {
  const TempFolder folder;
  write_usda_index(folder.path(), {}, {});
  EXPECT_EQ(read_bytes(folder / "frames.usda").find("clips"), std::string::npos);
}

// Three @ in a row would end the path.
TEST(UsdaIndex, NamesWithManyAtsAreEscaped) {
  const TempFolder folder;
  write_usda(folder / "@@@@.usda", two_points(), {});
  write_usda_index(folder.path(), {{"@@@@.usda", "", 0}}, {});
  EXPECT_NE(read_bytes(folder / "frames.usda").find("[@@@./\\@@@@.usda@@@]"), std::string::npos) << read_bytes(folder / "frames.usda");
}

TEST(UsdaIndex, AFrameThatIsNotThereIsARunError) {
  const TempFolder folder;
  EXPECT_THROW(write_usda_index(folder.path(), {{"gone.usda", "", 0}}, {}), RunError);
  EXPECT_EQ(folder.count(), 0u);
}

}  // namespace
}  // namespace firn
