// Steps 1 and 3, apart because each stage is a file: mass, momentum and forces from particles to nodes, what nodes near bodies have to know
// of their particles, and what limits the time step.
#pragma once

#include "solver/cuda/alone.h"

namespace firn::cuda {

// Which bodies are near a block of nodes, and room for what they have to know. A warp for each.
template <class T, int D>
__global__ void find_contacts(StepArgs<T, D> a, int* first, int* count, int* body, int room) {
  __shared__ NearBodies near;
  __shared__ int own;
  const Cell<D> node = first_node<D>(a.blocks.node_place[blockIdx.x], a.blocks.origin);
  find_near<T, D>(a.before, a.body_count, node, Layout<D>::kEdge, T(kSight), a.c.h, near);
  __syncthreads();
  if (threadIdx.x == 0) {
    own = near.count > 0 ? static_cast<int>(atomicAdd(&a.snow->layers, static_cast<unsigned>(near.count))) : -1;
    if (own + near.count > room) own = -1;  // the host makes room and asks again
    first[blockIdx.x] = own;
    count[blockIdx.x] = near.count;
  }
  __syncthreads();
  if (own < 0) return;
  constexpr int kNodes = Layout<D>::kNodes;
  for (int k = threadIdx.x; k < near.count; k += blockDim.x) body[own + k] = near.all ? k : near.index[k];
  for (int k = threadIdx.x; k < near.count * kNodes; k += blockDim.x) {
    const std::size_t at = std::size_t(own) * kNodes + k;
    a.contact.gap[at] = std::numeric_limits<T>::infinity();
    a.contact.memory[at] = a.contact.held[at] = Quad<T>{};
  }
}

// What a particle tells the nodes near bodies.
template <class T, int D, class Kernel>
__device__ __noinline__ void scatter_contact(const StepArgs<T, D>& a, const NearBodies& near, int block, int i) {
  const ParticleView<T, D>& ps = a.now;
  const BodyList<T, D> bodies = near.of(a.before);
  const Place<T, D> place = ps.place[i];
  const Stencil<T, D, Kernel> stencil(place);
  Cell<D> cell = first_cell<D>(a.blocks.place[block], a.blocks.origin);
  for (int d = 0; d < D; ++d) cell[d] += place.cell(d);
  const int* overlap = a.blocks.overlap + std::size_t(block) * Layout<D>::kOverlap;
  // f(where a layer's node is, weight) for the nodes that know of the body; a body below 0: for all of them, their first layer.
  const auto for_layers = [&](int body, auto f) {
    stencil.for_each_node([&](const Vec<int, D>& n, T w) {
      const int nodes = overlap[Layout<D>::overlap_of(n)];
      const int first = a.contact.first[nodes];
      if (first < 0) return;
      for (int k = 0; k < a.contact.count[nodes]; ++k)
        if (body < 0 || a.contact.body[first + k] == body)
          return f(std::size_t(first + k) * Layout<D>::kNodes + Layout<D>::node_in_block(n), w);
    });
  };
  const T half = half_distance<T, D>(ps.volume[i]), widest = T(kWidestGap) * a.c.h;
  bool in_reach = false, comes_in_reach = false;  // now; or within the step, in which a body comes a cell nearer at most
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const T phi = probe(bodies[k], cell, place.offset, a.c.h).phi, gap = phi - half;
    const T beyond = phi - touching_reach(bodies[k]) * a.c.h;
    in_reach = in_reach || beyond <= T(0);
    comes_in_reach = comes_in_reach || beyond <= (bodies[k].moves() ? a.c.h : T(0));
    if (!(gap < widest)) continue;
    for_layers(bodies.number(k), [&](std::size_t at, T w) {
      const T seen = gap_in_sight(gap, w, a.c.h);
      if (seen < widest) lower(a.contact.gap + at, seen);
    });
  }
  const bool remembers = place.in_reach() && in_reach;
  if (comes_in_reach != place.in_reach()) {
    Place<T, D> marked = place;
    marked.set_in_reach(comes_in_reach);
    ps.place[i] = marked;
  }
  T memory[3] = {T(0), T(0), T(0)};
  if (!remembers) {
    if (comes_in_reach) store_column(memory, ps.room, i, ps.held);
    return;
  }
  load_column(ps.held, ps.room, i, memory);
  if (memory[0] == T(0) && memory[1] == T(0) && memory[2] == T(0)) return;
  const T mass = ps.mass[i];
  for_layers(-1, [&](std::size_t at, T w) {
    add_quad(a.contact.memory + at, Quad<T>{{T(0), w * mass * memory[0], w * mass * memory[1], w * mass * memory[2]}});
  });
}

