#include "scene/population.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "scene/sampler.h"
#include "solver/outflow.h"

namespace firn {
namespace {

struct Block {
  BlockKey key;
  CellBox<3> cells;
};

// The part of the window, in whole blocks, that a form may have snow in.
CellBox<3> around(const Form& form, const Model& model, CellBox<3> window) {
  const double edge = model.dimension == 3 ? BlockShape<3>::kEdge : BlockShape<2>::kEdge;
  const Bounds box = form.world_box();
  for (int d = 0; d < model.dimension; ++d) {
    const auto blocks_to = [&](double x) { return std::floor((x / model.h - window.lower[d]) / edge); };
    const double count = (window.upper[d] - window.lower[d]) / edge;
    const double first = std::clamp(blocks_to(form.origin[d] + box.lower[d]) - 1, 0.0, count);  // one more for rounding
    const double end = std::clamp(blocks_to(form.origin[d] + box.upper[d]) + 2, first, count);
    window.upper[d] = window.lower[d] + static_cast<std::int32_t>(end * edge);
    window.lower[d] += static_cast<std::int32_t>(first * edge);
  }
  return window;
}

// Those in `box` that the window has not been to and that have had no snow.
template <int D>
std::vector<Block> new_blocks(const Cell<3>& origin, const CellBox<3>& box, const WindowState& state) {
  constexpr int edge = BlockShape<D>::kEdge;
  const Cell<3> size{edge, edge, D == 3 ? edge : 1};
  std::vector<Block> blocks;
  for (std::int32_t i = box.lower[0]; i < box.upper[0]; i += size[0])
    for (std::int32_t j = box.lower[1]; j < box.upper[1]; j += size[1])
      for (std::int32_t k = box.lower[2]; k < box.upper[2]; k += size[2]) {
        const Cell<3> first{i, j, k};
        if (state.cells && state.cells->contains(first)) continue;
        Vec<std::int32_t, D> number;
        for (int d = 0; d < D; ++d) number[d] = (first[d] - origin[d]) >> BlockShape<D>::kLog2Edge;
        const BlockKey key = block_key<D>(number);
        if (!state.filled.contains(key)) blocks.push_back({key, {first, first + size}});
      }
  return blocks;
}

bool same(const CellBox<3>& a, const CellBox<3>& b) {
  for (int d = 0; d < 3; ++d)
    if (a.lower[d] != b.lower[d] || a.upper[d] != b.upper[d]) return false;
  return true;
}

}  // namespace

bool has_come(double start, double t) {
  constexpr double kRounding = 1e-9;  // relative
  return t >= start * (1 - kRounding);
}

std::vector<std::vector<LatticePoint<double, 3>>> enter_window(const std::vector<Snow>& snow, const std::vector<Form>& forms,
                                                               const Model& model, double t, std::vector<WindowState>& states) {
  std::vector<std::vector<LatticePoint<double, 3>>> points(snow.size());
  const CellBox<3> now = window_cells(model, t);
  states.resize(snow.size());
  for (std::size_t s = 0; s < snow.size(); ++s) {
    WindowState& state = states[s];
    if (snow[s].shape.kind == ShapeKind::kParticles || !has_come(snow[s].start, t) || (state.cells && same(*state.cells, now))) continue;
    const CellBox<3> box = around(forms[s], model, now);
    const std::vector<Block> blocks =
        model.dimension == 3 ? new_blocks<3>(model.origin, box, state) : new_blocks<2>(model.origin, box, state);
    std::vector<std::vector<LatticePoint<double, 3>>> in_block(blocks.size());
    parallel_for(blocks.size(), [&](std::size_t b) { in_block[b] = sample_form(forms[s], snow[s], model.h, blocks[b].cells); });
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (!in_block[b].empty()) state.filled.insert(blocks[b].key);
      points[s].insert(points[s].end(), in_block[b].begin(), in_block[b].end());
    }
    state.cells = now;
  }
  return points;
}

Population::Population(const Scene& scene, const Forms& forms) {
  for (std::size_t s = 0; s < scene.sources.size(); ++s) emitters_.emplace_back(scene, scene.sources[s], forms.sources[s]);
  for (const Snow& snow : scene.snow)
    if (snow.start > 0) starts_.push_back(snow.start);
  if (!scene.window) return;
  snow_ = scene.snow;
  forms_ = forms.snow;
  for (std::size_t s = 0; s < snow_.size(); ++s) fresh_.push_back(fresh_rows(scene, snow_[s], forms_[s]));
}

double Population::next_start(double t) const {
  double next = std::numeric_limits<double>::infinity();
  for (const double start : starts_)
    if (!has_come(start, t)) next = std::min(next, start);
  return next;
}

ParticleTable Population::arrivals(const Model& model, double t, PopulationState& state) const {
  ParticleTable rows;
  if (model.window) {
    const auto points = enter_window(snow_, forms_, model, t, state.window);
    for (std::size_t s = 0; s < points.size(); ++s)
      for (const LatticePoint<double, 3>& x : points[s]) rows.push_back(fresh_[s].at(x));
  }
  state.late_has_come.resize(late_.size());
  for (std::size_t s = 0; s < late_.size(); ++s) {
    if (state.late_has_come[s] || !has_come(late_[s].start, t)) continue;
    state.late_has_come[s] = true;
    for (const ParticleRow& row : late_[s].rows) rows.push_back(row);
  }
  state.given.resize(emitters_.size());
  for (std::size_t e = 0; e < emitters_.size(); ++e)
    for (const std::int64_t until = emitters_[e].count(t); state.given[e] < until; ++state.given[e])
      rows.push_back(emitters_[e].particle(state.given[e], t));
  return rows;
}

}  // namespace firn
