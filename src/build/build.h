// From a scene to what a solver starts with: the constant model and the first particles, checked and settled.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "build/form.h"
#include "build/population.h"
#include "firn/frame.h"
#include "firn/scene.h"
#include "firn/simulation.h"
#include "solver/solver.h"

namespace firn {

struct BodySummary {
  std::size_t particles = 0;
  double mass = 0;     // kg
  double content = 0;  // m³ (2D: m²) of the shape; 0: not known
  double start = 0;    // s: it is not there before
};

struct Built {
  Model model;
  ParticleTable particles;
  Population population;
  PopulationState population_state;
  std::vector<BodySummary> snow;  // per [[snow]]
  GridSize grid;
  bool double_frames = false;         // floats could not tell its particles apart
  std::vector<std::string> warnings;  // choices that will run but probably are not meant
};

// The most there can be at a time as far as is known: where nothing takes particles away, all that sources will give out count.
double particles_at_most(const Scene& scene, const Built& built);

// Throws UserError at the scene's key for what cannot run: no particles, snow wholly inside a collider, too little memory.
// `setup` is told what takes long.
Built build(const Scene& scene, const SetupProgress& setup = {});

// What is wrong or doubtful about bodies once their particles are known.

// Throws UserError for snow wholly inside a collider; warns of snow partly inside one, of snow bodies that overlap, and of bodies
// too small for the grid.
void check_bodies(const Scene& scene, const std::vector<Form>& forms, Built& built);

// Numbers that a scene may have but that nobody means: most likely they are in another unit.

// Warns of them; and of snow so far from the origin that floats cannot tell its particles apart, whose frames are then in double precision.
void check_units(const Scene& scene, const std::vector<Form>& forms, Built& built);

// For the density-limited integrator: rho_c of (M21), kg/m³, from the lightest snow that there is or will be; and a warning of keys with
// other values than usual that do nothing with it.
double critical_density(const Scene& scene, const Built& built);
void check_unused_keys(const Scene& scene, std::vector<std::string>& warnings);

// Lets the snow of `built` that is not thrown settle for the scene's time: gravity comes up slowly, velocities fade, bodies stand as at t =
// 0. The other snow is not there meanwhile. Adds a warning when that was not long enough.
void settle(const Scene& scene, Backend backend, int threads, const SetupProgress& setup, Built& built);

}  // namespace firn
