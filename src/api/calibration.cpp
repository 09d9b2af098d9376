#include "api/calibration.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>

#include "math/pack.h"

namespace firn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

using Register = Pack<float, kSimdBytes / sizeof(float)>;

constexpr int kChains = 12;          // enough to hide the latency of an FMA on two ports; with the constants they fit 16 registers
constexpr int kFmaPerChunk = 10000;  // in a chain, between two looks at the clock
constexpr double kFmaSeconds = 0.05;
constexpr std::size_t kCopyBytes = std::size_t(128) << 20;
constexpr int kCopies = 4;

void multiply_add(Register (&sums)[kChains]) {
  const Register factor(0.999f), term(0.001f);
  Register x[kChains];
  std::copy(std::begin(sums), std::end(sums), x);
  for (int k = 0; k < kFmaPerChunk; ++k) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) x[c] = x[c] * factor + term;
  }
  std::copy(std::begin(x), std::end(x), sums);
}

double measure_fma() {
  Register sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = Register(0.1f * static_cast<float>(c));
  constexpr double kOperations = 2.0 * kFmaPerChunk * kChains * Register::kLanes;
  double done = 0, seconds = 0;
  const auto begin = Clock::now();
  while (seconds < kFmaSeconds) {
    multiply_add(sums);
    done += kOperations;
    seconds = seconds_since(begin);
  }
  volatile float keep = sums[0][0];
  for (const Register& sum : sums) keep = keep + sum[0];
  return done / seconds * 1e-9;
}

double measure_copy() {
  const auto from = std::make_unique_for_overwrite<std::byte[]>(kCopyBytes), to = std::make_unique_for_overwrite<std::byte[]>(kCopyBytes);
  std::memset(from.get(), 1, kCopyBytes);
  std::memset(to.get(), 2, kCopyBytes);
  double best = 0;
  for (int k = 0; k < kCopies; ++k) {
    const auto begin = Clock::now();
    std::memcpy(to.get(), from.get(), kCopyBytes);
    const volatile std::byte last = to[kCopyBytes - 1 - k];
    static_cast<void>(last);
    best = std::max(best, 2.0 * kCopyBytes / seconds_since(begin) * 1e-9);
  }
  return best;
}

}  // namespace

Calibration calibrate() { return {measure_fma(), measure_copy()}; }

Calibration better(const Calibration& a, const Calibration& b) {
  return {std::max(a.fma_gflops, b.fma_gflops), std::max(a.copy_gb_s, b.copy_gb_s)};
}

}  // namespace firn
