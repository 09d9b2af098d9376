// Step 6, apart because each stage is a file: the linear system (M17) on the sparse grid, for conjugate_residuals.h. Every row is scaled by
// a number s per node, 1/(1 + beta dt² m⁻¹ times the diagonal of H), which makes hardened and soft snow look alike to the solver; the
// scaled operator is symmetric in the inner product with weights m/s.
#pragma once

#include "grid/exchange.h"
#include "solver/cpu/parallel.h"
#include "solver/cpu/scratch.h"

namespace firn::cpu {

// Blocks of so many particles or fewer are in thin snow.
inline constexpr std::uint32_t kFewParticles = 16;

template <class T, int D, class Kernel>
class ImplicitSystem {
 public:
  using Shape = BlockShape<D>;
  static constexpr std::size_t kBlockValues = Scratch<T, D>::kBlockValues;
  static constexpr std::size_t kTileValues = Scratch<T, D>::kTileValues;

  ImplicitSystem(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, double dt)
      : store_(store),
        scratch_(scratch),
        inverse_h2_(T(1 / (model.h * model.h))),
        scale_(T(model.solver.beta * dt * dt)),
        mass_floor_(T(model.mass_floor)),
        cells_per_speed_(T(dt / model.h)),
        courant_(T(model.solver.courant)),
        plastic_(model.solver.tangent == Tangent::kPlastic) {}

  // force_tiles ← H v^{n+1}, of the particle blocks that reach a node block where bodies hold something. Returns these node blocks.
  std::vector<std::uint32_t> push_of_held() {
    std::vector<std::uint32_t> held;
    std::vector<std::uint8_t> reaches(store_.blocks.size());
    for (const std::uint32_t b : scratch_.active) {
      if (!scratch_.has_held[b]) continue;
      held.push_back(b);
      for (const std::int32_t tile : scratch_.grid.tiles_of(b))
        if (tile != SparseGrid<D>::kNone) reaches[tile] = 1;
    }
    std::vector<std::uint32_t> pushing;
    for (const std::uint32_t b : resisting_)
      if (reaches[b]) pushing.push_back(b);
    hessian(scratch_.velocity, pushing);
    return held;
  }

  // Of v in the mass inner product.
  double solution_norm() {
    return std::sqrt(sum_blocks(scratch_.active, [&](std::size_t b) {
      double sum = 0;
      for_each_node(b, [&](std::size_t at) {
        const T* v = &scratch_.velocity[at];
        for (int c = 1; c <= D; ++c) sum += double(scratch_.mass_velocity[at]) * double(v[c]) * double(v[c]);
      });
      return sum;
    }));
  }

  // r ← s P (v* − A v) with v = v*, so only the elastic part is left. Channel 0 of the vectors holds what all passes need of a node.
  double start() {
    find_resisting();
    hessian(scratch_.velocity, resisting_);
    return sum_blocks(solved_, [&](std::size_t b) {
      std::fill_n(&scratch_.p[b * kBlockValues], kBlockValues, T(0));
      std::fill_n(&scratch_.Ap[b * kBlockValues], kBlockValues, T(0));
      sum_tiles(store_, scratch_, b, scratch_.force_tiles, &scratch_.r[b * kBlockValues], true);
      double sum = 0;
      for_each_node(b, [&](std::size_t at) {
        const T mass = scratch_.mass_velocity[at], s = scratch_.velocity[at];
        if (!(mass > T(0))) return;
        T* r = &scratch_.r[at];
        scratch_.Ap[at] = (mass >= mass_floor_ ? scale_ / mass : T(0)) * s;
        for (int c = 1; c <= D; ++c) r[c] *= -scratch_.Ap[at];
        project(at, r);
        r[0] = mass / s;
        scratch_.p[at] = mass / (s * s);
        for (int c = 1; c <= D; ++c) sum += double(scratch_.p[at]) * double(r[c]) * double(r[c]);
      });
      return sum;
    });
  }

  double multiply() {
    hessian(scratch_.r, resisting_);
    return sum_blocks(solved_, [&](std::size_t b) {
      const bool held = scratch_.has_held[b];
      WideRow sum(0.0);
      for_each_sum(store_, scratch_, b, scratch_.force_tiles, true, [&](int node, const Row<T>& Hr) {
        const std::size_t at = b * kBlockValues + node;
        const Row<T> r = Row<T>::load(&scratch_.r[at]), s = spread_first_channel(Row<T>::load(&scratch_.velocity[at]));
        Row<T> Ar = s * r + spread_first_channel(Row<T>::load(&scratch_.Ap[at])) * Hr;
        Ar.store(&scratch_.Ar[at]);
        if (held) {
          for (int k = 0; k < kRowNodes; ++k) project(at + k * kChannels, &scratch_.Ar[at + k * kChannels]);
          Ar = Row<T>::load(&scratch_.Ar[at]);
        }
        sum = sum + weighted(r, r, Ar);
      });
      return vector_part(sum);
    });
  }

