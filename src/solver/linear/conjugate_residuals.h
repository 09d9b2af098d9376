// Conjugate residuals for a system that is symmetric, perhaps indefinite, in its own inner product. The system owns its vectors;
// this is the order in which they change.
#pragma once

#include <algorithm>
#include <cmath>

namespace firn {

struct LinearResult {
  int iterations = 0;
  double residual = 0;  // over the first one
  bool converged = false;
  bool trusted = false;  // what is left of the residual is little against the solution
};

struct LinearLimits {
  double tolerance;  // of the first residual
  double rounding;   // absolute: a residual this small is nothing but rounding
  double error;      // the most that the residual may be of the solution, however large the first one was
  int max_iterations;
};

// System:
//   double start()                      r ← b − A x, p ← 0, Ap ← 0;         returns ⟨r, r⟩
//   double multiply()                   Ar ← A r;                           returns ⟨r, Ar⟩
//   double next_direction(double beta)  p ← r + beta p, Ap ← Ar + beta Ap;  returns ⟨Ap, Ap⟩
//   double advance(double alpha)        x ← x + alpha p, r ← r − alpha Ap;  returns ⟨r, r⟩
//   double solution_norm()              returns |x|
template <class System>
LinearResult conjugate_residuals(System& system, const LinearLimits& limits) {
  LinearResult result;
  const double first = std::sqrt(system.start());
  const double target = std::max(limits.tolerance * first, limits.rounding);
  double residual = first;
  const auto is_little = [&] { return residual <= limits.error * system.solution_norm(); };
  const auto is_done = [&] { return !(residual > limits.rounding) || (!(residual > target) && is_little()); };
  if (!is_done()) {
    double r_Ar = system.multiply();
    double Ap_Ap = system.next_direction(0);
    while (result.iterations < limits.max_iterations && Ap_Ap > 0) {
      residual = std::sqrt(system.advance(r_Ar / Ap_Ap));
      ++result.iterations;
      if (!(residual > target) && is_done()) break;
      const double next = system.multiply();
      Ap_Ap = system.next_direction(next / r_Ar);
      r_Ar = next;
    }
  }
  result.residual = first > 0 ? residual / first : 0;
  result.converged = std::isfinite(residual) && residual <= target;
  result.trusted = result.converged && is_little();
  return result;
}

}  // namespace firn
