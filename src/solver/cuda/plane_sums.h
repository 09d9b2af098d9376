// The second half of the explicit step in one kernel (fused.h), apart because it is a story of its own: from staged particles to the grid.
#pragma once

#include "solver/cuda/fused_parts.h"

namespace firn::cuda {

// What a CTA's threads know of the particles that they have staged.
template <class Shape>
struct StagedShared {
  int overlap[Layout<3>::kOverlap];
  int ranks[65];                 // particles in each cell so far; leftovers
  int where[Shape::kLeftovers];  // base nodes of leftovers
};

// Source: what is staged of a particle (Staged, StagedForce).
template <class Kernel, class Shape, class Source>
struct PlaneSums {
  using T = float;
  static constexpr int S = Kernel::kSupport;
  static constexpr bool kMomentum = Source::kMomentum, kAffine = Source::kAffine;
  static constexpr int kForce = kMomentum ? 1 : 0;  // which of the tiles has forces

  const StagedShared<Shape>& shared;
  float4* out;
  const float4* stage;
  GridView<T> grid;

  // Momentum and mass, and force: one after the other, because with both at once there are too few registers; by two halves of the CTA
  // where it is that large.
  static constexpr int kLanes = 64 * S;
  static constexpr bool kHalves = kMomentum && Shape::kThreads >= 2 * kLanes;
  static constexpr int kThreads = kHalves ? 2 * kLanes : kLanes;  // that have something to do

  __device__ void sum() const {
    const int half = kHalves ? static_cast<int>(threadIdx.x) / kLanes : 0, lane = static_cast<int>(threadIdx.x) - half * kLanes;
    if (half > 1 || lane >= kLanes) return;
    const int a = lane >> 6, cell = lane & 63, cx = cell >> 4;
    const bool momentum = kMomentum && half == 0, force = !kHalves || half == 1;
    float4* const own = out + (a * 4 + (cx & 2)) * Shape::kPlane;  // of this warp
    for (int k = threadIdx.x & 31; k < 2 * Shape::kPlane; k += 32) {
      if (momentum) own[k] = make_float4(0, 0, 0, 0);
      if (force) own[kForce * Shape::kPlanes + k] = make_float4(0, 0, 0, 0);
    }
    __syncwarp();
    const int end = ::min(shared.ranks[cell], int(Shape::kRanks));
    if constexpr (kMomentum)
      if (momentum) {
        momentum_rows<0>(a, cell, end);
        if constexpr (Shape::kRows < S) momentum_rows<Shape::kRows>(a, cell, end);
      }
    if (!force) return;
    force_rows<0>(a, cell, end);
    if constexpr (Shape::kRows < S) force_rows<Shape::kRows>(a, cell, end);
  }

  // Rows First … of the plane.
  template <int First>
  __device__ void momentum_rows(int a, int cell, int end) const {
    constexpr int R = Shape::kRows;
    const PlaneWeight<S> plane(a);
    T sums[R][S][4] = {};
    for (int j = 0; j < end; ++j) {
      const Source s = Source::load(stage, Shape::kSlots, cell + j * Shape::kRankStride);
      T wy[S], gy[S], wz[S], gz[S];
      Kernel::weights(s.r[1] + kFirstDelta<Kernel>, wy, gy);
      Kernel::weights(s.r[2] + kFirstDelta<Kernel>, wz, gz);
      const T wx = plane.w(s.r[0]);
      Vec<T, 3> x = s.p;
      if constexpr (kAffine)
        for (int d = 0; d < 3; ++d) x[d] = fmaf(T(a), s.slope(d, 0), x[d]);
#pragma unroll
      for (int b = 0; b < R; ++b) {
        const T w = wx * wy[First + b];
        Vec<T, 3> p = x;
        if constexpr (kAffine)
          for (int d = 0; d < 3; ++d) p[d] = fmaf(T(First + b), s.slope(d, 1), p[d]);
        const T m = w * s.mass, p0 = w * p[0], p1 = w * p[1], p2 = w * p[2];
        T slope[3] = {};
        if constexpr (kAffine)
          for (int d = 0; d < 3; ++d) slope[d] = w * s.slope(d, 2);
#pragma unroll
        for (int c = 0; c < S; ++c) {
          T* const to = sums[b][c];
          to[0] = fmaf(wz[c], m, to[0]);
          to[1] = fmaf(wz[c], p0, to[1]);
          to[2] = fmaf(wz[c], p1, to[2]);
          to[3] = fmaf(wz[c], p2, to[3]);
          if constexpr (kAffine)
            if (c > 0) {
              const T wc = T(c) * wz[c];
#pragma unroll
              for (int d = 0; d < 3; ++d) to[1 + d] = fmaf(wc, slope[d], to[1 + d]);
            }
        }
      }
    }
    add_rows<First, 0>(a, cell, sums);
  }

