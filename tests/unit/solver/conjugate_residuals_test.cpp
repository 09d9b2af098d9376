// The linear solver on small dense systems that are symmetric in a weighted inner product, against elimination.
#include "solver/linear/conjugate_residuals.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "math/random.h"

namespace firn {
namespace {

using Values = std::vector<double>;
using Matrix = std::vector<Values>;

Values times(const Matrix& A, const Values& x) {
  Values y(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += A[i][j] * x[j];
  return y;
}

// A x = b in the form that conjugate_residuals() drives; ⟨a, b⟩ = Σ m_i a_i b_i.
struct Dense {
  Matrix A;
  Values m, b, x;
  Values r, Ar, p, Ap;

  double inner(const Values& u, const Values& v) const {
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += m[i] * u[i] * v[i];
    return sum;
  }
  double start() {
    r = b;
    const Values Ax = times(A, x);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= Ax[i];
    p.assign(r.size(), 0.0);
    Ap = p;
    return inner(r, r);
  }
  double multiply() {
    Ar = times(A, r);
    return inner(r, Ar);
  }
  double next_direction(double beta) {
    for (std::size_t i = 0; i < r.size(); ++i) {
      p[i] = r[i] + beta * p[i];
      Ap[i] = Ar[i] + beta * Ap[i];
    }
    return inner(Ap, Ap);
  }
  double advance(double alpha) {
    for (std::size_t i = 0; i < r.size(); ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * Ap[i];
    }
    return inner(r, r);
  }
  double solution_norm() const { return std::sqrt(inner(x, x)); }
};

constexpr double kAnyError = std::numeric_limits<double>::infinity();

double between(Rng& rng, double low, double high) { return low + (high - low) * rng.uniform(); }

// Random vectors, orthonormal in the inner product of the system.
std::vector<Values> random_basis(Rng& rng, const Dense& s) {
  std::vector<Values> basis;
  while (basis.size() < s.m.size()) {
    Values q(s.m.size());
    for (double& x : q) x = between(rng, -1, 1);
    for (int twice = 0; twice < 2; ++twice)
      for (const Values& other : basis) {
        const double part = s.inner(q, other);
        for (std::size_t i = 0; i < q.size(); ++i) q[i] -= part * other[i];
      }
    const double length = std::sqrt(s.inner(q, q));
    if (length < 0.1) continue;
    for (double& x : q) x /= length;
    basis.push_back(q);
  }
  return basis;
}

// A = Σ λ q qᵀ M: symmetric in the inner product of the masses M, as the operator of (M17) is, but not as a matrix.
Dense random_system(Rng& rng, std::size_t n, bool indefinite) {
  Dense s{Matrix(n, Values(n, 0.0)), Values(n), Values(n), Values(n), {}, {}, {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    s.m[i] = between(rng, 0.2, 5);
    s.b[i] = between(rng, -1, 1);
    s.x[i] = between(rng, -1, 1);
  }
  for (const Values& q : random_basis(rng, s)) {
    const double lambda = between(rng, 0.2, 5) * (indefinite && rng.uniform() < 0.3 ? -1 : 1);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) s.A[i][j] += lambda * q[i] * q[j] * s.m[j];
  }
  return s;
}

// Elimination with pivots.
Values solve_directly(Matrix A, Values b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(A[r][c]) > std::abs(A[pivot][c])) pivot = r;
    std::swap(A[c], A[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double f = A[r][c] / A[c][c];
      for (std::size_t k = c; k < n; ++k) A[r][k] -= f * A[c][k];
      b[r] -= f * b[c];
    }
  }
  for (std::size_t r = n; r-- > 0;) {
    for (std::size_t k = r + 1; k < n; ++k) b[r] -= A[r][k] * b[k];
    b[r] /= A[r][r];
  }
  return b;
}

void expect_solved(Dense& system, double tolerance) {
  const Values exact = solve_directly(system.A, system.b);
  double size = 0, error = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    size = std::max(size, std::abs(exact[i]));
    error = std::max(error, std::abs(system.x[i] - exact[i]));
  }
  EXPECT_LE(error, tolerance * size);
}

TEST(ConjugateResiduals, PositiveSystemsAreSolvedWithinTheirSize) {
  Rng rng(401);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 1 + static_cast<std::size_t>(trial % 12);
    Dense s = random_system(rng, n, false);
    const LinearResult result = conjugate_residuals(s, {1e-9, 0, kAnyError, static_cast<int>(n)});
    EXPECT_TRUE(result.converged) << n << ' ' << result.residual;
    EXPECT_LE(result.residual, 1e-9);
    EXPECT_LE(result.iterations, static_cast<int>(n));
    expect_solved(s, 1e-7);  // of the residual's 1e-9, condition number and masses make a hundred times more
  }
}

