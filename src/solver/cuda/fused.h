// The explicit step in one kernel, apart because each stage is a file; in 3D and single precision: the gather of a step and the scatter of
// the next, so that particles are read and written once. docs/performance.md has what was tried; in short:
//   tile    velocities of the block's nodes and of one node around, made while loading: there is no pass over the grid but near bodies
//   phase 1 a thread for each particle: gather, flow, collisions, new place, stress; what the scatter needs goes to a slot (rank in its
//   cell,
//           cell) of shared memory, where phase 2 reads it without bank conflicts. Nothing is sorted
//   phase 2 a thread for each (cell, plane of the stencil) sums over the cell's particles in registers, then adds to a tile of that plane,
//           which no other warp touches: no atomics in shared memory
//   end     the planes' tiles are summed and added to the grid, one atomic for four numbers of a node
// A "cell" here is the place of a particle's base node in its block. Particles outside their block, and those beyond kRanks in a cell, go
// to the grid node by node.
#pragma once

#include "solver/cuda/plane_sums.h"

namespace firn::cuda {

// Near: with bodies; the others do not pay for them in registers.
template <class Kernel, bool Apic, bool Near>
class FusedStep {
 public:
  using Shape = FusedShape<Kernel, Apic>;
  using T = float;
  static constexpr int S = Kernel::kSupport;

  struct Shared {
    Tally tally;
    NearBodies near;
    LoadSums<3> loads;
    int special[Layout<3>::kOverlap];  // node blocks whose velocities are made beforehand, because bodies are near
    StagedShared<Shape> staged;
  };

  __device__ FusedStep(const FusedArgs& args, const int3& entry, Shared& shared, float4* memory)
      : args_(args),
        a_(args.now),
        n_(args.next),
        shared_(shared),
        in_(memory),
        out_(memory),
        stage_(memory + Shape::kTiles),
        gathers_(args.gathers) {
    block_ = entry.x;
    part_ = entry.y;
    parts_ = entry.z;
    begin_ = a_.blocks.begin[block_];
    count_ = (a_.blocks.begin[block_ + 1] - begin_ - part_ + parts_ - 1) / parts_;
  }

  __device__ void run() {
    prefetch();
    if (threadIdx.x == 0) shared_.tally.start();
    if (threadIdx.x < Layout<3>::kOverlap) {
      const int nodes = a_.blocks.overlap[std::size_t(block_) * Layout<3>::kOverlap + threadIdx.x];
      shared_.staged.overlap[threadIdx.x] = nodes;
      shared_.special[threadIdx.x] = gathers_ && (a_.c.holds ? a_.contact.first[nodes] >= 0 : a_.body_count > 0);
    }
    if (threadIdx.x < 65) shared_.staged.ranks[threadIdx.x] = 0;
    const Cell<3> first = first_cell<3>(a_.blocks.place[block_], a_.blocks.origin);
    if constexpr (Near) {
      shared_.loads.start(a_.loads);
      // These are the bodies where the step ends, which is where the next one begins.
      find_near<T, 3>(n_.before, n_.body_count, first, Layout<3>::kEdge, T(kSight), a_.c.h, shared_.near);
    }
    __syncthreads();
    if (gathers_) load_tile();
    __syncthreads();
#pragma unroll 1
    for (int l = threadIdx.x; l < count_; l += Shape::kThreads) particle(begin_ + part_ + l * parts_, first);
    __syncthreads();
    const PlaneSums<Kernel, Shape, Staged<Apic>> planes{shared_.staged, out_, stage_, n_.grid};
    planes.sum();
    planes.leftovers();
    __syncthreads();
    planes.add();
    report();
  }

 private:
  __device__ static int tile_index(const Vec<int, 3>& n) { return (n[0] + 1) * Shape::kStrideX + (n[1] + 1) * Shape::kStrideY + n[2] + 1; }

