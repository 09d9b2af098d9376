// Snow by the material point method as short programs write it: float, quadratic kernel, dense grid, APIC, explicit steps, one
// thread, particle by particle. The plain implementation that firn is compared with; the physics is that of docs/theory.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "eigen_svd.h"

namespace textbook {

struct Particle {
  Vec x, v;
  Mat F, C;  // elastic deformation; velocity gradient of APIC
  float Jp, mass, volume;
};

struct Node {
  Vec v;  // momentum while particles add to it
  float mass;
};

struct Snow {
  float mu, lambda, hardening, stretch_min, stretch_max, factor_limit;
};

struct Ground {
  float height, friction;
};

class Solver {
 public:
  static constexpr int kMargin = 12;  // cells around the particles at the start
  static constexpr int kBorder = 3;   // nodes at the grid's faces where everything stands still, so that nothing leaves it

  Solver(std::vector<Particle> particles, const Snow& snow, const Ground& ground, float h)
      : particles(std::move(particles)), snow_(snow), ground_(ground), h_(h), inverse_D_(4 / (h * h)) {
    Vec low = this->particles[0].x, high = low;
    for (const Particle& p : this->particles)
      for (int d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], p.x[d]);
        high[d] = std::max(high[d], p.x[d]);
      }
    for (int d = 0; d < 3; ++d) {
      origin_[d] = (std::floor(low[d] / h) - kMargin) * h;
      size_[d] = static_cast<int>((high[d] - origin_[d]) / h) + kMargin;
    }
    grid.resize(std::size_t(size_[0]) * size_[1] * size_[2]);
  }

  void scatter(float dt) {
    std::fill(grid.begin(), grid.end(), Node{});
    for (Particle& p : particles) {
      p.F = (Mat::identity() + dt * p.C) * p.F;
      const Svd svd = decompose(p.F);
      Vec sigma;
      for (int d = 0; d < 3; ++d) {
        sigma[d] = std::clamp(svd.sigma[d], snow_.stretch_min, snow_.stretch_max);
        p.Jp *= svd.sigma[d] / sigma[d];
      }
      p.F = svd.U * (Mat::diagonal(sigma) * transpose(svd.V));
      const float factor = std::clamp(std::exp(snow_.hardening * (1 - p.Jp)), 1 / snow_.factor_limit, snow_.factor_limit);
      const float J = sigma[0] * sigma[1] * sigma[2];
      // P Fᵀ = 2 mu (F − R) Fᵀ + lambda (J − 1) J
      const Mat stress = (2 * snow_.mu * factor) * ((p.F - svd.U * transpose(svd.V)) * transpose(p.F)) +
                         (snow_.lambda * factor * (J - 1) * J) * Mat::identity();
      const Mat affine = p.mass * p.C - (dt * p.volume * inverse_D_) * stress;
      const Stencil s(*this, p.x);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 3; ++k) {
            const float w = s.w[0][i] * s.w[1][j] * s.w[2][k];
            Node& node = grid[s.index(i, j, k)];
            node.v += w * (p.mass * p.v + affine * s.arm(i, j, k));
            node.mass += w * p.mass;
          }
    }
  }

  void move_grid(float dt, const Vec& gravity) {
    std::size_t at = 0;
    for (int i = 0; i < size_[0]; ++i)
      for (int j = 0; j < size_[1]; ++j)
        for (int k = 0; k < size_[2]; ++k, ++at) {
          Node& node = grid[at];
          if (node.mass <= 0) continue;
          node.v = (1 / node.mass) * node.v + dt * gravity;
          if (origin_[1] + h_ * j <= ground_.height && node.v[1] < 0) {
            const float slide = std::hypot(node.v[0], node.v[2]);
            const float kept = slide > 0 ? std::max(0.0f, 1 + ground_.friction * node.v[1] / slide) : 0;
            node.v = {kept * node.v[0], 0, kept * node.v[2]};
          }
          if (at_border(i, 0) || at_border(j, 1) || at_border(k, 2)) node.v = Vec::zero();
        }
  }

  void gather(float dt) {
    for (Particle& p : particles) {
      const Stencil s(*this, p.x);
      p.v = Vec::zero();
      p.C = Mat::zero();
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 3; ++k) {
            const Vec v = (s.w[0][i] * s.w[1][j] * s.w[2][k]) * grid[s.index(i, j, k)].v;
            p.v += v;
            p.C += outer(v, s.arm(i, j, k));
          }
      p.C = inverse_D_ * p.C;
      p.x += dt * p.v;
    }
  }

  std::vector<Particle> particles;
  std::vector<Node> grid;

 private:
  // The 27 nodes around a particle.
  struct Stencil {
    Stencil(const Solver& solver, const Vec& x) : h(solver.h_), row(solver.size_[2]), plane(solver.size_[1] * row) {
      int base[3];
      for (int d = 0; d < 3; ++d) {
        const float cells = (x[d] - solver.origin_[d]) / h;
        base[d] = static_cast<int>(cells - 0.5f);
        f[d] = cells - static_cast<float>(base[d]);
        w[d][0] = 0.5f * (1.5f - f[d]) * (1.5f - f[d]);
        w[d][1] = 0.75f - (f[d] - 1) * (f[d] - 1);
        w[d][2] = 0.5f * (f[d] - 0.5f) * (f[d] - 0.5f);
      }
      first = (base[0] * plane) + base[1] * row + base[2];
    }
    int index(int i, int j, int k) const { return first + i * plane + j * row + k; }
    Vec arm(int i, int j, int k) const { return {h * (i - f[0]), h * (j - f[1]), h * (k - f[2])}; }

    float h, f[3], w[3][3];
    int row, plane, first;
  };

  bool at_border(int i, int d) const { return i < kBorder || i >= size_[d] - kBorder; }

  Snow snow_;
  Ground ground_;
  float h_, inverse_D_;  // D⁻¹ of APIC
  Vec origin_;
  int size_[3];
};

}  // namespace textbook
