#include "solver/cuda/cuda_solver.h"

#include "firn/error.h"

#ifdef FIRN_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace firn {

#ifdef FIRN_WITH_CUDA
namespace cuda {

using Make = std::unique_ptr<Solver>(bool cubic);
using Unfit = std::string(const SolverSettings& settings);
Make make_3d_float;
Unfit unfit_3d_float;
#ifdef FIRN_ALL_VARIANTS
Make make_2d_float, make_2d_double, make_3d_double;
Unfit unfit_2d_float, unfit_2d_double, unfit_3d_double;
#endif

namespace {

// Of one dimension and precision; nullptr: this build does not have it.
struct Instance {
  Make* make = nullptr;
  Unfit* unfit = nullptr;  // why the GPU there is cannot run it
};
Instance instance(int dimension, const SolverSettings& settings) {
  const bool is_double = settings.precision == Precision::kDouble;
#ifdef FIRN_ALL_VARIANTS
  if (dimension == 2) return is_double ? Instance{make_2d_double, unfit_2d_double} : Instance{make_2d_float, unfit_2d_float};
  if (is_double) return {make_3d_double, unfit_3d_double};
#endif
  if (dimension == 3 && !is_double) return {make_3d_float, unfit_3d_float};
  return {};
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
  const cuda::Instance instance = cuda::instance(dimension, settings);
  if (instance.make == nullptr) return "this build has only the 3D, float CUDA solver; `make build` adds the rest";
  return instance.unfit(settings);
}
#else
std::string cuda_device_name() { return ""; }
std::string why_no_cuda(int, const SolverSettings&) { return "this build of firn has no CUDA backend: it was built without nvcc"; }
#endif

std::unique_ptr<Solver> make_cuda_solver(const Model& model) {
  if (const std::string why = why_no_cuda(model.dimension, model.solver); !why.empty())
    throw UserError("--backend cuda: " + why + "; use --backend cpu");
#ifdef FIRN_WITH_CUDA
  return cuda::instance(model.dimension, model.solver).make(model.solver.kernel == Kernel::kCubic);
#else
  return nullptr;
#endif
}

}  // namespace firn
