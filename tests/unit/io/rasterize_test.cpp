#include "frame/rasterize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include "firn/error.h"
#include "support/error_of.h"

namespace firn {
namespace {

using Node = std::array<std::int32_t, 3>;
struct Values {
  double mass = 0, momentum[3] = {}, mass_jp = 0;
};
using Nodes = std::map<Node, Values>;

constexpr double kSpacing = 0.25;  // a power of two: shifts by whole cells are exact

// Particles within `extent` of `center`.
Frame random_frame(std::size_t particles, int dimension, const std::array<double, 3>& center, double extent) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> around(-extent, extent), mass(0.5, 2), jp(0.7, 1.2);
  Frame f;
  for (std::size_t p = 0; p < particles; ++p) {
    const double z = around(random);
    f.position.push_back({center[0] + around(random), center[1] + around(random), dimension == 3 ? center[2] + z : 0});
    f.velocity.push_back({around(random), around(random), dimension == 3 ? around(random) : 0});
    f.mass.push_back(mass(random));
    f.jp.push_back(jp(random));
  }
  return f;
}

// (M2) and its quadratic fellow as they are written down, not as the solver computes them.
double kernel_at(Kernel kernel, double s) {
  s = std::abs(s);
  if (kernel == Kernel::kQuadratic) return s < 0.5 ? 0.75 - s * s : s < 1.5 ? 0.5 * (1.5 - s) * (1.5 - s) : 0;
  return s < 1 ? s * s * s / 2 - s * s + 2.0 / 3 : s < 2 ? (2 - s) * (2 - s) * (2 - s) / 6 : 0;
}

Nodes brute_force(const Frame& f, const NodeGrid& grid) {
  constexpr std::int32_t kReach = 3;
  Nodes nodes;
  for (std::size_t p = 0; p < f.size(); ++p) {
    Node cell{};
    for (std::size_t d = 0; d < 3; ++d) cell[d] = static_cast<std::int32_t>(std::floor(f.position[p][d] / grid.spacing));
    const std::int32_t deep = grid.dimension == 3 ? kReach : 0;
    for (std::int32_t i = -kReach; i <= kReach; ++i)
      for (std::int32_t j = -kReach; j <= kReach; ++j)
        for (std::int32_t k = -deep; k <= deep; ++k) {
          const Node node{cell[0] + i, cell[1] + j, cell[2] + k};
          double w = 1;
          for (int d = 0; d < grid.dimension; ++d) {
            const auto a = static_cast<std::size_t>(d);
            w *= kernel_at(grid.kernel, f.position[p][a] / grid.spacing - node[a]);
          }
          if (w == 0) continue;
          Values& v = nodes[node];
          v.mass += w * f.mass[p];
          for (std::size_t d = 0; d < 3; ++d) v.momentum[d] += w * f.mass[p] * f.velocity[p][d];
          v.mass_jp += w * f.mass[p] * f.jp[p];
        }
  }
  return nodes;
}

Nodes nodes_of(const NodeFields& fields) {
  Nodes nodes;
  for (std::size_t l = 0; l < fields.leaves(); ++l)
    fields.for_each_touched(l, [&](int n, std::size_t at) {
      const int x = n / 64, y = n / 8 % 8, z = n % 8;
      EXPECT_EQ(NodeFields::offset(x, y, z), n);
      Values& v = nodes[{fields.origin[l][0] + x, fields.origin[l][1] + y, fields.origin[l][2] + z}];
      v.mass = fields.mass[at];
      for (std::size_t d = 0; d < 3; ++d) v.momentum[d] = v.mass * (fields.velocity.empty() ? 0 : fields.velocity[at][d]);
      v.mass_jp = v.mass * (fields.jp.empty() ? 0 : fields.jp[at]);
    });
  return nodes;
}

// Kernel, dimension.
class Rasterize : public ::testing::TestWithParam<std::tuple<Kernel, int>> {
 protected:
  NodeGrid grid() const { return {kSpacing, std::get<0>(GetParam()), std::get<1>(GetParam())}; }
  int dimension() const { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(KernelsAndDimensions, Rasterize,
                         ::testing::Combine(::testing::Values(Kernel::kCubic, Kernel::kQuadratic), ::testing::Values(2, 3)));

TEST_P(Rasterize, EqualsTheSumOverAllParticlesAtEveryNode) {
  constexpr double kFloat = 3e-7;  // what rounding to float may change
  for (const std::array<double, 3>& center : {std::array<double, 3>{0, 0, 0}, {-30.1, 7.3, -1000}}) {
    const Frame frame = random_frame(3000, dimension(), center, 4);
    const Nodes expected = brute_force(frame, grid()), found = nodes_of(rasterize("frame", frame, grid()));
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [node, e] : expected) {
      ASSERT_TRUE(found.contains(node)) << node[0] << ' ' << node[1] << ' ' << node[2];
      const Values& v = found.at(node);
      EXPECT_NEAR(v.mass, e.mass, kFloat * e.mass + 1e-12);  // far from the origin the kernel's own argument is rounded
      EXPECT_NEAR(v.mass_jp, e.mass_jp, kFloat * e.mass_jp + 1e-12);
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(v.momentum[d], e.momentum[d], kFloat * 4 * e.mass + 1e-12);
    }
  }
}

TEST_P(Rasterize, KeepsMassAndMomentum) {
  const Frame frame = random_frame(20000, dimension(), {1, -2, 3}, 5);
  Values before, after;
  for (std::size_t p = 0; p < frame.size(); ++p) {
    before.mass += frame.mass[p];
    for (std::size_t d = 0; d < 3; ++d) before.momentum[d] += frame.mass[p] * frame.velocity[p][d];
  }
  for (const auto& [node, v] : nodes_of(rasterize("frame", frame, grid()))) {
    after.mass += v.mass;
    for (int d = 0; d < 3; ++d) after.momentum[d] += v.momentum[d];
  }
  EXPECT_NEAR(after.mass, before.mass, 1e-6 * before.mass);
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(after.momentum[d], before.momentum[d], 1e-6 * before.mass);
}

TEST_P(Rasterize, ShiftByWholeCellsShiftsTheValuesToTheLastDigit) {
  Frame frame = random_frame(500, dimension(), {0, 0, 0}, 2);
  for (auto& x : frame.position)
    for (double& c : x) c = std::nearbyint(c * 0x1p20) / 0x1p20;  // room for the shift in a double's digits
  const Nodes before = nodes_of(rasterize("frame", frame, grid()));
  const Node shift{-37, 1000003, dimension() == 3 ? 8 : 0};
  for (auto& x : frame.position)
    for (std::size_t d = 0; d < 3; ++d) x[d] += shift[d] * kSpacing;
  const Nodes after = nodes_of(rasterize("frame", frame, grid()));
  ASSERT_EQ(after.size(), before.size());
  double largest = 0;
  for (const auto& [node, v] : before) {
    const auto moved = after.find({node[0] + shift[0], node[1] + shift[1], node[2] + shift[2]});
    ASSERT_NE(moved, after.end());
    // Blocks are cut elsewhere now, so that sums of doubles may differ in the last digit, and the float with it.
    largest = std::max(largest, std::abs(moved->second.mass - v.mass) / v.mass);
  }
  EXPECT_LE(largest, 1.2e-7);
}

TEST_P(Rasterize, ShiftByWholeLeavesShiftsTheBitsExactly) {
  Frame frame = random_frame(500, dimension(), {0, 0, 0}, 2);
  for (auto& x : frame.position)
    for (double& c : x) c = std::nearbyint(c * 0x1p20) / 0x1p20;
  const NodeFields before = rasterize("frame", frame, grid());
  const Node shift{-8 * 5, 8 * 100000, dimension() == 3 ? 16 : 0};
  for (auto& x : frame.position)
    for (std::size_t d = 0; d < 3; ++d) x[d] += shift[d] * kSpacing;
  const NodeFields after = rasterize("frame", frame, grid());
  ASSERT_EQ(after.leaves(), before.leaves());
  for (std::size_t l = 0; l < before.leaves(); ++l)
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(after.origin[l][d], before.origin[l][d] + shift[d]);
  EXPECT_EQ(after.touched, before.touched);
  EXPECT_EQ(after.mass, before.mass);
  EXPECT_EQ(after.velocity, before.velocity);
  EXPECT_EQ(after.jp, before.jp);
}

TEST_P(Rasterize, OneParticleReachesAsManyNodesAsTheKernelHas) {
  const std::size_t support = grid().kernel == Kernel::kCubic ? 4 : 3;
  for (const double x : {-0.6, 0.6, 7.3, -7.9, 1e6 + 0.6}) {
    const double z = dimension() == 3 ? x : 0;
    Frame frame;
    frame.position = {{x * kSpacing, x * kSpacing, z * kSpacing}};
    frame.mass = {3};
    frame.velocity = {{1, -2, 0.5}};
    frame.jp = {0.875};
    const NodeFields fields = rasterize("frame", frame, grid());
    EXPECT_EQ(fields.mass.size(), dimension() == 3 ? support * support * support : support * support) << x;
    EXPECT_NEAR(std::accumulate(fields.mass.begin(), fields.mass.end(), 0.0), 3, 1e-6);
    for (const auto& v : fields.velocity) EXPECT_EQ(v, (std::array<float, 3>{1, -2, 0.5}));
    for (const float jp : fields.jp) EXPECT_EQ(jp, 0.875f);
  }
}

TEST_P(Rasterize, ParticleOnANodeReachesItsNeighboursAlike) {
  for (const std::int32_t i : {-16, -1, 0, 7, 8}) {
    Frame frame;
    frame.position = {{i * kSpacing, i * kSpacing, dimension() == 3 ? i * kSpacing : 0}};
    frame.mass = {1};
    const Nodes nodes = nodes_of(rasterize("frame", frame, grid()));
    EXPECT_EQ(nodes.size(), dimension() == 3 ? 27u : 9u);
    const std::int32_t k = dimension() == 3 ? i : 0;
    EXPECT_NEAR(nodes.at({i - 1, i, k}).mass, nodes.at({i + 1, i, k}).mass, 1e-8);
  }
}

TEST_P(Rasterize, LeavesAscendAndNoneIsEmpty) {
  const NodeFields fields = rasterize("frame", random_frame(300, dimension(), {0, 0, 0}, 40), grid());
  EXPECT_TRUE(std::is_sorted(fields.origin.begin(), fields.origin.end()));
  EXPECT_EQ(std::adjacent_find(fields.origin.begin(), fields.origin.end()), fields.origin.end());
  for (const auto& mask : fields.touched) EXPECT_TRUE(std::any_of(mask.begin(), mask.end(), [](std::uint64_t w) { return w != 0; }));
  for (const auto& origin : fields.origin)
    for (const std::int32_t x : origin) EXPECT_EQ(x % NodeFields::kEdge, 0);
}

TEST(RasterizeFrame, WithoutParticlesHasNoLeaves) { EXPECT_EQ(rasterize("frame", FrameView(), {kSpacing}).leaves(), 0u); }

TEST(RasterizeFrame, LacksTheChannelsItsParticlesLack) {
  Frame frame = random_frame(10, 3, {0, 0, 0}, 1);
  frame.jp.clear();
  frame.velocity.clear();
  const NodeFields fields = rasterize("frame", frame, {kSpacing});
  EXPECT_GT(fields.mass.size(), 0u);
  EXPECT_TRUE(fields.velocity.empty());
  EXPECT_TRUE(fields.jp.empty());
}

// Weights down to 1e-50 and less: momentum and mass would vanish one after the other in float.
TEST(RasterizeFrame, VelocityIsRightWhereThereIsHardlyAnyMass) {
  Frame frame;
  frame.position = {{1e-6 * kSpacing, 1e-6 * kSpacing, 1e-6 * kSpacing}};
  frame.mass = {1e-9};
  frame.velocity = {{3, -4, 5}};
  const NodeFields fields = rasterize("frame", frame, {kSpacing});
  EXPECT_EQ(fields.velocity.size(), 64u);
  for (const auto& v : fields.velocity) EXPECT_EQ(v, (std::array<float, 3>{3, -4, 5}));
}

TEST(RasterizeFrame, WithoutMassIsRefused) {
  Frame frame = random_frame(3, 3, {0, 0, 0}, 1);
  frame.mass.clear();
  EXPECT_EQ(test::error_of([&] { rasterize("a.ply", frame, {kSpacing}); }),
            "a.ply: density needs the mass of the particles, and they have none");
}

TEST(RasterizeFrame, NumbersThatMakeNoNodesAreRefused) {
  const auto error = [](auto change, const NodeGrid& grid) {
    Frame frame = random_frame(3, grid.dimension, {0, 0, 0}, 1);
    change(frame);
    return test::error_of([&] { rasterize("a.ply", frame, grid); });
  };
  const NodeGrid grid{kSpacing}, flat{kSpacing, Kernel::kCubic, 2};
  EXPECT_NE(error([](Frame& f) { f.position[1][0] = 1e12; }, grid).find("particle 1 is at 1000000000000 m"), std::string::npos);
  EXPECT_NE(error([](Frame& f) { f.position[2][1] = -6e8; }, grid).find("particle 2 is at -600000000 m"), std::string::npos);
  EXPECT_NE(error([](Frame& f) { f.position[1][0] = std::nan(""); }, grid).find("particle 1 has a position that is not finite"),
            std::string::npos);
  EXPECT_NE(error(
                [](Frame& f) {
                  f.position[0] = {-5e8, -5e8, -5e8};
                  f.position[1] = {5e8, 5e8, 5e8};
                },
                grid)
                .find("too far apart"),
            std::string::npos);
  EXPECT_NE(error([](Frame& f) { f.mass[1] = 0; }, grid).find("mass is 0, it must be greater than 0"), std::string::npos);
  EXPECT_NE(error([](Frame& f) { f.position[1][2] = 0.5; }, flat).find("in 2D it must be 0"), std::string::npos);
}

}  // namespace
}  // namespace firn
