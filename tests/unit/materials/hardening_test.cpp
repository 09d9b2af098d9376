// Stiffness: (M12), its limits, and (M13) in numbers.
#include "deformations.h"
#include "math/pack.h"

namespace firn::material_tests {
namespace {

double factor(double J_P) { return hardened(kPaper, J_P).mu / kPaper.mu0; }

// E₀ = 1.4e5 Pa and ν = 0.2: μ₀ = 1.4e5 / 2.4, λ₀ = 1.4e5 · 0.2 / (1.2 · 0.6).
TEST(Lame, ThePapersSnowInNumbers) {
  EXPECT_NEAR(kPaper.mu0, 58333.333333333336, 1e-9);
  EXPECT_NEAR(kPaper.lambda0, 38888.888888888889, 1e-9);
  EXPECT_EQ(kPaper.stretch_min, 0.975);
  EXPECT_EQ(kPaper.stretch_max, 1.0075);
  EXPECT_EQ(kPaper.hardening, 10);
}

// Uniaxial stress: E and ν come back from a bar pulled along x with free sides.
TEST(Lame, YoungAndPoissonAreThoseOfAPulledBar) {
  for (const double nu : {0.0, 0.1, 0.2, 0.3, 0.45}) {
    const Lame<double> l = lame_from_young(7.0, nu);
    const double side = l.lambda / (2 * (l.lambda + l.mu));  // contraction over stretch
    EXPECT_NEAR(side, nu, 1e-14);
    EXPECT_NEAR(2 * l.mu + l.lambda * (1 - 2 * side), 7.0, 1e-13);
  }
}

TEST(Hardening, FollowsTheExponential) {
  for (double J_P = 0.6; J_P < 1.4; J_P += 0.01) {
    const Lame<double> l = hardened(kPaper, J_P);
    const double expected = std::exp(10 * (1 - J_P));
    EXPECT_NEAR(l.mu / (kPaper.mu0 * expected), 1, 1e-15 * 10) << J_P;
    EXPECT_NEAR(l.lambda / (kPaper.lambda0 * expected), 1, 1e-15 * 10) << J_P;
  }
}

TEST(Hardening, FreshSnowHasTheStiffnessItWasGiven) {
  EXPECT_EQ(hardened(kPaper, 1.0).mu, kPaper.mu0);
  EXPECT_EQ(hardened(kPaper, 1.0).lambda, kPaper.lambda0);
}

TEST(Hardening, PackingHardensAndStretchingWeakens) {
  double last = factor(0.56);
  for (double J_P = 0.57; J_P < 1.45; J_P += 0.01) {
    EXPECT_LT(factor(J_P), last) << J_P;
    EXPECT_EQ(factor(J_P) > 1, J_P < 1) << J_P;
    last = factor(J_P);
  }
}

TEST(Hardening, TheFactorStopsAtItsLimitOnBothSides) {
  for (const double J_P : {0.5, 0.1, 0.0, -3.0}) EXPECT_NEAR(factor(J_P), 100, 1e-12) << J_P;
  for (const double J_P : {1.5, 3.0, 1e6}) EXPECT_NEAR(factor(J_P), 0.01, 1e-16) << J_P;
  const double edge = std::log(100.0) / 10;
  EXPECT_LT(factor(1 - edge + 1e-6), 100);
  EXPECT_GT(factor(1 + edge - 1e-6), 0.01);
  EXPECT_LT(hardening_exponent(kPaper, 1 - edge + 1e-6), kPaper.log_limit);
  EXPECT_GE(hardening_exponent(kPaper, 1 - edge - 1e-6), kPaper.log_limit);
}

TEST(Hardening, ALimitOfOneTurnsItOff) {
  Material material;
  material.hardening_limit = 1;
  const SnowParameters<double> s = snow_parameters(material);
  for (const double J_P : {0.3, 1.0, 2.0}) EXPECT_EQ(hardened(s, J_P).mu, s.mu0);
}

TEST(Hardening, FloatsAndPacksGiveTheSame) {
  const SnowParameters<float> s = convert<float>(kPaper);
  using P = Pack<float, 16>;
  const SnowParameters<P> packed{s.mu0, s.lambda0, s.hardening, s.stretch_min, s.stretch_max, s.log_limit, s.softening};
  const P J_P = 0.4f + 0.08f * lane_numbers<float, 16>();
  const Lame<P> l = hardened(packed, J_P);
  for (int lane = 0; lane < 16; ++lane) {
    EXPECT_NEAR(l.mu[lane] / hardened(s, J_P[lane]).mu, 1, 2e-7) << J_P[lane];
    // The exponent is a rounded float of up to 4.6: that many units of the last place.
    EXPECT_NEAR(l.mu[lane] / hardened(kPaper, double(J_P[lane])).mu, 1, 2e-6) << J_P[lane];
  }
}

}  // namespace
}  // namespace firn::material_tests
