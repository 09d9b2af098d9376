#include "geometry/volume_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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

namespace {

class SampledDistance : public LazyBricks {
 public:
  SampledDistance(const VolumeLattice& lattice, const SampledReach& known, DistanceFunction distance)
      : LazyBricks(lattice.bricks()), lattice_(lattice), known_(known), distance_(std::move(distance)) {}

 private:
  std::optional<float> fill(std::int64_t brick, float* values) const override {
    const double half = 0.5 * lattice_.voxel * Bricks::kEdge, reach = half * std::sqrt(3.0);
    const Vec<std::int32_t, 3> first = lattice_.first(static_cast<std::size_t>(brick));
    constexpr double kFarBricks = 8;  // so many edges away, a bound need not get better
    const double middle = distance_(lattice_.point(first) + Vec<double, 3>::filled(half), std::max(known_.outside, kFarBricks * 2 * half));
    if (middle - reach > known_.outside) return static_cast<float>(middle - reach);
    if (middle + reach < -known_.inside) return static_cast<float>(middle + reach);
    const double farthest = std::max(known_.outside, known_.inside);
    float* at = values;
    for_each_index(first, [&](const Vec<std::int32_t, 3>& index) {
      const bool is_copy = known_.flat && index[2] > first[2];
      *at = is_copy ? at[-1] : static_cast<float>(distance_(lattice_.point(index), farthest));
      ++at;
    });
    return std::nullopt;
  }

  const VolumeLattice lattice_;
  const SampledReach known_;
  const DistanceFunction distance_;
};

// What part of a brick has phi <= 0; in two dimensions, of its section at z = 0.
template <int D>
double inside_part(const Bricks& bricks, std::size_t brick) {
  const BrickValues values = detail::values_of(bricks, static_cast<std::int64_t>(brick));
  if (values.phi == nullptr) return values.bound < 0 ? 1 : 0;
  // Every voxel in parts: trilinear phi taken as a distance to a plane in each.
  constexpr int kParts = 2, kAlong = Bricks::kEdge * kParts, kAll = D == 3 ? kAlong * kAlong * kAlong : kAlong * kAlong;
  const double part = bricks.voxel / kParts;
  const Vec<double, 3> lower = lattice_of(bricks).point(lattice_of(bricks).first(brick));
  double parts = 0;
  for (int k = 0; k < kAll; ++k) {
    const int at[3] = {k % kAlong, k / kAlong % kAlong, k / (kAlong * kAlong)};
    Vec<double, 3> q{0, 0, 0};
    for (int d = 0; d < D; ++d) q[d] = lower[d] + part * (at[d] + 0.5);
    parts += std::clamp(0.5 - sample_phi(bricks, q).phi / part, 0.0, 1.0);
  }
  return parts / kAll;
}

}  // namespace

std::shared_ptr<const LevelSet> sample_on_demand(const VolumeLattice& lattice, const SampledReach& known, DistanceFunction distance) {
  Volume volume;
  volume.lower = lattice.lower;
  volume.voxel = lattice.voxel;
  volume.count = lattice.count;
  return std::make_shared<const LevelSet>(std::move(volume), std::make_unique<const SampledDistance>(lattice, known, std::move(distance)));
}

double inside_volume(const Bricks& bricks) {
  std::vector<double> parts(lattice_of(bricks).bricks());
  parallel_for(parts.size(), [&](std::size_t b) { parts[b] = inside_part<3>(bricks, b); });
  return std::pow(bricks.voxel * Bricks::kEdge, 3) * std::accumulate(parts.begin(), parts.end(), 0.0);
}

double inside_area(const Bricks& bricks) {
  const std::int64_t nz = bricks.count[2], layer = detail::locate(bricks, Vec<double, 3>{bricks.lower[0], bricks.lower[1], 0}).brick;
  std::vector<double> parts(std::size_t(bricks.count[0]) * std::size_t(bricks.count[1]));
  parallel_for(parts.size(), [&](std::size_t b) { parts[b] = inside_part<2>(bricks, b * std::size_t(nz) + std::size_t(layer)); });
  return std::pow(bricks.voxel * Bricks::kEdge, 2) * std::accumulate(parts.begin(), parts.end(), 0.0);
}

}  // namespace firn
