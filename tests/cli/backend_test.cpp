// --backend as a user sees it.
#include <gtest/gtest.h>

#include <filesystem>

#include "process.h"

namespace firn::test {
namespace {

class Backends : public testing::Test {
 protected:
  Backends() {
    spill(folder_.file("ball.toml"),
          "[simulation]\nspacing = 0.02\nduration = 0.1\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 0.2, 0]\nradius = 0.08\n");
  }
  Outcome run(const std::string& backend) const {
    return firn({"run", folder_.file("ball.toml"), "-o", folder_.file("out"), "--steps", "3", "--backend", backend});
  }
  std::string folder() const { return folder_.file("out"); }

 private:
  TempFolder folder_;
};

TEST_F(Backends, WithoutAGpuCudaIsRefusedBeforeAnythingIsWritten) {
  if (!cuda_device().empty()) GTEST_SKIP() << "there is a GPU here";
  const Outcome outcome = run("cuda");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "error: --backend cuda: ")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "use --backend cpu")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder() + "/scene.toml"));
}

TEST_F(Backends, AutoRunsOnWhatThereIs) {
  const Outcome outcome = run("auto");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(folder() + "/final.ply"));
}

TEST_F(Backends, OfAnyOtherNameAreAMistake) {
  const Outcome outcome = run("gpu");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "auto")) << outcome.err;
}

TEST_F(Backends, ARunGoesOnWithTheOneThatItIsTold) {
  ASSERT_EQ(
      firn({"run", "bench_ball", "--set", "simulation.spacing=0.05", "-o", folder(), "--frames", "1", "--checkpoint-frames", "1"}).code, 0);
  const Outcome outcome = firn({"resume", folder(), "--frames", "2", "--backend", "cpu"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(folder() + "/frame_0002.ply"));
}

}  // namespace
}  // namespace firn::test
