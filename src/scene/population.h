// What comes into a run while it goes on: the particles of sources, snow with a start, and the snow that a moving window reaches. (What
// goes is solver/outflow.h.) Which and when is constant; how far it has got is a state of its own.
#pragma once

#include "scene/emitter.h"
#include "solver/model.h"
#include "state/state.h"

namespace firn {

// The shapes of a scene, made ready.
struct Forms {
  std::vector<Form> snow;  // particles from a file have none
  std::vector<Form> sources;
};

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

}  // namespace firn
