// What takes particles out of a run, frozen at one moment: sinks, the domain's end, the window's.
#pragma once

#include "grid/block.h"
#include "solver/model.h"

namespace firn {

enum class Fate : unsigned char { kStays, kKilled, kLeft };

// The window's cells at time t, whole blocks of the model's block lattice. The model has a window.
CellBox<3> window_cells(const Model& model, double t);

// The end of the domain and the window, where there are any.
template <class T, int D>
struct OutflowWalls {
  LatticePoint<T, D> lower, upper;  // of the domain
  CellBox<D> window;
  bool has_domain = false, has_window = false;

  FIRN_HD bool outside(const Cell<D>& cell, const Vec<T, D>& offset, T h) const {
    const Vec<T, D> above = difference(cell, offset, lower, h), beyond = difference(cell, offset, upper, h);
    for (int d = 0; d < D; ++d)
      if (above[d] < T(0) || beyond[d] > T(0)) return true;
    return false;
  }
};

// Of a particle. Bodies: a list of them, on a device as well.
template <class T, int D, class Bodies>
FIRN_HD inline Fate fate_of(const Bodies& sinks, const OutflowWalls<T, D>& walls, const Cell<D>& cell, const Vec<T, D>& offset, T h) {
  for (std::size_t k = 0; k < sinks.size(); ++k)
    if (probe(sinks[k], cell, offset, h).phi <= T(0)) return Fate::kKilled;
  if (walls.has_domain && walls.outside(cell, offset, h)) return Fate::kLeft;
  if (walls.has_window && !walls.window.contains(cell)) return Fate::kLeft;
  return Fate::kStays;
}

template <class T, int D>
class Outflow {
 public:
  Outflow(const Model& model, double t) : h_(T(model.h)) {
    for (const SinkModel& sink : model.sinks)
      if (sink.start <= t && t <= sink.end) sinks_.push_back(freeze<T, D>(sink.body, t));
    if (model.domain) {
      walls_.has_domain = true;
      walls_.lower = corner(model.domain->lower);
      walls_.upper = corner(model.domain->upper);
    }
    if (model.window) {
      const CellBox<3> box = window_cells(model, t);
      walls_.has_window = true;
      walls_.window = CellBox<D>{convert_vec<std::int32_t, D>(box.lower), convert_vec<std::int32_t, D>(box.upper)};
    }
  }

  bool empty() const { return sinks_.empty() && !walls_.has_domain && !walls_.has_window; }
  const std::vector<Body<T, D>>& sinks() const { return sinks_; }
  const OutflowWalls<T, D>& walls() const { return walls_; }

  // Whether it may take a particle of a particle block; most blocks need no more than this.
  bool touches(const Cell<D>& first) const {
    constexpr int edge = BlockShape<D>::kEdge;
    const Cell<D> end = first + Cell<D>::filled(edge);
    if (walls_.has_window && !walls_.window.contains(first)) return true;  // whole blocks: a corner tells
    const Vec<T, D> zero = Vec<T, D>::zero();
    if (walls_.has_domain && (walls_.outside(first, zero, h_) || walls_.outside(end, zero, h_))) return true;
    const Vec<T, D> middle = Vec<T, D>::filled(T(0.5) * T(edge));
    const T reach = norm(middle) * h_ * T(1.01);  // some room for rounding
    for (const Body<T, D>& sink : sinks_)
      if (probe(sink, first, middle, h_).phi <= reach) return true;
    return false;
  }

  Fate of(const Cell<D>& cell, const Vec<T, D>& offset) const { return fate_of<T, D>(sinks_, walls_, cell, offset, h_); }

 private:
  static LatticePoint<T, D> corner(const LatticePoint<double, 3>& x) {
    return {convert_vec<std::int32_t, D>(x.cell), convert_vec<T, D>(x.offset)};
  }

  T h_;
  std::vector<Body<T, D>> sinks_;
  OutflowWalls<T, D> walls_;
};

}  // namespace firn
