// The state that the kernels of a step are timed on: a coarse bench_ball some steps into its impact. Made through the solver's own
// interface (create, step, rows), so that only this file pair knows how a state comes about.
#pragma once

#include <benchmark/benchmark.h>

#include "solver/cpu/cpu_state.h"
#include "solver/model.h"

namespace firn::bench_kernels {

using Scalar = float;
inline constexpr int kDimension = 3;
using Kernel = CubicKernel;
using State = cpu::CpuState<Scalar, kDimension>;

struct PackedBall {
  Model model;
  std::unique_ptr<firn::State> base;  // sorted, its grid made and its tiles filled, as after the scatter of a step
  double dt = 0;                      // s, of the step before

  State& state() { return static_cast<State&>(*base); }
  std::vector<Body<Scalar, kDimension>> bodies() const { return freeze<Scalar, kDimension>(model.bodies, base->time).list; }
};
PackedBall packed_ball(Integrator integrator);

inline void count_particles(benchmark::State& timer, std::size_t particles) {
  timer.SetItemsProcessed(timer.iterations() * static_cast<std::int64_t>(particles));
}

}  // namespace firn::bench_kernels
