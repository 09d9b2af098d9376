#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/linear/conjugate_residuals.h"
#include "solver/reference/reference.h"

namespace firn::reference {

template <int D, class Kernel>
template <class F>
void Step<D, Kernel>::for_stencil(const V<D>& x, F f) {
  constexpr int S = Kernel::kSupport;
  Cell<D> base;
  double w[D][S], g[D][S];
  for (int d = 0; d < D; ++d) {
    const double cell = std::floor(x[d] / h_), offset = x[d] / h_ - cell;
    const double shift = Kernel::base_shift(offset);
    base[d] = static_cast<std::int32_t>(cell + shift);
    Kernel::weights(offset - shift, w[d], g[d]);
  }
  const int count = D == 3 ? S * S * S : S * S;
  for (int k = 0; k < count; ++k) {
    const int at[3] = {k % S, k / S % S, k / (S * S)};
    Cell<D> i = base;
    V<D> gradient = V<D>::filled(1 / h_), from_p;
    double weight = 1;
    for (int d = 0; d < D; ++d) {
      i[d] += at[d];
      weight *= w[d][at[d]];  // (M1)
      for (int e = 0; e < D; ++e) gradient[e] *= e == d ? g[d][at[d]] : w[d][at[d]];
      from_p[d] = i[d] * h_ - x[d];
    }
    f(grid_[i], weight, gradient, from_p);
  }
}

// Neighbours in space are mostly neighbours in the list, so that is searched from the particle on.
template <int D, class Kernel>
void Step<D, Kernel>::find_alone() {
  if (model_.limits_density()) return;  // there is no stress to be without
  std::vector<Cell<D>> cells;
  for (const Particle<D>& p : particles_) cells.push_back(to_lattice<double, D>(p.x, h_, false).cell);
  const auto near = [&](std::size_t a, std::size_t b) {
    int farthest = 0;
    for (int d = 0; d < D; ++d) farthest = std::max(farthest, std::abs(cells[a][d] - cells[b][d]));
    return farthest <= kAloneReach<D>;
  };
  for (std::size_t p = 0; p < cells.size(); ++p) {
    bool alone = true;
    for (std::size_t k = 1; k < cells.size() && alone; ++k)
      alone = !(p >= k && near(p, p - k)) && !(p + k < cells.size() && near(p, p + k));
    particles_[p].alone = alone;
  }
}

template <int D, class Kernel>
void Step<D, Kernel>::rasterize() {
  for (const Particle<D>& p : particles_) {
    const M<D> C = (apic() ? Kernel::kInverseD / (h_ * h_) : 0.0) * p.B;
    for_stencil(p.x, [&](Node<D>& i, double w, const V<D>&, const V<D>& r) {
      i.mass += w * p.mass;  // (M4)
      i.momentum += (w * p.mass) * (p.v + C * r);
    });
  }
  for (auto& [cell, i] : grid_)
    if (i.mass > 0) i.v_n = (1 / i.mass) * i.momentum;
  if (model_.holds()) look_at_bodies();
}

template <int D, class Kernel>
void Step<D, Kernel>::look_at_bodies() {
  constexpr double far = std::numeric_limits<double>::infinity();
  before_ = freeze<double, D>(model_.bodies, state_.poses, state_.time);
  for (auto& [cell, i] : grid_) i.gaps.assign(before_.list.size(), far);
  for (Particle<D>& p : particles_) {
    const LatticePoint<double, D> x = to_lattice<double, D>(p.x, h_, false);
    std::vector<double> gaps;
    bool in_reach = false;
    for (const Body<double, D>& body : before_.list) {
      const double phi = probe(body, x.cell, x.offset, h_).phi;
      gaps.push_back(phi - half_distance<double, D>(p.volume));
      in_reach = in_reach || phi <= touching_reach(body) * h_;
    }
    if (!in_reach) static_cast<HeldPart&>(p) = {};
    for_stencil(p.x, [&](Node<D>& i, double w, const V<D>&, const V<D>&) {
      i.memory.push += w * p.mass * p.push;
      i.memory.touch += w * p.mass * p.touch;
      i.memory.credit += w * p.mass * p.credit;
      for (std::size_t k = 0; k < gaps.size(); ++k) i.gaps[k] = std::min(i.gaps[k], gap_in_sight(gaps[k], w, h_));
    });
  }
}

template <int D, class Kernel>
void Step<D, Kernel>::estimate_volumes() {
  const double cell_volume = std::pow(h_, D);
  for (Particle<D>& p : particles_) {
    if (p.volume > 0) continue;
    double density = 0;  // (M5)
    for_stencil(p.x, [&](Node<D>& i, double w, const V<D>&, const V<D>&) { density += i.mass * w / cell_volume; });
    p.volume = p.mass / density;
  }
}

template <int D, class Kernel>
void Step<D, Kernel>::add_forces() {
  if (model_.limits_density()) return;  // nor any to add
  for (const Particle<D>& p : particles_) {
    if (p.alone) continue;
    const M<D> P = first_piola(p.F_E, polar(p.F_E).R, lame(p));
    const M<D> A = -p.volume * (P * transpose(p.F_E));
    for_stencil(p.x, [&](Node<D>& i, double, const V<D>& grad_w, const V<D>&) { i.force += A * grad_w; });  // (M6)
  }
}

template <int D, class Kernel>
StepLimits Step<D, Kernel>::limits() const {
  StepLimits limits;
  for (const Particle<D>& p : particles_) {
    const Lame<double> l = lame(p);
    const SnowParameters<double> s = parameters(p);
    const double speed = norm(p.v), compliance = p.volume / p.mass;
    limits.speed = std::max(limits.speed, speed);
    if (p.alone) continue;
    limits.wave = std::max(limits.wave, std::sqrt((l.lambda + 2 * l.mu) * compliance) + speed);
    limits.soft_wave = std::max(limits.soft_wave, std::sqrt((s.lambda0 + 2 * s.mu0) * compliance));
  }
  return limits;
}

template <int D, class Kernel>
SnowExtent Step<D, Kernel>::extent() const {
  SnowExtent extent(state_.time);
  for (const Particle<D>& p : particles_) extent.include_block_of(model_, to_lattice<double, D>(p.x, h_, false).cell);
  return extent;
}

template <int D, class Kernel>
void Step<D, Kernel>::update_grid_velocities(double dt) {
  const V<D> g = convert_vec<double, D>(model_.gravity);
  for (auto& [cell, i] : grid_) {
    if (i.mass <= 0) continue;
    i.v_star = i.v_n + dt * g;
    if (i.mass >= model_.mass_floor) i.v_star += (dt / i.mass) * i.force;  // (M7)
  }
}

// (M19) or contact that holds, and what the bodies feel of it.
template <int D, class Kernel>
V<D> Step<D, Kernel>::collide_node(const Cell<D>& cell, Node<D>& node, const V<D>& v, bool solved) {
  const LatticePoint<double, D> x{cell, V<D>::zero()};
  Constraint<double, D>* constraint = solved ? nullptr : &node.constraint;
  if (!model_.holds()) return collide<double, D>(bodies_.list, x, v, h_, constraint, record(node.mass));
  const ContactRates<double> rates(model_, dt_);
  if (!solved)
    node.held = {{rates.kept * node.memory.push / node.mass, rates.kept * node.memory.touch / node.mass, node.memory.credit / node.mass},
                 false};
  return hold_node<double, D>(
      bodies_.list, x, v, rates, [&](std::size_t k) { return node.gaps[k]; }, solved, node.held, constraint, record(node.mass));
}

template <int D, class Kernel>
void Step<D, Kernel>::collide_grid() {
  for (auto& [cell, i] : grid_) {
    i.constraint = {};
    i.held = {};
    if (i.mass > 0) i.v_star = collide_node(cell, i, i.v_star, false);
    i.v = i.v_star;
  }
}

// (M18), times V⁰ and all: out ← H u
template <int D, class Kernel>
void Step<D, Kernel>::hessian(V<D> Node<D>::*u, V<D> Node<D>::*out) {
  for (auto& [cell, i] : grid_) i.*out = V<D>::zero();
  for (const Particle<D>& p : particles_) {
    if (p.alone) continue;
    M<D> grad_u = M<D>::zero();
    for_stencil(p.x, [&](Node<D>& i, double, const V<D>& grad_w, const V<D>&) { grad_u += outer(i.*u, grad_w); });
    const M<D> dP = piola_derivative(p.F_E, polar(p.F_E).R, lame(p), grad_u * p.F_E);  // (M14)
    const M<D> A = (p.tangent * p.volume) * (dP * transpose(p.F_E));
    for_stencil(p.x, [&](Node<D>& i, double, const V<D>& grad_w, const V<D>&) { i.*out += A * grad_w; });
  }
}

// (M17): (I + beta dt² m⁻¹ H) u at one node, in the directions its collisions left free.
template <int D, class Kernel>
V<D> Step<D, Kernel>::operator_row(const Node<D>& node, const V<D>& u, const V<D>& Hu) const {
  if (node.mass <= 0) return V<D>::zero();
  const double scale = node.mass >= model_.mass_floor ? model_.solver.beta * dt_ * dt_ / node.mass : 0;
  return node.constraint.project(u + scale * Hu);
}

template <int D, class Kernel>
void Step<D, Kernel>::soften() {
  for (Particle<D>& p : particles_) {
    M<D> grad_v = M<D>::zero();
    for_stencil(p.x, [&](Node<D>& i, double, const V<D>& grad_w, const V<D>&) { grad_v += outer(i.v_n, grad_w); });
    const bool free = takes_explicit_steps(lame(p), p.volume, p.mass, dt_ / h_, model_.solver.courant);
    p.tangent = free ? 0 : plastic_tangent(p.F_E, polar(p.F_E).R, (M<D>::identity() + dt_ * grad_v) * p.F_E, parameters(p));
  }
}

template <int D, class Kernel>
double Step<D, Kernel>::start() {
  if (model_.solver.tangent == Tangent::kPlastic) soften();
  hessian(&Node<D>::v, &Node<D>::Ar);
  double sum = 0;
  for (auto& [cell, i] : grid_) {
    i.r = i.constraint.project(i.v_star) - operator_row(i, i.v, i.Ar);
    i.p = i.Ap = V<D>::zero();
    sum += i.mass * dot(i.r, i.r);
  }
  return sum;
}

template <int D, class Kernel>
double Step<D, Kernel>::multiply() {
  hessian(&Node<D>::r, &Node<D>::Ar);
  double sum = 0;
  for (auto& [cell, i] : grid_) {
    i.Ar = operator_row(i, i.r, i.Ar);
    sum += i.mass * dot(i.r, i.Ar);
  }
  return sum;
}

template <int D, class Kernel>
double Step<D, Kernel>::next_direction(double beta) {
  double sum = 0;
  for (auto& [cell, i] : grid_) {
    i.p = i.r + beta * i.p;
    i.Ap = i.Ar + beta * i.Ap;
    sum += i.mass * dot(i.Ap, i.Ap);
  }
  return sum;
}

template <int D, class Kernel>
double Step<D, Kernel>::advance(double alpha) {
  double sum = 0;
  for (auto& [cell, i] : grid_) {
    i.v += alpha * i.p;
    i.r -= alpha * i.Ap;
    sum += i.mass * dot(i.r, i.r);
  }
  return sum;
}

template <int D, class Kernel>
Fault Step<D, Kernel>::solve(StepInfo& report) {
  if (!model_.implicit()) return Fault::kNone;
  const LinearLimits limits{model_.solver.tolerance, 10 * kEpsilon<double> * solution_norm(), kMostError, model_.solver.max_iterations};
  const LinearResult result = conjugate_residuals(*this, limits);
  report.iterations += result.iterations;
  report.residual = result.residual;
  add_reactions();
  for (auto& [cell, i] : grid_)
    if (i.mass > 0) i.v = collide_node(cell, i, i.v, true);
  if (!result.converged) return Fault::kSolve;
  return !result.trusted && may_be_cut_for_energy(model_, report) ? Fault::kUntrusted : Fault::kNone;
}

// What the solve would have changed held nodes by, their bodies take.
template <int D, class Kernel>
void Step<D, Kernel>::add_reactions() {
  hessian(&Node<D>::v, &Node<D>::Ar);
  for (const auto& [cell, i] : grid_) {
    if (i.mass < model_.mass_floor || i.constraint.free()) continue;
    i.constraint.for_each_held((-model_.solver.beta * dt_ * dt_) * i.Ar, [&, at = cell](std::size_t body, const V<D>& part) {
      loads_[body].add(1 / dt_, probe(bodies_.list[body], at, V<D>::zero(), h_), part);
    });
  }
}

template <int D, class Kernel>
Fault Step<D, Kernel>::update_deformation(Particle<D>& p, StepInfo& report) {
  if (p.alone) return Fault::kNone;
  if (model_.limits_density()) {
    p.F_E = p.F_P = M<D>::identity();
    p.is_in_packed = is_packed_at(p.x);
    return Fault::kNone;
  }
  M<D> grad_v = M<D>::zero();
  for_stencil(p.x, [&](Node<D>& i, double, const V<D>& grad_w, const V<D>&) { grad_v += outer(i.v, grad_w); });
  const M<D> change = M<D>::identity() + dt_ * grad_v;
  if (!(determinant(change) > 0)) return Fault::kInverted;
  const M<D> F_trial = change * p.F_E;  // (M8)
  const M<D> F = F_trial * p.F_P;
  const SnowParameters<double> s = parameters(p);
  const Svd<double, D> svd_trial = svd(F_trial);
  ClampedStretch<double, D> stretch{svd_trial.sigma, {}, {}};
  V<D> inverse;
  for (int d = 0; d < D; ++d) {
    stretch.clamped[d] = clamp(svd_trial.sigma[d], s.stretch_min, s.stretch_max);
    inverse[d] = 1 / stretch.clamped[d];
  }
  const double H = exponential(limited_exponent(s, p.J_P()));
  p.F_P = svd_trial.V * M<D>::diagonal(inverse) * transpose(svd_trial.U) * F;
  if (!(p.J_P() > 0)) return Fault::kPlastic;
  const double harder = exponential(limited_exponent(s, p.J_P())) / H, brought = strain_energy(stretch.values, s);
  const double kept = affordable_strain(stretch, brought, harder, s);
  V<D> sigma;
  for (int d = 0; d < D; ++d) sigma[d] = 1 + kept * (stretch.clamped[d] - 1);
  if (kept < 1) ++report.relaxed;
  report.plastic_work += p.volume * H * (brought - harder * strain_energy(sigma, s));
  p.F_E = svd_trial.U * M<D>::diagonal(sigma) * transpose(svd_trial.V);
  const double capped = capped_plastic(p.J_P(), std::pow(Kernel::kSupport * h_, D), p.volume);
  if (capped != p.J_P()) {
    ++report.capped;
    p.F_P = M<D>::identity();
    p.F_P(0, 0) = capped;
  }
  return Fault::kNone;
}

template <int D, class Kernel>
void Step<D, Kernel>::update_velocity(Particle<D>& p) {
  V<D> v_pic = V<D>::zero(), v_old = V<D>::zero();
  p.B = M<D>::zero();
  for_stencil(p.x, [&](Node<D>& i, double w, const V<D>&, const V<D>& r) {
    v_pic += w * i.v;
    v_old += w * i.v_n;
    if (apic()) p.B += w * outer(i.v, r);
  });
  const double alpha = apic() ? 0 : model_.flip_ratio(dt_);
  p.v = std::exp(-model_.damping * dt_) * (v_pic + alpha * (p.v - v_old));  // (M10)
}

template <int D, class Kernel>
void Step<D, Kernel>::collide_particle(Particle<D>& p) {
  const LatticePoint<double, D> x = to_lattice<double, D>(p.x, h_, false);
  p.v = model_.holds() ? keep_outside<double, D>(bodies_.list, x, p.v, h_, dt_, record(p.mass))
                       : collide<double, D>(bodies_.list, x, p.v, h_, nullptr, record(p.mass));
}

template <int D, class Kernel>
void Step<D, Kernel>::remember(Particle<D>& p) {
  double touching = 0;
  PushMemory<double> sums;
  for_stencil(p.x, [&](Node<D>& i, double w, const V<D>&, const V<D>&) {
    if (!i.held.touches) return;
    touching += w;
    sums.push += w * i.held.memory.push;
    sums.touch += w * i.held.memory.touch;
    sums.credit += w * i.held.memory.credit;
  });
  const PushMemory<double> memory = remembered<double>({p.push, p.touch, p.credit}, touching, sums, ContactRates<double>(model_, dt_).kept);
  p.push = memory.push;
  p.touch = memory.touch;
  p.credit = memory.credit;
}

template <int D, class Kernel>
Fault Step<D, Kernel>::move(Particle<D>& p, double dt) {
  for (int d = 0; d < D; ++d) {
    if (!std::isfinite(p.v[d])) return Fault::kNotFinite;
    if (std::abs(dt * p.v[d]) > model_.most_cells() * h_) return Fault::kTooFar;
  }
  p.x += dt * p.v;
  return Fault::kNone;
}

template <int D, class Kernel>
Attempt Step<D, Kernel>::try_steps_4_to_10(double dt, StepInfo& report) {
  dt_ = dt;
  report.relaxed = report.capped = 0;
  report.gravity_work = report.plastic_work = 0;
  loads_.assign(model_.bodies.size(), {});
  bodies_ = freeze<double, D>(model_.bodies, state_.time + dt);
  if (model_.limits_density()) {
    limit_density(model_, dt, grid_);
  } else {
    update_grid_velocities(dt);
    collide_grid();
  }
  if (const Fault fault = solve(report); fault != Fault::kNone) return {fault, 0};
  const V<D> gravity_step = dt * convert_vec<double, D>(model_.gravity);
  for (const auto& [cell, i] : grid_) report.gravity_work += i.mass * dot(i.v, gravity_step);
  next_ = particles_;
  for (Particle<D>& p : next_) {
    Fault fault = update_deformation(p, report);
    update_velocity(p);
    if (model_.holds()) remember(p);
    collide_particle(p);
    if (fault == Fault::kNone) fault = move(p, dt);
    if (fault != Fault::kNone) return {fault, p.id};
  }
  if (model_.checks_energy() && may_be_cut_for_energy(model_, report) && balance(report).is_bad()) return {Fault::kEnergy, 0};
  return {};
}

template class Step<2, CubicKernel>;
template class Step<2, QuadraticKernel>;
template class Step<3, CubicKernel>;
template class Step<3, QuadraticKernel>;

}  // namespace firn::reference
