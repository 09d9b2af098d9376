#include "solver/model.h"

#include <cmath>

namespace firn {

SnowParameters<double> snow_parameters(const Material& m) {
  const Lame<double> lame = lame_from_young(m.young_modulus, m.poisson_ratio);
  return {lame.mu, lame.lambda, m.hardening, 1 - m.critical_compression, 1 + m.critical_stretch, std::log(m.hardening_limit)};
}

SnowParameters<double> snow_parameters(const Model& model, std::uint16_t material, const std::optional<Variation>& own) {
  SnowParameters<double> s = model.materials[material];
  if (!own) return s;
  s.mu0 *= own->stiffness;
  s.lambda0 *= own->stiffness;
  s.hardening = own->hardening;
  s.stretch_min = 1 - own->critical_compression;
  s.stretch_max = 1 + own->critical_stretch;
  return s;
}

}  // namespace firn
