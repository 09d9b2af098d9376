// Steps 7 to 10 for one block: from the grid's new velocities to the particles' next state. Apart because each stage is a file.
#pragma once

#include "solver/cpu/grid_pass.h"
#include "solver/cpu/motion.h"
#include "solver/cpu/scratch.h"
#include "solver/cpu/transfer.h"

namespace firn::cpu {

template <class T, int D, class Kernel, bool Apic>
class Gather {
 public:
  using Shape = BlockShape<D>;
  static constexpr std::size_t kTileValues = Scratch<T, D>::kTileValues;

  Gather(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, double dt, const std::vector<Body<T, D>>& bodies)
      : store_(store),
        scratch_(scratch),
        bodies_(bodies),
        motion_(model, store, scratch, dt),
        h_(T(model.h)),
        cells_per_speed_(T(dt / model.h)),
        flip_ratio_(T(model.flip_ratio(dt))),
        support_(T(std::pow(Kernel::kSupport * model.h, D))),
        affine_energy_(T(0.5 * Kernel::kInverseD / (model.h * model.h))),
        kept_(T(std::exp(-model.damping * dt))),
        dt_(T(dt)),
        sleep_(model.solver.sleep),
        checks_energy_(model.checks_energy()),
        holds_(model.holds()) {}

  // also(stencils, slot, count) is called for each group of its particles.
  template <class Also>
  void block(std::size_t b, Also&& also) const {
    ParticleBlock<D>& particles = store_.blocks[b];
    store_.particles.fetch(particles.slot(0));
    RowTile<T, D> velocity, mixed;
    load_velocities(b, velocity, mixed);
    const bool in_reach = !holds_ || !scratch_.contact_tiles[particles.place].bodies.empty();
    std::vector<Body<T, D>> near;
    if (in_reach) near_bodies(bodies_, particles.first_cell, Shape::kEdge, h_, near, holds_ ? T(kWidestGap) : T(0));
    const T travel = farthest_travel(near, particles);
    BlockReport& report = scratch_.reports[particles.place];
    report.attempt = {};
    particles.speed = particles.unbalanced = 0;
    particles.limited = 0;
    start_loads(near, report.loads);
    report.relaxed = report.capped = 0;
    Energies energies;
    Stencils<T, D, Kernel> stencils;
    Gathered<T, D> gathered{};  // lanes without a particle are computed too
    std::uint32_t first = 0;
    particles.template for_each_pack<kGroup<T>>([&](std::size_t at, int n) {
      if (first + kGroup<T> < particles.count) store_.particles.fetch(particles.slot(first + kGroup<T>));
      scratch_.next.fetch_to_write(at);
      stencils.compute(store_.particles, at, particles.first_cell);
      for (int l = 0; l < n; ++l) gather_lane(stencils, l, velocity, mixed, gathered);
      also(stencils, at, n);
      update({at, n, first, travel}, gathered, near, particles, report, energies);
      scratch_.migration.note(particles, b, scratch_.next, first, at, n);
      first += kGroup<T>;
    });
    report.dissipated = sum_of<T>(energies.dissipated);
    report.energy_after = sum_of<T>(energies.after);
  }

 private:
  struct Energies {
    Lanes<T> dissipated{T(0)}, after{T(0)};  // J
  };

  // v^{n+1}; for FLIP also v^{n+1} − alpha v^n, so that one sum serves (M10).
  void load_velocities(std::size_t b, RowTile<T, D>& velocity, RowTile<T, D>& mixed) const {
    alignas(64) T now[kTileValues];
    load_tile(scratch_, b, scratch_.velocity, now);
    velocity.unfold(now);
    if constexpr (Apic) return;
    alignas(64) T before[kTileValues];
    load_tile(scratch_, b, scratch_.mass_velocity, before);
    for (std::size_t i = 0; i < kTileValues; ++i) before[i] = now[i] - flip_ratio_ * before[i];
    mixed.unfold(before);
  }

