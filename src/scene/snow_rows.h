// From points of a shape to particles: the one place where a sampled point becomes a row.
#pragma once

#include "scene/form.h"
#include "scene/variation.h"

namespace firn {

class RowMaker {
 public:
  // share: the volume that a particle stands for, m³ (2D: m²): it weighs density times that. Its V⁰ is that too, unless the
  // snow says that it is to be estimated from the grid (M5).
  RowMaker(const Scene& scene, const Snow& snow, const Form& form, double share);

  ParticleRow at(const LatticePoint<double, 3>& x) const;

 private:
  SnowField field_;
  Form form_;
  ParticleRow common_;
  LatticePoint<double, 3> origin_;
  Vec<double, 3> velocity_, spin_;
  bool has_shell_, is_varied_;
  double h_, share_;
};

// What a particle of fresh snow fills, m³ (2D: m²).
double particle_volume(const Scene& scene, const Snow& snow);

// Particles that fill that, wherever the shape ends.
RowMaker fresh_rows(const Scene& scene, const Snow& snow, const Form& form);

}  // namespace firn
