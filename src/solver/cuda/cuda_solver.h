// The CUDA backend: the same step on a GPU. Declared for whoever makes solvers; the rest of the folder is for nvcc.
#pragma once

#include <memory>
#include <string>

#include "solver/model.h"
#include "solver/solver.h"

namespace firn {

// The GPU that would be used; empty: there is none, or this build has no CUDA backend.
std::string cuda_device_name();
// Why there is none; empty: there is one, and it can run what has these settings.
std::string why_no_cuda(int dimension, const SolverSettings& settings);
// Throws UserError where why_no_cuda() says something.
std::unique_ptr<Solver> make_cuda_solver(const Model& model);

}  // namespace firn