// Where no body is near.
template <class T, int D>
__device__ inline void forget_bodies(const ParticleView<T, D>& ps, int i) {
  Place<T, D> place = ps.place[i];
  if (!place.in_reach()) return;
  place.set_in_reach(false);
  ps.place[i] = place;
}

// The limits of the time step, of one thread.
template <class T>
struct Limits {
  T wave = T(0), soft_wave_squared = T(0), speed = T(0);
  double energy = 0;
  double pull = 0, mass = 0;
  int alone = 0, strayed = 0;

  __device__ void report(SnowReport& to) {
    const T w = largest_of_cta(wave), s = largest_of_cta(soft_wave_squared), v = largest_of_cta(speed);
    const int lone = sum_of_cta(alone), out = sum_of_cta(strayed);
    const double all_pull = sum_of_cta(pull), all_mass = sum_of_cta(mass);
    if (threadIdx.x != 0) return;
    atomicAdd(&to.pull, all_pull);
    atomicAdd(&to.mass, all_mass);
    raise(&to.wave, w);
    raise(&to.soft_wave_squared, s);
    raise(&to.speed, v);
    if (lone > 0) atomicAdd(&to.alone, lone);
    if (out > 0) atomicAdd(&to.strayed, out);
  }
};

// Where the snow is: the cells of a block's particles, whose own is `first` from the origin.
template <class T, int D>
__device__ inline void report_extent(const ParticleView<T, D>& ps, const Cell<D>& first, int begin, int end, SnowReport& to) {
  for (int d = 0; d < D; ++d) {
    int lowest = INT_MAX, highest = INT_MIN;
    for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += blockDim.x) {
      lowest = ::min(lowest, ps.place[i].cell(d));
      highest = ::max(highest, ps.place[i].cell(d));
    }
    const int below = largest_of_cta(lowest == INT_MAX ? INT_MIN : -lowest), above = largest_of_cta(highest);
    if (threadIdx.x == 0) atomicMin(&to.lower[d], first[d] - below), atomicMax(&to.upper[d], first[d] + above);
  }
}

template <class T, int D>
__global__ void find_extent(StepArgs<T, D> a) {
  const int block = blockIdx.x;
  report_extent<T, D>(a.now, std::int32_t(Layout<D>::kEdge) * a.blocks.place[block], a.blocks.begin[block], a.blocks.begin[block + 1],
                      *a.snow);
}

// A block's tile to the nodes under it.
template <int Channels, class Kernel, class T, int D>
__device__ inline void add_tile(const T (*tile)[Tile<D, Kernel>::kNodes], const BlockView<D>& blocks, int block, Quad<T>* to) {
  for (int at = threadIdx.x; at < Tile<D, Kernel>::kNodes; at += blockDim.x) {
    Quad<T> q{};
    bool any = false;
    for (int k = 0; k < Channels; ++k) {
      q[k] = tile[k][at];
      any = any || q[k] != T(0);
    }
    if (!any) continue;
    add_quad(to + node_number<D>(blocks, block, Tile<D, Kernel>::node(at)), q);
  }
}

// One particle into a tile; raises the limits. Nothing of it depends on the length of the step.
template <class T, int D, class Kernel>
__device__ inline void scatter_particle(const StepArgs<T, D>& a, int block, int i, bool with_lone, T (*momentum)[Tile<D, Kernel>::kNodes],
                                        T (*force)[Tile<D, Kernel>::kNodes], Limits<T>& limits) {
  const ParticleView<T, D>& ps = a.now;
  const Stencil<T, D, Kernel> stencil(ps.place[i]);
  Vec<T, D> v;
  load_column(ps.velocity, ps.room, i, v.a);
  const T mass = ps.mass[i], volume = ps.volume[i], speed = norm(v);
  const bool alone = AloneSearch<T, D>{ps, a.blocks}.is_alone(block, i);
  a.alone[i] = alone;
  limits.alone += alone;
  limits.speed = max(limits.speed, speed);
  limits.pull += double(mass) * double(dot(v, a.c.gravity_step));
  limits.mass += mass;
  if (alone && !with_lone) return;
  Mat<T, D> affine = Mat<T, D>::zero();
  if (a.c.apic) {
    load_column(ps.B, ps.room, i, affine.a);
    if (a.c.checks_energy && !alone) limits.energy += double(mass) * double(a.c.affine_energy) * double(contract(affine, affine));
    affine = (a.c.affine_scale * mass) * affine;
  }
  Mat<T, D> A = Mat<T, D>::zero();
  T stiffness(0);
  if (!alone) {
    Mat<T, D> F_E;
    load_column(ps.F_E, ps.room, i, F_E.a);
    const SnowParameters<T> s = parameters_of(a.materials, ps, i);
    const Lame<T> l = hardened(s, ps.J_P[i]);
    const Mat<T, D> R = rotation_near(F_E);
    A = (-a.c.inverse_h * volume) * (first_piola(F_E, R, l) * transpose(F_E));  // (M6)
    const T compliance = volume / mass;
    limits.wave = max(limits.wave, sqrt((l.lambda + T(2) * l.mu) * compliance) + speed);
    limits.soft_wave_squared = max(limits.soft_wave_squared, (s.lambda0 + T(2) * s.mu0) * compliance);
    if (a.c.checks_energy) limits.energy += 0.5 * double(mass) * double(dot(v, v)) + double(volume) * double(energy_density(F_E, R, l));
    if (a.c.implicit) {
      store_column(R.a, ps.room, i, a.solve);
      a.solve[D * D * ps.room + i] = l.mu;
      a.solve[(D * D + 1) * ps.room + i] = l.lambda;
      // The mean eigenvalue of a node's block of H at rest, as in the CPU's Scatter.
      stiffness = (a.c.inverse_h * a.c.inverse_h) * volume * (l.mu + (l.mu + l.lambda) * T(1.0 / D));
    }
  }
  const Vec<T, D> p = mass * v;
  stencil.for_each([&](int at, T w, const Vec<T, D>& grad, const Vec<T, D>& arm) {
    const Vec<T, D> moved = a.c.apic ? p + affine * arm : p, f = A * grad;
    atomicAdd(&momentum[0][at], w * mass);  // (M4)
    for (int d = 0; d < D; ++d) atomicAdd(&momentum[1 + d][at], w * moved[d]);
    if (alone) return;
    for (int d = 0; d < D; ++d) atomicAdd(&force[1 + d][at], f[d]);
    if (a.c.implicit) atomicAdd(&force[0][at], stiffness * dot(grad, grad));
  });
}

