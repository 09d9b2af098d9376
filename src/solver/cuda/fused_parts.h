// Parts of the explicit step in one kernel (fused.h), apart because that is long: the layout of its shared memory, what a particle leaves
// for the scatter, and what is done node by node.
#pragma once

#include "materials/snow_strain.h"
#include "solver/cuda/gather.h"
#include "solver/cuda/scatter.h"

namespace firn::cuda {

// What the scatter needs of a particle. In memory: columns of four numbers, then one of what is left.
template <bool Apic>
struct Staged {
  static constexpr bool kMomentum = true, kAffine = Apic;
  static constexpr int kQuads = Apic ? 5 : 3;
  using Rest = std::conditional_t<Apic, float2, float>;
  static constexpr std::size_t kBytes = kQuads * sizeof(float4) + sizeof(Rest);

  Vec<float, 3> r;
  float mass;
  Vec<float, 3> p;      // momentum; with APIC that at the base node
  Mat<float, 3> slope;  // of the momentum, per cell; APIC only
  Symmetric<float> A;   // (M6)

  __device__ float a(int i, int j) const {
    const float entries[6] = {A.xx, A.xy, A.xz, A.yy, A.yz, A.zz};
    return entries[i + j + (i > 0 && j > 0 ? 1 : 0)];
  }
  // slot: of the first column, which has so many.
  __device__ void store(float4* columns, int slots, int slot) const {
    float4* const to = columns + slot;
    to[0] = make_float4(r[0], r[1], r[2], mass);
    to[slots] = make_float4(p[0], p[1], p[2], A.xx);
    to[2 * slots] = make_float4(A.xy, A.xz, A.yy, A.yz);
    Rest& rest = reinterpret_cast<Rest*>(columns + kQuads * slots)[slot];
    if constexpr (Apic) {
      to[3 * slots] = make_float4(A.zz, slope.a[0], slope.a[1], slope.a[2]);
      to[4 * slots] = make_float4(slope.a[3], slope.a[4], slope.a[5], slope.a[6]);
      rest = make_float2(slope.a[7], slope.a[8]);
    } else {
      rest = A.zz;
    }
  }
  __device__ static Mat<float, 3> slope_of(const float4& d, const float4& e, const float2& f) {
    return {d.y, d.z, d.w, e.x, e.y, e.z, e.w, f.x, f.y};
  }
  __device__ static Staged load(const float4* columns, int slots, int slot) {
    const float4* const from = columns + slot;
    Staged s;
    const float4 a = from[0], b = from[slots], c = from[2 * slots];
    const Rest rest = reinterpret_cast<const Rest*>(columns + kQuads * slots)[slot];
    s.r = {a.x, a.y, a.z};
    s.mass = a.w;
    s.p = {b.x, b.y, b.z};
    s.A = {b.w, c.x, c.y, c.z, c.w, 0};
    if constexpr (Apic) {
      s.A.zz = from[3 * slots].x;
      s.slope = slope_of(from[3 * slots], from[4 * slots], rest);
    } else {
      s.A.zz = rest;
    }
    return s;
  }
};

template <class Kernel, bool Apic>
struct FusedShape {
  static constexpr int S = Kernel::kSupport;
  // Registers and shared memory allow so many CTAs on a multiprocessor.
  static constexpr int kThreads = S == 3 && !Apic ? 256 : 320;
  static constexpr int kCtas = S == 3 && !Apic ? 3 : 2;
  static constexpr int kRanks = 12;             // cells hold 8 ± 3 particles as a rule
  static constexpr int kRows = S == 3 ? 3 : 2;  // of nodes that a thread sums at once

  // The gather's tile: strides without bank conflicts.
  static constexpr int kEdge = Tile<3, Kernel>::kEdge, kStrideY = 10, kStrideX = S == 3 ? 84 : 92, kTile = kEdge * kStrideX;
  // The scatter's tiles: for each plane of the stencil and each x of a cell, two by two: z folded at 4, y, z.
  static constexpr int kOutEdge = S + 3, kPlane = 2 * 4 * kOutEdge, kPlanes = S * 4 * kPlane;
  // Staged particles: rows of ranks, then slots for leftovers.
  static constexpr int kRankStride = 65, kLeftovers = 96, kSlots = kRankStride * kRanks + kLeftovers;

