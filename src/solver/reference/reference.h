// The paper straight through, apart because it is to be read beside docs/theory.md: ten steps, double precision, a map from node to values,
// one thread. Every fast path is tested against it.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "math/bspline.h"
#include "solver/contact.h"
#include "solver/solver.h"
#include "solver/time_step.h"

namespace firn::reference {

template <int D>
using V = Vec<double, D>;
template <int D>
using M = Mat<double, D>;

// What the row has, and what the method changes of it as it writes it.
template <int D>
struct Particle : ParticleRow {
  V<D> x, v;
  M<D> F_E, F_P, B;
  bool alone = false;         // see kAloneReach
  bool is_in_packed = false;  // density-limited: its nearest node was packed in the last step
  double tangent = 1;         // of its stiffness in the solve, what yielding will leave

  double J_P() const { return determinant(F_P); }
};

// A row as the method writes it. Of F_P only the determinant is known, and only that matters.
template <int D>
Particle<D> from_row(const ParticleRow& row, double h) {
  Particle<D> p{row, {}, {}, {}, M<D>::identity(), {}};
  for (int i = 0; i < D; ++i) {
    p.x[i] = row.position(i, h);
    p.v[i] = row.velocity[i];
    for (int j = 0; j < D; ++j) {
      p.F_E(i, j) = row.F_E[3 * i + j];
      p.B(i, j) = row.B[3 * i + j];
    }
  }
  p.F_P(0, 0) = row.J_P;
  return p;
}

template <int D>
struct Node {
  double mass = 0;
  V<D> momentum = V<D>::zero();
  V<D> force = V<D>::zero();
  V<D> v_n = V<D>::zero();     // before forces
  V<D> v_star = V<D>::zero();  // after forces and collisions
  V<D> v = V<D>::zero();       // v^{n+1}
  Constraint<double, D> constraint;
  std::vector<double> gaps;   // to each body, of the nearest particle that the node sees, m
  PushMemory<double> memory;  // of its particles, times their mass
  HeldNode<double> held;
  bool is_packed = false;                                                         // density-limited
  V<D> r = V<D>::zero(), p = V<D>::zero(), Ar = V<D>::zero(), Ap = V<D>::zero();  // conjugate residuals
};

template <int D>
struct NodeOrder {
  bool operator()(const Cell<D>& a, const Cell<D>& b) const {
    for (int d = 0; d < D; ++d)
      if (a[d] != b[d]) return a[d] < b[d];
    return false;
  }
};

template <int D>
using Grid = std::map<Cell<D>, Node<D>, NodeOrder<D>>;

// In the place of steps 3 to 5: gravity, and (M21) on forces and velocities. Leaves v^{n+1}.
template <int D>
void limit_density(const Model& model, double dt, Grid<D>& grid);

// One step on one state; Kernel is CubicKernel or QuadraticKernel.
template <int D, class Kernel>
class Step {
 public:
  Step(const Model& model, const State& state, std::vector<Particle<D>>& particles)
      : model_(model), state_(state), particles_(particles), h_(model.h) {}

  void find_alone();
  void rasterize();         // step 1
  void estimate_volumes();  // step 2, first step only
  void add_forces();        // step 3
  StepLimits limits() const;
  SnowExtent extent() const;
  Attempt try_steps_4_to_10(double dt, StepInfo& report);  // on a copy of the particles
  void accept() { particles_ = next_; }
  std::int64_t limited() const {
    return std::count_if(particles_.begin(), particles_.end(), [&](const Particle<D>& p) { return is_limited(p); });
  }
  std::int64_t alone() const {
    return std::count_if(particles_.begin(), particles_.end(), [](const Particle<D>& p) { return p.alone; });
  }
  const Grid<D>& grid() const { return grid_; }
  const std::vector<Load>& loads() const { return loads_; }  // on every body, of the last try

