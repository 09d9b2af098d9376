// What comes into a run while it goes on, and what goes: sources, snow with a start, the moving window, sinks.
#pragma once

#include "build/snow.h"
#include "solver/model.h"
#include "state/state.h"

namespace firn {

// A source at work: which particle it gives out when and where. All of it follows from the time, so that it does not depend on steps.

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

// The shapes of a scene, made ready.
struct Forms {
  std::vector<Form> snow;  // particles from a file have none
  std::vector<Form> sources;
};

// Which particles come and when is constant; how far that has got is in the state. (What goes is solver/outflow.h.)

// Snow that comes in at once.
struct LateSnow {
  double start;  // s
  ParticleTable rows;
};

// Whether what comes in at `start` is there at time t. Times are sums of steps, and their rounding must not hold it back.
bool has_come(double start, double t);

// Takes the model's window to where it is at time t. Returns the points that each body of snow that has come has in the blocks it has not
// been to.
std::vector<std::vector<LatticePoint<double, 3>>> enter_window(const std::vector<Snow>& snow, const std::vector<Form>& forms,
                                                               const Model& model, double t, std::vector<WindowState>& states);

class Population {
 public:
  Population() = default;
  Population(const Scene& scene, const Forms& forms);
  void add(LateSnow late) { late_.push_back(std::move(late)); }

  const std::vector<LateSnow>& late() const { return late_; }
  const std::vector<Emitter>& emitters() const { return emitters_; }

  // When the next snow comes in that has not yet at time t, s; infinity: none does. (Sources do not count.)
  double next_start(double t) const;

  // Particles that have come in since the last call, as they are at time t.
  ParticleTable arrivals(const Model& model, double t, PopulationState& state) const;

 private:
  std::vector<double> starts_;   // of all snow that comes later
  std::vector<LateSnow> late_;   // what of it is there from the beginning, in scene order
  std::vector<Snow> snow_;       // that a window may reach
  std::vector<Form> forms_;      // of each
  std::vector<RowMaker> fresh_;  // of each
  std::vector<Emitter> emitters_;
};

// The model's part of what comes and goes: sinks, domain, window, and the time step limits of snow that comes in.

// Everything but the inflows. With a window also the origin of the block lattice: the window's first cell.
void add_outflow(const Scene& scene, Model& model, std::vector<std::string>& warnings);

void add_inflows(const Scene& scene, const Forms& forms, Model& model);

// kg; never more than any particle of a body that a window may reach.
double lightest_fresh(const Scene& scene, const Snow& snow);

// Particles that sources give out in the scene's duration.
double particles_to_come(const Scene& scene, const Population& population);

// How long fresh snow stays in its source at most, s: it crosses the shape with its velocity and gravity. Infinite where neither moves it.
double time_to_clear(const Scene& scene, const Source& source, const Form& form);

}  // namespace firn
