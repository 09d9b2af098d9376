#include "solver/model.h"

#include <algorithm>
#include <cmath>

#include "solver/outflow.h"

namespace firn {

SnowParameters<double> snow_parameters(const Material& m, double softening) {
  const Lame<double> lame = lame_from_young(m.young_modulus, m.poisson_ratio);
  return {lame.mu,
          lame.lambda,
          m.hardening,
          1 - m.critical_compression,
          1 + m.critical_stretch,
          std::log(m.hardening_limit),
          m.softening.value_or(softening)};
}

SolverSettings in_effect(SolverSettings settings) {
  if (settings.integrator != Integrator::kDensityLimited) return settings;
  settings.flip_step = 0;
  settings.contact = ContactRule::kPaper;
  settings.sleep = false;
  return settings;
}

double Model::flip_ratio(double dt) const {
  if (solver.flip_step == 0) return solver.flip_ratio;
  return std::pow(solver.flip_ratio, dt / solver.flip_step * (reference_h / h) * (reference_h / h));
}

SnowParameters<double> snow_parameters(const Model& model, std::uint16_t material, const std::optional<Variation>& own) {
  SnowParameters<double> s = model.materials[material];
  if (!own) return s;
  s.mu0 *= own->stiffness;
  s.lambda0 *= own->stiffness;
  s.softening = own_softening(s.hardening, s.softening, own->hardening);
  s.hardening = own->hardening;
  s.stretch_min = 1 - own->critical_compression;
  s.stretch_max = 1 + own->critical_stretch;
  return s;
}

namespace {

constexpr double kFarthest = 1e9;  // cells: no particle can be there, and 32 bits still hold it

}  // namespace

CellBox<3> window_cells(const Model& model, double t) {
  const WindowModel& window = *model.window;
  const Vec<double, 3> moved = window.motion.at(t).displacement;
  const double edge = model.dimension == 3 ? BlockShape<3>::kEdge : BlockShape<2>::kEdge;
  CellBox<3> box{model.origin, model.origin + Cell<3>::filled(1)};
  for (int d = 0; d < model.dimension; ++d) {
    const double anchor = static_cast<double>(window.anchor.cell[d] - model.origin[d]) + window.anchor.offset[d];
    const auto cell_at = [&](double x) { return std::clamp(snapped(anchor + (moved[d] + x) / model.h), -kFarthest, kFarthest); };
    box.lower[d] = model.origin[d] + static_cast<std::int32_t>(std::floor(cell_at(window.lower[d]) / edge) * edge);
    box.upper[d] = model.origin[d] + static_cast<std::int32_t>(std::ceil(cell_at(window.upper[d]) / edge) * edge);
  }
  return box;
}

}  // namespace firn
