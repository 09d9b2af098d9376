// What a step's kernels are told and what they report, apart because every stage is a file: constants, bodies, sums over thread blocks.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <climits>

#include "materials/snow.h"
#include "solver/contact.h"
#include "solver/cuda/layout.h"
#include "solver/time_step.h"

namespace firn::cuda {

// Threads of a CTA that works on one block. A block at rest has some 500 particles in 3D, 64 in 2D.
template <int D>
inline constexpr int kThreads = D == 3 ? 128 : 64;

template <class T, int D>
struct Constants {
  Constants(const Model& model, double step, double kernel_support, double inverse_d)
      : h(T(model.h)),
        inverse_h(T(1 / model.h)),
        dt(T(step)),
        cells_per_speed(T(step / model.h)),
        courant(T(model.solver.courant)),
        flip_ratio(T(model.solver.transfer == Transfer::kApic ? 0 : model.flip_ratio(step))),
        kept(T(std::exp(-model.damping * step))),
        mass_floor(T(model.mass_floor)),
        support(T(std::pow(kernel_support * model.h, D))),
        affine_scale(T(inverse_d / model.h)),
        affine_energy(T(0.5 * inverse_d / (model.h * model.h))),
        stiffness_scale(T(model.solver.beta * step * step)),
        rate(1 / step),
        rates(model, step),
        holds(model.holds()),
        implicit(model.implicit()),
        checks_energy(model.checks_energy()),
        plastic(model.solver.tangent == Tangent::kPlastic),
        apic(model.solver.transfer == Transfer::kApic) {
    for (int d = 0; d < D; ++d) gravity_step[d] = T(step * model.gravity[d]);
  }

  T h, inverse_h;
  T dt, cells_per_speed, courant, flip_ratio, kept;
  T mass_floor;
  T support;          // volume of a stencil
  T affine_scale;     // D⁻¹ h
  T affine_energy;    // of B, per mass
  T stiffness_scale;  // beta dt²
  double rate;        // 1/s
  Vec<T, D> gravity_step;
  ContactRates<T> rates;
  bool holds, implicit, checks_energy, plastic, apic;
};

// What the scatter finds out about all particles.
struct SnowReport {
  double wave, soft_wave_squared, speed;  // the largest
  double energy;                          // J, where it is checked
  int lower[3], upper[3];                 // cells, from the origin: of snow among moving bodies
  double pull, mass;                      // W, of gravity on the particles; kg
  int alone;
  int strayed;      // particles too far outside their blocks: they were not scattered
  int outside;      // particles that have left their blocks, which the fused step scatters node by node
  int overflowed;   // particles that found no place in their CTA
  unsigned layers;  // of contact, that nodes near bodies want
};

// What a tried step did.
struct StepReport {
  unsigned long long fault;  // id of the first particle << 8 | what; ~0: none
  int limited, relaxed, capped, alone;
  double dissipated, energy, gravity_work;
};
inline constexpr unsigned long long kNoFault = ~0ull;

inline constexpr int kLoadValues = 7;  // force, torque, power

template <class N>
__device__ inline N sum_of_warp(N x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  return x;
}

// What the particles of a CTA of the fused step found out.
struct alignas(16) Tally {
  double pull, dissipated;  // W, of gravity; J
  double mass;              // kg, of a scatter alone: steps do not change it
  unsigned long long fault;
  unsigned wave, speed;  // bits of floats that are not negative
  int strayed, outside, limited, relaxed, capped;

  __device__ void start() {
    wave = speed = 0;
    strayed = outside = limited = relaxed = capped = 0;
    fault = kNoFault;
    dissipated = pull = mass = 0;
  }
  // By warps, and only what there is.
  __device__ static void raise_to(unsigned& to, float x) {
    const unsigned largest = __reduce_max_sync(~0u, __float_as_uint(x));
    if (threadIdx.x % 32 == 0) atomicMax(&to, largest);
  }
  __device__ static void count(int& to, int n) {
    if (!__any_sync(~0u, n != 0)) return;
    const int sum = __reduce_add_sync(~0u, n);
    if (threadIdx.x % 32 == 0) atomicAdd(&to, sum);
  }
  __device__ static void sum(double& to, double x) {
    if (!__any_sync(~0u, x != 0)) return;
    x = sum_of_warp(x);
    if (threadIdx.x % 32 == 0) atomicAdd(&to, x);
  }

