// Solids of every kind in two and three dimensions, and random numbers for the collision tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "collide/body.h"
#include "math/random.h"

namespace firn::collide_tests {

inline constexpr int kPoints = 5000;

inline double between(Rng& rng, double low, double high) { return low + (high - low) * rng.uniform(); }

template <int D>
Vec<double, D> random_vector(Rng& rng, double size = 1) {
  Vec<double, D> x;
  for (double& value : x.a) value = between(rng, -size, size);
  return x;
}
template <int D>
Vec<double, D> random_direction(Rng& rng) {
  Vec<double, D> x;
  do {
    x = random_vector<D>(rng);
  } while (norm(x) > 1 || norm(x) < 0.1);
  return (1 / norm(x)) * x;
}

inline Solid<double, 3> sphere(double radius) {
  Solid<double, 3> s{SolidKind::kSphere, {0, 0, 0}, {0, 0, 0}};
  s.radius = radius;
  return s;
}
inline Solid<double, 3> box(const Vec<double, 3>& half) { return {SolidKind::kBox, {0, 0, 0}, half}; }
inline Solid<double, 3> plane(const Vec<double, 3>& normal) { return {SolidKind::kPlane, normal, {0, 0, 0}}; }
inline Solid<double, 3> capsule(const Vec<double, 3>& half_axis, double radius) {
  Solid<double, 3> s{SolidKind::kCapsule, half_axis, {0, 0, 0}};
  s.radius = radius;
  return s;
}
inline Solid<double, 3> cylinder(double radius, double half_height) {
  Solid<double, 3> s{SolidKind::kCylinder, {0, 0, 0}, {radius, half_height, radius}};
  s.radius = radius;
  return s;
}
inline Solid<double, 3> wedge(const Vec<double, 3>& half, double half_opening) {
  Solid<double, 3> s{SolidKind::kWedge, {0, 0, 0}, half};
  s.side_cos = std::cos(half_opening);
  s.side_sin = std::sin(half_opening);
  return s;
}

inline const Vec<double, 3> kHalf{0.5, 0.8, 0.3};
inline const Vec<double, 3> kAxis{0.3, 0.6, 0};
inline const double kOpening = std::atan(0.5 / 1.6);  // the sides end at the bottom edges

template <int D>
struct Named {
  std::string name;
  Solid<double, D> solid;
};
template <int D>
std::vector<Named<D>> every_solid() {
  const auto as = [](const Solid<double, 3>& s) { return convert_solid<double, D>(s); };
  std::vector<Named<D>> all{
      {"plane", as(plane({0.6, 0.8, 0}))},   {"sphere", as(sphere(0.7))},           {"box", as(box(kHalf))},
      {"capsule", as(capsule(kAxis, 0.25))}, {"wedge", as(wedge(kHalf, kOpening))}, {"wide wedge", as(wedge(kHalf, 0.6))}};
  if (D == 3) all.push_back({"cylinder", as(cylinder(0.6, 0.4))});
  return all;
}

template <class Size>
class InDimension : public testing::Test {
 public:
  static constexpr int D = Size::value;
};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;

}  // namespace firn::collide_tests
