// Frames for the tests of this folder.
#pragma once

#include <random>

#include "firn/frame.h"

namespace firn::testing {

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

// The frame as a float file keeps it.
inline Frame rounded_to_float(Frame f) {
  // volatile: g++ 12 -O3 drops the conversion there and back from short loops.
  const auto round = [](double& x) {
    volatile float rounded = static_cast<float>(x);
    x = rounded;
  };
  const auto round_all = [&](auto& rows) {
    for (auto& row : rows)
      for (double& x : row) round(x);
  };
  round_all(f.position);
  round_all(f.velocity);
  round_all(f.fe);
  round_all(f.b);
  for (auto* column : {&f.mass, &f.volume, &f.jp, &f.je, &f.stiffness, &f.hardening, &f.critical_compression, &f.critical_stretch})
    for (double& x : *column) round(x);
  return f;
}

}  // namespace firn::testing
