// Parts of the explicit step in one kernel (fused.h), apart because that is long: the layout of its shared memory, what a particle leaves
// for the scatter, and what is done node by node.
#pragma once

#include "solver/cuda/gather.h"
#include "solver/cuda/scatter.h"

namespace firn::cuda {

template <class Kernel, bool Apic>
struct FusedShape {
  static constexpr int S = Kernel::kSupport;
  // Registers and shared memory allow so many CTAs on a multiprocessor.
  static constexpr int kThreads = S == 3 ? 256 : 320;
  static constexpr int kCtas = S == 3 && !Apic ? 3 : 2;
  static constexpr int kRanks = 12;             // cells hold 8 ± 3 particles as a rule
  static constexpr int kRows = S == 3 ? 3 : 2;  // of nodes that a thread sums at once

  // The gather's tile: strides without bank conflicts.
  static constexpr int kEdge = Tile<3, Kernel>::kEdge, kStrideY = 10, kStrideX = S == 3 ? 84 : 92, kTile = kEdge * kStrideX;
  // The scatter's tiles: for each plane of the stencil and each x of a cell, two by two: z folded at 4, y, z.
  static constexpr int kOutEdge = S + 3, kPlane = 2 * 4 * kOutEdge, kPlanes = S * 4 * kPlane;
  // Staged particles: rows of ranks, then slots for leftovers.
  static constexpr int kRankStride = 65, kLeftovers = 64, kSlots = kRankStride * kRanks + kLeftovers;
  static constexpr int kStaged = Apic ? 6 : 4;  // float4

  static constexpr int kIn = Apic ? kTile : kTile * 3 / 2, kOut = 2 * kPlanes;
  static constexpr int kTiles = kIn > kOut ? kIn : kOut;  // one lies over the other
  static constexpr std::size_t kBytes = sizeof(float4) * (kTiles + kStaged * kSlots);
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

// What the scatter needs of a particle.
template <bool Apic>
struct Staged {
  static constexpr bool kMomentum = true, kAffine = Apic;

  Vec<float, 3> r;
  float mass;
  Vec<float, 3> p;      // momentum; with APIC that at the base node
  Mat<float, 3> slope;  // of the momentum, per cell; APIC only
  float A[6];           // (M6): symmetric, 00 01 02 11 12 22

  __device__ float a(int i, int j) const { return A[i + j + (i > 0 && j > 0 ? 1 : 0)]; }
  __device__ void store(float4* slot, int stride) const {
    slot[0] = make_float4(r[0], r[1], r[2], mass);
    slot[stride] = make_float4(p[0], p[1], p[2], A[0]);
    slot[2 * stride] = make_float4(A[1], A[2], A[3], A[4]);
    if constexpr (Apic) {
      slot[3 * stride] = make_float4(A[5], slope.a[0], slope.a[1], slope.a[2]);
      slot[4 * stride] = make_float4(slope.a[3], slope.a[4], slope.a[5], slope.a[6]);
      slot[5 * stride] = make_float4(slope.a[7], slope.a[8], 0, 0);
    } else {
      reinterpret_cast<float*>(slot + 3 * stride)[0] = A[5];
    }
  }
  __device__ static Staged load(const float4* slot, int stride) {
    Staged s;
    const float4 a = slot[0], b = slot[stride], c = slot[2 * stride];
    s.r = {a.x, a.y, a.z};
    s.mass = a.w;
    s.p = {b.x, b.y, b.z};
    s.A[0] = b.w, s.A[1] = c.x, s.A[2] = c.y, s.A[3] = c.z, s.A[4] = c.w;
    if constexpr (Apic) {
      const float4 d = slot[3 * stride], e = slot[4 * stride], f = slot[5 * stride];
      s.A[5] = d.x;
      s.slope = {d.y, d.z, d.w, e.x, e.y, e.z, e.w, f.x, f.y};
    } else {
      s.A[5] = reinterpret_cast<const float*>(slot + 3 * stride)[0];
    }
    return s;
  }
};

// What an operator's scatter needs of a particle.
struct StagedForce {
  static constexpr bool kMomentum = false, kAffine = false;

