// The CPU backend: the ten steps as passes over blocks.
#pragma once

#include <chrono>

#include "particles/block_sort.h"
#include "solver/cpu/gather.h"
#include "solver/cpu/grid_pass.h"
#include "solver/cpu/implicit.h"
#include "solver/cpu/lone.h"
#include "solver/cpu/parallel.h"
#include "solver/cpu/scatter.h"
#include "solver/cpu/sleep.h"
#include "solver/linear/conjugate_residuals.h"
#include "solver/solver.h"

namespace firn::cpu {

template <class T, int D, class Kernel, bool Apic>
class CpuSolver : public Solver {
 public:
  explicit CpuSolver(int threads) : threads_(threads) {}

  std::unique_ptr<State> create(const Model& model, ParticleTable table) const override;
  StepReport step(const Model& model, State& state, double longest) const override;
  void add(const Model& model, State& state, const ParticleTable& particles) const override;
  Removed remove(const Model& model, State& state) const override;
  ParticleTable rows(const Model& model, const State& state, std::size_t begin, std::size_t end) const override;
  std::size_t bytes(const State& state) const override;

 private:
  using MyState = CpuState<T, D>;

  void move_between_blocks(const Model& model, MyState& state) const;
  void allocate_grid(const Model& model, MyState& state) const;
  void scatter(const Model& model, MyState& state) const;
  bool solve(const Model& model, MyState& state, const GridPass<T, D>& grid, double dt, StepReport& report) const;
  Attempt try_rest(const Model& model, MyState& state, double dt, StepReport& report) const;
  void estimate_volumes(const Model& model, MyState& state) const;

  mutable Threads threads_;
};

}  // namespace firn::cpu
