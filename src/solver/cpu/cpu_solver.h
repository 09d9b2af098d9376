// The CPU backend: the ten steps as passes over blocks.
#pragma once

#include <chrono>
#include <span>

#include "particles/migration.h"
#include "solver/cpu/density_pass.h"
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

  State create(const Model& model, ParticleTable table) override;
  void attach(const Model& model, State& state) override;
  StepInfo step(const Model& model, State& state, double longest) override;
  void add(const Model& model, State& state, const ParticleTable& particles) override;
  Removed remove(const Model& model, State& state) override;
  ParticleTable rows(const Model& model, const State& state, std::size_t begin, std::size_t end) const override;
  GridFields grid(const Model& model, State& state) override;
  std::size_t bytes(const State& state) const override;
  void in_threads(const std::function<void()>& work) override { threads_.run(work); }

 private:
  using Store = ParticleStore<T, D>;

  // A step on its way.
  struct Work {
    const Model& model;
    State& state;
    Store& store;
    StepInfo& report;
    double dt = 0;            // that is being tried
    double gravity_work = 0;  // J, on the grid, in the try
    Bodies<T, D> before;      // where bodies are when it begins
    std::vector<Pose> poses;  // of the bodies at the end of it
    Bodies<T, D> bodies;      // there
  };
  struct Stage {
    Phase phase;
    Attempt (CpuSolver::*run)(Work& work);
  };

  Attempt migrate(Work& work);
  Attempt choose_awake(Work& work);
  Attempt scatter(Work& work);
  Attempt scatter_again(Work& work);
  Attempt update_grid(Work& work);
  Attempt solve(Work& work);
  Attempt update_particles(Work& work);
  Attempt limit_density(Work& work);
  Attempt carry_particles(Work& work);

  // The ten steps, top to bottom; the second, volumes, is taken once when a state is made. What is tried again with a shorter step when it
  // goes wrong writes nothing but scratch.
  static constexpr Stage kBefore[] = {
      {Phase::kSort, &CpuSolver::migrate},       // every particle into the block it is in
      {Phase::kSort, &CpuSolver::choose_awake},  // who takes part
      {Phase::kScatter, &CpuSolver::scatter},    // steps 1 and 3: mass, momentum, forces
  };
  static constexpr Stage kExplicit[] = {
      {Phase::kGrid, &CpuSolver::update_grid},         // steps 4 and 5: forces, gravity, collisions
      {Phase::kGather, &CpuSolver::update_particles},  // steps 7 to 10: deformation, velocities, collisions, positions
  };
  static constexpr Stage kSemiImplicit[] = {
      {Phase::kScatter, &CpuSolver::scatter_again},    // the try before has used up forces and what the solve needs
      {Phase::kGrid, &CpuSolver::update_grid},         // steps 4 and 5
      {Phase::kSolve, &CpuSolver::solve},              // step 6
      {Phase::kGather, &CpuSolver::update_particles},  // steps 7 to 10
  };
  static constexpr Stage kDensityLimited[] = {
      {Phase::kGrid, &CpuSolver::limit_density},      // in the place of steps 4 and 5: gravity, up to what packed snow lets in
      {Phase::kGather, &CpuSolver::carry_particles},  // steps 8 to 10
  };
  static std::span<const Stage> tried(const Model& model) {
    switch (model.solver.integrator) {
      case Integrator::kExplicit: return kExplicit;
      case Integrator::kDensityLimited: return kDensityLimited;
      case Integrator::kSemiImplicit: break;
    }
    return kSemiImplicit;
  }
  // Ends with the first that goes wrong.
  Attempt run(std::span<const Stage> stages, Work& work);

  Attempt first_failure(const std::vector<ParticleBlock<D>>& blocks) const;
  ChosenStep choose_step(const Work& work, double longest) const;
  double sum_over_active() const;
  EnergyBalance balance(const Work& work) const;
  void remember(Work& work);
  void accept(Work& work);

  void move_between_blocks(const Model& model, Store& store);
  void allocate_grid(const Model& model, Store& store);
  void scatter(const Model& model, Store& store, const std::vector<Body<T, D>>& bodies);
  void estimate_volumes(const Model& model, Store& store);

  Threads threads_;

 protected:
  Scratch<T, D> scratch_;  // of the state that was made or attached last
};

}  // namespace firn::cpu
