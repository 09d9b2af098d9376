// The operator of the semi-implicit solve (M18) with the scatter of the explicit step in one kernel, apart because each stage is a file; in
// 3D and single precision. See fused.h for how it goes.
#pragma once

#include "solver/cuda/implicit.h"
#include "solver/cuda/plane_sums.h"

namespace firn::cuda {

template <class Kernel>
struct HessianShape : FusedShape<Kernel, false> {
  using Base = FusedShape<Kernel, false>;
  static constexpr int kTiles = Base::kTile > Base::kPlanes ? Base::kTile : Base::kPlanes;
  static constexpr std::size_t kBytes = sizeof(float4) * kTiles + StagedForce::kBytes * Base::kSlots;
};

struct HessianArgs {
  StepArgs<float, 3> a;
  const int3* entries;  // as of FusedArgs
  const Quad<float>* u;
  Quad<float>* Hu;
  const SolveState* state;  // nullptr: no matter whether it is done
};

template <class Kernel>
class HessianPass {
 public:
  using Shape = HessianShape<Kernel>;
  using T = float;
  static constexpr int S = Kernel::kSupport;

  __device__ HessianPass(const HessianArgs& args, StagedShared<Shape>& shared, float4* memory)
      : args_(args), a_(args.a), shared_(shared), in_(memory), stage_(memory + Shape::kTiles) {}

  __device__ void run() {
    const int3 entry = args_.entries[blockIdx.x];
    const int begin = a_.blocks.begin[entry.x] + entry.y, end = a_.blocks.begin[entry.x + 1];
    if (threadIdx.x < Layout<3>::kOverlap)
      shared_.overlap[threadIdx.x] = a_.blocks.overlap[std::size_t(entry.x) * Layout<3>::kOverlap + threadIdx.x];
    if (threadIdx.x < 65) shared_.ranks[threadIdx.x] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < Tile<3, Kernel>::kNodes; k += Shape::kThreads) {
      const Vec<int, 3> n = Tile<3, Kernel>::node(k);
      const Quad<T> u = args_.u[std::size_t(shared_.overlap[Layout<3>::overlap_of(n)]) * Layout<3>::kNodes + Layout<3>::node_in_block(n)];
      in_[tile_index(n)] = make_float4(u[1], u[2], u[3], 0);
    }
    __syncthreads();
#pragma unroll 1
    for (int i = begin + static_cast<int>(threadIdx.x) * entry.z; i < end; i += Shape::kThreads * entry.z) particle(i);
    __syncthreads();
    const PlaneSums<Kernel, Shape, StagedForce> planes{shared_, in_, stage_, {nullptr, args_.Hu, nullptr}};
    // Leftovers by warps that have no planes to sum.
    if (static_cast<int>(threadIdx.x) < planes.kThreads)
      planes.sum();
    else
      planes.leftovers(planes.kThreads);
    __syncthreads();
    planes.add();
  }

 private:
  __device__ static int tile_index(const Vec<int, 3>& n) { return (n[0] + 1) * Shape::kStrideX + (n[1] + 1) * Shape::kStrideY + n[2] + 1; }

  // Axis by axis; per cell.
  __device__ Mat<T, 3> gradient(const Stencil<T, 3, Kernel>& s) const {
    Mat<T, 3> sums = Mat<T, 3>::zero();
    const int start = tile_index(s.base);
#pragma unroll
    for (int i = 0; i < S; ++i) {
      T v[3] = {}, vy[3] = {}, vz[3] = {};
#pragma unroll
      for (int j = 0; j < S; ++j) {
        T z0[3] = {}, z1[3] = {};
#pragma unroll
        for (int k = 0; k < S; ++k) {
          const float4 q = in_[start + i * Shape::kStrideX + j * Shape::kStrideY + k];
          const T u[3] = {q.x, q.y, q.z};
#pragma unroll
          for (int d = 0; d < 3; ++d) z0[d] = fmaf(s.w[2][k], u[d], z0[d]), z1[d] = fmaf(s.g[2][k], u[d], z1[d]);
        }
#pragma unroll
        for (int d = 0; d < 3; ++d) {
          v[d] = fmaf(s.w[1][j], z0[d], v[d]);
          vy[d] = fmaf(s.g[1][j], z0[d], vy[d]);
          vz[d] = fmaf(s.w[1][j], z1[d], vz[d]);
        }
      }
#pragma unroll
      for (int d = 0; d < 3; ++d) {
        sums(d, 0) = fmaf(s.g[0][i], v[d], sums(d, 0));
        sums(d, 1) = fmaf(s.w[0][i], vy[d], sums(d, 1));
        sums(d, 2) = fmaf(s.w[0][i], vz[d], sums(d, 2));
      }
    }
    return sums;
  }

  __device__ void particle(int i) {
    if (a_.alone[i]) return;
    const ParticleView<T, 3>& ps = a_.now;
    const Stencil<T, 3, Kernel> stencil(ps.place[i]);
    Mat<T, 3> F_E, R;
    load_column(ps.F_E, ps.room, i, F_E.a);
    load_column(a_.solve, ps.room, i, R.a);
    const Lame<T> l{a_.solve[9 * ps.room + i], a_.solve[10 * ps.room + i]};
    const Mat<T, 3> dP = piola_derivative(F_E, R, l, gradient(stencil) * F_E);  // (M14)
    StagedForce staged;
    for (int d = 0; d < 3; ++d) staged.r[d] = stencil.delta[d] - kFirstDelta<Kernel>;
    staged.A = (a_.c.inverse_h * a_.c.inverse_h * ps.volume[i]) * (dP * transpose(F_E));
    bool inside = true;
    for (int d = 0; d < 3; ++d) inside = inside && static_cast<unsigned>(stencil.base[d]) < 4u;
    const int cell = Layout<3>::node_in_block(stencil.base);
    int slot = Shape::kRanks;
    if (inside) slot = atomicAdd(&shared_.ranks[cell], 1);
    if (slot < Shape::kRanks) return staged.store(stage_, Shape::kSlots, slot * Shape::kRankStride + cell);
    slot = atomicAdd(&shared_.ranks[64], 1);
    if (slot < Shape::kLeftovers) {
      shared_.where[slot] = packed_base(stencil.base);
      return staged.store(stage_, Shape::kSlots, Shape::kRankStride * Shape::kRanks + slot);
    }
#pragma unroll 1
    for (int k = 0; k < S * S; ++k)
      scatter_leftover<Kernel>(shared_.overlap, GridView<T>{nullptr, args_.Hu, nullptr}, stencil.base, staged, k);
  }

  const HessianArgs& args_;
  const StepArgs<T, 3>& a_;
  StagedShared<Shape>& shared_;
  float4 *in_, *stage_;
};

template <class Kernel>
__global__ void __launch_bounds__(HessianShape<Kernel>::kThreads, HessianShape<Kernel>::kCtas)
    fused_hessian(const __grid_constant__ HessianArgs args) {
  extern __shared__ float4 memory[];
  __shared__ StagedShared<HessianShape<Kernel>> shared;
  if (args.state != nullptr && args.state->done) return;
  HessianPass<Kernel>(args, shared, memory).run();
}

}  // namespace firn::cuda
