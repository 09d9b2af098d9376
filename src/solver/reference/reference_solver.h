#pragma once

#include <memory>

#include "solver/solver.h"

namespace firn {

std::unique_ptr<Solver> make_reference_solver(const Model& model);

}  // namespace firn
