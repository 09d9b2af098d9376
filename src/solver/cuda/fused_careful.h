// Particles that want more than most in the fused step (fused.h), apart because few do: those that yield or are strained so much that a
// series will not do, those that bodies may touch, grains that are alone, those that go wrong, and those for which their CTA has no slot.
#pragma once

#include "solver/cuda/plane_sums.h"

namespace firn::cuda {

// Of a block that one CTA takes, so that a cell's particles mostly find a rank.
inline constexpr int kMostOfPart = 768;
inline constexpr int kOnlyStage = 1 << 15;  // in the list of a CTA: this one only lacks a slot

template <class Shape>
struct FusedShared {
  Tally tally;
  float pull[Shape::kThreads / 32];  // of each warp, for the tally
  NearBodies near;
  LoadSums<3> loads;
  unsigned long long careful_cells;  // a bit for each cell of particles that bodies may touch
  int special[Layout<3>::kOverlap];  // node blocks whose velocities are made beforehand, because bodies are near
  StagedShared<Shape> staged;
  int list_count;
  std::uint16_t list[kMostOfPart];

  // What all threads of a warp found of the limits of the time step, and of gravity's work.
  __device__ void raise(float wave, float speed, float own_pull) {
    Tally::raise_to(tally.wave, wave);
    Tally::raise_to(tally.speed, speed);
    const float sum = sum_of_warp(own_pull);
    if (threadIdx.x % 32 == 0) pull[threadIdx.x / 32] += sum;
  }
};

// A particle at the end of the step.
template <bool Apic>
struct ParticleNow {
  Vec<float, 3> v;
  Mat<float, 3> B;  // APIC only
  Symmetric<float> strain, kirchhoff;
  float J, J_P;
};

__device__ inline float wave_speed(const Lame<float>& l, float compliance) {
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"((l.lambda + 2 * l.mu) * compliance));
  return root;
}

__device__ inline bool is_inside(const Vec<int, 3>& base) {
  return (static_cast<unsigned>(base[0]) < 4u) & (static_cast<unsigned>(base[1]) < 4u) & (static_cast<unsigned>(base[2]) < 4u);
}

// Where the scatter finds a particle: in its cell's ranks, if those are still to be had, or among the leftovers; below 0: nowhere.
template <class Shape>
__device__ inline int take_slot(StagedShared<Shape>& shared, const Vec<int, 3>& base, bool to_rank = true) {
  if (to_rank && is_inside(base)) {
    const int cell = Layout<3>::node_in_block(base);
    const int rank = atomicAdd(&shared.ranks[cell], 1);
    if (rank < Shape::kRanks) return rank * Shape::kRankStride + cell;
  }
  const int left = atomicAdd(&shared.ranks[64], 1);
  if (left >= Shape::kLeftovers) return -1;
  shared.where[left] = packed_base(base);
  return Shape::kRankStride * Shape::kRanks + left;
}

// Steps 1 and 3 up to what nodes get.
template <class Kernel, bool Apic>
__device__ inline Staged<Apic> staged_of(const Constants<float, 3>& c, const ParticleNow<Apic>& after, const Vec<float, 3>& delta,
                                         float mass, float volume) {
  Staged<Apic> s;
  for (int d = 0; d < 3; ++d) s.r[d] = delta[d] - kFirstDelta<Kernel>;
  s.mass = mass;
  s.p = mass * after.v;
  if constexpr (Apic) {
    s.slope = (c.affine_scale * mass) * after.B;
    s.p -= s.slope * delta;
  }
  s.A = detail::scaled_and(0.0f, -c.inverse_h * volume, after.kirchhoff);  // (M6)
  return s;
}

// Cells an axis that particles near bodies go in a step; who goes farther is taken care of.
inline constexpr float kUsualWay = 0.25f;

// The bodies near this block where the step ends, and the cells around them. For the threads of a CTA; a __syncthreads() must follow.
template <class Kernel, class Shape>
__device__ inline void find_careful_cells(const StepArgs<float, 3>& n, int block, FusedShared<Shape>& shared) {
  constexpr float kMargin = 0.87f + 1.73f * kUsualWay;  // half a cell's diagonal, and the particle's way in the step
  const Cell<3> first = first_cell<3>(n.blocks.place[block], n.blocks.origin);
  shared.loads.start(n.loads);
  find_near<float, 3>(n.before, n.body_count, first, Layout<3>::kEdge, float(kSight), n.c.h, shared.near);
  __syncthreads();
  if (threadIdx.x >= 64) return;
  const BodyList<float, 3> bodies = shared.near.of(n.before);
  Vec<float, 3> middle;
  const Vec<int, 3> node = Layout<3>::node_of(static_cast<int>(threadIdx.x));
  for (int d = 0; d < 3; ++d) middle[d] = static_cast<float>(node[d]) + (Kernel::kSupport == 3 ? 0.0f : 0.5f);
  bool close = false;
  for (std::size_t k = 0; k < bodies.size() && !close; ++k) {
    const float phi = probe(bodies[k], first, middle, n.c.h).phi;
    const float body_way = bodies[k].moves() ? 1 : 0;  // in the next step
    close = phi <= (touching_reach(bodies[k]) + kMargin + body_way) * n.c.h * 1.01f;
  }
  const unsigned mask = __ballot_sync(~0u, close);
  if (threadIdx.x % 32 == 0) atomicOr(&shared.careful_cells, static_cast<unsigned long long>(mask) << threadIdx.x);
}

// Everything step 7 to 10 may want; F_E there is what it would be if nothing yielded, velocity that before bodies.
template <class Kernel, bool Apic>
class CarefulPass {
 public:
  using Shape = FusedShape<Kernel, Apic>;
  using T = float;