  // v^{n+1}, and for FLIP v^{n+1} − alpha v^n (M10).
  __device__ void load_tile() {
    float2* const rest = reinterpret_cast<float2*>(in_ + Shape::kTile);
    for (int k = threadIdx.x; k < Tile<3, Kernel>::kNodes; k += Shape::kThreads) {
      const Vec<int, 3> n = Tile<3, Kernel>::node(k);
      const int nodes = Layout<3>::overlap_of(n);
      const std::size_t at = std::size_t(shared_.staged.overlap[nodes]) * Layout<3>::kNodes + Layout<3>::node_in_block(n);
      const Quad<T> momentum = a_.grid.momentum[at];
      const T mass = momentum[0], inverse = mass > T(0) ? T(1) / mass : T(0);
      Vec<T, 3> v = Vec<T, 3>::zero();
      if (shared_.special[nodes]) {
        v = vector_of<T, 3>(a_.grid.velocity[at]);
      } else if (mass > T(0)) {
        const Quad<T> force = a_.grid.force[at];
        const T push = mass >= a_.c.mass_floor ? a_.c.dt * inverse : T(0);
        for (int d = 0; d < 3; ++d) v[d] = fmaf(momentum[1 + d], inverse, fmaf(push, force[1 + d], a_.c.gravity_step[d]));  // (M4), (M7)
      }
      const T old = a_.c.flip_ratio * inverse;
      const int to = tile_index(n);
      in_[to] = make_float4(v[0], v[1], v[2], v[0] - old * momentum[1]);
      if constexpr (!Apic) rest[to] = make_float2(v[1] - old * momentum[2], v[2] - old * momentum[3]);
    }
  }

  // Sums over the stencil, axis by axis.
  __device__ Gathered<T, 3> gather(const Place<T, 3>& place) const {
    const float2* const rest = reinterpret_cast<const float2*>(in_ + Shape::kTile);
    const Stencil<T, 3, Kernel> s(place);
    const int start = tile_index(s.base);
    Gathered<T, 3> sums;
    Mat<T, 3> moment = Mat<T, 3>::zero();  // by the number of the node from the base
#pragma unroll
    for (int i = 0; i < S; ++i) {
      T v0[3] = {}, vy[3] = {}, vz[3] = {}, value[3] = {}, my[3] = {}, mz[3] = {};
#pragma unroll
      for (int j = 0; j < S; ++j) {
        T z0[3] = {}, z1[3] = {}, z2[3] = {};
#pragma unroll
        for (int k = 0; k < S; ++k) {
          const int at = start + i * Shape::kStrideX + j * Shape::kStrideY + k;
          const float4 q = in_[at];
          const T w = s.w[2][k], g = s.g[2][k], v[3] = {q.x, q.y, q.z};
#pragma unroll
          for (int d = 0; d < 3; ++d) z0[d] = fmaf(w, v[d], z0[d]), z1[d] = fmaf(g, v[d], z1[d]);
          if constexpr (Apic) {
#pragma unroll
            for (int d = 0; d < 3; ++d) z2[d] = fmaf(T(k) * w, v[d], z2[d]);
          } else {
            const float2 more = rest[at];
            z2[0] = fmaf(w, q.w, z2[0]);
            z2[1] = fmaf(w, more.x, z2[1]);
            z2[2] = fmaf(w, more.y, z2[2]);
          }
        }
        const T w = s.w[1][j], g = s.g[1][j];
#pragma unroll
        for (int d = 0; d < 3; ++d) {
          v0[d] = fmaf(w, z0[d], v0[d]);
          vy[d] = fmaf(g, z0[d], vy[d]);
          vz[d] = fmaf(w, z1[d], vz[d]);
          if constexpr (Apic)
            my[d] = fmaf(T(j) * w, z0[d], my[d]), mz[d] = fmaf(w, z2[d], mz[d]);
          else
            value[d] = fmaf(w, z2[d], value[d]);
        }
      }
      const T w = s.w[0][i], g = s.g[0][i];
#pragma unroll
      for (int d = 0; d < 3; ++d) {
        sums.gradient(d, 0) = fmaf(g, v0[d], sums.gradient(d, 0));
        sums.gradient(d, 1) = fmaf(w, vy[d], sums.gradient(d, 1));
        sums.gradient(d, 2) = fmaf(w, vz[d], sums.gradient(d, 2));
        sums.value[d] = fmaf(w, Apic ? v0[d] : value[d], sums.value[d]);
        if constexpr (Apic) {
          moment(d, 0) = fmaf(T(i) * w, v0[d], moment(d, 0));
          moment(d, 1) = fmaf(w, my[d], moment(d, 1));
          moment(d, 2) = fmaf(w, mz[d], moment(d, 2));
        }
      }
    }
    if constexpr (Apic)
      for (int d = 0; d < 3; ++d)
        for (int e = 0; e < 3; ++e) sums.affine(d, e) = fmaf(-sums.value[d], s.delta[e], moment(d, e));
    return sums;
  }

  __device__ SnowParameters<T> parameters(int i) const {
    return args_.one_material && n_.now.own == nullptr ? args_.material : parameters_of(n_.materials, n_.now, i);
  }