// In exact arithmetic n iterations are enough; near a breakdown rounding may ask for a few more.
TEST(ConjugateResiduals, IndefiniteSystemsAreSolvedWithinTheirSize) {
  Rng rng(403);
  int within = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t n = 2 + static_cast<std::size_t>(trial % 8);
    Dense s = random_system(rng, n, true);
    const LinearResult result = conjugate_residuals(s, {1e-8, 0, kAnyError, 3 * static_cast<int>(n)});
    EXPECT_TRUE(result.converged) << n << ' ' << result.residual;
    within += result.iterations <= static_cast<int>(n);
    expect_solved(s, 1e-6);
  }
  EXPECT_GE(within, 190);
}

TEST(ConjugateResiduals, ResidualsOfPositiveSystemsNeverGrow) {
  Rng rng(407);
  const Dense start = random_system(rng, 12, false);
  double last = 1;
  for (int iterations = 1; iterations <= 12; ++iterations) {
    Dense s = start;
    const LinearResult result = conjugate_residuals(s, {0, 0, kAnyError, iterations});
    EXPECT_LE(result.residual, last);
    last = result.residual;
  }
}

TEST(ConjugateResiduals, ASolvedSystemTakesNoIterations) {
  Rng rng(409);
  Dense s = random_system(rng, 5, false);
  s.b.assign(5, 0.0);
  s.x.assign(5, 0.0);
  const LinearResult result = conjugate_residuals(s, {1e-6, 0, kAnyError, 100});
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.residual, 0);
}

TEST(ConjugateResiduals, AResidualOfRoundingTakesNoIterations) {
  Rng rng(419);
  Dense s = random_system(rng, 5, false);
  s.x = solve_directly(s.A, s.b);
  const Values before = s.x;
  const LinearResult result = conjugate_residuals(s, {1e-6, 1e-10, kAnyError, 100});
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(s.x, before);
}

TEST(ConjugateResiduals, TheStartCountsAndIsNotLost) {
  Rng rng(421);
  Dense s = random_system(rng, 10, false);
  s.x = solve_directly(s.A, s.b);
  for (double& x : s.x) x += 1e-6;
  const LinearResult result = conjugate_residuals(s, {1e-3, 0, kAnyError, 10});
  EXPECT_TRUE(result.converged);
  expect_solved(s, 1e-6);
}

TEST(ConjugateResiduals, StoppingEarlyIsReported) {
  Rng rng(431);
  Dense s = random_system(rng, 12, false);
  const LinearResult result = conjugate_residuals(s, {1e-12, 0, kAnyError, 3});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_GT(result.residual, 1e-12);
}

// ⟨r, Ar⟩ = 0 at the start: the method cannot move, and says so instead of returning nonsense.
TEST(ConjugateResiduals, ABreakdownIsReportedAndLeavesAFiniteAnswer) {
  Dense s{{{0, 1}, {1, 0}}, {1, 1}, {1, 0}, {0, 0}, {}, {}, {}, {}};
  const LinearResult result = conjugate_residuals(s, {1e-6, 0, kAnyError, 100});
  EXPECT_FALSE(result.converged);
  for (const double x : s.x) EXPECT_TRUE(std::isfinite(x));
}

TEST(ConjugateResiduals, ASystemThatIsNotFiniteIsReported) {
  Dense s{{{1, 0}, {0, NAN}}, {1, 1}, {1, 1}, {0, 0}, {}, {}, {}, {}};
  EXPECT_FALSE(conjugate_residuals(s, {1e-6, 0, kAnyError, 100}).converged);
  s.A[1][1] = 0;  // singular, and b is not in its range
  s.x = {0, 0};
  EXPECT_FALSE(conjugate_residuals(s, {1e-6, 0, kAnyError, 100}).converged);
}

// A tolerance relative to the first residual says nothing when that one is huge, as in hard snow.
TEST(ConjugateResiduals, GoOnUntilTheResidualIsLittleAgainstTheSolutionOrSayThatRoundingKeepsItFrom) {
  constexpr double kError = 1e-5;
  for (const double rounding : {0.0, 100.0}) {
    Rng rng(64);
    Dense s = random_system(rng, 12, false);
    for (double& x : s.x) x = 1e6;
    const LinearResult result = conjugate_residuals(s, {1e-3, rounding, kError, 100});
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.trusted, rounding == 0);
    EXPECT_EQ(std::sqrt(s.inner(s.r, s.r)) <= kError * s.solution_norm(), rounding == 0);
  }
}

}  // namespace
}  // namespace firn
