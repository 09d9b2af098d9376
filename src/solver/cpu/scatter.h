// Steps 1 and 3 together: a block's particles add mass, momentum and force to the block's own tile.
#pragma once

#include "solver/cpu/cpu_state.h"
#include "solver/cpu/group.h"

namespace firn::cpu {

// One particle's contribution to a stencil, as matrices over channels: columns of A are per axis of grad w, those of C per axis of
// x_i − x_p.
template <class T, int D>
struct Source {
  T momentum[kChannels];      // m, m v
  T force[D][kChannels];      // −V⁰ P F_Eᵀ, per cell
  T affine[D][kChannels];     // APIC: m D⁻¹ B, per cell
};

// f_i += A grad w (M6), for any A: also the rows of the implicit operator.
template <class T, int D, class Kernel>
inline void scatter_force(const Stencils<T, D, Kernel>& s, int l, const T (*force)[kChannels], T* tile) {
  const Row<T> w = spread_nodes(s.w[l][D - 1]), g = spread_nodes(s.g[l][D - 1]);
  const Row<T> last = repeat_channels(force[D - 1]) * g;
  Row<T> other[D - 1];
  for (int d = 0; d < D - 1; ++d) other[d] = repeat_channels(force[d]) * w;
  T* start = tile + s.start[l] * kChannels;
  for_rows(s, l, [&](const RowWeight<T, D>& row) {
    T* at = start + row.node * kChannels;
    Row<T> sum = Row<T>::load(at) + last * Row<T>(row.w);
    for (int d = 0; d < D - 1; ++d) sum = sum + other[d] * Row<T>(row.g[d]);
    sum.store(at);
  });
}

// m_i += w m, (m v)_i += w m (v + D⁻¹ B (x_i − x_p)) (M4)
template <class T, int D, class Kernel, bool Apic>
inline void scatter_momentum(const Stencils<T, D, Kernel>& s, int l, const Source<T, D>& source, T* tile) {
  const Row<T> w = spread_nodes(s.w[l][D - 1]);
  Row<T> base = repeat_channels(source.momentum) * w;
  Row<T> other[D - 1];
  if constexpr (Apic) {
    base = base + repeat_channels(source.affine[D - 1]) * row_distance(s, l) * w;
    for (int d = 0; d < D - 1; ++d) other[d] = repeat_channels(source.affine[d]) * w;
  }
  T* start = tile + s.start[l] * kChannels;
  for_rows(s, l, [&](const RowWeight<T, D>& row) {
    T* at = start + row.node * kChannels;
    Row<T> value = base;
    if constexpr (Apic)
      for (int d = 0; d < D - 1; ++d) value = value + other[d] * Row<T>(row.r[d]);
    (Row<T>::load(at) + value * Row<T>(row.w)).store(at);
  });
}

// Lane l of column j of a matrix goes to channels 1…D of column[j].
template <class T, int D>
inline void to_channels(const Mat<Lanes<T>, D>& m, int l, T (*column)[kChannels]) {
  for (int j = 0; j < D; ++j) {
    column[j][0] = T(0);
    for (int i = 0; i < kChannels - 1; ++i) column[j][i + 1] = i < D ? m(i, j)[l] : T(0);
  }
}

template <class T, int D, class Kernel, bool Apic>
class Scatter {
 public:
  Scatter(const Model& model, CpuState<T, D>& state)
      : state_(state),
        inverse_h_(T(1 / model.h)),
        affine_scale_(T(Kernel::kInverseD / model.h)),  // D⁻¹ in 1/h², distances in cells
        origin_(convert_vec<std::int32_t, D>(model.origin)),
        implicit_(model.solver.integrator == Integrator::kSemiImplicit) {}

