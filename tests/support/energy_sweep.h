// Scenes at random over all that a scene may say of snow and its solver, and how much energy they make of nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "math/random.h"
#include "support/flow_scenes.h"

namespace firn::test {

// A ball or block thrown at a floor, with or without a body that moves, of any snow.
inline Scene random_energy_scene(std::uint64_t seed) {
  Rng rng(1000 + seed);
  const auto between = [&rng](double a, double b) { return a + (b - a) * rng.uniform(); };
  const auto any_size = [&](double a, double b) { return a * std::pow(b / a, rng.uniform()); };
  const auto chance = [&rng](double of) { return rng.uniform() < of; };
  const int dimension = chance(0.25) ? 3 : 2;
  const double h = dimension == 3 ? 0.03 : any_size(0.012, 0.03), r = (dimension == 3 ? 3.5 : 6) * h;
  Scene scene = empty_scene(dimension, h);
  scene.simulation.gravity = {0, -between(0, 20), 0};
  Material& m = scene.materials[0];
  m.young_modulus = any_size(1e3, 1e7);
  m.poisson_ratio = chance(0.2) ? 0.49 : between(0, 0.49);
  m.hardening = chance(0.2) ? 0 : between(0, 100);
  m.hardening_limit = any_size(1, 1e6);
  m.critical_compression = any_size(1e-4, 0.9);
  m.critical_stretch = any_size(1e-4, 0.9);
  m.density = any_size(20, 2000);
  if (chance(0.2)) m.softening = between(0, 100);
  SolverSettings& s = scene.solver;
  s.integrator = chance(0.5) ? Integrator::kExplicit : Integrator::kSemiImplicit;
  s.transfer = chance(0.5) ? Transfer::kFlip : Transfer::kApic;
  s.kernel = chance(0.5) ? Kernel::kCubic : Kernel::kQuadratic;
  s.contact = chance(0.2) ? ContactRule::kPaper : ContactRule::kHeld;
  s.tangent = chance(0.2) ? Tangent::kElastic : Tangent::kPlastic;
  s.flip_ratio = chance(0.3) ? 1 : between(0, 1);
  s.flip_step = chance(0.2) ? 0 : any_size(1e-4, 1e-2);
  s.beta = chance(0.3) ? 0.5 : between(0.5, 1);
  s.courant = between(0.1, 0.5);
  s.cell_fraction = between(0.05, 0.5);
  if (chance(0.3)) s.reference_spacing = h * between(0.5, 4);
  Snow snow = chance(0.5) ? ball({0, r + 0.2 * h, 0}, r) : block({0, r + 0.2 * h, 0}, {2 * r, 2 * r, dimension == 3 ? 2 * r : 0});
  snow.velocity = {between(-4, 4), -any_size(0.1, 15), 0};
  snow.particles_per_cell = between(2, 10);
  snow.seed = static_cast<std::uint32_t>(seed);
  scene.snow.push_back(snow);
  scene.colliders.push_back(ground(between(0, 1.5)));
  scene.colliders[0].sticky = chance(0.2);
  if (chance(0.3)) {
    Collider body;
    body.shape = ball({0.5 * r, 3.5 * r, 0}, r).shape;
    body.velocity = {0, -any_size(0.1, 4), 0};
    body.friction = between(0, 1);
    scene.colliders.push_back(body);
  }
  return scene;
}

// The largest part of what there was (at the start, and from gravity and bodies since) that came from nothing.
inline double energy_made(const Scene& scene, double duration) {
  Simulation simulation(scene);
  const auto energy = [&] {
    const Statistics s = simulation.statistics();
    return s.kinetic_energy + s.elastic_energy;
  };
  const double start = energy();
  double work = 0, given = 0, most = 0;
  simulation.advance_to(duration, [&](const StepInfo& info) {
    double step = info.gravity_work;
    for (const BodyLoad& load : info.loads) step -= load.work;
    work += step;
    given += std::max(step, 0.0);
    if (simulation.steps() % 8 == 0) most = std::max(most, (energy() - start - work) / (start + given));
    return true;
  });
  const double last = (energy() - start - work) / (start + given);
  return std::isfinite(last) ? std::max(most, last) : last;
}

}  // namespace firn::test
