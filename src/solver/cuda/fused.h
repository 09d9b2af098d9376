// The explicit step in one kernel, apart because each stage is a file; in 3D and single precision: the gather of a step and the scatter of
// the next, so that particles are read and written once. docs/performance.md has what was tried; in short:
//   tile    velocities of the block's nodes and of one node around, made while loading: there is no pass over the grid but near bodies
//   phase 1 a thread for each particle: gather, flow, new place, stress; what the scatter needs goes to a slot (rank in its cell, cell) of
//           shared memory, where phase 2 reads it without bank conflicts. Nothing is sorted. Particles that want more than most (they
//           yield, or bodies are near) are put on a list
//   careful the list, with all that such particles may want (fused_careful.h): so the others pay for it neither in registers nor in time
//   phase 2 a thread for each (cell, plane of the stencil) sums over the cell's particles in registers, then adds to a tile of that plane,
//           which no other warp touches: no atomics in shared memory
//   end     the planes' tiles are summed and added to the grid, one atomic for four numbers of a node
// A "cell" here is the place of a particle's base node in its block. Particles outside their block, and those beyond kRanks in a cell, go
// to the grid node by node.
#pragma once

#include "solver/cuda/fused_careful.h"

namespace firn::cuda {

template <class Kernel, bool Apic>
class FusedStep {
 public:
  using Shape = FusedShape<Kernel, Apic>;
  using T = float;
  static constexpr int S = Kernel::kSupport;
  static constexpr int kSumThreads = PlaneSums<Kernel, Shape, Staged<Apic>>::kThreads;

  __device__ FusedStep(const FusedArgs& args, const int3& entry, FusedShared<Shape>& shared, float4* memory)
      : args_(args),
        a_(args.now),
        n_(args.next),
        shared_(shared),
        in_(memory),
        out_(memory),
        stage_(memory + Shape::kTiles),
        block_(entry.x),
        part_(entry.y),
        parts_(entry.z) {
    begin_ = a_.blocks.begin[block_];
    const int all = a_.blocks.begin[block_ + 1] - begin_;
    count_ = (all - part_ + parts_ - 1) / parts_;
    some_alone_ = all <= kFewInBlock;
  }