  // What the particles have is asked for before the tile is made.
  __device__ void prefetch() const {
    const ParticleView<T, 3>& from = gathers_ ? a_.now : n_.now;
    const auto ask = [&](const auto* column, int columns) {
      const std::size_t line = 128 / sizeof *column;
      const int lines = static_cast<int>((count_ * parts_ + line - 1) / line);
      for (int k = threadIdx.x; k < lines * columns; k += Shape::kThreads)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(column + (k / lines) * from.room + begin_ + (k % lines) * line));
    };
    ask(from.place, 1);
    ask(from.F_E, 9);
  }

  // A particle at the end of the step.
  struct After {
    Place<T, 3> place;
    Vec<T, 3> v;
    Mat<T, 3> F_E, B;
    T J_P;
    SnowParameters<T> parameters;
  };

  // Steps 7 to 10.
  __device__ void advance(int i, const Cell<3>& first, After& after) {
    const Gathered<T, 3> sums = gather(a_.now.place[i]);
    Vec<T, 3> before;
    if constexpr (!Apic) load_column(a_.now.velocity, a_.now.room, i, before.a);
    for (int d = 0; d < 3; ++d) after.v[d] = a_.c.kept * (Apic ? sums.value[d] : fmaf(a_.c.flip_ratio, before[d], sums.value[d]));  // (M10)
    if constexpr (Near) {
      if (a_.c.holds) gather_contact<T, 3, Kernel>(a_, block_, i);
      after.v = collide_particle(a_, shared_.near, shared_.loads, first, i, after.v);
    } else if (a_.c.holds) {
      const T nothing[3] = {};
      store_column(nothing, a_.now.room, i, a_.next.held);
    }
    const Deformed<T, 3> deformed =
        a_.alone[i] ? keep_deformation(a_, i, parameters(i), outcome_) : update_deformation(a_, i, parameters(i), sums.gradient, outcome_);
    after.F_E = deformed.F_E;
    after.J_P = deformed.J_P;
    after.parameters = deformed.parameters;
    if constexpr (Apic) {
      after.B = a_.c.h * sums.affine;
      store_column(after.B.a, a_.now.room, i, a_.next.B);
    }
    store_column(after.v.a, a_.now.room, i, a_.next.velocity);
    after.place = move_particle<T, 3>(a_, i, after.v, outcome_);
  }

  __device__ void take(int i, After& after) const {
    after.place = n_.now.place[i];
    load_column(n_.now.velocity, n_.now.room, i, after.v.a);
    load_column(n_.now.F_E, n_.now.room, i, after.F_E.a);
    if constexpr (Apic) load_column(n_.now.B, n_.now.room, i, after.B.a);
    after.J_P = n_.now.J_P[i];
    after.parameters = parameters(i);
  }

  // Steps 1 and 3 of the next step, up to what nodes get. Who was alone when this step began has no stress yet: who is then is not known
  // before all have moved.
  __device__ Staged<Apic> sources(int i, const After& after, const Stencil<T, 3, Kernel>& stencil) {
    const T mass = n_.now.mass[i], volume = n_.now.volume[i], speed = norm(after.v), compliance = volume / mass;
    Mat<T, 3> A = Mat<T, 3>::zero();
    limits_.speed = max(limits_.speed, speed);
    if (!a_.alone[i]) {
      const Lame<T> l = hardened(after.parameters, after.J_P);
      const Mat<T, 3> P = first_piola(after.F_E, rotation_near(after.F_E), l);
      A = (-n_.c.inverse_h * volume) * (P * transpose(after.F_E));  // (M6)
      limits_.wave = max(limits_.wave, sqrt((l.lambda + T(2) * l.mu) * compliance) + speed);
      limits_.soft_wave_squared = max(limits_.soft_wave_squared, (after.parameters.lambda0 + T(2) * after.parameters.mu0) * compliance);
    }
    limits_.pull += double(mass * dot(after.v, n_.c.gravity_step));
    limits_.mass += mass;
    Staged<Apic> s;
    for (int d = 0; d < 3; ++d) s.r[d] = stencil.delta[d] - kFirstDelta<Kernel>;
    s.mass = mass;
    s.p = mass * after.v;
    if constexpr (Apic) {
      s.slope = (n_.c.affine_scale * mass) * after.B;
      s.p -= s.slope * stencil.delta;
    }
    s.A[0] = A(0, 0), s.A[1] = A(0, 1), s.A[2] = A(0, 2), s.A[3] = A(1, 1), s.A[4] = A(1, 2), s.A[5] = A(2, 2);
    return s;
  }

