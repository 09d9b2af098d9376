// The density-limited method as docs/theory.md has it.
#include "solver/density_limit.h"
#include "solver/reference/reference.h"

namespace firn::reference {
namespace {

// (M21) on one quantity: the plain rule, with the values of the sweep before, until nothing changes.
template <int D>
void limit(Grid<D>& grid, V<D> Node<D>::*q) {
  for (bool changes = true; changes;) {
    changes = false;
    std::vector<V<D>> after;
    for (const auto& [cell, i] : grid) {
      V<D> limited = i.*q;
      for (int a = 0; a < D; ++a) {
        Cell<D> ahead = cell;
        ahead[a] += limited[a] > 0 ? 1 : -1;
        const auto neighbour = grid.find(ahead);
        if (neighbour != grid.end() && neighbour->second.is_packed) limited[a] = no_more_than(limited[a], (neighbour->second.*q)[a]);
      }
      after.push_back(limited);
    }
    auto next = after.begin();
    for (auto& [cell, i] : grid) {
      for (int a = 0; a < D; ++a) changes = changes || (*next)[a] != (i.*q)[a];
      i.*q = *next++;
    }
  }
}

}  // namespace

template <int D>
void limit_density(const Model& model, double dt, Grid<D>& grid) {
  const V<D> g = convert_vec<double, D>(model.gravity);
  for (auto& [cell, i] : grid) {
    i.is_packed = i.mass > 0 && i.mass / std::pow(model.h, D) >= model.critical_density;
    i.force = i.mass * g;
    i.v = i.v_n;
  }
  limit(grid, &Node<D>::force);
  limit(grid, &Node<D>::v);
  for (auto& [cell, i] : grid)
    if (i.mass > 0) i.v += dt * (i.mass >= model.mass_floor ? (1 / i.mass) * i.force : g);
}

template void limit_density<2>(const Model&, double, Grid<2>&);
template void limit_density<3>(const Model&, double, Grid<3>&);

}  // namespace firn::reference
