// Step 6, apart because each stage is a file: the system (M17) on the device, solved by conjugate residuals whose numbers never leave it.
// Rows are scaled as in the CPU's ImplicitSystem; channel 0 of the vectors holds what passes need of a node: of v the scale s, of r m/s, of
// p m/s², of Ap s beta dt²/m.
#pragma once

#include "solver/cuda/gather.h"
#include "solver/cuda/scatter.h"

namespace firn::cuda {

// Where the solve has got to; see conjugate_residuals.h, whose rules these are.
struct SolveState {
  double tolerance, most_error;
  int max_iterations;
  double rounding;  // relative to the solution at the start, then absolute
  double first, target, residual, solution;
  double r_Ar, Ap_Ap, alpha, beta;
  int iterations;
  unsigned arrived;  // CTAs of the pass that is on its way
  bool done, converged, trusted;

  __device__ void judge() {
    const bool little = residual <= most_error * solution;
    done = done || !(residual > rounding) || (!(residual > target) && little) || iterations >= max_iterations;
    converged = isfinite(residual) && residual <= target;
    trusted = converged && little;
  }
};

enum class SolveStage { kStart, kMultiply, kDirection, kAdvance };

// Sums of CTAs in their order, by one warp; then what conjugate residuals make of them.
__device__ inline void finish_stage(SolveStage stage, const double* partial, int count, SolveState& s) {
  double sums[2] = {0, 0};
  for (int k = threadIdx.x; k < count; k += 32)
    for (int c = 0; c < 2; ++c) sums[c] += __ldcg(partial + 2 * k + c);
  for (double& sum : sums) sum = sum_of_warp(sum);
  if (threadIdx.x != 0) return;
  s.arrived = 0;
  switch (stage) {
    case SolveStage::kStart:
      s.solution = sqrt(sums[1]);
      s.rounding *= s.solution;
      s.first = s.residual = sqrt(sums[0]);
      s.target = fmax(s.tolerance * s.first, s.rounding);
      s.r_Ar = 0;
      s.iterations = 0;
      s.done = false;
      s.judge();
      break;
    case SolveStage::kMultiply:
      s.beta = s.iterations == 0 ? 0 : sums[0] / s.r_Ar;
      s.r_Ar = sums[0];
      break;
    case SolveStage::kDirection:
      s.Ap_Ap = sums[0];
      s.alpha = s.r_Ar / s.Ap_Ap;
      if (!(s.Ap_Ap > 0)) s.done = true;
      break;
    case SolveStage::kAdvance:
      s.residual = sqrt(sums[0]);
      s.solution = sqrt(sums[1]);
      ++s.iterations;
      s.judge();
      break;
  }
}

template <class T>
struct SolveVectors {
  Quad<T>*r, *p, *Ap, *Ar;
  Quad<T>* Hu;  // what the operator adds to; zero in between
  double* partial;
  SolveState* state;
};

inline constexpr int kVectorThreads = 256;

// f(node, a, b) sets two numbers to be summed. The last CTA to arrive finishes the stage.
template <class T, class F>
__device__ inline void sum_nodes(SolveStage stage, std::size_t nodes, const SolveVectors<T>& x, F f) {
  double a = 0, b = 0;
  const std::size_t at = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < nodes) f(at, a, b);
  a = sum_of_cta(a);
  b = sum_of_cta(b);
  __shared__ bool last;
  if (threadIdx.x == 0) {
    x.partial[2 * blockIdx.x] = a;
    x.partial[2 * blockIdx.x + 1] = b;
    __threadfence();
    last = atomicAdd(&x.state->arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < 32) finish_stage(stage, x.partial, static_cast<int>(gridDim.x), *x.state);
}

// r ← s P (v* − A v) with v = v*.
template <class T, int D>
__global__ void start_solve(StepArgs<T, D> a, SolveVectors<T> x) {
  sum_nodes(SolveStage::kStart, a.blocks.nodes(), x, [&](std::size_t at, double& rr, double& vv) {
    const T mass = a.grid.momentum[at][0];
    Quad<T> r{}, p{}, Ap{};
    if (mass > T(0)) {
      const Quad<T> velocity = a.grid.velocity[at];
      const T s = velocity[0];
      Ap[0] = (mass >= a.c.mass_floor ? a.c.stiffness_scale / mass : T(0)) * s;
      const Vec<T, D> residual = a.constraints[at].project(-Ap[0] * vector_of<T, D>(x.Hu[at])), v = vector_of<T, D>(velocity);
      r = quad_of<T, D>(mass / s, residual);
      p[0] = mass / (s * s);
      rr = double(p[0]) * double(dot(residual, residual));
      vv = double(mass) * double(dot(v, v));
    }
    x.r[at] = r;
    x.p[at] = p;
    x.Ap[at] = Ap;
    x.Hu[at] = Quad<T>{};
  });
}

// Ar ← A r
template <class T, int D>
__global__ void multiply_rows(StepArgs<T, D> a, SolveVectors<T> x) {
  if (x.state->done) return;
  sum_nodes(SolveStage::kMultiply, a.blocks.nodes(), x, [&](std::size_t at, double& rAr, double&) {
    const Quad<T> r = x.r[at];
    if (!(r[0] > T(0))) return;
    const Vec<T, D> own = vector_of<T, D>(r);
    const Vec<T, D> Ar = a.constraints[at].project(a.grid.velocity[at][0] * own + x.Ap[at][0] * vector_of<T, D>(x.Hu[at]));
    x.Hu[at] = Quad<T>{};
    x.Ar[at] = quad_of<T, D>(T(0), Ar);
    rAr = double(r[0]) * double(dot(own, Ar));
  });
}

// p ← r + beta p, Ap ← Ar + beta Ap
template <class T, int D>
__global__ void next_direction(StepArgs<T, D> a, SolveVectors<T> x) {
  if (x.state->done) return;
  const T beta = T(x.state->beta);
  sum_nodes(SolveStage::kDirection, a.blocks.nodes(), x, [&](std::size_t at, double& ApAp, double&) {
    const Quad<T> r = x.r[at], p = x.p[at], old = x.Ap[at];
    if (!(r[0] > T(0))) return;
    const Vec<T, D> Ap = vector_of<T, D>(x.Ar[at]) + beta * vector_of<T, D>(old);
    x.p[at] = quad_of<T, D>(p[0], vector_of<T, D>(r) + beta * vector_of<T, D>(p));
    x.Ap[at] = quad_of<T, D>(old[0], Ap);
    ApAp = double(r[0]) * double(dot(Ap, Ap));
  });
}

// v ← v + alpha p, r ← r − alpha Ap; the residual before scaling: the preconditioner does not change when to stop
template <class T, int D>
__global__ void advance_solution(StepArgs<T, D> a, SolveVectors<T> x) {
  if (x.state->done) return;
  const T alpha = T(x.state->alpha);
  sum_nodes(SolveStage::kAdvance, a.blocks.nodes(), x, [&](std::size_t at, double& rr, double& vv) {
    const Quad<T> old = x.r[at], p = x.p[at], velocity = a.grid.velocity[at];
    if (!(old[0] > T(0))) return;
    const Vec<T, D> r = vector_of<T, D>(old) - alpha * vector_of<T, D>(x.Ap[at]);
    const Vec<T, D> v = vector_of<T, D>(velocity) + alpha * vector_of<T, D>(p);
    x.r[at] = quad_of<T, D>(old[0], r);
    a.grid.velocity[at] = quad_of<T, D>(velocity[0], v);
    rr = double(p[0]) * double(dot(r, r));
    vv = double(a.grid.momentum[at][0]) * double(dot(v, v));
  });
}

// grad u of a particle, per cell.
template <class T, int D, class Kernel>
__device__ inline Mat<T, D> gather_gradient(const Stencil<T, D, Kernel>& stencil, const T (*tile)[Tile<D, Kernel>::kNodes]) {
  Mat<T, D> gradient = Mat<T, D>::zero();
  stencil.for_each([&](int at, T, const Vec<T, D>& grad, const Vec<T, D>&) {
    for (int d = 0; d < D; ++d)
      for (int e = 0; e < D; ++e) gradient(d, e) += tile[d][at] * grad[e];
  });
  return gradient;
}

// Hu ← Hu + H u (M18)
template <class T, int D, class Kernel>
__global__ void __launch_bounds__(kThreads<D>) multiply_hessian(StepArgs<T, D> a, const Quad<T>* u, Quad<T>* Hu, const SolveState* state) {
  constexpr int kTileNodes = Tile<D, Kernel>::kNodes;
  if (state != nullptr && state->done) return;
  __shared__ T in[D][kTileNodes], out[D + 1][kTileNodes];
  const int block = blockIdx.x;
  for (int at = threadIdx.x; at < kTileNodes; at += blockDim.x) {
    const Quad<T> q = u[node_number<D>(a.blocks, block, Tile<D, Kernel>::node(at))];
    for (int d = 0; d < D; ++d) in[d][at] = q[1 + d];
    for (int d = 0; d <= D; ++d) out[d][at] = T(0);
  }
  __syncthreads();
  const ParticleView<T, D>& ps = a.now;
  for (int i = a.blocks.begin[block] + static_cast<int>(threadIdx.x); i < a.blocks.begin[block + 1]; i += blockDim.x) {
    if (a.alone[i]) continue;
    const Stencil<T, D, Kernel> stencil(ps.place[i]);
    Mat<T, D> F_E, R;
    load_column(ps.F_E, ps.room, i, F_E.a);
    load_column(a.solve, ps.room, i, R.a);
    const Lame<T> l{a.solve[D * D * ps.room + i], a.solve[(D * D + 1) * ps.room + i]};
    const Mat<T, D> dP = piola_derivative(F_E, R, l, gather_gradient(stencil, in) * F_E);
    const Mat<T, D> A = (a.c.inverse_h * a.c.inverse_h * ps.volume[i]) * (dP * transpose(F_E));
    stencil.for_each([&](int at, T, const Vec<T, D>& grad, const Vec<T, D>&) {
      const Vec<T, D> f = A * grad;
      for (int d = 0; d < D; ++d) atomicAdd(&out[1 + d][at], f[d]);
    });
  }
  __syncthreads();
  add_tile<D + 1, Kernel>(out, a.blocks, block, Hu);
}

// Particles that will yield, if v^n goes on, resist as far as they can (plastic_tangent); those that take explicit steps do not.
template <class T, int D, class Kernel>
__global__ void __launch_bounds__(kThreads<D>) soften(StepArgs<T, D> a) {
  __shared__ T velocity[D][Tile<D, Kernel>::kNodes];
  const int block = blockIdx.x;
  for (int at = threadIdx.x; at < Tile<D, Kernel>::kNodes; at += blockDim.x) {
    const Quad<T> momentum = a.grid.momentum[node_number<D>(a.blocks, block, Tile<D, Kernel>::node(at))];
    for (int d = 0; d < D; ++d) velocity[d][at] = momentum[0] > T(0) ? momentum[1 + d] / momentum[0] : T(0);
  }
  __syncthreads();
  const ParticleView<T, D>& ps = a.now;
  for (int i = a.blocks.begin[block] + static_cast<int>(threadIdx.x); i < a.blocks.begin[block + 1]; i += blockDim.x) {
    if (a.alone[i]) continue;
    Mat<T, D> F_E, R;
    load_column(ps.F_E, ps.room, i, F_E.a);
    load_column(a.solve, ps.room, i, R.a);
    const Mat<T, D> gradient = gather_gradient(Stencil<T, D, Kernel>(ps.place[i]), velocity);
    const SnowParameters<T> s = parameters_of(a.materials, ps, i);
    // From the hardened numbers anew: a try that was cut has left its own.
    const Lame<T> l = hardened(s, ps.J_P[i]);
    const bool free = takes_explicit_steps(l, ps.volume[i], ps.mass[i], a.c.cells_per_speed, a.c.courant);
    const T factor = free ? T(0) : plastic_tangent(F_E, R, (Mat<T, D>::identity() + a.c.cells_per_speed * gradient) * F_E, s);
    a.solve[D * D * ps.room + i] = factor * l.mu;
    a.solve[(D * D + 1) * ps.room + i] = factor * l.lambda;
  }
}

}  // namespace firn::cuda