  template <int First>
  __device__ void force_rows(int a, int cell, int end) const {
    constexpr int R = Shape::kRows;
    const PlaneWeight<S> plane(a);
    T sums[R][S][4] = {};
    for (int j = 0; j < end; ++j) {
      const Source s = Source::load(stage, Shape::kSlots, cell + j * Shape::kRankStride);
      T wy[S], gy[S], wz[S], gz[S];
      Kernel::weights(s.r[1] + kFirstDelta<Kernel>, wy, gy);
      Kernel::weights(s.r[2] + kFirstDelta<Kernel>, wz, gz);
      const T wx = plane.w(s.r[0]), gx = plane.g(s.r[0]);
#pragma unroll
      for (int b = 0; b < R; ++b) {
        const T w = wx * wy[First + b], x = gx * wy[First + b], y = wx * gy[First + b];
        const T f0 = fmaf(s.a(0, 0), x, s.a(0, 1) * y), f1 = fmaf(s.a(1, 0), x, s.a(1, 1) * y), f2 = fmaf(s.a(2, 0), x, s.a(2, 1) * y);
        const T h0 = w * s.a(0, 2), h1 = w * s.a(1, 2), h2 = w * s.a(2, 2);
#pragma unroll
        for (int c = 0; c < S; ++c) {
          T* const to = sums[b][c];
          to[1] = fmaf(wz[c], f0, fmaf(gz[c], h0, to[1]));
          to[2] = fmaf(wz[c], f1, fmaf(gz[c], h1, to[2]));
          to[3] = fmaf(wz[c], f2, fmaf(gz[c], h2, to[3]));
        }
      }
    }
    add_rows<First, kForce>(a, cell, sums);
  }

  // A warp's 32 cells never meet another warp's nodes of the same plane; among themselves they take turns.
  template <int First, int Which>
  __device__ void add_rows(int a, int cell, const T (&sums)[Shape::kRows][S][4]) const {
    const int cx = cell >> 4, cy = cell >> 2 & 3, cz = cell & 3;
#pragma unroll
    for (int c = 0; c < S; ++c) {
      float4* to = out + Which * Shape::kPlanes + (a * 4 + cx) * Shape::kPlane + ((cz + c) >> 2) * 4 * Shape::kOutEdge + (cy + First) * 4 +
                   ((cz + c) & 3);
#pragma unroll
      for (int b = 0; b < Shape::kRows; ++b, to += 4) {
        float4 v = *to;
        v.x += sums[b][c][0];
        v.y += sums[b][c][1];
        v.z += sums[b][c][2];
        v.w += sums[b][c][3];
        *to = v;
        __syncwarp();
      }
    }
  }

  // By the threads from `first` on.
  __device__ void leftovers(int first) const {
    constexpr int kRows = S * S;
    const int count = ::min(shared.ranks[64], int(Shape::kLeftovers)) * kRows;
#pragma unroll 1
    for (int k = static_cast<int>(threadIdx.x) - first; k < count; k += Shape::kThreads - first) {
      const Source s = Source::load(stage, Shape::kSlots, Shape::kRankStride * Shape::kRanks + k / kRows);
      scatter_leftover<Kernel>(shared.overlap, grid, base_of(shared.where[k / kRows]), s, k % kRows);
    }
  }

  __device__ void add() const {
    constexpr int E = Shape::kOutEdge;
    for (int k = threadIdx.x; k < E * E * E; k += Shape::kThreads) {
      const Vec<int, 3> n{k / (E * E), k / E % E, k % E};
      Quad<T> momentum{}, force{};
#pragma unroll
      for (int a = 0; a < S; ++a) {
        if (static_cast<unsigned>(n[0] - a) >= 4u) continue;
        const float4* from = out + (a * 4 + n[0] - a) * Shape::kPlane + (n[2] >> 2) * 4 * E + n[1] * 4 + (n[2] & 3);
        const float4 p = from[0], f = from[kForce * Shape::kPlanes];
        momentum[0] += p.x, momentum[1] += p.y, momentum[2] += p.z, momentum[3] += p.w;
        force[1] += f.y, force[2] += f.z, force[3] += f.w;
      }
      if (kMomentum ? !(momentum[0] > T(0)) : force[1] == T(0) && force[2] == T(0) && force[3] == T(0)) continue;
      const std::size_t node = std::size_t(shared.overlap[Layout<3>::overlap_of(n)]) * Layout<3>::kNodes + Layout<3>::node_in_block(n);
      if constexpr (kMomentum) add_quad(grid.momentum + node, momentum);
      add_quad(grid.force + node, force);
    }
  }
};

}  // namespace firn::cuda
