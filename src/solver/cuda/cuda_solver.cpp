#include "solver/cuda/cuda_solver.h"

#include "firn/error.h"

#ifdef FIRN_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace firn {

#ifdef FIRN_WITH_CUDA
namespace cuda {

using Make = std::unique_ptr<Solver>(bool cubic);
Make make_3d_float;
#ifdef FIRN_ALL_VARIANTS
Make make_2d_float, make_2d_double, make_3d_double;
#endif

namespace {

// nullptr: this build does not have it.
Make* maker(int dimension, const SolverSettings& settings) {
  const bool is_double = settings.precision == Precision::kDouble;
#ifdef FIRN_ALL_VARIANTS
  if (dimension == 2) return is_double ? make_2d_double : make_2d_float;
  if (is_double) return make_3d_double;
#endif
  return dimension == 3 && !is_double ? make_3d_float : nullptr;
}

}  // namespace
}  // namespace cuda

std::string cuda_device_name() {
  int devices = 0;
  cudaDeviceProp properties;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 || cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
    cudaGetLastError();
    return "";
  }
  return properties.name;
}

std::string why_no_cuda(int dimension, const SolverSettings& settings) {
  if (cuda_device_name().empty()) return "there is no GPU that CUDA can use here";
  if (settings.integrator == Integrator::kDensityLimited) return "integrator \"density-limited\" runs on the CPU only";
  if (cuda::maker(dimension, settings) == nullptr) return "this build has only the 3D, float CUDA solver; `make build` adds the rest";
  return "";
}
#else
std::string cuda_device_name() { return ""; }
std::string why_no_cuda(int, const SolverSettings&) { return "this build of firn has no CUDA backend: it was built without nvcc"; }
#endif

std::unique_ptr<Solver> make_cuda_solver(const Model& model) {
  if (const std::string why = why_no_cuda(model.dimension, model.solver); !why.empty())
    throw UserError("--backend cuda: " + why + "; use --backend cpu");
#ifdef FIRN_WITH_CUDA
  return cuda::maker(model.dimension, model.solver)(model.solver.kernel == Kernel::kCubic);
#else
  return nullptr;
#endif
}

}  // namespace firn
