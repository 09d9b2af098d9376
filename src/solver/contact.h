// Contact that holds: what bodies do to nodes and particles with solver.contact = "held". The rule of the paper (M19) acts by the push of
// one step, which trembles; this one lets nodes close the gap to the body and no more, and bounds friction by the mean push of some time.
// Snow then rests where it touches, whatever lies between the nodes, and stays on a slope that friction can hold. docs/physics.md has the
// measurements.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "solver/constraint.h"
#include "solver/model.h"

namespace firn {

// What a particle remembers of bodies, and a node of its particles: the mean push, m/s², and the mean of "touching", 0 … 1. Their ratio is
// the mean push while it touched, right from the first step on. credit, m/s: the push that friction has not used, so that in the end it is
// never more than mu times all push, also after a blow.
template <class T>
struct PushMemory {
  T push = 0, touch = 0, credit = 0;
};

// Nodes so many cells outside of a body take part.
inline constexpr double kNodeReach = 0.5;
// A gap, in cells, that no step can close.
inline constexpr double kWidestGap = 1;

// Cells around bodies in which blocks are looked at at all: particles that get out of reach forget before they get out of sight.
inline constexpr double kSight = 6;

// How far from a body, in cells, a particle can be whose stencil has nodes that take part. Farther from all of them it forgets.
template <class T, int D>
FIRN_HD inline T touching_reach(const Body<T, D>& body) {
  constexpr T kStencil = T(2);
  if (body.solid.kind != SolidKind::kPlane) return T(kNodeReach) + kStencil * sqrt(T(D));
  const Vec<T, D> n = body.rotation * body.solid.axis;
  T sum(0);
  for (int d = 0; d < D; ++d) sum += abs(n[d]);
  return T(kNodeReach) + kStencil * sum;
}

// A node that hardly sees a particle, by less than this weight, takes it for farther away, up to the widest gap: nothing jumps when a
// particle comes into sight.
inline constexpr double kFaintWeight = 1e-3;
template <class T>
FIRN_HD inline T gap_in_sight(const T& gap, const T& weight, Scalar<T> h) {
  using S = Scalar<T>;
  const T faint = T(S(kWidestGap) * h) - T(S(kWidestGap / kFaintWeight) * h) * weight;
  return max(gap, T(S(0))) + max(faint, T(S(0)));
}

// The constants of the rule for one step.
template <class T>
struct ContactRates {
  ContactRates(const Model& model, double step)
      : h(T(model.h)),
        dt(T(step)),
        memory(T(model.contact_memory)),
        kept(T(std::exp(-step / model.contact_memory))),
        fresh(T(-std::expm1(-step / model.contact_memory))),
        reach(T(kNodeReach * model.h)),
        near(T(0.05 * model.h)),
        leaving(T(std::max(norm(model.gravity) * model.contact_memory / 8, 0.005 * model.h / model.contact_memory))) {}

