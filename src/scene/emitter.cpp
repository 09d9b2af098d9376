#include "scene/emitter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/rng.h"
#include "scene/sampler.h"

namespace firn {
namespace {

// Of a particle: times are sums of steps, and their rounding must not hold the next one back.
constexpr double kRounding = 1e-6;

constexpr int kTries = 10;  // to shake a point without leaving the shape: in an edge of a box each works with 1/4 at least

// Fisher and Yates's.
template <class T>
void shuffle(std::vector<T>& values, std::uint64_t seed) {
  Rng rng(Rng::cell_key(seed, 0, 0, 0));
  for (std::size_t n = values.size(); n > 1; --n)
    std::swap(values[n - 1], values[static_cast<std::size_t>(rng.uniform() * static_cast<double>(n))]);
}

}  // namespace

Snow snow_of(const Source& source) {
  Snow snow;
  snow.shape = source.shape;
  snow.velocity = source.velocity;
  snow.material = source.material;
  snow.particles_per_cell = source.particles_per_cell;
  snow.seed = source.seed;
  snow.location = source.location;
  return snow;
}

Emitter::Emitter(const Scene& scene, const Source& source, const Form& form)
    : source_(source),
      form_(form),
      h_(scene.simulation.spacing),
      mass_(scene.materials[material_index(scene, source.material)].density * particle_volume(scene, snow_of(source))),
      rows_(fresh_rows(scene, snow_of(source), form)),
      points_(sample_form(form, snow_of(source), h_)) {
  if (points_.empty())
    throw UserError(source.location,
                    "this source has no room for a particle: it is much smaller than a grid cell; use a smaller simulation.spacing");
  shuffle(points_, source.seed);
}

std::int64_t Emitter::count(double t) const {
  const double seconds = std::min(t, source_.end.value_or(std::numeric_limits<double>::infinity())) - source_.start;
  constexpr double kMost = 1e18;  // still a 64-bit number, and far beyond what any memory holds
  return seconds <= 0 ? 0 : static_cast<std::int64_t>(std::floor(std::min(seconds * particles_per_second() + kRounding, kMost)));
}

ParticleRow Emitter::particle(std::int64_t k, double t) const {
  const double own_time = source_.start + static_cast<double>(k + 1) / particles_per_second();
  return rows_.at(moved(place(k), (std::max(t - own_time, 0.0) / h_) * to_vec(source_.velocity)));
}

// The points of the shape one after the other; from the second round on each is shaken within its part of a cell, so that no two
// particles follow the same path.
LatticePoint<double, 3> Emitter::place(std::int64_t k) const {
  const auto size = static_cast<std::int64_t>(points_.size());
  const std::int64_t round = k / size;
  const LatticePoint<double, 3>& point = points_[static_cast<std::size_t>(k % size)];
  if (round == 0) return point;
  const LatticePoint<double, 3> origin = to_lattice<double, 3>(form_.origin, h_, true);
  const double spacing = std::pow(source_.particles_per_cell, -1.0 / form_.dimension);
  Rng rng(Rng::cell_key(source_.seed, round, k % size, 1));
  for (int t = 0; t < kTries; ++t) {
    Vec<double, 3> shift{0, 0, 0};
    for (int d = 0; d < form_.dimension; ++d) shift[d] = (rng.uniform() - 0.5) * spacing;
    const LatticePoint<double, 3> shaken = moved(point, shift);
    if (form_.distance(difference(shaken.cell, shaken.offset, origin, h_)) <= 0) return shaken;
  }
  return point;
}

LatticePoint<double, 3> Emitter::moved(LatticePoint<double, 3> x, const Vec<double, 3>& cells) const {
  for (int d = 0; d < form_.dimension; ++d) {
    std::int32_t whole;
    split_coordinate(x.offset[d] + cells[d], false, whole, x.offset[d]);
    x.cell[d] += whole;
  }
  return x;
}

}  // namespace firn
