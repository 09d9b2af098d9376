// Steps 9 and 10 of a group of particles, apart because every integrator ends with them: collisions and positions.
#pragma once

#include "solver/contact.h"
#include "solver/cpu/scratch.h"
#include "solver/cpu/transfer.h"

namespace firn::cpu {

template <class T, int D>
class Motion {
 public:
  Motion(const Model& model, ParticleStore<T, D>& store, Scratch<T, D>& scratch, double dt)
      : store_(store),
        scratch_(scratch),
        h_(T(model.h)),
        dt_(T(dt)),
        cells_per_speed_(T(dt / model.h)),
        most_cells_(T(model.most_cells())),
        rate_(1 / dt),
        holds_(model.holds()) {}

  // Apart from the rest: few groups touch a body, and those that do not should not pay for it in registers.
  [[gnu::noinline]] void collide_lanes(std::size_t at, int n, const LaneMask<T>& may_touch, const std::vector<Body<T, D>>& near,
                                       Vec<Lanes<T>, D>& v, NearLoads& loads) const {
    for (int l = 0; l < n; ++l) {
      if (!may_touch[l]) continue;
      LatticePoint<T, D> x;
      Vec<T, D> v_p;
      for (int d = 0; d < D; ++d) {
        x.cell[d] = store_.particles.cell[d][at + l];
        x.offset[d] = store_.particles.offset[d][at + l];
        v_p[d] = v[d][l];
      }
      const double mass_rate = rate_ * store_.particles.mass[at + l];
      const auto record = [&](std::size_t k, const BodyContact<T, D>& contact, const Vec<T, D>& taken) {
        loads[k].load.add(mass_rate, contact, taken);
      };
      v_p = holds_ ? keep_outside<T, D>(near, x, v_p, h_, dt_, record) : collide<T, D>(near, x, v_p, h_, nullptr, record);
      for (int d = 0; d < D; ++d) v[d].set(l, v_p[d]);
    }
  }

  void move(std::size_t at, const Vec<Lanes<T>, D>& v) const {
    for (int d = 0; d < D; ++d) {
      const Moved<Lanes<T>> moved = move_offset(Lanes<T>::load(store_.particles.offset[d].at(at)), cells_per_speed_ * v[d]);
      moved.offset.store(scratch_.next.offset[d].at(at));
      add_whole(store_.particles.cell[d].at(at), moved.cells, scratch_.next.cell[d].at(at));
    }
  }

  // What is wrong with the way of lane l.
  Fault fault_of(int l, const Vec<Lanes<T>, D>& v) const {
    for (int d = 0; d < D; ++d)
      if (!std::isfinite(v[d][l])) return Fault::kNotFinite;
    for (int d = 0; d < D; ++d)
      if (abs(cells_per_speed_ * v[d][l]) > most_cells_) return Fault::kTooFar;
    return Fault::kNone;
  }

 private:
  ParticleStore<T, D>& store_;
  Scratch<T, D>& scratch_;
  T h_, dt_, cells_per_speed_, most_cells_;
  double rate_;
  bool holds_;
};

}  // namespace firn::cpu
