#include "api/look.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "materials/snow.h"

namespace firn {
namespace {

// Cauchy's stress, P F_Eᵀ / J, with the J of the whole F.
template <class T, int D>
Mat<T, D> cauchy(const SnowParameters<T>& snow, const Mat<T, D>& F_E, T J_P) {
  const Mat<T, D> P = first_piola(F_E, rotation_near(F_E), hardened(snow, J_P));
  return (T(1) / (determinant(F_E) * J_P)) * (P * transpose(F_E));
}

template <class T, int D>
class Looker {
 public:
  Looker(const Model& model, const ParticleStore<T, D>& store, LookChannel channel, std::uint32_t every)
      : model_(model), store_(store), channel_(channel), every_(every) {
    for (const SnowParameters<double>& snow : model.materials) materials_.push_back(convert<T>(snow));
  }

  ParticleLook all() const {
    const std::size_t blocks = store_.blocks.size();
    std::vector<std::size_t> begin(blocks + 1, 0);
    parallel_for(blocks, [&](std::size_t b) { begin[b + 1] = count(store_.blocks[b]); });
    for (std::size_t b = 0; b < blocks; ++b) begin[b + 1] += begin[b];
    ParticleLook look;
    if (blocks == 0) return look;
    const Cell<D>& first = store_.blocks.front().first_cell;
    for (int d = 0; d < D; ++d) look.anchor[d] = first[d] * model_.h;
    look.position.resize(begin[blocks]);
    if (channel_ != LookChannel::kNone) look.channel.resize(begin[blocks]);
    parallel_for(blocks, [&](std::size_t b) {
      std::size_t at = begin[b];
      const auto give = [&](std::size_t slot, int count) {
        put_places(slot, count, first, look.position.data() + at);
        if (!look.channel.empty()) put_numbers(slot, count, look.channel.data() + at);
        at += static_cast<std::size_t>(count);
      };
      if (every_ == 1) {
        store_.blocks[b].template for_each_pack<kGroupSize>(give);
      } else {
        for_each_chosen(store_.blocks[b], [&](std::size_t slot) { give(slot, 1); });
      }
    });
    return look;
  }

 private:
  // Of slots side by side. Floats will do for what is shown.
  void put_places(std::size_t slot, int count, const Cell<D>& first, std::array<float, 3>* to) const {
    const auto h = static_cast<float>(model_.h);
    for (int i = 0; i < count; ++i) to[i] = {0, 0, 0};
    for (int d = 0; d < D; ++d) {
      const std::int32_t* cell = store_.particles.cell[d].at(slot);
      const T* offset = store_.particles.offset[d].at(slot);
      for (int i = 0; i < count; ++i) to[i][d] = (static_cast<float>(cell[i] - first[d]) + static_cast<float>(offset[i])) * h;
    }
  }
  void put_numbers(std::size_t slot, int count, float* to) const {
    for (int i = 0; i < count; ++i) to[i] = static_cast<float>(number(slot + static_cast<std::size_t>(i)));
  }

  template <class F>
  void for_each_chosen(const ParticleBlock<D>& block, F f) const {
    for (std::uint32_t i = 0; i < block.count; ++i)
      if (const std::size_t slot = block.slot(i); every_ == 1 || store_.particles.id[slot] % every_ == 0) f(slot);
  }
  std::size_t count(const ParticleBlock<D>& block) const {
    if (every_ == 1) return block.count;
    std::size_t chosen = 0;
    for_each_chosen(block, [&](std::size_t) { ++chosen; });
    return chosen;
  }

  Mat<T, D> F_E(std::size_t slot) const {
    Mat<T, D> F;
    for (int k = 0; k < D * D; ++k) F.a[k] = store_.particles.F_E[k][slot];
    return F;
  }

  SnowParameters<T> parameters(std::size_t slot) const {
    const Particles<T, D>& p = store_.particles;
    if (!model_.varied) return materials_[p.material[slot]];
    const Variation own{p.stiffness[slot], p.hardening[slot], p.critical_compression[slot], p.critical_stretch[slot]};
    return convert<T>(snow_parameters(model_, p.material[slot], own));
  }

  T number(std::size_t slot) const {
    const Particles<T, D>& p = store_.particles;
    switch (channel_) {
      case LookChannel::kNone: return 0;
      case LookChannel::kSpeed: {
        T sum = 0;
        for (int d = 0; d < D; ++d) sum += p.velocity[d][slot] * p.velocity[d][slot];
        return std::sqrt(sum);
      }
      case LookChannel::kJp: return p.J_P[slot];
      case LookChannel::kDensity: {
        constexpr T kLeastRatio = T(1e-3);  // of the volumes: a particle that is inside out has no density
        return p.mass[slot] / (p.volume[slot] * std::max(kLeastRatio, determinant(F_E(slot)) * p.J_P[slot]));
      }
      case LookChannel::kMaterial: return T(p.material[slot]);
      case LookChannel::kStress: {
        const Mat<T, D> stress = cauchy(parameters(slot), F_E(slot), p.J_P[slot]);
        T trace = 0;
        for (int d = 0; d < D; ++d) trace += stress(d, d);
        return std::isfinite(trace) ? -trace / D : T(0);
      }
    }
    return 0;
  }

  const Model& model_;
  const ParticleStore<T, D>& store_;
  LookChannel channel_;
  std::uint32_t every_;
  std::vector<SnowParameters<T>> materials_;
};

}  // namespace

ParticleLook look_at(const Model& model, const State& state, LookChannel channel, int every) {
  return std::visit(
      [&]<class T, int D>(const ParticleStore<T, D>& store) {
        return Looker<T, D>(model, store, channel, static_cast<std::uint32_t>(std::max(1, every))).all();
      },
      state.store);
}

std::vector<Vector> sleeping_blocks(const Model& model, const State& state) {
  std::vector<Vector> middles;
  std::visit(
      [&]<class T, int D>(const ParticleStore<T, D>& store) {
        for (const ParticleBlock<D>& block : store.blocks) {
          if (block.rest != Rest::kAsleep) continue;
          Vector middle{0, 0, 0};
          for (int d = 0; d < D; ++d) middle[d] = (block.first_cell[d] + 0.5 * BlockShape<D>::kEdge) * model.h;
          middles.push_back(middle);
        }
      },
      state.store);
  return middles;
}

std::array<double, 9> stress_of(const Model& model, const Frame& frame, std::size_t particle) {
  std::optional<Variation> own;
  if (!frame.stiffness.empty())
    own = Variation{frame.stiffness[particle], frame.hardening[particle], frame.critical_compression[particle],
                    frame.critical_stretch[particle]};
  const SnowParameters<double> snow = snow_parameters(model, frame.material[particle], own);
  std::array<double, 9> result{};
  const auto compute = [&]<int D>(std::integral_constant<int, D>) {
    Mat<double, D> F_E;
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) F_E(i, j) = frame.fe[particle][3 * i + j];
    const Mat<double, D> stress = cauchy(snow, F_E, frame.jp[particle]);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) result[3 * i + j] = stress(i, j);
  };
  if (model.dimension == 3) {
    compute(std::integral_constant<int, 3>{});
  } else {
    compute(std::integral_constant<int, 2>{});
  }
  return result;
}

}  // namespace firn