  FIRN_HD void add(const Tally& other) {
    pull += other.pull;
    dissipated += other.dissipated;
    mass += other.mass;
    fault = other.fault < fault ? other.fault : fault;
    wave = other.wave > wave ? other.wave : wave;
    speed = other.speed > speed ? other.speed : speed;
    strayed += other.strayed;
    outside += other.outside;
    limited += other.limited;
    relaxed += other.relaxed;
    capped += other.capped;
  }
};

inline constexpr int kFinishCtas = 128, kFinishThreads = 128;  // of the kernel that sums them

// All that the host reads of a step; the loads of every body follow.
struct Reports {
  SnowReport snow;
  StepReport step;
  Tally sums[kFinishCtas];  // of the fused step
};
FIRN_HD inline double* loads_of(Reports* reports) { return reinterpret_cast<double*>(reports + 1); }

inline FIRN_HD SnowReport empty_report() {
  SnowReport report{};
  for (int d = 0; d < 3; ++d) report.lower[d] = INT_MAX, report.upper[d] = INT_MIN;
  return report;
}

static __global__ void start_reports(Reports* reports, int loads, bool snow, bool step) {
  if (threadIdx.x == 0 && snow) reports->snow = empty_report();
  if (threadIdx.x == 0 && step) {
    reports->step = StepReport{};
    reports->step.fault = kNoFault;
  }
  for (int k = threadIdx.x; k < loads; k += blockDim.x) loads_of(reports)[k] = 0;
}

// Bodies in a list of their own order: all, or those with these numbers.
template <class T, int D>
struct BodyList {
  const Body<T, D>* all;
  const int* index;  // nullptr: as they are
  std::size_t count;

  __device__ std::size_t size() const { return count; }
  __device__ int number(std::size_t k) const { return index != nullptr ? index[k] : static_cast<int>(k); }
  __device__ const Body<T, D>& operator[](std::size_t k) const { return all[number(k)]; }
};

// The bodies near a block, in the order of the scene.
struct NearBodies {
  static constexpr int kMost = 32;

  int count;
  int index[kMost];
  bool all;  // there are more than fit: none is left out

  template <class T, int D>
  __device__ BodyList<T, D> of(const Body<T, D>* bodies) const {
    return {bodies, all ? nullptr : index, std::size_t(count)};
  }
};

// Of a block's cells and some around. margin: cells beyond the block.
template <class T, int D>
__device__ inline bool is_near(const Body<T, D>& body, const Cell<D>& first, int edge, T margin, T h) {
  const Vec<T, D> middle = Vec<T, D>::filled(T(0.5) * T(edge));
  return probe(body, first, middle, h).phi <= (norm(middle) + margin) * h * T(1.01);  // some room for rounding
}

// By the first warp of a CTA; everyone sees the result after the next __syncthreads().
template <class T, int D>
__device__ inline void find_near(const Body<T, D>* bodies, int count, const Cell<D>& first, int edge, T margin, T h, NearBodies& near) {
  if (threadIdx.x >= 32) return;
  int found = 0;
  for (int from = 0; from < count; from += 32) {
    const int k = from + static_cast<int>(threadIdx.x);
    const bool close = k < count && is_near(bodies[k], first, edge, margin, h);
    const unsigned mask = __ballot_sync(~0u, close);
    const int at = found + __popc(mask & ((1u << threadIdx.x) - 1));
    if (close && at < NearBodies::kMost) near.index[at] = k;
    found += __popc(mask);
  }
  if (threadIdx.x == 0) {
    near.all = found > NearBodies::kMost;
    near.count = near.all ? count : found;
  }
}

// Sums over a CTA: everyone calls it with a number, one adds the sum to what is in memory.

template <class N>
__device__ inline N sum_of_cta(N x) {
  __shared__ N of_warp[32];
  x = sum_of_warp(x);
  __syncthreads();  // the last call has been read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
  __syncthreads();
  N sum = 0;
  if (threadIdx.x == 0)
    for (unsigned k = 0; k < blockDim.x / 32; ++k) sum += of_warp[k];
  return sum;  // of thread 0
}

template <class N>
__device__ inline N largest_of_cta(N x) {
  __shared__ N of_warp[32];
  for (int step = 16; step > 0; step /= 2) {
    const N other = __shfl_xor_sync(~0u, x, step);
    x = other > x ? other : x;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
  __syncthreads();
  N largest = of_warp[0];
  for (unsigned k = 1; k < blockDim.x / 32; ++k) largest = of_warp[k] > largest ? of_warp[k] : largest;
  return largest;
}

// Of numbers that are not negative, by their bits.
__device__ inline void raise(double* to, double x) {
  atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(__double_as_longlong(x)));
}
__device__ inline void lower(float* to, float x) { atomicMin(reinterpret_cast<int*>(to), __float_as_int(x)); }
__device__ inline void lower(double* to, double x) { atomicMin(reinterpret_cast<long long*>(to), __double_as_longlong(x)); }

__device__ inline void add_quad(Quad<float>* to, const Quad<float>& x) {
#if __CUDA_ARCH__ >= 900
  atomicAdd(reinterpret_cast<float4*>(to), make_float4(x[0], x[1], x[2], x[3]));
#else
  for (int k = 0; k < 4; ++k) atomicAdd(&to->a[k], x[k]);
#endif
}
__device__ inline void add_quad(Quad<double>* to, const Quad<double>& x) {
  for (int k = 0; k < 4; ++k) atomicAdd(&to->a[k], x[k]);
}

// What a CTA does to the bodies near it, summed before it goes to memory.
template <int D>
struct LoadSums {
  static constexpr int kMost = 8;  // bodies; what the others get goes to memory at once

