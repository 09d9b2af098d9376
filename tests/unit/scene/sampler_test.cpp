// Points in shapes: how many, where, and the same wherever the shape stands.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "build/form.h"
#include "build/poisson.h"
#include "build/snow.h"

namespace firn {
namespace {

constexpr double kH = 1.0 / 128;

struct Named {
  std::string name;
  Shape shape;
};

// About ten cells across; rotated in space, or in the plane when it is flat.
std::vector<Named> every_shape(int dimension, double h, const Vector& center) {
  Shape common;
  common.center = center;
  common.radius = 6 * h;
  common.size = {14 * h, 10 * h, 8 * h};
  common.height = 11 * h;
  common.tube = 3 * h;
  common.a = common.b = center;
  common.a[1] -= 4 * h;
  common.b[1] += 4 * h;
  common.rotation = dimension == 3 ? Quaternion{0.8, 0.36, -0.2, 0.435} : Quaternion{0.8, 0, 0, 0.6};
  std::vector<Named> all;
  for (const auto& [name, kind] :
       {std::pair{"sphere", ShapeKind::kSphere}, std::pair{"box", ShapeKind::kBox}, std::pair{"capsule", ShapeKind::kCapsule},
        std::pair{"wedge", ShapeKind::kWedge}, std::pair{"cylinder", ShapeKind::kCylinder}, std::pair{"cone", ShapeKind::kCone},
        std::pair{"torus", ShapeKind::kTorus}}) {
    const bool is_turned = kind == ShapeKind::kCylinder || kind == ShapeKind::kCone || kind == ShapeKind::kTorus;
    if (dimension == 2 && is_turned) continue;
    all.push_back({name, common});
    all.back().shape.kind = kind;
  }
  all.push_back({"wide wedge", common});
  all.back().shape.kind = ShapeKind::kWedge;
  all.back().shape.angle = 100;  // reaches the sides of its box
  return all;
}

Snow snow_of(const Shape& shape, Sampling sampling, double per_cell = 8) {
  Snow snow;
  snow.shape = shape;
  snow.sampling = sampling;
  snow.particles_per_cell = per_cell;
  return snow;
}

Form form_of(const Shape& shape, int dimension, double h = kH) {
  std::vector<std::string> warnings;
  return make_form(shape, {dimension, h}, warnings);
}

std::vector<LatticePoint<double, 3>> sample_shape(const Snow& snow, int dimension, double h) {
  return sample_form(form_of(snow.shape, dimension, h), snow, h);
}

Vec<double, 3> from_origin(const LatticePoint<double, 3>& p, const Shape& shape, double h) {
  Vec<double, 3> x;
  for (int d = 0; d < 3; ++d) x[d] = (p.cell[d] + p.offset[d]) * h;
  return x - shape_origin(shape);
}

// Calls test(dimension, sampling, named) for everything there is to sample.
template <class Test>
void for_everything(double h, const Vector& center, Test test) {
  for (const int dimension : {2, 3})
    for (const Sampling sampling : {Sampling::kJittered, Sampling::kPoisson})
      for (Named& named : every_shape(dimension, h, {center[0], center[1], dimension == 3 ? center[2] : 0})) {
        SCOPED_TRACE(named.name + (dimension == 3 ? " 3D " : " 2D ") + (sampling == Sampling::kPoisson ? "poisson" : "jittered"));
        test(dimension, sampling, named);
      }
}

using Bits = std::vector<std::tuple<int, int, int, double, double, double>>;
Bits bits_of(const std::vector<LatticePoint<double, 3>>& points, const Cell<3>& moved_by = {0, 0, 0}) {
  Bits bits;
  for (const auto& p : points)
    bits.emplace_back(p.cell[0] - moved_by[0], p.cell[1] - moved_by[1], p.cell[2] - moved_by[2], p.offset[0], p.offset[1], p.offset[2]);
  return bits;
}

// The points of boxes side by side, each its own call, are the points of the whole: none lost, none twice.
TEST(Sampler, PiecesHaveTogetherThePointsOfTheWhole) {
  for (const auto& [dimension, sampling] :
       {std::pair{2, Sampling::kJittered}, {3, Sampling::kJittered}, {2, Sampling::kRegular}, {3, Sampling::kRegular}})
    for (const auto& [name, shape] : every_shape(dimension, kH, {0.031, -0.017, dimension == 3 ? 0.007 : 0})) {
      SCOPED_TRACE(name);
      const Snow snow = snow_of(shape, sampling, sampling == Sampling::kJittered ? 5 : dimension == 3 ? 8 : 4);
      const Form form = form_of(shape, dimension, kH);
      std::multiset<std::array<double, 3>> whole, pieces;
      const auto add = [](const LatticePoint<double, 3>& p, auto& to) {
        to.insert({p.cell[0] + p.offset[0], p.cell[1] + p.offset[1], p.cell[2] + p.offset[2]});
      };
      for (const auto& p : sample_form(form, snow, kH)) add(p, whole);
      constexpr int edge = 5;
      for (int i = -30; i < 30; i += edge)
        for (int j = -30; j < 30; j += edge)
          for (int k = dimension == 3 ? -30 : 0; k < (dimension == 3 ? 30 : 1); k += edge) {
            const CellBox<3> box{{i, j, k}, {i + edge, j + edge, k + edge}};
            for (const auto& p : sample_form(form, snow, kH, box)) add(p, pieces);
          }
      EXPECT_GT(whole.size(), 200u);
      EXPECT_TRUE(whole == pieces);
    }
}

TEST(Sampler, EveryPointIsInsideItsShapeAndItsCell) {
  for_everything(kH, {0.3, -1.2, 0.7}, [](int dimension, Sampling sampling, const Named& named) {
    for (const auto& p : sample_shape(snow_of(named.shape, sampling), dimension, kH)) {
      const auto x = from_origin(p, named.shape, kH);
      ASSERT_LE(form_of(named.shape, dimension).distance(x), 1e-14);
      const Bounds box = form_of(named.shape, dimension).world_box();
      for (int d = 0; d < dimension; ++d) ASSERT_TRUE(x[d] >= box.lower[d] - 1e-14 && x[d] <= box.upper[d] + 1e-14);
      for (int d = 0; d < 3; ++d) ASSERT_TRUE(p.offset[d] >= 0 && p.offset[d] < 1);
      if (dimension == 2) {
        ASSERT_EQ(p.cell[2], 0);
        ASSERT_EQ(p.offset[2], 0);
      }
    }
  });
}

// Spheres and capsules have no `rotation` key; what a caller leaves there must not count.
TEST(Sampler, RoundShapesDoNotTurn) {
  for_everything(kH, {0, 0, 0}, [](int dimension, Sampling sampling, const Named& named) {
    Snow turned = snow_of(named.shape, sampling, 1), straight = turned;
    straight.shape.rotation = {1, 0, 0, 0};
    const bool round = named.shape.kind == ShapeKind::kSphere || named.shape.kind == ShapeKind::kCapsule;
    EXPECT_EQ(bits_of(sample_shape(turned, dimension, kH)) == bits_of(sample_shape(straight, dimension, kH)), round);
  });
}

// One point per cell of its own lattice: chance decides only in cells the surface cuts, a few per unit of N^((D−1)/D).
TEST(Sampler, JitteredCountsAreThoseOfTheVolume) {
  for_everything(kH, {0.3, -1.2, 0.7}, [](int dimension, Sampling sampling, const Named& named) {
    if (sampling == Sampling::kPoisson) return;
    for (const double per_cell : {1.0, 4.0, 8.0, 30.0}) {
      const double count = static_cast<double>(sample_shape(snow_of(named.shape, sampling, per_cell), dimension, kH).size());
      const double expected = per_cell * form_of(named.shape, dimension).content / std::pow(kH, dimension);
      const double cut = 8 * std::pow(expected, (dimension - 1.0) / dimension);
      EXPECT_NEAR(count, expected, 4 * std::sqrt(cut / 4)) << per_cell;
    }
  });
}

// The rim of a Poisson sampling is denser than its inside: some per cent more for shapes of ten cells.
TEST(Sampler, PoissonCountsAreThoseOfTheVolumeButForTheRim) {
  for_everything(kH, {0.3, -1.2, 0.7}, [](int dimension, Sampling sampling, const Named& named) {
    if (sampling == Sampling::kJittered) return;
    const double count = static_cast<double>(sample_shape(snow_of(named.shape, sampling), dimension, kH).size());
    const double expected = 8 * form_of(named.shape, dimension).content / std::pow(kH, dimension);
    EXPECT_GT(count / expected, 0.97);
    EXPECT_LT(count / expected, 1.25);
  });
}

// Points per cell in the middle of a large box, away from its rim.
double mean_per_cell(int dimension, Sampling sampling, double per_cell, std::uint32_t seed) {
  const double half = dimension == 3 ? 9 : 30, margin = 3;
  Snow snow = snow_of({}, sampling, per_cell);
  snow.shape.kind = ShapeKind::kBox;
  snow.shape.size = {2 * half * kH, 2 * half * kH, 2 * half * kH};
  snow.seed = seed;
  double count = 0;
  for (const auto& p : sample_shape(snow, dimension, kH)) {
    bool inner = true;
    for (int d = 0; d < dimension; ++d) inner = inner && std::abs(p.cell[d] + p.offset[d]) < half - margin;
    count += inner;
  }
  return count / std::pow(2 * (half - margin), dimension);
}

TEST(Sampler, PoissonSamplingHasTheMeanDensity) {
  for (const int dimension : {2, 3})
    for (const double per_cell : {3.0, 8.0}) {
      double mean = 0;
      for (const std::uint32_t seed : {1, 2}) mean += mean_per_cell(dimension, Sampling::kPoisson, per_cell, seed) / 2;
      EXPECT_NEAR(mean / per_cell, 1, 0.03) << dimension << "D " << per_cell;
      RecordProperty(std::to_string(dimension) + "D_" + std::to_string(int(per_cell)), std::to_string(mean / per_cell));
    }
}

TEST(Sampler, JitteredSamplingHasTheMeanDensity) {
  for (const int dimension : {2, 3})
    for (const double per_cell : {1.0, 8.0, 11.0})
      EXPECT_NEAR(mean_per_cell(dimension, Sampling::kJittered, per_cell, 1) / per_cell, 1, 0.01) << dimension << "D " << per_cell;
}

// Wherever the shape stands, and also where boxes of cells cut it.
TEST(Sampler, RegularPointsAreTheLatticePointsInsideTheShape) {
  for (const int dimension : {2, 3})
    for (const int per_axis : {1, 2, 3}) {
      const Snow snow = [&] {
        Snow ball = snow_of({}, Sampling::kRegular, std::pow(per_axis, dimension));
        ball.shape.center = {0.0123, -0.0345, dimension == 3 ? 0.0217 : 0};
        ball.shape.radius = 4.3 * kH;
        return ball;
      }();
      const auto points = sample_shape(snow, dimension, kH);
      std::set<std::array<double, 3>> places;
      for (const auto& p : points) {
        EXPECT_LE(norm(from_origin(p, snow.shape, kH)), snow.shape.radius * (1 + 1e-6));
        std::array<double, 3> place{0, 0, 0};
        for (int d = 0; d < dimension; ++d) {
          place[static_cast<std::size_t>(d)] = per_axis * (p.cell[d] + p.offset[d]) - 0.5;
          EXPECT_NEAR(place[static_cast<std::size_t>(d)], std::round(place[static_cast<std::size_t>(d)]), 1e-12);
        }
        places.insert(place);
      }
      EXPECT_EQ(places.size(), points.size());
      const double expected = snow.particles_per_cell * form_of(snow.shape, dimension).content / std::pow(kH, dimension);
      EXPECT_NEAR(static_cast<double>(points.size()) / expected, 1, per_axis == 1 ? 0.15 : 0.05);
    }
}

// Eight points per cell: each sits anywhere in its own half of a cell, no two in the same place of it on any axis.
TEST(Sampler, EveryJitteredPointHasItsOwnJitter) {
  Snow snow = snow_of({}, Sampling::kJittered, 8);
  snow.shape.kind = ShapeKind::kBox;
  snow.shape.size = {20 * kH, 20 * kH, 20 * kH};
  std::array<std::set<double>, 3> places;
  const auto points = sample_shape(snow, 3, kH);
  for (const auto& p : points)
    for (int d = 0; d < 3; ++d) places[static_cast<std::size_t>(d)].insert(std::round(std::fmod(p.offset[d], 0.5) * 1e14));
  for (const auto& axis : places) EXPECT_EQ(axis.size(), points.size());
}

// Shells of equal volume hold equally many points; uniform in radius would put a third of them into the innermost twentieth.
void expect_uniform_ball(int dimension, Sampling sampling, double margin) {
  constexpr int kBins = 20;
  Snow snow = snow_of({}, sampling);
  snow.shape.radius = (dimension == 3 ? 12 : 40) * kH;
  const double radius = snow.shape.radius - margin * kH;
  std::vector<double> bins(kBins, 0.0);
  double count = 0;
  for (const auto& p : sample_shape(snow, dimension, kH)) {
    const double share = std::pow(norm(from_origin(p, snow.shape, kH)) / radius, dimension);
    if (share >= 1) continue;
    ++bins[static_cast<std::size_t>(share * kBins)];
    ++count;
  }
  double chi2 = 0;
  for (const double n : bins) chi2 += (n - count / kBins) * (n - count / kBins) / (count / kBins);
  // Independent points would give 19 ± 6; these keep apart, so they are more even.
  EXPECT_LT(chi2, 19) << dimension << "D, " << count << " points";
}

TEST(Sampler, ABallIsFilledEvenlyInVolume) {
  for (const int dimension : {2, 3}) {
    expect_uniform_ball(dimension, Sampling::kJittered, 0);
    expect_uniform_ball(dimension, Sampling::kPoisson, 2);  // without the denser rim
  }
}

TEST(Sampler, PoissonPointsKeepTheirDistance) {
  for_everything(kH, {0, 0, 0}, [](int dimension, Sampling sampling, const Named& named) {
    if (sampling == Sampling::kJittered) return;
    const auto points = sample_shape(snow_of(named.shape, sampling, 4), dimension, kH);
    const double spacing = std::pow(4.0, -1.0 / dimension);
    const double radius = spacing * (dimension == 3 ? kPoissonRadius<3> : kPoissonRadius<2>);
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        double r2 = 0;
        for (int d = 0; d < dimension; ++d) {
          const double r = points[i].cell[d] - points[j].cell[d] + (points[i].offset[d] - points[j].offset[d]);
          r2 += r * r;
        }
        ASSERT_GE(std::sqrt(r2), radius - 1e-12) << i << ' ' << j;
      }
  });
}

TEST(Sampler, TheSeedDecidesThePoints) {
  for_everything(kH, {0, 0, 0}, [](int dimension, Sampling sampling, const Named& named) {
    Snow snow = snow_of(named.shape, sampling, 2);
    const Bits first = bits_of(sample_shape(snow, dimension, kH));
    EXPECT_EQ(bits_of(sample_shape(snow, dimension, kH)), first);
    snow.seed = 2;
    const Bits other = bits_of(sample_shape(snow, dimension, kH));
    const std::set<Bits::value_type> all(first.begin(), first.end());
    const auto shared = std::count_if(other.begin(), other.end(), [&](const auto& p) { return all.count(p) > 0; });
    EXPECT_LE(shared, sampling == Sampling::kPoisson ? 1 : 0);  // Poisson starts at the origin
  });
}

void expect_same_when_moved(double h, const Vector& center, const Vector& moved, const Cell<3>& by) {
  for (const int dimension : {2, 3})
    for (const Sampling sampling : {Sampling::kJittered, Sampling::kPoisson}) {
      const auto flat = [&](Vector v) { return Vector{v[0], v[1], dimension == 3 ? v[2] : 0}; };
      const auto here = every_shape(dimension, h, flat(center)), there = every_shape(dimension, h, flat(moved));
      for (std::size_t i = 0; i < here.size(); ++i) {
        const auto a = sample_shape(snow_of(here[i].shape, sampling, 3), dimension, h);
        const auto b = sample_shape(snow_of(there[i].shape, sampling, 3), dimension, h);
        ASSERT_GT(a.size(), 100u);
        EXPECT_TRUE(bits_of(a) == bits_of(b, {by[0], by[1], dimension == 3 ? by[2] : 0})) << here[i].name << ' ' << dimension << "D";
      }
    }
}

TEST(Sampler, AShapeMovedByWholeCellsGetsTheSamePoints) {
  expect_same_when_moved(1.0 / 128, {0.25, 0.5, 0.125}, {100.25, -49.5, 3.125}, {12800, -6400, 384});
  // Off the nodes: offsets that are powers of two stay exact.
  expect_same_when_moved(1.0 / 128, {0.25 + 1.0 / 512, 0.5, 0.125}, {100.25 + 1.0 / 512, -49.5, 3.125}, {12800, -6400, 384});
}

TEST(Sampler, OnNodesOfADecimalGridTheSamePointsToo) {
  expect_same_when_moved(0.005, {0.015, 0.3, 0.07}, {1.015, 0.7, -0.035}, {200, 80, -21});
  expect_same_when_moved(0.01, {0.07, 0.29, 0.11}, {0.57, 1.13, 3.3}, {50, 84, 319});
}

}  // namespace
}  // namespace firn