  __device__ void run() {
    prefetch();
    const bool near = args_.near != nullptr && args_.near[block_] != 0;
    if (threadIdx.x == 0) {
      shared_.tally.start();
      shared_.list_count = 0;
      shared_.careful_cells = 0;
      shared_.near.count = 0;
      shared_.near.all = false;
    }
    if (threadIdx.x < Layout<3>::kOverlap) {
      const int nodes = a_.blocks.overlap[std::size_t(block_) * Layout<3>::kOverlap + threadIdx.x];
      shared_.staged.overlap[threadIdx.x] = nodes;
      shared_.special[threadIdx.x] = args_.gathers && (a_.c.holds ? a_.contact.first[nodes] >= 0 : a_.body_count > 0);
    }
    if (threadIdx.x < 65) shared_.staged.ranks[threadIdx.x] = 0;
    if (threadIdx.x % 32 == 0) shared_.pull[threadIdx.x / 32] = 0;
    __syncthreads();
    if (near) find_careful_cells<Kernel>(n_, block_, shared_);
    if (args_.gathers) load_tile();
    __syncthreads();
    if (args_.gathers) {
#pragma unroll 1
      for (int l = threadIdx.x; l < count_; l += Shape::kThreads) particle(l);
      report();
    }
    __syncthreads();
    // Warps that have no planes to sum take care of a few, for whom the others would wait, and of leftovers.
    constexpr int kSpare = Shape::kThreads - kSumThreads;
    static_assert(kSpare >= 32);
    const int list = args_.gathers ? shared_.list_count : count_;
    const bool few = list <= kSpare;
    if (!few) {
      take_care<Kernel, Apic>(args_, block_, shared_, stage_, 0);
      __syncthreads();
    }
    const PlaneSums<Kernel, Shape, Staged<Apic>> planes{shared_.staged, out_, stage_, n_.grid};
    if (threadIdx.x < kSumThreads) {
      planes.sum();
    } else {
      if (few && list > 0) {
        take_care<Kernel, Apic>(args_, block_, shared_, stage_, kSumThreads);
        asm volatile("bar.sync 1, %0;" ::"n"(kSpare) : "memory");
      }
      planes.leftovers(kSumThreads);
    }
    __syncthreads();
    planes.add();
    if (near && args_.gathers) shared_.loads.finish(shared_.near);
    if (threadIdx.x != 0) return;
    for (int w = 0; w < Shape::kThreads / 32; ++w) shared_.tally.pull += double(shared_.pull[w]);
    args_.tallies[blockIdx.x] = shared_.tally;
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
      const T mass = momentum[0], inverse = mass > T(0) ? quick_inverse(mass) : T(0);
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
  __device__ Gathered<T, 3> gather(const Stencil<T, 3, Kernel>& s) const {
    const float2* const rest = reinterpret_cast<const float2*>(in_ + Shape::kTile);
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

  // What the particles have is asked for before the tile is made: a column by each thread.
  __device__ void prefetch() const {
#if __CUDA_ARCH__ >= 900
    const ParticleView<T, 3>& from = a_.now;
    const int c = static_cast<int>(threadIdx.x), particles = count_ * parts_;
    const auto ask = [particles](const void* first, int size) {
      const std::uint64_t begin = reinterpret_cast<std::uint64_t>(first) & ~std::uint64_t(15);
      const std::uint64_t end = reinterpret_cast<std::uint64_t>(first) + std::uint64_t(particles) * size;
      const unsigned bytes = static_cast<unsigned>(end - begin) & ~15u;
      if (bytes > 0) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin), "r"(bytes));
    };
    if (c < 9) ask(from.F_E + c * from.room + begin_, sizeof(T));
    if (c == 9) ask(from.place + begin_, sizeof(Place<T, 3>));
    if (c == 10) ask(from.J_P + begin_, sizeof(T));
    if (c == 11) ask(from.mass + begin_, sizeof(T));
    if (c == 12) ask(from.volume + begin_, sizeof(T));
    if (!Apic && c >= 13 && c < 16) ask(from.velocity + (c - 13) * from.room + begin_, sizeof(T));
#endif
  }

  // Steps 7 to 10, and steps 1 and 3 of the next one up to what nodes get, of particle l of this CTA.
  __device__ void particle(int l) {
    const int i = begin_ + part_ + l * parts_;
    Place<T, 3> place = a_.now.place[i];
    const Stencil<T, 3, Kernel> stencil(place);
    const Gathered<T, 3> sums = gather(stencil);
    ParticleNow<Apic> after;
    for (int d = 0; d < 3; ++d) after.v[d] = a_.c.kept * sums.value[d];
    if constexpr (!Apic) {
      Vec<T, 3> before;
      load_column(a_.now.velocity, a_.now.room, i, before.a);
      for (int d = 0; d < 3; ++d) after.v[d] = fmaf(a_.c.kept * a_.c.flip_ratio, before[d], after.v[d]);  // (M10)
    } else {
      after.B = a_.c.h * sums.affine;
      store_column(after.B.a, a_.now.room, i, a_.next.B);
    }
    store_column(after.v.a, a_.now.room, i, a_.next.velocity);
    Mat<T, 3> F;
    load_column(a_.now.F_E, a_.now.room, i, F.a);
    F = (Mat<T, 3>::identity() + a_.c.cells_per_speed * sums.gradient) * F;
    store_column(F.a, a_.now.room, i, a_.next.F_E);
    after.J_P = a_.now.J_P[i];
    const SnowParameters<T> parameters = args_.parameters(i);
    after.strain = left_strain(F);
    after.J = determinant(F);
    T way = T(0);  // the longest of the axes
    for (int d = 0; d < 3; ++d) {
      const T step = a_.c.cells_per_speed * after.v[d];
      way = ::fmaxf(way, ::fabsf(step));
      const Moved<T> moved = move_offset(place.offset[d], step);
      place.set_cell(d, place.cell(d) + static_cast<int>(moved.cells));
      place.offset[d] = moved.offset;
    }
    bool usual = stays_elastic(after.strain, parameters) && after.J > T(0) && way <= T(1) && is_finite(after.v);
    usual = usual && squared_size(after.strain) <= kLargestSeriesStrain<T> * kLargestSeriesStrain<T>;
    usual = usual && !(some_alone_ && a_.alone[i]) && !place.in_reach() && !wants_care(stencil.base, way);
    if (!(after.J_P <= T(2) && after.J_P >= T(0.5))) usual = usual && keeps_plastic(i, after.J_P);
    if (!usual) {
      shared_.list[atomicAdd(&shared_.list_count, 1)] = static_cast<std::uint16_t>(l);
      return;
    }
    a_.next.J_P[i] = after.J_P;
    a_.next.place[i] = place;
    limited_ += abs(hardening_exponent(parameters, after.J_P)) >= parameters.log_limit;
    const Lame<T> lame = hardened(parameters, after.J_P);
    after.kirchhoff = kirchhoff_by_series(after.strain, after.J, lame);
    if (!put(i, place, after, lame)) shared_.list[atomicAdd(&shared_.list_count, 1)] = static_cast<std::uint16_t>(l | kOnlyStage);
  }

