#include "geometry/volume_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/memory.h"
#include "core/parallel.h"
#include "firn/error.h"

namespace firn {
namespace {

constexpr double kMostBricks = 1 << 27;  // a gigabyte for their numbers and bounds

template <class F>
void for_each_index(const Vec<std::int32_t, 3>& first, F f) {
  for (int i = 0; i < Bricks::kSide; ++i)
    for (int j = 0; j < Bricks::kSide; ++j)
      for (int k = 0; k < Bricks::kSide; ++k) f(Vec<std::int32_t, 3>{first[0] + i, first[1] + j, first[2] + k});
}

}  // namespace

Vec<std::int32_t, 3> VolumeLattice::first(std::size_t brick) const {
  const std::size_t ny = static_cast<std::size_t>(count[1]), nz = static_cast<std::size_t>(count[2]);
  return {static_cast<std::int32_t>(brick / (ny * nz)) * Bricks::kEdge, static_cast<std::int32_t>(brick / nz % ny) * Bricks::kEdge,
          static_cast<std::int32_t>(brick % nz) * Bricks::kEdge};
}

VolumeLattice cover(const Vec<double, 3>& lower, const Vec<double, 3>& upper, double margin, double voxel) {
  VolumeLattice lattice;
  lattice.voxel = voxel;
  double bricks = 1;
  for (int d = 0; d < 3; ++d) {
    const double length = upper[d] - lower[d] + 2 * margin;
    const double along = std::max(1.0, std::ceil(length / (voxel * Bricks::kEdge)));
    bricks *= along;
    if (!(bricks <= kMostBricks))
      throw UserError(fmt::format("{:.3g} x {:.3g} x {:.3g} m in steps of {:.3g} m is too fine: use a larger spacing or a smaller scale",
                                  upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2], voxel));
    lattice.count[d] = static_cast<std::int32_t>(along);
    lattice.lower[d] = 0.5 * (lower[d] + upper[d]) - 0.5 * along * voxel * Bricks::kEdge;
  }
  return lattice;
}

Volume allocate(const VolumeLattice& lattice, const std::vector<std::uint8_t>& is_full) {
  Volume volume;
  volume.lower = lattice.lower;
  volume.voxel = lattice.voxel;
  volume.count = lattice.count;
  volume.number.assign(lattice.bricks(), Bricks::kEmpty);
  volume.bound.assign(lattice.bricks(), 0);
  std::int32_t full = 0;
  for (std::size_t b = 0; b < is_full.size(); ++b)
    if (is_full[b]) volume.number[b] = full++;
  const double need = sizeof(float) * double(full) * Bricks::kValues, have = available_memory();
  if (need > have)
    throw UserError(fmt::format("its level set needs {:.3g} GB, this machine has {:.3g} GB free: use a larger spacing or a smaller body",
                                need / 1e9, have / 1e9));
  volume.phi.resize(std::size_t(full) * Bricks::kValues);
  return volume;
}

void for_each_value(const Volume& volume, const VolumeLattice& lattice,
                    const std::function<void(const Vec<std::int32_t, 3>&, std::size_t)>& f) {
  parallel_for(volume.number.size(), [&](std::size_t b) {
    if (volume.number[b] == Bricks::kEmpty) return;
    std::size_t at = std::size_t(volume.number[b]) * Bricks::kValues;
    for_each_index(lattice.first(b), [&](const Vec<std::int32_t, 3>& index) { f(index, at++); });
  });
}

Volume bake(const VolumeLattice& lattice, double band, const std::function<double(const Vec<double, 3>&)>& distance) {
  const double half = 0.5 * lattice.voxel * Bricks::kEdge, reach = half * std::sqrt(3.0);
  std::vector<std::uint8_t> is_full(lattice.bricks());
  std::vector<float> bound(lattice.bricks());
  parallel_for(is_full.size(), [&](std::size_t b) {
    const double middle = distance(lattice.point(lattice.first(b)) + Vec<double, 3>::filled(half));
    is_full[b] = middle - reach <= band;  // the whole inside too: its normals push out what got in
    bound[b] = static_cast<float>(middle - reach);
  });
  Volume volume = allocate(lattice, is_full);
  volume.bound = std::move(bound);
  for_each_value(volume, lattice, [&](const Vec<std::int32_t, 3>& index, std::size_t at) {
    volume.phi[at] = static_cast<float>(distance(lattice.point(index)));
  });
  return volume;
}

double inside_volume(const Volume& volume) {
  // Every voxel in parts: trilinear phi taken as a distance to a plane in each.
  constexpr int kParts = 2;
  const double part = volume.voxel / kParts;
  const Bricks bricks = volume.view();
  std::vector<double> sums(volume.number.size());
  const double brick_volume = std::pow(volume.voxel * Bricks::kEdge, 3);
  parallel_for(sums.size(), [&](std::size_t b) {
    if (volume.number[b] == Bricks::kEmpty) {
      sums[b] = volume.bound[b] < 0 ? brick_volume : 0;
      return;
    }
    const Vec<std::int32_t, 3> first = lattice_of(volume).first(b);
    double parts = 0;
    constexpr int kAlong = Bricks::kEdge * kParts;
    for (int k = 0; k < kAlong * kAlong * kAlong; ++k) {
      const int at[3] = {k / (kAlong * kAlong), k / kAlong % kAlong, k % kAlong};
      Vec<double, 3> q;
      for (int d = 0; d < 3; ++d) q[d] = volume.lower[d] + volume.voxel * first[d] + part * (at[d] + 0.5);
      parts += std::clamp(0.5 - sample_phi(bricks, q).phi / part, 0.0, 1.0);
    }
    sums[b] = parts * part * part * part;
  });
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

}  // namespace firn
