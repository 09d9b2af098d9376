// What takes particles out of a run, frozen at one moment: sinks, the domain's end, the window's.
#pragma once

#include "grid/block.h"
#include "solver/model.h"

namespace firn {

enum class Fate : unsigned char { kStays, kKilled, kLeft };

// The window's cells at time t, whole blocks of the model's block lattice. The model has a window.
CellBox<3> window_cells(const Model& model, double t);

template <class T, int D>
class Outflow {
 public:
  Outflow(const Model& model, double t) : h_(T(model.h)) {
    for (const SinkModel& sink : model.sinks)
      if (sink.start <= t && t <= sink.end) sinks_.push_back(freeze<T, D>(sink.body, t));
    if (model.domain) domain_ = Walls{corner(model.domain->lower), corner(model.domain->upper)};
    if (model.window) {
      const CellBox<3> box = window_cells(model, t);
      window_ = CellBox<D>{convert_vec<std::int32_t, D>(box.lower), convert_vec<std::int32_t, D>(box.upper)};
    }
  }

  bool empty() const { return sinks_.empty() && !domain_ && !window_; }

  // Whether it may take a particle of a particle block; most blocks need no more than this.
  bool touches(const Cell<D>& first) const {
    constexpr int edge = BlockShape<D>::kEdge;
    const Cell<D> end = first + Cell<D>::filled(edge);
    if (window_ && !window_->contains(first)) return true;  // whole blocks: a corner tells
    if (domain_ && (outside(first, Vec<T, D>::zero()) || outside(end, Vec<T, D>::zero()))) return true;
    const Vec<T, D> middle = Vec<T, D>::filled(T(0.5) * T(edge));
    const T reach = norm(middle) * h_ * T(1.01);  // some room for rounding
    for (const Body<T, D>& sink : sinks_)
      if (probe(sink, first, middle, h_).phi <= reach) return true;
    return false;
  }

  Fate of(const Cell<D>& cell, const Vec<T, D>& offset) const {
    for (const Body<T, D>& sink : sinks_)
      if (probe(sink, cell, offset, h_).phi <= T(0)) return Fate::kKilled;
    if (domain_ && outside(cell, offset)) return Fate::kLeft;
    if (window_ && !window_->contains(cell)) return Fate::kLeft;
    return Fate::kStays;
  }

 private:
  struct Walls {
    LatticePoint<T, D> lower, upper;
  };

  static LatticePoint<T, D> corner(const LatticePoint<double, 3>& x) {
    return {convert_vec<std::int32_t, D>(x.cell), convert_vec<T, D>(x.offset)};
  }

  bool outside(const Cell<D>& cell, const Vec<T, D>& offset) const {
    const Vec<T, D> above = difference(cell, offset, domain_->lower, h_), beyond = difference(cell, offset, domain_->upper, h_);
    for (int d = 0; d < D; ++d)
      if (above[d] < T(0) || beyond[d] > T(0)) return true;
    return false;
  }

  T h_;
  std::vector<Body<T, D>> sinks_;
  std::optional<Walls> domain_;
  std::optional<CellBox<D>> window_;
};

}  // namespace firn
