// Steps 4 and 5, apart because each stage is a file: forces, gravity and collisions at the nodes; after a semi-implicit solve collisions
// once more. A CTA for each block of nodes, a thread for each node.
#pragma once

#include "solver/cuda/launch.h"

namespace firn::cuda {

template <int D>
inline constexpr int kNodeThreads = D == 3 ? 64 : 32;  // whole warps: in 2D half of one idles

// What a CTA knows of its block of nodes.
template <class T, int D>
struct NodeBlock {
  NearBodies near;
  LoadSums<D> loads;
  int layer;  // the first; −1: nothing can touch

  // All threads; ends with a __syncthreads().
  __device__ void start(const StepArgs<T, D>& a) {
    loads.start(a.loads);
    const Cell<D> first = first_node<D>(a.blocks.node_place[blockIdx.x], a.blocks.origin);
    if (!a.c.holds) {
      find_near<T, D>(a.bodies, a.body_count, first, Layout<D>::kEdge, T(0), a.c.h, near);
      if (threadIdx.x == 0) layer = 0;
    } else if (threadIdx.x == 0) {  // who may be touched is known since the scatter
      layer = a.contact.first[blockIdx.x];
      const int count = layer < 0 ? 0 : a.contact.count[blockIdx.x];
      near.all = count > NearBodies::kMost;
      near.count = count;
      for (int k = 0; k < count && !near.all; ++k) near.index[k] = a.contact.body[layer + k];
    }
    __syncthreads();
    if (threadIdx.x == 0 && near.count == 0) layer = -1;
    __syncthreads();
  }
};

template <class T, int D>
__device__ inline LatticePoint<T, D> node_at(const BlockView<D>& blocks, int number) {
  return {first_node<D>(blocks.node_place[blockIdx.x], blocks.origin) + Layout<D>::node_of(number), Vec<T, D>::zero()};
}

// (M19) or contact that holds, at one node. solved: after the implicit solve.
template <class T, int D>
__device__ inline Vec<T, D> collide_node(const StepArgs<T, D>& a, NodeBlock<T, D>& block, int number, T mass, Vec<T, D> v, bool solved,
                                         Constraint<T, D>* constraint) {
  const LatticePoint<T, D> x = node_at<T, D>(a.blocks, number);
  const BodyList<T, D> bodies = block.near.of(a.bodies);
  const auto record = [&](std::size_t k, const BodyContact<T, D>& contact, const Vec<T, D>& taken) {
    block.loads.add(k, bodies.number(k), a.c.rate * double(mass), contact, taken);
  };
  if (!a.c.holds) return collide<T, D>(bodies, x, v, a.c.h, constraint, record);
  const std::size_t at = std::size_t(block.layer) * Layout<D>::kNodes + number;
  const auto gap = [&](std::size_t k) { return a.contact.gap[at + k * Layout<D>::kNodes]; };
  bool in_reach = false;
  for (std::size_t k = 0; k < bodies.size() && !in_reach; ++k) in_reach = gap(k) < T(kWidestGap) * a.c.h;
  Quad<T>& own = a.contact.held[at];
  if (!in_reach) {
    own[0] = T(0);
    return v;
  }
  HeldNode<T> held;
  if (solved) {
    held = {{own[1], own[2], own[3]}, own[0] > T(0)};
  } else {
    const Quad<T> sums = a.contact.memory[at];
    held.memory = {a.c.rates.kept * sums[1] / mass, a.c.rates.kept * sums[2] / mass, sums[3] / mass};
  }
  v = hold_node<T, D>(bodies, x, v, a.c.rates, gap, solved, held, constraint, record);
  own = {{held.touches ? T(1) : T(0), held.memory.push, held.memory.touch, held.memory.credit}};
  return v;
}

// On a node's velocity, or on a change of it.
template <class T, int D>
__device__ inline void add_gravity_work(const StepArgs<T, D>& a, T mass, const Vec<T, D>& v) {
  double work = 0;
  for (int d = 0; d < D; ++d) work += double(mass) * double(v[d]) * double(a.c.gravity_step[d]);
  work = sum_of_cta(work);
  if (threadIdx.x == 0 && work != 0) atomicAdd(&a.report->gravity_work, work);
}

template <class T, int D>
__global__ void __launch_bounds__(kNodeThreads<D>) update_grid(StepArgs<T, D> a) {
  __shared__ NodeBlock<T, D> block;
  if (a.only_near_bodies && a.c.holds && a.contact.first[blockIdx.x] < 0) return;
  block.start(a);
  const int number = threadIdx.x;
  const std::size_t at = std::size_t(blockIdx.x) * Layout<D>::kNodes + number;
  Quad<T> momentum{};
  if (number < Layout<D>::kNodes) momentum = a.grid.momentum[at];
  const T mass = momentum[0];
  Vec<T, D> v = Vec<T, D>::zero(), taken = v;
  Constraint<T, D> constraint;
  if (mass > T(0)) {
    const Quad<T> force = a.grid.force[at];
    const bool heavy = mass >= a.c.mass_floor;
    for (int d = 0; d < D; ++d)
      v[d] = momentum[1 + d] / mass + ((heavy ? a.c.dt / mass : T(0)) * force[1 + d] + a.c.gravity_step[d]);  // (M4), (M7)
    const Vec<T, D> free = v;
    if (block.layer >= 0) v = collide_node(a, block, number, mass, v, false, a.c.implicit ? &constraint : nullptr);
    taken = free - v;
    a.grid.velocity[at] = quad_of<T, D>(heavy ? mass / (mass + a.c.stiffness_scale * force[0]) : T(1), v);
  } else if (number < Layout<D>::kNodes) {
    a.grid.velocity[at] = Quad<T>{};
  }
  if (a.c.implicit && number < Layout<D>::kNodes) a.constraints[at] = constraint;
  if (!a.c.implicit) add_gravity_work(a, -mass, taken);  // what it does without bodies is known from the particles
  __syncthreads();
  block.loads.finish(block.near);
}

// After the implicit solve: nodes that were separating may have come out moving into a body. Hv: H v^{n+1}: nodes that are held take what
// beta dt² H v would have changed them by, and the bodies that hold them feel it.
template <class T, int D>
__global__ void __launch_bounds__(kNodeThreads<D>) collide_again(StepArgs<T, D> a, const Quad<T>* Hv) {
  __shared__ NodeBlock<T, D> block;
  block.start(a);
  const int number = threadIdx.x;
  const std::size_t at = std::size_t(blockIdx.x) * Layout<D>::kNodes + number;
  const T mass = number < Layout<D>::kNodes ? a.grid.momentum[at][0] : T(0);
  Vec<T, D> v = Vec<T, D>::zero();
  if (mass > T(0)) {
    v = vector_of<T, D>(a.grid.velocity[at]);
    if (block.layer >= 0) {
      const BodyList<T, D> bodies = block.near.of(a.bodies);
      const Constraint<T, D>& constraint = a.constraints[at];
      if (!constraint.free() && mass >= a.c.mass_floor) {
        const LatticePoint<T, D> x = node_at<T, D>(a.blocks, number);
        constraint.for_each_held(-a.c.stiffness_scale * vector_of<T, D>(Hv[at]), [&](std::size_t k, const Vec<T, D>& part) {
          block.loads.add(k, bodies.number(k), a.c.rate, probe(bodies[k], x.cell, x.offset, a.c.h), part);
        });
      }
      v = collide_node(a, block, number, mass, v, true, static_cast<Constraint<T, D>*>(nullptr));
      a.grid.velocity[at] = quad_of<T, D>(a.grid.velocity[at][0], v);
    }
  }
  add_gravity_work(a, mass, v);
  __syncthreads();
  block.loads.finish(block.near);
}

}  // namespace firn::cuda