  // The linear system of step 6, see conjugate_residuals.h.
  double solution_norm() const {
    double sum = 0;
    for (const auto& [cell, i] : grid_) sum += i.mass * dot(i.v, i.v);
    return std::sqrt(sum);
  }
  double start();
  double multiply();
  double next_direction(double beta);
  double advance(double alpha);

 private:
  void update_grid_velocities(double dt);  // step 4
  void collide_grid();                     // step 5
  Fault solve(StepInfo& report);           // step 6
  void soften();                           // what yields, for the solve
  // Of the particles that are not alone.
  EnergyBalance balance(const StepInfo& report) const {
    EnergyBalance balance{0, 0, report.gravity_work, 0};
    for (std::size_t k = 0; k < particles_.size(); ++k) {
      if (particles_[k].alone) {  // gravity's work on all nodes is in it
        balance.after += particles_[k].mass * dt_ * dot(next_[k].v, convert_vec<double, D>(model_.gravity));
        continue;
      }
      balance.before += energy(particles_[k]);
      balance.after += energy(next_[k]);
    }
    for (const Load& load : loads_) balance.bodies -= load.power * dt_;
    return balance;
  }
  // Kinetic and elastic, J.
  double energy(const Particle<D>& p) const {
    const double affine = apic() ? Kernel::kInverseD / (h_ * h_) * contract(p.B, p.B) : 0;
    return 0.5 * p.mass * (dot(p.v, p.v) + affine) + p.volume * energy_density(p.F_E, polar(p.F_E).R, lame(p));
  }
  void add_reactions();                                        // what bodies feel of it
  Fault update_deformation(Particle<D>& p, StepInfo& report);  // step 7
  void update_velocity(Particle<D>& p);                        // step 8
  void collide_particle(Particle<D>& p);                       // step 9
  void remember(Particle<D>& p);                               // what its nodes know of bodies
  Fault move(Particle<D>& p, double dt);                       // step 10

  // f(node, w, grad w, x_i − x_p) for the nodes around x.
  template <class F>
  void for_stencil(const V<D>& x, F f);
  void hessian(V<D> Node<D>::*u, V<D> Node<D>::*out);  // (M18)
  V<D> operator_row(const Node<D>& node, const V<D>& u, const V<D>& Hu) const;
  SnowParameters<double> parameters(const Particle<D>& p) const { return snow_parameters(model_, p.material, p.own); }
  Lame<double> lame(const Particle<D>& p) const { return hardened(parameters(p), p.J_P()); }
  bool is_limited(const Particle<D>& p) const {
    const SnowParameters<double> s = parameters(p);
    return model_.limits_density() ? p.is_in_packed : std::abs(hardening_exponent(s, p.J_P())) >= s.log_limit;
  }
  // Its nearest node.
  bool is_packed_at(const V<D>& x) const {
    Cell<D> nearest;
    for (int d = 0; d < D; ++d) nearest[d] = static_cast<std::int32_t>(std::floor(x[d] / h_ + 0.5));
    return grid_.at(nearest).is_packed;
  }
  void look_at_bodies();  // with step 1: how near the snow is to them, and what it remembers
  V<D> collide_node(const Cell<D>& cell, Node<D>& node, const V<D>& v, bool solved);
  auto record(double mass) {
    return [this, mass](std::size_t body, const BodyContact<double, D>& contact, const V<D>& taken) {
      loads_[body].add(mass / dt_, contact, taken);
    };
  }
  bool apic() const { return model_.solver.transfer == Transfer::kApic; }

  const Model& model_;
  const State& state_;
  std::vector<Particle<D>>& particles_;
  double h_, dt_ = 0;
  Grid<D> grid_;
  std::vector<Particle<D>> next_;
  Bodies<double, D> before_, bodies_;  // when the step begins and when it ends
  std::vector<Load> loads_;
};

}  // namespace firn::reference

namespace firn {

std::unique_ptr<Solver> make_reference_solver(const Model& model);

}  // namespace firn
