#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "grid/block.h"
#include "particles/storage.h"
#include "solver/cpu/small_tile.h"
#include "solver/solver.h"

namespace firn {
namespace {

template <int D>
GridSize count(const Model& model, const ParticleTable& particles) {
  std::unordered_map<BlockKey, std::size_t> blocks;  // particles in them
  std::unordered_set<BlockKey> node_blocks;
  for (const ParticleRow& row : particles) {
    Vec<std::int32_t, D> block;
    for (int d = 0; d < D; ++d) block[d] = (row.cell[d] - model.origin[d]) >> BlockShape<D>::kLog2Edge;
    if (++blocks[block_key<D>(block)] > 1) continue;
    for (int k = 0; k < BlockShape<D>::kNeighbors; ++k) node_blocks.insert(block_key<D>(block + neighbor_offset<D>(k)));
  }
  GridSize size{blocks.size(), node_blocks.size()};
  for (const auto& [key, count] : blocks) {
    if (count > cpu::kMostSmallTiles) {
      ++size.whole_tiles;
    } else {
      size.small_tiles += count;
    }
  }
  return size;
}

template <int D>
double grid_values(const GridSize& grid, bool implicit, bool held) {
  using Shape = BlockShape<D>;
  const double whole_tile = Shape::kTileNodes * 2 * cpu::kChannels, small_tile = 2 * cpu::SmallTile<float, D>::kValues;
  const double nodes =
      Shape::kNodes * cpu::kChannels * ((implicit ? 8 : 2) + held);  // velocities; vectors of the solve and constraints; contact
  return static_cast<double>(grid.whole_tiles) * whole_tile + static_cast<double>(grid.small_tiles) * small_tile +
         static_cast<double>(grid.node_blocks) * nodes;
}

}  // namespace

GridSize count_blocks(const Model& model, const ParticleTable& particles) {
  return model.dimension == 3 ? count<3>(model, particles) : count<2>(model, particles);
}

double estimate_bytes(const Scene& scene, double particles, const GridSize& grid, bool varied) {
  const int d = scene.simulation.dimension;
  const bool implicit = scene.solver.integrator == Integrator::kSemiImplicit;
  const double scalar = scene.solver.precision == Precision::kDouble ? 8 : 4;
  const bool apic = scene.solver.transfer == Transfer::kApic;
  const bool held = in_effect(scene.solver).contact == ContactRule::kHeld && !scene.colliders.empty();
  const ColumnBytes columns = column_bytes(d, scalar, {apic, varied, held});
  const double all = columns.changing + columns.constant;
  const double sorting = 8;                // where ids are, and particles on their way to another block
  const double waiting = 10 * scalar + 6;  // a frame that is being written: what its file has of a particle
  const double running = particles * (2 * columns.changing + columns.constant + sorting + waiting) +
                         scalar * (d == 3 ? grid_values<3>(grid, implicit, held) : grid_values<2>(grid, implicit, held));
  const double table = ParticleTable::kCoreBytes + (apic ? ParticleTable::kAffineBytes : 0) + (varied ? ParticleTable::kOwnBytes : 0);
  // Rows to columns, then columns to blocks with their two buffers.
  const double starting = particles * std::max(table + all, 2 * all + columns.changing + 16);
  constexpr double kProgram = 30e6;  // code, libraries, thread stacks
  return kProgram + std::max(running, starting);
}

}  // namespace firn
