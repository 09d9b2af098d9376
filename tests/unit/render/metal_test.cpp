// Rough metal: directions are chosen as said, light goes both ways alike and is never gained.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "render/path/scattering.h"
#include "render/path/tracer.h"
#include "scenes.h"

namespace firn {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
const Float3 kNormal = normalized(Float3{0.3f, 0.8f, -0.4f});

Float3 above(float cosine, float turn) { return direction_about(kNormal, cosine, turn); }

// Over the half sphere of directions: f(direction) times the steradians around it.
template <class F>
double integral(const F& f) {
  constexpr int kRings = 1500, kTurns = 3000;
  double sum = 0;
  for (int i = 0; i < kRings; ++i)
    for (int j = 0; j < kTurns; ++j) sum += f(above((i + 0.5f) / kRings, (j + 0.5f) / kTurns));
  return sum * 2 * kPi / (double(kRings) * kTurns);
}

struct Case {
  float roughness, cosine;
};
class Metal : public ::testing::TestWithParam<Case> {
 protected:
  MetalScattering metal(const Colour& colour = {1, 1, 1}) const {
    return {above(GetParam().cosine, 0.2f), kNormal, colour, GetParam().roughness};
  }
};

// What is missing of 1 are mirrors that would send light into the surface: the rougher and the flatter, the more.
TEST_P(Metal, PdfIsThatOfTheTurnsThatLeaveTheSurface) {
  const MetalScattering scattering = metal();
  constexpr int kTurns = 100000;
  int leaving = 0;
  for (int i = 0; i < kTurns; ++i) {
    Rng rng(Rng::cell_key(3, i, 0, 0));
    leaving += dot(scattering.turn(rng).direction, kNormal) > 0;
  }
  const double sum = integral([&](const Float3& direction) { return scattering.pdf(direction); });
  EXPECT_NEAR(sum, double(leaving) / kTurns, 0.01);
  EXPECT_LE(sum, 1.005);
  if (GetParam().roughness <= 0.3f && GetParam().cosine >= 0.5f) {
    EXPECT_NEAR(sum, 1, 0.02);
  }
}

TEST_P(Metal, TurnsAreSpreadAsThePdfSays) {
  const MetalScattering scattering = metal();
  const Tangents t = tangents_of(kNormal);
  constexpr int kAcross = 8, kTurns = 200000;
  const auto cell = [&](const Float3& w) {
    const auto part = [](float x) { return std::clamp(static_cast<int>((x + 1) / 2 * kAcross), 0, kAcross - 1); };
    return part(dot(w, t.s)) * kAcross + part(dot(w, t.t));
  };
  std::array<double, kAcross * kAcross> expected{}, found{};
  integral([&](const Float3& w) {
    expected[cell(w)] += scattering.pdf(w) * 2 * kPi / (1500.0 * 3000);
    return 0.0;
  });
  for (int i = 0; i < kTurns; ++i) {
    Rng rng(Rng::cell_key(4, i, 0, 0));
    const Turn turn = scattering.turn(rng);
    if (dot(turn.direction, kNormal) > 0) found[cell(turn.direction)] += 1.0 / kTurns;
  }
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 0.006) << i;
}

TEST_P(Metal, WeightOfATurnIsValueOverPdf) {
  const MetalScattering scattering = metal({0.9f, 0.5f, 0.2f});
  for (int i = 0; i < 2000; ++i) {
    Rng rng(Rng::cell_key(5, i, 0, 0));
    const Turn turn = scattering.turn(rng);
    if (dot(turn.direction, kNormal) <= 0.01f) continue;
    const Colour value = scattering.value(turn.direction);
    const float pdf = scattering.pdf(turn.direction);
    ASSERT_NEAR(turn.pdf / pdf, 1, 0.02) << i;
    for (int c = 0; c < 3; ++c) ASSERT_NEAR(turn.weight[c] / (value[c] / pdf), 1, 0.02) << i;
  }
}

TEST_P(Metal, LightGoesBothWaysAlike) {
  const Colour gold{0.9f, 0.6f, 0.3f};
  const float there_cosine = GetParam().cosine;
  for (const float back_cosine : {0.2f, 0.5f, 0.9f})
    for (const float turn : {0.0f, 0.3f, 0.7f}) {
      const Float3 there = above(there_cosine, 0.2f), back = above(back_cosine, turn);
      const Colour a = MetalScattering(there, kNormal, gold, GetParam().roughness).value(back);
      const Colour b = MetalScattering(back, kNormal, gold, GetParam().roughness).value(there);
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(a[c] * there_cosine, b[c] * back_cosine, 1e-3f * (a[c] + 1e-6f));
    }
}

TEST_P(Metal, NeverGainsLight) {
  const MetalScattering scattering = metal();
  double sum = 0;
  constexpr int kTurns = 20000;
  for (int i = 0; i < kTurns; ++i) {
    Rng rng(Rng::cell_key(6, i, 0, 0));
    const Turn turn = scattering.turn(rng);
    ASSERT_LE(turn.weight[0], 1.0001f);
    ASSERT_GE(turn.weight[0], 0);
    sum += turn.weight[0];
  }
  EXPECT_LE(sum / kTurns, 1);
  if (GetParam().roughness <= 0.3f) {
    EXPECT_GT(sum / kTurns, 0.85);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Metal,
                         ::testing::Values(Case{0.2f, 0.9f}, Case{0.3f, 0.999f}, Case{0.3f, 0.5f}, Case{0.3f, 0.1f}, Case{0.6f, 0.7f},
                                           Case{1.0f, 0.3f}, Case{1.0f, 1.0f}),
                         [](const auto& info) { return std::to_string(info.index); });

// A convex body in even light shows its own reflectance and nothing else.
TEST(MetalBody, InEvenLightHasItsColour) {
  Scene scene = test::make_floor();
  scene.colliders.clear();
  scene.colliders.push_back(test::make_box({0, 0, 0}, {1, 1, 1}));
  scene.colliders[0].look = Look::kMetal;
  scene.colliders[0].colour = {0.9, 0.5, 0.1};
  scene.colliders[0].roughness = 0.3;
  const Scenery scenery(scene);
  const Stage stage(&scenery, Camera{}, 0);
  const Medium nothing(Float3{8, 8, 8}, Float3{9, 9, 9}, 1, 4);
  const PathTracer tracer(nothing, stage, Daylight::even({1, 1, 1}), {});
  Colour sum = Colour::zero();
  constexpr int kPaths = 5000;
  for (int i = 0; i < kPaths; ++i) {
    Rng rng(Rng::cell_key(7, i, 0, 0));
    sum += tracer.trace({{0.1f, 0.05f, 3}, {0, 0, -1}}, 1e-3f, rng).light;
  }
  const Colour expected{0.9f, 0.5f, 0.1f};
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(sum[c] / kPaths, expected[c], 0.02);
}

}  // namespace
}  // namespace firn
