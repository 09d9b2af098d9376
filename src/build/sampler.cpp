#include <algorithm>
#include <cmath>

#include "build/poisson.h"
#include "build/snow.h"
#include "core/parallel.h"
#include "math/random.h"
#include "scene/rules.h"

namespace firn {
namespace {

// The part of a box around the origin, in cells, that lies in these cells.
template <int D>
PointBox<D> clipped(PointBox<D> box, const LatticePoint<double, 3>& origin, const CellBox<3>& cells) {
  for (int d = 0; d < D; ++d) {
    box.lower[d] = std::max(box.lower[d], static_cast<double>(cells.lower[d]) - origin.cell[d] - origin.offset[d]);
    box.upper[d] = std::min(box.upper[d], static_cast<double>(cells.upper[d]) - origin.cell[d] - origin.offset[d]);
  }
  return box;
}

// One point in each cell of a lattice that has as many cells per grid cell as there are to be particles: place(number of the cell) is where
// in it, 0 to 1 on every axis. Cells do not depend on each other, so that threads may share the work, layer by layer.
template <int D, class Place, class Inside>
std::vector<Vec<double, D>> lattice_points(const PointBox<D>& box, double spacing, Place place, Inside inside) {
  std::int64_t first[3] = {0, 0, 0}, end[3] = {1, 1, 1};
  for (int d = 0; d < D; ++d) {
    first[d] = static_cast<std::int64_t>(std::floor(box.lower[d] / spacing)) - 1;
    end[d] = static_cast<std::int64_t>(std::ceil(box.upper[d] / spacing)) + 1;
  }
  std::vector<std::vector<Vec<double, D>>> layers(static_cast<std::size_t>(std::max<std::int64_t>(end[0] - first[0], 0)));
  parallel_for(layers.size(), [&](std::size_t layer) {
    const std::int64_t i = first[0] + static_cast<std::int64_t>(layer);
    for (std::int64_t j = first[1]; j < end[1]; ++j)
      for (std::int64_t k = first[2]; k < end[2]; ++k) {
        const std::int64_t at[3] = {i, j, k};
        const Vec<double, D> within = place(at);
        Vec<double, D> x;
        for (int d = 0; d < D; ++d) x[d] = (static_cast<double>(at[d]) + within[d]) * spacing;
        if (inside(x)) layers[layer].push_back(x);
      }
  });
  std::size_t total = 0;
  for (const auto& layer : layers) total += layer.size();
  std::vector<Vec<double, D>> points;
  points.reserve(total);
  for (auto& layer : layers) {
    points.insert(points.end(), layer.begin(), layer.end());
    layer = {};
  }
  return points;
}

// A cell's numbers are its own.
template <int D, class Inside>
std::vector<Vec<double, D>> jittered_points(const PointBox<D>& box, double spacing, std::uint64_t seed, Inside inside) {
  const auto place = [&](const std::int64_t(&cell)[3]) {
    Rng rng(Rng::cell_key(seed, cell[0], cell[1], cell[2]));
    Vec<double, D> within;
    for (int d = 0; d < D; ++d) within[d] = rng.uniform();
    return within;
  };
  return lattice_points<D>(box, spacing, place, inside);
}

// The middles of the cells.
template <int D, class Inside>
std::vector<Vec<double, D>> regular_points(const PointBox<D>& box, double spacing, Inside inside) {
  return lattice_points<D>(
      box, spacing, [](const std::int64_t(&)[3]) { return Vec<double, D>::filled(0.5); }, inside);
}

template <int D>
std::vector<LatticePoint<double, 3>> sample(const Form& form, const Snow& snow, double h, const CellBox<3>& cells) {
  const Solid<double, D> solid = convert_solid<double, D>(form.solid);
  const Mat<double, 3> rotation = to_matrix(form.rotation);
  Mat<double, D> to_body;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) to_body(i, j) = rotation(j, i);
  const auto inside = [&](const Vec<double, D>& x) { return evaluate(solid, to_body * (h * x)).phi <= 0; };
  // In cells, about the shape's origin: a shape moved by whole cells gets the same points.
  const Bounds world = form.world_box();
  const PointBox<D> box{(1 / h) * convert_vec<double, D>(world.lower), (1 / h) * convert_vec<double, D>(world.upper)};
  const double spacing = std::pow(snow.particles_per_cell, -1.0 / D);
  const LatticePoint<double, 3> origin = to_lattice<double, 3>(form.origin, h, true);
  Vec<double, D> shift = convert_vec<double, D>(origin.offset);  // of the points, from the cell that the shape's origin is in
  std::vector<Vec<double, D>> points;
  switch (snow.sampling) {
    case Sampling::kJittered: points = jittered_points<D>(clipped(box, origin, cells), spacing, snow.seed, inside); break;
    case Sampling::kPoisson: points = poisson_points<D>(box, spacing, snow.seed, inside); break;
    case Sampling::kRegular: {  // on the grid's own lattice
      const PointBox<D> own = clipped(box, origin, cells);
      points = regular_points<D>({own.lower + shift, own.upper + shift}, 1 / schema::points_per_axis(snow.particles_per_cell, D),
                                 [&](const Vec<double, D>& x) { return inside(x - shift); });
      shift = Vec<double, D>::zero();
      break;
    }
  }
  std::vector<LatticePoint<double, 3>> result;
  result.reserve(points.size());
  for (const Vec<double, D>& x : points) {
    LatticePoint<double, 3> p = origin;
    for (int d = 0; d < D; ++d) {
      split_coordinate(shift[d] + x[d], false, p.cell[d], p.offset[d]);
      p.cell[d] += origin.cell[d];
    }
    if (D == 2) p.offset[2] = 0;
    if (cells.contains(p.cell)) result.push_back(p);
  }
  return result;
}

}  // namespace

std::vector<LatticePoint<double, 3>> sample_form(const Form& form, const Snow& snow, double h, const CellBox<3>& cells) {
  return form.dimension == 3 ? sample<3>(form, snow, h, cells) : sample<2>(form, snow, h, cells);
}

}  // namespace firn