  void block(std::size_t b) const {
    const BlockRange& range = state_.sorter.blocks()[b];
    const Cell<D> first = state_.first_cell(origin_, range.key);
    T* momentum = state_.momentum_tiles.data() + b * CpuState<T, D>::kTileValues;
    T* force = state_.force_tiles.data() + b * CpuState<T, D>::kTileValues;
    std::fill_n(momentum, CpuState<T, D>::kTileValues, T(0));
    std::fill_n(force, CpuState<T, D>::kTileValues, T(0));
    Lanes<T> wave(T(0)), soft_wave(T(0)), speed(T(0));
    Stencils<T, D, Kernel> stencils;
    Source<T, D> sources[kGroup<T>];
    for (std::size_t at = range.begin; at < range.end; at += kGroup<T>) {
      const int n = static_cast<int>(std::min<std::size_t>(kGroup<T>, range.end - at));
      stencils.compute(state_.particles, at, n, first);
      prepare(at, n, sources, wave, soft_wave, speed);
      for (int l = 0; l < n; ++l) {
        scatter_momentum<T, D, Kernel, Apic>(stencils, l, sources[l], momentum);
        scatter_force<T, D, Kernel>(stencils, l, sources[l].force, force);
      }
    }
    state_.reports[b].limits = {horizontal_max(wave), horizontal_max(soft_wave), horizontal_max(speed)};
  }

 private:
  // The sources of a group; raises the limits of the time step.
  void prepare(std::size_t at, int n, Source<T, D>* sources, Lanes<T>& wave, Lanes<T>& soft_wave, Lanes<T>& speed) const {
    const Particles<T, D>& ps = state_.particles;
    const Mat<Lanes<T>, D> F_E = load_mat<D>(ps.F_E, at);
    const Vec<Lanes<T>, D> v = load_vec<T, D>(ps.velocity, at);
    const Lanes<T> mass = Lanes<T>::load(ps.mass.data() + at), volume = Lanes<T>::load(ps.volume.data() + at);
    const SnowParameters<Lanes<T>> s = load_materials(state_.materials, ps.material.data() + at, n);
    const Lame<Lanes<T>> l = hardened(s, Lanes<T>::load(ps.J_P.data() + at));
    const Mat<Lanes<T>, D> R = polar(F_E).R;
    const Mat<Lanes<T>, D> A = (-inverse_h_ * volume) * (first_piola(F_E, R, l) * transpose(F_E));  // (M6)
    if (implicit_) keep_for_solve(at, n, R, l);

    const LaneMask<T> used = first_lanes<T>(n);
    const Lanes<T> compliance = volume / mass, own_speed = norm(v), zero(T(0));
    wave = max(wave, select(used, sqrt((l.lambda + T(2) * l.mu) * compliance) + own_speed, zero));
    soft_wave = max(soft_wave, select(used, sqrt((s.lambda0 + T(2) * s.mu0) * compliance), zero));
    speed = max(speed, select(used, own_speed, zero));

    Mat<Lanes<T>, D> affine;
    if constexpr (Apic) affine = (affine_scale_ * mass) * load_mat<D>(ps.B, at);
    for (int k = 0; k < n; ++k) {
      sources[k].momentum[0] = mass[k];
      for (int d = 0; d < kChannels - 1; ++d) sources[k].momentum[d + 1] = d < D ? mass[k] * v[d][k] : T(0);
      to_channels<T, D>(A, k, sources[k].force);
      if constexpr (Apic) to_channels<T, D>(affine, k, sources[k].affine);
    }
  }

  void keep_for_solve(std::size_t at, int n, const Mat<Lanes<T>, D>& R, const Lame<Lanes<T>>& l) const {
    store_all(state_.rotation, at, n, R.a);
    l.mu.store_first(state_.lame[0].data() + at, n);
    l.lambda.store_first(state_.lame[1].data() + at, n);
  }

  CpuState<T, D>& state_;
  T inverse_h_, affine_scale_;
  Cell<D> origin_;
  bool implicit_;
};

}  // namespace firn::cpu