  double next_direction(double beta) {
    const Row<T> k = row(T(1), T(beta)), vector = row(T(0), T(1));
    return sum_blocks(solved_, [&](std::size_t b) {
      WideRow sum(0.0);
      for_each_row(b, [&](std::size_t at) {
        const Row<T> r = Row<T>::load(&scratch_.r[at]);
        const Row<T> Ap = vector * Row<T>::load(&scratch_.Ar[at]) + k * Row<T>::load(&scratch_.Ap[at]);
        (vector * r + k * Row<T>::load(&scratch_.p[at])).store(&scratch_.p[at]);
        Ap.store(&scratch_.Ap[at]);
        sum = sum + weighted(r, Ap, Ap);
      });
      return vector_part(sum);
    });
  }

  double advance(double alpha) {
    const Row<T> k = row(T(0), T(alpha));
    return sum_blocks(solved_, [&](std::size_t b) {
      WideRow sum(0.0);
      for_each_row(b, [&](std::size_t at) {
        const Row<T> p = Row<T>::load(&scratch_.p[at]), r = Row<T>::load(&scratch_.r[at]) - k * Row<T>::load(&scratch_.Ap[at]);
        (Row<T>::load(&scratch_.velocity[at]) + k * p).store(&scratch_.velocity[at]);
        r.store(&scratch_.r[at]);
        sum = sum + weighted(p, r, r);  // of the residual before scaling: the preconditioner does not change when to stop
      });
      return vector_part(sum);
    });
  }

 private:
  // Blocks with particles that resist what the step does, and the node blocks they reach. All others keep v*.
  void find_resisting() {
    parallel_for(scratch_.awake.size(), [&](std::size_t i) {
      const ParticleBlock<D>& particles = store_.blocks[scratch_.awake[i]];
      if (particles.rest != Rest::kAwake) return;
      scratch_.reports[particles.place].resists = !plastic_ || soften(scratch_.awake[i]);
    });
    std::vector<std::uint8_t> reached(scratch_.grid.node_block_count());
    for (const std::uint32_t b : scratch_.awake) {
      const ParticleBlock<D>& particles = store_.blocks[b];
      if (particles.rest != Rest::kAwake || !scratch_.reports[particles.place].resists) continue;
      resisting_.push_back(b);
      for (const std::uint32_t nodes : scratch_.grid.nodes_of(b)) reached[nodes] = 1;
    }
    for (const std::uint32_t b : scratch_.active)
      if (reached[b]) solved_.push_back(b);
  }

