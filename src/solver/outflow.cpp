#include "solver/outflow.h"

#include <algorithm>
#include <cmath>

namespace firn {
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
