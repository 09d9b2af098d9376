// Steps 4 and 5 on one node block: sums the tiles, applies forces and gravity, collides.
#pragma once

#include "solver/cpu/contact_tiles.h"

namespace firn::cpu {

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
        holds_(model.holds()),
        sleep_(model.solver.sleep),
        rates_(model, dt),
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
    const Touch touch(*this, b, first);
    start_loads(touch.near, store_.loads[b].loads);
    bool held = false, touches = false;
    Quad sum(T(0));  // m v*
    const bool holds_sleepers = sleep_ && has_sleepers(b);
    Quad force_left(T(0));                     // times dt
    T heaviest = mass_floor_ / T(kMassFloor);  // or a particle: where there is only the rim of a stencil, forces mean little
    for (int i = 0; i < Shape::kNodes; ++i) {
      const T mass = momentum[i * kChannels], stiffness = force[i * kChannels];
      Constraint<T, D> constraint;
      Quad old(T(0)), now(T(0));
      if (mass > T(0)) {
        old = Quad::load(momentum + i * kChannels) / Quad(mass);  // (M4); 1/mass may overflow where this does not
        const bool heavy = mass >= mass_floor_;
        now = old + (Quad(heavy ? dt_ / mass : T(0)) * Quad::load(force + i * kChannels) + gravity_step_);  // (M7)
        if (touch.any) touches |= collide_node(touch, {b, i, node_at(first, i), mass, false}, now, implicit_ ? &constraint : nullptr);
        held |= !constraint.free();
        sum = sum + Quad(mass) * now;
        if (holds_sleepers) {
          heaviest = max(heaviest, mass);
          force_left = max(force_left, abs(Quad(mass) * (now - old)));
        }
        old.set(0, mass);
        now.set(0, heavy ? mass / (mass + stiffness_scale_ * stiffness) : T(1));  // the preconditioner, see ImplicitSystem
      }
      old.store(m_v + i * kChannels);
      now.store(v_new + i * kChannels);
      if (implicit_) scratch_.constraints[b * Shape::kNodes + i] = constraint;
    }
    if (implicit_) scratch_.has_held[b] = held;
    if (holds_) scratch_.has_contact[b] = touches;
    scratch_.partial[b] = work_of_gravity(sum);
    force_left.set(0, T(0));
    scratch_.unbalanced[b] = static_cast<float>(horizontal_max(force_left) / (heaviest * dt_));
  }

  // After the implicit solve, on the nodes of one block, J.
  double work_of_gravity(std::size_t b) const {
    const T* v_new = scratch_.velocity.data() + b * Scratch<T, D>::kBlockValues;
    const T* m_v = scratch_.mass_velocity.data() + b * Scratch<T, D>::kBlockValues;
    Quad sum(T(0));
    for (int i = 0; i < Shape::kNodes; ++i) sum = sum + Quad(m_v[i * kChannels]) * Quad::load(v_new + i * kChannels);
    return work_of_gravity(sum);
  }

  // After the implicit solve: nodes that were separating may have come out moving into a body.
  void collide_again(std::size_t b) const {
    const Cell<D> first = first_node(b);
    const Touch touch(*this, b, first);
    if (!touch.any) return;
    bool touches = false;
    T* v_new = scratch_.velocity.data() + b * Scratch<T, D>::kBlockValues;
    const T* m_v = scratch_.mass_velocity.data() + b * Scratch<T, D>::kBlockValues;
    for (int i = 0; i < Shape::kNodes; ++i) {
      const T mass = m_v[i * kChannels];
      if (!(mass > T(0))) continue;
      Quad v = Quad::load(v_new + i * kChannels);
      touches |= collide_node(touch, {b, i, node_at(first, i), mass, true}, v, nullptr);
      v.store(v_new + i * kChannels);
    }
    if (holds_) scratch_.has_contact[b] = touches;
  }

  // After the implicit solve, with H v^{n+1} in the force tiles: nodes that are held take what beta dt² H v would have changed them by,
  // and the bodies that hold them feel it.
  void add_reactions(std::size_t b) const {
    alignas(64) T Hv[Shape::kNodes * kChannels];
    sum_tiles(store_, scratch_, b, scratch_.force_tiles, Hv, true);
    const Cell<D> first = first_node(b);
    const Touch touch(*this, b, first);
    for (int i = 0; i < Shape::kNodes; ++i) {
      const Constraint<T, D>& constraint = scratch_.constraints[b * Shape::kNodes + i];
      const T mass = scratch_.mass_velocity[b * Scratch<T, D>::kBlockValues + i * kChannels];
      if (constraint.free() || !(mass >= mass_floor_)) continue;
      Vec<T, D> taken;  // mass times velocity
      for (int d = 0; d < D; ++d) taken[d] = -stiffness_scale_ * Hv[i * kChannels + 1 + d];
      const LatticePoint<T, D> x = node_at(first, i);
      constraint.for_each_held(taken, [&](std::size_t k, const Vec<T, D>& part) {
        store_.loads[b].loads[k].load.add(rate_, probe(touch.near[k], x.cell, x.offset, h_), part);
      });
    }
  }

 private:
  bool has_sleepers(std::size_t b) const {
    for (const std::int32_t tile : scratch_.grid.tiles_of(b))
      if (tile != SparseGrid<D>::kNone && store_.blocks[tile].rest != Rest::kAwake) return true;
    return false;
  }

  // In a step, on this momentum.
  double work_of_gravity(const Quad& momentum) const {
    double work = 0;
    for (int d = 0; d < D; ++d) work += double(momentum[1 + d]) * double(gravity_step_[1 + d]);
    return work;
  }

  // Who may touch the nodes of a block, and what the snow around says of them.
  struct Touch {
    Touch(const GridPass& pass, std::size_t b, const Cell<D>& first) {
      near_bodies(pass.bodies_, first, Shape::kEdge, pass.h_, near, pass.holds_ ? pass.rates_.reach / pass.h_ : T(0));
      any = !near.empty();
      if (!any || !pass.holds_) return;
      nodes.emplace(pass.store_, pass.scratch_, b, near);
      any = !nodes->empty();
    }

    std::vector<Body<T, D>> near;
    std::optional<ContactNodes<T, D>> nodes;
    bool any;
  };
  struct Node {
    std::size_t block;
    int number;
    LatticePoint<T, D> x;
    T mass;
    bool solved;  // after the implicit solve
  };

  // Whether it touches a body that holds it.
  bool collide_node(const Touch& touch, const Node& node, Quad& quad, Constraint<T, D>* constraint) const {
    Vec<T, D> v;
    for (int d = 0; d < D; ++d) v[d] = quad[1 + d];
    const auto record = [&](std::size_t k, const BodyContact<T, D>& contact, const Vec<T, D>& taken) {
      store_.loads[node.block].loads[k].load.add(rate_ * node.mass, contact, taken);
    };
    bool touches = false;
    if (holds_) {
      T* own = scratch_.contact.data() + node.block * Scratch<T, D>::kBlockValues + node.number * kChannels;
      bool in_reach = false;
      for (std::size_t k = 0; k < touch.near.size() && !in_reach; ++k) in_reach = touch.nodes->gap(k, node.number) < T(kWidestGap) * h_;
      if (!in_reach) {
        own[0] = T(0);
        return false;
      }
      HeldNode<T> held;
      if (node.solved) {
        held = {{own[1], own[2], own[3]}, own[0] > T(0)};
      } else {
        const PushMemory<T> sums = touch.nodes->memory(node.number);
        held.memory = {rates_.kept * sums.push / node.mass, rates_.kept * sums.touch / node.mass, sums.credit / node.mass};
      }
      v = hold_node<T, D>(
          touch.near, node.x, v, rates_, [&](std::size_t k) { return touch.nodes->gap(k, node.number); }, node.solved, held, constraint,
          record);
      own[0] = held.touches ? T(1) : T(0);
      own[1] = held.memory.push;
      own[2] = held.memory.touch;
      own[3] = held.memory.credit;
      touches = held.touches;
    } else {
      v = collide<T, D>(touch.near, node.x, v, h_, constraint, record);
    }
    for (int d = 0; d < D; ++d) quad.set(1 + d, v[d]);
    return touches;
  }

  Cell<D> first_node(std::size_t b) const { return firn::first_node<D>(scratch_.grid.node_key(b), origin_); }

  static LatticePoint<T, D> node_at(const Cell<D>& first, int i) { return {node_of_block<D>(first, i), Vec<T, D>::zero()}; }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  const std::vector<Body<T, D>>& bodies_;
  T h_, dt_;
  double rate_;  // 1/s: from what happens in a step to what happens in a second
  Quad gravity_step_{T(0)};
  T mass_floor_;
  Cell<D> origin_;
  bool implicit_, holds_, sleep_;
  ContactRates<T> rates_;
  T stiffness_scale_;
};

}  // namespace firn::cpu