  // Particles that will yield, if v^n goes on, resist as far as they can (plastic_tangent); soft ones need not. Whether any does.
  bool soften(std::size_t b) {
    const ParticleBlock<D>& particles = store_.blocks[b];
    RowTile<T, D> velocity;
    Stencils<T, D, Kernel> stencils;
    alignas(64) T quads[D][kGroup<T>][kChannels] = {};
    bool resists = false;
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      const Particles<T, D>& ps = store_.particles;
      const Lame<Lanes<T>> l{Lanes<T>::load(scratch_.solve_mu().at(at)), Lanes<T>::load(scratch_.solve_lambda().at(at))};
      const LaneMask<T> solved =
          first_lanes<T>(n) & !takes_explicit_steps(l, Lanes<T>::load(ps.volume.at(at)), Lanes<T>::load(ps.mass.at(at)),
                                                    Lanes<T>(cells_per_speed_), Lanes<T>(courant_));
      Lanes<T> factor(T(0));
      if (any(solved)) {
        if (!resists) {
          alignas(64) T nodes[kTileValues];
          load_tile(scratch_, b, scratch_.mass_velocity, nodes);
          velocity.unfold(nodes);
          resists = true;
        }
        stencils.compute(ps, at, particles.first_cell);
        for (int k = 0; k < n; ++k) gather_gradient(stencils, k, velocity.values, quads);
        const Mat<Lanes<T>, D> F_E = load_mat<D>(ps.F_E, at);
        const Mat<Lanes<T>, D> change = Mat<Lanes<T>, D>::identity() + Lanes<T>(cells_per_speed_) * load_columns<T, D>(quads);
        const Lanes<T> tangent =
            plastic_tangent(F_E, load_mat<D>(scratch_.solve_rotation(), at), change * F_E, load_materials(scratch_.materials, ps, at, n));
        factor = select(solved, tangent, factor);
      }
      (factor * l.mu).store(scratch_.solve_mu().at(at));
      (factor * l.lambda).store(scratch_.solve_lambda().at(at));
    });
    return resists;
  }

  // force_tiles ← H u (M18); the forces themselves have done their work by now
  void hessian(const Array<T>& u, const std::vector<std::uint32_t>& blocks) {
    parallel_for(blocks.size(), [&](std::size_t i) {
      const ParticleBlock<D>& particles = store_.blocks[blocks[i]];
      alignas(64) T nodes[kTileValues];
      load_tile(scratch_, blocks[i], u, nodes);
      const OwnTiles<D>& own = scratch_.tiles[particles.place];
      make_tile(own, scratch_.force_tiles, [&](T* tile) {
        if (particles.count <= kFewParticles) {
          clear_tile(own, tile);
          hessian_of_block<PlainTile<T, D>>(particles, nodes, tile);
        } else {
          RowTile<T, D> in, out;
          in.unfold(nodes);
          out.clear();
          hessian_of_block<RowTile<T, D>>(particles, in.values, out.values);
          out.fold(tile);
        }
      });
    });
  }

  template <class Tile>
  void hessian_of_block(const ParticleBlock<D>& particles, const T* u, T* Hu) const {
    Stencils<T, D, Kernel, Tile> stencils;
    alignas(64) T quads[D][kGroup<T>][kChannels];
    fetch(particles.slot(0));
    std::uint32_t next = 0;
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      next += kGroup<T>;
      if (next < particles.count) fetch(particles.slot(next));
      const Lanes<T> mu = Lanes<T>::load(scratch_.solve_mu().at(at));
      if (!any(first_lanes<T>(n) & (mu > Lanes<T>(T(0))))) return;
      stencils.compute(store_.particles, at, particles.first_cell);
      for (int l = 0; l < n; ++l) gather_gradient(stencils, l, u, quads);
      contract_hessian(at, quads);
      for (int l = 0; l < n; ++l) scatter_force<T, D, Kernel>(stencils, l, quads, Hu);
    });
  }

  // Asks for what the next group needs: groups of a block lie anywhere.
  void fetch(std::size_t slot) const {
    const Particles<T, D>& ps = store_.particles;
    for (int d = 0; d < D; ++d) {
      ps.offset[d].fetch(slot);
      ps.cell[d].fetch(slot);
    }
    for (int k = 0; k < D * D; ++k) {
      ps.F_E[k].fetch(slot);
      scratch_.solve_rotation()[k].fetch(slot);
    }
    ps.volume.fetch(slot);
    scratch_.solve_mu().fetch(slot);
    scratch_.solve_lambda().fetch(slot);
  }

  // From grad u to V⁰ [Psi'' : (grad u F_E)] F_Eᵀ, both gradients per cell. One copy for both kinds of tiles, with all it calls in it.
  [[gnu::noinline, gnu::flatten]] void contract_hessian(std::size_t at, T (*quads)[kGroup<T>][kChannels]) const {
    const Particles<T, D>& ps = store_.particles;
    const Mat<Lanes<T>, D> F_E = load_mat<D>(ps.F_E, at), R = load_mat<D>(scratch_.solve_rotation(), at);
    const Lame<Lanes<T>> l{Lanes<T>::load(scratch_.solve_mu().at(at)), Lanes<T>::load(scratch_.solve_lambda().at(at))};
    const Mat<Lanes<T>, D> dP = piola_derivative(F_E, R, l, load_columns<T, D>(quads) * F_E);
    store_columns<T, D>((inverse_h2_ * Lanes<T>::load(ps.volume.at(at))) * (dP * transpose(F_E)), quads);
  }

  // The channels of a node: what does not change during the solve in channel 0 (of v: s, of r: m/s, of p: m/s², of Ap: s beta dt²/m), then
  // a vector. Nodes without mass have nothing but zeros.
  using WideRow = Pack<double, kRowNodes * kChannels>;

  static Row<T> row(T first, T others) {
    T channels[kChannels];
    std::fill_n(channels, kChannels, others);
    channels[0] = first;
    return repeat_channels(channels);
  }
  // a b with the numbers in channel 0 of `weights`.
  static WideRow weighted(const Row<T>& weights, const Row<T>& a, const Row<T>& b) {
    return convert_pack<double>(spread_first_channel(weights) * a) * convert_pack<double>(b);
  }
  static double vector_part(const WideRow& sum) {
    double part = 0;
    for (int k = 0; k < kRowNodes; ++k)
      for (int c = 1; c <= D; ++c) part += sum[k * kChannels + c];
    return part;
  }

  void project(std::size_t at, T* u) const {
    Vec<T, D> x;
    for (int d = 0; d < D; ++d) x[d] = u[1 + d];
    x = scratch_.constraints[at / kChannels].project(x);
    for (int d = 0; d < D; ++d) u[1 + d] = x[d];
  }

  template <class F>
  static void for_each_node(std::size_t b, F f) {
    for (int i = 0; i < Shape::kNodes; ++i) f(b * kBlockValues + i * kChannels);
  }

  template <class F>
  static void for_each_row(std::size_t b, F f) {
    for (int i = 0; i < Shape::kNodes; i += kRowNodes) f(b * kBlockValues + i * kChannels);
  }

  // Partial sums in block order, whatever the threads do.
  template <class F>
  double sum_blocks(const std::vector<std::uint32_t>& blocks, F f) {
    parallel_for(blocks.size(), [&](std::size_t i) { scratch_.partial[i] = f(blocks[i]); });
    return exchange::sum({scratch_.partial.data(), blocks.size()});
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  T inverse_h2_, scale_, mass_floor_, cells_per_speed_, courant_;
  bool plastic_;
  std::vector<std::uint32_t> resisting_, solved_;  // numbers of particle blocks and of node blocks, in order
};

}  // namespace firn::cpu