  __device__ static bool is_finite(const Vec<T, 3>& v) { return ::fabsf(v[0]) + ::fabsf(v[1]) + ::fabsf(v[2]) < T(3e38); }
  __device__ bool keeps_plastic(int i, T J_P) const { return capped_plastic(J_P, a_.c.support, a_.now.volume[i]) == J_P; }

  // Whether bodies may matter to particles of this cell, now or where they come to.
  __device__ bool wants_care(const Vec<int, 3>& base, T way) const {
    if (shared_.near.count == 0) return false;
    return way > kUsualWay || !is_inside(base) || (shared_.careful_cells >> Layout<3>::node_in_block(base) & 1) != 0;
  }

  // False: there is no slot for it.
  __device__ bool put(int i, const Place<T, 3>& place, const ParticleNow<Apic>& after, const Lame<T>& lame) {
    const Stencil<T, 3, Kernel> stencil(place);
    const bool strays = !stencil.fits();
    const int slot = strays ? 0 : take_slot<Shape>(shared_.staged, stencil.base);
    if (slot < 0) return false;
    const T mass = n_.now.mass[i], volume = n_.now.volume[i], speed = norm(after.v);
    speed_ = max(speed_, speed);
    wave_ = max(wave_, wave_speed(lame, volume * quick_inverse(mass)) + speed);
    pull_ += mass * dot(after.v, n_.c.gravity_step);
    outside_ += !is_inside(stencil.base);
    strayed_ += strays;
    if (!strays) staged_of<Kernel, Apic>(n_.c, after, stencil.delta, mass, volume).store(stage_, Shape::kSlots, slot);
    return true;
  }

  __device__ void report() {
    Tally& tally = shared_.tally;
    shared_.raise(wave_, speed_, pull_);
    Tally::count(tally.strayed, strayed_);
    Tally::count(tally.outside, outside_);
    Tally::count(tally.limited, limited_);
  }

  const FusedArgs& args_;
  const StepArgs<T, 3>&a_, &n_;
  FusedShared<Shape>& shared_;
  float4 *in_, *out_, *stage_;
  int block_, part_, parts_, begin_, count_;
  bool some_alone_;
  T wave_ = T(0), speed_ = T(0), pull_ = T(0);
  int strayed_ = 0, outside_ = 0, limited_ = 0;
};

template <class Kernel, bool Apic>
__global__ void __launch_bounds__(FusedShape<Kernel, Apic>::kThreads, FusedShape<Kernel, Apic>::kCtas)
    fused_step(const __grid_constant__ FusedArgs args) {
  extern __shared__ float4 memory[];
  __shared__ FusedShared<FusedShape<Kernel, Apic>> shared;
  FusedStep<Kernel, Apic>(args, args.entries[blockIdx.x], shared, memory).run();
}

}  // namespace firn::cuda
