// The singular value decomposition F = U diag(sigma) Vᵀ of a matrix that is far from singular, by Jacobi rotations of FᵀF.
#pragma once

#include <cmath>

#include "math/vec.h"

namespace textbook {

using Vec = firn::Vec<float, 3>;
using Mat = firn::Mat<float, 3>;

struct Svd {
  Mat U;
  Vec sigma;
  Mat V;
};

// Makes entry (p, q) of the symmetric A zero; r is the third index.
template <int p, int q, int r>
inline void rotate(Mat& A, Mat& V) {
  const float d = A(q, q) - A(p, p), off = 2 * A(p, q);
  if (off == 0) return;
  const float t = (d < 0 ? -off : off) / (std::fabs(d) + std::sqrt(d * d + off * off));
  const float c = 1 / std::sqrt(1 + t * t), s = c * t;
  const float shift = t * A(p, q), rp = A(r, p), rq = A(r, q);
  A(p, p) -= shift;
  A(q, q) += shift;
  A(p, q) = A(q, p) = 0;
  A(r, p) = A(p, r) = c * rp - s * rq;
  A(r, q) = A(q, r) = s * rp + c * rq;
  for (int i = 0; i < 3; ++i) {
    const float vp = V(i, p), vq = V(i, q);
    V(i, p) = c * vp - s * vq;
    V(i, q) = s * vp + c * vq;
  }
}

inline Svd decompose(const Mat& F) {
  constexpr int kMaxSweeps = 6;
  constexpr float kSmall = 1e-12f;  // square of what an off-diagonal entry may still be, against the diagonal
  Mat A = transpose(F) * F;
  Svd svd{F, Vec::zero(), Mat::identity()};
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    const float off = A(0, 1) * A(0, 1) + A(0, 2) * A(0, 2) + A(1, 2) * A(1, 2);
    const float trace = A(0, 0) + A(1, 1) + A(2, 2);
    if (off <= kSmall * trace * trace) break;
    rotate<0, 1, 2>(A, svd.V);
    rotate<0, 2, 1>(A, svd.V);
    rotate<1, 2, 0>(A, svd.V);
  }
  svd.U = F * svd.V;
  for (int j = 0; j < 3; ++j) {
    svd.sigma[j] = norm(column(svd.U, j));
    set_column(svd.U, j, (1 / svd.sigma[j]) * column(svd.U, j));
  }
  return svd;
}

}  // namespace textbook
