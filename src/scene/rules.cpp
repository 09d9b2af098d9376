#include "scene/rules.h"

#include <fmt/format.h>

namespace firn::schema {

bool Range::contains(double value) const {
  const bool high_enough = open_low ? value > low : value >= low;
  const bool low_enough = open_high ? value < high : value <= high;
  return high_enough && low_enough;
}

std::string Range::text() const {
  return fmt::format("{} {} and {} {}", open_low ? "greater than" : "at least", low, open_high ? "less than" : "at most", high);
}

std::string Range::text_for(double value) const {
  if (value <= 0 && low > 0) return fmt::format("greater than 0, allowed: {} to {}", low, high);
  return text();
}

}  // namespace firn::schema

namespace firn {

// After Stomakhin et al. 2013, section 5 and figure 8: smaller thresholds make powder, larger ones chunks; more hardening and stiffness
// make snow icy and brittle, less of both muddy and ductile. Densities are of the classes that snow science tabulates: new snow 50 to
// 100, wind-packed 300 to 400, wet 400 to 550, firn and refrozen snow up to 830 kg/m³. How far to go was decided by looking: docs/scenes.md
// shows the same block of each breaking over a wedge, with figures.
const std::vector<Material>& presets() {
  static const std::vector<Material> all{
      // name, young_modulus, poisson_ratio, hardening, critical_compression, critical_stretch, density, hardening_limit
      {"powder", 1.4e5, 0.2, 10, 1.5e-2, 3e-4, 100, 100},    // torn by the least pull
      {"packed", 1.4e5, 0.2, 10, 2.5e-2, 7.5e-3, 400, 100},  // their table 2
      {"wet", 1e5, 0.2, 5, 4e-2, 1.5e-2, 500, 100},          // water holds it together: it gives way before it breaks
      {"icy", 1e6, 0.2, 20, 2.5e-2, 7.5e-3, 700, 100},       // stiff, and gone to pieces where it yields
      {"muddy", 8e4, 0.2, 3, 3.5e-2, 7.5e-3, 600, 100},      // the reverse of icy
      {"crust", 6e5, 0.2, 15, 5e-2, 1.2e-2, 450, 100},       // refrozen: stiff and strong, it breaks as slabs
      {"chunky", 1.4e5, 0.2, 10, 6e-2, 2e-2, 350, 100},      // as packed, but it takes more than twice the strain to break
  };
  return all;
}

}  // namespace firn
