#include "scene/presets.h"

namespace firn {

// After Stomakhin et al. 2013, section 5 and figure 8: smaller thresholds make powder, larger ones chunks; more hardening and stiffness make snow icy
// and brittle, less of both muddy and ductile. "packed" is their table 2. Densities are typical of the kinds of seasonal snow in the tables of
// snow science: new snow 50 to 100, wind-packed 300 to 400, wet 400 to 550, refrozen snow and firn 500 to 830 kg/m³. How each looks and
// breaks is shown and measured in docs/scenes.md.
const std::vector<Material>& presets() {
  static const std::vector<Material> all{
      // name, young_modulus, poisson_ratio, hardening, critical_compression, critical_stretch, density, hardening_limit
      {"powder", 5e4, 0.2, 10, 1e-2, 1e-3, 100, 100},      // hardly holds together
      {"packed", 1.4e5, 0.2, 10, 2.5e-2, 7.5e-3, 400, 100},
      {"wet", 1e5, 0.2, 5, 4e-2, 1.5e-2, 500, 100},        // water sticks: it gives way before it breaks
      {"icy", 5e5, 0.2, 20, 2.5e-2, 5e-3, 700, 100},       // stiff, and gone to pieces once it yields
      {"muddy", 4.8e4, 0.2, 3, 2.5e-2, 7.5e-3, 600, 100},  // the reverse of icy
      {"crust", 4e5, 0.2, 15, 4e-2, 1e-2, 450, 100},       // refrozen: stiff, and strong enough to break as slabs
      {"chunky", 1.4e5, 0.2, 10, 6e-2, 2e-2, 350, 100},    // as packed, but it takes twice the strain to break
  };
  return all;
}

}  // namespace firn
