// Tables of the semi-implicit solver on the dropped snowball, of even snow: iterations against time step, spacing and particles per
// cell. `make soak` prints them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random_snow.h"

namespace firn::test {
namespace {

struct Cost {
  int most = 0;
  double mean = 0;        // over the steps after the impact began
  double wave_cells = 0;  // dt c / h, c the largest hardened wave speed met
};

Cost iterations(double h, double dt, double particles_per_cell, double until) {
  Scene scene = load_scene("snowball_drop", {}, {"even"});  // the scene's own hard shell takes more
  scene.simulation.spacing = h;
  scene.solver.integrator = Integrator::kSemiImplicit;
  scene.solver.time_step = dt;
  scene.solver.tolerance = 1e-4;
  scene.snow[0].particles_per_cell = particles_per_cell;
  Simulation simulation(scene);
  Cost cost;
  constexpr int kFreeFall = 3;  // iterations there
  double lowest = 1;
  int steps = 0;
  while (simulation.time() < until) {
    const StepInfo info = simulation.step(dt);
    cost.most = std::max(cost.most, info.iterations);
    if (info.iterations <= kFreeFall) continue;
    cost.mean += info.iterations;
    if (++steps % 10 == 0) lowest = std::min(lowest, simulation.statistics().jp_min);
  }
  cost.mean /= steps;
  const Material& m = scene.materials.back();
  const double modulus = m.young_modulus * (1 - m.poisson_ratio) / ((1 + m.poisson_ratio) * (1 - 2 * m.poisson_ratio));
  const double factor = std::min(m.hardening_limit, std::exp(m.hardening * (1 - lowest)));
  cost.wave_cells = dt * std::sqrt(factor * modulus / m.density) / h;
  printf("  %6.4f  %7.1e  %4.0f   %3d   %5.1f   %5.1f\n", h, dt, particles_per_cell, cost.most, cost.mean, cost.wave_cells);
  fflush(stdout);
  return cost;
}

TEST(Tables, IterationsOfTheConjugateResiduals) {
  printf("  h [m]   dt [s]    ppc   most  mean    dt c/h\n");
  const double until = 0.14;                            // it hits at 0.055 s, and the hardest is over by then
  const Cost paper = iterations(0.01, 5e-4, 8, until);  // the ball is 40 cells across
  EXPECT_LE(paper.most, 30);
  const Cost coarse = iterations(0.02, 5e-4, 8, until), medium = iterations(0.0141, 5e-4, 8, until);
  for (const Cost& c : {coarse, medium})
    EXPECT_LE(paper.mean / c.mean, paper.wave_cells / c.wave_cells) << "grows no faster than dt c/h when refined";
  const Cost shorter = iterations(0.0141, 2.5e-4, 8, until), longer = iterations(0.0141, 1e-3, 8, until);
  EXPECT_LT(shorter.mean, medium.mean);
  EXPECT_LE(longer.mean / medium.mean, 2.0) << "no faster than dt";
  const Cost few = iterations(0.0141, 5e-4, 4, until), many = iterations(0.0141, 5e-4, 16, until);
  EXPECT_NEAR(many.mean / few.mean, 1, 0.35) << "does not depend on the number of particles";
}

}  // namespace
}  // namespace firn::test