  static void gather_lane(const Stencils<T, D, Kernel>& stencils, int l, const RowTile<T, D>& velocity, const RowTile<T, D>& mixed,
                          Gathered<T, D>& to) {
    if constexpr (Apic) return gather_affine(stencils, l, velocity.values, to);
    gather_gradient(stencils, l, velocity.values, to.gradient);
    gather_value(stencils, l, mixed.values, to.value[l]);
  }

  // A group of a block: its slots, its place among the block's, and how far bodies come in this step, m.
  struct Place {
    std::size_t at;
    int n;
    std::uint32_t first;
    T travel;
  };

  void update(const Place& place, Gathered<T, D>& gathered, const std::vector<Body<T, D>>& near, ParticleBlock<D>& block,
              BlockReport& report, Energies& energies) const {
    const Particles<T, D>& ps = store_.particles;
    const auto [at, n, first, travel] = place;
    // Step 7.
    const Mat<Lanes<T>, D> gradient = load_columns<T, D>(gathered.gradient);  // m/s per cell
    const Mat<Lanes<T>, D> change = Mat<Lanes<T>, D>::identity() + Lanes<T>(cells_per_speed_) * gradient;
    const SnowParameters<Lanes<T>> s = load_materials(scratch_.materials, ps, at, n);
    const PlasticResult<Lanes<T>, D> plastic = yield(change * load_mat<D>(ps.F_E, at), Lanes<T>::load(ps.J_P.at(at)), s);
    const Lanes<T> J_P = cap(at, n, plastic.J_P, report);
    store_all(scratch_.next.F_E, at, plastic.F_E.a);
    J_P.store(scratch_.next.J_P.at(at));
    count_relaxed(n, plastic.kept, report);
    const Lanes<T> volume = Lanes<T>::load(ps.volume.at(at)), zero(T(0));
    const LaneMask<T> used = first_lanes<T>(n);
    energies.dissipated = energies.dissipated + select(used, volume * plastic.dissipated, zero);
    // Step 8.
    Lanes<T> channels[kChannels];
    quads_to_lanes(gathered.value[0], channels);
    Vec<Lanes<T>, D> v;
    for (int d = 0; d < D; ++d) {
      v[d] = channels[1 + d];
      if constexpr (!Apic) v[d] = v[d] + flip_ratio_ * Lanes<T>::load(ps.velocity[d].at(at));  // (M10)
    }
    if (kept_ < T(1)) v = Lanes<T>(kept_) * v;
    if constexpr (Apic) store_all(scratch_.next.B, at, (Lanes<T>(h_) * load_columns<T, D>(gathered.affine)).a);
    // Steps 9 and 10.
    if (!near.empty()) {
      LaneMask<T> may_touch = first_lanes<T>(n);
      if (holds_)
        may_touch =
            may_touch & (Lanes<T>::load(scratch_.contact_tiles[block.place].phi.data() + first) <= dt_ * norm(v) + Lanes<T>(travel));
      if (any(may_touch)) motion_.collide_lanes(at, n, may_touch, near, v, report.loads);
    }
    store_all(scratch_.next.velocity, at, v.a);
    motion_.move(at, v);
    check(at, n, {determinant(change), plastic.J_P, hardening_exponent(s, J_P), s.log_limit, v}, block, report);
    if (sleep_) measure(n, v, block);
    if (checks_energy_) {
      Lanes<T> kinetic = T(0.5) * dot(v, v);
      if constexpr (Apic) {
        const Mat<Lanes<T>, D> B = load_mat<D>(scratch_.next.B, at);
        kinetic = kinetic + affine_energy_ * contract(B, B);
      }
      const Lanes<T> elastic = energy_density(plastic.F_E, rotation_near(plastic.F_E), hardened(s, J_P));
      energies.after = energies.after + select(used, Lanes<T>::load(ps.mass.at(at)) * kinetic + volume * elastic, zero);
    }
  }