  __device__ void particle(int i, const Cell<3>& first) {
    After after;
    if (gathers_)
      advance(i, first, after);
    else
      take(i, after);
    const Stencil<T, 3, Kernel> stencil(after.place);
    if (!stencil.fits()) {
      ++limits_.strayed;
      return;
    }
    const Staged<Apic> staged = sources(i, after, stencil);
    if constexpr (Near) {
      if (n_.c.holds) scatter_contact<T, 3, Kernel>(n_, shared_.near, block_, i);
    } else if (n_.c.holds && !gathers_) {
      const T nothing[3] = {};
      store_column(nothing, n_.now.room, i, n_.now.held);
    }
    bool inside = true;
    for (int d = 0; d < 3; ++d) inside = inside && static_cast<unsigned>(stencil.base[d]) < 4u;
    limits_.outside += !inside;
    int slot = Shape::kRanks;
    const int cell = Layout<3>::node_in_block(stencil.base);
    if (inside) slot = atomicAdd(&shared_.staged.ranks[cell], 1);
    if (slot < Shape::kRanks) {
      slot = slot * Shape::kRankStride + cell;
    } else {
      slot = atomicAdd(&shared_.staged.ranks[64], 1);
      if (slot >= Shape::kLeftovers) return overflow(stencil.base, staged);
      shared_.staged.where[slot] = packed_base(stencil.base);
      slot += Shape::kRankStride * Shape::kRanks;
    }
    staged.store(stage_ + slot, Shape::kSlots);
  }

  __device__ void overflow(const Vec<int, 3>& base, const Staged<Apic>& staged) {
    const Overflow& to = args_.overflow;
    const int k = atomicAdd(&n_.snow->overflowed, 1);
    if (k >= to.room) {
      ++limits_.strayed;
      return;
    }
    to.where[k] = make_int2(block_, packed_base(base));
    staged.store(to.staged + k, to.room);
  }

  __device__ void report() {
    Tally& tally = shared_.tally;
    Tally::raise_to(tally.wave, limits_.wave);
    Tally::raise_to(tally.soft_wave_squared, limits_.soft_wave_squared);
    Tally::raise_to(tally.speed, limits_.speed);
    Tally::sum(tally.pull, limits_.pull);
    Tally::sum(tally.mass, limits_.mass);
    Tally::count(tally.strayed, limits_.strayed);
    Tally::count(tally.outside, limits_.outside);
    Tally::count(tally.limited, outcome_.limited);
    Tally::count(tally.relaxed, outcome_.relaxed);
    Tally::count(tally.capped, outcome_.capped);
    Tally::sum(tally.dissipated, outcome_.dissipated);
    if (outcome_.fault != kNoFault) atomicMin(&tally.fault, outcome_.fault);
    __syncthreads();
    if (threadIdx.x == 0) {
      SnowReport& snow = *n_.snow;
      raise(&snow.wave, __uint_as_float(tally.wave));
      raise(&snow.soft_wave_squared, __uint_as_float(tally.soft_wave_squared));
      raise(&snow.speed, __uint_as_float(tally.speed));
      atomicAdd(&snow.pull, tally.pull);
      atomicAdd(&snow.mass, tally.mass);
      if (tally.strayed > 0) atomicAdd(&snow.strayed, tally.strayed);
      if (tally.outside > 0) atomicAdd(&snow.outside, tally.outside);
      StepReport& step = *a_.report;
      if (tally.limited > 0) atomicAdd(&step.limited, tally.limited);
      if (tally.relaxed > 0) atomicAdd(&step.relaxed, tally.relaxed);
      if (tally.capped > 0) atomicAdd(&step.capped, tally.capped);
      if (tally.dissipated != 0) atomicAdd(&step.dissipated, tally.dissipated);
      if (tally.fault != kNoFault) atomicMin(&step.fault, tally.fault);
    }
    if constexpr (Near)
      if (gathers_) shared_.loads.finish(shared_.near);
  }

  const FusedArgs& args_;
  const StepArgs<T, 3>&a_, &n_;
  Shared& shared_;
  float4 *in_, *out_, *stage_;
  bool gathers_;
  int block_, part_, parts_, begin_, count_;
  Outcome outcome_;
  Limits<T> limits_;
};

template <class Kernel, bool Apic, bool Near>
__global__ void __launch_bounds__(FusedShape<Kernel, Apic>::kThreads, FusedShape<Kernel, Apic>::kCtas)
    fused_step(const __grid_constant__ FusedArgs args) {
  extern __shared__ float4 memory[];
  __shared__ typename FusedStep<Kernel, Apic, Near>::Shared shared;
  const int3 entry = args.entries[blockIdx.x];
  if (Near != (args.near != nullptr && args.near[entry.x] != 0)) return;
  FusedStep<Kernel, Apic, Near>(args, entry, shared, memory).run();
}

// Of a block that one CTA takes, so that a cell's particles mostly find a rank.
inline constexpr int kMostOfPart = 640;

}  // namespace firn::cuda
