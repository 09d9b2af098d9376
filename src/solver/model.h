// Everything about a run that does not change while it runs.
#pragma once

#include <optional>
#include <vector>

#include "collide/body.h"
#include "firn/scene.h"
#include "materials/snow.h"
#include "particles/table.h"

namespace firn {

// Takes particles away as long as it is there.
struct SinkModel {
  BodyModel body;
  double start, end;  // s
};

// Particles outside have left.
struct DomainModel {
  LatticePoint<double, 3> lower, upper;
};

// A box that moves, rounded to whole blocks; particles outside have left.
struct WindowModel {
  LatticePoint<double, 3> anchor;  // what the box is given about, at rest
  RigidMotion motion;
  Vec<double, 3> lower, upper;  // m
};

// Snow that comes in while the run goes on: what time steps must know of it.
struct InflowModel {
  double start, end;   // s
  double wave, speed;  // m/s
};

// s: no shorter than what a small block needs to come to rest.
inline constexpr double kShortestContactMemory = 0.04;

struct Model {
  int dimension = 3;
  double h = 0;  // m
  Vec<double, 3> gravity{0, 0, 0};
  double damping = 0;      // 1/s: velocities fade at this rate; only while snow settles before the run
  double reference_h = 0;  // m: damping and softening are those of a grid of this spacing
  SolverSettings solver;
  std::vector<SnowParameters<double>> materials;  // a particle has an index into it
  std::vector<Variation> common;                  // what particles of each material have of their own in a varied run, if nothing else
  bool varied = false;                            // particles have parameters of their own as well
  std::vector<BodyModel> bodies;                  // in scene order
  std::vector<InflowModel> inflows;
  std::vector<SinkModel> sinks;
  std::optional<DomainModel> domain;
  std::optional<WindowModel> window;
  Cell<3> origin{0, 0, 0};  // block 0 starts here: the lowest cell of the first particles, or of the window
  double mass_floor = 0;    // nodes below it feel gravity only (M4)

  double critical_density = 0;  // kg/m³: nodes at least so dense are packed (M21)

  double contact_memory = kShortestContactMemory;  // s: friction is bounded by the mean push of this time

  // Bodies hold the snow that touches them (solver/contact.h).
  bool holds() const { return solver.contact == ContactRule::kHeld && !bodies.empty(); }
  bool implicit() const { return solver.integrator == Integrator::kSemiImplicit; }          // steps solve (M17)
  bool limits_density() const { return solver.integrator == Integrator::kDensityLimited; }  // (M21) in the place of stress
  bool may_cut() const { return !solver.time_step; }  // steps that are bad; fixed ones are as they are
  bool checks_energy() const { return implicit() && may_cut(); }

  // That a particle may cross in a step, on every axis. The density-limited method is also shown with steps that are too long for it.
  int most_cells() const { return limits_density() && solver.time_step ? 2 : 1; }

  // alpha of (M10) for a step of dt. FLIP's smoothing is a viscosity, (1 − alpha) h²/(3 dt) with the cubic kernel: this keeps it the same
  // whatever the step and the spacing.
  double flip_ratio(double dt) const;
};

// The settings as the integrator takes them. The density-limited one is as printed: alpha acts once a step, bodies act by (M19) and on
// particles only; and its snow creeps for good, so that none may sleep.
SolverSettings in_effect(SolverSettings settings);

// Nodes lighter than this part of the lightest particle take no force: there w can underflow where grad w does not.
inline constexpr double kMassFloor = 1e-12;

// softening: of the material, if it does not say.
SnowParameters<double> snow_parameters(const Material& material, double softening);
inline SnowParameters<double> snow_parameters(const Material& material) { return snow_parameters(material, material.hardening); }
// The parameters of one particle: its material's, or its own.
SnowParameters<double> snow_parameters(const Model& model, std::uint16_t material, const std::optional<Variation>& own);

inline Variation own_of(const Model& model, const ParticleRow& row) {
  return row.own ? *row.own : model.varied ? model.common[row.material] : Variation{};
}

template <class T>
SnowParameters<T> convert(const SnowParameters<double>& s) {
  return {T(s.mu0), T(s.lambda0), T(s.hardening), T(s.stretch_min), T(s.stretch_max), T(s.log_limit), T(s.softening)};
}

}  // namespace firn