  // Step 7 goes no further than a stencil can tell.
  Lanes<T> cap(std::size_t at, int n, const Lanes<T>& J_P, BlockReport& report) const {
    const Lanes<T> never(T(2));  // up to here there is no limit whatever the volume
    if (!any((J_P > never) | (J_P < Lanes<T>(T(0.5))))) return J_P;
    const Lanes<T> capped = capped_plastic(J_P, Lanes<T>(support_), Lanes<T>::load(store_.particles.volume.at(at)));
    for (int l = 0; l < n; ++l) report.capped += capped[l] != J_P[l];
    return capped;
  }

  static void count_relaxed(int n, const Lanes<T>& kept, BlockReport& report) {
    const LaneMask<T> relaxed = kept < Lanes<T>(T(1));
    if (any(relaxed))
      for (int l = 0; l < n; ++l) report.relaxed += relaxed[l];
  }

  // Of any point of the bodies that can come into a block, m, with room for what is curved.
  T farthest_travel(const std::vector<Body<T, D>>& near, const ParticleBlock<D>& block) const {
    T speed(0);
    for (const Body<T, D>& body : near) {
      if (body.next != nullptr) return std::numeric_limits<T>::infinity();
      const Vec<T, D> middle = Vec<T, D>::filled(T(0.5) * T(Shape::kEdge));
      const T arm = norm(difference(block.first_cell, middle, body.anchor, h_) - body.displacement) + norm(middle) * h_;
      speed = max(speed, norm(body.velocity) + norm(body.spin) * arm);
    }
    return T(0.1) * h_ + T(1.5) * dt_ * speed;
  }

  struct Checked {
    Lanes<T> det_change, J_P, exponent, log_limit;
    Vec<Lanes<T>, D> v;
  };

  void check(std::size_t at, int n, const Checked& c, ParticleBlock<D>& block, BlockReport& report) const {
    const LaneMask<T> used = first_lanes<T>(n);
    Lanes<T> farthest = abs(c.v[0]);
    for (int d = 1; d < D; ++d) farthest = max(farthest, abs(c.v[d]));
    const Lanes<T> one(T(1)), zero(T(0));
    // Written so that a NaN fails: max() above may drop one, so velocities are summed as well.
    Lanes<T> sum = c.v[0];
    for (int d = 1; d < D; ++d) sum = sum + c.v[d];
    const LaneMask<T> finite = (sum - sum) <= zero;
    const LaneMask<T> good = finite & (cells_per_speed_ * farthest <= one) & (c.det_change > zero) & (c.J_P > zero);
    if (any((!good) & used) && report.attempt.fault == Fault::kNone) report.attempt = name_fault(at, n, c);
    const LaneMask<T> at_limit = (abs(c.exponent) >= c.log_limit) & used;
    if (any(at_limit))
      for (int l = 0; l < n; ++l) block.limited += at_limit[l];
  }

  // For who may sleep.
  void measure(int n, const Vec<Lanes<T>, D>& v, ParticleBlock<D>& block) const {
    Lanes<T> speed(T(0));
    for (int d = 0; d < D; ++d) speed = max(speed, abs(v[d]));
    block.speed = std::max<double>(block.speed, horizontal_max(select(first_lanes<T>(n), speed, Lanes<T>(T(0)))));
  }

  Attempt name_fault(std::size_t at, int n, const Checked& c) const {
    for (int l = 0; l < n; ++l) {
      const std::uint32_t id = store_.particles.id[at + l];
      if (const Fault fault = motion_.fault_of(l, c.v); fault != Fault::kNone) return {fault, id};
      if (!(c.det_change[l] > T(0))) return {Fault::kInverted, id};
      if (!(c.J_P[l] > T(0))) return {Fault::kPlastic, id};
    }
    return {Fault::kNotFinite, store_.particles.id[at]};
  }

  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  const std::vector<Body<T, D>>& bodies_;
  Motion<T, D> motion_;
  T h_, cells_per_speed_, flip_ratio_;
  T support_;        // volume of a stencil
  T affine_energy_;  // of B, per mass
  T kept_;           // of velocities, when they are damped
  T dt_;
  bool sleep_, checks_energy_, holds_;
};

}  // namespace firn::cpu
