// How long a step may be, by the snow and by moving bodies, and what to do when one goes wrong.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "solver/model.h"
#include "solver/solver.h"

namespace firn {

// How moving bodies limit a step. One that crosses more than a part of a cell at a time can jump over snow, or into it so deep that its far
// side is the nearer one.

// Where the snow is when a step begins: all its particles lie in the cells from `lower` to just below `upper`, the bounds of blocks.
struct SnowExtent {
  explicit SnowExtent(double t) : time(t) {}

  double time;  // s
  Cell<3> lower{0, 0, 0}, upper{0, 0, 0};

  // The block that starts here; 2D scenes have no extent in z.
  template <int D>
  void include(const Cell<D>& first);
  // The block of this cell.
  template <int D>
  void include_block_of(const Model& model, const Cell<D>& cell);

  bool empty() const { return empty_; }

 private:
  bool empty_ = true;
};

// m/s; never less than the speed of any point of the body that can touch the snow, between the snow's time and `end`. Of a deformation
// only the frames at these two times are asked.
double surface_speed(const Model& model, const BodyModel& body, const SnowExtent& snow, double end);

// A time step, at most dt, so short that no body crosses more than cell_fraction of a cell among the snow.
double limit_by_bodies(const Model& model, const SnowExtent& snow, double dt);

template <int D>
void SnowExtent::include(const Cell<D>& first) {
  constexpr int edge = BlockShape<D>::kEdge;
  for (int d = 0; d < D; ++d) {
    lower[d] = empty_ ? first[d] : std::min(lower[d], first[d]);
    upper[d] = empty_ ? first[d] + edge : std::max(upper[d], first[d] + edge);
  }
  empty_ = false;
}

template <int D>
void SnowExtent::include_block_of(const Model& model, const Cell<D>& cell) {
  Cell<D> first;
  for (int d = 0; d < D; ++d) first[d] = cell[d] - ((cell[d] - model.origin[d]) & (BlockShape<D>::kEdge - 1));
  include(first);
}

// The largest of what limits a step, over all particles.
struct StepLimits {
  double wave = 0;       // hardened elastic wave speed + speed, m/s
  double soft_wave = 0;  // the same wave unhardened, without the speed
  double speed = 0;      // m/s
};

// The limits with the snow that comes in during the next `longest` seconds.
StepLimits with_inflow(StepLimits limits, const Model& model, double time, double longest);

// What can be wrong with a tried step.
enum class Fault : std::uint8_t { kNone, kNotFinite, kTooFar, kInverted, kPlastic, kSolve, kUntrusted, kEnergy };
std::string describe(Fault fault, std::uint32_t particle, int most_cells = 1);

struct ChosenStep {
  double dt;  // s
  StepRule rule;
};

// A safe step for these limits and the bodies that move near the snow, at most `longest`; splits the time left into equal steps rather
// than leave a sliver.
ChosenStep choose_time_step(const Model& model, const StepLimits& limits, const SnowExtent& snow, double longest);

// Tries `attempt(dt)`, which returns Fault and particle, halving the step until it works. Fixed steps are not cut: RunError.
struct Attempt {
  Fault fault = Fault::kNone;
  std::uint32_t particle = 0;
};
template <class F>
void take_step(const Model& model, const State& state, const ChosenStep& chosen, StepInfo& report, F attempt);

[[noreturn]] void stop_run(const Model& model, const State& state, double dt, const std::string& why);

inline constexpr int kMaxHalvings = 30;

// Steps that are merely bad, because the solve left mostly errors or energy came from nowhere, are cut as well, but not so often: then they
// are taken as they are. Fixed ones are taken at once.
inline constexpr int kMaxHalvingsForEnergy = 12;
inline bool may_be_cut_for_energy(const Model& model, const StepInfo& report) {
  return model.may_cut() && report.rejected < kMaxHalvingsForEnergy;
}

// Of the velocities, the most that the residual of the solve may be.
inline constexpr double kMostError = 0.03;

// What a semi-implicit step did to the energy of the snow, J.
struct EnergyBalance {
  double before = 0, after = 0;  // kinetic and elastic
  double gravity = 0;            // work on the snow
  double bodies = 0;             // likewise

  // More than a hundredth was made of nothing.
  bool is_bad() const {
    constexpr double kMostMade = 0.01;
    return after - before - gravity - std::max(bodies, 0.0) > kMostMade * (before + std::abs(gravity));
  }
};

template <class F>
void take_step(const Model& model, const State& state, const ChosenStep& chosen, StepInfo& report, F attempt) {
  double dt = chosen.dt;
  report.rule = chosen.rule;
  for (;; dt /= 2) {
    const Attempt result = attempt(dt);
    if (result.fault == Fault::kNone) break;
    report.rejection = describe(result.fault, result.particle, model.most_cells());
    if (model.solver.time_step || report.rejected >= kMaxHalvings) stop_run(model, state, dt, report.rejection);
    ++report.rejected;
    report.rule = StepRule::kCut;
  }
  report.dt = dt;
}

}  // namespace firn
