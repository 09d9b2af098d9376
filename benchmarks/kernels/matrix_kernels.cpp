// Deformed matrices, a group of particles at a time: their decompositions, and plastic flow.
#include <benchmark/benchmark.h>

#include "materials/snow.h"
#include "math/decompose.h"
#include "math/pack.h"
#include "math/random.h"

namespace firn::bench_kernels {
namespace {

using Lanes = Pack<float, 16>;
using Matrix = Mat<Lanes, 3>;

constexpr int kGroups = 64;  // they fit the second-level cache

float symmetric(Rng& random) { return static_cast<float>(2 * random.uniform() - 1); }

// A rotation by any angle about a random axis.
Mat<float, 3> random_rotation(Rng& random) {
  const Vec<float, 3> u = Vec<float, 3>{symmetric(random), symmetric(random), symmetric(random)};
  const Vec<float, 3> axis = (1 / (norm(u) + 1e-6f)) * u;
  const float angle = 3 * symmetric(random), c = std::cos(angle), s = std::sin(angle);
  const Mat<float, 3> cross{{0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0}};
  return c * Mat<float, 3>::identity() + s * cross + (1 - c) * outer(axis, axis);
}

// Turned snow whose stretches lie within and beyond the yield limits of 0.975 and 1.0075.
Mat<float, 3> yielding(Rng& random) {
  Mat<float, 3> F = Mat<float, 3>::identity();
  for (float& entry : F.a) entry += 0.04f * symmetric(random);
  return random_rotation(random) * F;
}

// Anything, mirrored and nearly singular matrices included.
Mat<float, 3> general(Rng& random) {
  Mat<float, 3> F;
  for (float& entry : F.a) entry = symmetric(random);
  return F;
}

template <class Sample>
std::vector<Matrix> sample_groups(Sample sample) {
  Rng random(1);
  std::vector<Matrix> groups(kGroups);
  for (Matrix& group : groups)
    for (int lane = 0; lane < Lanes::kLanes; ++lane) {
      const Mat<float, 3> F = sample(random);
      for (int k = 0; k < 9; ++k) group.a[k].set(lane, F.a[k]);
    }
  return groups;
}

template <class Sample, class Kernel>
void matrices(benchmark::State& timer, Sample sample, Kernel kernel) {
  const std::vector<Matrix> groups = sample_groups(sample);
  for (auto _ : timer)
    for (const Matrix& F : groups) {
      auto result = kernel(F);
      benchmark::DoNotOptimize(result);
    }
  timer.SetItemsProcessed(timer.iterations() * kGroups * Lanes::kLanes);
}

constexpr auto kSvd = [](const Matrix& F) { return svd(F); };
constexpr auto kPolar = [](const Matrix& F) { return polar(F); };
constexpr auto kRotationNear = [](const Matrix& F) { return rotation_near(F); };
constexpr auto kYield = [](const Matrix& F) {
  const SnowParameters<Lanes> snow{58333.0f, 38889.0f, 10.0f, 0.975f, 1.0075f, 4.6f, 10.0f};
  return yield(F, Lanes(1.0f), snow);
};

BENCHMARK_CAPTURE(matrices, svd_yielding, yielding, kSvd)->Name("svd, yielding");
BENCHMARK_CAPTURE(matrices, svd_general, general, kSvd)->Name("svd, general");
BENCHMARK_CAPTURE(matrices, polar_yielding, yielding, kPolar)->Name("polar, yielding");
BENCHMARK_CAPTURE(matrices, polar_general, general, kPolar)->Name("polar, general");
BENCHMARK_CAPTURE(matrices, rotation_near_yielding, yielding, kRotationNear)->Name("rotation_near, yielding");
BENCHMARK_CAPTURE(matrices, yield_yielding, yielding, kYield)->Name("yield, yielding");
BENCHMARK_CAPTURE(matrices, yield_general, general, kYield)->Name("yield, general");
BENCHMARK_CAPTURE(matrices, rotation_near_general, general, kRotationNear)->Name("rotation_near, general");

}  // namespace
}  // namespace firn::bench_kernels