  double values[kMost][kLoadValues];
  double* all;  // of every body

  __device__ void start(double* loads) {
    all = loads;
    for (int k = threadIdx.x; k < kMost * kLoadValues; k += blockDim.x) values[k / kLoadValues][k % kLoadValues] = 0;
  }
  // A contact with the k-th of the near bodies, as Load::add.
  template <class T>
  __device__ void add(std::size_t k, int number, double mass_rate, const BodyContact<T, D>& contact, const Vec<T, D>& taken) {
    double r[3] = {0, 0, 0}, given[3] = {0, 0, 0}, power = 0;
    for (int d = 0; d < D; ++d) {
      r[d] = contact.r[d];
      given[d] = mass_rate * taken[d];
      power += given[d] * contact.v_co[d];
    }
    const double sums[kLoadValues] = {given[0],
                                      given[1],
                                      given[2],
                                      r[1] * given[2] - r[2] * given[1],
                                      r[2] * given[0] - r[0] * given[2],
                                      r[0] * given[1] - r[1] * given[0],
                                      power};
    // Threads that touch the same body at once are summed first: atomics of doubles in shared memory take turns.
    namespace cg = cooperative_groups;
    const auto peers = cg::labeled_partition(cg::coalesced_threads(), static_cast<int>(k));
    double* to = k < kMost ? values[k] : all + std::size_t(number) * kLoadValues;
    for (int c = 0; c < kLoadValues; ++c) {
      const double sum = cg::reduce(peers, sums[c], cg::plus<double>());
      if (peers.thread_rank() == 0 && sum != 0) atomicAdd(to + c, sum);
    }
  }
  // After a __syncthreads().
  __device__ void finish(const NearBodies& near) {
    const int count = near.count < kMost ? near.count : kMost;
    for (int k = threadIdx.x; k < count * kLoadValues; k += blockDim.x) {
      const double value = values[k / kLoadValues][k % kLoadValues];
      const int number = near.all ? k / kLoadValues : near.index[k / kLoadValues];
      if (value != 0) atomicAdd(all + std::size_t(number) * kLoadValues + k % kLoadValues, value);
    }
  }
};

// What nodes near bodies have in addition, by layers: a layer is a body near a block of nodes.
template <class T>
struct ContactView {
  const int* first;  // of each block of nodes; −1: no body is near
  const int* count;  // of layers
  const int* body;   // of each layer
  T* gap;            // of each layer's nodes: to the body, of the nearest particle that the node sees, m
  Quad<T>* memory;   // in the first layer: (–, push, touch, credit) times mass
  Quad<T>* held;     // likewise: touches, and what the particles will remember
};

// Parameters of particle i.
template <class T, int D>
__device__ inline SnowParameters<T> parameters_of(const SnowParameters<T>* materials, const ParticleView<T, D>& ps, int i) {
  SnowParameters<T> s = materials[ps.material[i]];
  if (ps.own == nullptr) return s;
  const T stiffness = ps.own[i], hardening = ps.own[ps.room + i];
  s.mu0 *= stiffness;
  s.lambda0 *= stiffness;
  s.softening = own_softening(s.hardening, s.softening, hardening);
  s.hardening = hardening;
  s.stretch_min = T(1) - ps.own[2 * ps.room + i];
  s.stretch_max = T(1) + ps.own[3 * ps.room + i];
  return s;
}

// All that the kernels of a step read; each gets a copy.
template <class T, int D>
struct StepArgs {
  Constants<T, D> c;
  ParticleView<T, D> now, next;
  BlockView<D> blocks;
  GridView<T> grid;
  ContactView<T> contact;
  const SnowParameters<T>* materials;
  const Body<T, D>*bodies, *before;  // when the step ends and when it begins
  int body_count;
  double* loads;
  std::uint8_t* alone;
  T* solve;  // the rotation of F_E and the tangent Lamé parameters; nullptr in explicit steps
  Constraint<T, D>* constraints;
  SnowReport* snow;
  StepReport* report;
  bool bodies_move;       // then the host wants to know where the snow is
  bool only_near_bodies;  // of the grid: the fused step makes other velocities by itself
};

}  // namespace firn::cuda
