// Pictures by defaults alone: snow in the sun is white, its shade is blue, and there are a ground and a sky.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../io/temp_folder.h"
#include "firn/picture.h"
#include "png_files.h"
#include "scenes.h"

namespace firn {
namespace {

using namespace test;

struct DefaultScene {
  const char* name;
  Vector snow;
  friend std::ostream& operator<<(std::ostream& out, const DefaultScene& scene) { return out << scene.name; }
};

constexpr const char* kStart =
    "[simulation]\nspacing = 0.02\nduration = 0.5\n[[snow]]\nshape = \"sphere\"\ncenter = [0, 0.2, 0]\nradius = 0.1\n";
constexpr const char* kGround = "[[collider]]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\n";

class DefaultLook : public ::testing::TestWithParam<DefaultScene> {
 protected:
  DefaultLook() {
    write_bytes(folder_ / "scene.toml", std::string(kStart) + kGround);
    frame_ = make_ball(GetParam().snow, 3, 0.01);
    write_ply(folder_ / "frame_0000.ply", frame_);
    RenderOptions options;
    options.samples = 12;
    options.width = 128;
    options.height = 72;
    options.exr = true;
    picture_ = read_png(render(folder_.path(), options).pictures.front());
  }

  // Snow pixels, brightest first.
  std::vector<Pixel> snow() const {
    const Scene scene = load_scene(folder_ / "scene.toml");
    const Staged staged(scene);
    Subject subject;
    subject.add(frame_, staged, 0);
    const Camera camera = fit_camera(subject, staged, 128.0 / 72);
    const Vec<double, 3> centre{GetParam().snow[0], GetParam().snow[1], GetParam().snow[2]};
    const Projection projection = projection_of(camera, picture_.width, picture_.height);
    const Splat ball = projection.project({camera.to_view(centre), static_cast<float>(0.1 / camera.radius)});
    constexpr float kWithin = 0.85f;  // of the ball's radius: nothing of what is behind it
    std::vector<Pixel> pixels;
    for (int y = 0; y < picture_.height; ++y)
      for (int x = 0; x < picture_.width; ++x)
        if (std::hypot(static_cast<float>(x) + 0.5f - ball.x, static_cast<float>(y) + 0.5f - ball.y) < kWithin * ball.radius)
          pixels.push_back(pixel_at(picture_, x, y));
    std::sort(pixels.begin(), pixels.end(), [](const Pixel& a, const Pixel& b) { return a.brightness() > b.brightness(); });
    return pixels;
  }

  TempFolder folder_;
  Frame frame_;
  Image picture_;
};

// Of the mean of a part of the pixels.
struct Mean {
  double red = 0, blue = 0, brightness = 0;
};
Mean mean_of(const std::vector<Pixel>& pixels, double first, double last) {
  Mean mean;
  const auto from = static_cast<std::size_t>(first * static_cast<double>(pixels.size()));
  const auto to = static_cast<std::size_t>(last * static_cast<double>(pixels.size()));
  for (std::size_t i = from; i < to; ++i) {
    const double share = 1 / static_cast<double>(to - from);
    mean.red += share * pixels[i].r;
    mean.blue += share * pixels[i].b;
    mean.brightness += share * pixels[i].brightness();
  }
  return mean;
}

TEST_P(DefaultLook, LitSnowIsWhiteAndBright) {
  const Mean lit = mean_of(snow(), 0, 0.1);
  EXPECT_GT(lit.brightness, 235);
  EXPECT_GT(lit.red / lit.blue, 0.94);
  EXPECT_LT(lit.red / lit.blue, 1.04);
}

TEST_P(DefaultLook, ShadeIsBlueAndNotBlack) {
  const Mean shade = mean_of(snow(), 0.9, 1);
  EXPECT_GT(shade.red / shade.blue, 0.7);
  EXPECT_LT(shade.red / shade.blue, 0.9);
  EXPECT_GT(shade.brightness, 60);
  EXPECT_LT(shade.brightness, 190);
}

TEST_P(DefaultLook, HasAHorizonBetweenSkyAndGround) {
  const Pixel sky = pixel_at(picture_, 2, 1), ground = pixel_at(picture_, 2, picture_.height - 2);
  EXPECT_GT(sky.brightness(), ground.brightness() + 20);
  EXPECT_GT(sky.b, sky.r) << "a clear day";
}

INSTANTIATE_TEST_SUITE_P(Scenes, DefaultLook,
                         ::testing::Values(DefaultScene{"BallOnTheGround", {0, 0.1, 0}}, DefaultScene{"BallInTheAir", {0, 0.3, 0}},
                                           DefaultScene{"BallFarFromTheOrigin", {300, 0.15, -200}}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace firn