  T h, dt;
  T memory;       // s
  T kept, fresh;  // of the memory: what is left of it after the step, and what the step adds
  T reach;        // m: nodes this far outside take part
  T near;         // m: snow whose gap is smaller, or will be, touches
  T leaving;      // m/s: unless it moves away faster, and gravity will not soon bring it back
};

// Half the distance of particles, the gap that snow at rest keeps.
template <class T, int D>
FIRN_HD inline T half_distance(T volume) {
  return T(0.5) * (D == 2 ? sqrt(volume) : cube_root(volume));
}

// The direction out of a body over a cell's width; none on ridges, axes and sheets, where it would be one of several: what lies on both
// sides does the work there.
template <class T, int D>
FIRN_HD inline std::optional<Vec<T, D>> normal_over_cell(const Body<T, D>& body, const LatticePoint<T, D>& x, const BodyContact<T, D>& at,
                                                         T h) {
  if (body.solid.kind == SolidKind::kPlane) return at.n;
  Vec<T, D> slope;
  T bend(0), sum(0);
  for (int d = 0; d < D; ++d) {
    Vec<T, D> offset = x.offset;
    offset[d] += T(0.5);
    const T above = probe(body, x.cell, offset, h).phi;
    offset[d] -= T(1);
    const T below = probe(body, x.cell, offset, h).phi;
    slope[d] = (above - below) / h;
    bend = max(bend, (above + below - T(2) * at.phi) / h);
    sum += above + below;
  }
  // Ridges of less than 120 degrees have either, wherever they lie to the grid; a ball has them when it is smaller than a cell.
  constexpr T kFlat = T(0.9), kBend = T(0.36), kNone = T(1e-3);
  const T length = norm(slope);
  if ((length < kFlat || bend > kBend) && sum > T(2 * D) * at.phi) return std::nullopt;
  if (length < kNone) return at.n;
  return (T(1) / length) * slope;
}

// A node that bodies may hold.
template <class T>
struct HeldNode {
  PushMemory<T> memory;  // its particles', push and touch faded by the step
  bool touches = false;
};

// Holds all directions along a surface.
template <class T, int D>
FIRN_HD inline void hold_tangents(const Vec<T, D>& n, std::size_t body, Constraint<T, D>& constraint) {
  if constexpr (D == 2) {
    constraint.slide({-n[1], n[0]}, body);
  } else {
    const Vec<T, 3> t = detail::any_perpendicular(n);
    constraint.slide(t, body);
    constraint.slide(cross(n, t), body);
  }
}

// Steps 5 and, once more, 6 at a node: all bodies in order. gap(k): how far the snow that the node sees is from body k, m, never below 0.
// `solved`: after the implicit solve, when friction has acted. As collide(), it notes what bodies leave free, and tells record(body,
// contact, what it took from v).
template <class T, int D, class Bodies, class Gap, class Record>
FIRN_HD inline Vec<T, D> hold_node(const Bodies& bodies, const LatticePoint<T, D>& x, Vec<T, D> v, const ContactRates<T>& rates, Gap gap,
                                   bool solved, HeldNode<T>& node, Constraint<T, D>* constraint, Record record) {
  const bool touched_before = node.touches;
  node.touches = false;
  // The memory is of the nearest one; of others friction knows the push of this step.
  std::size_t nearest = 0;
  T least = std::numeric_limits<T>::infinity();
  for (std::size_t k = 0; bodies.size() > 1 && k < bodies.size(); ++k)
    if (const T phi = probe(bodies[k], x.cell, x.offset, rates.h).phi; gap(k) < T(kWidestGap) * rates.h && phi < least) {
      nearest = k;
      least = phi;
    }
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Body<T, D>& body = bodies[k];
    const T open = gap(k);
    if (!(open < T(kWidestGap) * rates.h)) continue;
    const BodyContact<T, D> at = probe(body, x.cell, x.offset, rates.h);
    if (at.phi > rates.reach) continue;
    if (body.sticky) {
      if (open > rates.reach) continue;
      record(k, at, v - at.v_co);
      v = at.v_co;
      if (constraint) constraint->stick(k);
      continue;
    }
    const std::optional<Vec<T, D>> normal = normal_over_cell(body, x, at, rates.h);
    if (!normal) continue;
    const Vec<T, D> n = *normal, relative = v - at.v_co;
    const T v_n = dot(relative, n);
    const T push = max(T(0), -open / rates.dt - v_n);                             // it may close the gap, no more
    if (v_n > rates.leaving - max(open - rates.near, T(0)) / rates.dt) continue;  // it will not be near after the step
    T bound = push;                                                               // of what friction may take, over mu
    if (k == nearest) {
      node.touches = true;
      node.memory.push += rates.fresh * push / rates.dt;
      if (!solved || !touched_before) node.memory.touch += rates.fresh;
      node.memory.credit += push;
      if (!solved) bound = min(rates.dt * node.memory.push / node.memory.touch, node.memory.credit);
    }
    const Vec<T, D> along = relative - v_n * n;
    const T speed = norm(along), taken = min(speed, body.friction * bound);
    if (k == nearest) {
      const T used = body.friction > T(0) ? taken / body.friction : T(0), most = rates.memory * node.memory.push / node.memory.touch;
      node.memory.credit = clamp(node.memory.credit - used, T(0), most);
    }
    if (!(push > T(0)) && !(taken > T(0)) && !(body.friction * bound > T(0))) continue;
    const Vec<T, D> held = (v_n + push) * n + (speed > T(0) ? T(1) - taken / speed : T(0)) * along + at.v_co;
    record(k, at, v - held);
    v = held;
    if (!constraint) continue;
    const bool stuck = body.friction * bound >= speed && body.friction > T(0);
    if (push > T(0) && stuck) {
      constraint->stick(k);
    } else if (push > T(0)) {
      constraint->slide(n, k);
    } else if (stuck) {
      hold_tangents(n, k, *constraint);
    }
  }
  return v;
}

// A body where it is when a step ends, seen from a particle as it was when the step began: moved with the body. So a wall that jumps over
// a particle has it still before it.
template <class T, int D>
FIRN_HD inline BodyContact<T, D> seen_at_begin(const Body<T, D>& body, LatticePoint<T, D> x, T h, T dt) {
  const BodyContact<T, D> at = probe(body, x.cell, x.offset, h);
  if (!body.moves()) return at;
  x.offset += (dt / h) * at.v_co;
  return probe(body, x.cell, x.offset, h);
}

// Step 9: a net under the nodes' work. Particles may come up to a body's surface and no further; friction has acted before.
template <class T, int D, class Bodies, class Record>
FIRN_HD inline Vec<T, D> keep_outside(const Bodies& bodies, const LatticePoint<T, D>& x, Vec<T, D> v, T h, T dt, Record record) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const BodyContact<T, D> at = seen_at_begin(bodies[k], x, h, dt);
    const T most = max(at.phi, T(0)) / dt, v_n = dot(v - at.v_co, at.n);
    const bool enters = v_n < -most;
    if (!enters && !(bodies[k].sticky && at.phi <= T(0))) continue;
    const Vec<T, D> held = bodies[k].sticky ? at.v_co : v - (most + v_n) * at.n;
    record(k, at, v - held);
    v = held;
  }
  return v;
}

// After a step: what a particle's nodes that touch have, in their mean; `touching`: the sum of their weights. Where that is faint, or
// nothing, the particle's own memory fades.
// Numbers, or Packs of them.
template <class N>
FIRN_HD inline PushMemory<N> remembered(const PushMemory<N>& before, const N& touching, const PushMemory<N>& sums, const N& kept) {
  using S = Scalar<N>;
  constexpr S kForgotten = S(1e-3), kOwn = S(kFaintWeight);
  const N forgotten(kForgotten), own(kOwn), zero(S(0)), one(S(1));
  const auto forgets = (touching <= zero) & (before.touch * kept < forgotten);
  const N weight = one / (touching + own), faded = own * kept;
  return {select(forgets, zero, weight * (sums.push + faded * before.push)),
          select(forgets, zero, weight * (sums.touch + faded * before.touch)),
          select(forgets, zero, weight * (sums.credit + faded * before.credit))};
}

}  // namespace firn
