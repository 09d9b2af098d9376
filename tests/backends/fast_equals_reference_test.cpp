// The CPU solver against the textbook one, from the same particles, in every variant.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "support/fast_backend.h"
#include "support/random_snow.h"

namespace firn::test {
namespace {

[[maybe_unused]] const auto* const backend = testing::AddGlobalTestEnvironment(new NeedsItsBackend);

struct Differences {
  double x = 0, v = 0, F_E = 0, J_P = 0;  // largest difference over largest magnitude
};

template <class Column, class Each>
double relative_difference(const Column& a, const Column& b, Each each) {
  double difference = 0, magnitude = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    each(a[i], b[i], [&](double p, double q) {
      EXPECT_TRUE(std::isfinite(p) && std::isfinite(q));
      difference = std::max(difference, std::abs(p - q));
      magnitude = std::max(magnitude, std::abs(q));
    });
  return difference / magnitude;
}

Differences compare(const Frame& fast, const Frame& slow) {
  const auto entries = [](const auto& p, const auto& q, auto f) {
    for (std::size_t k = 0; k < p.size(); ++k) f(p[k], q[k]);
  };
  const auto number = [](double p, double q, auto f) { f(p, q); };
  const double F_E = fast.fe.empty() || slow.fe.empty() ? 0 : relative_difference(fast.fe, slow.fe, entries);
  const double J_P = fast.jp.empty() || slow.jp.empty() ? 0 : relative_difference(fast.jp, slow.jp, number);
  return {relative_difference(fast.position, slow.position, entries), relative_difference(fast.velocity, slow.velocity, entries), F_E, J_P};
}

using Variant = std::tuple<int, Kernel, Transfer, Integrator>;

class Variants : public testing::TestWithParam<Variant> {};

void expect_close(const Frame& fast, const Frame& slow, double bound) {
  ASSERT_EQ(fast.size(), slow.size());
  ASSERT_EQ(fast.fe.size(), slow.size());
  ASSERT_EQ(fast.jp.size(), slow.size());
  const Differences d = compare(fast, slow);
  EXPECT_LE(d.x, bound);
  EXPECT_LE(d.v, bound);
  EXPECT_LE(d.F_E, bound);
  EXPECT_LE(d.J_P, bound);
  printf("    bound %.0e: x %.1e  v %.1e  F_E %.1e  J_P %.1e\n", bound, d.x, d.v, d.F_E, d.J_P);
}

TEST_P(Variants, After60Steps) {
  const auto [dimension, kernel, transfer, integrator] = GetParam();
  constexpr int kSteps = 60;
  const TempFolder folder;
  RandomSnow snow;
  snow.dimension = dimension;
  snow.lower[1] = 0.013;  // the plane is met in the middle of them
  // Across several blocks, and no more than the reference can solve for.
  snow.cells = dimension == 2 ? 30 : integrator == Integrator::kExplicit ? 10 : 6;
  if (dimension == 3 && integrator == Integrator::kSemiImplicit) snow.count /= 4;
  Scene scene = thrown_snow(snow, folder);
  scene.solver.kernel = kernel;
  scene.solver.transfer = transfer;
  scene.solver.integrator = integrator;
  scene.solver.time_step = 1e-4;
  scene.solver.tolerance = 1e-11;
  scene.solver.precision = Precision::kDouble;
  const Frame slow = after_steps(scene, Backend::kReference, kSteps);
  expect_close(after_steps(scene, fast_backend(), kSteps), slow, 1e-9);
  scene.solver.precision = Precision::kFloat;
  expect_close(after_steps(scene, fast_backend(), kSteps), slow, 1e-3);
  const Frame start = read_ply(scene.snow[0].shape.file);
  EXPECT_GT(compare(slow, start).v, 0.1) << "the snow must have hit the plane";
}

TEST(FastEqualsReference, WithTheTrapezoidalRuleToo) {
  const TempFolder folder;
  RandomSnow snow;
  snow.dimension = 2;
  snow.cells = 30;
  snow.lower[1] = 0.013;
  Scene scene = thrown_snow(snow, folder);
  scene.solver.integrator = Integrator::kSemiImplicit;
  scene.solver.beta = 0.5;
  scene.solver.time_step = 1e-4;
  scene.solver.tolerance = 1e-11;
  scene.solver.precision = Precision::kDouble;
  expect_close(after_steps(scene, fast_backend(), 60), after_steps(scene, Backend::kReference, 60), 1e-9);
}

// Snow may come with any strain: it acts as it is before it yields.
TEST(FastEqualsReference, AlsoWhereTheSnowComesStrained) {
  const TempFolder folder;
  Frame frame = random_frame({});
  Rng rng(3);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    std::array<double, 9> F{};
    for (std::size_t k = 0; k < 9; ++k) F[k] = (k % 4 == 0 ? 1 : 0) + 0.08 * (2 * rng.uniform() - 1);
    frame.fe.push_back(F);
    frame.jp.push_back(0.9 + 0.2 * rng.uniform());
  }
  write_ply(folder.file("strained.ply"), in_double(frame));
  Scene scene = thrown_snow({}, folder);
  scene.snow[0].shape.file = folder.file("strained.ply");
  scene.solver.time_step = 2e-5;
  for (const Transfer transfer : {Transfer::kFlip, Transfer::kApic}) {
    scene.solver.transfer = transfer;
    scene.solver.precision = Precision::kFloat;
    expect_close(after_steps(scene, fast_backend(), 3), after_steps(scene, Backend::kReference, 3), 1e-3);
  }
}

using DensityVariant = std::tuple<int, Kernel>;

class DensityLimited : public testing::TestWithParam<DensityVariant> {};

// Snow of several blocks that meets a floor with friction, a ball that moves and a box that sticks.
Scene snow_among_bodies(int dimension, const TempFolder& folder) {
  RandomSnow snow;
  snow.dimension = dimension;
  snow.cells = dimension == 2 ? 24 : 8;
  snow.scatter = 1;
  Scene scene = thrown_snow(snow, folder);
  Collider ball, box;
  ball.shape.kind = ShapeKind::kSphere;
  ball.shape.center = {0.5 * snow.cells * snow.h, 0, dimension == 3 ? 0.04 : 0};
  ball.shape.radius = 0.03;
  ball.friction = 0.5;
  ball.velocity = {0.2, 0.5, 0};
  box.shape.kind = ShapeKind::kBox;
  box.shape.center = {snow.cells * snow.h + 0.06, 0.05, 0};
  box.shape.size = {0.08, 0.2, dimension == 3 ? 0.3 : 0};
  box.sticky = true;
  scene.colliders.push_back(ball);
  scene.colliders.push_back(box);
  return scene;
}

TEST_P(DensityLimited, After100Steps) {
  if (fast_backend() == Backend::kCuda) GTEST_SKIP() << "the density-limited method runs on the CPU only";
  const auto [dimension, kernel] = GetParam();
  const TempFolder folder;
  Scene scene = snow_among_bodies(dimension, folder);
  scene.solver.integrator = Integrator::kDensityLimited;
  scene.solver.kernel = kernel;
  scene.solver.time_step = 1e-3;
  scene.solver.precision = Precision::kDouble;
  Simulation fast(scene, fast_backend(), 2), slow(scene, Backend::kReference);
  StepInfo fast_info, slow_info;
  for (int k = 0; k < 100; ++k) {
    fast_info = fast.step(1e-3);
    slow_info = slow.step(1e-3);
    ASSERT_EQ(fast_info.limited, slow_info.limited) << "step " << k;
  }
  EXPECT_GT(slow_info.limited, 100) << "some of the snow must be packed";
  const Frame expected = slow.frame(true);
  expect_close(fast.frame(true), expected, 1e-9);
  scene.solver.precision = Precision::kFloat;
  expect_close(after_steps(scene, fast_backend(), 100), expected, 2e-2);  // where rounding decides whether a node is packed, snow jumps
  EXPECT_NEAR(fast_info.gravity_work, slow_info.gravity_work, 1e-9 * std::abs(slow_info.gravity_work));
  for (std::size_t b = 0; b < slow_info.loads.size(); ++b)
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(fast_info.loads[b].impulse[d], slow_info.loads[b].impulse[d], 1e-9);
}

std::string density_variant_name(const testing::TestParamInfo<DensityVariant>& info) {
  return std::to_string(std::get<0>(info.param)) + "D_" + (std::get<1>(info.param) == Kernel::kCubic ? "cubic" : "quadratic");
}

INSTANTIATE_TEST_SUITE_P(FastEqualsReference, DensityLimited,
                         testing::Combine(testing::Values(2, 3), testing::Values(Kernel::kCubic, Kernel::kQuadratic)),
                         density_variant_name);

std::string variant_name(const testing::TestParamInfo<Variant>& info) {
  const auto [dimension, kernel, transfer, integrator] = info.param;
  return std::to_string(dimension) + "D_" + (kernel == Kernel::kCubic ? "cubic" : "quadratic") + "_" +
         (transfer == Transfer::kFlip ? "flip" : "apic") + "_" + (integrator == Integrator::kExplicit ? "explicit" : "implicit");
}

INSTANTIATE_TEST_SUITE_P(FastEqualsReference, Variants,
                         testing::Combine(testing::Values(2, 3), testing::Values(Kernel::kCubic, Kernel::kQuadratic),
                                          testing::Values(Transfer::kFlip, Transfer::kApic),
                                          testing::Values(Integrator::kExplicit, Integrator::kSemiImplicit)),
                         variant_name);

}  // namespace
}  // namespace firn::test