  __device__ CarefulPass(const FusedArgs& args, int block, FusedShared<Shape>& shared, float4* stage)
      : args_(args), a_(args.now), n_(args.next), shared_(shared), stage_(stage), block_(block) {}

  // to_rank: false where the cells' ranks are being read already.
  __device__ void particle(int i, bool only_stage, bool to_rank) {
    ParticleNow<Apic> after;
    load_column(n_.now.velocity, n_.now.room, i, after.v.a);
    if constexpr (Apic) load_column(n_.now.B, n_.now.room, i, after.B.a);
    Mat<T, 3> F;
    load_column(n_.now.F_E, n_.now.room, i, F.a);
    const SnowParameters<T> parameters = args_.parameters(i);
    const bool advances = args_.gathers && !only_stage, alone = a_.alone[i] != 0;
    if (advances) move(i, after);
    const T J_P = advances ? a_.now.J_P[i] : n_.now.J_P[i];
    const StrainResult<T> flowed = yield_and_stress(F, J_P, parameters, advances && !alone);
    after.J_P = J_P;
    if (advances && alone) {
      keep_deformation(a_, i, parameters, outcome_);
    } else if (advances) {
      Mat<T, 3> before;
      load_column(a_.now.F_E, a_.now.room, i, before.a);
      const bool upright = determinant(F) * determinant(before) >= T(0);
      after.J_P = deformed(a_, i, parameters, flowed.plastic, upright, outcome_).J_P;
    }
    stage(i, parameters, flowed.kirchhoff, alone, to_rank, after);
    if (!n_.c.holds || only_stage) return;
    if (shared_.near.count > 0)
      scatter_contact<T, 3, Kernel>(n_, shared_.near, block_, i);
    else
      forget_bodies(n_.now, i);
  }

  __device__ void report() {
    Tally& tally = shared_.tally;
    shared_.raise(wave_, speed_, pull_);
    Tally::sum(tally.mass, mass_);
    Tally::sum(tally.dissipated, outcome_.dissipated);
    Tally::count(tally.strayed, strayed_);
    Tally::count(tally.outside, outside_);
    Tally::count(tally.limited, outcome_.limited);
    Tally::count(tally.relaxed, outcome_.relaxed);
    Tally::count(tally.capped, outcome_.capped);
    if (outcome_.fault != kNoFault) atomicMin(&tally.fault, outcome_.fault);
  }

 private:
  __device__ void move(int i, ParticleNow<Apic>& after) {
    if (shared_.near.count > 0) {
      const Cell<3> first = first_cell<3>(a_.blocks.place[block_], a_.blocks.origin);
      if (a_.c.holds) gather_contact<T, 3, Kernel>(a_, block_, i);
      after.v = collide_particle(a_, shared_.near, shared_.loads, first, i, after.v);
      store_column(after.v.a, a_.now.room, i, a_.next.velocity);
    }
    move_particle<T, 3>(a_, i, after.v, outcome_);
  }