// Every particle of a block. with_lone: false for pictures of the grid, where particles that are alone have no nodes.
template <class T, int D, class Kernel>
__global__ void __launch_bounds__(kThreads<D>) scatter(StepArgs<T, D> a, bool with_lone) {
  constexpr int kTileNodes = Tile<D, Kernel>::kNodes;
  __shared__ T momentum[D + 1][kTileNodes], force[D + 1][kTileNodes];
  __shared__ NearBodies near;
  const int block = blockIdx.x, begin = a.blocks.begin[block], end = a.blocks.begin[block + 1];
  const Cell<D> first = first_cell<D>(a.blocks.place[block], a.blocks.origin);
  for (int at = threadIdx.x; at < kTileNodes; at += blockDim.x)
    for (int k = 0; k <= D; ++k) momentum[k][at] = force[k][at] = T(0);
  if (a.c.holds) find_near<T, D>(a.before, a.body_count, first, Layout<D>::kEdge, T(kSight), a.c.h, near);
  __syncthreads();
  Limits<T> limits;
  for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += blockDim.x) {
    if (!Stencil<T, D, Kernel>(a.now.place[i]).fits()) {
      ++limits.strayed;
      continue;
    }
    scatter_particle<T, D, Kernel>(a, block, i, with_lone, momentum, force, limits);
    if (!a.c.holds) continue;
    if (near.count > 0) {
      scatter_contact<T, D, Kernel>(a, near, block, i);
    } else {
      forget_bodies(a.now, i);
    }
  }
  __syncthreads();
  add_tile<D + 1, Kernel>(momentum, a.blocks, block, a.grid.momentum);
  add_tile<D + 1, Kernel>(force, a.blocks, block, a.grid.force);
  limits.report(*a.snow);
  if (a.c.checks_energy) {
    const double energy = sum_of_cta(limits.energy);
    if (threadIdx.x == 0) atomicAdd(&a.snow->energy, energy);
  }
  if (a.bodies_move) report_extent<T, D>(a.now, std::int32_t(Layout<D>::kEdge) * a.blocks.place[block], begin, end, *a.snow);
}

// Step 2: V⁰ of particles that have none yet (M5).
template <class T, int D, class Kernel>
__global__ void __launch_bounds__(kThreads<D>) estimate_volumes(StepArgs<T, D> a) {
  const int block = blockIdx.x;
  T cell_volume(1);
  for (int d = 0; d < D; ++d) cell_volume *= a.c.h;
  for (int i = a.blocks.begin[block] + static_cast<int>(threadIdx.x); i < a.blocks.begin[block + 1]; i += blockDim.x) {
    if (a.now.volume[i] > T(0)) continue;
    T seen(0);
    Stencil<T, D, Kernel>(a.now.place[i]).for_each([&](int at, T w, const Vec<T, D>&, const Vec<T, D>&) {
      seen += w * a.grid.momentum[node_number<D>(a.blocks, block, Tile<D, Kernel>::node(at))][0];
    });
    a.now.volume[i] = a.now.mass[i] / seen * cell_volume;
  }
}

}  // namespace firn::cuda
