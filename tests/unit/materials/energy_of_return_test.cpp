// Snow that yields and hardens has no more energy afterwards than before, whatever its parameters; J_P stays in bounds; torn snow softens
// at a rate of its own; and the tangent knows what yielding will leave.
#include "deformations.h"
#include "math/pack.h"
#include "scene/rules.h"

namespace firn::material_tests {
namespace {

template <class C>
class Return : public InDimension<C> {};
TYPED_TEST_SUITE(Return, Dimensions);

template <int D>
double energy(const Mat<double, D>& F_E, double J_P, const SnowParameters<double>& s) {
  return energy_density(F_E, polar(F_E).R, hardened(s, J_P));
}

Material random_material(Rng& rng) {
  Material m;
  m.poisson_ratio = between(rng, 0, 0.49);
  m.hardening = between(rng, 0, 100);
  m.hardening_limit = std::exp(between(rng, 0, std::log(1e6)));
  m.critical_compression = std::exp(between(rng, std::log(1e-3), std::log(0.3)));
  m.critical_stretch = std::exp(between(rng, std::log(1e-3), std::log(0.3)));
  return m;
}

TYPED_TEST(Return, NeverLeavesMoreEnergyThanWasBrought) {
  constexpr int D = TestFixture::D;
  Rng rng(201);
  int relaxed = 0, untouched = 0;
  for (int i = 0; i < 50000; ++i) {
    const Material m = random_material(rng);
    const SnowParameters<double> s = snow_parameters(m);
    Vec<double, D> sigma;
    for (double& x : sigma.a) x = between(rng, 1 - 2 * m.critical_compression, 1 + 2 * m.critical_stretch);
    const auto F = with_stretches(rng, sigma);
    const double J_P = between(rng, 0.5, 2), brought = energy(F, J_P, s);
    const PlasticResult<double, D> result = yield(F, J_P, s);
    ASSERT_LE(energy(result.F_E, result.J_P, s), brought * (1 + 1e-5) + 1e-9);
    ASSERT_NEAR(result.dissipated, brought - energy(result.F_E, result.J_P, s), 1e-4 * brought + 1e-9);
    relaxed += result.kept < 1;
    untouched += result.kept == 1;
  }
  EXPECT_GT(relaxed, 1000);
  EXPECT_GT(untouched, 1000);
}

// The box of allowed stretches cuts corners: here clamping one of them raises |J − 1|.
TEST(Return, OfNearlyIncompressibleSnowIsRelaxed) {
  Material m;
  m.poisson_ratio = 0.49;
  m.hardening = 0;
  m.critical_stretch = 0.01;
  const SnowParameters<double> s = snow_parameters(m);
  const Vec<double, 2> before{1.03, 0.975}, clamped{1.01, 0.975};
  EXPECT_NEAR(strain_energy(before, s) / s.mu0, 0.0019, 1e-4);
  EXPECT_NEAR(strain_energy(clamped, s) / s.mu0, 0.0062, 3e-4);
  const PlasticResult<double, 2> result = yield(Mat<double, 2>::diagonal(before), 1.0, s);
  EXPECT_LT(result.kept, 0.6);
  EXPECT_LE(energy(result.F_E, result.J_P, s), energy(Mat<double, 2>::diagonal(before), 1.0, s) * (1 + 1e-5));
}

// In every preset packing and tearing along one axis go on as printed.
TEST(Return, OfThePresetsIsThePapers) {
  for (const Material& m : presets()) {
    const SnowParameters<double> s = snow_parameters(m);
    for (const double way : {-1.2, 1.2}) {
      Vec<double, 3> sigma = Vec<double, 3>::filled(1);
      sigma[1] = 1 + way * (way < 0 ? m.critical_compression : m.critical_stretch);
      EXPECT_EQ(yield(Mat<double, 3>::diagonal(sigma), 1.0, s).kept, 1) << m.name << " " << way;
    }
  }
}

TEST(Return, OfFloatsAtTheLimitsIsNotTakenForEnergy) {
  Rng rng(202);
  for (const Material& m : presets()) {
    const SnowParameters<float> s = convert<float>(snow_parameters(m));
    for (int i = 0; i < 2000; ++i) {
      Vec<float, 3> sigma = Vec<float, 3>::filled(1);
      sigma[i % 3] = i % 2 ? s.stretch_min - float(between(rng, 0, 1e-6)) : s.stretch_max + float(between(rng, 0, 1e-6));
      ASSERT_EQ(yield(Mat<float, 3>::diagonal(sigma), 1.0f, s).kept, 1) << m.name;
    }
  }
}

TEST(PlasticVolume, StaysWithinWhatAStencilSees) {
  EXPECT_EQ(capped_plastic(1e30, 64.0, 0.125), 512);
  EXPECT_EQ(capped_plastic(1e-30, 64.0, 0.125), 1.0 / 512);
  EXPECT_EQ(capped_plastic(3.0, 64.0, 0.125), 3);
  EXPECT_EQ(capped_plastic(9.0, 1.0, 10.0), 2) << "large particles may still be torn";
}

TEST(Softening, ActsOnTornSnowOnly) {
  Material m;
  m.softening = 3;
  const SnowParameters<double> own = snow_parameters(m);
  for (const double J_P : {0.2, 0.9, 1.0}) EXPECT_EQ(hardened(own, J_P).mu, hardened(kPaper, J_P).mu);
  EXPECT_NEAR(hardened(own, 1.1).mu, own.mu0 * std::exp(-0.3), 1e-6);
  EXPECT_NEAR(hardened(own, 1e3).mu, own.mu0 / 100, 1e-6) << "the limit stays";
}

TEST(Softening, OfAParticleKeepsTheProportionOfItsMaterial) {
  EXPECT_EQ(own_softening(10.0, 10.0, 7.3), 7.3);
  EXPECT_EQ(own_softening(10.0, 5.0, 8.0), 4);
  EXPECT_EQ(own_softening(0.0, 5.0, 0.0), 5) << "what does not harden may still soften";
}

TYPED_TEST(Return, TangentIsOneWhereNothingYields) {
  constexpr int D = TestFixture::D;
  Rng rng(203);
  for (int i = 0; i < 2000; ++i) {
    Vec<double, D> a, b;
    for (double& x : a.a) x = between(rng, kPaper.stretch_min, kPaper.stretch_max);
    for (double& x : b.a) x = between(rng, kPaper.stretch_min + 1e-9, kPaper.stretch_max - 1e-9);
    const auto F_E = with_stretches(rng, a);
    EXPECT_EQ(plastic_tangent(F_E, polar(F_E).R, with_stretches(rng, b), kPaper), 1);
  }
}

TYPED_TEST(Return, TangentIsWhatYieldingLeavesOfTheStress) {
  constexpr int D = TestFixture::D;
  const auto I = Mat<double, D>::identity();
  Vec<double, D> pulled = Vec<double, D>::filled(1), pressed = pulled;
  pulled[0] = 1 + 10 * 0.0075;
  pressed[0] = 1 - 10 * 0.025;
  EXPECT_NEAR(plastic_tangent(I, I, Mat<double, D>::diagonal(pulled), kPaper), 0.1, 0.02) << "ten times too far";
  EXPECT_NEAR(plastic_tangent(I, I, Mat<double, D>::diagonal(pressed), kPaper), 0.25, 1e-12) << "packing hardens: xi theta_c";
  Rng rng(204);
  const auto Q = random_rotation<D>(rng);
  EXPECT_NEAR(plastic_tangent(Q, Q, Q * Mat<double, D>::diagonal(pulled), kPaper),
              plastic_tangent(I, I, Mat<double, D>::diagonal(pulled), kPaper), 1e-12)
      << "turning changes nothing";
}

}  // namespace
}  // namespace firn::material_tests
