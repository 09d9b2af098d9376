// Steps 7 to 10, apart because each stage is a file: from the nodes' new velocities to the particles' next state. A CTA for each block, a
// thread for each particle.
#pragma once

#include "solver/cuda/launch.h"

namespace firn::cuda {

// What a thread found out about its particles.
struct Outcome {
  unsigned long long fault = kNoFault;
  int limited = 0, relaxed = 0, capped = 0;
  double dissipated = 0, energy = 0;

  __device__ void fail(Fault what, std::uint32_t id) {
    const unsigned long long own = static_cast<unsigned long long>(id) << 8 | static_cast<unsigned>(what);
    fault = own < fault ? own : fault;
  }
  __device__ void report(StepReport& to, bool with_energy) const {
    const unsigned long long least = ~largest_of_cta(~fault);
    const int at_limit = sum_of_cta(limited), relax = sum_of_cta(relaxed), cap = sum_of_cta(capped);
    const double lost = sum_of_cta(dissipated), after = with_energy ? sum_of_cta(energy) : 0;
    if (threadIdx.x != 0) return;
    if (least != kNoFault) atomicMin(&to.fault, least);
    if (at_limit > 0) atomicAdd(&to.limited, at_limit);
    if (relax > 0) atomicAdd(&to.relaxed, relax);
    if (cap > 0) atomicAdd(&to.capped, cap);
    if (lost != 0) atomicAdd(&to.dissipated, lost);
    if (with_energy) atomicAdd(&to.energy, after);
  }
};

// The velocities of a tile: v^{n+1}, and for FLIP v^{n+1} − alpha v^n, so that one sum serves (M10).
template <class T, int D, class Kernel>
struct VelocityTile {
  using OwnTile = Tile<D, Kernel>;
  T now[D][OwnTile::kNodes], mixed[D][OwnTile::kNodes];

