// From a scene to what a solver starts with: the constant model and the first particles.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "firn/frame.h"
#include "firn/scene.h"
#include "firn/simulation.h"
#include "scene/memory_estimate.h"
#include "scene/population.h"

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
  std::vector<BodySummary> snow;      // per [[snow]]
  GridSize grid;
  bool double_frames = false;         // floats could not tell its particles apart
  std::vector<std::string> warnings;  // choices that will run but probably are not meant
};

// Reads the particles of shape = "particles".
using ParticleLoader = std::function<Frame(const std::string& path)>;

// The most there can be at a time as far as is known: where nothing takes particles away, all that sources will give out count.
double particles_at_most(const Scene& scene, const Built& built);

// Throws UserError at the scene's key for what cannot run: no particles, snow wholly inside a collider, too little memory.
// `setup` is told what takes long.
Built build(const Scene& scene, const ParticleLoader& load, const SetupProgress& setup = {});

}  // namespace firn
