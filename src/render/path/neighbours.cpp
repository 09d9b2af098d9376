#include "render/path/neighbours.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/parallel.h"

namespace firn {
namespace {

// Coordinates of a cube in one number, x first: cubes along z follow each other.
constexpr int kBits = 21;
constexpr double kMost = (1 << (kBits - 1)) - 2;  // cubes from the middle; what lies beyond is put into the outermost ones
constexpr std::int64_t kY = std::int64_t{1} << kBits, kX = kY << kBits;

// The median of each coordinate: strays, however far, do not move it.
std::array<double, 3> middle_of(const Frame& frame) {
  std::array<double, 3> middle{};
  std::vector<double> coordinates(frame.size());
  for (std::size_t d = 0; d < 3 && !coordinates.empty(); ++d) {
    for (std::size_t i = 0; i < coordinates.size(); ++i) coordinates[i] = frame.position[i][d];
    const auto half = coordinates.begin() + static_cast<std::ptrdiff_t>(coordinates.size() / 2);
    std::nth_element(coordinates.begin(), half, coordinates.end());
    middle[d] = *half;
  }
  return middle;
}

}  // namespace

Neighbours::Neighbours(const Frame& frame, double reach) : points_(frame.size()) {
  const std::array<double, 3> middle = middle_of(frame);
  parallel_for(points_.size(), [&](std::size_t i) {
    Point& point = points_[i];
    point = {0, static_cast<std::uint32_t>(i), Float3::zero()};
    for (std::size_t d = 0; d < 3; ++d) {
      const double x = (frame.position[i][d] - middle[d]) / reach;
      const double cell = std::clamp(std::floor(x), -kMost, kMost);
      point.cube = (point.cube << kBits) + static_cast<std::uint64_t>(cell + kMost + 1);
      point.place[static_cast<int>(d)] = static_cast<float>(x - cell);
    }
  });
  tbb::parallel_sort(points_.begin(), points_.end(),
                     [](const Point& a, const Point& b) { return std::tie(a.cube, a.index) < std::tie(b.cube, b.index); });
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (k == 0 || points_[k].cube != points_[k - 1].cube) first_.push_back(k);
  first_.push_back(points_.size());
}

void Neighbours::gather(std::size_t cube, std::vector<Float3>& places) const {
  places.clear();
  const std::uint64_t here = begin(cube)->cube;
  for (int dx = -1; dx <= 1; ++dx)
    for (int dy = -1; dy <= 1; ++dy) {
      const std::uint64_t middle = here + static_cast<std::uint64_t>(dx * kX + dy * kY);
      auto point = std::lower_bound(points_.begin(), points_.end(), middle - 1, [](const Point& p, std::uint64_t c) { return p.cube < c; });
      for (; point != points_.end() && point->cube <= middle + 1; ++point)
        places.push_back(point->place + Float3{static_cast<float>(dx), static_cast<float>(dy),
                                               static_cast<float>(static_cast<std::int64_t>(point->cube - middle))});
    }
}

}  // namespace firn
