// Step 6: the linear system (M17) on the sparse grid, for conjugate_residuals.h. Every row is scaled by a number s per node,
// 1/(1 + beta dt² m⁻¹ times the diagonal of H), which makes hardened and soft snow look alike to the solver; the scaled operator is
// symmetric in the inner product with weights m/s.
#pragma once

#include "solver/cpu/cpu_state.h"
#include "solver/cpu/parallel.h"

namespace firn::cpu {

template <class T, int D, class Kernel>
class ImplicitSystem {
 public:
  using Shape = BlockShape<D>;
  static constexpr std::size_t kBlockValues = CpuState<T, D>::kBlockValues;
  static constexpr std::size_t kTileValues = CpuState<T, D>::kTileValues;

  ImplicitSystem(const Model& model, CpuState<T, D>& state, double dt)
      : state_(state),
        inverse_h2_(T(1 / (model.h * model.h))),
        scale_(T(model.solver.beta * dt * dt)),
        mass_floor_(T(model.mass_floor)) {}

  // The size of v* in the mass inner product.
  double velocity_norm() {
    return std::sqrt(sum_blocks([&](std::size_t b) {
      return sum_nodes(b, [&](T mass, std::size_t at) { return mass * product(&state_.velocity[at], &state_.velocity[at]); });
    }));
  }

  // r ← s P (v* − A v) with v = v*, so only the elastic part is left.
  double start() {
    hessian(state_.velocity);
    return sum_blocks([&](std::size_t b) {
      std::fill_n(&state_.p[b * kBlockValues], kBlockValues, T(0));
      std::fill_n(&state_.Ap[b * kBlockValues], kBlockValues, T(0));
      sum_tiles(state_, b, state_.force_tiles, &state_.r[b * kBlockValues], true);
      return sum_nodes(b, [&](T mass, std::size_t at) {
        T* r = &state_.r[at];
        const T k = -factor(mass) * scaling(at);
        Vec<T, D> u;
        for (int d = 0; d < D; ++d) u[d] = k * r[1 + d];
        put(r, project(at, u));
        return residual_norm2(mass, at);
      });
    });
  }

  double multiply() {
    hessian(state_.r);
    return sum_blocks([&](std::size_t b) {
      sum_tiles(state_, b, state_.force_tiles, &state_.Ar[b * kBlockValues], true);
      return sum_nodes(b, [&](T mass, std::size_t at) {
        T* Ar = &state_.Ar[at];
        const T* r = &state_.r[at];
        const T k = factor(mass), s = scaling(at);
        Vec<T, D> u;
        for (int d = 0; d < D; ++d) u[d] = s * (r[1 + d] + k * Ar[1 + d]);
        put(Ar, project(at, u));
        return weight(mass, at) * product(r, Ar);
      });
    });
  }

  double direct(double beta) {
    const T k = T(beta);
    return sum_blocks([&](std::size_t b) {
      return sum_nodes(b, [&](T mass, std::size_t at) {
        for (int c = 1; c <= D; ++c) {
          state_.p[at + c] = state_.r[at + c] + k * state_.p[at + c];
          state_.Ap[at + c] = state_.Ar[at + c] + k * state_.Ap[at + c];
        }
        return weight(mass, at) * product(&state_.Ap[at], &state_.Ap[at]);
      });
    });
  }

  double advance(double alpha) {
    const T k = T(alpha);
    return sum_blocks([&](std::size_t b) {
      return sum_nodes(b, [&](T mass, std::size_t at) {
        for (int c = 1; c <= D; ++c) {
          state_.velocity[at + c] += k * state_.p[at + c];
          state_.r[at + c] -= k * state_.Ap[at + c];
        }
        return residual_norm2(mass, at);
      });
    });
  }

 private:
  // force_tiles ← H u (M18); the forces themselves have done their work by now
  void hessian(const Array<T>& u) {
    parallel_for(state_.awake.size(), [&](std::size_t i) {
      const std::uint32_t b = state_.awake[i];
      const ParticleBlock<D>& particles = state_.blocks[b];
      if (particles.rest != Rest::kAwake) return;
      alignas(64) T nodes[kTileValues];
      load_tile(state_, b, u, nodes);
      RowTile<T, D> in, out;
      in.unfold(nodes);
      out.clear();
      Stencils<T, D, Kernel> stencils;
      alignas(64) T quads[D][kGroup<T>][kChannels];
      particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
        stencils.compute(state_.particles, at, particles.first_cell);
        for (int l = 0; l < n; ++l) gather_gradient(stencils, l, in.values, quads);
        store_columns<T, D>(contract_hessian(at, load_columns<T, D>(quads)), quads);
        for (int l = 0; l < n; ++l) scatter_force<T, D, Kernel>(stencils, l, quads, out.values);
      });
      out.fold(state_.force_tiles.data() + particles.place * kTileValues);
    });
  }

  // V⁰ [Psi'' : (grad u F_E)] F_Eᵀ, with both gradients per cell.
  Mat<Lanes<T>, D> contract_hessian(std::size_t at, const Mat<Lanes<T>, D>& grad_u) const {
    const Particles<T, D>& ps = state_.particles;
    const Mat<Lanes<T>, D> F_E = load_mat<D>(ps.F_E, at), R = load_mat<D>(state_.solve_rotation(), at);
    const Lame<Lanes<T>> l{Lanes<T>::load(state_.solve_mu().at(at)), Lanes<T>::load(state_.solve_lambda().at(at))};
    const Mat<Lanes<T>, D> dP = piola_derivative(F_E, R, l, grad_u * F_E);
    return (inverse_h2_ * Lanes<T>::load(ps.volume.at(at))) * (dP * transpose(F_E));
  }

  T factor(T mass) const { return mass >= mass_floor_ ? scale_ / mass : T(0); }

  Vec<T, D> project(std::size_t at, const Vec<T, D>& u) const { return state_.constraints[at / kChannels].project(u); }

  static void put(T* to, const Vec<T, D>& u) {
    for (int d = 0; d < D; ++d) to[1 + d] = u[d];
  }

  // Channel 0 of the velocities holds s.
  T scaling(std::size_t at) const { return state_.velocity[at]; }
  double weight(T mass, std::size_t at) const { return double(mass) / double(scaling(at)); }

  // Of the residual before scaling, in the mass inner product: the preconditioner does not change when to stop.
  double residual_norm2(T mass, std::size_t at) const {
    const double s = scaling(at);
    return double(mass) * product(&state_.r[at], &state_.r[at]) / (s * s);
  }

  static double product(const T* a, const T* b) {
    double sum = 0;
    for (int c = 1; c <= D; ++c) sum += double(a[c]) * double(b[c]);
    return sum;
  }

  // Over the nodes of a block that have mass; others stay zero.
  template <class F>
  double sum_nodes(std::size_t b, F f) {
    double sum = 0;
    for (int i = 0; i < Shape::kNodes; ++i) {
      const std::size_t at = b * kBlockValues + i * kChannels;
      const T mass = state_.mass_velocity[at];
      if (mass > T(0)) sum += f(mass, at);
    }
    return sum;
  }

  // Partial sums in block order, whatever the threads do.
  template <class F>
  double sum_blocks(F f) {
    parallel_for(state_.active.size(), [&](std::size_t i) { state_.partial[i] = f(state_.active[i]); });
    double sum = 0;
    for (std::size_t i = 0; i < state_.active.size(); ++i) sum += state_.partial[i];
    return sum;
  }

  CpuState<T, D>& state_;
  T inverse_h2_, scale_, mass_floor_;
};

}  // namespace firn::cpu
