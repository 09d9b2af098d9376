#include <limits>

#include "firn/error.h"
#include "math/bspline.h"
#include "solver/cpu/cpu_solver.h"
#include "solver/reference/reference_solver.h"
#include "solver/solver.h"

namespace firn {
namespace {

template <class T, int D, class Kernel>
std::unique_ptr<Solver> make_cpu(const Model& model, int threads) {
  if (model.solver.transfer == Transfer::kApic) return std::make_unique<cpu::CpuSolver<T, D, Kernel, true>>(threads);
  return std::make_unique<cpu::CpuSolver<T, D, Kernel, false>>(threads);
}

#ifdef FIRN_ALL_VARIANTS
template <class T, int D>
std::unique_ptr<Solver> choose_kernel(const Model& model, int threads) {
  if (model.solver.kernel == Kernel::kCubic) return make_cpu<T, D, CubicKernel>(model, threads);
  return make_cpu<T, D, QuadraticKernel>(model, threads);
}

template <class T>
std::unique_ptr<Solver> choose_dimension(const Model& model, int threads) {
  return model.dimension == 3 ? choose_kernel<T, 3>(model, threads) : choose_kernel<T, 2>(model, threads);
}

std::unique_ptr<Solver> make_cpu_solver(const Model& model, int threads) {
  if (model.solver.precision == Precision::kFloat) return choose_dimension<float>(model, threads);
  return choose_dimension<double>(model, threads);
}
#else
std::unique_ptr<Solver> make_cpu_solver(const Model& model, int threads) {
  const SolverSettings& s = model.solver;
  if (model.dimension != 3 || s.precision != Precision::kFloat || s.kernel != Kernel::kCubic)
    throw UserError("this build of firn has only the 3D, float, cubic CPU solver; configure with FIRN_ALL_VARIANTS=ON for the rest");
  return make_cpu<float, 3, CubicKernel>(model, threads);
}
#endif

}  // namespace

void check_ids_left(const State& state, std::size_t more) {
  constexpr std::size_t kMostIds = std::numeric_limits<std::uint32_t>::max();  // they have 32 bits, and one number means none
  if (more > kMostIds - state.next_id) throw RunError("more than four thousand million particles have come in: there are no ids left");
}

void set_time(const Model& model, State& state, double time) {
  state.time = time;
  state.poses = poses_at(model.bodies, time);
}

std::unique_ptr<Solver> make_solver(const Model& model, Backend backend, int threads) {
  return backend == Backend::kReference ? make_reference_solver(model) : make_cpu_solver(model, threads);
}

}  // namespace firn
