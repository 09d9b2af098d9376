#include "solver/model.h"

#include <cmath>

namespace firn {

SnowParameters<double> snow_parameters(const Material& m) {
  const Lame<double> lame = lame_from_young(m.young_modulus, m.poisson_ratio);
  return {lame.mu, lame.lambda, m.hardening, 1 - m.critical_compression, 1 + m.critical_stretch, std::log(m.hardening_limit)};
}

}  // namespace firn
