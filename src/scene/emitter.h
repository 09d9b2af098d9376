// A source at work: which particle it gives out when and where. All of it follows from the time, so that it does not depend on steps.
#pragma once

#include "scene/snow_rows.h"

namespace firn {

// The snow a source would be if it were there at once.
Snow snow_of(const Source& source);

class Emitter {
 public:
  // Throws UserError when the shape has no room for a particle.
  Emitter(const Scene& scene, const Source& source, const Form& form);

  // Particles given out until time t.
  std::int64_t count(double t) const;
  // Number k of them as it is at time t, on its way since its own time.
  ParticleRow particle(std::int64_t k, double t) const;

  const Form& form() const { return form_; }
  const std::vector<LatticePoint<double, 3>>& points() const { return points_; }
  double particle_mass() const { return mass_; }  // kg
  double particles_per_second() const { return source_.rate / mass_; }

 private:
  LatticePoint<double, 3> place(std::int64_t k) const;
  LatticePoint<double, 3> moved(LatticePoint<double, 3> x, const Vec<double, 3>& cells) const;

  Source source_;
  Form form_;
  double h_, mass_;
  RowMaker rows_;
  std::vector<LatticePoint<double, 3>> points_;  // in random order
};

}  // namespace firn
