// Pictures of coloured snow, quick and path traced.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <filesystem>

#include "falling_ball.h"
#include "firn/error.h"
#include "firn/picture.h"
#include "png_files.h"
#include "render/path/deep_snow.h"
#include "render/path/tracer.h"

namespace firn {
namespace {

using namespace test;
namespace fs = std::filesystem;

constexpr int kPictureWidth = 160, kPictureHeight = 90;

Frame ball(double speed, int dimension = 3) {
  Frame frame = make_ball({0, 0.2, 0}, dimension, 0.012);
  for (auto& v : frame.velocity) v = {0, -speed, 0};
  return frame;
}

// A run of balls at rest on the same place, whose velocities are what colours show.
void write_run(const TempFolder& folder, const std::vector<double>& speeds, int dimension = 3) {
  write_bytes(folder / "scene.toml", dimension == 3 ? std::string(kFallingBall)
                                                    : "[simulation]\ndimension = 2\nspacing = 0.01\nduration = 0.125\n"
                                                      "[[snow]]\nshape = \"sphere\"\ncenter = [0, 0.2]\nradius = 0.1\n");
  for (std::size_t i = 0; i < speeds.size(); ++i)
    write_ply(folder / ("frame_000" + std::to_string(i) + ".ply"), ball(speeds[i], dimension));
}

std::vector<Image> previews(const std::string& path, ColourBy colour) {
  PreviewOptions options;
  options.width = kPictureWidth;
  options.height = kPictureHeight;
  options.film = false;
  options.colour = colour;
  std::vector<Image> images;
  for (const std::string& picture : preview(path, options).pictures) images.push_back(read_png(picture));
  return images;
}

std::vector<Image> renders(const std::string& path, ColourBy colour) {
  RenderOptions options;
  options.width = kPictureWidth;
  options.height = kPictureHeight;
  options.samples = 1;
  options.colour = colour;
  std::vector<Image> images;
  for (const std::string& picture : render(path, options).pictures) images.push_back(read_png(picture));
  return images;
}

// Of the ball, above the legend.
Colour snow_in(const Image& image) {
  constexpr int kReach = 5;
  Colour sum = Colour::zero();
  for (int y = -kReach; y <= kReach; ++y)
    for (int x = -kReach; x <= kReach; ++x) {
      const Pixel p = pixel_at(image, image.width / 2 + x, image.height / 3 + y);
      sum += Colour{static_cast<float>(p.r), static_cast<float>(p.g), static_cast<float>(p.b)};
    }
  return (1.0f / ((2 * kReach + 1) * (2 * kReach + 1))) * sum;
}

float difference(const Colour& a, const Colour& b) { return norm(a - b); }

class BothVerbs : public ::testing::TestWithParam<std::vector<Image> (*)(const std::string&, ColourBy)> {
 protected:
  std::vector<Image> pictures(const std::string& path, ColourBy colour) const { return GetParam()(path, colour); }
};

TEST_P(BothVerbs, FastSnowHasAnotherColourThanSlowSnowOnOneScaleForAllFrames) {
  const TempFolder folder;
  write_run(folder, {0.5, 4, 0.5});
  const std::vector<Image> images = pictures(folder.path(), ColourBy::kSpeed);
  ASSERT_EQ(images.size(), 3u);
  const Colour slow = snow_in(images[0]), fast = snow_in(images[1]);
  EXPECT_GT(slow[2], slow[1] + 40) << "violet";
  EXPECT_GT(fast[1], fast[2] + 40) << "yellow";
  EXPECT_LT(difference(slow, snow_in(images[2])), 3) << "equal speeds have equal colours";
  const Image alone = pictures(folder / "frame_0000.ply", ColourBy::kSpeed).front();
  EXPECT_GT(difference(snow_in(alone), slow), 60) << "on a scale of its own it is the fastest";
}

TEST_P(BothVerbs, ThereIsALegendWhereThereAreColours) {
  const TempFolder folder;
  write_run(folder, {1});
  const Image plain = pictures(folder.path(), ColourBy::kNone).front();
  for (const ColourBy colour : {ColourBy::kSpeed, ColourBy::kMaterial}) {
    const Image image = pictures(folder.path(), colour).front();
    int inked = 0;
    for (int y = kPictureHeight / 2; y < kPictureHeight; ++y)
      for (int x = 0; x < kPictureWidth / 2; ++x)
        inked += pixel_at(image, x, y).brightness() > 200 && pixel_at(plain, x, y).brightness() < 150;
    EXPECT_GT(inked, 30) << "of letters";
  }
}

TEST_P(BothVerbs, ThreadsDoNotChangeTheColours) {
  const TempFolder folder;
  write_run(folder, {4});
  const Image usual = pictures(folder.path(), ColourBy::kSpeed).back();
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(pictures(folder.path(), ColourBy::kSpeed).back().rgb, usual.rgb);
}

TEST_P(BothVerbs, AMissingColumnIsToldBeforeAnythingIsWritten) {
  const TempFolder folder;
  Frame frame = ball(1);
  frame.jp.clear();
  write_ply(folder / "a.ply", frame);
  try {
    pictures(folder / "a.ply", ColourBy::kJp);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(folder / "a.ply: to colour the snow by jp takes its jp"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(fs::exists(folder / "preview") || fs::exists(folder / "render"));
}

INSTANTIATE_TEST_SUITE_P(Pictures, BothVerbs, ::testing::Values(previews, renders),
                         [](const auto& about) { return about.param == previews ? "Preview" : "Render"; });

TEST(ColouredPreview, FlatSnowIsColouredToo) {
  const TempFolder folder;
  write_run(folder, {0.5, 4}, 2);
  const std::vector<Image> images = previews(folder.path(), ColourBy::kSpeed);
  EXPECT_GT(snow_in(images[0])[2], snow_in(images[0])[1] + 40) << "violet";
  EXPECT_GT(snow_in(images[1])[1], snow_in(images[1])[2] + 40) << "yellow";
}

// Of parallel rays on a whole ball, what comes back as from a wall that is seen and lit from all sides.
Colour mean_over_disc(const PathTracer& tracer, const Float3& center, float radius) {
  constexpr int kRays = 6000;
  Colour sum = Colour::zero();
  int hits = 0;
  for (int s = 0; s < kRays; ++s) {
    Rng rng(Rng::cell_key(5, s, 0, 0));
    const float away = radius * std::sqrt(random_float(rng)), around = 6.2831853f * random_float(rng);
    const Float3 from = center + Float3{away * std::cos(around), away * std::sin(around), 10};
    const PathTracer::Sample sample = tracer.trace({from, {0, 0, -1}}, 1e-3f, rng);
    if (sample.depth == 0) continue;  // past the ball
    sum += sample.light;
    ++hits;
  }
  return (1 / static_cast<float>(hits)) * sum;
}

TEST(ColouredSnow, ThrowsBackTheColourItIsGivenInEvenLight) {
  const Frame frame = ball(0);
  const Camera camera = camera_for(frame, nullptr);
  const Float3 center = camera.to_view({0, 0.2, 0});
  const float radius = static_cast<float>(0.1 / camera.radius);
  for (const Colour& wanted : {Colour{0.8f, 0.4f, 0.1f}, Colour{0.05f, 0.2f, 0.9f}}) {
    const std::vector<Colour> colours(frame.size(), wanted);
    const MediumSettings settings{0.006, 0.012, 5000};
    const Medium medium(snow_voxels(frame, settings, colours), camera, settings);
    for (const float g : {0.0f, 0.5f}) {
      const Stage nothing;
      const PathTracer tracer(medium, nothing, Daylight::even({1, 1, 1}), {{1, 1, 1}, g, true});
      const Colour seen = mean_over_disc(tracer, center, radius);
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(seen[c], wanted[c], 0.02f + 0.06f * wanted[c]) << "g " << g << " channel " << c;
    }
  }
}

TEST(ColouredSnow, IsTheMeanOverTheMassWhereColoursMeet) {
  Frame frame;
  add_particle(frame, {-0.004, 0, 0}, 1e-6);
  add_particle(frame, {0.004, 0, 0}, 1e-6);
  frame.mass = {3, 1};
  Camera camera;
  const MediumSettings settings{0.01, 0.001, 724};
  const Medium medium(snow_voxels(frame, settings, {{1, 0, 0}, {0, 1, 0}}), camera, settings);
  const Colour between = medium.reflectance({0, 0, 0});
  EXPECT_NEAR(between[0], 0.75f, 0.01f) << "grains lie about their particles";
  EXPECT_NEAR(between[1], 0.25f, 0.01f);
  const Colour edge = medium.reflectance({-0.015f, 0, 0});
  EXPECT_NEAR(edge[0] + edge[1], 1, 1e-3f) << "no darker where the snow ends";
}

TEST(ColouredSnow, WhiteThatAbsorbsNothingHasTheAlbedoOfOne) {
  for (const float g : {-0.5f, 0.0f, 0.5f}) {
    EXPECT_NEAR(single_scattering_albedo(1.0f, g), 1, 1e-5f);
    EXPECT_NEAR(single_scattering_albedo(0.0f, g), 0, 1e-4f);
    EXPECT_GT(single_scattering_albedo(0.5f, g), 0.8f);
  }
}

}  // namespace
}  // namespace firn