  Vec<float, 3> r;
  Mat<float, 3> A;

  __device__ float a(int i, int j) const { return A(i, j); }
  __device__ void store(float4* slot, int stride) const {
    slot[0] = make_float4(r[0], r[1], r[2], A.a[0]);
    slot[stride] = make_float4(A.a[1], A.a[2], A.a[3], A.a[4]);
    slot[2 * stride] = make_float4(A.a[5], A.a[6], A.a[7], A.a[8]);
  }
  __device__ static StagedForce load(const float4* slot, int stride) {
    const float4 a = slot[0], b = slot[stride], c = slot[2 * stride];
    return {{a.x, a.y, a.z}, {a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w}};
  }
};

// A base node outside or inside a block, as one number.
__device__ inline int packed_base(const Vec<int, 3>& base) { return (base[0] + 1) | (base[1] + 1) << 4 | (base[2] + 1) << 8; }
__device__ inline Vec<int, 3> base_of(int packed) { return {(packed & 15) - 1, (packed >> 4 & 15) - 1, (packed >> 8) - 1}; }

// One node of one particle, straight to the grid: the rare way. A thread for each node, because one for each particle would keep the others
// waiting.
template <class Kernel, class Source>
__device__ inline void scatter_leftover(const int* overlap, const GridView<float>& to, const Vec<int, 3>& base, const Source& s, int node) {
  constexpr int S = Kernel::kSupport;
  const Vec<int, 3> at{node / (S * S), node / S % S, node % S}, n = base + at;
  const PlaneWeight<S> x(at[0]), y(at[1]), z(at[2]);
  const float wx = x.w(s.r[0]), wy = y.w(s.r[1]), wz = z.w(s.r[2]), w = wx * wy * wz;
  const float gx = x.g(s.r[0]) * wy * wz, gy = wx * y.g(s.r[1]) * wz, gz = wx * wy * z.g(s.r[2]);
  const std::size_t to_node = std::size_t(overlap[Layout<3>::overlap_of(n)]) * Layout<3>::kNodes + Layout<3>::node_in_block(n);
  if constexpr (Source::kMomentum) {
    Vec<float, 3> p = s.p;
    if constexpr (Source::kAffine) p += s.slope * Vec<float, 3>{float(at[0]), float(at[1]), float(at[2])};
    add_quad(to.momentum + to_node, Quad<float>{{w * s.mass, w * p[0], w * p[1], w * p[2]}});
  }
  Quad<float> force{};
  for (int d = 0; d < 3; ++d) force[1 + d] = s.a(d, 0) * gx + s.a(d, 1) * gy + s.a(d, 2) * gz;
  add_quad(to.force + to_node, force);
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
};

template <class Kernel, bool Apic>
__global__ void scatter_overflow(FusedArgs args) {
  constexpr int kNodes = Kernel::kSupport * Kernel::kSupport * Kernel::kSupport;
  const long long count = static_cast<long long>(::min(args.next.snow->overflowed, args.overflow.room)) * kNodes;
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += stride) {
    const int2 where = args.overflow.where[k / kNodes];
    const Staged<Apic> s = Staged<Apic>::load(args.overflow.staged + k / kNodes, args.overflow.room);
    const int* const overlap = args.next.blocks.overlap + std::size_t(where.x) * Layout<3>::kOverlap;
    scatter_leftover<Kernel>(overlap, args.next.grid, base_of(where.y), s, static_cast<int>(k % kNodes));
  }
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

// What the threads of a CTA found out, before it goes to memory: by warps, and only what there is.
struct Tally {
  unsigned wave, soft_wave_squared, speed;  // bits of floats that are not negative
  int strayed, outside, limited, relaxed, capped;
  unsigned long long fault;
  double dissipated, pull, mass;

  __device__ void start() {
    wave = soft_wave_squared = speed = 0;
    strayed = outside = limited = relaxed = capped = 0;
    fault = kNoFault;
    dissipated = pull = mass = 0;
  }
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
};

}  // namespace firn::cuda
