// The law by strains alone, for GPUs, is that of snow.h.
#include "materials/snow_strain.h"

#include "unit/materials/deformations.h"

namespace firn::material_tests {
namespace {

using M = Mat<double, 3>;

M full(const Symmetric<double>& s) { return {{s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}}; }

double largest(const M& a) {
  double m = 0;
  for (const double x : a.a) m = std::max(m, std::abs(x));
  return m;
}

M kirchhoff(const M& F_E, const Lame<double>& l) { return first_piola(F_E, polar(F_E).R, l) * transpose(F_E); }

Vec<double, 3> stretches_around_one(Rng& rng, double by) {
  return {1 + between(rng, -by, by), 1 + between(rng, -by, by), 1 + between(rng, -by, by)};
}

TEST(SnowStrain, SeriesOfSmallStrainsIsTheStress) {
  Rng rng(1);
  const Lame<double> l{58333, 38889};
  for (int k = 0; k < kTrials; ++k) {
    const M F = with_stretches(rng, stretches_around_one(rng, 0.02));
    const Symmetric<double> E = left_strain(F);
    if (squared_size(E) > kLargestSeriesStrain<double> * kLargestSeriesStrain<double>) continue;
    const M exact = kirchhoff(F, l);
    EXPECT_LT(largest(full(kirchhoff_by_series(E, determinant(F), l)) - exact), 1e-6 * largest(exact) + 1e-8);
  }
}

TEST(SnowStrain, KnowsWhoStaysElastic) {
  Rng rng(2);
  int elastic = 0;
  for (int k = 0; k < kTrials; ++k) {
    const Vec<double, 3> sigma = stretches_around_one(rng, 0.02);
    bool inside = true;
    for (int i = 0; i < 3; ++i) inside = inside && sigma[i] > kPaper.stretch_min && sigma[i] < kPaper.stretch_max;
    EXPECT_EQ(stays_elastic(left_strain(with_stretches(rng, sigma)), kPaper), inside);
    elastic += inside;
  }
  EXPECT_GT(elastic, kTrials / 10);
  EXPECT_LT(elastic, kTrials * 9 / 10);
}

TEST(SnowStrain, YieldsAsTheLawDoes) {
  Rng rng(3);
  SnowParameters<double> stiff = kPaper;  // relaxes, see affordable_strain
  stiff.hardening = stiff.softening = 120;
  for (const SnowParameters<double>& s : {kPaper, stiff})
    for (const double by : {0.01, 0.1, 0.6})
      for (int k = 0; k < kTrials / 4; ++k) {
        const M F = with_stretches(rng, stretches_around_one(rng, by));
        const double J_P = between(rng, 0.8, 1.2);
        const PlasticResult<double, 3> law = yield(F, J_P, s);
        const StrainResult<double> found = yield_by_strain(F, J_P, s);
        EXPECT_LT(largest(found.plastic.F_E - law.F_E), 1e-9);
        EXPECT_NEAR(found.plastic.J_P, law.J_P, 1e-9 * law.J_P);
        EXPECT_NEAR(found.plastic.kept, law.kept, 1e-6);
        EXPECT_NEAR(found.plastic.dissipated, law.dissipated, 1e-6 * std::abs(law.dissipated) + 1e-6);
        const M stress = kirchhoff(law.F_E, {s.mu0, s.lambda0});
        EXPECT_LT(largest(full(found.kirchhoff) - stress), 1e-6 * largest(stress) + 1e-3);
      }
}

}  // namespace
}  // namespace firn::material_tests
