// Frames for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>

#include "frame/frame_view.h"

namespace firn::test {

// Every column filled that is written, with values that need all the digits of a double.
inline Frame make_frame(std::size_t particles, bool with_b) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> real(0.1, 3.0);
  Frame f;
  for (std::size_t p = 0; p < particles; ++p) {
    f.id.push_back(static_cast<std::uint32_t>(p));
    f.position.push_back({real(random), -real(random), real(random)});
    f.velocity.push_back({-real(random), real(random), real(random)});
    f.mass.push_back(real(random));
    f.volume.push_back(real(random));
    f.jp.push_back(real(random));
    f.je.push_back(real(random));
    f.material.push_back(static_cast<std::uint16_t>(p % 3));
    f.fe.emplace_back();
    for (double& entry : f.fe.back()) entry = real(random);
    for (auto* column : {&f.stiffness, &f.hardening, &f.critical_compression, &f.critical_stretch}) column->push_back(real(random));
    if (!with_b) continue;
    f.b.emplace_back();
    for (double& entry : f.b.back()) entry = -real(random);
  }
  return f;
}

inline Frame without_parameters(Frame f) {
  for (auto* column : {&f.stiffness, &f.hardening, &f.critical_compression, &f.critical_stretch}) column->clear();
  return f;
}

// The frame as a file of its precision keeps it.
inline Frame as_stored(Frame f) {
  if (f.double_precision) return f;
  for (const Attribute& a : kAttributes)
    for (double& x : reals(f, a.field)) {
      volatile float rounded = static_cast<float>(x);  // volatile: g++ 12 -O3 drops the conversion there and back from short loops
      x = rounded;
    }
  return f;
}

// Tells -0 from 0, other than ==.
inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

inline void expect_same(const Frame& a, const Frame& b) {
  EXPECT_EQ(a.double_precision, b.double_precision);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.material, b.material);
  for (const Attribute& attribute : kAttributes) {
    const auto x = reals(a, attribute.field), y = reals(b, attribute.field);
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end(), same_bits)) << attribute.name;
  }
}

}  // namespace firn::test
