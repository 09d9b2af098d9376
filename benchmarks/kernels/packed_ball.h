// The state that the kernels of a step are timed on: a coarse bench_ball some steps into its impact. Made through the solver's own
// interface (create, step, rows), so that only this file pair knows how a state comes about.
#pragma once

#include <benchmark/benchmark.h>

#include "solver/cpu/cpu_solver.h"
#include "solver/model.h"

namespace firn::bench_kernels {

using Scalar = float;
inline constexpr int kDimension = 3;
using Kernel = CubicKernel;

// With a door to its scratch.
struct OpenSolver : cpu::CpuSolver<Scalar, kDimension, Kernel, false> {
  using CpuSolver::CpuSolver;
  using CpuSolver::scratch_;
};

struct PackedBall {
  Model model;
  State state;                         // sorted, its grid made and its tiles filled, as after the scatter of a step
  std::unique_ptr<OpenSolver> solver;  // that has the scratch of the state
  double dt = 0;                       // s, of the step before

  ParticleStore<Scalar, kDimension>& store() { return state.of<Scalar, kDimension>(); }
  cpu::Scratch<Scalar, kDimension>& scratch() { return solver->scratch_; }
  std::vector<Body<Scalar, kDimension>> bodies() const { return freeze<Scalar, kDimension>(model.bodies, state.time).list; }
};
PackedBall packed_ball(Integrator integrator);

inline void count_particles(benchmark::State& timer, std::size_t particles) {
  timer.SetItemsProcessed(timer.iterations() * static_cast<std::int64_t>(particles));
}

}  // namespace firn::bench_kernels