  static constexpr int kIn = Apic ? kTile : kTile * 3 / 2, kOut = 2 * kPlanes;
  static constexpr int kTiles = kIn > kOut ? kIn : kOut;  // one lies over the other
  static constexpr std::size_t kBytes = sizeof(float4) * kTiles + Staged<Apic>::kBytes * kSlots;
};

// The weight of a plane that is known at run time only, and its derivative; r in [0, 1) from the particle's base.
template <int S>
struct PlaneWeight {
  float sign, shift, cube, square, constant;

  __device__ explicit PlaneWeight(int a) {
    if constexpr (S == 3) {
      sign = a == 0 ? -1.0f : 1.0f;
      shift = a == 0 ? 1.0f : a == 1 ? -0.5f : 0.0f;
      cube = 0;
      square = a == 1 ? -1.0f : 0.5f;
      constant = a == 1 ? 0.75f : 0.0f;
    } else {
      const bool outer = a == 0 || a == 3;
      sign = a == 0 || a == 2 ? -1.0f : 1.0f;
      shift = a == 0 || a == 2 ? 1.0f : 0.0f;
      cube = outer ? 1.0f / 6 : 0.5f;
      square = outer ? 0.0f : -1.0f;
      constant = outer ? 0.0f : 2.0f / 3;
    }
  }
  __device__ float w(float r) const {
    const float t = fmaf(sign, r, shift);
    return fmaf(t * t, S == 3 ? square : fmaf(cube, t, square), constant);
  }
  __device__ float g(float r) const {
    const float t = fmaf(sign, r, shift);
    return sign * t * (S == 3 ? 2 * square : fmaf(3 * cube, t, 2 * square));
  }
};

// From r to the distance from the base node.
template <class Kernel>
inline constexpr float kFirstDelta = Kernel::kSupport == 3 ? 0.5f : 1.0f;

// What an operator's scatter needs of a particle.
struct StagedForce {
  static constexpr bool kMomentum = false, kAffine = false;

  Vec<float, 3> r;
  Mat<float, 3> A;

