// Lamps and skies: how much light they throw, checked with formulas, and that the two ways of finding it agree.
#include "render/path/lights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "render/path/scattering.h"
#include "render/path/tracer.h"
#include "scenes.h"

namespace firn {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
const Daylight kNight = Daylight::even({0, 0, 0});

AreaLight light_of(LightShape shape, const Vector& center, const Vector& target) {
  AreaLight light;
  light.shape = shape;
  light.center = center;
  light.target = target;
  light.colour = {1, 1, 1};
  return light;
}

AreaLight disc_above() {
  AreaLight light = light_of(LightShape::kDisc, {0, 2, 0}, {0, 0, 0});
  light.radius = 1.5;
  light.strength = 3;
  return light;
}

Lights at_night(const std::vector<AreaLight>& lamps, const Camera& camera = {}) {
  RenderSettings settings;
  settings.sun_strength = settings.sky_strength = 0;
  settings.lights = lamps;
  return scene_lights(settings, camera, nullptr);
}

// Of the sample's light; lamps hide each other.
float visible(const Lights& lights, const Float3& p, const LightSample& sample) {
  return lights.lamp_ahead({p, sample.direction}).hit.t < 0.9999f * sample.distance ? 0 : 1;
}

// On a surface at p that faces `normal`, nothing else in the way; by samples of the lights.
double irradiance(const Lights& lights, const Float3& p, const Float3& normal, int samples = 100000) {
  double sum = 0;
  for (int i = 0; i < samples; ++i) {
    Rng rng(Rng::cell_key(1, i, 0, 0));
    const LightSample s = lights.sample(p, rng);
    sum += visible(lights, p, s) * s.light[1] * std::max(0.0f, dot(normal, s.direction));
  }
  return sum / samples;
}

// The same by directions that a matte surface would choose.
double irradiance_by_chance(const Lights& lights, const Float3& p, const Float3& normal, int samples = 400000) {
  double sum = 0;
  const MatteScattering matte(normal, {1, 1, 1});
  for (int i = 0; i < samples; ++i) {
    Rng rng(Rng::cell_key(2, i, 0, 0));
    const Ray ray{p, matte.turn(rng).direction};
    sum += kPi * lights.found(ray, lights.lamp_ahead(ray)).radiance[1];
  }
  return sum / samples;
}

// By both, as a path does.
double irradiance_by_both(const Lights& lights, const Float3& p, const Float3& normal, int samples = 100000) {
  double sum = 0;
  const MatteScattering matte(normal, {1, 1, 1});
  for (int i = 0; i < samples; ++i) {
    Rng rng(Rng::cell_key(3, i, 0, 0));
    const LightSample s = lights.sample(p, rng);
    const float part = s.pdf > 0 ? share(s.pdf, matte.pdf(s.direction)) : 1;
    sum += part * visible(lights, p, s) * s.light[1] * std::max(0.0f, dot(normal, s.direction));
    const Turn turn = matte.turn(rng);
    const FoundLight found = lights.found({p, turn.direction}, lights.lamp_ahead({p, turn.direction}));
    sum += kPi * share(turn.pdf, found.pdf) * found.radiance[1];
  }
  return sum / samples;
}

TEST(Lamps, ADiscLightsThePointBelowItsMiddleByPiTimesTheSquaredSine) {
  const double sine_squared = 1.5 * 1.5 / (1.5 * 1.5 + 2 * 2), expected = std::numbers::pi * 3 * sine_squared;
  EXPECT_NEAR(irradiance(at_night({disc_above()}), {0, 0, 0}, {0, 1, 0}), expected, 0.01 * expected);
}

TEST(Lamps, ASphereLightsLikeItsCentreByPiTimesTheSquaredSine) {
  AreaLight ball = light_of(LightShape::kSphere, {1, 2, -0.5}, {});
  ball.radius = 0.7;
  ball.strength = 2;
  const Float3 way{1, 2, -0.5f};
  const double squared = dot(way, way), expected = std::numbers::pi * 2 * 0.49 / squared * (2 / std::sqrt(squared));
  EXPECT_NEAR(irradiance(at_night({ball}), {0, 0, 0}, {0, 1, 0}), expected, 0.01 * expected);
}

// The form factor of a rectangle from a point below one of its corners (Howell's catalogue, B-4), four times.
TEST(Lamps, ARectangleLightsAsItsFormFactorSays) {
  AreaLight panel = light_of(LightShape::kRectangle, {0, 1.5, 0}, {0, 0, 0});
  panel.size = {2, 1};
  panel.strength = 5;
  const auto corner = [](double a, double b) {
    return (a / std::hypot(1, a) * std::atan(b / std::hypot(1, a)) + b / std::hypot(1, b) * std::atan(a / std::hypot(1, b))) /
           (2 * std::numbers::pi);
  };
  const double expected = std::numbers::pi * 5 * 4 * corner(1 / 1.5, 0.5 / 1.5);
  EXPECT_NEAR(irradiance(at_night({panel}), {0, 0, 0}, {0, 1, 0}), expected, 0.01 * expected);
}

TEST(Lamps, AreMeasuredInMetresWhateverTheCamera) {
  Camera camera;
  camera.radius = 0.1;
  camera.focus = {3, -2, 1};
  const Lights near = at_night({disc_above()}, camera), far = at_night({disc_above()});
  EXPECT_NEAR(irradiance(near, camera.to_view({0, 0, 0}), {0, 1, 0}), irradiance(far, {0, 0, 0}, {0, 1, 0}), 0.03);
}

TEST(Lamps, WidthIsAcrossAndHeightIsUpLikeACameras) {
  AreaLight panel = light_of(LightShape::kRectangle, {0, 0, 0}, {0, 0, 1});
  panel.size = {4, 1};
  const Lights lights = at_night({panel});
  const auto meets = [&](float x, float y) { return lights.lamp_ahead({{x, y, 5}, {0, 0, -1}}).lamp != nullptr; };
  EXPECT_TRUE(meets(1.9f, 0.4f));
  EXPECT_TRUE(meets(-1.9f, -0.4f));
  EXPECT_FALSE(meets(2.1f, 0));
  EXPECT_FALSE(meets(0, 0.6f));
}

TEST(Lamps, FromBehindAreNotThere) {
  const AreaLight panel = light_of(LightShape::kRectangle, {0, 2, 0}, {0, 0, 0}), disc = disc_above();
  for (const AreaLight& light : {panel, disc}) {
    const Lights lights = at_night({light});
    EXPECT_EQ(irradiance(lights, {0, 3, 0}, {0, -1, 0}, 1000), 0);
    EXPECT_EQ(lights.lamp_ahead({{0, 3, 0}, {0, -1, 0}}).lamp, nullptr);
    EXPECT_NE(lights.lamp_ahead({{0, 1, 0}, {0, 1, 0}}).lamp, nullptr);
  }
  AreaLight ball = light_of(LightShape::kSphere, {0, 2, 0}, {});
  EXPECT_EQ(at_night({ball}).lamp_ahead({{0, 2.5f, 0}, {0, 1, 0}}).lamp, nullptr) << "from within";
}

// With everything at once: lamps of all kinds, overlapping in part, over a sky and a sun.
TEST(Lights, BothWaysOfFindingThemAndTheirSharesBringTheSame) {
  AreaLight ball = light_of(LightShape::kSphere, {-1.5, 1, 0.5}, {}), panel = light_of(LightShape::kRectangle, {0.8, 0.4, 1}, {0, 0, 0});
  ball.radius = 0.6;
  ball.strength = 2;
  panel.size = {1.5, 0.5};
  panel.strength = 8;
  HdrImage image{8, 4, std::vector<Colour>(32, Colour{0.3f, 0.3f, 0.3f})};
  image.pixels[10] = {9, 8, 7};
  const SkyImage sky(image, 40, 1);
  RenderSettings settings;
  settings.sun_strength = 0;
  settings.lights = {ball, panel};
  const Lights lamps = at_night({ball, panel}), all = scene_lights(settings, {}, &sky);
  const Float3 p{0, 0, 0}, up{0, 1, 0};
  const double by_samples = irradiance(lamps, p, up), by_chance = irradiance_by_chance(lamps, p, up);
  EXPECT_NEAR(by_samples, by_chance, 0.02 * by_chance);
  EXPECT_NEAR(irradiance_by_both(lamps, p, up), by_chance, 0.02 * by_chance);
  EXPECT_NEAR(irradiance_by_both(all, p, up), irradiance_by_chance(all, p, up), 0.02 * by_chance) << "lamps hide the sky";
}

// The middle of a floor, through the whole path tracer.
class OnAFloor : public ::testing::Test {
 protected:
  // Light that comes from the floor over its albedo: irradiance / pi.
  double brightness(const Lights& lights, const Scene& scene, int samples) {
    const test::Staged staged(scene);
    const Stage stage(staged, Camera{}, 0);
    const PathTracer tracer(air_, stage, lights, {});
    double sum = 0;
    squares_ = 0;
    for (int i = 0; i < samples; ++i) {
      Rng rng(Rng::cell_key(4, i, 0, 0));
      const Float3 way = normalized(Float3{0.3f, -1, 0.1f});
      const PathTracer::Sample s = tracer.trace({Float3{0, 0, 0} - 0.5f * way, way}, 10, rng);
      sum += s.light[1] / s.albedo[1];
      squares_ += s.light[1] / s.albedo[1] * s.light[1] / s.albedo[1];
    }
    return sum / samples;
  }