  // The stress unhardened. yields: false for snow as it is, which may come with any strain.
  __device__ static StrainResult<T> yield_and_stress(const Mat<T, 3>& F, T J_P, SnowParameters<T> s, bool yields) {
    if (!yields) s.stretch_min = T(0), s.stretch_max = T(1e18);
    const Symmetric<T> E = left_strain(F);
    const T J = determinant(F);
    if (J > T(0) && squared_size(E) <= kLargestSeriesStrain<T> * kLargestSeriesStrain<T> && stays_elastic(E, s))
      return {{F, J_P, T(1), T(0)}, kirchhoff_by_series(E, J, {s.mu0, s.lambda0})};
    if (J > T(0)) return yield_by_strain(F, J_P, s);
    const PlasticResult<T, 3> plastic = yields ? yield(F, J_P, s) : PlasticResult<T, 3>{F, J_P, T(1), T(0)};
    const Mat<T, 3> R = rotation_near(plastic.F_E), tau = first_piola(plastic.F_E, R, Lame<T>{s.mu0, s.lambda0}) * transpose(plastic.F_E);
    return {plastic, {tau(0, 0), tau(0, 1), tau(0, 2), tau(1, 1), tau(1, 2), tau(2, 2)}};
  }

  // Who was alone when this step began has no stress yet: who is then is not known before all have moved.
  __device__ void stage(int i, const SnowParameters<T>& parameters, const Symmetric<T>& unhardened, bool alone, bool to_rank,
                        ParticleNow<Apic>& after) {
    const T mass = n_.now.mass[i], volume = n_.now.volume[i], speed = norm(after.v);
    after.kirchhoff = {};
    speed_ = max(speed_, speed);
    if (!alone) {
      const T factor = exponential(limited_exponent(parameters, after.J_P));  // (M12)
      after.kirchhoff = detail::scaled_and(T(0), factor, unhardened);
      wave_ = max(wave_, wave_speed({parameters.mu0 * factor, parameters.lambda0 * factor}, volume * quick_inverse(mass)) + speed);
    }
    pull_ += mass * dot(after.v, n_.c.gravity_step);
    if (!args_.gathers) mass_ += double(mass);
    const Stencil<T, 3, Kernel> stencil(n_.now.place[i]);
    if (!stencil.fits()) {
      ++strayed_;
      return;
    }
    const Staged<Apic> staged = staged_of<Kernel, Apic>(n_.c, after, stencil.delta, mass, volume);
    outside_ += !is_inside(stencil.base);
    const int slot = take_slot<Shape>(shared_.staged, stencil.base, to_rank);
    if (slot >= 0) return staged.store(stage_, Shape::kSlots, slot);
    const int k = atomicAdd(&n_.snow->overflowed, 1);
    if (k >= args_.overflow.room) {
      ++strayed_;
      return;
    }
    args_.overflow.where[k] = make_int2(block_, packed_base(stencil.base));
    staged.store(args_.overflow.staged, args_.overflow.room, k);
  }

  const FusedArgs& args_;
  const StepArgs<T, 3>&a_, &n_;
  FusedShared<Shape>& shared_;
  float4* stage_;
  int block_;
  Outcome outcome_;
  T wave_ = T(0), speed_ = T(0), pull_ = T(0);
  double mass_ = 0;
  int strayed_ = 0, outside_ = 0;
};

// The particles of the list; of a scatter alone, all of the CTA. By the threads from `first` on: whole warps.
template <class Kernel, bool Apic>
__device__ __noinline__ void take_care(const FusedArgs& args, int block, FusedShared<FusedShape<Kernel, Apic>>& shared, float4* stage,
                                       int first) {
  if (static_cast<int>(threadIdx.x) < first) return;
  const int3 entry = args.entries[blockIdx.x];
  const int begin = args.now.blocks.begin[block], all = args.now.blocks.begin[block + 1] - begin;
  const int count = args.gathers ? shared.list_count : (all - entry.y + entry.z - 1) / entry.z;
  CarefulPass<Kernel, Apic> pass(args, block, shared, stage);
#pragma unroll 1
  for (int k = static_cast<int>(threadIdx.x) - first; k < count; k += static_cast<int>(blockDim.x) - first) {
    const int l = args.gathers ? shared.list[k] & (kOnlyStage - 1) : k;
    pass.particle(begin + entry.y + l * entry.z, args.gathers && (shared.list[k] & kOnlyStage) != 0, first == 0);
  }
  pass.report();
}

}  // namespace firn::cuda
