// Steps 4 and 5 on one node block: sums the tiles, applies forces and gravity, collides.
#pragma once

#include "solver/cpu/scratch.h"

namespace firn::cpu {

// The bodies that may touch a cube of the grid; the rest are skipped for all its nodes or particles.
template <class T, int D>
inline void near_bodies(const std::vector<Body<T, D>>& bodies, const Cell<D>& first, int edge, T h, std::vector<Body<T, D>>& near) {
  near.clear();
  Vec<T, D> middle = Vec<T, D>::filled(T(0.5) * T(edge));
  const T reach = norm(middle) * h * T(1.01);  // some room for rounding
  for (const Body<T, D>& body : bodies)
    if (probe(body, first, middle, h).phi <= reach) near.push_back(body);
}

template <class T, int D>
class GridPass {
 public:
  using Shape = BlockShape<D>;
  using Quad = Pack<T, kChannels>;  // of a node: mass or something else, and a vector

  GridPass(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, double dt, const std::vector<Body<T, D>>& bodies)
      : store_(store),
        scratch_(scratch),
        bodies_(bodies),
        h_(T(model.h)),
        dt_(T(dt)),
        rate_(1 / dt),
        mass_floor_(T(model.mass_floor)),
        origin_(convert_vec<std::int32_t, D>(model.origin)),
        implicit_(model.implicit()),
        stiffness_scale_(T(model.solver.beta * dt * dt)) {
    for (int d = 0; d < D; ++d) gravity_step_.set(1 + d, T(dt * model.gravity[d]));
  }

  // Mass and v^n, then v* after forces and collisions.
  void block(std::size_t b) const {
    T* m_v = scratch_.mass_velocity.data() + b * Scratch<T, D>::kBlockValues;
    T* v_new = scratch_.velocity.data() + b * Scratch<T, D>::kBlockValues;
    alignas(64) T momentum[Shape::kNodes * kChannels], force[Shape::kNodes * kChannels];
    sum_tiles(store_, scratch_, b, scratch_.momentum_tiles, momentum);
    sum_tiles(store_, scratch_, b, scratch_.force_tiles, force);
    const Cell<D> first = first_node(b);
    std::vector<Body<T, D>> near;
    near_bodies(bodies_, first, Shape::kEdge, h_, near);
    start_loads(near, store_.loads[b].loads);
    bool held = false;
    for (int i = 0; i < Shape::kNodes; ++i) {
      const T mass = momentum[i * kChannels], stiffness = force[i * kChannels];
      Constraint<T, D> constraint;
      Quad old(T(0)), now(T(0));
      if (mass > T(0)) {
        old = Quad::load(momentum + i * kChannels) / Quad(mass);  // (M4); 1/mass may overflow where this does not
        const bool heavy = mass >= mass_floor_;
        now = old + (Quad(heavy ? dt_ / mass : T(0)) * Quad::load(force + i * kChannels) + gravity_step_);  // (M7)
        if (!near.empty()) collide_node({near, store_.loads[b].loads, mass}, node_at(first, i), now, implicit_ ? &constraint : nullptr);
        held |= !constraint.free();
        old.set(0, mass);
        now.set(0, heavy ? mass / (mass + stiffness_scale_ * stiffness) : T(1));  // the preconditioner, see ImplicitSystem
      }
      old.store(m_v + i * kChannels);
      now.store(v_new + i * kChannels);
      if (implicit_) scratch_.constraints[b * Shape::kNodes + i] = constraint;
    }
    if (implicit_) scratch_.has_held[b] = held;
  }

  // After the implicit solve: nodes that were separating may have come out moving into a body.
  void collide_again(std::size_t b) const {
    const Cell<D> first = first_node(b);
    std::vector<Body<T, D>> near;
    near_bodies(bodies_, first, Shape::kEdge, h_, near);
    if (near.empty()) return;
    T* v_new = scratch_.velocity.data() + b * Scratch<T, D>::kBlockValues;
    const T* m_v = scratch_.mass_velocity.data() + b * Scratch<T, D>::kBlockValues;
    for (int i = 0; i < Shape::kNodes; ++i) {
      const T mass = m_v[i * kChannels];
      if (!(mass > T(0))) continue;
      Quad v = Quad::load(v_new + i * kChannels);
      collide_node({near, store_.loads[b].loads, mass}, node_at(first, i), v, nullptr);
      v.store(v_new + i * kChannels);
    }
  }

  // After the implicit solve, with H v^{n+1} in the force tiles: nodes that are held take what beta dt² H v would have changed them by,
  // and the bodies that hold them feel it.
  void add_reactions(std::size_t b) const {
    alignas(64) T Hv[Shape::kNodes * kChannels];
    sum_tiles(store_, scratch_, b, scratch_.force_tiles, Hv, true);
    const Cell<D> first = first_node(b);
    std::vector<Body<T, D>> near;
    near_bodies(bodies_, first, Shape::kEdge, h_, near);
    for (int i = 0; i < Shape::kNodes; ++i) {
      const Constraint<T, D>& constraint = scratch_.constraints[b * Shape::kNodes + i];
      const T mass = scratch_.mass_velocity[b * Scratch<T, D>::kBlockValues + i * kChannels];
      if (constraint.free() || !(mass >= mass_floor_)) continue;
      Vec<T, D> taken;  // mass times velocity
      for (int d = 0; d < D; ++d) taken[d] = -stiffness_scale_ * Hv[i * kChannels + 1 + d];
      const LatticePoint<T, D> x = node_at(first, i);
      constraint.for_each_held(taken, [&](std::size_t k, const Vec<T, D>& part) {
        store_.loads[b].loads[k].load.add(rate_, probe(near[k], x.cell, x.offset, h_), part);
      });
    }
  }

 private:
  // Who may touch a node, what they feel of it, and how heavy it is.
  struct Touch {
    const std::vector<Body<T, D>>& near;
    NearLoads& loads;
    T mass;
  };

  void collide_node(const Touch& touch, const LatticePoint<T, D>& x, Quad& quad, Constraint<T, D>* constraint) const {
    Vec<T, D> v;
    for (int d = 0; d < D; ++d) v[d] = quad[1 + d];
    v = collide<T, D>(touch.near, x, v, h_, constraint, [&](std::size_t k, const BodyContact<T, D>& contact, const Vec<T, D>& taken) {
      touch.loads[k].load.add(rate_ * touch.mass, contact, taken);
    });
    for (int d = 0; d < D; ++d) quad.set(1 + d, v[d]);
  }

  // Node blocks start one node below the particle block of the same key.
  Cell<D> first_node(std::size_t b) const {
    return origin_ + Shape::kEdge * block_of_key<D>(scratch_.grid.node_key(b)) - Cell<D>::filled(1);
  }

  static LatticePoint<T, D> node_at(const Cell<D>& first, int i) {
    LatticePoint<T, D> x{first, Vec<T, D>::zero()};
    for (int d = D - 1; d >= 0; --d, i /= Shape::kEdge) x.cell[d] += i % Shape::kEdge;
    return x;
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  const std::vector<Body<T, D>>& bodies_;
  T h_, dt_;
  double rate_;  // 1/s: from what happens in a step to what happens in a second
  Quad gravity_step_{T(0)};
  T mass_floor_;
  Cell<D> origin_;
  bool implicit_;
  T stiffness_scale_;
};

}  // namespace firn::cpu
