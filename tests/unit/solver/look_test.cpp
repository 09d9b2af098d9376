// What pages see of a simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "firn/bodies.h"
#include "firn/simulation.h"

namespace firn {
namespace {

constexpr double kSqueezed = 0.99;

Scene block() {
  return parse_scene(R"([simulation]
spacing = 0.05
duration = 0.1
[[snow]]
shape = "box"
center = [0.3, 0.5, 0.1]
size = [0.4, 0.4, 0.4]
stretch = [0.99, 0.99, 0.99]
velocity = [3, 4, 0]
[[collider]]
shape = "wedge"
center = [0, 0, 0]
size = [0.4, 0.2, 0.6]
velocity = [1, 0, 0]
)",
                     "block.toml");
}

// σ = P F_Eᵀ / J of the same stretch along all axes, before it yields.
double expected_pressure(const Material& m) {
  const double mu = m.young_modulus / (2 * (1 + m.poisson_ratio));
  const double lambda = m.young_modulus * m.poisson_ratio / ((1 + m.poisson_ratio) * (1 - 2 * m.poisson_ratio));
  const double s = kSqueezed, J = s * s * s;
  return -(2 * mu * (s - 1) * s / J + lambda * (J - 1));
}

TEST(Look, HasThePlacesAndNumbersOfTheFrame) {
  const Simulation simulation(block());
  const Frame frame = simulation.frame(true);
  const ParticleLook look = simulation.look(LookChannel::kSpeed);
  ASSERT_EQ(look.position.size(), frame.size());
  std::vector<double> shown, known;
  for (const auto& p : look.position) shown.push_back(p[0] + look.anchor[0] + 10 * (p[1] + look.anchor[1]) + 100 * (p[2] + look.anchor[2]));
  for (const Vector& p : frame.position) known.push_back(p[0] + 10 * p[1] + 100 * p[2]);
  std::sort(shown.begin(), shown.end());
  std::sort(known.begin(), known.end());
  for (std::size_t k = 0; k < known.size(); ++k) ASSERT_NEAR(shown[k], known[k], 1e-4);
  for (const float speed : look.channel) ASSERT_NEAR(speed, 5, 1e-5);
  EXPECT_EQ(simulation.look(LookChannel::kNone, 4).position.size(), (frame.size() + 3) / 4);
  EXPECT_TRUE(simulation.sleeping_blocks().empty());
}

TEST(Look, ShowsThePressureOfSqueezedSnow) {
  const Scene scene = block();
  const Simulation simulation(scene);
  const double pressure = expected_pressure(scene.materials.front());
  for (const float shown : simulation.look(LookChannel::kStress).channel) ASSERT_NEAR(shown, pressure, 1e-3 * pressure);
  for (const std::array<double, 9>& stress : simulation.stress(simulation.frame(true))) {
    ASSERT_NEAR(stress[0], -pressure, 1e-3 * pressure);
    ASSERT_NEAR(stress[1], 0, 1e-3 * pressure);
  }
}

TEST(Look, BodiesAreClosedWhereTheyStand) {
  const SceneBodies bodies(block());
  ASSERT_EQ(bodies.all().size(), 2U);
  for (const ShownBody& body : bodies.all()) {
    double volume = 0;
    for (const auto& t : body.triangles) {
      const Vector &a = body.points[t[0]], &b = body.points[t[1]], &c = body.points[t[2]];
      volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
    }
    EXPECT_NEAR(volume, body.kind == BodyKind::kSnow ? 0.064 : 0.024, 1e-6) << body.name;
  }
  EXPECT_NEAR(bodies.poses(0.5)[1].position[0], 0.5, 1e-12);
  EXPECT_TRUE(bodies.all()[1].moves);
}

}  // namespace
}  // namespace firn