  __device__ void load(const StepArgs<T, D>& a, int block) {
    for (int at = threadIdx.x; at < OwnTile::kNodes; at += blockDim.x) {
      const std::size_t node = node_number<D>(a.blocks, block, OwnTile::node(at));
      const Quad<T> velocity = a.grid.velocity[node], momentum = a.grid.momentum[node];
      const T old = momentum[0] > T(0) ? a.c.flip_ratio / momentum[0] : T(0);
      for (int d = 0; d < D; ++d) {
        now[d][at] = velocity[1 + d];
        mixed[d][at] = velocity[1 + d] - old * momentum[1 + d];
      }
    }
  }
};

// What a particle sees of them; the gradient per cell.
template <class T, int D>
struct Gathered {
  Vec<T, D> value = Vec<T, D>::zero();
  Mat<T, D> gradient = Mat<T, D>::zero(), affine = Mat<T, D>::zero();
};

template <class T, int D, class Kernel>
__device__ inline Gathered<T, D> gather_velocities(const Stencil<T, D, Kernel>& stencil, const VelocityTile<T, D, Kernel>& tile,
                                                   bool apic) {
  Gathered<T, D> sums;
  stencil.for_each([&](int at, T w, const Vec<T, D>& grad, const Vec<T, D>& arm) {
    for (int d = 0; d < D; ++d) {
      const T v = tile.now[d][at];
      for (int e = 0; e < D; ++e) sums.gradient(d, e) += v * grad[e];
      sums.value[d] += w * tile.mixed[d][at];
      if (apic)
        for (int e = 0; e < D; ++e) sums.affine(d, e) += w * v * arm[e];
    }
  });
  return sums;
}

// What the particle will remember of bodies.
template <class T, int D, class Kernel>
__device__ __noinline__ void gather_contact(const StepArgs<T, D>& a, int block, int i) {
  const ParticleView<T, D>& ps = a.now;
  if (!ps.place[i].in_reach()) return;  // none of its nodes can touch
  T touching(0), memory[3];
  PushMemory<T> sums;
  Stencil<T, D, Kernel>(ps.place[i]).for_each_node([&](const Vec<int, D>& n, T w) {
    const int layer = a.contact.first[a.blocks.overlap[std::size_t(block) * Layout<D>::kOverlap + Layout<D>::overlap_of(n)]];
    if (layer < 0) return;
    const Quad<T> held = a.contact.held[std::size_t(layer) * Layout<D>::kNodes + Layout<D>::node_in_block(n)];
    if (!(held[0] > T(0))) return;
    touching += w;
    sums.push += w * held[1];
    sums.touch += w * held[2];
    sums.credit += w * held[3];
  });
  load_column(ps.held, ps.room, i, memory);
  if (touching == T(0) && memory[0] == T(0) && memory[1] == T(0) && memory[2] == T(0)) return store_column(memory, ps.room, i, a.next.held);
  const PushMemory<T> after = remembered<T>({memory[0], memory[1], memory[2]}, touching, sums, a.c.rates.kept);
  const T next[3] = {after.push, after.touch, after.credit};
  store_column(next, ps.room, i, a.next.held);
}

// Step 9.
template <class T, int D>
__device__ __noinline__ Vec<T, D> collide_particle(const StepArgs<T, D>& a, const NearBodies& near, LoadSums<D>& loads,
                                                   const Cell<D>& first, int i, const Vec<T, D>& v) {
  const Place<T, D> place = a.now.place[i];
  LatticePoint<T, D> x{first, place.offset};
  for (int d = 0; d < D; ++d) x.cell[d] += place.cell(d);
  const BodyList<T, D> bodies = near.of(a.bodies);
  const auto record = [&](std::size_t k, const BodyContact<T, D>& contact, const Vec<T, D>& taken) {
    loads.add(k, bodies.number(k), a.c.rate * double(a.now.mass[i]), contact, taken);
  };
  return a.c.holds ? keep_outside<T, D>(bodies, x, v, a.c.h, a.c.dt, record)
                   : collide<T, D>(bodies, x, v, a.c.h, static_cast<Constraint<T, D>*>(nullptr), record);
}

// Step 7.
template <class T, int D>
struct Deformed {
  Mat<T, D> F_E;
  T J_P;
  SnowParameters<T> parameters;
};
// Of what became of it; upright: the flow has not turned it inside out.
template <class T, int D>
__device__ inline Deformed<T, D> deformed(const StepArgs<T, D>& a, int i, const SnowParameters<T>& parameters,
                                          const PlasticResult<T, D>& plastic, bool upright, Outcome& outcome) {
  const ParticleView<T, D>& ps = a.now;
  Deformed<T, D> after{plastic.F_E, plastic.J_P, parameters};
  if (!(plastic.J_P <= T(2) && plastic.J_P >= T(0.5))) {  // up to here there is no limit whatever the volume
    after.J_P = capped_plastic(plastic.J_P, a.c.support, ps.volume[i]);
    outcome.capped += after.J_P != plastic.J_P;
  }
  store_column(after.F_E.a, ps.room, i, a.next.F_E);
  a.next.J_P[i] = after.J_P;
  outcome.relaxed += plastic.kept < T(1);
  outcome.limited += abs(hardening_exponent(after.parameters, after.J_P)) >= after.parameters.log_limit;
  if (plastic.dissipated != T(0)) outcome.dissipated += double(ps.volume[i]) * double(plastic.dissipated);
  if (!upright) outcome.fail(Fault::kInverted, ps.id[i]);
  if (!(plastic.J_P > T(0))) outcome.fail(Fault::kPlastic, ps.id[i]);
  return after;
}
template <class T, int D>
__device__ inline Deformed<T, D> update_deformation(const StepArgs<T, D>& a, int i, const SnowParameters<T>& parameters,
                                                    const Mat<T, D>& gradient, Outcome& outcome) {
  Mat<T, D> F_E;
  load_column(a.now.F_E, a.now.room, i, F_E.a);
  const Mat<T, D> change = Mat<T, D>::identity() + a.c.cells_per_speed * gradient;
  return deformed(a, i, parameters, yield(change * F_E, a.now.J_P[i], parameters), determinant(change) > T(0), outcome);
}

// Of a particle that is alone: step 7 leaves it out.
template <class T, int D>
__device__ inline Deformed<T, D> keep_deformation(const StepArgs<T, D>& a, int i, const SnowParameters<T>& parameters, Outcome& outcome) {
  Deformed<T, D> kept;
  load_column(a.now.F_E, a.now.room, i, kept.F_E.a);
  store_column(kept.F_E.a, a.now.room, i, a.next.F_E);
  kept.J_P = a.next.J_P[i] = a.now.J_P[i];
  kept.parameters = parameters;
  outcome.limited += abs(hardening_exponent(parameters, kept.J_P)) >= parameters.log_limit;
  return kept;
}

// Step 10.
template <class T, int D>
__device__ inline Place<T, D> move_particle(const StepArgs<T, D>& a, int i, const Vec<T, D>& v, Outcome& outcome) {
  Place<T, D> place = a.now.place[i];
  for (int d = 0; d < D; ++d) {
    const T way = a.c.cells_per_speed * v[d];
    if (!isfinite(v[d]))
      outcome.fail(Fault::kNotFinite, a.now.id[i]);
    else if (abs(way) > T(1))
      outcome.fail(Fault::kTooFar, a.now.id[i]);
    const Moved<T> moved = move_offset(place.offset[d], way);
    place.set_cell(d, place.cell(d) + static_cast<int>(moved.cells));
    place.offset[d] = moved.offset;
  }
  a.next.place[i] = place;
  return place;
}

template <class T, int D, class Kernel>
__global__ void __launch_bounds__(kThreads<D>) gather(StepArgs<T, D> a) {
  __shared__ VelocityTile<T, D, Kernel> tile;
  __shared__ NearBodies near;
  __shared__ LoadSums<D> loads;
  const int block = blockIdx.x, begin = a.blocks.begin[block], end = a.blocks.begin[block + 1];
  const Cell<D> first = first_cell<D>(a.blocks.place[block], a.blocks.origin);
  tile.load(a, block);
  loads.start(a.loads);
  // Particles may be two cells outside, and come as far as one in the step.
  constexpr double kMargin = 3 * 1.7321;
  find_near<T, D>(a.bodies, a.body_count, first, Layout<D>::kEdge, T(kMargin), a.c.h, near);
  __syncthreads();
  Outcome outcome;
  for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += blockDim.x) {
    const Gathered<T, D> sums = gather_velocities(Stencil<T, D, Kernel>(a.now.place[i]), tile, a.c.apic);
    Vec<T, D> v, before;
    load_column(a.now.velocity, a.now.room, i, before.a);
    for (int d = 0; d < D; ++d) v[d] = a.c.kept * (sums.value[d] + a.c.flip_ratio * before[d]);  // (M10)
    if (a.c.holds) gather_contact<T, D, Kernel>(a, block, i);
    if (near.count > 0) v = collide_particle(a, near, loads, first, i, v);
    if (a.alone[i]) {
      keep_deformation(a, i, parameters_of(a.materials, a.now, i), outcome);
      // The balance is of the others, but gravity's work on all nodes is in it.
      if (a.c.checks_energy) outcome.energy += double(a.now.mass[i]) * double(dot(v, a.c.gravity_step));
    } else {
      const Deformed<T, D> after = update_deformation(a, i, parameters_of(a.materials, a.now, i), sums.gradient, outcome);
      if (a.c.checks_energy) {
        const T elastic = energy_density(after.F_E, rotation_near(after.F_E), hardened(after.parameters, after.J_P));
        outcome.energy += 0.5 * double(a.now.mass[i]) * double(dot(v, v)) + double(a.now.volume[i]) * double(elastic);
      }
    }
    if (a.c.apic) {
      const Mat<T, D> B = a.c.h * sums.affine;
      store_column(B.a, a.now.room, i, a.next.B);
      if (a.c.checks_energy && !a.alone[i]) outcome.energy += double(a.now.mass[i]) * double(a.c.affine_energy) * double(contract(B, B));
    }
    store_column(v.a, a.now.room, i, a.next.velocity);
    move_particle<T, D>(a, i, v, outcome);
  }
  outcome.report(*a.report, a.c.checks_energy);
  __syncthreads();
  loads.finish(near);
}

}  // namespace firn::cuda
