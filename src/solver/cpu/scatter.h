// Steps 1 and 3 together, apart because each stage is a file: a block's particles add mass, momentum and force to the block's own tiles.
#pragma once

#include "solver/cpu/scratch.h"
#include "solver/cpu/transfer.h"

namespace firn::cpu {

template <class T, int D, class Kernel, bool Apic>
class Scatter {
 public:
  Scatter(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch)
      : store_(store),
        scratch_(scratch),
        inverse_h_(T(1 / model.h)),
        affine_scale_(T(Kernel::kInverseD / model.h)),  // D⁻¹ in 1/h², distances in cells
        implicit_(model.implicit()),
        checks_energy_(model.checks_energy()) {}

  // also(stencils, slot, count) is called for each group of its particles.
  template <class Also>
  void block(std::size_t b, Also&& also) const {
    const ParticleBlock<D>& particles = store_.blocks[b];
    store_.particles.fetch(particles.slot(0));
    RowTile<T, D> momentum, force;
    momentum.clear();
    force.clear();
    Limits limits;
    Stencils<T, D, Kernel> stencils;
    Sources sources;
    std::uint32_t next = 0;
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      next += kGroup<T>;
      if (next < particles.count) store_.particles.fetch(particles.slot(next));
      stencils.compute(store_.particles, at, particles.first_cell);
      also(stencils, at, n);
      prepare(at, n, particles.rest == Rest::kAwake, sources, limits);
      for (int l = 0; l < n; ++l) {
        scatter_momentum<T, D, Kernel, Apic>(stencils, l, sources.momentum[l], sources.affine, momentum.values);
        scatter_force<T, D, Kernel>(stencils, l, sources.force, force.values);
        if (implicit_) scatter_stiffness<T, D, Kernel>(stencils, l, sources.stiffness[l], force.values);
      }
    });
    const OwnTiles<D>& own = place_tiles(particles);
    make_tile(own, scratch_.momentum_tiles, [&](T* nodes) { momentum.fold(nodes); });
    make_tile(own, scratch_.force_tiles, [&](T* nodes) { force.fold(nodes); });
    BlockReport& report = scratch_.reports[particles.place];
    report.limits = {horizontal_max(limits.wave), std::sqrt(horizontal_max(limits.soft_wave_squared)), horizontal_max(limits.speed)};
    report.energy = sum_of<T>(limits.energy);
  }

 private:
  // What a group adds to its nodes, a quad of channels per particle.
  struct Sources {
    alignas(64) T momentum[kGroup<T>][kChannels];
    alignas(64) T force[D][kGroup<T>][kChannels];
    alignas(64) T affine[Apic ? D : 1][kGroup<T>][kChannels];
    alignas(64) T stiffness[kGroup<T>];  // semi-implicit: of the preconditioner
  };

  struct Limits {
    Lanes<T> wave{T(0)}, soft_wave_squared{T(0)}, speed{T(0)};
    Lanes<T> energy{T(0)};  // J, where it is checked
  };

  // The sources of a group; raises the limits of the time step, and adds up energies.
  void prepare(std::size_t at, int n, bool awake, Sources& sources, Limits& limits) const {
    const Particles<T, D>& ps = store_.particles;
    const Mat<Lanes<T>, D> F_E = load_mat<D>(ps.F_E, at);
    const Vec<Lanes<T>, D> v = load_vec<T, D>(ps.velocity, at);
    const Lanes<T> mass = Lanes<T>::load(ps.mass.at(at)), volume = Lanes<T>::load(ps.volume.at(at));
    const SnowParameters<Lanes<T>> s = load_materials(scratch_.materials, ps, at, n);
    const Lame<Lanes<T>> l = hardened(s, Lanes<T>::load(ps.J_P.at(at)));
    const Mat<Lanes<T>, D> R = rotation_near(F_E);
    const Mat<Lanes<T>, D> A = (-inverse_h_ * volume) * (first_piola(F_E, R, l) * transpose(F_E));  // (M6)

    const LaneMask<T> used = first_lanes<T>(n);
    const Lanes<T> compliance = volume / mass, own_speed = norm(v), zero(T(0));
    limits.wave = max(limits.wave, select(used, sqrt((l.lambda + T(2) * l.mu) * compliance) + own_speed, zero));
    limits.soft_wave_squared = max(limits.soft_wave_squared, select(used, (s.lambda0 + T(2) * s.mu0) * compliance, zero));
    limits.speed = max(limits.speed, select(used, own_speed, zero));

    lanes_to_quads(mass, mass * v[0], mass * v[1], D == 3 ? mass * v[D - 1] : zero, sources.momentum[0]);
    store_columns<T, D>(A, sources.force);
    if constexpr (Apic) store_columns<T, D>((affine_scale_ * mass) * load_mat<D>(ps.B, at), sources.affine);
    if (checks_energy_) {
      Lanes<T> energy = T(0.5) * mass * dot(v, v) + volume * energy_density(F_E, R, l);
      if constexpr (Apic) {
        const Mat<Lanes<T>, D> B = load_mat<D>(ps.B, at);
        energy = energy + (T(0.5) * affine_scale_ * inverse_h_) * mass * contract(B, B);
      }
      limits.energy = limits.energy + select(used, energy, zero);
    }
    if (implicit_) {
      if (awake) keep_for_solve(at, R, l);
      // At rest a node's block of H is the sum of V⁰ (mu |grad w|² I + (mu + lambda) grad w grad wᵀ); this is its mean eigenvalue.
      ((inverse_h_ * inverse_h_) * volume * (l.mu + (l.mu + l.lambda) * T(1.0 / D))).store(sources.stiffness);
    }
  }

  void keep_for_solve(std::size_t at, const Mat<Lanes<T>, D>& R, const Lame<Lanes<T>>& l) const {
    store_all(scratch_.solve_rotation(), at, R.a);
    l.mu.store(scratch_.solve_mu().at(at));
    l.lambda.store(scratch_.solve_lambda().at(at));
  }

  // Small tiles go where the particles are: a stencil begins one node before its cell, as a block's nodes do before the block.
  const OwnTiles<D>& place_tiles(const ParticleBlock<D>& block) const {
    OwnTiles<D>& own = scratch_.tiles[block.place];
    for (std::uint32_t i = 0; !own.whole() && i < own.particles; ++i)
      for (int d = 0; d < D; ++d) own.first[i][d] = store_.particles.cell[d][block.slot(i)] - block.first_cell[d];
    return own;
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  T inverse_h_, affine_scale_;
  bool implicit_, checks_energy_;
};

}  // namespace firn::cpu