  const Medium air_{Float3{90, 90, 90}, Float3{91, 91, 91}, 1e-3f, 4};
  double squares_ = 0;
};

TEST_F(OnAFloor, ALampShinesAsItsFormulaSaysAndABodyHidesIt) {
  Scene scene = test::make_floor();
  const double expected = 3 * 1.5 * 1.5 / (1.5 * 1.5 + 2 * 2);
  EXPECT_NEAR(brightness(at_night({disc_above()}), scene, 20000), expected, 0.02 * expected);
  scene.colliders.push_back(test::make_box({0, 1.2, 0}, {8, 0.2, 8}));
  EXPECT_LT(brightness(at_night({disc_above()}), scene, 1000), 1e-3 * expected);
}

TEST_F(OnAFloor, ALampHidesAnother) {
  const Scene scene = test::make_floor();
  AreaLight dark = light_of(LightShape::kRectangle, {0, 1, 0}, {0, 0, 0});
  dark.size = {50, 50};
  dark.strength = 0;
  EXPECT_EQ(brightness(at_night({disc_above(), dark}), scene, 1000), 0);
}

// A spot of a picture against a sun of the same irradiance; sampling must find it as surely.
TEST_F(OnAFloor, ABrightSpotOfThePictureShinesLikeASun) {
  constexpr int kHeight = 128;
  HdrImage image{2 * kHeight, kHeight, std::vector<Colour>(2 * kHeight * kHeight, Colour{0, 0, 0})};
  image.pixels[image.at(150, 40)] = {1e4f, 1e4f, 1e4f};
  const SkyImage sky(image, 0, 1);
  Rng rng(1);
  Daylight sun = kNight;
  sun.sunlight = Colour::filled(sky.fluence());
  Float3 middle{0, 0, 0};
  for (int i = 0; i < 1000; ++i) middle += sky.choose(rng);
  sun.sun = normalized(middle);
  const Scene floor = test::make_floor();
  constexpr int kSamples = 20000;
  const double by_sun = brightness(sun, floor, kSamples), by_spot = brightness(Lights(kNight, &sky), floor, kSamples);
  EXPECT_NEAR(by_spot, by_sun, 0.03 * by_sun);
  const double variance = squares_ / kSamples - by_spot * by_spot;
  EXPECT_LT(variance, 4 * by_spot * by_spot) << "by chance alone it would be 1e4 times that: the spot is 1/1e4 of the sky";
}

TEST_F(OnAFloor, SnowBelowASpotIsAsBrightAsInTheSun) {
  constexpr int kHeight = 64;
  HdrImage image{2 * kHeight, kHeight, std::vector<Colour>(2 * kHeight * kHeight, Colour{0, 0, 0})};
  image.pixels[image.at(30, 15)] = {1e4f, 1e4f, 1e4f};
  const SkyImage sky(image, 0, 1);
  Rng seed(1);
  Daylight sun = kNight;
  sun.sunlight = Colour::filled(sky.fluence());
  sun.sun = sky.choose(seed);
  const Medium slab(Float3{-3, 0, -3}, Float3{3, 1, 3}, 8, 60);
  const Stage nothing;
  const auto mean = [&](const Lights& lights) {
    const PathTracer tracer(slab, nothing, lights, {{0.9f, 0.95f, 1}, 0.5f});
    double sum = 0;
    for (int i = 0; i < 20000; ++i) {
      Rng rng(Rng::cell_key(6, i, 0, 0));
      sum += tracer.trace({{0, 3, 0}, {0, -1, 0}}, 1e-3f, rng).light[0];
    }
    return sum / 20000;
  };
  const double by_sun = mean(sun), by_spot = mean(Lights(kNight, &sky));
  EXPECT_NEAR(by_spot, by_sun, 0.05 * by_sun);
}

// A closed room of light, in which snow that absorbs nothing cannot be seen, whoever shines.
TEST(WhiteFurnace, EvenPicturesAndLampsAllAroundAreLikeAnEvenSky) {
  const Medium medium(Float3{-0.5f, -0.5f, -0.5f}, Float3{0.5f, 0.5f, 0.5f}, 8, 16);
  const Stage nothing;
  const SkyImage sky({16, 8, std::vector<Colour>(128, Colour{1, 1, 1})}, 0, 1);
  std::vector<AreaLight> walls;
  for (int d = 0; d < 3; ++d)
    for (const double side : {-2.0, 2.0}) {
      Vector center{0, 0, 0};
      center[d] = side;
      walls.push_back(light_of(LightShape::kRectangle, center, {0, 0, 0}));
      walls.back().size = {4, 4};
    }
  for (const Lights& lights : {Lights(kNight, &sky), at_night(walls)}) {
    const PathTracer tracer(medium, nothing, lights, {{1, 1, 1}, 0.5f});
    double sum = 0;
    constexpr int kSamples = 20000;
    for (int i = 0; i < kSamples; ++i) {
      Rng rng(Rng::cell_key(8, i, 0, 0));
      sum += tracer.trace({{-1.5f, 0.1f, 0.2f}, {1, 0, 0}}, 1e-3f, rng).light[1];
    }
    EXPECT_NEAR(sum / kSamples, 1, 0.02);
  }
}

TEST(Lamps, AreSeenByTheCameraWithTheirDistance) {
  const Medium air(Float3{90, 90, 90}, Float3{91, 91, 91}, 1e-3f, 4);
  const Stage nothing;
  const PathTracer tracer(air, nothing, at_night({disc_above()}), {});
  Rng rng(1);
  const PathTracer::Sample sample = tracer.trace({{0, 0, 0}, {0, 1, 0}}, 1e-3f, rng);
  for (int c = 0; c < 3; ++c) EXPECT_FLOAT_EQ(sample.light[c], 3);
  EXPECT_FLOAT_EQ(sample.depth, 2);
  EXPECT_FLOAT_EQ(sample.normal[1], -1);
}

TEST(SceneLights, UnderAPictureTheSunIsOutUnlessTheSceneSays) {
  const auto has_sun = [](const RenderSettings& settings) {
    Rng rng(1);
    return scene_lights(settings, {}, nullptr).sample({0, 0, 0}, rng).light[0] > 0;
  };
  RenderSettings settings;
  EXPECT_TRUE(has_sun(settings));
  settings.sky_image = "sky.hdr";
  EXPECT_FALSE(has_sun(settings));
  settings.sun_strength = 0.5;
  EXPECT_TRUE(has_sun(settings));
  settings.sun_strength.reset();
  settings.sun = Vector{0, 1, 1};
  EXPECT_TRUE(has_sun(settings));
}

}  // namespace
}  // namespace firn
