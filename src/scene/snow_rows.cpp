#include "scene/snow_rows.h"

#include <cmath>

namespace firn {

RowMaker::RowMaker(const Scene& scene, const Snow& snow, const Form& form, double share)
    : field_(scene, snow),
      form_(form),
      origin_(to_lattice<double, 3>(form.origin, scene.simulation.spacing, true)),
      velocity_(to_vec(snow.velocity)),
      spin_(to_vec(snow.spin)),
      has_shell_(snow.shell.has_value()),
      is_varied_(is_varied(snow)),
      h_(scene.simulation.spacing),
      share_(share) {
  for (int d = 0; d < scene.simulation.dimension; ++d) common_.F_E[4 * d] = snow.stretch[d];
  if (snow.initial_volume == InitialVolume::kShape || snow.start > 0) common_.volume = share;
}

ParticleRow RowMaker::at(const LatticePoint<double, 3>& x) const {
  ParticleRow row = common_;
  const Vec<double, 3> from_origin = difference(x.cell, x.offset, origin_, h_);
  const Vec<double, 3> v = velocity_ + cross(spin_, from_origin);
  for (int d = 0; d < 3; ++d) {
    row.cell[d] = x.cell[d];
    row.offset[d] = x.offset[d];
    row.velocity[d] = v[d];
  }
  const SnowAt here =
      field_.at({row.position(0, h_), row.position(1, h_), row.position(2, h_)}, has_shell_ ? form_.distance(from_origin) : 0);
  row.material = here.material;
  row.mass = here.density * share_;
  if (is_varied_) row.own = here.own;
  return row;
}

double particle_volume(const Scene& scene, const Snow& snow) {
  return std::pow(scene.simulation.spacing, scene.simulation.dimension) / snow.particles_per_cell;
}

RowMaker fresh_rows(const Scene& scene, const Snow& snow, const Form& form) {
  Snow fresh = snow;
  fresh.initial_volume = InitialVolume::kShape;  // what comes in finds a grid that does not know it
  return RowMaker(scene, fresh, form, particle_volume(scene, snow));
}

}  // namespace firn