  __device__ float a(int i, int j) const { return A(i, j); }
  static constexpr std::size_t kBytes = 3 * sizeof(float4);
  __device__ void store(float4* columns, int slots, int slot) const {
    float4* const to = columns + slot;
    to[0] = make_float4(r[0], r[1], r[2], A.a[0]);
    to[slots] = make_float4(A.a[1], A.a[2], A.a[3], A.a[4]);
    to[2 * slots] = make_float4(A.a[5], A.a[6], A.a[7], A.a[8]);
  }
  __device__ static StagedForce load(const float4* columns, int slots, int slot) {
    const float4* const from = columns + slot;
    const float4 a = from[0], b = from[slots], c = from[2 * slots];
    return {{a.x, a.y, a.z}, {a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w}};
  }
};

// A base node outside or inside a block, as one number.
__device__ inline int packed_base(const Vec<int, 3>& base) { return (base[0] + 1) | (base[1] + 1) << 4 | (base[2] + 1) << 8; }
__device__ inline Vec<int, 3> base_of(int packed) { return {(packed & 15) - 1, (packed >> 4 & 15) - 1, (packed >> 8) - 1}; }

// One row of nodes of one particle, straight to the grid: the rare way. A thread for each row, because one for each particle would keep the
// others waiting.
template <class Kernel, class Source>
__device__ inline void scatter_leftover(const int* overlap, const GridView<float>& to, const Vec<int, 3>& base, const Source& s, int row) {
  constexpr int S = Kernel::kSupport;
  const int i = row / S, j = row % S;
  const PlaneWeight<S> x(i), y(j);
  const float wx = x.w(s.r[0]), wy = y.w(s.r[1]), gx = x.g(s.r[0]) * wy, gy = wx * y.g(s.r[1]), wxy = wx * wy;
  float wz[S], gz[S];
  Kernel::weights(s.r[2] + kFirstDelta<Kernel>, wz, gz);
#pragma unroll
  for (int k = 0; k < S; ++k) {
    const Vec<int, 3> n{base[0] + i, base[1] + j, base[2] + k};
    const std::size_t node = std::size_t(overlap[Layout<3>::overlap_of(n)]) * Layout<3>::kNodes + Layout<3>::node_in_block(n);
    if constexpr (Source::kMomentum) {
      Vec<float, 3> p = s.p;
      if constexpr (Source::kAffine) p += s.slope * Vec<float, 3>{float(i), float(j), float(k)};
      const float w = wxy * wz[k];
      add_quad(to.momentum + node, Quad<float>{{w * s.mass, w * p[0], w * p[1], w * p[2]}});
    }
    Quad<float> force{};
    for (int d = 0; d < 3; ++d) force[1 + d] = wz[k] * (s.a(d, 0) * gx + s.a(d, 1) * gy) + s.a(d, 2) * wxy * gz[k];
    add_quad(to.force + node, force);
  }
}

// Particles for which a CTA has no slot left, one after another; what there is no room for counts as strayed.
struct Overflow {
  float4* staged;
  int2* where;  // block, base node
  int room;
};

// What a launch gathers from and scatters to.
struct FusedArgs {
  StepArgs<float, 3> now, next;
  const int3* entries;       // block, which part of it, how many parts: crowded blocks have several CTAs
  const std::uint8_t* near;  // blocks with bodies near; nullptr: none has
  bool gathers;              // false: a scatter alone
  bool one_material;         // that of all particles
  SnowParameters<float> material;
  Overflow overflow;
  Tally* tallies;  // of each CTA

  __device__ SnowParameters<float> parameters(int i) const {
    return one_material && next.now.own == nullptr ? material : parameters_of(next.materials, next.now, i);
  }
};

// The end of a step: the particles for which CTAs had no slot, and the sums of what the CTAs found.
template <class Kernel, bool Apic>
__global__ void __launch_bounds__(kFinishThreads) finish_step(FusedArgs args, int count, Tally* sums) {
  constexpr int kRows = Kernel::kSupport * Kernel::kSupport;
  const long long first = blockIdx.x * blockDim.x + threadIdx.x, stride = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long overflowed = static_cast<long long>(::min(args.next.snow->overflowed, args.overflow.room)) * kRows;
  for (long long k = first; k < overflowed; k += stride) {
    const int2 where = args.overflow.where[k / kRows];
    const Staged<Apic> s = Staged<Apic>::load(args.overflow.staged, args.overflow.room, static_cast<int>(k / kRows));
    const int* const overlap = args.next.blocks.overlap + std::size_t(where.x) * Layout<3>::kOverlap;
    scatter_leftover<Kernel>(overlap, args.next.grid, base_of(where.y), s, static_cast<int>(k % kRows));
  }
  __shared__ Tally of_thread[kFinishThreads];
  Tally& own = of_thread[threadIdx.x];
  own.start();
  for (long long k = first; k < count; k += stride) own.add(args.tallies[k]);
  for (int half = kFinishThreads / 2; half > 0; half /= 2) {  // in an order: the same sums in every run
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) own.add(of_thread[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = own;
}

// A warp for each block.
static __global__ void find_near_blocks(StepArgs<float, 3> a, std::uint8_t* near) {
  const int block = static_cast<int>(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32), lane = threadIdx.x % 32;
  if (block >= a.blocks.count) return;
  const Cell<3> first = first_cell<3>(a.blocks.place[block], a.blocks.origin);
  bool any = false;
  for (int k = lane; k < a.body_count && !any; k += 32) any = is_near<float, 3>(a.before[k], first, Layout<3>::kEdge, float(kSight), a.c.h);
  if (__any_sync(~0u, any) && lane == 0)
    near[block] = 1;
  else if (lane == 0)
    near[block] = 0;
}

}  // namespace firn::cuda
